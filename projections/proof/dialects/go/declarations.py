"""Lower what Go declares: imports, constants, variables, types and functions."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from linetrail.projections.proof.dialects.go.types import bound, signature
from linetrail.projections.proof.dialects.lowering import GROUP, Parts, Rule, at, named, one, spread, tagged
from linetrail.projections.proof.dialects.operators import attached, decorators, typed
from linetrail.projections.proof.dialects.remarks import DIRECTIVE
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

if TYPE_CHECKING:
    from tree_sitter import Node

_SPEC: Final = "go:spec"
_VERSION: Final = re.compile(r"(?:/v\d+|\.v\d+)$")
# Directives about the whole file, wherever they stand; all others are about what follows them.
_OF_FILE: Final = ("//go:build", "//go:debug", "//go:generate", "// +build", "//+build", "//line", "/*line")


def _function(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    parameters, kind = signature(parts)
    method = "receiver" in by
    name = by["name"].but(kind=t.MEMBER) if method else bound(by["name"])
    kids = (name, parameters, by.get("body", ABSENT), kind, decorators(()))
    return at(node, t.FUNCTION, ("method",) if method else (), kids)


def _spec(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    names = [bound(term) for term in tagged(parts, "name") if term.kind != t.TOKEN]
    kind = typed(by["type"]) if "type" in by else ABSENT
    return at(node, _SPEC, "", (one(names), kind, by.get("value", ABSENT)))


def _variables(node: "Node", parts: Parts) -> Term:
    return at(node, GROUP, "", _attached(_variable(term) for term in spread(named(parts))))


def _variable(term: Term) -> Term:
    return term.but(kind=t.DECLARE, value=("var",)) if term.kind == _SPEC else term


def _constants(node: "Node", parts: Parts) -> Term:
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


def _import(node: "Node", parts: Parts) -> Term:
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


def _clause(node: "Node", parts: Parts) -> Term:
    return at(node, "go:package", named(parts)[-1].value)


def _file(node: "Node", parts: Parts) -> Term:
    return at(node, t.MODULE, "", _attached(named(parts)))


def _attached(items: Iterable[Term]) -> list[Term]:
    """Put each directive to the declaration that it is about."""
    return attached(items, lambda item: item.kind == DIRECTIVE and not str(item.value).startswith(_OF_FILE))


RULES: Final[dict[str, Rule]] = {
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
