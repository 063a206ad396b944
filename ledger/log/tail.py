"""The live tail: the one file that is written to, held by one process at a time.

A torn last line is healed before anything is added: its bytes are moved to ``quarantine/``, so none is lost. What
happened to the tail (healed, brought back, found shorter than it was) is told by an event in the same write.
"""

import contextlib
import errno
import os
import stat
import time
from collections.abc import Iterator

from linetrail.ledger.errors import StorageError
from linetrail.ledger.event.event import Event, line_digest, new_id, rfc3339
from linetrail.ledger.files import (
    PRIVATE_FILE,
    NotAFileError,
    aside_name,
    locked,
    make_folder,
    publish,
    sync,
    sync_folder,
    write_whole,
)
from linetrail.ledger.hashes import sha256
from linetrail.ledger.log.chain import START, End, Head
from linetrail.ledger.log.tail_link import Anchor

QUARANTINE = "quarantine"
# Behind the name of a tail: a sync of it failed, and so did writing it anew.
UNSYNCED = ".unsynced"
# How far the note may stay behind, in bytes, while others go on writing.
NOTE_EVERY = 8192
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Tail:
    """The tail while it is open and locked."""

    def __init__(self, fd: int, path: str, anchor: Anchor | None) -> None:
        self.fd, self.path = fd, path
        self._noted, newest = (START, "") if anchor is None else anchor.read()
        self.end = End(fd, path, None if anchor is None else self._noted)
        self.head = self.end.head
        # A note of another file tells nothing about the ids in this one.
        noted = newest if self.end.sure == self._noted.size else ""
        self.newest_id = max(noted, self.end.newest_id()) if self.end.sure < self.head.size else noted
        self._folder = os.path.dirname(path)
        self._anchor = anchor
        self._written = False

    def tied(self) -> bool:
        """Make sure that the tail has its second name; False when that held more and is the tail from now on."""
        if self._anchor is None or os.fstat(self.fd).st_nlink > 1:
            return True
        return self._anchor.tie(self.fd, self.path, os.path.join(self._folder, QUARANTINE))

    def incidents(self, *, restored: bool) -> Iterator[Event]:
        """Put right what happened to the tail since the last write, and yield an event for each such thing."""
        if restored:
            yield _told("ledger.restored", {"lines": self.head.seq})
        is_short = self._anchor is not None and self.end.sure != self._noted.size
        if is_short and not _is_sealed(self._folder, self._noted.digest):
            lines = max(self._noted.seq - self.head.seq, 1)
            yield _told("ledger.lost", {"lines": lines, "digest": self._noted.digest})
        if self.end.stump is not None:
            yield self._healed(self.end.stump)

    def write(self, lines: list[bytes], newest_id: str) -> None:
        """Add whole lines in one write, or none of them."""
        if not lines:
            return
        if not self.head.size:
            # A file whose name is not on the disk would take with it what others wrote into it and synced.
            with storage(self._folder):
                sync_folder(self._folder)
        content = b"".join(lines)
        write_whole(self.fd, content, self.head.size, self.path)
        self.head = Head(self.head.size + len(content), self.head.seq + len(lines), line_digest(lines[-1]))
        self.newest_id = max(self.newest_id, newest_id)
        self._written = True

    def settle(self, seconds: float) -> None:
        """Return when what was written is on the disk; the lock need not be held."""
        if not self._written:
            return
        self._written = False
        try:
            sync(self.fd)
        except OSError:
            with storage(self.path), locked(self.fd, seconds, self.path):
                if _is_named(self.fd, self.path):
                    self.renew()
        if self._anchor is not None and self._is_to_be_noted():
            self._anchor.write(self.head, self.newest_id)

    def _is_to_be_noted(self) -> bool:
        """Return whether the note is due: no other process has appended since our last write, or the note is old."""
        with contextlib.suppress(OSError):
            return self.head.size - self._noted.size > NOTE_EVERY or os.fstat(self.fd).st_size == self.head.size
        return True

    def renew(self) -> None:
        """Write everything into a new file: after a failed sync the next may succeed and have written nothing.

        The mark needs no sync itself; it has to live only as long as what the system keeps in memory.
        """
        mark = self.path + UNSYNCED
        os.close(os.open(mark, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, PRIVATE_FILE))
        self.replace(os.pread(self.fd, os.fstat(self.fd).st_size, 0))
        os.unlink(mark)

    def replace(self, content: bytes = b"") -> None:
        """Put another file in the place of this one, for good."""
        aside = aside_name(self.path, os.path.join(self._folder, "state"))
        fd = os.open(aside, _FLAGS | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
        try:
            # Nobody may add to it before its name is on the disk.
            with locked(fd, 0, aside):
                write_whole(fd, content, 0, aside)
                sync(fd)
                if self._anchor is not None:
                    self._anchor.hand_over(aside)
                os.replace(aside, self.path)
                sync_folder(self._folder)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(aside)
            raise
        finally:
            os.close(fd)

    def _healed(self, stump: bytes) -> Event:
        """Move a torn last line aside, then cut it off; the event says where its bytes are."""
        offset = self.head.size
        name = f"{offset}-{sha256(stump).hexdigest()[:16]}.torn"
        with storage(self._folder):
            publish(os.path.join(self._folder, QUARANTINE, name), stump, durable=True)
            os.ftruncate(self.fd, offset)
            # Or a power cut might leave what is written next in between bytes of the stump.
            sync(self.fd)
        data = {"quarantined": f"{QUARANTINE}/{name}", "bytes": len(stump), "offset": offset}
        return _told("ledger.repaired", data)


@contextlib.contextmanager
def hold(path: str, anchor: Anchor | None, seconds: float) -> Iterator[tuple[Tail, list[Event]]]:
    """Hold the tail alone, with what is to be told about it; what was written is on the disk at the end.

    The sync comes after the lock is let go: writers do not queue for the disk.
    """
    restored = False
    while True:
        fd, brought_back = _open(path, anchor)
        restored = restored or brought_back
        try:
            with locked(fd, seconds, path):
                with storage(path):
                    if not _is_named(fd, path):
                        continue
                    if not stat.S_ISREG(os.fstat(fd).st_mode):
                        raise NotAFileError(errno.EINVAL, "Not a regular file", path)
                    tail = Tail(fd, path, anchor)
                    if os.path.exists(path + UNSYNCED):
                        tail.renew()
                        continue
                    if not tail.tied():
                        restored = True
                        continue
                yield tail, list(tail.incidents(restored=restored))
            tail.settle(seconds)
            return
        finally:
            os.close(fd)


@contextlib.contextmanager
def storage(path: str) -> Iterator[None]:
    """Say as a StorageError what the disk refused."""
    try:
        yield
    except OSError as error:
        raise StorageError(f"cannot write {error.filename or path}: {error.strerror}") from None


def _open(path: str, anchor: Anchor | None) -> tuple[int, bool]:
    """Open the tail; where it is gone it is brought back, and where there never was one it is made."""
    with storage(path):
        try:
            return os.open(path, _FLAGS), False
        except FileNotFoundError:
            make_folder(os.path.dirname(path), durable=True)
            brought_back = anchor is not None and anchor.bring_back(path)
            return os.open(path, _FLAGS | os.O_CREAT, PRIVATE_FILE), brought_back


def _is_sealed(folder: str, digest: str) -> bool:
    from linetrail.ledger.log import segments  # a tail is short once in a while

    return segments.hold(folder, digest)


def _is_named(fd: int, path: str) -> bool:
    """Return whether the open file is still the one of this name."""
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False


def _told(kind: str, data: dict[str, object]) -> Event:
    now = time.time_ns()
    return Event(new_id(now), rfc3339(now), kind, None, None, "unknown", None, None, data)
