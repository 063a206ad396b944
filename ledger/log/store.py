"""Append events to the ledger, close what was appended into segments, and read everything back.

Appending is safe from many processes at once: lock the tail, read its end, one write, unlock, sync, and only then is
the caller told. Sealing puts another, empty tail in place of the one it closed, so whoever waited for the lock looks
again whether the file it holds is still the tail.

That events could not be stored is kept in mind until one can be that says so. A disk that is full still has room for an
empty file: when it was made says since when, its size, which is a hole, how often. Where not even that is possible, it
lies in the system's folder for temporary files.
"""

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from linetrail.ledger.errors import EventError, IntegrityError, LockTimeoutError, warn_of
from linetrail.ledger.event.event import GENESIS, Event, at_place, from_line, line_digest, new_id, rfc3339, to_line
from linetrail.ledger.files import PRIVATE_FILE, locked, make_folder, open_file, publish, sha256
from linetrail.ledger.log.chain import FULL_BYTES, FULL_EVENTS, START, Head, Line, judged
from linetrail.ledger.log.tail import QUARANTINE, End, Tail, anchor, hold, orphans, storage
from linetrail.ledger.repository import Repository

if TYPE_CHECKING:  # what is appended is rarely sealed at once
    from linetrail.ledger.log.extent import Extent
    from linetrail.ledger.log.segments import Segment

_MISSED = os.path.join("state", "unstored")
_MAKE = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
_TEMPORARY = ("TMPDIR", "TEMP", "TMP")
__all__ = ["QUARANTINE", "START", "Head", "Line"]  # callers of a ledger find here what it is made of
TAIL = "agent_trace.jsonl"
SPOOL = "spool"
LOCK_SECONDS = 2.0
APPENDED, ALREADY, SPOOLED = "appended", "already appended", "spooled"


class Receipt(NamedTuple):
    """What became of one event. `seq` is its place in the tail, None while it waits in the spool."""

    id: str
    outcome: str
    seq: int | None


class Ledger:
    """The ledger of one worktree.

    When `append` returns, the events are on the disk and outlive this process and this machine's power.
    No line is ever changed or removed by any method here; sealing moves lines, and they stay as they are.
    """

    def __init__(self, repository: Repository, *, lock_seconds: float = LOCK_SECONDS) -> None:
        self.folder = repository.folder
        self.path = os.path.join(self.folder, TAIL)
        self.due = False  # whether the last append left a tail that is long enough to be sealed
        self.repository = repository
        self._anchor = anchor(repository)
        self._lock_seconds = lock_seconds

    def append(self, events: Sequence[Event], *, fresh: bool = False) -> list[Receipt]:
        """Append a batch as one write. An id that is there already is reported, with other content refused.

        Where the lock cannot be had in time the batch goes to the spool, and the next append folds it in. `fresh`
        promises that none of the ids is sealed, which saves looking for them.
        """
        made = [(event, to_line(event, 0, GENESIS)) for event in events]
        try:
            with hold(self.path, self._anchor, self._lock_seconds) as (tail, incidents):
                receipts, folded = self._place(tail, incidents, made, fresh=fresh)
        except LockTimeoutError:
            return self.spool(events)
        self.due = tail.head.seq >= FULL_EVENTS or tail.head.size >= FULL_BYTES
        _remove(folded)
        return receipts

    def spool(self, events: Sequence[Event]) -> list[Receipt]:
        """Keep events durably beside the ledger, in a file of their own, until an append can take them."""
        if events:
            content = b"".join(to_line(event, 0, GENESIS) for event in events)
            with storage(self.folder):
                publish(os.path.join(self.folder, SPOOL, f"{events[0].id}.jsonl"), content, durable=True)
        return [Receipt(event.id, SPOOLED, None) for event in events]

    def seal(self) -> "list[Segment]":
        """Close what waits in the tail into segments, and begin an empty one; return the segments that are new.

        Crash-safe at each step: a segment appears whole, and a tail that was not emptied begins with lines that are
        sealed, which readers skip and the next sealing does not repeat. Tails of worktrees that are gone are taken in.
        """
        from linetrail.ledger.log import segment_links
        from linetrail.ledger.log.seal import close

        made = []
        with hold(self.path, self._anchor, self._lock_seconds) as (tail, incidents):
            _, folded = self._place(tail, incidents, [], fresh=True)
            tail.settle(self._lock_seconds)
            if tail.head.seq:
                with storage(self.folder):
                    made = close(self.path, self.folder)
                    segment_links.keep(self._anchor, self.folder, made)
                    tail.replace()
        _remove(folded)
        return made + self._adopt()

    def head(self) -> Head:
        """Return the end of the tail, from its last lines alone."""
        path = self.tail_path()
        try:
            file = open_file(path)
        except FileNotFoundError:
            return START
        except OSError as error:
            raise IntegrityError(path, 0, "UNREADABLE_LINE", f"cannot be read: {error.strerror}") from None
        with file:
            return End(file.fileno(), path, self._noted()).head

    def tail_path(self) -> str:
        """Return where the tail can be read: under its second name while the first is gone."""
        if self._anchor is not None and not os.path.exists(self.path) and os.path.exists(self._anchor.link):
            return self._anchor.link
        return self.path

    def extent(self) -> "Extent":
        """Open what there is to read; what looks as it did when it was read last is not read again."""
        from linetrail.ledger.log.extent import Extent  # hooks only append

        return Extent(self.folder, self.tail_path(), self._noted(), self.repository)

    def digest(self) -> str:
        """Name everything that can be read of the ledger, and warn of what cannot: the name is for an answer."""
        self.take_notes()
        with self.extent() as extent:
            warn_of(extent.damage)
            return extent.digest()

    def take_notes(self) -> None:
        """Note in the cache from now on what was read: it is not read again while it looks untouched."""
        if os.path.isdir(self.folder):  # a linked worktree in which nothing happened has none, and asking makes none
            with contextlib.suppress(OSError):
                make_folder(os.path.join(self.folder, "cache"))

    def read(self) -> Iterator[Line]:
        """Yield every line in the order of the ledger; raise at the first that is damaged."""
        with self.extent() as extent:
            sealed = [damage for damage in extent.damage if damage.file != extent.path]
            for damage in sealed:
                raise damage
            for run in extent.runs:
                yield from extent.read(run)
            for damage in extent.damage:
                raise damage  # the tail, behind its sound lines

    def problems(self) -> Iterator[IntegrityError]:
        """Yield everything that is wrong in the tail, each line judged by the one before it."""
        path = self.tail_path()
        with contextlib.suppress(FileNotFoundError), open(path, "rb") as file:
            yield from (problem for _, problem in judged(file, path, START) if problem is not None)

    def _noted(self) -> Head | None:
        """Return what of the tail is known to be on the disk; None where nobody takes notes."""
        return None if self._anchor is None else self._anchor.read()[0]

    def _place(
        self, tail: Tail, incidents: Sequence[Event], made: Sequence[tuple[Event, bytes]], *, fresh: bool
    ) -> tuple[list[Receipt], list[str]]:
        """Write what happened to the tail, what waited in the spool, and the events; return what became of each."""
        batch = _Batch(tail, self.folder)
        for incident in incidents:
            batch.add(incident, to_line(incident, 0, GENESIS), fresh=True)
        folded = [path for path, waiting in self._spooled() if _fold(batch, waiting)]
        receipts = [batch.add(event, line, fresh=fresh) for event, line in made]
        tail.write(batch.lines, batch.newest_id)
        return receipts, folded

    def _spooled(self) -> Iterator[tuple[str, list[bytes]]]:
        """Yield what waits in the spool, oldest first; a file that cannot be read stays there for `doctor`."""
        folder = os.path.join(self.folder, SPOOL)
        try:
            names = sorted(name for name in os.listdir(folder) if name.endswith(".jsonl"))
        except OSError:
            return
        for name in names:
            path = os.path.join(folder, name)
            with contextlib.suppress(OSError), open(path, "rb") as file:
                yield path, list(file)

    def _adopt(self) -> "list[Segment]":
        """Seal what worktrees that are gone had not sealed."""
        from linetrail.ledger.log import segment_links
        from linetrail.ledger.log.seal import close

        made = []
        for orphan in orphans(self.repository):
            with (
                contextlib.suppress(FileNotFoundError, LockTimeoutError),
                open(orphan.link, "rb") as file,
                locked(file.fileno(), 0, orphan.link),
                storage(self.folder),
            ):
                adopted = close(orphan.link, self.folder)
                segment_links.keep(self._anchor, self.folder, adopted)
                orphan.release()
                made += adopted
        return made


class _Batch:
    """Events on their way to the end of the chain, each given its place."""

    def __init__(self, tail: Tail, folder: str) -> None:
        self._tail = tail
        self._folder = folder
        self._seq, self._digest = tail.head.seq, tail.head.digest
        self._placed: dict[str, Event] = {}
        self._newest_sealed: str | None = None
        self.lines: list[bytes] = []

    @property
    def newest_id(self) -> str:
        """Return the highest id that was placed."""
        return max(self._placed, default="")

    def add(self, event: Event, line: bytes, *, fresh: bool) -> Receipt:
        """Place one event, or report the place it has already."""
        known = self._placed.get(event.id) or self._stored(event.id, fresh=fresh)
        if known is not None:
            from linetrail.ledger.event.commitments import comparable  # an event rarely comes twice

            if comparable(known) != comparable(event):
                raise EventError(f"id {event.id} is in the ledger already, with other content")
            return Receipt(event.id, ALREADY, known.seq)
        placed = at_place(line, self._seq + 1, self._digest)
        self._seq, self._digest = self._seq + 1, line_digest(placed)
        self._placed[event.id] = event._replace(seq=self._seq)
        self.lines.append(placed)
        return Receipt(event.id, APPENDED, self._seq)

    def _stored(self, event_id: str, *, fresh: bool) -> Event | None:
        """Look for an id where one that is not later than all others may be; a fresh one among the last lines alone."""
        if event_id <= self._tail.newest_id:
            found = self._tail.end.find(event_id, everywhere=not fresh)
            if found is not None:
                return found
        if fresh:
            return None
        from linetrail.ledger.log import segments

        if self._newest_sealed is None:
            self._newest_sealed = segments.newest_id(self._folder)
        return segments.find(self._folder, event_id) if event_id <= self._newest_sealed else None


def note_missed(repository: Repository) -> None:
    """Note that an event could not be stored."""
    for path in _missed_at(repository):
        with contextlib.suppress(OSError):
            make_folder(os.path.dirname(path))
            fd = os.open(path, _MAKE, PRIVATE_FILE)
            try:
                began = os.fstat(fd)
                os.ftruncate(fd, began.st_size + 1)
                if began.st_size:
                    os.utime(fd, ns=(began.st_mtime_ns, began.st_mtime_ns))
            finally:
                os.close(fd)
            return


def missed(repository: Repository) -> Event | None:
    """Return what is to be recorded of events that could not be stored; None where all could be."""
    found = [about for path in _missed_at(repository) if (about := _look(path)) is not None]
    if not found:
        return None
    now = time.time_ns()
    since = min(about.st_mtime_ns for about in found)
    data = {"since": rfc3339(since), "events": sum(max(about.st_size, 1) for about in found)}
    return Event(new_id(now), rfc3339(now), "ledger.missed", None, None, "unknown", None, None, data)


def forget_missed(repository: Repository) -> None:
    """Forget what is recorded by now."""
    for path in _missed_at(repository):
        with contextlib.suppress(OSError):
            os.unlink(path)


def _missed_at(repository: Repository) -> tuple[str, str]:
    elsewhere = next(filter(None, map(os.environ.get, _TEMPORARY)), "/tmp")  # noqa: S108  what lies there is a count
    name = sha256(os.fsencode(repository.folder)).hexdigest()[:16]
    user = os.geteuid() if hasattr(os, "geteuid") else 0
    return os.path.join(repository.folder, _MISSED), os.path.join(elsewhere, f"linetrail-unstored-{user}-{name}")


def _look(path: str) -> os.stat_result | None:
    """Return what a note of ours says; nothing of a file that somebody else put there."""
    try:
        about = os.lstat(path)
    except OSError:
        return None
    ours = not hasattr(os, "geteuid") or about.st_uid == os.geteuid()
    return about if ours and os.path.isfile(path) and not os.path.islink(path) else None


def _fold(batch: "_Batch", waiting: Sequence[bytes]) -> bool:
    """Place what waited in one spool file; False leaves the file where it is."""
    try:
        for event, line in [(from_line(line), line) for line in waiting]:
            batch.add(event._replace(seq=None, prev=None), line, fresh=False)
    except EventError:
        return False
    return True


def _remove(folded: Sequence[str]) -> None:
    """Take what is in the ledger now out of the spool."""
    for path in folded:
        # A file that stays is known by its ids the next time.
        with contextlib.suppress(OSError):
            os.unlink(path)
