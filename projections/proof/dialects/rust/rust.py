"""Lower Rust to terms."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from linetrail.projections.proof.dialects.lowering import Atom, Grammar, lowered
from linetrail.projections.proof.dialects.operators import constant, number
from linetrail.projections.proof.dialects.remarks import CODE, COMMENT
from linetrail.projections.proof.dialects.rust import declarations as rust_declarations
from linetrail.projections.proof.dialects.rust import expressions as rust_expressions
from linetrail.projections.proof.dialects.rust import imports as rust_imports
from linetrail.projections.proof.dialects.rust import macros as rust_macros
from linetrail.projections.proof.dialects.rust import patterns as rust_patterns
from linetrail.projections.proof.dialects.rust import statements as rust_statements
from linetrail.projections.proof.dialects.tables import table
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.dialect import Lowered
from linetrail.projections.proof.terms.term import Term

if TYPE_CHECKING:
    from tree_sitter import Node

_TABLE: Final = table("rust")
_CONTINUED: Final = re.compile(r"\\(?:\n\s*|(.))", re.DOTALL)
_RAW: Final = re.compile(r'(?:br|cr|r)(#*)"(.*)"\1', re.DOTALL)


def _string(spelling: str) -> tuple[str, str]:
    r"""Return a string as it is spelled; a line that goes on after a backslash is one.

    >>> _string('"a \\\n   b"')
    ('str', 'a b')
    """
    sort = {"b": "bytes", "c": "cstr"}.get(spelling[:1], "str")
    text = spelling.replace("\r\n", "\n")[spelling.index('"') + 1 : -1] if '"' in spelling else spelling
    return sort, _CONTINUED.sub(lambda found: found.group() if found[1] else "", text)


def _raw_string(spelling: str) -> tuple[str, str]:
    found = _RAW.fullmatch(spelling.replace("\r\n", "\n"))
    if found is None:
        return "raw", spelling
    return {"b": "raw bytes", "c": "raw cstr"}.get(spelling[:1], "raw"), found[2]


def _remark(node: "Node", text: str) -> str:
    """Classify a comment: documentation inside the arguments of a macro is code."""
    around = node.parent
    if around is not None and around.type.startswith("token_") and text.startswith(("///", "//!", "/**", "/*!")):
        return CODE if not text.startswith(("////", "/***", "/**/")) else COMMENT
    return COMMENT


_ATOMS: Final[dict[str, Atom]] = {
    "boolean_literal": constant,
    "char_literal": lambda text: ("char", text),
    "float_literal": lambda text: number("float", text),
    "integer_literal": lambda text: number("int", text),
    "raw_string_literal": _raw_string,
    "string_literal": _string,
}
_GRAMMAR: Final = Grammar(
    language="rust",
    rules={
        **_TABLE.rules,
        **rust_patterns.RULES,
        **rust_macros.RULES,
        **rust_expressions.RULES,
        **rust_statements.RULES,
        **rust_declarations.RULES,
        **rust_imports.RULES,
    },
    leaves=_TABLE.leaves,
    atoms=_ATOMS,
    comments=frozenset(("line_comment", "block_comment")),
    remark=_remark,
    units=frozenset(("function_item",)),
    punctuation=frozenset(),
)


class Rust:
    """The dialect of Rust."""

    name = "rust"
    scoping = "sequence"
    packages = False
    builtins = _TABLE.builtins

    def lower(self, root: "Node", source: bytes, seen: dict[bytes, Sequence[Term]]) -> Lowered:
        """Return the terms of a file."""
        return lowered(_GRAMMAR, root, source, seen)

    def is_private(self, name: str, declaration: Term, _module: Term) -> bool:
        """Return whether a name is not `pub`, and nothing finds it by an attribute."""
        if _is_public(declaration) or (name == "main" and declaration.kind == t.FUNCTION):
            return False
        return _is_harmless(declaration)

    def private_members(self, modules: Sequence[Term]) -> frozenset[str]:
        """Return the fields and methods that are nowhere public, nor declared by a trait."""
        private: set[str] = set()
        others: set[str] = set()
        for module in modules:
            for name, is_private in _members(module):
                (private if is_private else others).add(name)
        return frozenset(private - others)

    def untyped(self, _statement: Term) -> None:
        """Types choose what is called: there is no program without them."""

    def modules(self, path: str, written: str, flags: Sequence[str]) -> Sequence[str]:
        """Return the files that can hold the module at a path, seen from the file at `path`."""
        folder, file = posixpath.split(path)
        stem = folder if file in ("mod.rs", "lib.rs", "main.rs") else posixpath.join(folder, file.removesuffix(".rs"))
        first, *rest = written.split("::")
        if "mod" in flags:
            return _files(stem, [written])
        if first == "crate":
            return _files(_crate(folder), rest)
        if first == "self":
            return _files(stem, rest)
        while first == "super":
            stem = posixpath.dirname(stem)
            first, *rest = rest or [""]
        return _files(stem, [first, *rest] if first else rest)


def _crate(folder: str) -> str:
    """Return the folder of the crate that a folder of sources belongs to."""
    parts = folder.split("/")
    return "/".join(parts[: len(parts) - parts[::-1].index("src")]) if "src" in parts else parts[0]


def _files(folder: str, names: Sequence[str]) -> list[str]:
    if not names:
        return [*(posixpath.join(folder, file) for file in ("lib.rs", "main.rs", "mod.rs")), f"{folder}.rs"]
    stem = posixpath.join(folder, *names)
    return [f"{stem}.rs", posixpath.join(stem, "mod.rs")]


def _is_public(declaration: Term) -> bool:
    flags = declaration.value if isinstance(declaration.value, tuple) else ()
    return any(str(flag).startswith("pub") for flag in flags)


def _is_harmless(declaration: Term) -> bool:
    return all(
        _attribute(one) in _TABLE.words["harmless"]
        for kid in declaration.kids
        if kid.kind == t.DECORATORS
        for one in kid.kids
    )


def _attribute(attribute: Term) -> str:
    return "::".join(str(one.value) for one in attribute.kids[0].walk() if one.kind in (t.NAME, t.FIELD))


def _members(module: Term) -> Iterator[tuple[str, bool]]:
    """Yield each declared member, and whether only this crate's own modules can reach it."""
    for one in module.walk():
        if one.kind != t.CLASS or not isinstance(one.value, tuple):
            continue
        own = one.value[0] in ("impl", "struct", "union") and _shows_no_names(one)
        foreign = any(base.kind == t.TYPE and base.value == "trait" for base in one.kids[1].kids)
        for member in _declared(one):
            private = own and not foreign and not _is_public(member) and _is_harmless(member)
            yield str(member.kids[0].value), private


def _declared(class_: Term) -> Iterator[Term]:
    for member in class_.kids[2].walk():
        if member.kind in (t.FUNCTION, t.DECLARE) and member.kids[0].kind == t.MEMBER:
            yield member


def _shows_no_names(class_: Term) -> bool:
    """Return whether what is derived for a struct leaves the names of its fields alone."""
    for attribute in class_.kids[-1].kids:
        if _attribute(attribute) == "derive":
            traits = {str(one.value) for one in attribute.walk() if one.kind == t.NAME} - {"derive"}
            if not traits <= _TABLE.words["derived"]:
                return False
    return True
