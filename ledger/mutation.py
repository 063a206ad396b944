"""The transition of one file between two known states, as the ledger keeps it: hashes and ranges, no content.

Hunks are differences of *substance*: two lines are equal when they differ in white space alone, so a
re-indented or re-ended file has new hashes and no hunk, and nobody's authorship changes. Every new line
has one hash in `line_hashes`, so the owner of each line can be replayed from the ledger without contents.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.diff import Change, changes

# Files beyond these are recorded by hash alone (`omitted`): no hunks, no line hashes.
MAX_BYTES = 8 * 1024 * 1024
MAX_LINES = 40_000
# Room that one part of a transition may take, so that it fits a line of the ledger beside the other fields.
PART_HASHES = 2_500
# A replaced line is said to be edited from an old one when they share at least this share of their tokens.
EDITED_SHARE = 0.5
MAX_EDIT_CELLS = 2_500
# How many bytes of a line are looked at for that.
MAX_COMPARED = 2_000

Entry = dict[str, Any]

_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") | frozenset(range(128, 256))
_SPACES = b" \t\r\v\f"
_SPACE = frozenset(_SPACES + b"\n")


class Split(NamedTuple):
    """A file as lines without their ends, the substance of each, and how the lines end."""

    lines: list[bytes]
    substance: list[bytes]
    eol: str


_NOTHING = Split([], [], "none")
_NO_LINES: Entry = {"before_lines": None, "after_lines": None, "eol": None, "hunks": None}


def digest(content: bytes) -> str:
    """Name a content by its hash: ``sha256:`` and 64 hex digits."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def git_blob(content: bytes) -> str:
    """Return the object id that git (with SHA-1) gives this content when no filter touches it."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def line_hash(line: bytes) -> str:
    r"""Return the first 64 bits, in hex, of SHA-256 over the line without ASCII white space.

    >>> line_hash(b"  return  x\\r") == line_hash(b"return x".replace(b" ", b""))
    True
    """
    return hashlib.sha256(b"".join(line.split())).hexdigest()[:16]


def split(content: bytes) -> Split:
    """Split at newlines only, as git does; a carriage return before one belongs to the line's end."""
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    feeds, returns = content.count(b"\n"), content.count(b"\r")
    crlf = sum(line.endswith(b"\r") for line in lines) if returns else 0
    eol = "none" if not feeds else "lf" if not crlf else "crlf" if crlf >= feeds else "mixed"
    if crlf:
        lines = [line[:-1] if line.endswith(b"\r") else line for line in lines]
    # Taking the white space out of the whole content at once is ten times faster than out of each line.
    substance = content.translate(None, _SPACES).split(b"\n")
    return Split(lines, substance[: len(lines)], eol)


def is_binary(content: bytes) -> bool:
    """Judge as git does: a NUL among the first 8,000 bytes."""
    return b"\0" in content[:8000]


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


def unread(path: str, before_hash: str | None, after_hash: str | None, reason: str) -> Entry:
    """Describe a transition of which only the hashes are known, and why."""
    op = "add" if before_hash is None else "delete" if after_hash is None else "modify"
    hashes = {"before_hash": before_hash, "after_hash": after_hash}
    return {"path": path, "op": op, **hashes, **_NO_LINES, "omitted": reason}


def same_substance(one: bytes | None, other: bytes | None) -> bool:
    """Tell whether two contents differ in white space alone; no file is only like no file."""
    if one is None or other is None or one == other:
        return one == other
    return split(one).substance == split(other).substance


def similarity(one: bytes, other: bytes) -> float:
    """Return the share of lines that two contents have in common, 0 to 1, whatever their order."""
    old, new = Counter(split(one).substance), Counter(split(other).substance)
    return (old & new).total() / max(old.total(), new.total(), 1)


def substance_changes(old: Split, new: Split) -> list[Change]:
    """Return the changed ranges, each insertion or deletion slid to where a reader would draw its border."""
    found = changes(old.substance, new.substance)
    return [
        _slide(change, old, new, found[at - 1] if at else None, found[at + 1] if at + 1 < len(found) else None)
        for at, change in enumerate(found)
    ]


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
        hunk["line_hashes"] = [line_hash(line) for line in new.substance[b0:b1]]
    edited = [[b0 + y + 1, a0 + x + 1] for x, y in edited_pairs(old.lines[a0:a1], new.lines[b0:b1])]
    if edited:
        hunk["edited"] = edited
    return hunk


def edited_pairs(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int]]:
    """Pair each replaced line with the one it was made from, in order; lines that share too little stay alone."""
    if not old or not new or len(old) * len(new) > MAX_EDIT_CELLS:
        return []
    old_tokens, new_tokens = (
        [tokens(line[:MAX_COMPARED]) for line in old],
        [tokens(line[:MAX_COMPARED]) for line in new],
    )
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    shares = [[_share(x, y) for y in new_tokens] for x in old_tokens]
    for x in range(len(old) - 1, -1, -1):
        for y in range(len(new) - 1, -1, -1):
            pair = shares[x][y] + best[x + 1][y + 1] if shares[x][y] >= EDITED_SHARE else 0.0
            best[x][y] = max(pair, best[x + 1][y], best[x][y + 1])
    pairs = []
    x = y = 0
    while x < len(old) and y < len(new):
        if shares[x][y] >= EDITED_SHARE and best[x][y] == shares[x][y] + best[x + 1][y + 1]:
            pairs.append((x, y))
            x, y = x + 1, y + 1
        elif best[x + 1][y] >= best[x][y + 1]:
            x += 1
        else:
            y += 1
    return pairs


def tokens(line: bytes) -> Counter[bytes]:
    """Count the words of a line and each of its other signs.

    >>> sorted(tokens(b"a = b_1(2)"))
    [b'(', b')', b'2', b'=', b'a', b'b_1']
    """
    words = bytearray()
    for byte in line:
        if byte in _WORD:
            words.append(byte)
        elif byte in _SPACE:
            words.append(32)
        else:
            words += b" %c " % byte
    return Counter(bytes(words).split())


def _share(old: Counter[bytes], new: Counter[bytes]) -> float:
    """Dice's coefficient of two bags of tokens, 0 to 1."""
    total = old.total() + new.total()
    return 2 * (old & new).total() / total if total else 0.0


def _slide(change: Change, old: Split, new: Split, previous: Change | None, following: Change | None) -> Change:
    """Move a pure insertion or deletion among its equal positions to the best border of a block.

    The diff alone cannot tell which of two equal closing lines is new. A block begins after a blank line
    and at the least indentation; among equals the latest position wins, as in git.
    """
    a0, a1, b0, b1 = change
    if (a1 > a0) == (b1 > b0):
        return change
    side, start, stop = (new, b0, b1) if b1 > b0 else (old, a0, a1)
    if previous is None:
        floor = 0
    else:
        floor = previous.b1 if side is new else previous.a1
    if following is None:
        ceiling = len(side.lines)
    else:
        ceiling = following.b0 if side is new else following.a0
    up = 0
    while start - up > floor and side.substance[start - up - 1] == side.substance[stop - up - 1]:
        up += 1
    down = 0
    while stop + down < ceiling and side.substance[start + down] == side.substance[stop + down]:
        down += 1
    if not up and not down:
        return change
    shift = max(range(-up, down + 1), key=lambda by: (*_border(side, start + by), by))
    return Change(a0 + shift, a1 + shift, b0 + shift, b1 + shift)


def _border(side: Split, start: int) -> tuple[int, int]:
    """Rate a block of lines by how its borders look: higher is better."""
    first = side.lines[start]
    indent = len(first) - len(first.lstrip())
    blank_first = not side.substance[start]
    after_blank = start == 0 or not side.substance[start - 1]
    return (-indent - (1000 if blank_first else 0), int(after_blank))


def batches(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Group entries so that each group fits a line of the ledger beside an event's other fields."""
    return _by_weight(entries, _weight)


def _parts(entry: Entry, hunks: Sequence[Entry]) -> list[Entry]:
    """Spread hunks over as many entries as the size of a ledger line asks for."""
    groups = list(_by_weight(hunks, _hunk_weight)) or [[]]
    if len(groups) == 1:
        return [entry | {"hunks": groups[0]}]
    return [entry | {"part": at, "parts": len(groups), "hunks": group} for at, group in enumerate(groups, 1)]


def _by_weight(items: Iterable[Entry], weight: Callable[[Entry], int]) -> Iterator[list[Entry]]:
    group: list[Entry] = []
    room = PART_HASHES
    for item in items:
        needed = weight(item)
        if group and needed > room:
            yield group
            group, room = [], PART_HASHES
        group.append(item)
        room -= needed
    if group:
        yield group


def _weight(entry: Entry) -> int:
    """Estimate the bytes of an entry in hashes of 19 bytes."""
    names = len(entry["path"].encode(errors="replace")) + len(entry.get("from_path", "").encode(errors="replace"))
    return 25 + names // 19 + sum(map(_hunk_weight, entry["hunks"] or ()))


def _hunk_weight(hunk: Entry) -> int:
    new_lines: int = hunk["new_lines"]
    return 10 + new_lines + len(hunk.get("edited", ()))


def _pieces(change: Change) -> Iterator[Change]:
    """Cut a change whose new lines do not fit one part: the first piece replaces, the others insert after it."""
    size = PART_HASHES - 10
    a0, a1, b0, b1 = change
    yield Change(a0, a1, b0, min(b1, b0 + size))
    for start in range(b0 + size, b1, size):
        yield Change(a1, a1, start, min(b1, start + size))
