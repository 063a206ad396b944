"""Judge lines in processes of their own, as many as there are processors: answers in order, whatever a process dies of.

One line at a time is at work in a process, so one that dies or hangs takes its own line along and no other. Nothing
grows with the input: a line is forgotten once it is answered, and only so many answers wait for an earlier one.
"""

import contextlib
import multiprocessing
import os
import select
import signal
import stat
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import BinaryIO, Generic, NamedTuple, TypeVar

# Nothing that somebody wants judged takes a hundredth of it.
LINE_SECONDS = 60.0
MAX_PROCESSES = 8
# Answers that may wait for an earlier line.
WINDOW = 256
CHUNK = 1 << 20
CRASHED, TOO_SLOW = "CRASHED", "TOO_SLOW"

Answer = TypeVar("Answer")
# a line -> its answer; None stands for a line that was too long to be held
Work = Callable[[bytes | None], Answer]
# a line, a code and a sentence that say why there is no answer -> what is answered instead
Excuse = Callable[[bytes | None, str, str], Answer]


def available() -> int:
    """Return how many processes are worth having; 0 where a process cannot be made of this one."""
    if "fork" not in multiprocessing.get_all_start_methods():
        return 0
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(processors, MAX_PROCESSES)


def answers(
    file: BinaryIO, work: Work[Answer], excuse: Excuse[Answer], *, limit: int, processes: int
) -> Iterator[Answer]:
    """Yield the answer to each line of a file, in order; `limit` is how long a line may be.

    An answer is there as soon as it is found, also while whoever writes the lines waits for it.
    """
    team = _Team(work, excuse, processes)
    lines = _Lines(file.fileno(), limit)
    try:
        while True:
            yield from team.finished()
            line = lines.next(block=not team.is_busy()) if team.has_room() else None
            if line is not None:
                team.take(line)
            elif team.is_busy():
                team.wait(lines.waited_for() if team.has_room() else [])
            else:
                return
    finally:
        team.close()


class Line(NamedTuple):
    """A line without its end; `raw` is None where it was too long."""

    raw: bytes | None


class _Lines:
    """The lines of a file, read without waiting longer than is wanted."""

    def __init__(self, fd: int, limit: int) -> None:
        self._fd, self._limit = fd, limit
        self._regular = stat.S_ISREG(os.fstat(fd).st_mode)
        self._held = bytearray()
        self._searched = 0
        self._skipping = False
        self.ended = False

    def next(self, *, block: bool) -> Line | None:
        """Return a line; None at the end, or where none is there yet and nobody wants to wait."""
        while True:
            end = self._held.find(b"\n", self._searched)
            if end >= 0:
                return self._cut(end, end + 1)
            self._searched = len(self._held)
            if self._searched > self._limit:
                self._skipping = True
                self._forget(self._searched)
            if self.ended:
                return self._cut(self._searched, self._searched) if self._held or self._skipping else None
            if not (block or self._regular or select.select([self._fd], [], [], 0)[0]):
                return None
            chunk = os.read(self._fd, CHUNK)
            self._held += chunk
            self.ended = not chunk

    def waited_for(self) -> list[int]:
        """Return what tells that there is more to read."""
        return [] if self.ended or self._regular else [self._fd]

    def _cut(self, end: int, behind: int) -> Line:
        line = Line(None if self._skipping or end > self._limit else bytes(self._held[:end]))
        self._skipping = False
        self._forget(behind)
        return line

    def _forget(self, size: int) -> None:
        del self._held[:size]
        self._searched = 0


class _Slot(Generic[Answer]):
    """The place of a line among the answers."""

    def __init__(self, line: Line) -> None:
        self.line: Line | None = line
        self.answer: Answer | None = None

    def fill(self, answer: Answer) -> None:
        """Keep the answer, and the line no longer."""
        self.line, self.answer = None, answer


class _Worker(Generic[Answer]):
    """One process, and the line that it is at work on."""

    def __init__(self, work: Work[Answer], others: Sequence["_Worker[Answer]"]) -> None:
        context = multiprocessing.get_context("fork")
        self.connection, theirs = context.Pipe()
        not_theirs = [self.connection, *(other.connection for other in others)]
        self.process = context.Process(target=_serve, args=(theirs, not_theirs, work), daemon=True)
        self.process.start()
        theirs.close()
        self.slot: _Slot[Answer] | None = None
        self.until = 0.0

    def take(self, slot: _Slot[Answer]) -> None:
        """Begin with a line; a process that died meanwhile is noticed when its answer is waited for."""
        self.slot, self.until = slot, time.monotonic() + LINE_SECONDS
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.connection.send(slot.line)

    def close(self) -> None:
        self.connection.close()
        if self.process.is_alive():
            self.process.kill()
        self.process.join()
        self.process.close()


class _Team(Generic[Answer]):
    """The processes, and the answers that wait for an earlier one."""

    def __init__(self, work: Work[Answer], excuse: Excuse[Answer], processes: int) -> None:
        self._work, self._excuse, self._processes = work, excuse, processes
        self._idle: list[_Worker[Answer]] = []
        self._busy: list[_Worker[Answer]] = []
        self._slots: deque[_Slot[Answer]] = deque()

    def is_busy(self) -> bool:
        return bool(self._busy)

    def has_room(self) -> bool:
        """Return whether another line can be taken now."""
        return len(self._busy) < self._processes and len(self._slots) < WINDOW

    def take(self, line: Line) -> None:
        """Give a line to a process that has none; where none can be made, answer it here."""
        slot: _Slot[Answer] = _Slot(line)
        self._slots.append(slot)
        try:
            worker = self._idle.pop() if self._idle else _Worker(self._work, self._busy)
        except OSError:
            slot.fill(self._work(line.raw))
            return
        worker.take(slot)
        self._busy.append(worker)

    def wait(self, others: list[int]) -> None:
        """Wait for an answer, for the end of a process, or for what else is waited for."""
        patience = min(worker.until for worker in self._busy) - time.monotonic()
        ready = wait([*(worker.connection for worker in self._busy), *others], max(patience, 0))
        for worker in list(self._busy):
            if worker.connection in ready:
                self._collect(worker)
            elif time.monotonic() > worker.until:
                self._lose(worker, TOO_SLOW, f"it took more than {LINE_SECONDS:g} seconds")

    def finished(self) -> Iterator[Answer]:
        """Yield the answers that no earlier line holds back."""
        while self._slots and (answer := self._slots[0].answer) is not None:
            self._slots.popleft()
            yield answer

    def close(self) -> None:
        for worker in (*self._idle, *self._busy):
            worker.close()

    def _collect(self, worker: _Worker[Answer]) -> None:
        try:
            answer = worker.connection.recv()
        except (EOFError, OSError):
            worker.process.join()
            self._lose(worker, CRASHED, f"the process that judged it died ({_cause(worker.process.exitcode)})")
            return
        self._busy.remove(worker)
        if worker.slot is not None:
            worker.slot.fill(answer)
        self._idle.append(worker)

    def _lose(self, worker: _Worker[Answer], code: str, message: str) -> None:
        self._busy.remove(worker)
        if worker.slot is not None and worker.slot.line is not None:
            worker.slot.fill(self._excuse(worker.slot.line.raw, code, message))
        worker.close()


def _serve(connection: Connection, not_ours: Sequence[Connection], work: Work[Answer]) -> None:
    """Answer one line after the other, until nobody asks any more.

    Every process that kept an end open would keep the others waiting once whoever asks is gone.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for end in not_ours:
        end.close()
    with contextlib.suppress(EOFError, OSError):
        while True:
            connection.send(work(connection.recv().raw))


def _cause(status: int | None) -> str:
    if status is not None and status < 0:
        with contextlib.suppress(ValueError):
            return signal.Signals(-status).name
    return f"status {status}"
