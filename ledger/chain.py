"""Follow the chain of lines in one file: the live tail, or the body of a segment.

A line is never changed once its newline is on disk. A last line without a newline is a write that never finished:
readers stop before it. Anything else that does not follow from the line before is damage, named by file and offset.
"""

import os
import re
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from linetrail.ledger.errors import EventError, FutureLedgerError, IntegrityError
from linetrail.ledger.event import GENESIS, MAX_LINE_BYTES, Event, from_line, line_digest

# How far back an append looks for its own ids. A whole last line and a whole torn one always fit.
WINDOW = 2 * MAX_LINE_BYTES
# How each line begins, so that a file of somebody else's is not taken for a torn line.
_OPENING = b'{"v":'
_ID = re.compile(rb'\{"v":\d+,"id":"([^"]+)"')
_CHUNK = 1 << 20


class Line(NamedTuple):
    """One stored line: where it begins in its file, its bytes, and the event it holds."""

    offset: int
    raw: bytes
    event: Event


class Head(NamedTuple):
    """An end of a chain: bytes of whole lines, number of the last one, and the hash the next one follows."""

    size: int
    seq: int
    digest: str


START = Head(0, 0, GENESIS)


def read(file: BinaryIO, path: str, start: Head = START) -> Iterator[Line]:
    """Yield the lines after `start` in order; stop at a torn tail, raise at the first that does not follow."""
    for line, problem in judged(file, path, start):
        if problem is not None:
            raise problem
        if line is not None:
            yield line


def judged(file: BinaryIO, path: str, start: Head) -> Iterator[tuple[Line | None, IntegrityError | None]]:
    """Yield each line after `start` with what is wrong with it, each judged by the one before it."""
    file.seek(start.size)
    offset, seq, digest = start
    while raw := file.readline(MAX_LINE_BYTES + 1):
        if b"\0" in raw:
            # A hole that a power cut left; the next append moves it aside.
            return
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
    """The last lines of an open file, read from its end.

    `sure` bytes are known to be on the disk. Behind them a power cut may have left a hole: no line holds a NUL, so
    where one is, a write did not reach the disk, and what comes from its line on was never acknowledged.
    """

    def __init__(self, fd: int, path: str, sure: int | None = None) -> None:
        size = os.fstat(fd).st_size
        end = _hole(fd, size, sure)
        window = os.pread(fd, WINDOW, max(end - WINDOW, 0))[: min(WINDOW, end)]
        whole, newline, _ = window.rpartition(b"\n")
        at = end - len(window) + len(whole + newline)
        self.stump = os.pread(fd, size - at, at) or None
        # Not `splitlines`, to which a carriage return ends a line.
        self.lines = [line + b"\n" for line in whole.split(b"\n")] if newline else []
        if end > WINDOW and self.lines:
            self.lines.pop(0)
        self._fd = fd
        self._starts = b"".join(raw[:64] for raw in self.lines)
        if not self.lines:
            _must_be_new(path, end, self.stump or b"")
            self.head = START
            return
        last = self.lines[-1]
        try:
            seq = from_line(last).seq or 0
        except FutureLedgerError:
            raise
        except EventError as error:
            raise IntegrityError(path, at - len(last), "UNREADABLE_LINE", str(error)) from None
        self.head = Head(at, seq, line_digest(last))

    @property
    def newest_id(self) -> str:
        """Return the highest id among the last lines."""
        return max((match[1].decode() for match in map(_ID.match, self.lines) if match), default="")

    def find(self, event_id: str, *, everywhere: bool) -> Event | None:
        """Return the event with this id if it is among the last lines, or anywhere in the file."""
        needle = b'"id":"%s"' % event_id.encode()
        if needle in self._starts:
            return next((from_line(raw) for raw in self.lines if needle in raw[:64]), None)
        return find(os.pread(self._fd, self.head.size, 0), event_id) if everywhere else None


def find(lines: bytes, event_id: str) -> Event | None:
    """Return the event with this id out of whole lines."""
    needle = b'"id":"%s"' % event_id.encode()
    at = lines.find(needle)
    while at >= 0:
        start, end = lines.rfind(b"\n", 0, at) + 1, lines.find(b"\n", at) + 1
        event = from_line(lines[start:end])
        if event.id == event_id:
            return event
        at = lines.find(needle, end)
    return None


def _hole(fd: int, size: int, sure: int | None) -> int:
    """Return where the first NUL is in what is not sure to be on the disk; without one, the end of the file."""
    at = max(size - WINDOW, 0)
    if sure is not None:
        at = min(at, sure)
    while at < size:
        chunk = os.pread(fd, _CHUNK, at)
        hole = chunk.find(b"\0")
        if hole >= 0:
            return at + hole
        at += len(chunk) or size
    return size


def _must_be_new(path: str, end: int, stump: bytes) -> None:
    """Refuse a file without a whole line that a torn write of ours cannot have left."""
    if end > WINDOW:
        raise IntegrityError(path, end - WINDOW, "LINE_TOO_LONG", f"no line ends in the last {WINDOW} bytes")
    if stump.startswith(b"{") and stump[: len(_OPENING)] != _OPENING[: len(stump)]:
        raise IntegrityError(path, 0, "UNREADABLE_LINE", "not a line that was torn: it is none of ours")
