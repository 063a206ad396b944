"""Follow the chain of lines in one file: the live tail, or the body of a segment.

A line is never changed once its newline is on disk. A last line without a newline is a write that never finished:
readers stop before it. Anything else that does not follow from the line before is damage, named by file and offset.
"""

import os
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from linetrail.ledger.errors import EventError, FutureLedgerError, IntegrityError
from linetrail.ledger.event import GENESIS, MAX_LINE_BYTES, Event, from_line, line_digest

# How far back an append looks for its own ids. A whole last line and a whole torn one always fit.
WINDOW = 2 * MAX_LINE_BYTES
# How each line begins, so that a file of somebody else's is not taken for a torn line.
_OPENING = b'{"v":'


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
    """The last lines of an open file, read from its end."""

    def __init__(self, fd: int, path: str) -> None:
        size = os.fstat(fd).st_size
        window = os.pread(fd, WINDOW, max(size - WINDOW, 0)) if size else b""
        whole, newline, stump = window.rpartition(b"\n")
        self.stump = stump or None
        self.lines = (whole + newline).splitlines(keepends=True) if newline else []
        if size > WINDOW and self.lines:
            self.lines.pop(0)
        self._starts = b"".join(raw[:64] for raw in self.lines)
        if not self.lines:
            if size > WINDOW:
                raise IntegrityError(path, size - WINDOW, "LINE_TOO_LONG", f"no line ends in the last {WINDOW} bytes")
            if stump.startswith(b"{") and stump[: len(_OPENING)] != _OPENING[: len(stump)]:
                raise IntegrityError(path, 0, "UNREADABLE_LINE", "not a line that was torn: it is none of ours")
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
