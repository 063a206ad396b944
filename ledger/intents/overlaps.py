"""Find a path that two intents would both own.

The patterns of both are walked together, as automata, until both are at their end: what was walked is a path that both
match, and where no walk gets there, none exists. That is exact, unlike comparing the texts of patterns, which calls
``src/*a`` and ``src/b*`` disjoint or ``src/*.py`` and ``src/*.md`` overlapping.
"""

import itertools
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from linetrail.ledger.paths.globs import (
    DEEP,
    REST,
    STAR,
    Automaton,
    Chars,
    ScopeError,
    Token,
    TooComplexError,
    compile_scope,
    tokenize,
)

# What one comparison may take, some 50 ms; ordinary scopes take hundreds. A step of a walk costs as much as
# looking at the ends of four pairs of patterns.
MOST_STEPS = 120_000
_WALKED = 4
# Characters that `paths.py` refuses, and that no example should therefore have.
_NEVER = frozenset("\\:`")
_PLEASANT = "xyzabcdefghijklmnopqrstuvw0123456789"
_BAD_ENDS = frozenset(". ")

# Where each pattern is, where the exclusions are, and what was last: "/", ".", or "" where a component may end.
_State = tuple[int, int, int, str]


class Overlap(NamedTuple):
    """A pattern of each, and a path that both own; no path where that took too long to tell, and is assumed."""

    first: str
    second: str
    path: str


class _TooLongError(Exception):
    pass


class _Steps:
    def __init__(self, left: int) -> None:
        self.left = left

    def take(self, cost: int = 1) -> None:
        self.left -= cost
        if self.left < 0:
            raise _TooLongError


class _Pattern(NamedTuple):
    """The states of one pattern: what keeps a state, what leads on to the next, and which lead on at once."""

    loops: dict[int, int]
    moves: list[str | Chars]
    doubled: frozenset[int]

    def next(self, state: int, char: str) -> Iterator[int]:
        """Yield the states that a character leads to."""
        loop = self.loops.get(state)
        if loop == REST or (loop == STAR and char != "/"):
            yield state
        if state < len(self.moves) and _accepts(self.moves[state], char):
            yield from self.entered(state + 1)

    def entered(self, state: int) -> Iterator[int]:
        """Yield a state, and the one that is entered with it."""
        yield state
        if state in self.doubled:
            yield state + 1

    def only(self, state: int) -> str | None:
        """Return the one character that leads on from a state; None when there may be several."""
        move = self.moves[state] if state < len(self.moves) else None
        return move if isinstance(move, str) and state not in self.loops else None


class _Known(NamedTuple):
    """A pattern, its tokens, and how every path that it matches begins and ends."""

    pattern: str
    tokens: Sequence[Token]
    head: str
    tail: str


def overlap(first: Sequence[str], second: Sequence[str]) -> Overlap | None:
    """Return a path that both scopes own; None when there is none, as where one of them cannot be used.

    Where patterns were made to take long, an overlap is assumed after some 50 ms, without a path.
    """
    try:
        compile_scope(first)
        compile_scope(second)
    except ScopeError:
        return None
    left = _Steps(MOST_STEPS)
    excluded = [pattern for pattern in (*first, *second) if pattern.startswith("!")]
    others = [_known(pattern) for pattern in second if not pattern.startswith("!")]
    for pattern in first:
        if pattern.startswith("!"):
            continue
        one = _known(pattern)
        for other in others:
            try:
                path = _common(one, other, excluded, left)
            except (_TooLongError, ScopeError, TooComplexError):
                return Overlap(one.pattern, other.pattern, "")
            if path is not None:
                return Overlap(one.pattern, other.pattern, path)
    return None


def _known(pattern: str) -> _Known:
    tokens = tokenize(pattern)
    head = itertools.takewhile(lambda token: isinstance(token, str), tokens)
    tail = itertools.takewhile(lambda token: isinstance(token, str), reversed(tokens))
    return _Known(pattern, tokens, "".join(map(str, head)), "".join(map(str, tail)))


def _common(one: _Known, other: _Known, excluded: Sequence[str], steps: _Steps) -> str | None:
    """Return a path that both patterns match and no exclusion does."""
    steps.take()
    if _differ(one.head, other.head) or _differ(one.tail, other.tail):
        return None
    path = _search((one.tokens, other.tokens), (), steps)
    if path is None or not excluded or compile_scope([one.pattern, *excluded]).owner(path) is not None:
        return path
    path = _search((one.tokens, other.tokens), [tokenize(pattern) for pattern in excluded], steps)
    if path is not None and compile_scope([one.pattern, *excluded]).owner(path) is None:
        raise _TooLongError  # excluded in another spelling, which is not looked for
    return path


def _differ(one: str, other: str) -> bool:
    """Return whether nothing begins with both."""
    return not (one.startswith(other) or other.startswith(one))


def _search(
    both: tuple[Sequence[Token], Sequence[Token]], excluded: Sequence[Sequence[Token]], steps: _Steps
) -> str | None:
    """Walk both patterns at once, the shortest paths first."""
    one, other = map(_pattern, both)
    outside = Automaton(excluded)
    alphabet = _alphabet([*both, *excluded])
    begin = [(i, j, outside.start, "/") for i in one.entered(0) for j in other.entered(0)]
    came_from: dict[_State, tuple[_State, str] | None] = dict.fromkeys(begin)
    waiting = deque(begin)
    while waiting:
        at = waiting.popleft()
        i, j, out, end = at
        if i == len(one.moves) and j == len(other.moves) and end == "" and outside.ended(out) is None:
            return _spelled(at, came_from)
        only = one.only(i) or other.only(j)
        for char in alphabet if only is None else (only,):
            if (char == "/" and end) or char in _NEVER:
                continue  # a component that is empty, or that ends as no file may
            steps.take(_WALKED)
            now = char if char == "/" else "." * (char in _BAD_ENDS)
            out_now = outside.step(out, char)
            for i_now in one.next(i, char):
                for j_now in other.next(j, char):
                    found = (i_now, j_now, out_now, now)
                    if found not in came_from:
                        came_from[found] = (at, char)
                        waiting.append(found)
    return None


def _spelled(at: _State, came_from: Mapping[_State, tuple[_State, str] | None]) -> str:
    chars = []
    while (step := came_from[at]) is not None:
        at, char = step
        chars.append(char)
    return "".join(reversed(chars))


def _pattern(tokens: Sequence[Token]) -> _Pattern:
    loops: dict[int, int] = {}
    moves: list[str | Chars] = []
    doubled = set()
    for token in tokens:
        if not isinstance(token, int):
            moves.append(token)
            continue
        # A state that passes over anything is left for the rest; one that stays in a component is replaced by it.
        loops[len(moves)] = STAR if token == STAR else REST
        if token == DEEP:
            doubled.add(len(moves))
            moves.append("/")
    return _Pattern(loops, moves, frozenset(doubled))


def _accepts(move: str | Chars, char: str) -> bool:
    return move == char if isinstance(move, str) else move.has(char)


def _alphabet(patterns: Sequence[Sequence[Token]]) -> list[str]:
    """Return one character of each kind that these patterns can tell apart, pleasant ones where there is a choice."""
    literals = {token for tokens in patterns for token in tokens if isinstance(token, str)}
    sets = {token for tokens in patterns for token in tokens if isinstance(token, Chars)}
    singles = literals.union(*(chars.singles for chars in sets))
    edges = {ord(char) + after for char in singles for after in (0, 1)} | {ord(" "), 0x80}
    edges |= {edge for chars in sets for first, last in chars.ranges for edge in (ord(first), ord(last) + 1)}
    kinds: dict[tuple[object, ...], str] = {}
    for char in (*_PLEASANT, *filter(None, map(_usable, sorted(edges))), "/"):
        kind = char if char in literals or char == "/" else ""
        kinds.setdefault((kind, char in _BAD_ENDS, *(chars.has(char) for chars in sets)), char)
    return sorted(kinds.values(), key=lambda char: (char not in literals, char))


def _usable(code: int) -> str | None:
    """Return the first character from a code on that a path may have, among the next few."""
    for at in range(code, min(code + 64, 0x110000)):
        if chr(at).isprintable() and chr(at) not in _NEVER:
            return chr(at)
    return None
