"""Find lines that were only wrapped anew: the same tokens in the same order, in other lines.

Where both texts are at hand their tokens are compared. Where of the older one only line hashes are known, these tell,
too: joining two lines joins their substance, so a stretch of the new text that has the hash of an old line is that
line, wherever it is broken now.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from linetrail.ledger.observe.diff import matches
from linetrail.ledger.observe.substance import TOKEN, substance_hash

# In one place of a file, so many tokens are compared, so many lines looked at, and so many stretches of text hashed.
MAX_TOKENS = 2_000
MAX_LINES = 200
MAX_HASHES = 3_000
# No formatter makes or takes a longer line.
MAX_LINE_BYTES = 500

LAST_COMMA = re.compile(rb",(?=\s*[)\]}])")
_LAST_SEMICOLON = re.compile(rb";(?=\s*$)", re.MULTILINE)
# What a formatter adds or takes away where it breaks a line, and what each line of a comment begins with.
_BREAKERS = frozenset((b"(", b")", b",", b";", b"\\"))
_MARKERS = (b"#", b"//", b"*", b"--")
_MARKER_SIGNS = frozenset((b"#", b"/", b"*", b"-"))

# An old line and a new line that has something of it, both counted from 0.
Pair = tuple[int, int]


def by_text(old: Sequence[bytes], new: Sequence[bytes]) -> list[Pair]:
    r"""Pair each new line that has no token of its own with the old lines that its tokens come from.

    A line that lost a token inside, or that was not broken, is edited and not listed.

    >>> by_text([b"call(one,", b"     two)"], [b"call(one, two)"])
    [(0, 0), (1, 0)]
    """
    if not old or not new:
        return []
    before, after = _tokens(old), _tokens(new)
    if not before.texts or not after.texts or len(before.texts) + len(after.texts) > MAX_TOKENS:
        return []
    origin: list[int | None] = [None] * len(after.texts)
    for a, b, length in matches(before.texts, after.texts):
        origin[b : b + length] = range(a, a + length)
    sources = _mostly_kept(before, {at for at in origin if at is not None})
    pairs: list[Pair] = []
    last: int | None = None
    for line, places in after.by_line():
        found = [at for at in map(origin.__getitem__, places) if at is not None]
        whole = found and all(origin[at] is not None or after.is_layout(at) for at in places)
        if not whole or not _is_stretch(before, found) or not _says(before, found, last):
            last = None
            continue
        last = found[-1]
        pairs += [(source, line) for source in sorted({before.lines[at] for at in found} & sources)]
    return [pair for pair in pairs if not _is_alone(pair, pairs) or _same_tokens(old[pair[0]], new[pair[1]])]


def by_hash(old: Sequence[str | None], new: Sequence[bytes]) -> list[Pair]:
    """Pair new lines with old ones of which only the hashes are known; every byte of such a line is accounted for.

    What formatters change where they break lines is looked past: a last comma or semicolon, the kind of quotes, and
    the signs that each line of a comment begins with.

    >>> by_hash([substance_hash(b"call(one,"), substance_hash(b"two)")], [b"call(one, two)"])
    [(0, 0), (1, 0)]
    """
    if len(old) + len(new) > MAX_LINES:
        return []
    found: list[Pair] = []
    for prefix, lines, in_one in _readings(new):
        text = _Text(lines)
        pairs = list(_covered(text, _stretches(text, old, prefix)))
        told = {line for _, line in found}
        # An equal line was not broken: whether it is the same one is for its surroundings to say.
        found += [pair for pair in pairs if pair[1] not in told and (in_one or not _is_alone(pair, pairs))]
    return sorted(found, key=lambda pair: pair[1])


class _Tokens(NamedTuple):
    """The tokens of some lines, each with the number of its line."""

    texts: list[bytes]
    lines: list[int]

    def by_line(self) -> Iterator[tuple[int, range]]:
        """Yield each line that has tokens, with the places of these."""
        start = 0
        for stop in range(1, len(self.lines) + 1):
            if stop == len(self.lines) or self.lines[stop] != self.lines[start]:
                yield self.lines[start], range(start, stop)
                start = stop

    def is_layout(self, at: int) -> bool:
        """Return whether a token may come and go where lines are broken anew."""
        first = at < 2 or self.lines[at - 2] != self.lines[at]
        return self.texts[at] in _BREAKERS or (first and self.texts[at] in _MARKER_SIGNS)


def _tokens(lines: Sequence[bytes]) -> _Tokens:
    """Read the tokens; a string is the same in either kind of quotes."""
    texts, places = [], []
    for at, line in enumerate(lines):
        found = TOKEN.findall(line.replace(b"'", b'"'))
        texts += found
        places += [at] * len(found)
    return _Tokens(texts, places)


def _is_stretch(before: _Tokens, found: Sequence[int]) -> bool:
    """Return whether these tokens followed each other."""
    return all(before.is_layout(at) for one, two in pairwise(found) for at in range(one + 1, two))


def _mostly_kept(before: _Tokens, kept: set[int]) -> frozenset[int]:
    """Return the old lines of which most tokens are somewhere in the new ones."""
    return frozenset(line for line, places in before.by_line() if 2 * len(kept.intersection(places)) >= len(places))


def _says(before: _Tokens, found: Sequence[int], last: int | None) -> bool:
    """Return whether tokens say where they come from: signs alone do so only right after those of the line above."""
    return any(_is_word(before.texts[at]) for at in found) or (last is not None and found[0] == last + 1)


def _is_word(token: bytes) -> bool:
    return len(token) > 1 or token.isalnum()


def _is_alone(pair: Pair, pairs: Sequence[Pair]) -> bool:
    """Return whether one old line became one new line."""
    return sum(pair[0] == old or pair[1] == new for old, new in pairs) == 1


def _same_tokens(one: bytes, other: bytes) -> bool:
    """Compare two lines that were not broken: quotes and a last semicolon are layout there, nothing else."""
    return _tokens([one.rstrip(b"; \t")]).texts == _tokens([other.rstrip(b"; \t")]).texts


class _Text:
    """Lines without white space as one text, with the places where tokens end and where each line begins."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        tokens = [TOKEN.findall(line) for line in lines]
        self.content = b"".join(token for line in tokens for token in line)
        self.ends = list(accumulate(len(token) for line in tokens for token in line))
        self.starts = list(accumulate((sum(map(len, line)) for line in tokens), initial=0))

    def lines_of(self, start: int, stop: int) -> range:
        """Return the lines that a stretch of the text has something of."""
        return range(bisect_right(self.starts, start) - 1, bisect_left(self.starts, stop))


def _readings(new: Sequence[bytes]) -> Iterator[tuple[bytes, Sequence[bytes], bool]]:
    """Yield ways to read lines: what old ones began with besides, the lines, and whether this is layout in any line.

    A kind of quotes is, and a last semicolon; the other signs only where a line was broken.
    """
    yield b"", new, False
    text = b"\n".join(new)
    readings = [(LAST_COMMA.sub(b"", text), False), (_LAST_SEMICOLON.sub(b"", text), True)]
    readings += [(text.replace(b'"', b"'"), True), (text.replace(b"'", b'"'), True)]
    for other, in_one in readings:
        if other != text:
            yield b"", other.split(b"\n"), in_one
    for sign in _MARKERS:
        if all(line.lstrip().startswith(sign) for line in new):
            yield sign, [line.lstrip().removeprefix(sign) for line in new], False


def _stretches(text: _Text, old: Sequence[str | None], prefix: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield old lines with the stretch of text that each one is, in order."""
    done, tried = 0, 0
    made: dict[int, dict[str, int]] = {}  # by where a stretch starts, where it stops, by its hash
    for line, wanted in enumerate(old):
        for start in (done, *(at for at in text.starts if at > done)):
            stops = text.ends[bisect_right(text.ends, start) : bisect_right(text.ends, start + MAX_LINE_BYTES)]
            tried += len(stops)
            if wanted is None or tried > MAX_HASHES:
                break
            if start not in made:
                made[start] = {substance_hash(prefix + text.content[start:stop]): stop for stop in reversed(stops)}
            found = made[start].get(wanted)
            if found is not None:
                yield line, start, found
                done = found
                break


def _covered(text: _Text, stretches: Iterator[tuple[int, int, int]]) -> Iterator[Pair]:
    """Yield old and new lines that share a stretch, of those new lines that have nothing else."""
    shares: dict[int, int] = {}
    pairs: list[Pair] = []
    for old, start, stop in stretches:
        for line in text.lines_of(start, stop):
            share = min(stop, text.starts[line + 1]) - max(start, text.starts[line])
            shares[line] = shares.get(line, 0) + share
            pairs.append((old, line))
    return (pair for pair in pairs if shares[pair[1]] == text.starts[pair[1] + 1] - text.starts[pair[1]])
