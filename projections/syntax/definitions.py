"""What a file defines: functions, classes, headings, keys, each with its range, its name and its hashes."""

from collections import Counter
from typing import NamedTuple

from linetrail.projections.syntax import parsing
from linetrail.projections.syntax.language import Language
from linetrail.projections.syntax.outline import Draft, Place, Span, outline
from linetrail.projections.syntax.tokens import digest, hashes, masked

_TYPES = frozenset(
    {"class", "enum", "implementation", "interface", "object", "record", "struct", "trait", "union", "constant"}
)
_MEMBERS = {"function": "method", "variable": "property"}
_QUOTES = "\"'`"


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
    drafts = outline(place, captures)
    text = masked(language, content, place.comments, [node.byte_range for node in captures.get("verbatim", ())])
    parts = [(start, end) for start, end in map(place.span, captures.get("part", ())) if start < end]
    return _named(content, drafts, hashes(text, drafts, parts))


def _named(content: bytes, drafts: list[Draft], tokens: list[tuple[str, str]]) -> list[Definition]:
    """Give the drafts their names and lines."""
    definitions: list[Definition] = []
    paths: list[str] = []
    seen: Counter[str] = Counter()
    line, at = 1, 0
    for draft, (with_name, without_name) in zip(drafts, tokens, strict=True):
        name = _text(content, draft.name) or "?"
        parent = draft.parent.number if draft.parent else None
        path = ".".join(filter(None, ["" if parent is None else paths[parent], _text(content, draft.scope), name]))
        paths.append(path)
        seen[path] += 1
        line += content.count(b"\n", at, draft.start)
        at = draft.start
        definitions.append(
            Definition(
                kind=_MEMBERS.get(draft.kind, draft.kind)
                if draft.parent and draft.parent.kind in _TYPES
                else draft.kind,
                name=name,
                qualified=path if seen[path] == 1 else f"{path}#{seen[path]}",
                start_line=line,
                end_line=line + content.count(b"\n", draft.start, draft.end),
                start_byte=draft.start,
                end_byte=draft.end,
                parent=parent,
                raw=digest(content[draft.start : draft.end]),
                tokens=with_name,
                body_tokens=without_name,
                broken=draft.broken,
            )
        )
    return definitions


def _text(content: bytes, span: Span) -> str:
    """Return a name as one writes it elsewhere: on one line, without quotes."""
    start, end = span
    name = " ".join(content[start:end].decode("utf-8", "replace").split())
    return name[1:-1] if len(name) > 2 and name[0] == name[-1] and name[0] in _QUOTES else name
