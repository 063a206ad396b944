"""Match one text against many patterns at once, one step a character, whatever the patterns are.

All patterns together are one automaton, whose set of states is a single integer (Baeza-Yates, Gonnet 1992; Navarro,
Raffinot 2001): nothing is tried and taken back, so there is no pattern that takes long. A pattern is a sequence of
tokens; between two tokens lies a state, and a token that repeats is a state that may be left later.
"""

import bisect
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple


class Chars(NamedTuple):
    """One character of a set; never the separator."""

    negated: bool
    singles: str
    ranges: tuple[tuple[str, str], ...] = ()

    def has(self, char: str) -> bool:
        """Return whether a character is one of these."""
        within = char in self.singles or any(first <= char <= last for first, last in self.ranges)
        return within != self.negated and char != "/"


# Besides a literal, which is a text of one character:
ONE = Chars(negated=True, singles="/")
# any number of characters within a component; any text at all; any number of whole components, each with its separator
STAR, REST, DEEP = 0, 1, 2

Token = str | Chars | int


class TooComplexError(ValueError):
    """More patterns, or larger sets, than what is matched while an agent waits."""


# What keeps one answer below some 30 ms: states to build and to carry along, and sets to look every character up in.
MOST_TOKENS = 65_536
MOST_SETS = 64


class Automaton:
    """Many patterns, in an order. Every one must match the whole text."""

    def __init__(self, patterns: Iterable[Sequence[Token]]) -> None:
        """Lay the states of all patterns side by side."""
        self._literals: dict[str, list[int]] = {}
        self._sets: dict[Chars, list[int]] = {}
        self._ends: list[int] = []
        starts: list[int] = []
        stars: list[int] = []
        rests: list[int] = []
        doubled: list[int] = []
        at = 0
        for tokens in patterns:
            starts.append(at)
            for token in tokens:
                if type(token) is str:
                    self._literals.setdefault(token, []).append(at)
                elif token == STAR:
                    stars.append(at)
                    continue
                elif token == REST:
                    rests.append(at)
                    continue
                elif token == DEEP:
                    # Components are passed over in this state, until a separator; the next one is also entered at once.
                    rests.append(at)
                    doubled.append(at)
                    self._literals.setdefault("/", []).append(at)
                elif isinstance(token, Chars):
                    self._add_set(token, at)
                at += 1
            self._ends.append(at)
            at += 1
            if at > MOST_TOKENS:
                raise TooComplexError(f"the patterns are longer than {MOST_TOKENS} characters together")
        if len(self._sets) > MOST_SETS:
            raise TooComplexError(f"there are more than {MOST_SETS} different sets of characters in the patterns")
        self._size = at
        self._doubled = self._mask(doubled)
        self._rests = self._mask(rests)
        self._loops = self._rests | self._mask(stars)
        self.start = self._also(self._mask(starts))
        self._accepting = self._mask(self._ends)
        self._moves: dict[str, int] = {}

    def last(self, text: str) -> int | None:
        """Return the number of the last pattern that matches a text; None when none does."""
        *_, states = self.walk(text)
        return self.ended(states)

    def walk(self, text: str) -> Iterator[int]:
        """Yield the states before each character, and those at the end."""
        states = self.start
        for char in text:
            yield states
            states = self.step(states, char)
        yield states

    def step(self, states: int, char: str) -> int:
        """Return the states that one more character leads to."""
        move = self._moves.get(char)
        if move is None:
            move = self._moves[char] = self._accepted(char)
        stay = self._rests if char == "/" else self._loops
        return self._also((states & move) << 1) | (states & stay)

    def ended(self, states: int, among: int = -1) -> int | None:
        """Return the number of the last pattern that is matched in these states; None when none is."""
        ended = states & self._accepting & among
        return bisect.bisect_left(self._ends, ended.bit_length() - 1) if ended else None

    def only(self, numbers: Iterable[int]) -> int:
        """Return what limits `ended` to these patterns."""
        return self._mask([self._ends[number] for number in numbers])

    def _add_set(self, chars: Chars, at: int) -> None:
        if chars.negated or chars.ranges:
            self._sets.setdefault(chars, []).append(at)
            return
        for char in {*chars.singles} - {"/"}:
            self._literals.setdefault(char, []).append(at)

    def _also(self, entered: int) -> int:
        """Add the states that are entered together with these: no component needs to be passed over."""
        return entered | (entered & self._doubled) << 1

    def _accepted(self, char: str) -> int:
        """Return the states that this character leads on from."""
        states = list(self._literals.get(char, ()))
        for chars, at in self._sets.items():
            if chars.has(char):
                states.extend(at)
        return self._mask(states)

    def _mask(self, states: Iterable[int]) -> int:
        bits = bytearray(self._size // 8 + 1)
        for state in states:
            bits[state >> 3] |= 1 << (state & 7)
        return int.from_bytes(bits, "little")
