"""Find the lines that a difference takes away in one place and puts in another: those were moved, not deleted.

Within a file the rule is the one by which authors are followed; from one file to another at least two lines of
substance have to go together. Each line that went is paired with one that came, so a copy is no move.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from linetrail.ledger.observe.substance import line_hash
from linetrail.projections.git.diff_patch import FileDiff
from linetrail.projections.lines.moves import moved

# So many lines of substance say by themselves that a block went to another file.
LEAST_ACROSS = 2


class Place(NamedTuple):
    """A line of one side: the number of its file in the difference, from 0, and its own in the file, from 1."""

    file: int
    line_no: int


class _Side(NamedTuple):
    """Lines of one or more files in a row; a hash of None separates what does not follow each other."""

    hashes: list[str | None]
    places: list[Place | None]

    def lines(self) -> dict[int, str | None]:
        """Return the lines there are, by their places here."""
        return {at: line for at, line in enumerate(self.hashes) if line is not None}


def moves(files: Sequence[FileDiff]) -> dict[Place, Place]:
    """Return, for each line that went and came again, where it came."""
    found: dict[Place, Place] = {}
    for at in range(len(files)):
        found |= _paired(files, [at], found, least=1)
    return found | _paired(files, range(len(files)), found, least=LEAST_ACROSS)


def _paired(
    files: Sequence[FileDiff], chosen: Sequence[int], taken: Mapping[Place, Place], least: int
) -> dict[Place, Place]:
    gone, came = _side(_gone(files, chosen), set(taken)), _side(_came(files, chosen), set(taken.values()))
    pairs = moved(gone.lines(), came.lines(), least=least)
    return {old: new for a, b in pairs if (old := gone.places[a]) and (new := came.places[b])}


def _side(blocks: Iterable[tuple[int, int, Sequence[bytes]]], taken: set[Place]) -> _Side:
    side = _Side([], [])
    for file, start, lines in blocks:
        for at, line in enumerate(lines, start):
            place = Place(file, at)
            side.hashes.append(None if place in taken else line_hash(line))
            side.places.append(None if place in taken else place)
        side.hashes.append(None)
        side.places.append(None)
    return side


def _gone(files: Sequence[FileDiff], chosen: Iterable[int]) -> Iterator[tuple[int, int, Sequence[bytes]]]:
    return ((at, hunk.old_start, hunk.old) for at in chosen for hunk in files[at].hunks if hunk.old)


def _came(files: Sequence[FileDiff], chosen: Iterable[int]) -> Iterator[tuple[int, int, Sequence[bytes]]]:
    return ((at, hunk.new_start, hunk.new) for at in chosen for hunk in files[at].hunks if hunk.new)
