"""Append what an import found to the ledger: once, in batches, and one import at a time.

What one record gives is appended together or not at all. Whoever interrupts an import finds in the ledger all that was
read until then; the next import goes on behind it, as it knows what is recorded.
"""

import contextlib
import os
import signal
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.files import locked_path
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.redact.redactor import Redactor, private_folder
from linetrail.ledger.repository import Repository
from linetrail.queries.batch.workers import available
from linetrail.queries.importers.conversation import Found
from linetrail.queries.importers.register import Register
from linetrail.queries.importers.transcript import Counts
from linetrail.queries.importers.writer import Writer, store

# Events that are appended and synced at once.
BATCH = 2_000
LOCK_SECONDS = 5.0


class Report(NamedTuple):
    """What came of an import: the counts of each transcript in the order given, and the new events by type."""

    all_counts: Sequence[Counts]
    events: Counter[str]

    def total(self) -> Counts:
        total = Counts("")
        for counts in self.all_counts:
            total.add(counts)
        return total


class Sink:
    """Collects new events, and appends them in batches."""

    def __init__(self, register: Register, ledger: Ledger | None, processes: int) -> None:
        self.events: Counter[str] = Counter()
        self.register = register
        self._ledger = ledger
        self._processes = processes
        self._groups: list[list[Found]] = []
        self._waiting = 0
        self._writer: Writer | None = None
        # what the writer has been given and did not answer for yet
        self._given: list[list[Found]] = []

    def add(self, found: Iterable[Found]) -> None:
        """Collect the new events of one record."""
        new = []
        for item in found:
            if self.register.claim(item.event):
                new.append(item)
            else:
                item.counts.know(1, repeated=self.register.was_claimed(item.event))
        if new:
            self._groups.append(new)
            self._waiting += len(new)
        if self._waiting >= BATCH:
            with _undisturbed():
                self._begin()
                self._give()

    def flush(self) -> None:
        """Append what waits; where an event cannot be stored, its record is left out and the others are not."""
        with _undisturbed():
            self._give()
            self._settle()

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()

    def _begin(self) -> None:
        """Start a process that appends, now that there is more than one batch."""
        if self._writer is None and self._ledger is not None and self._processes > 1:
            self._writer = Writer(self._ledger)

    def _give(self) -> None:
        """Hand the collected events to the process that appends, once it has finished the batch before."""
        self._settle()
        groups, self._groups, self._waiting = self._groups, [], 0
        events = [[item.event for item in group] for group in groups]
        if self._writer is not None and groups:
            self._given = groups
            self._writer.take(events)
        else:
            self._count(groups, [True] * len(groups) if self._ledger is None else store(self._ledger, events))

    def _settle(self) -> None:
        """Count what the writer has appended."""
        groups, self._given = self._given, []
        if self._writer is not None and groups:
            self._count(groups, self._writer.answer())

    def _count(self, groups: Sequence[Sequence[Found]], stored: Sequence[bool]) -> None:
        for group, is_stored in zip(groups, stored, strict=True):
            if not is_stored:
                group[0].counts.rejected["cannot be stored"] += 1
                continue
            for item in group:
                item.counts.imported += 1
                self.events[item.event.type] += 1


class Import(NamedTuple):
    """What is imported into: the ledger of a repository, with what agents thought where `thoughts` are wanted.

    Of a dry run nothing is kept, or what is new goes to the ledger `aside`, which nobody else has.
    """

    repository: Repository
    ledger: Ledger
    dry_run: bool = False
    aside: Ledger | None = None
    thoughts: bool = False

    def redactor(self) -> Redactor:
        """Return who takes secrets out; a dry run, and one into a ledger elsewhere, leave no key behind."""
        kept = not self.dry_run and self.ledger.folder == self.repository.folder
        return Redactor(private_folder(self.repository) if kept else None)

    @contextlib.contextmanager
    def sink(self) -> Iterator[Sink]:
        """Open a sink that knows what the ledger has; at the end all it collected is appended."""
        with contextlib.nullcontext() if self.dry_run else _alone(self.ledger):
            register = Register()
            register.load(self.ledger)
            sink = Sink(register, self.aside if self.dry_run else self.ledger, available())
            with contextlib.closing(sink):
                try:
                    yield sink
                except KeyboardInterrupt:
                    sink.flush()
                    raise
                sink.flush()


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Hold interrupts back until the end of the block."""
    if threading.current_thread() is not threading.main_thread():
        yield  # no interrupt comes to any other thread
        return
    held: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: held.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if held:
            signal.raise_signal(signal.SIGINT)


@contextlib.contextmanager
def _alone(ledger: Ledger) -> Iterator[None]:
    """Lock out a second import into the same ledger: it would not know what this one adds."""
    path = os.path.join(ledger.folder, "state", "import.lock")
    with locked_path(path, LOCK_SECONDS, "the import of records"):
        yield
