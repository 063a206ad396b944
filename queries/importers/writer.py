"""Append batches of events to a ledger, if wanted in a process of its own while the next batch is read.

That process has one batch at a time, and whoever gives it the next one has heard what became of the last: what is in
the ledger, and in which order, is the same with and without it.
"""

import contextlib
import multiprocessing
import signal
import traceback
from collections.abc import Sequence
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection

from linetrail.ledger.errors import EventError, FutureLedgerError, StorageError
from linetrail.ledger.event.drafts import without_secrets_in_paths
from linetrail.ledger.event.event import Event
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.redact.redactor import Redactor, private_folder

# What one record gives is appended together or not at all.
Group = Sequence[Event]


def store(ledger: Ledger, groups: Sequence[Group]) -> list[bool]:
    """Append these groups of events, and return which were stored; one with an event that cannot be is left out."""
    if _append(ledger, [event for group in groups for event in group]):
        return [True] * len(groups)
    return [_append(ledger, group) for group in groups]


class Writer:
    """The process that appends. It ends with the one that made it, and is not interrupted within a batch."""

    def __init__(self, ledger: Ledger) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, ledger), daemon=True)
        # It inherits what is blocked: who interrupts the import waits for its batch. Its start begins with that of the
        # tracker, if that is not there yet, which unblocks the signal.
        resource_tracker.ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            theirs.close()

    def take(self, groups: Sequence[Group]) -> None:
        """Begin to append a batch; what became of the last one must have been asked."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the answer says so
            self._connection.send(groups)

    def answer(self) -> list[bool]:
        """Wait for the end of a batch, and return what became of its groups; what went wrong there is raised here."""
        try:
            answer: list[bool] | Exception = self._connection.recv()
        except (EOFError, ConnectionResetError):
            self._process.join()
            raise WriterError(f"the process that writes the ledger ended ({self._process.exitcode})") from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def close(self) -> None:
        self._connection.close()
        self._process.join()


class WriterError(StorageError):
    """The process that appends is gone; what it had acknowledged is in the ledger."""

    hint = "run the same command again: it goes on from there"


def _append(ledger: Ledger, events: Sequence[Event]) -> bool:
    """Append events, all or none."""
    redactor = Redactor(private_folder(ledger.repository))
    told = [event._replace(data=without_secrets_in_paths(event.data, redactor)) for event in events]
    try:
        if told:
            ledger.append(told, fresh=True)
            if ledger.due:
                ledger.seal()
    except FutureLedgerError:
        raise
    except EventError:
        return False
    return True


def _serve(connection: Connection, ledger: Ledger) -> None:
    """Append one batch after the other, until nobody asks any more."""
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            groups = connection.recv()
            try:
                answer: list[bool] | Exception = store(ledger, groups)
            except Exception as error:  # noqa: BLE001  raised where it can be answered
                error.add_note(traceback.format_exc())
                answer = error
            connection.send(answer)
