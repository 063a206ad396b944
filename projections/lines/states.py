"""States of a file and their lines, each with the claim that made it or the line that it comes from."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import filterfalse
from typing import NamedTuple

from linetrail.ledger.observe.substance import Split, line_hash, split
from linetrail.projections.lines.align import COMMON, Hashes
from linetrail.projections.lines.transitions import Claim

# How a line comes from its origin: it is that line; aligned with it; put elsewhere by one change; broken anew; found
# again in another state; gone elsewhere with the definition around it; made out of it.
SAME, KEPT, MOVED, REFLOWED, FOUND, NODE, EDITED = "same", "kept", "moved", "reflowed", "found", "node", "edited"
# From one content of a file to the next most lines stay.
LINES = 1 << 16
# So many contents are asked for several times while the lines of one file are explained.
CONTENTS = 64
_hashed = lru_cache(LINES)(line_hash)


class Text(NamedTuple):
    """A content by its line hashes, and as text where somebody has it."""

    hashes: Hashes
    split: Split | None = None


def hashes_of(content: Split) -> list[str]:
    """Return the lines of a content that is at hand as they are compared."""
    return [_hashed(line) for line in content.substance]


@lru_cache(CONTENTS)
def lines_of(content: bytes) -> tuple[Split, Sequence[str]]:
    """Return the lines of a content, and as they are compared: the same to all who ask, who leave them as they are."""
    found = split(content)
    return found, hashes_of(found)


def text_of(content: bytes) -> Text:
    """Return a content that is at hand."""
    found, hashes = lines_of(content)
    return Text(hashes, found)


class Line:
    """One line of one or more states. Its owner is its own claim, else that of the line it comes from.

    Of a line that was joined out of several, `origin` is the one that was changed last, `also` are the others.
    """

    __slots__ = ("also", "claim", "hash", "origin", "relation")

    def __init__(
        self,
        line_hash: str | None,
        claim: Claim | None = None,
        origin: "Line | None" = None,
        relation: str = SAME,
        also: Sequence["Line"] = (),
    ) -> None:
        self.hash, self.claim, self.origin, self.relation, self.also = line_hash, claim, origin, relation, also

    def chain(self) -> Iterator["Line"]:
        """Yield this line and those it comes from, the nearest first."""
        line: Line | None = self
        while line is not None:
            yield line
            line = line.origin

    def owner(self) -> Claim | None:
        """Return the claim of the last change; None when no event is known to have made the line."""
        line: Line | None = self
        while line is not None and line.claim is None:
            line = line.origin
        return None if line is None else line.claim


class State:
    """A recorded content. `gone` and `came` are the lines that tell it from its parent.

    That is the state it was made from; where nothing recorded tells, it is `presumed` to be the one that it resembles.
    """

    __slots__ = ("_hashes", "came", "committed", "digest", "gone", "lines", "parent", "presumed", "since")

    def __init__(
        self,
        lines: list[Line],
        parent: "State | None" = None,
        gone: Hashes = (),
        came: Hashes = (),
        *,
        presumed: bool = False,
    ) -> None:
        self.lines, self.parent, self.gone, self.came, self.presumed = lines, parent, gone, came, presumed
        self.digest: str | None = None
        # since when it is there, where a clock alone tells
        self.since = ""
        # whether it was looked up in git: which commit brought a line is for git to say
        self.committed = False
        self._hashes: list[str | None] | None = None

    @property
    def hashes(self) -> list[str | None]:
        """The lines as they are compared."""
        if self._hashes is None:
            hashes = [line.hash for line in self.lines]
            if None in hashes:
                return hashes  # what a line is may become known
            self._hashes = hashes
        return self._hashes

    def descends_from(self, other: "State") -> bool:
        """Return whether this state is known to be made from the other, however long ago, or is it."""
        state: State | None = self
        while state is not None and state is not other:
            state = None if state.presumed else state.parent
        return state is other


def nearest(states: Iterable[State], wanted: Hashes) -> State | None:
    """Return the state that shares most lines of substance with these; of equals the shortest, then the latest."""
    need = Counter(filterfalse(COMMON.__contains__, wanted))
    if not need:
        return None
    repeated = [line for line, times in need.items() if times > 1]
    best, most = None, (1, -sys.maxsize)
    have: Counter[str | None] = Counter()
    shared = 0
    previous: State | None = None
    for state in states:
        if state is previous:
            continue
        if previous is None or state.parent is not previous:
            have = Counter(filter(need.__contains__, state.hashes))
            shared = len(have) + sum(min(have[line], need[line]) - 1 for line in repeated if line in have)
        else:
            shared += _moved(have, need, state)
        if (shared, -len(state.lines)) >= most:
            best, most = state, (shared, -len(state.lines))
        previous = state
    return best


def _moved(have: Counter[str | None], need: Counter[str | None], state: State) -> int:
    """Bring the lines at hand from a state's parent to the state; return by how much more of the need they meet."""
    gain = 0
    for line in state.gone:
        if line in need:
            gain -= have[line] <= need[line]
            have[line] -= 1
    for line in state.came:
        if line in need:
            gain += have[line] < need[line]
            have[line] += 1
    return gain


def ranges(numbers: Iterable[int]) -> str:
    """Write line numbers as ranges.

    >>> ranges([3, 4, 5, 9])
    '3-5, 9'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
