"""Join the lives of lines that one session moved from one file to another.

A block counts as moved when it has at least two lines of substance and was gone here within so many events of coming
there, in one of so many changes that are nearest. What had no known birth where it was has none where it is.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from linetrail.projections.blame.other_files import MAX_FILES, MIN_BLOCK, NEAR
from linetrail.projections.lines.align import TRIVIAL
from linetrail.projections.lines.moves import moved
from linetrail.projections.statements import statement

if TYPE_CHECKING:
    from linetrail.projections.tables.tables import Tables

# A change of one file.
Change = tuple[str, int]


class Piece(NamedTuple):
    """One line of a file between a birth, or the place where it was first, and an end."""

    row: int
    path: str
    born: int | None
    born_path: str | None
    killed: int | None
    lost: int | None
    line_hash: str | None
    number: int
    last_number: int | None


class Brought(NamedTuple):
    """The rows of lives that do not stand as they are, and the pieces that are in their place."""

    rows: Sequence[int]
    pieces: Sequence[Piece]


def brought(tables: "Tables", lives: Path) -> Brought:
    """Find what was brought from file to file."""
    given = {"file": str(lives), "near": NEAR, "trivial": sorted(TRIVIAL), "least": MIN_BLOCK, "most": MAX_FILES}
    tables.show(["mutations"])
    candidates = [
        ((old, end), (new, start))
        for old, end, new, start in tables.ask(statement("session_moves_candidates"), given).rows
    ]
    if not candidates:
        return Brought([], [])
    changes: dict[str, object] = {
        "file": str(lives),
        "gone_paths": [path for (path, _), _ in candidates],
        "gone": [position for (_, position), _ in candidates],
        "came_paths": [path for _, (path, _) in candidates],
        "came": [position for _, (_, position) in candidates],
    }
    rows = tables.ask(statement("session_moves_lives"), changes).rows
    pieces = [piece for row in rows for piece in _pieces(*row)]
    return Brought([row[0] for row in rows], list(_joined(pieces, _pairs(pieces, candidates))))


def _pieces(
    row: int,
    path: str,
    born: int | None,
    born_path: str | None,
    killed: int | None,
    lost: int | None,
    *lines: Sequence[Any],
) -> Iterator[Piece]:
    for line_hash, number, last_number in zip(*lines, strict=True):
        yield Piece(row, path, born, born_path, killed, lost, line_hash, number, last_number)


def _pairs(pieces: Iterable[Piece], candidates: Iterable[tuple[Change, Change]]) -> dict[Piece, Piece]:
    """Return what a piece lives on as."""
    gone: defaultdict[Change, dict[int, Piece]] = defaultdict(dict)
    came: defaultdict[Change, dict[int, Piece]] = defaultdict(dict)
    for piece in pieces:
        if piece.killed is not None and piece.last_number is not None:
            gone[piece.path, piece.killed][piece.last_number] = piece
        if piece.born is not None:
            came[piece.path, piece.born][piece.number] = piece
    found: dict[Piece, Piece] = {}
    for one, other in candidates:
        old, new = gone[one], came[other]
        for a, b in moved(_hashes(old), _hashes(new), least=MIN_BLOCK):
            if (old[a].born or 0) < other[1]:
                found[old.pop(a)] = new.pop(b)
    return found


def _hashes(pieces: Mapping[int, Piece]) -> dict[int, str | None]:
    return {number: piece.line_hash for number, piece in pieces.items()}


def _joined(pieces: Iterable[Piece], onward: Mapping[Piece, Piece]) -> Iterator[Piece]:
    """Yield the pieces with those that live on as one; a birth is always older than what comes from it."""
    comes_from = {later: piece for piece, later in onward.items()}
    for piece in pieces:
        if piece not in onward:
            first = piece
            while first in comes_from:
                first = comes_from[first]
            yield piece._replace(born=first.born, born_path=first.born_path, number=first.number)
