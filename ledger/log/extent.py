"""What a ledger holds at one moment, in its order: segments, then the lines of the tail that are not sealed.

The tail is opened before the segments are listed, and stays open: whoever seals it meanwhile puts another file in its
place and changes nothing in this one. So a reader sees every line once, whatever happens while it reads.
"""

import contextlib
import io
import itertools
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple, Self

from linetrail.ledger.errors import EventError, IntegrityError
from linetrail.ledger.event.event import MAX_LINE_BYTES, Event, from_line
from linetrail.ledger.files import open_file, sha256
from linetrail.ledger.log import chain, integrity, segments
from linetrail.ledger.log.chain import START, Head, Line
from linetrail.ledger.log.seal import sealed_end
from linetrail.ledger.log.segments import Segment
from linetrail.ledger.log.tail import End
from linetrail.ledger.repository import Repository


class Run(NamedTuple):
    """Lines that stand together in one file: the first so many of a segment, or of the tail where `segment` is None."""

    segment: Segment | None
    events: int


class Extent:
    """A ledger as it was when this was opened, without the segments, and the end of the tail, that are damaged."""

    def __init__(
        self, folder: str, tail_path: str, noted: Head | None = None, repository: Repository | None = None
    ) -> None:
        """Open it; what of the tail was noted is known to be on the disk. What git should have is asked of its own."""
        self.folder, self.path = folder, tail_path
        self._tail: BinaryIO = io.BytesIO()
        known: dict[str, Segment] = {}
        damage: list[IntegrityError] = []
        try:
            self._tail = open_file(tail_path)
        except FileNotFoundError:
            pass
        except OSError as error:
            damage.append(IntegrityError(tail_path, 0, "UNREADABLE_LINE", f"cannot be read: {error.strerror}"))
        try:
            known, unreadable = segments.read_headers(folder, whole=True)
            damage += [*unreadable, *segments.unfounded(folder, known)]
            self.head = self._end(noted, damage)
            self.base = sealed_end(self._tail, known)
            missing = [segments.missing(folder, name, child) for name, child in segments.absent(known).items()]
            gone = () if repository is None else tuple(integrity.gone(repository, segments.names(folder)))
        except BaseException:
            self._tail.close()
            raise
        self.damage = tuple({error.file: error for error in (*gone, *missing, *reversed(damage))}.values())
        runs = [Run(segment, segment.events) for segment in segments.ordered(known)]
        self.runs = (*runs, Run(None, self.head.seq - self.base.seq))

    @property
    def events(self) -> int:
        return sum(run.events for run in self.runs)

    @property
    def segments(self) -> list[Segment]:
        return [run.segment for run in self.runs if run.segment is not None]

    def digest(self) -> str:
        """Name everything that is held."""
        text = "\n".join([*(segment.name for segment in self.segments), self.head.digest])
        return sha256(text.encode()).hexdigest()

    def read(self, run: Run) -> Iterator[Line]:
        """Yield the lines of a run; raise at the first that does not follow."""
        lines = self.read_tail(self.base) if run.segment is None else self.read_segment(run.segment)
        return itertools.islice(lines, run.events)

    def read_segment(self, segment: Segment) -> Iterator[Line]:
        """Yield the lines of a segment; raise where its content is not what it was named by."""
        return segments.lines(self.folder, segment)

    def sound(self) -> int:
        """Return how many lines of the tail can be read before one that is damaged."""
        count = 0
        with contextlib.suppress(IntegrityError):
            for _ in self.read_tail(self.base):
                count += 1
        return count

    def read_tail(self, start: Head) -> Iterator[Line]:
        """Yield the lines of the tail after `start`, up to the end it had."""
        if start.size >= self.head.size:
            return
        for line in chain.read(self._tail, self.path, start):
            yield line
            if line.offset + len(line.raw) >= self.head.size:
                return

    def raw_tail(self, start: Head) -> Iterator[bytes]:
        """Yield the lines of the tail after `start` as they are, up to the end it had."""
        return chain.raw_lines(self._tail, start, self.head)

    def tail_lines(self) -> bytes:
        """Return the lines of the tail that are not sealed, as they are."""
        self._tail.seek(self.base.size)
        return self._tail.read(max(self.head.size - self.base.size, 0))

    def line_at(self, offset: int) -> Event | None:
        """Return the event whose line begins at an offset of the tail; None at its end."""
        self._tail.seek(offset)
        raw = self._tail.readline(MAX_LINE_BYTES + 1)
        return from_line(raw) if raw else None

    def end_at(self, size: int, seq: int) -> Head | None:
        """Return the end of the chain behind so many bytes of the tail, if that is behind the line of this number."""
        if size == self.head.size:
            return self.head if self.head.seq == seq else None
        try:
            following = self.line_at(size)
        except EventError:
            return None
        is_next = following is not None and following.seq == seq + 1
        return Head(size, seq, following.prev) if following and is_next and following.prev else None

    def close(self) -> None:
        self._tail.close()

    def _end(self, noted: Head | None, damage: list[IntegrityError]) -> Head:
        """Find the end of the tail; where the last line is no line, that is damage, and the end is before it."""
        if isinstance(self._tail, io.BytesIO):
            problem = noted and integrity.cut(self._tail, self.path, self.folder, START, noted)
            damage += [problem] if problem else []
            return START
        try:
            end = End(self._tail.fileno(), self.path, noted)
        except IntegrityError as error:
            damage.append(error)
            return self._last_sound()
        sound, problem = integrity.follow(self._tail, self.path, self.folder, end.head)
        if problem is None and noted is not None:
            problem = integrity.cut(self._tail, self.path, self.folder, sound, noted)
        if problem is not None:
            damage.append(problem)
        elif noted is None and end.stump and b"\n" in end.stump:
            message = "NULs, as a power cut leaves, and whole lines behind them"
            damage.append(IntegrityError(self.path, end.head.size, "UNREADABLE_LINE", message))
        return sound

    def _last_sound(self) -> Head:
        last = START
        with contextlib.suppress(IntegrityError):
            for line in chain.read(self._tail, self.path, START):
                last = line.end
        return last

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
