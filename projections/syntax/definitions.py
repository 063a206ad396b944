"""What a file defines: functions, classes, headings, keys, each with its range, its name and its hashes."""

from typing import NamedTuple

from linetrail.projections.syntax import parsing
from linetrail.projections.syntax.language import Language
from linetrail.projections.syntax.outline import Draft, Place, Span, outline
from linetrail.projections.syntax.tokens import digest, hashes, masked

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
