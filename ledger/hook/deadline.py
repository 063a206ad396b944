"""What a piece of work may spend: processor time of its own, and time on the clock.

Processor time says how much work there was. The clock says also how busy the machine is and who holds a lock, so it
bounds only how long somebody is kept waiting.
"""

import contextlib
import time
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import signal
else:
    # What `signal` adds are names of its numbers; making them costs an agent a millisecond a call (measured).
    try:
        import _signal as signal
    except ImportError:
        import signal

_HAS_TIMER = hasattr(signal, "setitimer")


class DeadlineError(Exception):
    """The time is up."""


class Limits(NamedTuple):
    """Until when a process may work: by its processor time, and by the monotonic clock; None is as long as it takes."""

    processor: float | None = None
    clock: float | None = None

    @property
    def of_processor(self) -> "Limits":
        """The same for what has to be done however late it is."""
        return self._replace(clock=None)

    @property
    def are_over(self) -> bool:
        """Whether the time is up: what is raised then may be anything, as by a module that was cut short in loading."""
        spent = self.processor is not None and time.process_time() >= self.processor
        return spent or (self.clock is not None and time.monotonic() >= self.clock)

    @property
    def left(self) -> float:
        """The seconds that are left on the clock; none where it sets no limit."""
        return 0.0 if self.clock is None else self.clock - time.monotonic()


NO_LIMITS = Limits()


def within(limits: Limits) -> contextlib.AbstractContextManager[None]:
    """Raise DeadlineError in the block once what may be spent is spent."""
    if limits == NO_LIMITS:
        return contextlib.nullcontext()
    return deadline(
        processor=None if limits.processor is None else limits.processor - time.process_time(),
        clock=None if limits.clock is None else limits.clock - time.monotonic(),
    )


@contextlib.contextmanager
def deadline(*, processor: float | None = None, clock: float | None = None) -> Iterator[None]:
    """Raise DeadlineError in the block when so many seconds are used up, where the platform has timers."""
    if _HAS_TIMER:
        for number, timer, seconds in (
            (signal.SIGPROF, signal.ITIMER_PROF, processor),
            (signal.SIGALRM, signal.ITIMER_REAL, clock),
        ):
            if seconds is not None:
                signal.signal(number, _stop)
                # a timer of 0 would be none
                signal.setitimer(timer, max(seconds, 0.001))
    try:
        yield
    finally:
        lift()


def lift() -> None:
    """Let the process take the time it needs from here on."""
    if _HAS_TIMER:
        for number, timer in ((signal.SIGPROF, signal.ITIMER_PROF), (signal.SIGALRM, signal.ITIMER_REAL)):
            signal.setitimer(timer, 0)
            if signal.getsignal(number) is _stop:
                # what was sent and not delivered yet stops nothing any more
                signal.signal(number, _ignore)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise DeadlineError("the time for it was up")


def _ignore(_number: int, _frame: FrameType | None) -> None:
    return
