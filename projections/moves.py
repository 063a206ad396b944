"""Find the lines that one change took away from one place and put in another.

Blocks are told by lines that occur once among what is gone and once among what came; where single lines repeat, by two
or three in a row. A block is followed up and down as far as both sides agree: only so do blank and trivial lines move.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from linetrail.projections.align import Hashes, trivial

# So many lines of substance in a row are looked at together where fewer repeat.
MAX_WINDOW = 3

# An old line and the new line that it is now, both counted from 0.
Pair = tuple[int, int]


def moved(old: Hashes, gone: Sequence[int], new: Hashes, came: Sequence[int], *, least: int = 1) -> list[Pair]:
    """Pair lines that are gone with lines that came, in runs with at least so many lines of substance.

    >>> moved(["a1", "b1", "c1"], [0], ["b1", "c1", "a1"], [2])
    [(0, 2)]
    """
    left, free = set(gone), set(came)
    found: list[Pair] = []
    for window in range(1, MAX_WINDOW + 1):
        for a, b in _anchors(old, sorted(left), new, sorted(free), window):
            if a not in left or b not in free:
                continue
            run = _run(old, left, new, free, a, b)
            if sum(_says(new[at]) for _, at in run) >= least:
                found += run
                left.difference_update(at for at, _ in run)
                free.difference_update(at for _, at in run)
    found += _beside(old, left, new, free, found)
    return sorted(found, key=lambda pair: pair[1])


def _says(line: str | None) -> bool:
    return line is not None and not trivial(line)


def _anchors(old: Hashes, gone: Sequence[int], new: Hashes, came: Sequence[int], window: int) -> list[Pair]:
    """Pair the first lines of so many lines of substance in a row that occur once on either side."""
    before, after = list(_windows(old, gone, window)), list(_windows(new, came, window))
    one, other = Counter(key for _, key in before), Counter(key for _, key in after)
    place = {key: at for at, key in before if one[key] == 1}
    return [(place[key], at) for at, key in after if other[key] == 1 and key in place]


def _windows(lines: Hashes, places: Sequence[int], window: int) -> Iterator[tuple[int, tuple[str | None, ...]]]:
    """Yield the lines of substance that follow each other, whatever trivial ones are between, so many at a time."""
    telling = [at for at in places if _says(lines[at])]
    among = set(places)
    for at in range(len(telling) - window + 1):
        group = telling[at : at + window]
        if all(between in among for between in range(group[0], group[-1])):
            yield group[0], tuple(lines[line] for line in group)


def _run(old: Hashes, left: set[int], new: Hashes, free: set[int], a: int, b: int) -> list[Pair]:
    """Follow equal lines up and down from a pair."""
    up, down = 0, 1
    while _fits(old, left, new, free, a - up - 1, b - up - 1):
        up += 1
    while _fits(old, left, new, free, a + down, b + down):
        down += 1
    return [(a + step, b + step) for step in range(-up, down)]


def _fits(old: Hashes, left: set[int], new: Hashes, free: set[int], a: int, b: int) -> bool:
    return a in left and b in free and old[a] == new[b] and old[a] is not None


def _beside(old: Hashes, left: set[int], new: Hashes, free: set[int], found: Sequence[Pair]) -> list[Pair]:
    """Let a trivial line go with the block that it stood beside, though it may be at the block's other end now."""
    pairs: list[Pair] = []
    place = {b: a for a, b in found}
    taken = set(place.values())
    for b in sorted(free):
        if _says(new[b]):
            continue
        ends = [end for at in (b - 1, b + 1) if at in place for end in _ends(taken, place[at])]
        match = next((a for a in ends if a in left and old[a] == new[b] and old[a] is not None), None)
        if match is not None:
            left.discard(match)
            pairs.append((match, b))
    return pairs


def _ends(lines: set[int], at: int) -> tuple[int, int]:
    """Return the places right before and after the run of lines around one of them."""
    first = last = at
    while first in lines:
        first -= 1
    while last in lines:
        last += 1
    return first, last
