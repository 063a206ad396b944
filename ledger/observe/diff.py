"""Align two sequences of lines: patience diff, standard library only.

Lines that occur once on both sides are anchors (longest increasing run of them); between anchors the
same is done again; a gap without anchors is aligned by its longest common subsequence while it is small
and left unaligned when it is not. Patience keeps moved blocks whole, which is what attribution needs.
Algorithm: Bram Cohen, "Patience Diff Advantages", 2010.
"""

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

# A gap without anchors costs rows x columns; beyond this it is left as changed.
MAX_GAP_CELLS = 250_000


class Match(NamedTuple):
    """`length` lines that are equal from `a` and `b` on, both counted from 0."""

    a: int
    b: int
    length: int


class Change(NamedTuple):
    """Lines `a0:a1` became lines `b0:b1`, counted from 0, ends exclusive."""

    a0: int
    a1: int
    b0: int
    b1: int


def matches(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Match]:
    """Return the equal runs of both sequences in order, without overlap.

    >>> matches("abcd", "xbcy")
    [Match(a=1, b=1, length=2)]
    """
    found: list[Match] = []
    for run in _runs(a, b):
        last = found[-1] if found else None
        if last is not None and (last.a + last.length, last.b + last.length) == (run.a, run.b):
            found[-1] = Match(last.a, last.b, last.length + run.length)
        else:
            found.append(run)
    return found


def changes(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Change]:
    """Return what lies between the matches: deletions, insertions and replacements, in order.

    >>> changes("abcd", "abxd")
    [Change(a0=2, a1=3, b0=2, b1=3)]
    """
    found = []
    i = j = 0
    for match in [*matches(a, b), Match(len(a), len(b), 0)]:
        if match.a > i or match.b > j:
            found.append(Change(i, match.a, j, match.b))
        i, j = match.a + match.length, match.b + match.length
    return found


def _runs(a: Sequence[Hashable], b: Sequence[Hashable]) -> Iterator[Match]:
    """Yield equal runs in increasing order; the ranges still to do are on a stack, not on Python's."""
    todo: list[Change | Match] = [Change(0, len(a), 0, len(b))]
    while todo:
        item = todo.pop()
        if isinstance(item, Match):
            yield item
            continue
        a0, a1, b0, b1 = item
        head = 0
        while a0 + head < a1 and b0 + head < b1 and a[a0 + head] == b[b0 + head]:
            head += 1
        if head:
            yield Match(a0, b0, head)
        a0, b0 = a0 + head, b0 + head
        tail = 0
        while a0 < a1 - tail and b0 < b1 - tail and a[a1 - tail - 1] == b[b1 - tail - 1]:
            tail += 1
        a1, b1 = a1 - tail, b1 - tail
        if tail:
            todo.append(Match(a1, b1, tail))
        if a0 == a1 or b0 == b1:
            continue
        anchors = _anchors(a, a0, a1, b, b0, b1)
        if not anchors:
            todo.extend(Match(x, y, 1) for x, y in reversed(_common(a, a0, a1, b, b0, b1)))
            continue
        todo.extend(reversed(_between(anchors, Change(a0, a1, b0, b1))))


def _between(anchors: Iterable[tuple[int, int]], within: Change) -> list[Change | Match]:
    """Return the anchors, neighbours as one, and what lies between them where both sides have lines."""
    parts: list[Change | Match] = []
    i, j = within.a0, within.b0
    start: tuple[int, int] | None = None
    for x, y in anchors:
        if start is None or (x, y) != (i, j):
            if start is not None:
                parts.append(Match(*start, i - start[0]))
            if x > i and y > j:
                parts.append(Change(i, x, j, y))
            start = (x, y)
        i, j = x + 1, y + 1
    if start is not None:
        parts.append(Match(*start, i - start[0]))
    if within.a1 > i and within.b1 > j:
        parts.append(Change(i, within.a1, j, within.b1))
    return parts


def _anchors(a: Sequence[Hashable], a0: int, a1: int, b: Sequence[Hashable], b0: int, b1: int) -> list[tuple[int, int]]:
    """Return the longest increasing run of the lines that occur exactly once in both ranges."""
    unique: dict[Hashable, int] = {}
    for j in range(b0, b1):
        unique[b[j]] = -1 if b[j] in unique else j
    seen: dict[Hashable, int] = {}
    for i in range(a0, a1):
        seen[a[i]] = -1 if a[i] in seen else i
    tails: list[int] = []
    ends: list[tuple[int, int]] = []
    back: list[int] = []
    nodes: list[tuple[int, int]] = []
    for line, i in seen.items():
        j = unique.get(line, -1)
        if i < 0 or j < 0:
            continue
        at = bisect_left(tails, j)
        node = (i, j)
        back.append(ends[at - 1][1] if at else -1)
        nodes.append(node)
        if at == len(tails):
            tails.append(j)
            ends.append((i, len(nodes) - 1))
        else:
            tails[at] = j
            ends[at] = (i, len(nodes) - 1)
    run = []
    at = ends[-1][1] if ends else -1
    while at >= 0:
        run.append(nodes[at])
        at = back[at]
    return run[::-1]


def _common(a: Sequence[Hashable], a0: int, a1: int, b: Sequence[Hashable], b0: int, b1: int) -> list[tuple[int, int]]:
    """Return a longest common subsequence of two small ranges; of two too large ones, nothing."""
    rows, columns = a1 - a0, b1 - b0
    if rows * columns > MAX_GAP_CELLS:
        return []
    # A line that the other side lacks makes no row longer than the one below it, no column than the one beside it.
    wanted = set(a[a0:a1])
    places = [y for y in range(columns) if b[b0 + y] in wanted]
    known = {b[b0 + y] for y in places}
    column = list(accumulate((b[b0 + y] in known for y in range(columns)), initial=0))
    lines = [b[b0 + y] for y in places]
    length = [[0] * (len(places) + 1)] * (rows + 1)
    for x in range(rows - 1, -1, -1):
        below, line = length[x + 1], a[a0 + x]
        length[x] = _row(below, lines, line) if line in known else below
    pairs = []
    x = y = 0
    while x < rows and y < columns:
        if a[a0 + x] == b[b0 + y]:
            pairs.append((a0 + x, b0 + y))
            x, y = x + 1, y + 1
        elif length[x + 1][column[y]] >= length[x][column[y + 1]]:
            x += 1
        else:
            y += 1
    return pairs


def _row(below: Sequence[int], lines: Sequence[Hashable], line: Hashable) -> list[int]:
    """Return how long the common subsequences are from each column on, with one more line than below."""
    row = [0] * len(below)
    best = 0
    for y in range(len(lines) - 1, -1, -1):
        best = below[y + 1] + 1 if line == lines[y] else max(below[y], best)
        row[y] = best
    return row
