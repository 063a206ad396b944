"""Cut a ledger down to what it was at an earlier moment: so many lines of each segment, so many of the tail.

What comes before a line that was there was there, too: the lines above it in its file, and the segments that were
known when that file was sealed. The tail comes after all segments.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.log import segments
from linetrail.ledger.log.extent import Run
from linetrail.ledger.log.segments import Segment


class LedgerMovedError(LinetrailError):
    """Segments came to the ledger between two looks at it."""

    hint = "ask again"


class Cut(NamedTuple):
    """How many lines of each segment were there, by its name, and how many of the tail; `meaning` says when."""

    meaning: str
    segments: Mapping[str, int]
    tail: int

    @property
    def events(self) -> int:
        """How many lines were there."""
        return sum(self.segments.values()) + self.tail

    def of(self, runs: Sequence[Run]) -> list[Run]:
        """Return what was there of these runs. The tail is always among it, if without a line."""
        return [kept for kept in map(self._kept, runs) if kept.events or kept.segment is None]

    def _kept(self, run: Run) -> Run:
        if run.segment is None:
            return Run(None, min(run.events, self.tail))
        if run.segment.name not in self.segments:
            raise LedgerMovedError(f"segment {run.segment.name[:16]} came to the ledger just now")
        return Run(run.segment, self.segments[run.segment.name])


def cut(meaning: str, runs: Sequence[Run], lines: Sequence[int]) -> Cut:
    """Return the cut that leaves so many lines of each run."""
    named = {run.segment.name: kept for run, kept in zip(runs, lines, strict=True) if run.segment is not None}
    return Cut(meaning, named, sum(lines) - sum(named.values()))


def begins(runs: Sequence[Run]) -> list[int]:
    """Return how many lines come before each run."""
    return list(accumulate((run.events for run in runs), initial=0))[:-1]


def up_to(runs: Sequence[Run], position: int) -> list[int]:
    """Count the lines of each run up to a place in the order of all."""
    return [min(max(position - begin, 0), run.events) for run, begin in zip(runs, begins(runs), strict=True)]


def before(runs: Sequence[Run], late: Mapping[int, int]) -> list[int]:
    """Count the lines of each run before its first late one; none where something that comes before it is cut short.

    `late` has the place of that line for each run that has one, by how many lines come before the run.
    """
    known = _known(runs)
    short: set[str] = set()
    lines = []
    for run, begin in zip(runs, begins(runs), strict=True):
        kept = 0 if short.intersection(_parents(run, known)) else late.get(begin, begin + run.events + 1) - begin - 1
        if run.segment is not None and kept < run.events:
            short.add(run.segment.name)
        lines.append(kept)
    return lines


def reaching(runs: Sequence[Run], last: Mapping[int, int], whole: Collection[str]) -> list[int]:
    """Count the lines of each run that certain lines and segments cannot do without, these included.

    `last` has the place of the last such line for each run that has one, by how many lines come before the run.
    """
    known = _known(runs)
    placed = list(zip(runs, begins(runs), strict=True))
    reached = [parent for run, begin in placed if begin in last for parent in _parents(run, known)]
    needed = segments.ancestors(known, [*reached, *whole])
    return [
        run.events if run.segment is not None and run.segment.name in needed else last.get(begin, begin) - begin
        for run, begin in placed
    ]


def _known(runs: Sequence[Run]) -> dict[str, Segment]:
    return {run.segment.name: run.segment for run in runs if run.segment is not None}


def _parents(run: Run, known: Mapping[str, Segment]) -> Collection[str]:
    return known.keys() if run.segment is None else run.segment.parents
