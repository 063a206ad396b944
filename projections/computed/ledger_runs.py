"""Every file of lines that the ledger is made of: sealed segments, then the tail."""

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.errors import IntegrityError
from linetrail.ledger.event.event import GENESIS
from linetrail.ledger.log import segments
from linetrail.ledger.log.extent import Extent, Run
from linetrail.ledger.log.segments import Segment
from linetrail.ledger.log.store import Ledger
from linetrail.projections.tables.tables import Asked, ledger_key

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
VERSION = 3
# Codes of a file that is gone, or the end of which is.
_MISSING = frozenset({"SEGMENT_MISSING", "TAIL_CUT"})


class _Lines(NamedTuple):
    segment: str | None
    events: int
    linked: bool


def key(asked: Asked) -> list[object]:
    """Name the files: by the lines of the ledger, and by which of them are sealed."""
    found, unread = _files(asked)
    return [ledger_key(asked), found, unread]


def rows(asked: Asked) -> Iterator[tuple[object, ...]]:
    """Yield the files in the order of the ledger, then those that cannot be read."""
    found, unread = _files(asked)
    position = 0
    for index, run in enumerate(found, 1):
        yield index, run.segment, position + 1, position + run.events, run.events, run.linked, "read"
        position += run.events
    for index, (name, state) in enumerate(unread, len(found) + 1):
        yield index, name, None, None, None, False, state


def _files(asked: Asked) -> tuple[list[_Lines], list[tuple[str | None, str]]]:
    """Return the files as far as the tables have their lines, and those that are damaged or missing."""
    left = asked.tables.parts[-1].head.seq
    with Ledger(asked.repository).extent() as extent:
        runs = asked.until.of(extent.runs) if asked.until else extent.runs
        if sum(run.events for run in runs) != left:
            runs = [run for run in runs if run.segment is None or _is_sound(extent.folder, run.segment)]
        follows = extent.base.digest
        found = list(_measured(runs, left, follows))
        return found, [] if asked.until else _unread(extent, {run.segment for run in found})


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


def _unread(extent: Extent, read: Collection[str | None]) -> list[tuple[str | None, str]]:
    """Return the segments that are damaged or missing, and the tail (None) where its end is."""
    states: dict[str | None, str] = dict.fromkeys(segments.names(extent.folder), "damaged")
    for error in extent.damage:
        states[segments.name_of(error.file)] = "missing" if error.code in _MISSING else "damaged"
    unread = (file for file in states.items() if file[0] is None or file[0] not in read)
    return sorted(unread, key=lambda file: (file[0] is None, file[0]))


def _is_sound(folder: str, segment: Segment) -> bool:
    try:
        segments.content(folder, segment)
    except (IntegrityError, OSError):
        return False
    return True
