"""Which paths an intent owns: our own globs, component by component, and one reading of each pattern only.

Patterns are anchored at the root of the repository. ``*`` and ``?`` stay inside a component, ``**`` is special only
as a whole component, a trailing ``/`` owns the subtree, a name without it owns only that name, ``!`` excludes whatever
the order, a leading ``./`` is dropped. Braces are ordinary characters. What could be read in two ways is an error, and
one error makes the whole scope own nothing.

Nothing comes into a scope by folding case or Unicode forms. An exclusion holds however a path is spelled: there are
volumes on which ``src/SECRET`` is ``src/secret``.

All patterns together are one automaton, one step a character, whose set of states is a single integer (Baeza-Yates,
Gonnet 1992; Navarro, Raffinot 2001): nothing is tried and taken back, so there is no pattern that takes long. A pattern
is a sequence of tokens; between two tokens lies a state, and a token that repeats is a state that may be left later.
"""

import bisect
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.repository import file_path

# any number of characters within a component; any text at all; any number of whole components, each with its separator
STAR, REST, DEEP = 0, 1, 2
# What keeps one answer below some 30 ms: states to build and to carry along, and sets to look every character up in.
MOST_TOKENS = 65_536
MOST_SETS = 64
# No path is longer.
LONGEST = 4096
INVALID_GLOB, ABSOLUTE_PATH = "INVALID_GLOB", "ABSOLUTE_PATH"


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

Token = str | Chars | int


class TooComplexError(ValueError):
    """More patterns, or larger sets, than what is matched while an agent waits."""


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


class ScopeError(ValueError):
    """A pattern that cannot be used: `pattern` is None where all of them together are too many."""

    def __init__(self, pattern: object, problem: str) -> None:
        super().__init__(problem if pattern is None else f"{pattern!r:.200}: {problem}")
        self.pattern, self.problem = pattern, problem


class Ownership(NamedTuple):
    """What a scope says about one path: the pattern that owns it, or the exclusion that keeps it out, or neither."""

    pattern: str | None
    excluded_by: str | None


class Scope:
    """The patterns of one intent, compiled."""

    def __init__(self, patterns: Sequence[str]) -> None:
        """Compile patterns without problems; `compile_scope` looks for them first."""
        self._owning = [pattern for pattern in patterns if not pattern.startswith("!")]
        self._excluding = [pattern for pattern in patterns if pattern.startswith("!")]
        self._owners = Automaton(map(tokenize, self._owning))
        if self._excluding:
            self._exclusions = Automaton(map(tokenize, self._excluding))
            self._folded = Automaton(tokenize(_folded(pattern)) for pattern in self._excluding)

    def owner(self, path: str) -> str | None:
        """Return the pattern that owns a stored path; None when none does, or an exclusion does."""
        return self.ownership(path).pattern

    def ownership(self, path: str) -> Ownership:
        """Return which pattern decides about a stored path."""
        text = file_path(path)
        if self._excluding:
            number = self._exclusions.last(text)
            if number is None:
                number = self._folded.last(_folded(text))
            if number is not None:
                return Ownership(None, self._excluding[number])
        number = self._owners.last(text)
        return Ownership(None if number is None else self._owning[number], None)


def compile_scope(patterns: Sequence[str]) -> Scope:
    """Return the scope that these patterns make, or raise ScopeError about the first that cannot be used."""
    for pattern in patterns:
        wrong = problem(pattern)
        if wrong is not None:
            raise ScopeError(pattern, wrong[1])
    try:
        return Scope(patterns)
    except TooComplexError as error:
        raise ScopeError(None, str(error)) from None


def problem(pattern: object) -> tuple[str, str] | None:
    """Return what is wrong with a pattern, as a code and as a sentence; None when it can be used.

    >>> problem("src/**"), problem("../x")
    (None, ('INVALID_GLOB', 'it climbs with `..`; patterns start at the root of the repository'))
    """
    if not isinstance(pattern, str):
        return INVALID_GLOB, "a pattern must be text"
    return _form(pattern) or _body(_bare(pattern))


def has_braces(pattern: str) -> bool:
    """Return whether somebody seems to expect alternatives in braces, which are ordinary characters here."""
    opening = pattern.find("{")
    return opening != -1 and "}" in pattern[opening:]


def literal(path: str) -> str:
    """Return the pattern that owns this path alone.

    >>> literal("pages/[id].tsx"), literal("!x")
    ('pages/[[]id].tsx', './!x')
    """
    text = "".join(f"[{sign}]" if sign in "*?[" else sign for sign in path)
    return f"./{text}" if text.startswith("!") else text


def folder(pattern: str) -> str:
    """Return the innermost folder that has all paths of a pattern, with its separator; empty for the root.

    >>> folder("src/billing/**"), folder("src/b*/x.py"), folder("./src/billing/"), folder("**/x.py")
    ('src/billing/', 'src/', 'src/billing/', '')
    """
    body = _bare(pattern)
    special = (body.find(sign) for sign in "*?[")
    return body[: body.rfind("/", 0, min((at for at in special if at != -1), default=len(body))) + 1]


def tokenize(pattern: str) -> list[Token]:
    """Return the tokens of a pattern without problems; whether it excludes is not among them."""
    body = _bare(pattern)
    parts = (body + "**" if body.endswith("/") else body).split("/")
    tokens: list[Token] = []
    last = len(parts) - 1
    for at, part in enumerate(parts):
        if part != "**":
            tokens.extend(_component(part))
            if at < last:
                tokens.append("/")
        elif at == last:
            tokens += (ONE, REST)
        elif not tokens or tokens[-1] != DEEP:
            tokens.append(DEEP)
    return tokens


def _folded(text: str) -> str:
    """Return a text as volumes compare it that tell neither case nor Unicode forms apart."""
    if text.isascii():
        return text.lower()
    import unicodedata  # nothing else of a hook needs it

    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _bare(pattern: str) -> str:
    """Return a pattern without what stands before its first component."""
    return pattern.removeprefix("!").removeprefix("./")


def _form(pattern: str) -> tuple[str, str] | None:  # noqa: PLR0911  one return for each thing that can be wrong
    """Find what is wrong whatever the components are."""
    body = _bare(pattern)
    if not body:
        return INVALID_GLOB, "it is empty"
    if body.startswith(("/", "~")) or body[1:2] == ":" or "://" in body:
        return ABSOLUTE_PATH, "it is absolute; patterns start at the root of the repository, without a leading /"
    if body.startswith("!"):
        return INVALID_GLOB, "it excludes twice; write one !"
    if body != body.strip() or pattern != pattern.strip():
        return INVALID_GLOB, "it has white space around it, which would be part of the name"
    if not pattern.isprintable():
        return INVALID_GLOB, "it has a control or an invisible character in it"
    if "\\" in body:
        return INVALID_GLOB, "it has a backslash in it; components are separated by /, and [*] is a literal asterisk"
    if len(body) > LONGEST:
        return INVALID_GLOB, f"it is longer than {LONGEST} characters, as no path is"
    return None


def _body(body: str) -> tuple[str, str] | None:
    for part in body.removesuffix("/").split("/"):
        if part == "..":
            return INVALID_GLOB, "it climbs with `..`; patterns start at the root of the repository"
        if part in {"", "."}:
            return INVALID_GLOB, "it has an empty component, or one that is a single dot"
        if "[" in part:
            wrong = _sets(part)
            if wrong is not None:
                return INVALID_GLOB, wrong
    return None


def _sets(part: str) -> str | None:
    at = part.find("[")
    while at != -1:
        end = _closing(part, at)
        if end is None:
            return "it has a [ that is never closed in its component; [[] is a literal bracket"
        inner = part[at + 1 : end]
        if inner.startswith("^"):
            return "it has a set that begins with ^, which some read as `not` and some do not; write [!…]"
        if any(mark in inner for mark in ("[:", "[.", "[=")):
            return "it has a named class such as [:alpha:], which is not supported"
        if any(first > last for first, last in _chars(inner).ranges):
            return "it has a range whose end comes before its beginning"
        at = part.find("[", end + 1)
    return None


def _closing(part: str, opening: int) -> int | None:
    """Return where a set ends; a bracket that stands first in it is one of its characters."""
    first = opening + (3 if part[opening + 1 : opening + 2] == "!" else 2)
    end = part.find("]", first)
    return None if end == -1 else end


def _component(part: str) -> list[Token]:
    tokens: list[Token] = []
    at = 0
    while at < len(part):
        char = part[at]
        if char == "*":
            if not tokens or tokens[-1] != STAR:
                tokens.append(STAR)
        elif char == "?":
            tokens.append(ONE)
        elif char == "[":
            end = part.index("]", at + (3 if part[at + 1] == "!" else 2))
            chars = _chars(part[at + 1 : end])
            tokens.append(chars)
            at = end
        else:
            tokens.append(char)
        at += 1
    return tokens


def _chars(inner: str) -> Chars:
    """Read what stands between the brackets of a set."""
    negated = inner.startswith("!")
    body = inner[negated:]
    singles, ranges = [], []
    at = 0
    while at < len(body):
        if body[at + 1 : at + 2] == "-" and at + 2 < len(body):
            ranges.append((body[at], body[at + 2]))
            at += 3
        else:
            singles.append(body[at])
            at += 1
    return Chars(negated, "".join(singles), tuple(ranges))
