"""A deadline for the whole process, so that what happens at the end of it is ours to say and not the agent's."""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

_HAS_TIMER = hasattr(signal, "setitimer")


class DeadlineError(Exception):
    """The time is up."""


@contextlib.contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise DeadlineError in the block when the time is up, where the platform has timers."""
    if _HAS_TIMER:
        signal.signal(signal.SIGALRM, _stop)
        signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        lift()


def lift() -> None:
    """Let the process take the time it needs from here on."""
    if _HAS_TIMER:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise DeadlineError("the time for it was up")
