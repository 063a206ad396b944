"""Read lines that a formatter wrapped, or spelled otherwise, as the one line that they were before.

A line that opens brackets goes on up to the line that closes them, and one that ends in a colon for a line; no other
does. A last comma inside of brackets is layout.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from linetrail.ledger.observe.reflow import LAST_COMMA
from linetrail.ledger.observe.substance import substance_hash

# No formatter wraps a longer line, or into more lines.
MOST_BYTES, MOST_LINES = 500, 60
# The same lines stand in many files.
KEPT = 1 << 15
_OPEN, _CLOSED = b"([{", b")]}"
_OTHER_QUOTES = bytes.maketrans(b"\"'", b"'\"")


def logical_lines(lines: Sequence[bytes], places: Iterable[int]) -> list[range]:
    """Return the runs among these places that may have been one line.

    >>> logical_lines([b"total = add(", b"    one,", b"    two,", b")", b"print(total)"], range(5))
    [range(0, 4)]
    >>> logical_lines([b"if one:", b"    return", b"two()"], range(3))
    [range(0, 2)]
    """
    wanted = set(places)
    opened = {at: _opened(lines[at]) for at in wanted}
    runs = [_run(at, lines, opened) for at in sorted(wanted) if opened[at] > 0]
    runs += [range(at, at + 2) for at in sorted(wanted) if at + 1 in wanted and lines[at].rstrip().endswith(b":")]
    return [run for run in runs if run]


@lru_cache(KEPT)
def spellings(*substance: bytes) -> tuple[str, ...]:
    """Return the hashes of the lines out of which a formatter may have made these; the first is that of these as one.

    Lines are given without their white space. Layout is which quotes a text has, a semicolon at the end, and brackets
    that only hold together what was wrapped.

    >>> substance_hash(b"names='one'+two") in spellings(b"names=(", b'"one"', b"+two", b")")
    True
    >>> substance_hash(b"one") in spellings(b"(one,)"), substance_hash(b"(one)") in spellings(b"(one,)")
    (False, False)
    """
    told = [substance[0] if len(substance) == 1 else LAST_COMMA.sub(b"", b"".join(substance))]
    if len(substance) > 1 and substance[0].endswith(b"(") and substance[-1].startswith(b")"):
        told.append(b"".join((substance[0][:-1], *substance[1:-1], substance[-1][1:])))
    quoted = [one for text in told for one in _quoted(text)]
    return tuple(dict.fromkeys(substance_hash(one) for text in quoted for one in (text, _ended(text))))


def _quoted(text: bytes) -> tuple[bytes, ...]:
    return (text, text.translate(_OTHER_QUOTES)) if (b'"' in text) != (b"'" in text) else (text,)


def _ended(text: bytes) -> bytes:
    """Return a text with the other end: without its semicolon, or with one."""
    return text[:-1] if text.endswith(b";") else text + b";"


def _run(start: int, lines: Sequence[bytes], opened: Mapping[int, int]) -> range:
    """Return the lines from one that opens brackets to the one that closes them; none where that is too far."""
    depth = size = 0
    for at in range(start, start + MOST_LINES):
        if at not in opened:
            break
        depth += opened[at]
        size += len(lines[at].strip())
        if depth <= 0 or size > MOST_BYTES:
            return range(start, at + 1) if size <= MOST_BYTES else range(0)
    return range(0)


def _opened(line: bytes) -> int:
    """Return how many brackets a line opens beyond those that it closes."""
    return sum(map(line.count, _OPEN)) - sum(map(line.count, _CLOSED))
