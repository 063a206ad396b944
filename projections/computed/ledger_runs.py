"""Every file of lines that the ledger is made of: sealed segments, then the tail."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger import segments
from linetrail.ledger.errors import IntegrityError
from linetrail.ledger.event import GENESIS
from linetrail.ledger.extent import Run
from linetrail.ledger.segments import Segment
from linetrail.ledger.store import Ledger
from linetrail.projections.computed import Asked, ledger_key

ABOUT = "one row is one file of lines that the ledger is made of"
COLUMNS = {
    "run_index": "BIGINT",
    "segment": "VARCHAR",
    "first_position": "BIGINT",
    "last_position": "BIGINT",
    "events": "BIGINT",
    "linked": "BOOLEAN",
    "state": "VARCHAR",
}
VERSION = 2


class _Lines(NamedTuple):
    segment: str | None
    events: int
    linked: bool


def key(asked: Asked) -> list[object]:
    """Name the files: by the lines of the ledger, and by which of them are sealed."""
    found = _found(asked)
    return [ledger_key(asked), found, _unread(asked, found)]


def rows(asked: Asked) -> Iterator[tuple[object, ...]]:
    """Yield the files in the order of the ledger, then those that cannot be read."""
    runs = _found(asked)
    position = 0
    for index, found in enumerate(runs, 1):
        yield index, found.segment, position + 1, position + found.events, found.events, found.linked, "read"
        position += found.events
    for index, (name, state) in enumerate(_unread(asked, runs), len(runs) + 1):
        yield index, name, None, None, None, False, state


def _found(asked: Asked) -> list[_Lines]:
    """Return the files as far as the tables have their lines."""
    left = asked.tables.parts[-1].head.seq
    with Ledger(asked.repository).extent() as extent:
        runs = asked.until(extent.runs) if asked.until else extent.runs
        if sum(run.events for run in runs) != left:
            runs = [run for run in runs if run.segment is None or _is_sound(extent.folder, run.segment)]
        follows = extent.base.digest
    return list(_measured(runs, left, follows))


def _measured(runs: Sequence[Run], left: int, tail_follows: str) -> Iterator[_Lines]:
    """Yield the first so many lines; a file is linked if what it goes on from is here: a line, and its parents."""
    here = {run.segment.name: run.segment for run in runs if run.segment is not None}
    ends = {GENESIS, *(segment.digest for segment in here.values())}
    for run in runs:
        events = min(run.events, left)
        left -= events
        if events and run.segment is None:
            yield _Lines(None, events, tail_follows in ends)
        elif events and run.segment is not None:
            linked = run.segment.follows in ends and here.keys() >= set(run.segment.parents)
            yield _Lines(run.segment.name, events, linked)


def _unread(asked: Asked, runs: Sequence[_Lines]) -> list[tuple[str, str]]:
    """Return the segments that are damaged, and those that others go on from and that are not here."""
    if asked.until is not None:
        return []
    folder = asked.repository.folder
    read = {run.segment for run in runs}
    damaged = [(name, "damaged") for name in segments.names(folder) if name not in read]
    return damaged + [(name, "missing") for name in sorted(segments.absent(segments.read_headers(folder)[0]))]


def _is_sound(folder: str, segment: Segment) -> bool:
    try:
        segments.content(folder, segment)
    except (IntegrityError, OSError):
        return False
    return True
