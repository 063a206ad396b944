"""Follow the chain of lines in one file: the live tail, or the body of a segment.

A line is never changed once its newline is on disk. A last line without a newline is a write that never finished:
readers stop before it. Anything else that does not follow from the line before is damage, named by file and offset.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from linetrail.ledger.errors import EventError, FutureLedgerError, IntegrityError
from linetrail.ledger.event.event import GENESIS, MAX_LINE_BYTES, Event, from_line, line_digest

if TYPE_CHECKING:
    from mmap import mmap

# What stands before the id of a line.
BEFORE_ID = b'{"v":1,'


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


def find(lines: "bytes | mmap", event_id: str) -> Event | None:
    """Return the event with this id out of whole lines."""
    needle = b'"id":"%s"' % event_id.encode()
    at = lines.rfind(needle)
    while at >= 0:
        start, end = lines.rfind(b"\n", 0, at) + 1, lines.find(b"\n", at) + 1
        if start + len(BEFORE_ID) == at:
            return from_line(lines[start:end])
        at = lines.rfind(needle, 0, start)
    return None
