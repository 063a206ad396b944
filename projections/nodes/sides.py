"""One side of a step: files, what they define, and the lines by which two definitions are compared.

Lines are compared as everywhere here: by the hash of their substance. A definition's own name is no difference, so
renaming it leaves its lines what they were.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from linetrail.ledger.observe.substance import Split, line_hash, split
from linetrail.projections.lines.align import TRIVIAL
from linetrail.projections.lines.states import hashes_of
from linetrail.projections.syntax.definitions import Definition

# What stands where a definition's own name stood.
_ITSELF = b"\0"
# A line of fewer signs and words has the shape of many.
TELLING = 5
# Only a text of so many bytes is taken for itself because it is there.
LONG = 40
_WORD = re.compile(rb"[\w\x80-\xff]+")
_REMARK = re.compile(rb"\s*(?:#|//|/\*|\*|--)")
_QUOTES = re.compile(rb"\s*[rRuUbB]{0,2}(\"\"\"|''')")


class Side:
    """One file before or after a step, with what it defines in the order of the text."""

    def __init__(self, path: str, content: bytes, definitions: Sequence[Definition]) -> None:
        self.path, self.content, self.definitions = path, content, definitions
        self._bodies: dict[int, Counter[str]] = {}
        # asked for again at every step that the file is part of
        self.code = cache(self._code)
        self.shapes = cache(self._shapes)

    def places(self) -> "Iterator[Place]":
        """Yield what the file defines; what is around a definition comes before it."""
        return (Place(self, at) for at in range(len(self.definitions)))

    def body(self, at: int) -> Counter[str]:
        """Return the lines of substance of a definition, as if it had no name."""
        if at not in self._bodies:
            definition = self.definitions[at]
            name = definition.name.encode(errors="surrogateescape")
            named = re.compile(rb"(?<!\w)" + re.escape(name) + rb"(?!\w)")
            texts, hashes = self.lines_of(at), self.hashes[definition.start_line - 1 : definition.end_line]
            self._bodies[at] = _substantial(
                line_hash(named.sub(_ITSELF, text)) if name in text else line
                for text, line in zip(texts, hashes, strict=True)
            )
        return self._bodies[at]

    def _code(self, at: int) -> Counter[str]:
        return _substantial(self.hashes[number] for number in self._statements(at))

    def _shapes(self, at: int) -> Counter[str]:
        return Counter(shape for number in self._statements(at) if len(shape := self._shaped[number]) >= TELLING)

    def _statements(self, at: int) -> Iterator[int]:
        """Yield the lines of a definition, from 0, that are neither its heading nor remarks or a text about it."""
        quotes = b""
        for number in range(self.definitions[at].start_line, self.definitions[at].end_line):
            if quotes:
                quotes = b"" if quotes in self.lines[number] else quotes
            elif (opened := self._opened[number]) is None:
                yield number
            else:
                quotes = opened

    def lines_of(self, at: int) -> Sequence[bytes]:
        """Return all lines of a definition."""
        definition = self.definitions[at]
        return self.lines[definition.start_line - 1 : definition.end_line]

    @cached_property
    def _split(self) -> Split:
        return split(self.content)

    @property
    def lines(self) -> Sequence[bytes]:
        """The lines of the content."""
        return self._split.lines

    @cached_property
    def hashes(self) -> Sequence[str]:
        """The lines as they are compared."""
        return hashes_of(self._split)

    @cached_property
    def _shaped(self) -> Sequence[str]:
        """The shape of each line: every word stands for any."""
        return [shape.decode("latin-1") for shape in split(_WORD.sub(b"x", self.content)).substance]

    @cached_property
    def _opened(self) -> Sequence[bytes | None]:
        """Of each line that is a remark, or begins a text, the quotes that it leaves open; None of a statement."""
        return [_opened(line) for line in self.lines]


class Place(NamedTuple):
    """A definition where it stands."""

    side: Side
    at: int

    @property
    def definition(self) -> Definition:
        """What is defined there."""
        return self.side.definitions[self.at]

    @property
    def path(self) -> str:
        """The file it stands in."""
        return self.side.path

    @property
    def around(self) -> "Place | None":
        """The definition that it is part of."""
        parent = self.definition.parent
        return None if parent is None else Place(self.side, parent)

    @property
    def home(self) -> "Place | str":
        """What it is part of: a definition, else its file."""
        return self.around or self.side.path

    @property
    def holds(self) -> bool:
        """Whether it is around others."""
        rest = self.side.definitions
        return self.at + 1 < len(rest) and rest[self.at + 1].parent == self.at

    @property
    def text(self) -> bytes:
        """All that belongs to it."""
        return self.side.content[self.definition.start_byte : self.definition.end_byte]

    @property
    def hashes(self) -> Sequence[str]:
        """All its lines."""
        return self.side.hashes[self.definition.start_line - 1 : self.definition.end_line]

    @property
    def body(self) -> Counter[str]:
        """The lines it is compared by."""
        return self.side.body(self.at)

    @property
    def size(self) -> int:
        """How many lines of substance it has."""
        return self.body.total()

    def code(self) -> Counter[str]:
        """Return the lines below the heading that are neither trivial nor remarks."""
        return self.side.code(self.at)

    def shapes(self) -> Counter[str]:
        """Return the same lines with every word of them standing for any."""
        return self.side.shapes(self.at)


def share(one: Counter[str], other: Counter[str]) -> float:
    """Return how much of both is the same, 0 to 1."""
    total = one.total() + other.total()
    return 2 * sum(min(times, other[line]) for line, times in one.items() if line in other) / total if total else 0.0


def stands(place: Place, content: bytes) -> bool:
    """Return whether a definition is in a content as it is, once, between the same lines, and in what it was in.

    With another line next to it, that line may have been part of it.
    """
    here = place.side.content
    if here == content:
        return True
    text = place.text
    return (
        len(text) >= LONG
        and content.count(text) == here.count(text) == 1
        and _beside(text, content) == _beside(text, here)
        and all(heading in content for heading in _headings(place))
    )


def located(place: Place, side: Side) -> Place:
    """Return where a definition is in a content in which it stands."""
    if side is place.side:
        return place
    same = [one for one in side.places() if one.definition.raw == place.definition.raw]
    named = [one for one in same if one.definition.qualified == place.definition.qualified]
    return next(iter([*named, *same]), place)


def _substantial(hashes: Iterable[str]) -> Counter[str]:
    """Count lines, without those that say nothing by themselves."""
    return Counter(line for line in hashes if line not in TRIVIAL)


def _opened(line: bytes) -> bytes | None:
    opening = _QUOTES.match(line)
    if opening:
        return b"" if opening[1] in line[opening.end() :] else opening[1]
    return b"" if _REMARK.match(line) else None


def _beside(text: bytes, content: bytes) -> tuple[bytes, bytes]:
    """Return the lines before and after a text, without blank ones."""
    above, _, below = content.partition(text)
    return above.rstrip().rpartition(b"\n")[2], below.lstrip().partition(b"\n")[0]


def _headings(place: Place) -> Iterator[bytes]:
    """Yield the lines that name what is around a definition."""
    around = place.around
    while around is not None:
        name = around.definition.name.encode(errors="surrogateescape")
        yield next((line for line in around.text.split(b"\n") if name in line), b"")
        around = around.around
