"""Lower Go to terms."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from linetrail.projections.proof.dialects.go import declarations as go_declarations
from linetrail.projections.proof.dialects.go import expressions as go_expressions
from linetrail.projections.proof.dialects.go import statements as go_statements
from linetrail.projections.proof.dialects.go import types as go_types
from linetrail.projections.proof.dialects.go.types import bound
from linetrail.projections.proof.dialects.lowering import Atom, Grammar, lowered
from linetrail.projections.proof.dialects.operators import constant, number
from linetrail.projections.proof.dialects.remarks import COMMENT, DIRECTIVE
from linetrail.projections.proof.dialects.tables import table
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.dialect import Lowered
from linetrail.projections.proof.terms.term import ABSENT, Term

if TYPE_CHECKING:
    from tree_sitter import Node

_TABLE: Final = table("go", {t.BIND: bound})
_DIRECTIVE: Final = re.compile(r"//(?:go:\w|line |export |extern |\s?\+build\b)|/\*line ")
_LINKING: Final = ("//export", "//go:linkname", "//go:wasm", "//go:cgo")
# What `go test` compares the output of an example with.
_OUTPUT: Final = re.compile(r"(?i)//(?:.* )?(?:unordered )?output:")
_CGO: Final = re.compile(rb'^\s*(?:import\s*)?(?:"C"|`C`)', re.MULTILINE)

_ATOMS: Final[dict[str, Atom]] = {
    "false": constant,
    "float_literal": lambda text: number("float", text),
    "imaginary_literal": lambda text: number("imaginary", text),
    "int_literal": lambda text: number("int", text),
    "interpreted_string_literal": lambda text: ("str", text[1:-1]),
    "iota": constant,
    "nil": constant,
    "raw_string_literal": lambda text: ("raw", text[1:-1].replace("\r", "")),
    "rune_literal": lambda text: ("char", text[1:-1]),
    "true": constant,
}


def _remark(_node: "Node", text: str) -> str:
    return DIRECTIVE if _DIRECTIVE.match(text) else COMMENT


def _cgo_remark(node: "Node", text: str) -> str:
    """Classify a comment before `import "C"` as a directive: it is C code."""
    following = node.next_sibling
    while following is not None and following.type == "comment":
        following = following.next_sibling
    if following is not None and following.type.startswith("import_") and _names_c(following):
        return DIRECTIVE
    return _remark(node, text)


def _names_c(node: "Node") -> bool:
    return (node.text or b"").rstrip(b") \t\r\n").endswith((b'"C"', b"`C`"))


_GRAMMAR: Final = Grammar(
    language="go",
    rules={**_TABLE.rules, **go_types.RULES, **go_expressions.RULES, **go_statements.RULES, **go_declarations.RULES},
    leaves=_TABLE.leaves,
    atoms=_ATOMS,
    comments=frozenset(("comment",)),
    remark=_remark,
    units=frozenset(("function_declaration", "method_declaration")),
)
_WITH_C: Final = _GRAMMAR._replace(remark=_cgo_remark)


def _is_linked(function: Term) -> bool:
    """Return whether a directive gives a function another name, or one in another language."""
    return any(str(one.value).startswith(_LINKING) for one in function.kids[4].kids)


class Go:
    """The dialect of Go."""

    name = "go"
    scoping = "sequence"
    packages = True
    builtins = _TABLE.builtins

    def lower(self, root: "Node", source: bytes, seen: dict[bytes, Sequence[Term]]) -> Lowered:
        """Return the terms of a file."""
        made = lowered(_WITH_C if _CGO.search(source) else _GRAMMAR, root, source, seen)
        if b"func Example" not in source:
            return made
        outputs = [comment for comment in made.comments if _OUTPUT.match(comment)]
        comments = [comment for comment in made.comments if not _OUTPUT.match(comment)]
        return made._replace(comments=comments, directives=[*made.directives, *outputs])

    def is_private(self, name: str, declaration: Term, _module: Term) -> bool:
        """Return whether a name stays in its package, and is not one that the run time calls."""
        if declaration.kind == t.FUNCTION and (declaration.kids[2] is ABSENT or _is_linked(declaration)):
            return False
        return not name[:1].isupper() and name not in ("main", "init", "_")

    def private_members(self, modules: Sequence[Term]) -> frozenset[str]:
        """Return the fields and methods that stay in their package."""
        members = (one for module in modules for one in module.walk() if one.kind == t.MEMBER)
        return frozenset(name for one in members if not (name := str(one.value))[:1].isupper())

    def untyped(self, _statement: Term) -> None:
        """Types choose what is called: there is no program without them."""

    def modules(self, _path: str, _written: str, _flags: Sequence[str]) -> Sequence[str]:
        """Return no file: an import names a package, which is a folder of them."""
        return ()
