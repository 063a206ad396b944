"""The shape of a definition, made only when somebody asks: what survives reformatting and renaming."""

import hashlib
from typing import TYPE_CHECKING

from linetrail.projections.syntax import parsing
from linetrail.projections.syntax.definitions import Definition
from linetrail.projections.syntax.language import Language

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node, Tree

# What follows a dot, a key or an argument's name is nobody's local name, whatever it is called.
_MEMBERS = frozenset({"attribute", "field", "key", "label", "method", "name", "property"})


def shape(language: Language, content: bytes, tree: "Tree", definition: Definition) -> str:
    """Return the hash of a definition of a content, given the tree of the content, without comments and layout.

    In the place of its own name, and of each name bound inside of it, stands its place among these.
    """
    bound = parsing.local_names(language, tree, definition.start_byte, definition.end_byte)
    local, own = {content[start:end] for start, end in bound}, definition.name.encode()
    places: dict[bytes, bytes] = {}
    # of each node whose children are being read, what it is and what they are
    parts = [[b""]]
    for node, field in _walked(language, tree, definition):
        if node is None:
            part = _hash(parts.pop())
            parts[-1].append(part)
        elif node.child_count:
            parts.append([f"{field}:{node.type}".encode()])
        elif text := b" ".join(content[node.start_byte : node.end_byte].split()):
            member = field in _MEMBERS or "property" in node.type or "field" in node.type
            replaced = text == own or (text in local and (not member or node.byte_range in bound))
            parts[-1].append(places.setdefault(text, b"\0%d" % len(places)) if replaced else text)
    return _hash(parts[0]).decode()


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
