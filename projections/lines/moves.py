"""Find the lines that one change took away from one place and put in another.

Blocks are told by lines that occur once among what is gone and once among what came; where single lines repeat, by two
or three in a row. A block is followed up and down as far as both sides agree: only so do blank and trivial lines move.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from linetrail.projections.lines.align import COMMON

# So many lines of substance in a row are looked at together where fewer repeat.
MAX_WINDOW = 3
# A definition that went elsewhere took so many lines along that have so many signs; shorter ones stand anywhere.
TAKEN, TELLING = 2, 8

# The hashes of some lines of a content, by their places, counted from 0.
Lines = Mapping[int, str | None]
# An old line and the new line that it is now.
Pair = tuple[int, int]


def moved(gone: Lines, came: Lines, *, least: int = 1) -> list[Pair]:
    """Pair lines that are gone with lines that came, in runs with at least so many lines of substance.

    >>> moved({0: "a1"}, {2: "a1", 3: "b1"})
    [(0, 2)]
    """
    shared = set(gone.values()).intersection(came.values()).difference(COMMON)
    if not shared:
        return []
    old, new = dict(gone), dict(came)
    found: list[Pair] = []
    for window in range(1, MAX_WINDOW + 1):
        for a, b in _anchors(old, new, window, shared):
            run = list(_run(old, new, a, b)) if a in old and b in new else []
            if sum(new[at] not in COMMON for _, at in run) >= least:
                found += run
                for source, at in run:
                    del old[source], new[at]
    return sorted([*found, *_beside(old, new, found)], key=lambda pair: pair[1])


def _anchors(old: Lines, new: Lines, window: int, shared: Collection[str | None]) -> list[Pair]:
    """Pair the first lines of so many lines of substance in a row that occur once on either side."""
    before, after = list(_windows(old, window, shared)), list(_windows(new, window, shared))
    one, other = Counter(key for _, key in before), Counter(key for _, key in after)
    place = {key: at for at, key in before if one[key] == 1}
    return [(place[key], at) for at, key in after if other[key] == 1 and key in place]


def _windows(lines: Lines, window: int, shared: Collection[str | None]) -> Iterator[tuple[int, tuple[str | None, ...]]]:
    """Yield the lines of substance that follow each other, whatever trivial ones are between, so many at a time.

    What has a line that is not shared by both sides has no counterpart, so it is left out.
    """
    for start in sorted(at for at, line in lines.items() if line in shared):
        group = [lines[start]]
        at = start + 1
        while len(group) < window and at in lines:
            if lines[at] not in COMMON:
                if lines[at] not in shared:
                    break
                group.append(lines[at])
            at += 1
        if len(group) == window:
            yield start, tuple(group)


def _run(old: Lines, new: Lines, a: int, b: int) -> Iterator[Pair]:
    """Follow equal lines up and down from a pair."""
    while _fits(old, new, a - 1, b - 1):
        a, b = a - 1, b - 1
    while _fits(old, new, a, b):
        yield a, b
        a, b = a + 1, b + 1


def _fits(old: Lines, new: Lines, a: int, b: int) -> bool:
    return old.get(a) is not None and old.get(a) == new.get(b)


def _beside(old: dict[int, str | None], new: Lines, found: Iterable[Pair]) -> Iterator[Pair]:
    """Let a trivial line go with the block that it stood beside, though it may be at the block's other end now."""
    place = {b: a for a, b in found}
    taken = set(place.values())
    for b in sorted(at for at, line in new.items() if line in COMMON):
        ends = [end for at in (b - 1, b + 1) if at in place for end in _ends(taken, place[at])]
        match = next((a for a in ends if _fits(old, new, a, b)), None)
        if match is not None:
            del old[match]
            yield match, b


def _ends(lines: set[int], at: int) -> tuple[int, int]:
    """Return the places right before and after the run of lines around one of them."""
    first = last = at
    while first in lines:
        first -= 1
    while last in lines:
        last += 1
    return first, last
