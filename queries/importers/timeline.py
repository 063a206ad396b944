"""Put the records of many transcripts into the order in which they happened.

Sessions ran side by side, and one may go on where another was cut: their records are merged by time. Within a
file the file's own order holds, since its times go back a little where a tool's result was stamped before the
hooks around it. A transcript is begun only when its first record is due.
"""

import heapq
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from linetrail.projections.tables.progress import working
from linetrail.queries.importers.transcript import Counts


class Timed(Protocol):
    """A record that waits for its turn."""

    # nanoseconds
    @property
    def time(self) -> int: ...

    # bytes
    @property
    def size(self) -> int: ...


T = TypeVar("T", bound=Timed)


class Input(NamedTuple, Generic[T]):
    """A transcript, the time of its first record, what reads its records from there on, and how many bytes it has."""

    start: int
    counts: Counts
    records: Callable[[Counts, int], Iterator[T]]
    size: int


def in_order(transcripts: Sequence[Input[T]]) -> Iterator[tuple[Counts, T]]:
    """Merge the records of all transcripts by time; of equal times, that of the transcript named first comes first."""
    due = sorted(range(len(transcripts)), key=lambda at: (transcripts[at].start, at), reverse=True)
    # what is not told of yet; between two records there may be lines that are none
    left = [transcript.size for transcript in transcripts]
    heap: list[tuple[int, int, T, Iterator[T]]] = []
    with working("importing", sum(left)) as advance:
        while due or heap:
            while due and (not heap or transcripts[due[-1]].start <= heap[0][0]):
                at = due.pop()
                start, counts, records, _ = transcripts[at]
                if not _push(heap, start, at, records(counts, start)):
                    advance(left[at])
            if heap:
                time, at, pending, rest = heapq.heappop(heap)
                read = min(pending.size, left[at])
                yield transcripts[at].counts, pending
                del pending
                left[at] -= read
                advance(read if _push(heap, time, at, rest) else read + left[at])


def _push(heap: list[tuple[int, int, T, Iterator[T]]], reached: int, at: int, rest: Iterator[T]) -> bool:
    """Queue the next record of a transcript by its time; return whether there is one."""
    pending = next(rest, None)
    if pending is not None:
        heapq.heappush(heap, (max(reached, pending.time), at, pending, rest))
    return pending is not None
