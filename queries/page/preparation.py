"""Run work in a process of its own, which takes with it the memory that it needed.

What the work leaves behind is in the cache. How far it has come is told here, as if it were done here.
"""

import contextlib
import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import IO, Any, cast

from linetrail.projections.tables import progress


def run(work: Callable[..., None], *given: object) -> None:
    """Wait for work on these values; a process that cannot do it ends early, and leaves it to whoever needs it."""
    command = [sys.executable, "-P", "-m", __name__]
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere) as process:
        stdin, stdout = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
        with contextlib.suppress(BrokenPipeError), stdin:
            pickle.dump((work, given), stdin)
        _follow(map(json.loads, stdout), lambda _: None)


def _follow(messages: Iterator[Any], advance: progress.Advance) -> None:
    """Tell what a process tells: that work begins, within the work around it, that a part is done, that it ends."""
    for message in messages:
        if message is None:
            return
        if isinstance(message, int):
            advance(message)
        else:
            with progress.working(*message) as within:
                _follow(messages, within)


@contextlib.contextmanager
def _told(label: str, total: int, unit: str) -> Iterator[progress.Advance]:
    _tell([label, total, unit])
    try:
        yield _tell
    finally:
        _tell(None)


def _tell(message: object) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    work, given = pickle.load(sys.stdin.buffer)  # noqa: S301  from the process that started this one
    with progress.listening(_told):
        work(*given)
