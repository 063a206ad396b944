"""Follow the chain of lines in one file: the live tail, or the body of a segment.

A line is never changed once its newline is on disk. A last line without a newline is a write that never finished:
readers stop before it. Anything else that does not follow from the line before is damage, named by file and offset.
"""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from linetrail.ledger.errors import EventError, FutureLedgerError, IntegrityError
from linetrail.ledger.event.event import GENESIS, MAX_LINE_BYTES, Event, from_line, line_digest

if TYPE_CHECKING:
    from mmap import mmap

# How far back an append looks for its own ids. A whole last line and a whole torn one always fit.
WINDOW = 2 * MAX_LINE_BYTES
# Most last lines are found with one short look.
_GLANCE = 8192
# How each line begins, so that a file of somebody else's is not taken for a torn line.
_BEGIN = b'{"v":'
_BEFORE_ID = b'{"v":1,'
_CHUNK = 1 << 20


class Line(NamedTuple):
    """One stored line: where it begins in its file, its bytes, and the event it holds."""

    offset: int
    raw: bytes
    event: Event

    @property
    def end(self) -> "Head":
        """What the next line follows."""
        return Head(self.offset + len(self.raw), self.event.seq or 0, line_digest(self.raw))


class Head(NamedTuple):
    """An end of a chain: bytes of whole lines, number of the last one, and the hash the next one follows."""

    size: int
    seq: int
    digest: str

    @property
    def is_full(self) -> bool:
        """Whether a chain is long enough to be sealed."""
        return self.seq >= FULL_EVENTS or self.size >= FULL_BYTES


# A tail that reaches either is to be sealed, and no segment holds more.
FULL_EVENTS, FULL_BYTES = 5_000, 4 * 1024 * 1024
START = Head(0, 0, GENESIS)


def read(file: BinaryIO, path: str, start: Head = START) -> Iterator[Line]:
    """Yield the lines after `start` in order; stop at a torn tail, raise at the first that does not follow."""
    for line, problem in judged(file, path, start):
        if problem is not None:
            raise problem
        if line is not None:
            yield line


def raw_lines(file: BinaryIO, start: Head, end: Head) -> Iterator[bytes]:
    """Yield the lines from `start` to `end` as they are."""
    file.seek(start.size)
    left = end.size - start.size
    while left > 0 and (raw := file.readline(min(left, MAX_LINE_BYTES + 1))):
        yield raw
        left -= len(raw)


def judged(file: BinaryIO, path: str, start: Head) -> Iterator[tuple[Line | None, IntegrityError | None]]:
    """Yield each line after `start` with what is wrong with it, each judged by the one before it."""
    file.seek(start.size)
    offset, seq, digest = start
    while raw := file.readline(MAX_LINE_BYTES + 1):
        if not raw.endswith(b"\n"):
            if len(raw) > MAX_LINE_BYTES and any(b"\n" in chunk for chunk in file):
                message = f"line longer than {MAX_LINE_BYTES} bytes"
                yield None, IntegrityError(path, offset, "LINE_TOO_LONG", message)
            return
        line, problem = judge(raw, path, Head(offset, seq, digest))
        yield line, problem
        offset, seq, digest = offset + len(raw), (line and line.event.seq) or seq + 1, line_digest(raw)


def judge(raw: bytes, path: str, after: Head) -> tuple[Line | None, IntegrityError | None]:
    """Read one whole line strictly, and tell whether it follows."""
    try:
        event = from_line(raw)
    except FutureLedgerError:
        raise
    except EventError as error:
        return None, IntegrityError(path, after.size, "UNREADABLE_LINE", str(error))
    line = Line(after.size, raw, event)
    if event.seq == after.seq + 1 and event.prev == after.digest:
        return line, None
    found = f"found seq {event.seq} after {str(event.prev)[:16]}"
    message = f"line does not follow: expected seq {after.seq + 1} after {after.digest[:16]}, {found}"
    return line, IntegrityError(path, after.size, "BROKEN_CHAIN", message)


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
        at = len(_BEFORE_ID) + len(b'"id":"')
        for start in range(self.sure, self.head.size, _CHUNK):
            *lines, rest = (rest + os.pread(self._fd, _CHUNK, start)).split(b"\n")
            newest = max([newest, *(line[at : at + 36] for line in lines if line.startswith(_BEFORE_ID))])
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


def find(lines: "bytes | mmap", event_id: str) -> Event | None:
    """Return the event with this id out of whole lines."""
    needle = b'"id":"%s"' % event_id.encode()
    at = lines.rfind(needle)
    while at >= 0:
        start, end = lines.rfind(b"\n", 0, at) + 1, lines.find(b"\n", at) + 1
        if start + len(_BEFORE_ID) == at:
            return from_line(lines[start:end])
        at = lines.rfind(needle, 0, start)
    return None


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
