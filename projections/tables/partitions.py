"""Work the ledger off into events, stretch by stretch, each kept as Parquet; other facts are made when asked for.

The ledger is cut into stretches of 32,768 events, then halves of that down to 512, and a rest: a function of the
number of events alone. A part is named by its stretch, by the hash of its last line (which, by the chain, stands for
every line before it) and by the texts of the models. So a part is either exactly right or has another name, and
nothing that was kept can make an incremental rebuild differ from a full one. All of it may be deleted at any time.
"""

import contextlib
import hashlib
import io
import shutil
from collections import deque
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from pathlib import Path
from typing import BinaryIO

from linetrail.ledger.errors import IntegrityError, StorageError, warn_of
from linetrail.ledger.event.event import GENESIS, line_digest
from linetrail.ledger.log import segment_links, segments
from linetrail.ledger.log.chain import Head, judge
from linetrail.ledger.log.duplicates import TAIL, repeats
from linetrail.ledger.log.extent import Extent, Run
from linetrail.ledger.log.segments import Segment
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository
from linetrail.projections.statements import statement
from linetrail.projections.tables import models, verdicts
from linetrail.projections.tables.cache import Part, Shelf
from linetrail.projections.tables.parquet import PARQUET, WRITERS, engine, storing, takes, write_events
from linetrail.projections.tables.progress import Advance, working

# A stretch of so many lines is read without the decoders, which take longer to make than to read thousands with.
FEW = 512
# A file of lines, and what to add to their numbers to get their places in the stream.
Source = tuple[Path, int]
# Validates lines of a file that follow a place, writes all but some, and returns where they end.
Reader = Callable[[Iterator[bytes], str, Head, BinaryIO, Collection[int]], Head]


class Stream:
    """The lines of these runs, one after another, but for those that an earlier segment has already.

    A place inside or behind a segment is named by the names of the segments up to there, so without reading any; a
    place in the tail also by the hash of its last line. Two ledgers agree up to a place exactly if its names are equal.

    A place is a Head: `seq` lines are before it, `digest` is its name, `size` its offset where it lies in the tail.
    What `sound` segments hold was validated before, here or when it was sealed, and their names are the hashes of it.
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


LARGEST, SMALLEST = 32_768, 512
# Cuts the runs of a ledger down to what it was at an earlier moment.
Until = Callable[[Sequence[Run]], Sequence[Run]]


class Parts:
    """The parts of one ledger: found in its cache, and made when they are missing."""

    def __init__(
        self,
        repository: Repository,
        *,
        keep: bool = True,
        smallest: int = SMALLEST,
        largest: int = LARGEST,
        layout: str = PARQUET,
    ) -> None:
        self._ledger = Ledger(repository)
        self._smallest, self._largest, self._layout = smallest, largest, layout
        self.version = _version()
        # names the ledger that was read last
        self.digest: str | None = None
        folder = Path(repository.folder)
        writable = keep and takes(repository.folder) and folder.is_dir()
        if writable:
            self._ledger.take_notes()
        self._shelf = Shelf(folder / "cache" / "parts" / self.version, writable=writable)

    def current(self, *, anew: bool = False, until: Until | None = None) -> list[Part]:
        """Return the parts that make up the ledger as it is now, in order; `anew` trusts none that were kept.

        With `until`, return the parts of the ledger as it was, and keep what is not asked for now. A segment that is
        damaged is left out, and the tail from where it is damaged on, with a warning; the rest can still be asked.
        """
        damaged: dict[str, IntegrityError] = {}
        while True:
            with self._ledger.extent() as extent:
                try:
                    stream = self._stream(extent, damaged, until, () if anew else self._sound(extent.folder))
                    parts = self._of(stream, anew=anew)
                except IntegrityError as error:
                    name = segments.name_of(error.file) or TAIL
                    if name in damaged:
                        raise
                    damaged[name] = error
                    continue
                self.digest = extent.digest()
            warn_of((*extent.damage, *damaged.values()))
            if until is None:
                self._shelf.sweep(parts)
            return parts

    def went_through(self, place: Head) -> bool:
        """Return whether the ledger still has this place; False where damage hides the answer."""
        with self._ledger.extent() as extent, contextlib.suppress(IntegrityError):
            return self._stream(extent, {}, None, ()).has(place)
        return False

    def _sound(self, folder: str) -> Container[str]:
        """Return the segments that were judged here already: when they were sealed, or since then."""
        return verdicts.recall(folder).segments.keys() | segment_links.kept(self._ledger.repository).keys()

    def _stream(
        self, extent: Extent, damaged: Mapping[str, IntegrityError], until: Until | None, sound: Container[str]
    ) -> Stream:
        whole = [run for run in extent.runs if run.segment is None or run.segment.name not in damaged]
        if TAIL in damaged:
            whole[-1] = Run(None, extent.sound())
        order = [run.segment for run in whole if run.segment is not None]
        runs = until(whole) if until else whole
        return Stream(extent, runs, repeats(extent, order, runs), sound)

    def _of(self, stream: Stream, *, anew: bool) -> list[Part]:
        cuts = stretches(stream.events, self._smallest, self._largest)
        kept = {} if anew else self._shelf.parts()
        known = [next((part for part in kept.get(cut, ()) if stream.has(part.head)), None) for cut in cuts]
        found = [part and self._shelf.lent(part) for part in known]
        return self._made(stream, cuts, found) if None in found else [part for part in found if part]

    def _made(self, stream: Stream, cuts: Sequence[tuple[int, int]], found: Sequence[Part | None]) -> list[Part]:
        """Make the parts that were not found; while DuckDB writes one, the lines of the next are validated."""
        missing = sum(last - first for (first, last), part in zip(cuts, found, strict=True) if part is None)
        with working("reading the ledger", missing, "events") as advance:
            if found.count(None) == 1:
                return [part or self._one(stream, *cut, advance) for cut, part in zip(cuts, found, strict=True)]
            return self._side_by_side(stream, cuts, found, advance)

    def _one(self, stream: Stream, first: int, last: int, advance: Advance) -> Part:
        part = self._write(*self._copied(stream, first, last))
        advance(last - first)
        return part

    def _side_by_side(
        self, stream: Stream, cuts: Sequence[tuple[int, int]], found: Sequence[Part | None], advance: Advance
    ) -> list[Part]:
        from concurrent.futures import Future, ThreadPoolExecutor

        parts: list[Part | Future[Part]] = []
        waiting: deque[Future[Part]] = deque()
        with ThreadPoolExecutor(WRITERS) as writer:
            for (first, last), part in zip(cuts, found, strict=True):
                if part is not None:
                    parts.append(part)
                    continue
                waiting.append(writer.submit(self._write, *self._copied(stream, first, last)))
                parts.append(waiting[-1])
                advance(last - first)
                if len(waiting) > WRITERS:
                    waiting.popleft().result()
        return [part if isinstance(part, Part) else part.result() for part in parts]

    def _copied(self, stream: Stream, first: int, last: int) -> tuple[Path, int, list[Source], Head]:
        folder = self._shelf.aside()
        with _given_up(folder):
            sources, place = stream.copy(first, last, folder)
        return folder, first, sources, place

    def _write(self, folder: Path, first: int, sources: Sequence[Source], place: Head) -> Part:
        with _given_up(folder):
            types = write_events(sources or [_nothing(folder)], folder, self._layout)
            for path in folder.glob("lines-*"):
                path.unlink()
            return self._shelf.keep(folder, first, place, types)


def stretches(events: int, smallest: int = SMALLEST, largest: int = LARGEST) -> list[tuple[int, int]]:
    """Cut this many events into stretches, largest first, the rest last; no event at all is one empty stretch.

    >>> stretches(5_000)
    [(0, 4096), (4096, 4608), (4608, 5000)]
    """
    cuts: list[tuple[int, int]] = []
    at, size = 0, largest
    while size >= smallest:
        if events - at >= size:
            cuts.append((at, at + size))
            at += size
        else:
            size //= 2
    return cuts if cuts and at == events else [*cuts, (at, events)]


def _nothing(folder: Path) -> Source:
    """Return a file without a line: an empty ledger has tables, too."""
    path = folder / "lines-0"
    path.touch()
    return path, 0


def _version() -> str:
    """Return the name of all that a partition depends on besides the ledger: the models and the version of DuckDB."""
    reading = models.reading()._replace(sql=statement("events_as_read"))
    return f"{models.digest([*models.facts(), reading])[:16]}-duckdb-{engine()}"


@contextlib.contextmanager
def _given_up(folder: Path) -> Iterator[None]:
    """Remove the folder of a partition that could not be finished."""
    try:
        with storing(folder):
            yield
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


@contextlib.contextmanager
def given_up_on_failure(parts: Sequence[Part]) -> Iterator[None]:
    """Remove these parts where the facts in them cannot be finished, so that what was kept before them counts again."""
    try:
        yield
    except StorageError:
        for part in parts:
            shutil.rmtree(part.folder, ignore_errors=True)
        raise
