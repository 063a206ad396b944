"""Work the ledger off into facts, stretch by stretch, each kept as Parquet.

The ledger is cut into stretches of 32,768 events, then halves of that down to 2,048, and a rest: a function of the
number of events alone. A part is named by its stretch, by the hash of its last line (which, by the chain, stands for
every line before it) and by the texts of the models. So a part is either exactly right or has another name, and
nothing that was kept can make an incremental rebuild differ from a full one. All of it may be deleted at any time.
"""

import contextlib
import shutil
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from linetrail.ledger.errors import IntegrityError, StorageError
from linetrail.ledger.event import line_digest
from linetrail.ledger.repository import Repository
from linetrail.ledger.store import START, Head, Ledger
from linetrail.projections import models
from linetrail.projections.parquet import write_facts
from linetrail.projections.shelf import Part, Shelf

LARGEST, SMALLEST = 32_768, 2_048
# The file of validated lines in a folder where a part is made.
LINES = "lines"


class Parts:
    """The parts of one ledger: found in its cache, and made when they are missing."""

    def __init__(
        self, repository: Repository, *, keep: bool = True, smallest: int = SMALLEST, largest: int = LARGEST
    ) -> None:
        self._ledger = Ledger(repository)
        self._smallest, self._largest = smallest, largest
        self.version = _version()
        folder = Path(repository.folder)
        # A linked worktree in which nothing happened yet has no folder, and asking does not make one.
        self._shelf = Shelf(folder / "cache" / "parts" / self.version, writable=keep and folder.is_dir())
        self.seconds: defaultdict[str, float] = defaultdict(float)  # spent on each fact

    def current(self, *, anew: bool = False) -> list[Part]:
        """Return the parts that make up the ledger as it is now, in order; `anew` trusts none that were kept."""
        cuts = stretches(self._ledger.head().seq, self._smallest, self._largest)
        kept = {} if anew else self._shelf.parts()
        found = [next((part for part in kept.get(cut, ()) if self.went_through(part.head)), None) for cut in cuts]
        parts = self._made(cuts, found) if None in found else [part for part in found if part]
        self._shelf.sweep(parts)
        return parts

    def went_through(self, head: Head) -> bool:
        """Tell whether this is the end of the ledger, or the next line follows it."""
        try:
            return next(self._ledger.read(head), None) is not None or head == self._ledger.head()
        except IntegrityError:
            return False

    def _made(self, cuts: Sequence[tuple[int, int]], found: Sequence[Part | None]) -> list[Part]:
        """Make the parts that were not found; while DuckDB writes one, the lines of the next are validated."""
        from concurrent.futures import Future, ThreadPoolExecutor

        parts: list[Part | Future[Part]] = []
        waiting: deque[Future[Part]] = deque()
        after = START
        with ThreadPoolExecutor(max_workers=1) as writer:
            for (first, last), part in zip(cuts, found, strict=True):
                if part is not None:
                    parts.append(part)
                    after = part.head
                    continue
                folder, after = self._read(after, last - first)
                waiting.append(writer.submit(self._write, folder, first, after))
                parts.append(waiting[-1])
                if len(waiting) > 1:
                    waiting.popleft().result()
        return [part if isinstance(part, Part) else part.result() for part in parts]

    def _read(self, after: Head, count: int) -> tuple[Path, Head]:
        folder = self._shelf.aside()
        with _given_up(folder):
            return folder, self._copy(after, count, folder / LINES)

    def _write(self, folder: Path, first: int, head: Head) -> Part:
        with _given_up(folder):
            for name, seconds in write_facts([(folder / LINES, 0)], folder):
                self.seconds[name] += seconds
            (folder / LINES).unlink()
            return self._shelf.keep(folder, first, head)

    def _copy(self, after: Head, count: int, target: Path) -> Head:
        """Copy lines to where DuckDB reads them: it never sees a byte that was not validated."""
        line = None
        copied = 0
        with target.open("wb") as file:
            for line in islice(self._ledger.read(after), count):
                copied += file.write(line.raw)
        seq = after.seq if line is None else line.event.seq
        if seq != after.seq + count:
            message = f"lines are missing after seq {seq}"
            raise IntegrityError(self._ledger.path, after.size + copied, "LINES_MISSING", message)
        return after if line is None else Head(after.size + copied, seq, line_digest(line.raw))


def stretches(events: int, smallest: int = SMALLEST, largest: int = LARGEST) -> list[tuple[int, int]]:
    """Cut this many events into stretches, largest first, the rest last; no event at all is one empty stretch.

    >>> stretches(5_000)
    [(0, 4096), (4096, 5000)]
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


def _version() -> str:
    """Name everything that the content of a part depends on besides the ledger."""
    import duckdb

    return f"{models.digest(models.facts())[:16]}-duckdb-{duckdb.__version__}"


@contextlib.contextmanager
def _given_up(folder: Path) -> Iterator[None]:
    """Leave nothing of a part that could not be finished."""
    import duckdb

    try:
        yield
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, OSError | duckdb.IOException):
            raise StorageError(f"cannot write the cache in {folder.parent}: {error}") from None
        raise
