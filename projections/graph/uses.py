"""Find the names that the definitions of one file use, and what the file says it takes from others.

Names are told from words by the grammar, so comments and texts say nothing. A name that is bound where it stands, such
as a parameter, is nobody else's.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from linetrail.projections.nodes.sides import Side
from linetrail.projections.syntax import parsing
from linetrail.projections.syntax.definitions import Definition
from linetrail.projections.syntax.language import Language, language_of

if TYPE_CHECKING:
    import tree_sitter

# Kinds of node that are a name, and those that say what a file takes from others.
_NAMES = frozenset(
    {
        "identifier",
        "type_identifier",
        "field_identifier",
        "property_identifier",
        "private_property_identifier",
        "shorthand_property_identifier",
        "shorthand_field_identifier",
        "simple_identifier",
        "constant",
        "name",
        "command_name",
    }
)
_IMPORTS = frozenset(
    {
        "import",
        "import_declaration",
        "import_from_statement",
        "import_statement",
        "extern_crate_declaration",
        "include_expression",
        "include_once_expression",
        "mod_item",
        "namespace_use_declaration",
        "preproc_include",
        "require_expression",
        "require_once_expression",
        "use_declaration",
        "using_declaration",
        "using_directive",
    }
)
# The same where a function does it.
_REQUIRED = re.compile(rb"^.*\b(?:require|require_relative|dofile|source)\b.*$", re.MULTILINE)
_WORD = re.compile(rb"[^\W\d]\w*|[*]")
_OWNER = re.compile(rb"(?:([\w@]+)\s*)?(?:\.|->|::|\?\.)\s*\Z")
# So far back the name before a dot is looked for.
_BACK = 80
# What a query keeps in mind at once; these need next to nothing.
_MATCHES = 1024
_BOUND = re.compile(rb"\s*=(?!=)")


class Use(msgspec.Struct, frozen=True, array_like=True):
    """A name in a definition, by its place in the file: the first line of it, and how often it is there.

    `member` says that it follows a dot, `owner` is the name before the dot, if that is one.
    """

    at: int
    name: str
    member: bool
    owner: str | None
    line: int
    times: int


class Uses(msgspec.Struct, frozen=True, array_like=True):
    """All names that definitions of a file use, and the words of each statement that takes something from elsewhere."""

    names: list[Use]
    imports: list[list[str]]


NOTHING = Uses([], [])


def uses(side: Side) -> Uses:
    """Return the names that a file uses; none where its language binds none, or nobody can read it."""
    language = language_of(side.path, side.content)
    if language is None or not language.locals or not side.definitions:
        return NOTHING
    try:
        tree = parsing.parse(language, side.content)
    except parsing.UnparsableError:
        return NOTHING
    found = _found(language, tree)
    imports = [node.byte_range for node in found.get("import", ())]
    spans = sorted(node.byte_range for node in found.get("name", ()))
    inside = _Inside(side.definitions)
    bound = _bound(language, tree, side, inside)
    return Uses(_counted(side, _outside(spans, imports), inside, bound), _words(side, imports))


class _Inside:
    """Which definition is around a place in the text."""

    def __init__(self, definitions: Sequence[Definition]) -> None:
        self._definitions = definitions
        self._starts = [definition.start_byte for definition in definitions]

    def innermost(self, offset: int) -> int | None:
        at: int | None = bisect_right(self._starts, offset) - 1
        if at == -1:
            return None
        while at is not None and self._definitions[at].end_byte <= offset:
            at = self._definitions[at].parent
        return at

    def around(self, at: int | None) -> Iterator[int]:
        """Yield a definition and those around it."""
        while at is not None:
            yield at
            at = self._definitions[at].parent


def _counted(side: Side, spans: Sequence[tuple[int, int]], inside: _Inside, bound: dict[int, set[bytes]]) -> list[Use]:
    first: dict[tuple[int, str, bool, str | None], int] = {}
    times: dict[tuple[int, str, bool, str | None], int] = defaultdict(int)
    named: set[int] = set()
    line, counted = 1, 0
    for start, end in spans:
        line += side.content.count(b"\n", counted, start)
        counted = start
        at = inside.innermost(start)
        if at is None:
            continue
        text = side.content[start:end]
        owner = _OWNER.search(side.content, max(start - _BACK, 0), start)
        if owner is None and (
            _is_heading(side.definitions[at], text, at, named)
            or _BOUND.match(side.content, end)
            or any(text in bound[outer] for outer in inside.around(at))
        ):
            continue
        key = at, _decoded(text), owner is not None, _decoded(owner[1]) if owner and owner[1] else None
        first.setdefault(key, line)
        times[key] += 1
    return [Use(*key, line, times[key]) for key, line in first.items()]


def _is_heading(definition: Definition, text: bytes, at: int, named: set[int]) -> bool:
    """Return whether this is the place where a definition gets its name."""
    if at in named or text != definition.name.encode(errors="surrogateescape"):
        return False
    named.add(at)
    return True


def _bound(language: Language, tree: "tree_sitter.Tree", side: Side, inside: _Inside) -> dict[int, set[bytes]]:
    """Return the names that are bound inside of each definition itself."""
    found: dict[int, set[bytes]] = defaultdict(set)
    for start, end in parsing.local_names(language, tree, 0, len(side.content)):
        at = inside.innermost(start)
        if at is not None and side.content[start:end] != side.definitions[at].name.encode(errors="surrogateescape"):
            found[at].add(side.content[start:end])
    return found


def _outside(spans: Sequence[tuple[int, int]], others: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the spans that are not in one of the others."""
    ends = sorted(others)
    starts = [start for start, _ in ends]
    found = []
    for span in spans:
        at = bisect_right(starts, span[0]) - 1
        if at < 0 or ends[at][1] < span[1]:
            found.append(span)
    return found


def _words(side: Side, imports: Sequence[tuple[int, int]]) -> list[list[str]]:
    texts = [side.content[start:end] for start, end in imports] + _REQUIRED.findall(side.content)
    return [[_decoded(word) for word in _WORD.findall(text)] for text in texts]


def _found(language: Language, tree: "tree_sitter.Tree") -> "dict[str, list[tree_sitter.Node]]":
    import tree_sitter

    return tree_sitter.QueryCursor(_query(language), match_limit=_MATCHES).captures(tree.root_node)


@cache
def _query(language: Language) -> "tree_sitter.Query":
    import tree_sitter

    grammar = language.loaded
    kinds = {
        grammar.node_kind_for_id(number)
        for number in range(grammar.node_kind_count)
        if grammar.node_kind_is_named(number)
    }
    names = [f"({kind}) @name" for kind in sorted(_NAMES & kinds)]
    imports = [f"({kind}) @import" for kind in sorted(_IMPORTS & kinds)]
    return tree_sitter.Query(grammar, "\n".join([*names, *imports]))


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")
