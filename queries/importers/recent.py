"""A cache of the most recently used values, limited in bytes."""

from collections import OrderedDict
from typing import Generic, TypeVar

V = TypeVar("V")


class Recent(Generic[V]):
    """A mapping that forgets what was not used for longest once its values take more than `budget` bytes."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._used = 0
        self._items: OrderedDict[str, tuple[V, int]] = OrderedDict()

    def get(self, key: str) -> V | None:
        """Return what was put under this key, None when it was forgotten or never there."""
        found = self._items.get(key)
        if found is None:
            return None
        self._items.move_to_end(key)
        return found[0]

    def put(self, key: str, value: V, size: int) -> None:
        """Remember a value that takes `size` bytes; one beyond the whole budget is not remembered at all."""
        self._used -= self._items.pop(key, (None, 0))[1]
        self._items[key] = value, size
        self._used += size
        while self._used > self._budget:
            self._used -= self._items.popitem(last=False)[1][1]
