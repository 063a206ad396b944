"""Read lines that a formatter wrapped as the one line that they were before.

Only a line that opens brackets goes on, up to the line that closes them; a last comma inside of them is layout.
"""

from collections.abc import Iterable, Mapping, Sequence

from linetrail.ledger.observe.reflow import LAST_COMMA
from linetrail.ledger.observe.substance import line_hash

# No formatter wraps a longer line, or into more lines.
MOST_BYTES, MOST_LINES = 500, 60
_OPEN, _CLOSED = b"([{", b")]}"


def logical_lines(lines: Sequence[bytes], places: Iterable[int]) -> dict[range, str]:
    """Return the runs among these places that may have been one line, each with the hash that this line had.

    >>> lines = [b"total = add(", b"    one,", b"    two,", b")", b"print(total)"]
    >>> logical_lines(lines, range(5)) == {range(0, 4): line_hash(b"total = add(one, two)")}
    True
    """
    wanted = set(places)
    opened = {at: _opened(lines[at]) for at in wanted}
    runs = (_run(at, lines, opened) for at in sorted(wanted) if opened[at] > 0)
    return {run: line_hash(LAST_COMMA.sub(b"", b"\n".join(lines[run.start : run.stop]))) for run in runs if run}


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
