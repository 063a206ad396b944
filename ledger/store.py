"""Append lines to the ledger and read them back.

One file of JSON lines, each carrying the hash of the one before. A line is never changed once its newline is
on disk. A last line without a newline is a write that never finished: readers skip it, and the next append
first moves it to ``quarantine/``, so no byte is lost. Appending is safe from many processes at once: lock,
read the end, one write, unlock, sync, and only then is the caller told.
"""

import contextlib
import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.errors import EventError, FutureLedgerError, IntegrityError, LockTimeoutError, StorageError
from linetrail.ledger.event import GENESIS, MAX_LINE_BYTES, Event, from_line, line_digest, new_id, rfc3339, to_line
from linetrail.ledger.files import PRIVATE_FILE, locked, make_folder, publish, sync, sync_folder, write_whole
from linetrail.ledger.repository import Repository

TAIL = "agent_trace.jsonl"
SPOOL, QUARANTINE = "spool", "quarantine"
LOCK_SECONDS = 2.0
APPENDED, ALREADY, SPOOLED = "appended", "already appended", "spooled"
# How far back an append looks for its own ids. A whole last line and a whole torn one always fit.
_WINDOW = 2 * MAX_LINE_BYTES


class Receipt(NamedTuple):
    """What became of one event. `seq` is None while it waits in the spool."""

    id: str
    outcome: str
    seq: int | None


class Line(NamedTuple):
    """One stored line: where it begins in its file, its bytes, and the event it holds."""

    offset: int
    raw: bytes
    event: Event


class Head(NamedTuple):
    """The end of the chain: bytes of whole lines, number of the last one, and the hash the next one follows."""

    size: int
    seq: int
    digest: str


START = Head(0, 0, GENESIS)


class Ledger:
    """The ledger of one worktree.

    When `append` returns, the events are on the disk and outlive this process and this machine's power.
    No line is ever changed, moved or removed by any method here.
    """

    def __init__(self, repository: Repository, *, lock_seconds: float = LOCK_SECONDS) -> None:
        self.folder = repository.folder
        self.path = os.path.join(self.folder, TAIL)
        self._lock_seconds = lock_seconds

    def append(self, events: Sequence[Event]) -> list[Receipt]:
        """Append a batch as one write. An id that is there already is reported, with other content refused.

        Where the lock cannot be had in time the batch goes to the spool, and the next append folds it in.
        """
        try:
            return self._append(events)
        except LockTimeoutError:
            return self.spool(events)

    def spool(self, events: Sequence[Event]) -> list[Receipt]:
        """Keep events durably beside the ledger, in a file of their own, until an append can take them."""
        if events:
            content = b"".join(to_line(event, 0, GENESIS) for event in events)
            with _storage(self.folder):
                publish(os.path.join(self.folder, SPOOL, f"{events[0].id}.jsonl"), content, durable=True)
        return [Receipt(event.id, SPOOLED, None) for event in events]

    def head(self) -> Head:
        """Return the end of the chain, from the last lines alone."""
        try:
            fd = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return START
        try:
            return _End(fd, self.path).head
        finally:
            os.close(fd)

    def read(self, start: Head = START) -> Iterator[Line]:
        """Yield the lines after `start` in order; stop at a torn tail, raise at the first that does not follow."""
        for line, problem in self._judged(start):
            if problem is not None:
                raise problem
            if line is not None:
                yield line

    def problems(self) -> Iterator[IntegrityError]:
        """Yield everything that is wrong from the first line to the last, each line judged by the one before it."""
        return (problem for _, problem in self._judged(START) if problem is not None)

    def _judged(self, start: Head) -> Iterator[tuple[Line | None, IntegrityError | None]]:
        try:
            file = open(self.path, "rb")  # noqa: SIM115  closed below; a generator outlives a with around the open
        except FileNotFoundError:
            return
        with file:
            file.seek(start.size)
            offset, seq, digest = start
            while raw := file.readline(MAX_LINE_BYTES + 1):
                if not raw.endswith(b"\n"):
                    if len(raw) > MAX_LINE_BYTES and any(b"\n" in chunk for chunk in file):
                        message = f"line longer than {MAX_LINE_BYTES} bytes"
                        yield None, IntegrityError(self.path, offset, "LINE_TOO_LONG", message)
                    return
                line, problem = self._judge(raw, offset, seq, digest)
                yield line, problem
                offset, seq, digest = offset + len(raw), (line and line.event.seq) or seq + 1, line_digest(raw)

    def _judge(self, raw: bytes, offset: int, seq: int, digest: str) -> tuple[Line | None, IntegrityError | None]:
        try:
            event = from_line(raw)
        except FutureLedgerError:
            raise
        except EventError as error:
            return None, IntegrityError(self.path, offset, "UNREADABLE_LINE", str(error))
        line = Line(offset, raw, event)
        if event.seq == seq + 1 and event.prev == digest:
            return line, None
        found = f"found seq {event.seq} after {str(event.prev)[:16]}"
        message = f"line does not follow: expected seq {seq + 1} after {digest[:16]}, {found}"
        return line, IntegrityError(self.path, offset, "BROKEN_CHAIN", message)

    def _append(self, events: Sequence[Event]) -> list[Receipt]:
        with _storage(self.path):
            make_folder(self.folder)
            created = not os.path.exists(self.path)
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
            fd = os.open(self.path, flags, PRIVATE_FILE)
        try:
            with locked(fd, self._lock_seconds, self.path):
                end = _End(fd, self.path)
                batch = _Batch(end)
                if end.stump is not None:
                    batch.add(self._heal(fd, end))
                folded = [path for path, waiting in self._spooled() if _fold(batch, waiting)]
                receipts = [batch.add(event) for event in events]
                content = b"".join(batch.lines)
                if content:
                    write_whole(fd, content, end.head.size, self.path)
            with _storage(self.path):
                if content:
                    sync(fd)
                if created:
                    sync_folder(self.folder)
        finally:
            os.close(fd)
        for path in folded:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        return receipts

    def _spooled(self) -> Iterator[tuple[str, list[Event]]]:
        """Yield what waits in the spool, oldest first; a file that cannot be read stays there for `doctor`."""
        folder = os.path.join(self.folder, SPOOL)
        try:
            names = sorted(name for name in os.listdir(folder) if name.endswith(".jsonl"))
        except OSError:
            return
        for name in names:
            path = os.path.join(folder, name)
            with contextlib.suppress(OSError, EventError), open(path, "rb") as file:
                yield path, [from_line(raw)._replace(seq=None, prev=None) for raw in file]

    def _heal(self, fd: int, end: "_End") -> Event:
        """Move a torn last line aside, then cut it off; the event says where its bytes are."""
        stump, offset = end.stump or b"", end.head.size
        name = f"{offset}-{hashlib.sha256(stump).hexdigest()[:16]}.torn"
        with _storage(self.folder):
            publish(os.path.join(self.folder, QUARANTINE, name), stump, durable=True)
            os.ftruncate(fd, offset)
        now = time.time_ns()
        data = {"quarantined": f"{QUARANTINE}/{name}", "bytes": len(stump), "offset": offset}
        return Event(new_id(now), rfc3339(now), "ledger.repaired", None, None, "unknown", None, None, data)


class _End:
    """The last lines of an open ledger file, read from its end."""

    def __init__(self, fd: int, path: str) -> None:
        size = os.fstat(fd).st_size
        window = os.pread(fd, _WINDOW, max(size - _WINDOW, 0)) if size else b""
        whole, newline, stump = window.rpartition(b"\n")
        self.stump = stump or None
        self.lines = (whole + newline).splitlines(keepends=True) if newline else []
        if size > _WINDOW and self.lines:
            self.lines.pop(0)
        self._starts = b"".join(raw[:64] for raw in self.lines)
        if not self.lines:
            if size > _WINDOW:
                raise IntegrityError(path, size - _WINDOW, "LINE_TOO_LONG", f"no line ends in the last {_WINDOW} bytes")
            self.head = START
            return
        last = self.lines[-1]
        at = size - len(stump)
        try:
            seq = from_line(last).seq or 0
        except FutureLedgerError:
            raise
        except EventError as error:
            raise IntegrityError(path, at - len(last), "UNREADABLE_LINE", str(error)) from None
        self.head = Head(at, seq, line_digest(last))

    def find(self, event_id: str) -> Event | None:
        """Return the event with this id if it is among the last lines."""
        needle = b'"id":"%s"' % event_id.encode()
        if needle not in self._starts:
            return None
        return next((from_line(raw) for raw in self.lines if needle in raw[:64]), None)


def _fold(batch: "_Batch", waiting: Sequence[Event]) -> bool:
    """Place what waited in one spool file; False leaves the file where it is."""
    try:
        for event in waiting:
            batch.add(event)
    except EventError:
        return False
    return True


class _Batch:
    """Events on their way to the end of the chain, each given its place."""

    def __init__(self, end: _End) -> None:
        self._end = end
        self._seq, self._digest = end.head.seq, end.head.digest
        self._placed: dict[str, Event] = {}
        self.lines: list[bytes] = []

    def add(self, event: Event) -> Receipt:
        """Place one event, or report the place it has already."""
        known = self._placed.get(event.id) or self._end.find(event.id)
        if known is not None:
            if known._replace(seq=None, prev=None) != event._replace(seq=None, prev=None):
                raise EventError(f"id {event.id} is in the ledger already, with other content")
            return Receipt(event.id, ALREADY, known.seq)
        line = to_line(event, self._seq + 1, self._digest)
        self._seq, self._digest = self._seq + 1, line_digest(line)
        self._placed[event.id] = event._replace(seq=self._seq)
        self.lines.append(line)
        return Receipt(event.id, APPENDED, self._seq)


@contextlib.contextmanager
def _storage(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"cannot write {error.filename or path}: {error.strerror}") from None
