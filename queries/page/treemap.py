"""Files as rectangles as large as their lines, in those of their folders, as numbers that a template writes as SVG.

A folder with room enough is divided among what is in it, squarified (Bruls, Huizing and van Wijk, 2000): each row of
rectangles goes on for as long as that makes the worst of them less narrow.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

Record = Mapping[str, Any]

WIDTH, HEIGHT = 1_000, 420
# What would be smaller than so many square units is only counted.
SMALLEST = 160
# A folder at least so wide and high is divided, below a line for its name.
DIVIDED_WIDTH, DIVIDED_HEIGHT, HEADING = 64, 48, 14
HATCH = 6
SHARES = 5


class Node(NamedTuple):
    """A file, or a folder, whose path ends in `/`, with the lines below it."""

    path: str
    lines: int
    ai: int
    human: int
    unknown: int
    files: int
    children: Sequence["Node"]


class Cell(NamedTuple):
    """A rectangle; `share` is that of agents in steps from 0, `hatch` a path over that of lines of nobody known."""

    x: float
    y: float
    width: float
    height: float
    path: str
    lines: int
    ai: int
    human: int
    unknown: int
    files: int
    share: int
    hatch: str
    # whether it stands around others, and how many things it stands for that are too small
    around: bool
    small: int


class Rect(NamedTuple):
    """A place."""

    x: float
    y: float
    width: float
    height: float


def tree(rows: Iterable[Record], below: str = "") -> Node:
    """Return the files of the question `lines_by` as a tree; `below` is the folder that it begins at, or nothing."""
    folders: dict[str, Any] = {}
    for row in rows:
        parts = row["dim"].removeprefix(below).split("/")
        at = folders
        for part in parts[:-1]:
            at = at.setdefault(f"{part}/", {})
        at[parts[-1]] = row
    return _node(below, folders)


def _node(path: str, inside: Mapping[str, Any]) -> Node:
    children = [
        _node(path + name, one)
        if name.endswith("/")
        else Node(path + name, one["lines"], one["lines_ai"], one["lines_human"], one["lines_unknown"], 1, ())
        for name, one in inside.items()
    ]
    children.sort(key=lambda child: (-child.lines, child.path))
    return _sum(path, children)._replace(children=children)


def _sum(path: str, nodes: Sequence[Node]) -> Node:
    """Return nodes as one, without telling what is in it."""
    lines, ai, human, unknown, files = (sum(getattr(node, name) for node in nodes) for name in Node._fields[1:6])
    return Node(path, lines, ai, human, unknown, files, ())


def cells(root: Node) -> list[Cell]:
    """Return the rectangles of a tree, each before what is in it."""
    return list(_inside(root, Rect(0, 0, WIDTH, HEIGHT))) if root.lines else []


def _inside(node: Node, place: Rect) -> Iterator[Cell]:
    """Yield what is in a folder."""
    enough = node.lines * SMALLEST / (place.width * place.height)
    shown = [child for child in node.children if child.lines and child.lines >= enough]
    rest = [child for child in node.children if child.lines and child.lines < enough]
    sizes = [child.lines for child in shown] + ([sum(child.lines for child in rest)] if rest else [])
    places = squarified(sizes, place)
    for child, at in zip(shown, places, strict=False):
        if child.children and at.width >= DIVIDED_WIDTH and at.height >= DIVIDED_HEIGHT:
            yield _cell(child, at, around=True)
            yield from _inside(child, Rect(at.x + 2, at.y + HEADING, at.width - 4, at.height - HEADING - 2))
        else:
            yield _cell(child, at)
    if rest:
        yield _cell(_sum(node.path, rest), places[-1], small=len(rest))


def _cell(node: Node, at: Rect, *, around: bool = False, small: int = 0) -> Cell:
    share = round((SHARES - 1) * node.ai / node.lines)
    strip = at.width * node.unknown / node.lines
    hatched = Rect(at.x + at.width - strip, at.y, strip, at.height)
    hatch = _hatch(hatched) if node.unknown and not around else ""
    x, y, width, height = (round(value, 1) for value in at)
    figures = (node.path, node.lines, node.ai, node.human, node.unknown, node.files)
    return Cell(x, y, width, height, *figures, share, hatch, around, small)


def _hatch(at: Rect) -> str:
    """Return strokes from the lower left to the upper right that end at the edges of a place.

    >>> _hatch(Rect(0, 0, 6, 6))
    'M0 6L6 0'
    """
    strokes = []
    for number in range(1, int((at.width + at.height) / HATCH)):
        far = number * HATCH
        x, y = at.x + max(0, far - at.height), at.y + min(far, at.height)
        end, top = at.x + min(far, at.width), at.y + max(0, far - at.width)
        strokes.append("M{:g} {:g}L{:g} {:g}".format(*(round(place, 1) for place in (x, y, end, top))))
    return "".join(strokes)


def squarified(sizes: Sequence[float], place: Rect) -> list[Rect]:
    """Return a place for each size, all of a place together; the sizes go down.

    >>> [tuple(one) for one in squarified([6, 3, 3], Rect(0, 0, 4, 3))]
    [(0, 0.0, 2.0, 3.0), (2.0, 0, 2.0, 1.5), (2.0, 1.5, 2.0, 1.5)]
    """
    found: list[Rect] = []
    waiting, left = list(sizes), place
    while waiting:
        scale = left.width * left.height / sum(waiting)
        side = min(left.width, left.height)
        count = 1
        while count < len(waiting) and _worst(waiting[: count + 1], scale, side) <= _worst(
            waiting[:count], scale, side
        ):
            count += 1
        row, waiting = waiting[:count], waiting[count:]
        placed, left = _row(row, left, scale)
        found += placed
    return found


def _worst(row: Sequence[float], scale: float, side: float) -> float:
    """Return how many times as long as wide the worst rectangle of a row is."""
    whole = sum(row) * scale
    return max(side**2 * max(row) * scale / whole**2, whole**2 / (side**2 * min(row) * scale))


def _row(row: Sequence[float], left: Rect, scale: float) -> tuple[list[Rect], Rect]:
    """Return the places of a row along the shorter side, and what is left."""
    depth = sum(row) * scale / min(left.width, left.height)
    placed, along = [], 0.0
    for size in row:
        length = size * scale / depth
        if left.width >= left.height:
            placed.append(Rect(left.x, left.y + along, depth, length))
        else:
            placed.append(Rect(left.x + along, left.y, length, depth))
        along += length
    if left.width >= left.height:
        return placed, Rect(left.x + depth, left.y, left.width - depth, left.height)
    return placed, Rect(left.x, left.y + depth, left.width, left.height - depth)
