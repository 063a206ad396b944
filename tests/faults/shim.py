"""Let the k-th call of one operation fail, for k = 1, 2, 3, ... until a run ends in which none failed."""

import contextlib
import errno
import itertools
import os
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

# How each kind of call may fail. A call that is interrupted is repeated by Python itself: see `strace.py`.
ERRORS = {
    "open": ["EACCES", "EMFILE", "EIO", "ENOSPC"],
    "write": ["EIO", "ENOSPC", "EDQUOT", "some", "nothing", "all but one"],
    "ftruncate": ["EIO"],
    "fsync": ["EIO"],
    "fdatasync": ["EIO", "ENOSPC"],
    "mkdir": ["EACCES", "ENOSPC"],
    "replace": ["EIO", "ENOSPC"],
    "link": ["EPERM", "EMLINK"],
    "listdir": ["EIO"],
    "unlink": ["EACCES", "EIO"],
}
_PARTS = {"some": slice(0, 100), "nothing": slice(0, 0), "all but one": slice(0, -1)}


class Fault:
    """Calls that fail: the k-th of its kind, and perhaps some after it. `happened` once the first was reached."""

    def __init__(self, call: str, error: str, k: int, times: int = 1) -> None:
        self._call, self._error, self._left, self._times = call, error, k, times
        self.happened = False

    @contextlib.contextmanager
    def injected(self) -> Iterator[None]:
        """Let the fault happen to what the block does."""
        real = getattr(os, self._call)

        def failing(*args: Any, **kwargs: Any) -> Any:
            self._left -= 1
            if not -self._times < self._left <= 0:
                return real(*args, **kwargs)
            self.happened = True
            return self._fail(real, *args)

        with mock.patch.object(os, self._call, failing):
            yield

    def _fail(self, real: Callable[..., Any], *args: Any) -> Any:
        if self._error in _PARTS:
            fd, content = args
            return real(fd, content[_PARTS[self._error]])
        number = getattr(errno, self._error)
        raise OSError(number, os.strerror(number), *(arg for arg in args[:1] if isinstance(arg, str)))


def until_none_fails(call: str, error: str, attempt: Callable[[Fault], None], times: int = 1) -> int:
    """Make attempts, each with the fault one call later; return how many faults happened."""
    for k in itertools.count(1):
        fault = Fault(call, error, k, times)
        attempt(fault)
        if not fault.happened:
            return k - 1
    raise AssertionError
