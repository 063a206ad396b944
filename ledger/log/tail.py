"""The live tail: the one file that is written to, held by one process at a time.

A torn last line is healed before anything is added: its bytes are moved to ``quarantine/``, so none is lost. What
happened to the tail (healed, brought back, found shorter than it was) is told by an event in the same write.

The tail is ignored by git, so `git clean -fdx` or the removal of a worktree deletes it. Its anchor keeps it: a second
name in git's own folder, and a note of its end. A hard link costs nothing and holds the same bytes, so nothing is lost
with the first name. Where lines were cut off in place, or a disk has no hard links, the note tells that something is
missing.
"""

import contextlib
import errno
import os
import stat
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.errors import EventError, FutureLedgerError, IntegrityError, StorageError
from linetrail.ledger.event.event import MAX_LINE_BYTES, Event, from_line, line_digest, new_id, rfc3339
from linetrail.ledger.files import (
    PRIVATE_FILE,
    NotAFileError,
    aside_name,
    locked,
    make_folder,
    publish,
    sha256,
    sync,
    sync_folder,
    write_whole,
)
from linetrail.ledger.log.chain import BEFORE_ID, START, Head, find
from linetrail.ledger.repository import Repository

MAIN, WORKTREES = "main", "worktrees"
_LINK, _NOTE = ".jsonl", ".end"
_CHUNK = 1 << 20
# How far back an append looks for its own ids. A whole last line and a whole torn one always fit.
WINDOW = 2 * MAX_LINE_BYTES
# Most last lines are found with one short look.
_GLANCE = 8192
# How each line begins, so that a file of somebody else's is not taken for a torn line.
_BEGIN = b'{"v":'
QUARANTINE = "quarantine"
# Behind the name of a tail: a sync of it failed, and so did writing it anew.
UNSYNCED = ".unsynced"
# How far the note may stay behind, in bytes, while others go on writing.
NOTE_EVERY = 8192
_FLAGS = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Anchor(NamedTuple):
    """The second name and the note of one worktree's tail."""

    folder: str
    name: str

    @property
    def link(self) -> str:
        return os.path.join(self.folder, self.name + _LINK)

    @property
    def note(self) -> str:
        """The file that says how far the tail went."""
        return os.path.join(self.folder, self.name + _NOTE)

    def bring_back(self, tail: str) -> bool:
        """Give the tail its first name again where only the second is left."""
        try:
            os.link(self.link, tail)
        except OSError:
            return False
        sync_folder(os.path.dirname(tail))
        return True

    def tie(self, fd: int, tail: str, quarantine: str) -> bool:
        """Make the second name one of the open, locked tail; False when the second held more and took its place."""
        with contextlib.suppress(OSError):
            make_folder(self.folder, durable=True)
            ours, kept = os.fstat(fd).st_size, _size(self.link)
            same = kept is None or _same_start(fd, self.link, min(ours, kept))
            if same and kept is not None and kept > ours:
                self._put(self.link, tail)
                return False
            if not same:
                make_folder(quarantine, durable=True)
                os.replace(self.link, aside_name(os.path.join(quarantine, os.path.basename(self.link))))
            self._put(tail, self.link)
        return True

    def hand_over(self, successor: str) -> None:
        """Let the second name be one of the file that is about to become the tail."""
        self.write(START, "")
        with contextlib.suppress(OSError):
            self._put(successor, self.link)

    def write(self, head: Head, newest_id: str) -> None:
        """Note how far the tail goes. What a crash leaves unwritten makes the note older, and that is no alarm."""
        with contextlib.suppress(OSError):
            fd = os.open(self.note, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
            # Of one length, and a sum at the end: who reads meanwhile may see half of it and half of an older one.
            fields = f"{head.size:016d}", f"{head.seq:016d}", newest_id[:36] or "-", head.digest
            try:
                os.write(fd, "{} {} {:36} {} {}\n".format(*fields, _sum(fields)).encode())
            finally:
                os.close(fd)

    def read(self) -> tuple[Head, str]:
        """Return how far the tail was noted to go, and the highest id in it; the start when nothing was noted."""
        try:
            fd = os.open(self.note, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return START, ""
        try:
            return _parsed(os.read(fd, 200).decode("ascii"))
        except (OSError, ValueError):
            return START, ""
        finally:
            os.close(fd)

    def release(self) -> None:
        """Forget a tail whose lines are all sealed."""
        for path in (self.link, self.note):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

    def _put(self, existing: str, name: str) -> None:
        """Give a file another name in one step, whatever had that name before."""
        aside = aside_name(os.path.join(self.folder, os.path.basename(name)))
        os.link(existing, aside)
        os.replace(aside, name)
        sync_folder(os.path.dirname(name))


class End:
    """The end of an open file: its last whole line, and what a write that never finished left behind it.

    What was `noted` is known to be on the disk. Behind it a power cut may have left a hole: no line holds a NUL, so
    where one is, a write did not reach the disk, and what comes from its line on was never acknowledged.
    """

    def __init__(self, fd: int, path: str, noted: Head | None = None) -> None:
        self._fd = fd
        size = os.fstat(fd).st_size
        self.sure = max(size - WINDOW, 0) if noted is None else self._sure(noted, size)
        if noted is not None and self.sure == size > 0:
            self.stump, self.head = None, noted
            return
        end = _hole(fd, size, self.sure)
        last, at = self._last_line(end, _GLANCE) or self._last_line(end, WINDOW) or (b"", 0)
        self.stump = (os.pread(fd, size - at, at) or None) if at < size else None
        if not last:
            _must_be_new(path, end, self.stump or b"")
            self.head = START
            return
        try:
            seq = from_line(last).seq or 0
        except FutureLedgerError:
            raise
        except EventError as error:
            raise IntegrityError(path, at - len(last), "UNREADABLE_LINE", str(error)) from None
        self.head = Head(at, seq, line_digest(last))

    def newest_id(self) -> str:
        """Return the highest id behind what is sure; without a note, among the last lines."""
        newest, rest = b"", b""
        at = len(BEFORE_ID) + len(b'"id":"')
        for start in range(self.sure, self.head.size, _CHUNK):
            *lines, rest = (rest + os.pread(self._fd, _CHUNK, start)).split(b"\n")
            newest = max([newest, *(line[at : at + 36] for line in lines if line.startswith(BEFORE_ID))])
        return newest.decode(errors="replace")

    def find(self, event_id: str, *, everywhere: bool) -> Event | None:
        """Return the event with this id if it is among the last lines, or anywhere in the file."""
        if not everywhere or not self.head.size:
            return find(self._window(), event_id)
        from mmap import ACCESS_READ, mmap  # hooks look for what is older than the last lines when they try again only

        with mmap(self._fd, self.head.size, access=ACCESS_READ) as lines:
            return find(lines, event_id)

    def _sure(self, noted: Head, size: int) -> int:
        """Return how much is on the disk: a note may be of another file, which this one has taken the place of."""
        if not 0 < noted.size <= size:
            return 0
        last, _ = self._last_line(noted.size, _GLANCE) or self._last_line(noted.size, WINDOW) or (b"", 0)
        return noted.size if line_digest(last) == noted.digest else 0

    def _window(self) -> bytes:
        size = self.head.size
        return os.pread(self._fd, min(size, WINDOW), max(size - WINDOW, 0))

    def _last_line(self, end: int, reach: int) -> tuple[bytes, int] | None:
        """Return the last whole line before `end` and where it ends, if it is within reach."""
        start = max(end - reach, 0)
        window = os.pread(self._fd, end - start, start)
        stop = window.rfind(b"\n") + 1
        begin = window.rfind(b"\n", 0, max(stop - 1, 0)) + 1
        return (window[begin:stop], start + stop) if stop and (begin or not start) else None


class Tail:
    """The tail while it is open and locked."""

    def __init__(self, fd: int, path: str, anchor: Anchor | None) -> None:
        self.fd, self.path = fd, path
        self._noted, newest = (START, "") if anchor is None else anchor.read()
        self.end = End(fd, path, None if anchor is None else self._noted)
        self.head = self.end.head
        # A note of another file tells nothing about the ids in this one.
        noted = newest if self.end.sure == self._noted.size else ""
        self.newest_id = max(noted, self.end.newest_id())
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


def anchor(repository: Repository) -> Anchor | None:
    """Return the anchor of a worktree's tail; without git there is none."""
    if repository.git_dir is None or repository.common_dir is None:
        return None
    folder = os.path.join(repository.common_dir, "linetrail", "tails")
    if repository.git_dir == repository.common_dir:
        return Anchor(folder, MAIN)
    return Anchor(folder, f"{WORKTREES}-{os.path.basename(repository.git_dir)}")


def orphans(repository: Repository) -> Iterator[Anchor]:
    """Yield the anchors of worktrees that are gone."""
    ours = anchor(repository)
    if ours is None or repository.common_dir is None:
        return
    with contextlib.suppress(OSError):
        for entry in sorted(os.listdir(ours.folder)):
            name, kind = os.path.splitext(entry)
            gone = name.removeprefix(f"{WORKTREES}-")
            known = os.path.isdir(os.path.join(repository.common_dir, WORKTREES, gone))
            if kind == _LINK and gone != name and not known:
                yield Anchor(ours.folder, name)


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


def _hole(fd: int, size: int, start: int) -> int:
    """Return where the first NUL behind `start` is; without one, the end of the file."""
    for at in range(start, size, _CHUNK):
        hole = os.pread(fd, _CHUNK, at).find(b"\0")
        if hole >= 0:
            return at + hole
    return size


def _must_be_new(path: str, end: int, stump: bytes) -> None:
    """Refuse a file without a whole line that a torn write of ours cannot have left."""
    if end > WINDOW:
        raise IntegrityError(path, end - WINDOW, "LINE_TOO_LONG", f"no line ends in the last {WINDOW} bytes")
    if stump.startswith(b"{") and stump[: len(_BEGIN)] != _BEGIN[: len(stump)]:
        raise IntegrityError(path, 0, "UNREADABLE_LINE", "not a line that was torn: it is none of ours")


def _parsed(note: str) -> tuple[Head, str]:
    """Read a note; half a one is none. Without a sum it is of an earlier linetrail."""
    size, seq, newest, digest, *told = note.split()
    if not note.endswith("\n") or told not in ([], [_sum((size, seq, newest, digest))]):
        raise ValueError(note)
    return Head(int(size), int(seq), digest), newest


def _sum(fields: Sequence[str]) -> str:
    """Return what tells a note from pieces of two."""
    return sha256(" ".join(fields).encode()).hexdigest()[:16]


def _size(path: str) -> int | None:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return None


def _same_start(fd: int, path: str, size: int) -> bool:
    """Return whether two files begin with the same bytes."""
    with open(path, "rb") as other:
        return all(
            os.pread(fd, min(_CHUNK, size - at), at) == other.read(min(_CHUNK, size - at))
            for at in range(0, size, _CHUNK)
        )


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
