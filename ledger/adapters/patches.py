"""The files that a patch in the V4A format names: one call may add, update, delete and move many.

Source: the grammar of `apply_patch` in openai/codex. A header stands at the start of a line, perhaps indented and
ended by CRLF; what follows ``+``, ``-`` or one space inside an update is content, whatever it looks like. White space
around a header is all that Unicode counts as such, since that is what Codex takes off.
"""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from linetrail.ledger.event.signal import Edit, Proposal

if TYPE_CHECKING:  # few calls are patches
    from linetrail.ledger.observe.hunks import FilePatch

# Compiled where a patch is read: most payloads have none.
_HEADER = r"\s*\*\*\* (Add File|Update File|Delete File|Move to): ?"
_ROLES = {"Add File": "write", "Update File": "edit", "Delete File": "delete"}
_CONTENT = ("+", "-", "@")


def targets(patch: str) -> tuple[tuple[str, str], ...]:
    r"""Return each path with its role, in order; nothing where no header is recognised: then nobody knows.

    >>> targets("*** Begin Patch\n*** Update File: a.py\n*** Move to: b.py\n@@\n-x\n+*** Add File: c.py\n*** End Patch")
    (('a.py', 'rename_from'), ('b.py', 'rename_to'))
    """
    found: list[tuple[str, str]] = []
    in_hunk = False
    for line in patch.split("\n"):
        if line.startswith(_CONTENT):
            in_hunk = in_hunk or line.startswith("@")
            continue
        header = re.match(_HEADER, line)
        # In a hunk, a line that starts with a space is context: a header that is content.
        if header is None or (in_hunk and line.startswith(" ")):
            continue
        verb, path = header[1], line[header.end() :].rstrip()
        in_hunk = False
        if verb == "Move to":
            _move(found, path)
        else:
            found.append((path, _ROLES[verb]))
    return tuple(dict.fromkeys(found))


def proposals(patch: str) -> tuple[tuple[str, Proposal], ...]:
    r"""Return what a patch means to do to each file, where it says so without a look at the file.

    >>> proposals("*** Update File: a.py\n@@\n-x\n+y\n*** Delete File: b.py\n*** End Patch")
    (('a.py', Proposal(content=None, edits=(Edit(old='x\n', new='y\n', every=False),))),)
    """
    from collections import Counter

    from linetrail.ledger.observe.hunks import files  # what patches contain, for calls with patches alone

    told = [(file.path, _proposal(file)) for file in files(patch) if file.move_to is None]
    # What is done to one file in two places is not put together here.
    times = Counter(path for path, _ in told)
    return tuple((path, proposal) for path, proposal in told if proposal is not None and times[path] == 1)


def _proposal(file: "FilePatch") -> Proposal | None:
    if file.content is not None:
        return Proposal(file.content)
    # Where only a place is told, and no lines to be replaced, the file has to be looked at.
    if not file.hunks or not all(hunk.old and hunk.after is None for hunk in file.hunks):
        return None
    return Proposal(edits=tuple(Edit(_text(hunk.old), _text(hunk.new), every=False) for hunk in file.hunks))


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _move(found: list[tuple[str, str]], path: str) -> None:
    """Turn the file that was named last into the source of a move."""
    if found:
        found[-1] = (found[-1][0], "rename_from")
    found.append((path, "rename_to"))
