"""Put the records of many transcripts into the order in which they happened.

Sessions ran side by side, and one may go on where another was cut: their records are merged by time. Within a
file the file's own order holds, since its times go back a little where a tool's result was stamped before the
hooks around it. A transcript is begun only when its first record is due.
"""

import heapq
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from linetrail.queries.importers.transcript import Pending, Tally, records


class Placed(NamedTuple):
    """A transcript and the time of its first record."""

    start: int
    tally: Tally


def in_order(transcripts: Sequence[Placed]) -> Iterator[tuple[Tally, Pending]]:
    """Merge the records of all transcripts by time; of equal times, that of the transcript named first comes first."""
    due = sorted(range(len(transcripts)), key=lambda at: (transcripts[at].start, at), reverse=True)
    heap: list[tuple[int, int, Pending, Iterator[Pending]]] = []
    while due or heap:
        while due and (not heap or transcripts[due[-1]].start <= heap[0][0]):
            at = due.pop()
            start, tally = transcripts[at]
            _push(heap, start, at, records(tally.path, tally, start))
        if heap:
            time, at, pending, rest = heapq.heappop(heap)
            yield transcripts[at].tally, pending
            del pending
            _push(heap, time, at, rest)


def _push(
    heap: list[tuple[int, int, Pending, Iterator[Pending]]], reached: int, at: int, rest: Iterator[Pending]
) -> None:
    pending = next(rest, None)
    if pending is not None:
        heapq.heappush(heap, (max(reached, pending.time), at, pending, rest))
