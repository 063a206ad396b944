"""Lines without their white space: what counts as the same line, and what two versions of a file differ in.

White space is no substance: re-indenting a line, or ending it otherwise, does not make it another one.
"""

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from linetrail.ledger.files import short_sha256
from linetrail.ledger.observe.diff import Change, changes

# A replaced line is said to be edited from an old one when they share at least this share of their tokens.
EDITED_SHARE = 0.5
MAX_EDIT_CELLS = 2_500
# How many bytes of a line are looked at for that.
MAX_COMPARED = 2_000

# A word, or any other sign but white space.
TOKEN = re.compile(rb"[A-Za-z0-9_\x80-\xff]+|[^\sA-Za-z0-9_\x80-\xff]")
_SPACES = b" \t\r\v\f"


class Split(NamedTuple):
    """A file as lines without their ends, the substance of each, and how the lines end."""

    lines: list[bytes]
    substance: list[bytes]
    eol: str


def split(content: bytes) -> Split:
    """Split at newlines only, as git does; a carriage return before one belongs to the line's end.

    A byte order mark at the start is no substance.
    """
    lines = content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    feeds, returns = content.count(b"\n"), content.count(b"\r")
    crlf = sum(line.endswith(b"\r") for line in lines) if returns else 0
    eol = "none" if not feeds else "lf" if not crlf else "crlf" if crlf >= feeds else "mixed"
    if crlf:
        lines = [line[:-1] if line.endswith(b"\r") else line for line in lines]
    # Taking the white space out of the whole content at once is ten times faster than out of each line.
    substance = content.removeprefix(BOM_UTF8).translate(None, _SPACES).split(b"\n")
    return Split(lines, substance[: len(lines)], eol)


def line_hash(line: bytes) -> str:
    r"""Return the first 64 bits, in hex, of SHA-256 over the line without ASCII white space.

    >>> line_hash(b"  return  x\r") == line_hash(b"returnx")
    True
    """
    return substance_hash(b"".join(line.split()))


def substance_hash(substance: bytes) -> str:
    """Return the hash of a line whose white space is out of it already."""
    return short_sha256(substance).hexdigest()[:16]


def same_substance(one: bytes | None, other: bytes | None) -> bool:
    """Return whether two contents differ in white space alone; no file is only like no file."""
    if one is None or other is None or one == other:
        return one == other
    return split(one).substance == split(other).substance


def similarity(one: bytes, other: bytes) -> float:
    """Return the share of lines that two contents have in common, 0 to 1, whatever their order."""
    old, new = split(one).substance, split(other).substance
    return _common(_counted(old), _counted(new)) / max(len(old), len(new), 1)


def substance_changes(old: Split, new: Split) -> list[Change]:
    """Return the changed ranges, each insertion or deletion slid to where a reader would draw its border."""
    found = changes(old.substance, new.substance)
    return [
        _slide(change, old, new, found[at - 1] if at else None, found[at + 1] if at + 1 < len(found) else None)
        for at, change in enumerate(found)
    ]


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


def tokens(line: bytes) -> dict[bytes, int]:
    """Count the words of a line and each of its other signs.

    >>> sorted(tokens(b"a = b_1(2)"))
    [b'(', b')', b'2', b'=', b'a', b'b_1']
    """
    return _counted(TOKEN.findall(line))


def _share(old: Mapping[bytes, int], new: Mapping[bytes, int]) -> float:
    """Dice's coefficient of two bags of tokens, 0 to 1."""
    total = sum(old.values()) + sum(new.values())
    return 2 * _common(old, new) / total if total else 0.0


def _counted(words: Iterable[bytes]) -> dict[bytes, int]:
    """Count words, as a `collections.Counter` does, which takes a hook longer to load than to do without."""
    counts: dict[bytes, int] = {}
    for word in words:
        counts[word] = counts.get(word, 0) + 1
    return counts


def _common(old: Mapping[bytes, int], new: Mapping[bytes, int]) -> int:
    """Return how many words two bags have in common."""
    return sum(min(times, new.get(word, 0)) for word, times in old.items())


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
