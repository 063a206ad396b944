"""Draw progress bars for long work on a terminal, and nothing elsewhere."""

import contextlib
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from linetrail.projections.tables import progress

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

# What is done sooner is not spoken of; a bar is drawn anew no more often than that.
PATIENCE_SECONDS, EVERY_SECONDS = 1.0, 0.1
_MB = 1_000_000


@contextlib.contextmanager
def shown() -> Iterator[None]:
    """Draw the progress of all work inside the block."""
    if not sys.stderr.isatty():
        yield
        return
    with progress.listening(_Screen().working):
        yield


def said(done: int, total: int, unit: str, seconds: float) -> str:
    """Return the amount done, the rate so far, and the time left at that rate.

    >>> said(30_000_000, 90_000_000, "bytes", 2.0), said(10, 275, "files", 0.5)
    ('30.0/90.0 MB  15.0 MB/s  0:00:04 left', '10/275 files  20 files/s  0:00:13 left')
    """
    rate = done / seconds if seconds > 0 else 0.0
    left = f"  {timedelta(seconds=round(max(total - done, 0) / rate))} left" if rate else ""
    if unit == progress.BYTES:
        return f"{done / _MB:,.1f}/{total / _MB:,.1f} MB  {rate / _MB:,.1f} MB/s{left}"
    return f"{done:,}/{total:,} {unit}  {rate:,.0f} {unit}/s{left}"


class _Screen:
    """The progress bars of all current work; finished bars are removed."""

    def __init__(self) -> None:
        self._due = time.monotonic() + PATIENCE_SECONDS
        self._bars: Progress | None = None

    @contextlib.contextmanager
    def working(self, label: str, total: int, unit: str) -> Iterator[progress.Advance]:
        """Show a bar for one piece of work."""
        began, done = time.monotonic(), 0
        task: TaskID | None = None

        def advance(amount: int) -> None:
            nonlocal done, task
            done += amount
            now = time.monotonic()
            if now < self._due or not total:
                return
            self._due = now + EVERY_SECONDS
            bars = self._bars = self._bars or _opened()
            text = said(done, total, unit, now - began)
            if task is None:
                task = bars.add_task(label, total=total, completed=done, said=text)
            bars.update(task, completed=done, said=text, refresh=True)

        try:
            yield advance
        finally:
            if self._bars is not None and task is not None:
                self._bars.remove_task(task)
                if not self._bars.tasks:
                    self._bars.stop()
                    self._bars = None


def _opened() -> "Progress":
    """Start the display; it has no thread of its own, which would take time from the work."""
    from rich.console import Console  # for who waits alone
    from rich.progress import BarColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[said]}"))
    bars = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
    bars.start()
    return bars
