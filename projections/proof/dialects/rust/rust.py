"""Lower Rust to terms."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Final

from tree_sitter import Node

from linetrail.projections.proof.dialects.lowering import GROUP, Atom, Grammar, Parts, Rule, at, besides, lowered, named
from linetrail.projections.proof.dialects.operators import constant, dotted, number, renamed, typed, unnamed
from linetrail.projections.proof.dialects.remarks import CODE, COMMENT
from linetrail.projections.proof.dialects.rust import declarations as rust_declarations
from linetrail.projections.proof.dialects.rust import macros as rust_macros
from linetrail.projections.proof.dialects.rust import patterns as rust_patterns
from linetrail.projections.proof.dialects.rust import statements as rust_statements
from linetrail.projections.proof.dialects.rust.declarations import OFFERED, visibility
from linetrail.projections.proof.dialects.tables import table
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.dialect import Dialect, Lowered
from linetrail.projections.proof.terms.term import ABSENT, Term

_LIST: Final = "rust:use_list"
_BELOW: Final = "rust:use_below"
_AS: Final = "rust:use_as"
_ALL: Final = "rust:use_all"


def _use(node: Node, parts: Parts) -> Term:
    flags = visibility(parts)
    made = [_import(node, path, local, flags) for path, local in _brought(dict(parts)["argument"], "")]
    if flags:
        # what others may take from here is more than an import
        made = [at(node, OFFERED, "", (one,)) for one in made]
    return at(node, GROUP, "", made)


def _brought(tree: Term, above: str) -> Iterator[tuple[str, Term | None]]:
    """Yield what a tree of names brings: its path, and the name that it gets here if that is another."""
    if tree.kind == _LIST:
        for kid in tree.kids:
            yield from _brought(kid, above)
    elif tree.kind == _BELOW:
        *path, below = tree.kids
        yield from _brought(below, _joined(above, dotted(path[0]) if path[0].kind != t.NONE else ""))
    elif tree.kind == _AS:
        yield _joined(above, _written(tree.kids[0])), tree.kids[1]
    elif tree.kind == _ALL:
        yield _joined(above, "::".join([*map(_written, tree.kids), "*"])), None
    else:
        yield _joined(above, _written(tree)), None


def _written(path: Term) -> str:
    if path.kind == t.ATTR and path.kids[0].kind == t.NONE:
        return f"::{path.kids[1].value}"
    return dotted(path) if path.kind != t.ATTR else f"{_written(path.kids[0])}::{path.kids[1].value}"


def _joined(above: str, path: str) -> str:
    return f"{above}::{path}" if above else path


def _import(node: Node, path: str, local: Term | None, flags: tuple[str, ...]) -> Term:
    module, _, name = path.rpartition("::")
    if name == "*":
        return at(node, t.IMPORT, (module, "wildcard", *flags))
    if name == "self" and module:
        # the module itself, and nothing else of its name
        module, _, name = module.rpartition("::")
        flags = ("self", *flags)
    if local is not None and local.value == "_":
        return at(node, t.IMPORT, (path, "_", *flags))
    known = at(node, t.BIND, name) if local is None else local.but(kind=t.BIND)
    given = () if local is None else (Term(t.TOKEN, "as"),)
    return at(node, t.IMPORT, (module, *flags), (at(node, t.ALIAS, name, (known, *given)),))


def _extern_crate(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    name = by["name"]
    local = by.get("alias", name)
    given = (Term(t.TOKEN, "as"),) if "alias" in by else ()
    flags = (str(name.value), "extern", *visibility(parts))
    if local.value == "_":
        return at(node, t.IMPORT, (*flags, "_"))
    return at(node, t.IMPORT, flags, (at(node, t.ALIAS, "*", (local.but(kind=t.BIND), *given)),))


_IMPORTS: Final[dict[str, Rule]] = {
    "extern_crate_declaration": _extern_crate,
    "use_declaration": _use,
}


def _field(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    return at(node, t.ATTR, ".", (by["value"], _key(by["field"])))


def _key(term: Term) -> Term:
    """Return the name or the number of a field."""
    if term.kind == t.LIT and isinstance(term.value, tuple):
        return term.but(kind=t.FIELD, value=term.value[1])
    return renamed(term, t.FIELD)


def _range(node: Node, parts: Parts) -> Term:
    """Lower a range, either end of which may be open."""
    ends = [ABSENT, ABSENT]
    sign = ""
    for _, term in parts:
        if term.kind == t.TOKEN and not sign:
            sign = str(term.value)
        else:
            ends[1 if sign else 0] = term
    return at(node, "rust:range", sign, ends)


def _array(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    if "length" in by:
        return at(node, "rust:repeat", "", (named(parts)[0], by["length"]))
    return at(node, t.LIST, "", named(parts))


def _initialiser(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    attributes = [term for tag, term in parts if tag == "attribute_item"]
    return at(node, t.PAIR, "", (_key(by["field"]), by["value"], *attributes))


def _shorthand(node: Node, parts: Parts) -> Term:
    name = dict(parts)["identifier"]
    attributes = [term for tag, term in parts if tag == "attribute_item"]
    return at(node, t.PAIR, "short", (name.but(kind=t.FIELD), name, *attributes))


# -- types


def lifetime(node: Node, parts: Parts) -> Term:
    """Lower `'a`, a name of its own sort."""
    return at(node, t.NAME, f"'{named(parts)[0].value}")


def _function(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    kids = [by.get("trait", ABSENT), unnamed(by["parameters"]), typed(by.get("return_type", ABSENT))]
    return at(node, t.TYPE, "fn", (*kids, *besides(parts, "trait", "parameters", "return_type")))


def _visibility(node: Node, _parts: Parts) -> Term:
    return at(node, "rust:visibility", "".join((node.text or b"").decode("utf-8", "surrogateescape").split()))


_EXPRESSIONS: Final[dict[str, Rule]] = {
    "array_expression": _array,
    "field_expression": _field,
    "field_initializer": _initialiser,
    "function_type": _function,
    "lifetime": lifetime,
    "range_expression": _range,
    "shorthand_field_initializer": _shorthand,
    "visibility_modifier": _visibility,
}


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


def _remark(node: Node, text: str) -> str:
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
        **_EXPRESSIONS,
        **rust_statements.RULES,
        **rust_declarations.RULES,
        **_IMPORTS,
    },
    leaves=_TABLE.leaves,
    atoms=_ATOMS,
    comments=frozenset(("line_comment", "block_comment")),
    remark=_remark,
    units=frozenset(("function_item",)),
    punctuation=frozenset(),
)


class Rust(Dialect):
    """The dialect of Rust."""

    name = "rust"
    scoping = "sequence"
    builtins = _TABLE.builtins

    def lower(self, root: Node, source: bytes, seen: dict[bytes, Sequence[Term]]) -> Lowered:
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
