"""See the ledger as one stream of lines, and name every place in it by what comes before.

A place inside or behind a segment is named by the names of the segments up to there, so without reading any; a place
in the tail also by the hash of its last line. Two ledgers agree up to a place exactly if its names are equal.
"""

import hashlib
import io
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from pathlib import Path
from typing import BinaryIO

from linetrail.ledger.errors import IntegrityError
from linetrail.ledger.event.event import GENESIS, line_digest
from linetrail.ledger.log import segments
from linetrail.ledger.log.chain import Head, judge
from linetrail.ledger.log.duplicates import TAIL
from linetrail.ledger.log.extent import Extent, Run
from linetrail.ledger.log.segments import Segment

# A stretch of so many lines is read without the decoders, which take longer to make than to read thousands with.
FEW = 512
# A file of lines, and what to add to their numbers to get their places in the stream.
Source = tuple[Path, int]
# Validates lines of a file that follow a place, writes all but some, and returns where they end.
Reader = Callable[[Iterator[bytes], str, Head, BinaryIO, Collection[int]], Head]


class Stream:
    """The lines of these runs, one after another, but for those that an earlier segment has already.

    A place is a Head: `seq` lines are before it, `digest` is its name, `size` its offset where it lies in the tail.
    What `sound` segments hold was validated before, and their names are the hashes of it.
    """

    def __init__(
        self,
        extent: Extent,
        runs: Sequence[Run],
        repeated: Mapping[str, frozenset[int]],
        sound: Container[str] = frozenset(),
    ) -> None:
        self._extent, self._runs, self._repeated, self._sound = extent, runs, repeated, sound
        self._begins = list(accumulate((run.events for run in runs), initial=0))
        self._names = list(accumulate(map(self._label, runs), _named, initial=GENESIS))
        self._resume: dict[int, Head] = {}

    @property
    def events(self) -> int:
        """How many lines there are, repeated ones included."""
        return self._begins[-1]

    def has(self, place: Head) -> bool:
        """Return whether this stream has a place: the same lines come before it."""
        if place.seq > self.events:
            return False
        at = self._run_at(place.seq)
        if self._runs[at].segment is not None or place.seq == self._begins[at]:
            return place.digest == self._name(place.seq)
        head = self._extent.end_at(place.size, self._extent.base.seq + place.seq - self._begins[at])
        if head is None or place.digest != self._tail_name(at, head.digest):
            return False
        self._resume[place.seq] = head
        return True

    def copy(self, first: int, last: int, folder: Path) -> tuple[list[Source], Head]:
        """Write the lines from one place to another into files, validated: DuckDB sees no other byte."""
        sources: list[Source] = []
        end = Head(0, last, self._name(last))
        read = _copy_few if last - first <= FEW else _copy_many
        for run, begin in zip(self._runs, self._begins, strict=False):
            low, high = max(first - begin, 0), min(last - begin, run.events)
            if low >= high:
                continue
            path = folder / f"lines-{len(sources)}"
            if run.segment is None:
                end = self._copy_tail(begin, low, high, path, read)
                sources.append((path, begin - self._extent.base.seq))
            else:
                self._copy_segment(run.segment, low, high, path, read)
                sources.append((path, begin + 1 - run.segment.first))
        return sources, end

    def _copy_segment(self, segment: Segment, low: int, high: int, path: Path, read: Reader) -> None:
        content, start = segments.content(self._extent.folder, segment)
        lines = io.BytesIO(content)
        lines.seek(start.size)
        repeated = self._repeated.get(segment.name, frozenset())
        if segment.name in self._sound:
            numbered = enumerate(islice(lines, low, high), segment.first + low)
            with path.open("wb") as target:
                target.writelines(raw for seq, raw in numbered if seq not in repeated)
            return
        file = segments.path(self._extent.folder, segment.name)
        place = _behind(lines, start, low)
        with path.open("wb") as target:
            end = read(islice(lines, high - low), file, place, target, repeated)
        _must_reach(end, segment.first - 1 + high, file)

    def _copy_tail(self, begin: int, low: int, high: int, path: Path, read: Reader) -> Head:
        known = self._resume.get(begin + low)
        base = self._extent.base
        lines = self._extent.raw_tail(known or base)
        repeated = self._repeated.get(TAIL, frozenset())
        start = known or _behind(lines, base, low)
        with path.open("wb") as target:
            end = read(islice(lines, high - low), self._extent.path, start, target, repeated)
        _must_reach(end, base.seq + high, self._extent.path)
        place = begin + high
        self._resume[place] = end
        return Head(end.size, place, self._tail_name(self._run_at(place), end.digest))

    def _run_at(self, place: int) -> int:
        """Return which run the last line before a place is in; the first place of all is in the first."""
        return max((at for at, begin in enumerate(self._begins[:-1]) if begin < place), default=0)

    def _name(self, place: int) -> str:
        """Name a place that is not inside the tail."""
        at = self._run_at(place)
        lines = place - self._begins[at]
        return _named(self._names[at], self._label(self._runs[at]._replace(events=lines))) if lines else self._names[at]

    def _tail_name(self, at: int, digest: str) -> str:
        """Name a place in the tail, which is this run, by the hash of the line before it."""
        return _named(self._names[at], f"{digest} {sorted(self._repeated.get(TAIL, ()))}")

    def _label(self, run: Run) -> str:
        """Return a text that names the first lines of a file, and no other lines."""
        if run.segment is None:
            return f"{self._extent.head.digest} {sorted(self._repeated.get(TAIL, ()))}"
        left_out = sorted(self._repeated.get(run.segment.name, ()))
        return f"{run.segment.name} {run.events} {left_out}"


def _behind(lines: Iterator[bytes], start: Head, count: int) -> Head:
    """Return the place behind so many lines, which an earlier stretch has validated."""
    size, last = start.size, b""
    for raw in islice(lines, count):
        size, last = size + len(raw), raw
    return Head(size, start.seq + count, line_digest(last)) if count else start


def _copy_many(lines: Iterator[bytes], path: str, start: Head, target: BinaryIO, without: Collection[int]) -> Head:
    """Write lines that follow a place, but for those whose numbers are left out; return where they end."""
    from linetrail.projections.tables.decoder import Follower, copy

    return copy(lines, Follower(path, start), target, without=without)


def _copy_few(lines: Iterator[bytes], path: str, start: Head, target: BinaryIO, without: Collection[int]) -> Head:
    """Do so with the slow reader, which decides where there is a doubt: the quick one takes longer to load."""
    for raw in lines:
        line, problem = judge(raw, path, start)
        if line is None or problem is not None:
            raise problem or IntegrityError(path, start.size, "UNREADABLE_LINE", "cannot be read")
        start = line.end
        if start.seq not in without:
            target.write(raw)
    return start


def _must_reach(end: Head, seq: int, file: str) -> None:
    if end.seq != seq:
        raise IntegrityError(file, end.size, "LINES_MISSING", f"lines are missing after seq {end.seq}")


def _named(before: str, name: str) -> str:
    return hashlib.sha256(f"{before} {name}".encode()).hexdigest()
