"""The transition of one file between two known states, as the ledger keeps it: hashes and ranges, no content.

Hunks are differences of *substance*: two lines are equal when they differ in white space alone, so a
re-indented or re-ended file has new hashes and no hunk, and nobody's authorship changes. Every new line
has one hash in `line_hashes`, so the owner of each line can be replayed from the ledger without contents.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from linetrail.ledger.event.event import batches
from linetrail.ledger.files import digest, git_blob, is_binary
from linetrail.ledger.observe.diff import Change
from linetrail.ledger.observe.reflow import by_text
from linetrail.ledger.observe.substance import Split, edited_pairs, split, substance_changes, substance_hash

# Files beyond these are recorded by hash alone (`omitted`): no hunks, no line hashes.
MAX_BYTES = 8 * 1024 * 1024
MAX_LINES = 40_000
# Room that one part of a transition may take, so that it fits a line of the ledger beside the other fields.
PART_HASHES = 2_500

Entry = dict[str, Any]


_NOTHING = Split([], [], "none")
_NO_LINES: Entry = {"before_lines": None, "after_lines": None, "eol": None, "hunks": None}


def transition(path: str, before: bytes | None, after: bytes | None, *, from_path: str | None = None) -> list[Entry]:
    """Describe how a file came from one content to another; None is no file. Several parts when it is long."""
    entry: Entry = {"path": path, "op": _op(before, after, from_path)}
    if from_path is not None:
        entry["from_path"] = from_path
    entry |= {
        "before_hash": None if before is None else digest(before),
        "after_hash": None if after is None else digest(after),
    }
    if before is not None:
        entry["before_blob"] = git_blob(before)
    omitted = _omitted(before, after)
    if omitted:
        return [entry | _NO_LINES | {"omitted": omitted}]
    old, new = split(before or b""), split(after or b"")
    entry |= {
        "before_lines": len(old.lines),
        "after_lines": len(new.lines),
        "eol": new.eol if after is not None else None,
    }
    return _parts(
        entry, [_hunk(old, new, piece) for change in substance_changes(old, new) for piece in _pieces(change)]
    )


def snapshot(path: str, after: bytes) -> list[Entry]:
    """Describe a state whose past is not known: all its lines, marked as a snapshot and not as a change."""
    entry: Entry = {"path": path, "op": "modify", "snapshot": True, "before_hash": None, "after_hash": digest(after)}
    omitted = _omitted(None, after)
    if omitted:
        return [entry | _NO_LINES | {"omitted": omitted}]
    new = split(after)
    whole = Change(0, 0, 0, len(new.lines))
    entry |= {"before_lines": None, "after_lines": len(new.lines), "eol": new.eol}
    return _parts(entry, [_hunk(_NOTHING, new, piece) for piece in _pieces(whole)] if new.lines else [])


def copy(path: str, content: bytes, from_path: str) -> list[Entry]:
    """Describe a new file that has the content of another one."""
    return [entry | {"op": "copy"} for entry in transition(path, content, content, from_path=from_path)]


def unread(path: str, before_hash: str | None, after_hash: str | None, reason: str) -> Entry:
    """Describe a transition of which only the hashes are known, and why."""
    op = "add" if before_hash is None else "delete" if after_hash is None else "modify"
    hashes = {"before_hash": before_hash, "after_hash": after_hash}
    return {"path": path, "op": op, **hashes, **_NO_LINES, "omitted": reason}


def groups(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Group entries so that each group fits a line of the ledger beside an event's other fields."""
    return batches(entries, _weight, PART_HASHES)


def _op(before: bytes | None, after: bytes | None, from_path: str | None) -> str:
    if from_path is not None:
        return "rename"
    if before is None:
        return "add"
    return "delete" if after is None else "modify"


def _omitted(*contents: bytes | None) -> str | None:
    for content in contents:
        if content is None:
            continue
        if is_binary(content):
            return "binary"
        if len(content) > MAX_BYTES or content.count(b"\n") > MAX_LINES:
            return "too large"
    return None


def _hunk(old: Split, new: Split, change: Change) -> Entry:
    """One hunk in git's counting: an empty range names the line before it."""
    a0, a1, b0, b1 = change
    hunk: Entry = {
        "old_start": a0 + 1 if a1 > a0 else a0,
        "old_lines": a1 - a0,
        "new_start": b0 + 1 if b1 > b0 else b0,
        "new_lines": b1 - b0,
    }
    if b1 > b0:
        hunk["content_hash"] = digest(b"".join(line + b"\n" for line in new.lines[b0:b1]))
        hunk["line_hashes"] = [substance_hash(line) for line in new.substance[b0:b1]]
    broken = by_text(old.lines[a0:a1], new.lines[b0:b1])
    reflowed = {y for _, y in broken}
    made = [pair for pair in edited_pairs(old.lines[a0:a1], new.lines[b0:b1]) if pair[1] not in reflowed]
    for name, pairs in (("edited", made), ("reflowed", broken)):
        if pairs:
            hunk[name] = [[b0 + y + 1, a0 + x + 1] for x, y in pairs]
    return hunk


def _parts(entry: Entry, hunks: Sequence[Entry]) -> list[Entry]:
    """Spread hunks over as many entries as the size of a ledger line asks for."""
    groups = list(batches(hunks, _hunk_weight, PART_HASHES)) or [[]]
    if len(groups) == 1:
        return [entry | {"hunks": groups[0]}]
    return [entry | {"part": at, "parts": len(groups), "hunks": group} for at, group in enumerate(groups, 1)]


def _weight(entry: Entry) -> int:
    """Estimate the bytes of an entry in hashes of 19 bytes."""
    names = len(entry["path"].encode(errors="replace")) + len(entry.get("from_path", "").encode(errors="replace"))
    return 25 + names // 19 + sum(map(_hunk_weight, entry["hunks"] or ()))


def _hunk_weight(hunk: Entry) -> int:
    new_lines: int = hunk["new_lines"]
    return 10 + new_lines + len(hunk.get("edited", ())) + len(hunk.get("reflowed", ()))


def _pieces(change: Change) -> Iterator[Change]:
    """Cut a change whose new lines do not fit one part: the first piece replaces, the others insert after it."""
    size = PART_HASHES - 10
    a0, a1, b0, b1 = change
    yield Change(a0, a1, b0, min(b1, b0 + size))
    for start in range(b0 + size, b1, size):
        yield Change(a1, a1, start, min(b1, start + size))
