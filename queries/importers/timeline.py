"""Put the records of many transcripts into the order in which they happened.

Sessions ran side by side, and one may go on where another was cut: their records are merged by time. Within a
file the file's own order holds, since its times go back a little where a tool's result was stamped before the
hooks around it. A transcript is begun only when its first record is due.
"""

import heapq
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from linetrail.queries.importers.transcript import Tally


class Timed(Protocol):
    """A record that waits for its turn."""

    # nanoseconds
    @property
    def time(self) -> int: ...


T = TypeVar("T", bound=Timed)


class Placed(NamedTuple, Generic[T]):
    """A transcript, the time of its first record, and what reads its records from there on."""

    start: int
    tally: Tally
    records: Callable[[Tally, int], Iterator[T]]


def in_order(transcripts: Sequence[Placed[T]]) -> Iterator[tuple[Tally, T]]:
    """Merge the records of all transcripts by time; of equal times, that of the transcript named first comes first."""
    due = sorted(range(len(transcripts)), key=lambda at: (transcripts[at].start, at), reverse=True)
    heap: list[tuple[int, int, T, Iterator[T]]] = []
    while due or heap:
        while due and (not heap or transcripts[due[-1]].start <= heap[0][0]):
            at = due.pop()
            start, tally, records = transcripts[at]
            _push(heap, start, at, records(tally, start))
        if heap:
            time, at, pending, rest = heapq.heappop(heap)
            yield transcripts[at].tally, pending
            del pending
            _push(heap, time, at, rest)


def _push(heap: list[tuple[int, int, T, Iterator[T]]], reached: int, at: int, rest: Iterator[T]) -> None:
    pending = next(rest, None)
    if pending is not None:
        heapq.heappush(heap, (max(reached, pending.time), at, pending, rest))
