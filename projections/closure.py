"""What is reached from where one begins, by whatever leads on from each."""

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def reached(first: Iterable[T], onward: Callable[[T], Iterable[T]]) -> set[T]:
    """Return what one begins with, and all that is reached from there.

    >>> sorted(reached("a", {"a": "bc", "b": "a", "c": ""}.__getitem__))
    ['a', 'b', 'c']
    """
    found: set[T] = set()
    waiting = list(first)
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += onward(one)
    return found
