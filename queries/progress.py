"""Show on a terminal how far a long reading has come; anywhere else show nothing."""

import contextlib
import sys
from collections.abc import Callable, Iterator

# Drawing costs more than reading: the bar moves when this much was read.
_STEP = 1024 * 1024


@contextlib.contextmanager
def reading(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Yield a function that is told how many bytes were read."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

    columns = ("{task.description}", BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=total)
        waiting = 0

        def advance(size: int) -> None:
            nonlocal waiting
            waiting += size
            if waiting >= _STEP:
                bar.advance(task, waiting)
                waiting = 0

        yield advance
