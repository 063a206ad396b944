"""Lower Java to terms."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from linetrail.projections.proof.dialects.java import declarations as java_declarations
from linetrail.projections.proof.dialects.java import expressions as java_expressions
from linetrail.projections.proof.dialects.java import statements as java_statements
from linetrail.projections.proof.dialects.java import types as java_types
from linetrail.projections.proof.dialects.lowering import Atom, Grammar, lowered
from linetrail.projections.proof.dialects.operators import constant, number
from linetrail.projections.proof.dialects.remarks import COMMENT
from linetrail.projections.proof.dialects.tables import table
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.dialect import Lowered
from linetrail.projections.proof.terms.term import Term

if TYPE_CHECKING:
    from tree_sitter import Node

_TABLE: Final = table("java")
_LINE_END: Final = re.compile(r"\r\n?")


def _string(spelling: str) -> tuple[str, str]:
    """Return a string as it is spelled; a text block without the margin that its value does not have."""
    if not spelling.startswith('"""'):
        return "str", spelling[1:-1]
    _, *lines = _LINE_END.sub("\n", spelling[3:-3]).split("\n")
    last = len(lines) - 1
    margins = [len(line) - len(line.lstrip()) for at, line in enumerate(lines) if line.strip() or at == last]
    margin = min(margins, default=0)
    return "text", "\n".join(line[margin:].rstrip() for line in lines)


_ATOMS: Final[dict[str, Atom]] = {
    "binary_integer_literal": lambda text: number("int", text),
    "character_literal": lambda text: ("char", text[1:-1]),
    "decimal_floating_point_literal": lambda text: number("float", text),
    "decimal_integer_literal": lambda text: number("int", text),
    "false": constant,
    "hex_floating_point_literal": lambda text: number("float", text),
    "hex_integer_literal": lambda text: number("int", text),
    "null_literal": constant,
    "octal_integer_literal": lambda text: number("int", text),
    "string_literal": _string,
    "true": constant,
}
_GRAMMAR: Final = Grammar(
    language="java",
    rules={
        **_TABLE.rules,
        **java_types.RULES,
        **java_expressions.RULES,
        **java_statements.RULES,
        **java_declarations.RULES,
    },
    leaves=_TABLE.leaves,
    atoms=_ATOMS,
    comments=frozenset(("line_comment", "block_comment")),
    remark=lambda _node, _text: COMMENT,
    units=frozenset(("method_declaration", "constructor_declaration")),
)


class Java:
    """The dialect of Java."""

    name = "java"
    scoping = "flow"
    packages = True
    builtins = _TABLE.builtins

    def lower(self, root: "Node", source: bytes, seen: dict[bytes, Sequence[Term]]) -> Lowered:
        """Return the terms of a file."""
        return lowered(_GRAMMAR, root, source, seen)

    def is_private(self, _name: str, declaration: Term, _module: Term) -> bool:
        """Return whether a name is an import: every class is visible in its package at least."""
        return declaration.kind in (t.IMPORT, t.NONE)

    def private_members(self, modules: Sequence[Term]) -> frozenset[str]:
        """Return the names that are private wherever these files declare them."""
        private: set[str] = set()
        others: set[str] = set(_TABLE.words["by_name"])
        for member in (one for module in modules for one in _members(module)):
            (private if _is_private(member) else others).add(str(member.kids[0].value))
        return frozenset(private - others)

    def untyped(self, _statement: Term) -> None:
        """Types choose what is called: there is no program without them."""

    def modules(self, path: str, written: str, _flags: Sequence[str]) -> Sequence[str]:
        """Return the files that can hold the class `written`, or the class around it, seen from `path`."""
        names = written.split(".")
        folders = path.split("/")[:-1]
        roots = ["/".join(folders[:depth]) for depth in range(len(folders), -1, -1)]
        classes = [names[:end] for end in range(len(names), max(len(names) - 2, 0), -1)]
        return ["/".join((*filter(None, (root,)), *parts)) + ".java" for parts in classes for root in roots]


def _members(module: Term) -> Iterator[Term]:
    """Yield what declares a member: a method, a field, a class in a class."""
    for one in module.walk():
        if one.kids and one.kids[0].kind == t.MEMBER:
            yield one


def _is_private(member: Term) -> bool:
    flags = member.value if isinstance(member.value, tuple) else ()
    if "private" not in flags or "native" in flags:
        return False
    notes = (note for kid in member.kids if kid.kind == t.DECORATORS for note in kid.kids)
    return all(note.kids and str(note.kids[0].value) in _TABLE.words["harmless"] for note in notes)
