"""Read transcripts into a ledger: survey them, put their records in order, append what is new.

What one record gives is appended together or not at all. Nothing grows with the input but the names of events.
"""

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.errors import EventError, FutureLedgerError, PayloadError, StorageError
from linetrail.ledger.files import PRIVATE_FILE, locked, make_folder
from linetrail.ledger.repository import Repository
from linetrail.ledger.store import Ledger
from linetrail.projections.history import Objects
from linetrail.queries.importers.claude_code import Translator
from linetrail.queries.importers.conversation import Found
from linetrail.queries.importers.register import Register
from linetrail.queries.importers.roots import Root, known_paths, root_of
from linetrail.queries.importers.survey import Survey, survey
from linetrail.queries.importers.timeline import Placed, in_order
from linetrail.queries.importers.transcript import Tally

# Events that are appended and synced at once.
BATCH = 500
LOCK_SECONDS = 5.0


class Report(NamedTuple):
    """What came of an import: one tally for each transcript in the order given, and the new events by type."""

    tallies: Sequence[Tally]
    events: Counter[str]

    def total(self) -> Tally:
        """Return the sums over all transcripts."""
        total = Tally("")
        for tally in self.tallies:
            total.add(tally)
        return total


def take_in(
    paths: Iterable[str],
    repository: Repository,
    ledger: Ledger,
    *,
    dry_run: bool = False,
    advance: Callable[[int], None] = lambda _: None,
) -> Report:
    """Import the transcripts at these paths; `advance` is told how many bytes were read."""
    tallies = [Tally(path) for path in paths]
    with contextlib.nullcontext() if dry_run else _alone(ledger):
        register = Register()
        register.load(ledger)
        sink = _Sink(register, None if dry_run else ledger)
        with contextlib.closing(Objects(repository)) as objects:
            translator = Translator(register, objects)
            roots = _roots(tallies, repository)
            for tally, pending in in_order([Placed(start, tally) for tally, start, _ in roots.values()]):
                events = translator.read(pending.load(), pending.time, roots[tally.path].root, tally)
                sink.add(_readable(events, tally))
                advance(pending.size)
            for found in translator.rest():
                sink.add([found])
        sink.flush()
    return Report(tallies, sink.events)


class _Place(NamedTuple):
    tally: Tally
    start: int
    root: Root


def _roots(tallies: Iterable[Tally], repository: Repository) -> dict[str, _Place]:
    """Survey the transcripts; those that ran in one folder are placed together, those of other repositories not."""
    surveys = {tally.path: (tally, found) for tally in tallies if (found := _surveyed(tally)) is not None}
    touched: dict[str | None, set[str]] = {}
    for _, found in surveys.values():
        touched.setdefault(found.cwd, set()).update(found.touched)
    known = known_paths(repository)
    roots = {cwd: root_of(cwd, paths, repository, known) for cwd, paths in touched.items()}
    places = {}
    for path, (tally, found) in surveys.items():
        root = roots[found.cwd]
        if root is None:
            tally.skip("other repository")
        else:
            places[path] = _Place(tally, found.start, root)
    return places


def _surveyed(tally: Tally) -> Survey | None:
    try:
        return survey(tally.path)
    except OSError as error:
        tally.rejected[f"cannot be read: {error.strerror}"] += 1
        return None


def _readable(found: Iterator[Found], tally: Tally) -> list[Found]:
    """Return the events of a record up to where it is not as it must be."""
    events = []
    try:
        for item in found:
            events.append(item)  # noqa: PERF402  what came before the error counts
    except PayloadError as error:
        tally.rejected[str(error)] += 1
    return events


class _Sink:
    """Takes what is new, and appends it in batches."""

    def __init__(self, register: Register, ledger: Ledger | None) -> None:
        self.events: Counter[str] = Counter()
        self._register = register
        self._ledger = ledger
        self._groups: list[list[Found]] = []
        self._waiting = 0

    def add(self, found: Iterable[Found]) -> None:
        """Take the events of one record."""
        new = []
        for item in found:
            if self._register.claim(item.event):
                new.append(item)
            else:
                item.tally.duplicates += 1
        if new:
            self._groups.append(new)
            self._waiting += len(new)
        if self._waiting >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Append what waits; where an event cannot be stored, its record is left out and the others are not."""
        if not self._store(self._groups):
            for group in self._groups:
                if not self._store([group]):
                    group[0].tally.rejected["cannot be stored"] += 1
        self._groups, self._waiting = [], 0

    def _store(self, groups: Sequence[Sequence[Found]]) -> bool:
        """Append the events of these records, all or none."""
        found = [item for group in groups for item in group]
        try:
            if self._ledger is not None and found:
                self._ledger.append([item.event for item in found])
        except FutureLedgerError:
            raise
        except EventError:
            return False
        for item in found:
            item.tally.imported += 1
            self.events[item.event.type] += 1
        return True


@contextlib.contextmanager
def _alone(ledger: Ledger) -> Iterator[None]:
    """Keep a second import of the same ledger out: it would not know what this one adds."""
    path = os.path.join(ledger.folder, "state", "import.lock")
    try:
        make_folder(os.path.dirname(path))
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from None
    try:
        with locked(fd, LOCK_SECONDS, "the import of transcripts"):
            yield
    finally:
        os.close(fd)
