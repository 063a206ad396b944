"""Lower Go to terms."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from tree_sitter import Node

from linetrail.projections.proof.dialects import operators
from linetrail.projections.proof.dialects.go import types as go_types
from linetrail.projections.proof.dialects.go.types import bound, signature
from linetrail.projections.proof.dialects.lowering import (
    GROUP,
    Atom,
    Grammar,
    Parts,
    Rule,
    at,
    besides,
    lowered,
    named,
    one,
    spread,
    tagged,
)
from linetrail.projections.proof.dialects.operators import attached, constant, decorators, number, renamed, typed
from linetrail.projections.proof.dialects.remarks import COMMENT, DIRECTIVE
from linetrail.projections.proof.dialects.tables import table
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.dialect import Dialect, Lowered
from linetrail.projections.proof.terms.term import ABSENT, Term

_VALUE: Final = "go:value"
_LISTS: Final = frozenset(("[]", "[_]", "[...]"))


def _call(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    callee = by["function"]
    if "type_arguments" in by:
        callee = Term("go:instance", "", (callee, *by["type_arguments"].kids), line=callee.line)
    return at(node, t.CALL, "", (callee, *by["arguments"].kids))


def _function_literal(node: Node, parts: Parts) -> Term:
    parameters, kind = signature(parts)
    return at(node, t.LAMBDA, (), (parameters, dict(parts)["body"], kind))


def _literal(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    kind = typed(by["type"])
    return at(node, "go:literal", "", (kind, _keyed(by["body"], kind)))


def _keyed(value: Term, kind: Term) -> Term:
    """Return the elements of a literal: the keys of a struct are its fields, those of all else are expressions."""
    if value.kind != _VALUE:
        return value
    if kind.value == "*":
        return _keyed(value, kind.kids[0])
    if kind.kind == t.TYPE and kind.value in _LISTS:
        kids = [_both(one, ABSENT, kind.kids[-1]) for one in value.kids]
    elif kind.kind == t.TYPE and kind.value == "map":
        kids = [_both(one, kind.kids[0], kind.kids[1]) for one in value.kids]
    else:
        kids = [_named(one) for one in value.kids]
    return value.but(kids=kids)


def _both(element: Term, key: Term, kind: Term) -> Term:
    if element.kind != t.PAIR:
        return _keyed(element, kind)
    return element.but(kids=(_keyed(element.kids[0], key), _keyed(element.kids[1], kind)))


def _named(element: Term) -> Term:
    if element.kind != t.PAIR:
        return element
    return element.but(kids=(renamed(element.kids[0], t.FIELD), element.kids[1]))


_EXPRESSIONS: Final[dict[str, Rule]] = {
    "call_expression": _call,
    "composite_literal": _literal,
    "func_literal": _function_literal,
}


_SPEC: Final = "go:spec"
_VERSION: Final = re.compile(r"(?:/v\d+|\.v\d+)$")
# Directives about the whole file, wherever they stand; all others are about what follows them.
_OF_FILE: Final = ("//go:build", "//go:debug", "//go:generate", "// +build", "//+build", "//line", "/*line")


def _function(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    parameters, kind = signature(parts)
    method = "receiver" in by
    name = by["name"].but(kind=t.MEMBER) if method else bound(by["name"])
    kids = (name, parameters, by.get("body", ABSENT), kind, decorators(()))
    return at(node, t.FUNCTION, ("method",) if method else (), kids)


def _spec(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    names = [bound(term) for term in tagged(parts, "name") if term.kind != t.TOKEN]
    kind = typed(by["type"]) if "type" in by else ABSENT
    return at(node, _SPEC, "", (one(names), kind, by.get("value", ABSENT)))


def _variables(node: Node, parts: Parts) -> Term:
    return at(node, GROUP, "", _attached(_variable(term) for term in spread(named(parts))))


def _variable(term: Term) -> Term:
    return term.but(kind=t.DECLARE, value=("var",)) if term.kind == _SPEC else term


def _constants(node: Node, parts: Parts) -> Term:
    """Return a declaration per line; one that repeats or counts says which line of its group it is."""
    made: list[Term] = []
    count = 0
    kind, value = ABSENT, ABSENT
    for term in named(parts):
        if term.kind != _SPEC:
            made.append(term)
            continue
        flags: tuple[str, ...] = ("const",)
        implicit = term.kids[2] is ABSENT
        if not implicit:
            _, kind, value = term.kids
        if implicit or any(one.kind == t.LIT and one.value == ("constant", "iota") for one in value.walk()):
            flags = ("const", "iota", str(count), "implicit") if implicit else ("const", "iota", str(count))
        made.append(term.but(kind=t.DECLARE, value=flags, kids=(term.kids[0], kind, value)))
        count += 1
    return at(node, GROUP, "", _attached(made))


def _import(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    path = str(by["path"].value[1]) if isinstance(by["path"].value, tuple) else ""
    name = by.get("name")
    if name is not None and (name.kind == "go:dot" or name.value == "_"):
        return at(node, t.IMPORT, (path, "_" if name.value == "_" else "wildcard"))
    local = (at(node, t.BIND, package(path)),) if name is None else (bound(name), Term(t.TOKEN, "as"))
    return at(node, t.IMPORT, (path,), (at(node, t.ALIAS, "*", local),))


def package(path: str) -> str:
    """Guess the name of the package at a path.

    >>> [package(path) for path in ("net/http", "example.org/go-yaml/v3", "gopkg.in/ini.v1", "a/semver-go")]
    ['http', 'yaml', 'ini', 'semver']
    """
    last = _VERSION.sub("", path).rsplit("/", 1)[-1]
    return last.removeprefix("go-").removesuffix("-go").rsplit("-", 1)[-1]


def _clause(node: Node, parts: Parts) -> Term:
    return at(node, "go:package", named(parts)[-1].value)


def _file(node: Node, parts: Parts) -> Term:
    return at(node, t.MODULE, "", _attached(named(parts)))


def _attached(items: Iterable[Term]) -> list[Term]:
    """Put each directive to the declaration that it is about."""
    return attached(items, lambda item: item.kind == DIRECTIVE and not str(item.value).startswith(_OF_FILE))


_DECLARATIONS: Final[dict[str, Rule]] = {
    "const_declaration": _constants,
    "const_spec": _spec,
    "function_declaration": _function,
    "import_spec": _import,
    "method_declaration": _function,
    "package_clause": _clause,
    "source_file": _file,
    "type_declaration": lambda node, parts: at(node, GROUP, "", _attached(named(parts))),
    "var_declaration": _variables,
    "var_spec": _spec,
}


_NEW: Final = (":=",)


def _short(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    return at(node, t.DECLARE, _NEW, (bound(by["left"]), ABSENT, by["right"]))


def _step(node: Node, parts: Parts) -> Term:
    return at(node, t.EXPR, "", (operators.update(node, parts),))


def _initialised(node: Node, parts: Parts, made: Term) -> Term:
    """Put what stands before a condition into a block around the statement: it is seen in all of it."""
    first = tagged(parts, "initializer")
    return at(node, t.BLOCK, "init", (*first, made)) if first else made


def _if(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    made = at(node, t.IF, "", (by["condition"], by["consequence"], by.get("alternative", ABSENT)))
    return _initialised(node, parts, made)


def _for(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    body = by["body"]
    head = next(iter(besides(parts, "body")), ABSENT)
    if head.kind == t.FOR:
        first, test, last = head.kids
        # `for ; test; {` and `for test {` are one to gofmt
        if first is not ABSENT or last is not ABSENT:
            return at(node, t.FOR, "", (first, test, last, body))
        head = test
    if head.kind == t.EACH:
        return at(node, t.EACH, head.value, (*head.kids, body, ABSENT))
    return at(node, t.WHILE, "", (head, body, ABSENT))


def _range(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    target = by.get("left", ABSENT)
    if ":=" in by:
        target = at(node, t.DECLARE, _NEW, (bound(target), ABSENT, ABSENT))
    return at(node, t.EACH, ("range",), (target, by["right"]))


def _switch(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    made = at(node, t.SWITCH, (), (by.get("value", ABSENT), *besides(parts, "initializer", "value")))
    return _initialised(node, parts, made)


def _type_switch(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    subject = by["value"]
    if "alias" in by:
        subject = at(node, t.DECLARE, _NEW, (bound(by["alias"]), ABSENT, subject))
    cases = besides(parts, "initializer", "value", "alias")
    return _initialised(node, parts, at(node, t.SWITCH, ("type",), (subject, *cases)))


def _case(node: Node, parts: Parts) -> Term:
    value = one([typed(term) for term in tagged(parts, "type") if term.kind != t.TOKEN])
    pattern = one(tagged(parts, "value", "communication")) if value is ABSENT else value
    body = spread(besides(parts, "value", "communication", "type"))
    return at(node, t.CASE, "", (pattern, ABSENT, at(node, t.BLOCK, "bare", body)))


def _received(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    if "left" not in by:
        return at(node, t.EXPR, "", (by["right"],))
    if ":=" in by:
        return _short(node, parts)
    return at(node, t.ASSIGN, "=", (by["left"], by["right"]))


def _labelled(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    return at(node, t.LABEL, "", (by["label"], one(spread(besides(parts, "label")), t.BLOCK)))


_STATEMENTS: Final[dict[str, Rule]] = {
    "communication_case": _case,
    "dec_statement": _step,
    "default_case": _case,
    "expression_case": _case,
    "expression_switch_statement": _switch,
    "for_statement": _for,
    "if_statement": _if,
    "inc_statement": _step,
    "labeled_statement": _labelled,
    "range_clause": _range,
    "receive_statement": _received,
    "type_case": _case,
    "type_switch_statement": _type_switch,
}


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


def _remark(_node: Node, text: str) -> str:
    return DIRECTIVE if _DIRECTIVE.match(text) else COMMENT


def _cgo_remark(node: Node, text: str) -> str:
    """Classify a comment before `import "C"` as a directive: it is C code."""
    following = node.next_sibling
    while following is not None and following.type == "comment":
        following = following.next_sibling
    if following is not None and following.type.startswith("import_") and _names_c(following):
        return DIRECTIVE
    return _remark(node, text)


def _names_c(node: Node) -> bool:
    return (node.text or b"").rstrip(b") \t\r\n").endswith((b'"C"', b"`C`"))


_GRAMMAR: Final = Grammar(
    language="go",
    rules={**_TABLE.rules, **go_types.RULES, **_EXPRESSIONS, **_STATEMENTS, **_DECLARATIONS},
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


class Go(Dialect):
    """The dialect of Go."""

    name = "go"
    scoping = "sequence"
    packages = True
    builtins = _TABLE.builtins

    def lower(self, root: Node, source: bytes, seen: dict[bytes, Sequence[Term]]) -> Lowered:
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
