"""Keep a set of names in eight bytes each: the names of millions of events do not fit a set of texts."""

from array import array

_FIRST_SLOTS = 1 << 12
_MARKS = (1 << 64) - 1


class Names:
    """A set of texts that only grows, kept as 64-bit hashes in one open-addressed table.

    Two texts are taken for one with a chance of 1 in 2^64 for each pair: a million events, 1 in 30 million.
    """

    def __init__(self) -> None:
        self._slots = _empty(_FIRST_SLOTS)
        self._used = 0

    def __contains__(self, name: str) -> bool:
        mark = _mark(name)
        return self._slots[_place(self._slots, mark)] == mark

    def add(self, name: str) -> bool:
        """Add a name, and return whether it is new."""
        mark = _mark(name)
        at = _place(self._slots, mark)
        if self._slots[at] == mark:
            return False
        self._slots[at] = mark
        self._used += 1
        if self._used * 3 > len(self._slots) * 2:
            self._grow()
        return True

    def _grow(self) -> None:
        wider = _empty(2 * len(self._slots))
        for mark in self._slots:
            if mark:
                wider[_place(wider, mark)] = mark
        self._slots = wider


def _empty(slots: int) -> "array[int]":
    return array("Q", bytes(8 * slots))


def _mark(name: str) -> int:
    """Return the hash that this process has for a name; 0 is an empty slot, so it stands for no name."""
    return hash(name) & _MARKS or 1


def _place(slots: "array[int]", mark: int) -> int:
    """Return the slot that holds a mark, or the empty one where it belongs."""
    last = len(slots) - 1
    at = mark & last
    while slots[at] and slots[at] != mark:
        at = (at + 1) & last
    return at
