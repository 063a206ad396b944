"""Work the ledger off into events, stretch by stretch, each kept as Parquet; other facts are made when asked for.

The ledger is cut into stretches of 32,768 events, then halves of that down to 512, and a rest: a function of the
number of events alone. A part is named by its stretch, by the hash of its last line (which, by the chain, stands for
every line before it) and by the texts of the models. So a part is either exactly right or has another name, and
nothing that was kept can make an incremental rebuild differ from a full one. All of it may be deleted at any time.
"""

import contextlib
import shutil
from collections import deque
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from pathlib import Path

from linetrail.ledger.errors import IntegrityError, StorageError, warn_of
from linetrail.ledger.log import segments
from linetrail.ledger.log.chain import Head
from linetrail.ledger.log.duplicates import TAIL, repeats
from linetrail.ledger.log.extent import Extent, Run
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository
from linetrail.projections.statements import statement
from linetrail.projections.tables import models, verdicts
from linetrail.projections.tables.cache import Part, Shelf
from linetrail.projections.tables.parquet import PARQUET, WRITERS, engine, storing, takes, write_events
from linetrail.projections.tables.progress import Advance, working
from linetrail.projections.tables.stream import Source, Stream

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
                    stream = self._stream(
                        extent, damaged, until, () if anew else verdicts.recall(extent.folder).segments
                    )
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
