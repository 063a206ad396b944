"""Answer one question after another in a thread, and say how far the one at work has come.

The libraries below share what they keep, so no two questions are answered at once. Whoever asks what is being answered
already waits for the same answer.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator
from typing import Generic, NamedTuple, TypeVar

import anyio
import anyio.to_thread

from linetrail.projections.tables import progress

T = TypeVar("T")

# So long an answer waits for those who were told to come again.
KEPT_SECONDS = 5


class Progress(NamedTuple):
    """How much of a piece of work is done."""

    label: str
    done: int
    total: int
    unit: str
    seconds: float


class Worker(Generic[T]):
    """Questions by their names, and the answers that are being worked out."""

    def __init__(self) -> None:
        self.progress: Progress | None = None
        self._limit = anyio.CapacityLimiter(1)
        self._answers: dict[str, asyncio.Task[T]] = {}
        self._promised: set[asyncio.Task[T]] = set()

    async def answer(self, name: str, work: Callable[[], T], patience: float | None) -> T | None:
        """Return the answer of the question with this name; None where it is not there after so many seconds.

        Who got None finds the answer when asking again, also where it came in between.
        """
        task = self._answers.get(name)
        if task is None:
            task = self._answers[name] = asyncio.create_task(self._done(work))
            task.add_done_callback(lambda done: self._settle(name, done))
        await asyncio.wait({task}, timeout=patience)
        if not task.done():
            self._promised.add(task)
            return None
        self._forget(name, task)
        return task.result()

    def _settle(self, name: str, task: asyncio.Task[T]) -> None:
        if task in self._promised:
            asyncio.get_running_loop().call_later(KEPT_SECONDS, self._forget, name, task)
        else:
            self._forget(name, task)

    def _forget(self, name: str, task: asyncio.Task[T]) -> None:
        self._promised.discard(task)
        if self._answers.get(name) is task:
            del self._answers[name]

    async def _done(self, work: Callable[[], T]) -> T:
        return await anyio.to_thread.run_sync(self._listened, work, limiter=self._limit, abandon_on_cancel=True)

    def _listened(self, work: Callable[[], T]) -> T:
        with progress.listening(self._working):
            return work()

    @contextlib.contextmanager
    def _working(self, label: str, total: int, unit: str) -> Iterator[progress.Advance]:
        """Keep the numbers of one piece of work, which may be part of another."""
        around, began, done = self.progress, time.monotonic(), 0

        def advance(amount: int) -> None:
            nonlocal done
            done += amount
            self.progress = Progress(label, done, total, unit, time.monotonic() - began)

        advance(0)
        try:
            yield advance
        finally:
            self.progress = around
