"""Merge what two sides made of a base, line by line and by the numbers of lines: no text is compared to find them.

The same rules bring over a commit that is picked, taken back or rebased, and a stash: each is a merge of two versions
of a base. What git makes of the same files must be equal, else the story goes on without.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tests.simulation.model import File, Line, Tree


class Chunk(NamedTuple):
    """A stretch between places where all versions agree; `same` is a single line that all have."""

    base: Sequence[Line]
    ours: Sequence[Line]
    theirs: Sequence[Line]


def merged(base: Tree, ours: Tree, theirs: Tree, operation: str) -> Tree | None:
    """Return a tree with both sides' changes; None where they are in each other's way."""
    here, there = _renames(base, ours), _renames(base, theirs)
    base, ours, theirs = _renamed(base, here | there), _renamed(ours, there), _renamed(theirs, here)
    tree: Tree = {}
    for path in {*base, *ours, *theirs}:
        old, mine, other = base.get(path), ours.get(path), theirs.get(path)
        if _content(mine) == _content(other) or _content(other) == _content(old):
            file = mine
        elif mine is None and old is None:
            file = other and _file(File(()), File(()), other, operation)
        elif mine is None or old is None:
            return None
        elif other is None:
            if _content(mine) != _content(old):
                return None
            file = None
        else:
            file = _file(old, mine, other, operation)
            if file is None:
                return None
        if file is not None:
            tree[path] = file
    return tree


def regions(old: Sequence[Line], new: Sequence[Line]) -> list[tuple[Sequence[Line], Sequence[Line]]]:
    """Put two versions side by side: pieces in order, each the same on both sides or different."""
    return [(chunk.base, chunk.theirs) for chunk in _chunks(old, old, new)]


def same(old: Sequence[Line], new: Sequence[Line]) -> bool:
    """Tell whether two pieces are the same."""
    return [line[:2] for line in old] == [line[:2] for line in new]


def _file(base: File, ours: File, theirs: File, operation: str) -> File | None:
    known = {line.uid: line for line in ours.lines}
    lines: list[Line] = []
    for chunk in _chunks(base.lines, ours.lines, theirs.lines):
        if same(chunk.base, chunk.theirs) or same(chunk.ours, chunk.theirs):
            lines += chunk.ours
        elif same(chunk.base, chunk.ours):
            lines += (
                line if (mine := known.get(line.uid)) and mine.text == line.text else line._replace(operation=operation)
                for line in chunk.theirs
            )
        else:
            return None
    if (base.eol, base.ended) not in (ours[1:], theirs[1:]):
        return None
    return File(tuple(lines), *(theirs[1:] if (base.eol, base.ended) == ours[1:] else ours[1:]))


def _chunks(base: Sequence[Line], ours: Sequence[Line], theirs: Sequence[Line]) -> Iterator[Chunk]:
    """Cut three versions at each line that is in all of them, unchanged and in order."""
    mine = {line[:2]: at for at, line in enumerate(ours)}
    other = {line[:2]: at for at, line in enumerate(theirs)}
    a = x = y = 0
    for at, line in enumerate(base):
        here, there = mine.get(line[:2], -1), other.get(line[:2], -1)
        if here < x or there < y:
            continue
        if at > a or here > x or there > y:
            yield Chunk(base[a:at], ours[x:here], theirs[y:there])
        yield Chunk([line], [ours[here]], [theirs[there]])
        a, x, y = at + 1, here + 1, there + 1
    if a < len(base) or x < len(ours) or y < len(theirs):
        yield Chunk(base[a:], ours[x:], theirs[y:])


def _content(file: File | None) -> bytes | None:
    return file and file.content


def _renames(base: Tree, side: Tree) -> dict[str, str]:
    """Return the new name of each file that one side gave another."""
    found = {}
    for path, file in base.items():
        if path not in side:
            numbers = {line.uid for line in file.lines}
            for new, other in side.items():
                if new not in base and len(numbers & {line.uid for line in other.lines}) * 2 > len(numbers):
                    found[path] = new
    return found


def _renamed(tree: Tree, names: dict[str, str]) -> Tree:
    return {names.get(path, path): file for path, file in tree.items()}
