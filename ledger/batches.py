"""Group things so that each group fits where it has to go: a line of the ledger, the buffer of a pipe."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def batches(items: Iterable[Item], weight: Callable[[Item], int], room: int) -> Iterator[list[Item]]:
    """Yield groups in order, none heavier than `room` unless one item alone is.

    >>> list(batches(["aa", "b", "cc"], len, 3))
    [['aa', 'b'], ['cc']]
    """
    group: list[Item] = []
    left = room
    for item in items:
        needed = weight(item)
        if group and needed > left:
            yield group
            group, left = [], room
        group.append(item)
        left -= needed
    if group:
        yield group
