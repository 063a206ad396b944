"""Deeper readings of one definition, made only when somebody asks: what survives reformatting, renaming, rewriting."""

import hashlib
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from linetrail.projections.syntax import parsing
from linetrail.projections.syntax.definitions import Definition
from linetrail.projections.syntax.language import Language

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node, Tree

# A part of fewer tokens and parts is found everywhere.
_LEAST = 3
# What follows a dot, a key or an argument's name is nobody's local name, whatever it is called.
_MEMBERS = frozenset({"attribute", "field", "key", "label", "method", "name", "property"})


class Shape(NamedTuple):
    """What a definition is made of.

    `structure` is the hash of its tree with names and literals, without comments and layout; `normalised` is the same
    with the definition's own name, and each name bound inside of it, replaced by its place among these. `subtrees` are
    the hashes of all parts of some size, with how often each is there: what `similarity` compares.
    """

    structure: str
    normalised: str
    subtrees: Counter[str]


class _Part:
    """A node whose children are being read, as they are written and with their local names replaced."""

    __slots__ = ("normalised", "size", "written")

    def __init__(self, head: bytes) -> None:
        self.written, self.normalised, self.size = [head], [head], 1

    def add(self, written: bytes, normalised: bytes, size: int) -> None:
        self.written.append(written)
        self.normalised.append(normalised)
        self.size += size


def shape(language: Language, content: bytes, tree: "Tree", definition: Definition) -> Shape:
    """Return the shape of one definition of a content, given the tree of the content."""
    bound = parsing.local_names(language, tree, definition.start_byte, definition.end_byte)
    local, own = {content[start:end] for start, end in bound}, definition.name.encode()
    places: dict[bytes, bytes] = {}
    subtrees: Counter[str] = Counter()
    parts = [_Part(b"")]
    for node, field in _walked(language, tree, definition):
        if node is None:
            part = parts.pop()
            written = _hash(part.written)
            subtrees[written.decode()] += part.size >= _LEAST
            parts[-1].add(written, _hash(part.normalised), part.size)
        elif node.child_count:
            parts.append(_Part(f"{field}:{node.type}".encode()))
        elif text := b" ".join(content[node.start_byte : node.end_byte].split()):
            member = field in _MEMBERS or "property" in node.type or "field" in node.type
            replaced = text == own or (text in local and (not member or node.byte_range in bound))
            parts[-1].add(text, places.setdefault(text, b"\0%d" % len(places)) if replaced else text, 1)
    return Shape(_hash(parts[0].written).decode(), _hash(parts[0].normalised).decode(), +subtrees)


def similarity(one: Counter[str], other: Counter[str]) -> float:
    """Return how much two multisets share: 0.0 nothing, 1.0 everything, also where both are empty."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0


def _walked(language: Language, tree: "Tree", definition: Definition) -> "Iterator[tuple[Node | None, str | None]]":
    """Yield the nodes of a definition that are no comments, each with its field, and None after its children."""
    first, last = definition.start_byte, definition.end_byte
    cursor = tree.walk()
    while (node := cursor.node) is not None:
        overlaps = node.start_byte < last and node.end_byte > first and node.type not in language.comments
        if overlaps and first <= node.start_byte and node.end_byte <= last:
            yield node, cursor.field_name
        if overlaps and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            node = cursor.node
            if node is not None and first <= node.start_byte and node.end_byte <= last:
                yield None, None


def _hash(parts: list[bytes]) -> bytes:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16].encode()
