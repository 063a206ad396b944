"""What a file defines: functions, classes, headings, keys, each with its range, its name and its hashes.

Hashes are of tokens, what is left when layout and comments are gone: white space is dropped, save where it tells two
tokens apart. This is done to the whole text at once and keeps every offset: a loop over the nodes of a tree costs more
than parsing it.
"""

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from linetrail.projections.syntax import parsing
from linetrail.projections.syntax.language import Language
from linetrail.projections.syntax.outline import Draft, Place, Span, outline

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_TYPES = frozenset(
    {"class", "enum", "implementation", "interface", "object", "record", "struct", "trait", "union", "constant"}
)
_MEMBERS = {"function": "method", "variable": "property"}
_QUOTES = frozenset("\"'`")


class Definition(NamedTuple):
    """A named part of a file.

    Lines are counted from 1 and include the last; decorators and comments directly above belong to it. A hash is
    the first 16 hex digits of SHA-256: `raw` of the bytes, `tokens` of what is left without layout and comments,
    `body_tokens` of the same without the definition's own name. `parent` is the index of the definition around it.
    """

    kind: str
    name: str
    qualified: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    parent: int | None
    raw: str
    tokens: str
    body_tokens: str
    broken: bool


def index(language: Language, content: bytes) -> list[Definition]:
    """Return what this content defines, in the order of the text; what is broken, as far as it can be read."""
    captures = parsing.captures(language, parsing.parse(language, content))
    place = Place(content, captures)
    drafts = outline(place, captures, language.keys)
    verbatim, folded = ([node.byte_range for node in captures.get(name, ())] for name in ("verbatim", "folded"))
    text = masked(language, content, place.comments, verbatim, folded)
    ends = [end for start, end in place.spans(captures.get("part", ())) if start < end]
    return _named(content, drafts, hashes(text, drafts, ends))


def _named(content: bytes, drafts: list[Draft], tokens: list[tuple[str, str]]) -> list[Definition]:
    """Give the drafts their names and lines."""
    definitions: list[Definition] = []
    paths: list[str] = []
    seen: dict[str, int] = {}
    line, at = 1, 0
    for draft, (with_name, without_name) in zip(drafts, tokens, strict=True):
        start, end, parent = draft.start, draft.end, draft.parent
        path = name = _text(content, draft.name)
        if draft.scope[1]:
            path = f"{_text(content, draft.scope)}.{name}"
        if parent:
            path = f"{paths[parent.number]}.{path}"
        paths.append(path)
        seen[path] = again = seen.get(path, 0) + 1
        line += content.count(b"\n", at, start)
        at = start
        definitions.append(
            Definition(
                _MEMBERS.get(draft.kind, draft.kind) if parent and parent.kind in _TYPES else draft.kind,
                name,
                path if again == 1 else f"{path}#{again}",
                line,
                line + content.count(b"\n", start, end),
                start,
                end,
                parent.number if parent else None,
                digest(content[start:end]),
                with_name,
                without_name,
                draft.node.has_error,
            )
        )
    return definitions


def _text(content: bytes, span: Span) -> str:
    """Return a name as one writes it elsewhere: on one line, without quotes."""
    name = content[span[0] : span[1]].decode("utf-8", "replace")
    if name.isidentifier():
        return name
    name = " ".join(name.split())
    return name[1:-1] if name[:1] in _QUOTES and len(name) > 2 and name[0] == name[-1] else name


_SPACE = b" \t\n\r\f\v"
# White space that counts becomes bytes that no UTF-8 text has, and so do a part's end and a definition's name.
_KEEP = bytes.maketrans(_SPACE, b"\xf8\xf9\xfa\xfb\xfc\xfd")
_SPACE_COUNTS, _LINE_COUNTS, _PART, _NAME = b"\xf8", b"\xfa", b"\xfe", b"\xff"
_BLANKS = b" \t"
_DROPPED = _SPACE + b"\0"
_LETTER = re.compile(rb"\w|[\x80-\xf7]")
_LETTERS = bytes(ord(" " if byte in _DROPPED else "a" if _LETTER.match(bytes([byte])) else ".") for byte in range(256))
_FOLD = re.compile(rb"(?<![^\S\n])[^\S\n]*+\n\s*")
_TRAILING = re.compile(rb"(?<![ \t])[ \t]++(?=\n)")


def digest(data: bytes) -> str:
    """Return the first 16 hex digits of SHA-256."""
    return hashlib.sha256(data).hexdigest()[:16]


def masked(
    language: Language, content: bytes, comments: Iterable[Span], verbatim: Iterable[Span], folded: Iterable[Span]
) -> bytes:
    """Return the content with blanks for its comments, and other bytes for the white space that counts."""
    text = bytearray(content)
    for start, end in comments:
        text[start:end] = b" " * (end - start)
        if language.lines and b"\n" in content[start : end + 2]:
            before = start
            while before and text[before - 1] in _BLANKS:
                before -= 1
            text[before:end] = b"\n".ljust(end - before, b"\v")
    for start, end in verbatim:
        text[start:end] = _kept(text[start:end])
    for start, end in folded:
        text[start:end] = _FOLD.sub(_folded, text[start:end]).translate(_KEEP)
    if language.quoted:
        for found in language.quoted.finditer(bytes(text)):
            text[slice(*found.span())] = _kept(found[0])
    masked = _with_lines(language.lines, bytes(text)) if language.lines else bytes(text)
    if language.space:
        masked = language.space.sub(rb"\1" * language.space.groups + _SPACE_COUNTS, masked)
    return masked


def _kept(text: bytes | bytearray) -> bytes | bytearray:
    """Return a text with all its white space; a line end is the same line end, however it is spelt."""
    return text.replace(b"\r\n", b"\0\n").translate(_KEEP)


def _folded(blanks: re.Match[bytes]) -> bytes:
    inside = blanks.start() > 0 and blanks.end() < len(blanks.string)
    return (b" " if inside else b"").ljust(len(blanks[0]), b"\0")


def _with_lines(lines: re.Pattern[bytes], text: bytes) -> bytes:
    """Return the masked text with the line ends that count; blanks before a line end belong to it."""
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n\v")
    if b" \n" in text or b"\t\n" in text:
        text = _TRAILING.sub(lambda blanks: b"\n".ljust(len(blanks[0]), b"\v"), text)
    return lines.sub(_LINE_COUNTS, text)


def hashes(text: bytes, drafts: Sequence[Draft], ends: Iterable[int]) -> list[tuple[str, str]]:
    """Return the hash of each definition with its name and without.

    Where another definition stands inside, its hash takes the place of its text, so that each byte is read once.
    """
    marked = _Marked(text, sorted(ends))
    found = [("", "")] * len(drafts)
    inside: dict[Draft | None, list[tuple[int, int, bytes]]] = {}
    for draft in reversed(drafts):
        start, end, name_start, name_end = marked.places(draft)
        holes = inside.pop(draft, [])
        if name_end:
            holes.append((name_start, name_end, _NAME))
        hashed = hashlib.sha256(_canonical(_filled(marked.text, start, end, holes)))
        body = hashed.hexdigest()[:16]
        hashed.update(b"\0" + _canonical(marked.text[name_start:name_end]))
        tokens = hashed.hexdigest()[:16]
        found[draft.number] = tokens, body
        inside.setdefault(draft.parent, []).append((start, end, b"\0" + tokens.encode() + b"\0"))
    return found


class _Marked:
    """A text with a mark wherever a part ends, and what the places in the text without them have become."""

    def __init__(self, text: bytes, ends: list[int]) -> None:
        pieces: list[bytes] = []
        at = 0
        for end in ends:
            pieces.append(text[at:end])
            at = end
        self.text = _PART.join([*pieces, text[at:]])
        self._ends = ends

    def places(self, draft: Draft) -> tuple[int, int, int, int]:
        """Return where a definition and its name begin and end: after all marks there, and before all marks there."""
        places = draft.start, draft.end, *draft.name
        if not self._ends:
            return places
        start, end, name_start, name_end = places
        return (
            start + bisect_right(self._ends, start),
            end + bisect_left(self._ends, end),
            name_start + bisect_right(self._ends, name_start),
            name_end + bisect_left(self._ends, name_end),
        )


def _filled(text: bytes, start: int, end: int, holes: list[tuple[int, int, bytes]]) -> bytes:
    pieces: list[bytes] = []
    for hole_start, hole_end, filling in sorted(holes):
        if start <= hole_start:
            pieces += text[start:hole_start], filling
            start = hole_end
    return b"".join([*pieces, text[start:end]])


def _canonical(text: bytes) -> bytes:
    """Return the same bytes for masked texts of the same tokens: what is no white space, then where its words begin.

    A capital stands for the first letter of a word: splitting the text into words takes twice as long.
    """
    return text.translate(None, _DROPPED) + text.translate(_LETTERS).title().translate(None, b" ")


# What follows a dot, a key or an argument's name is nobody's local name, whatever it is called.
_OF_MEMBERS = frozenset({"attribute", "field", "key", "label", "method", "name", "property"})


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
            member = field in _OF_MEMBERS or "property" in node.type or "field" in node.type
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
