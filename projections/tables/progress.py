"""Say how far long work has come, to whoever listens.

Work that may take longer than a second says what it does, how much of that there is in all, and each part of it that
is done. Nobody need listen; whoever does may draw a bar of it, and is not known here.
"""

import contextlib
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
BYTES = "bytes"

# told of each part that is done
Advance = Callable[[int], None]
# what is done, how much of it there is in all, and what that is counted in -> what is told of each part
Listener = Callable[[str, int, str], AbstractContextManager[Advance]]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextlib.contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Have a listener told of all work that begins while this lasts."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextlib.contextmanager
def working(label: str, total: int, unit: str = BYTES) -> Iterator[Advance]:
    """Begin a piece of work; yield what is to be told how much more of it is done."""
    listener = _listener.get()
    if listener is None:
        yield lambda _: None
        return
    with listener(label, total, unit) as advance:
        yield advance


def each(items: Collection[T], label: str, unit: str) -> Iterator[T]:
    """Yield items that are worked on one after another; one is done when the next is asked for."""
    with working(label, len(items), unit) as advance:
        for item in items:
            yield item
            advance(1)
