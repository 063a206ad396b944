"""What a write tool meant to do to a file: apply it, undo it, find it in what is on disk.

Pure. With several calls under way on one file, what each of them proposed tells whose change is whose.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from linetrail.ledger.event.signal import Edit, Proposal

# The state files that keep what open requests would do, sealed.
REQUESTED = "proposed"
# A longer proposal is not remembered between the two hooks of a call.
MAX_REMEMBERED = 256 * 1024


def expected(proposal: Proposal | None, before: bytes | None) -> bytes | None:
    """Return the content that a proposal leads to; None when that cannot be told."""
    if proposal is None:
        return None
    if proposal.content is not None:
        return _bytes(proposal.content, before)
    content = before or b""
    for edit in proposal.edits:
        old, new = _bytes(edit.old, content), _bytes(edit.new, content)
        if (old and old not in content) or (not old and content):
            return None
        content = content.replace(old, new, -1 if edit.every else 1) if old else new
    return content


def undone(proposal: Proposal | None, after: bytes | None) -> bytes | None:
    """Return the content before an edit, where what it wrote is there exactly once."""
    if proposal is None or not proposal.edits or after is None:
        return None
    content = after
    for edit in reversed(proposal.edits):
        old, new = _bytes(edit.old, content), _bytes(edit.new, content)
        if not new or content.count(new) != 1:
            return None
        content = content.replace(new, old)
    return content


def explain(proposals: Iterable[Proposal | None], before: bytes | None, after: bytes | None) -> bool:
    """Return whether some of these proposals, and nothing else, lead from one content to the other."""
    if after is None:
        return False
    content = before
    for proposal in proposals:
        reached = expected(proposal, content)
        if reached == after:
            return True
        if (
            proposal is not None
            and reached is not None
            and all(_bytes(edit.new, after) in after for edit in proposal.edits)
        ):
            content = reached
    return content == after


def to_bytes(proposal: Proposal | None) -> bytes | None:
    """Return a proposal as JSON; None for one that is too long to remember."""
    if proposal is None:
        return None
    size = len(proposal.content or "") + sum(len(edit.old) + len(edit.new) for edit in proposal.edits)
    return json.dumps(proposal).encode() if size <= MAX_REMEMBERED else None


def from_bytes(text: bytes | None) -> Proposal | None:
    """Undo `to_bytes`."""
    if text is None:
        return None
    return _proposal(json.loads(text))


def request_bytes(command: str | None, files: Mapping[str, Proposal | None]) -> bytes | None:
    """Return what a call would run, and write to which file, as JSON; None for nothing, and for what is too long."""
    told = json.dumps([command, {path: one for path, one in files.items() if one is not None}]).encode()
    return told if len(told) <= MAX_REMEMBERED // 4 and told != b"[null, {}]" else None


def request_from_bytes(text: bytes) -> tuple[str | None, Mapping[str, Proposal]]:
    """Undo `request_bytes`."""
    command, files = json.loads(text)
    return command, {path: _proposal(told) for path, told in files.items()}


def _proposal(told: tuple[str | None, list[list[Any]]]) -> Proposal:
    content, edits = told
    return Proposal(content, tuple(Edit(*edit) for edit in edits))


def _bytes(text: str, file: bytes | None) -> bytes:
    """Spell a text as it stands in a file: agents speak of plain newlines where most lines end in two signs."""
    spelled = text.encode(errors="replace")
    feeds = file.count(b"\n") if file else 0
    if file and feeds and b"\r\n" not in spelled and file.count(b"\r\n") * 2 > feeds:
        return spelled.replace(b"\n", b"\r\n")
    return spelled
