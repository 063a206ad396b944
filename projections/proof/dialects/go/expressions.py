"""Lower Go's expressions."""

from typing import TYPE_CHECKING, Final

from linetrail.projections.proof.dialects.go.types import signature
from linetrail.projections.proof.dialects.lowering import Parts, Rule, at
from linetrail.projections.proof.dialects.operators import renamed, typed
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

if TYPE_CHECKING:
    from tree_sitter import Node

_VALUE: Final = "go:value"
_LISTS: Final = frozenset(("[]", "[_]", "[...]"))


def _call(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    callee = by["function"]
    if "type_arguments" in by:
        callee = Term("go:instance", "", (callee, *by["type_arguments"].kids), line=callee.line)
    return at(node, t.CALL, "", (callee, *by["arguments"].kids))


def _function(node: "Node", parts: Parts) -> Term:
    parameters, kind = signature(parts)
    return at(node, t.LAMBDA, (), (parameters, dict(parts)["body"], kind))


def _literal(node: "Node", parts: Parts) -> Term:
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


RULES: Final[dict[str, Rule]] = {
    "call_expression": _call,
    "composite_literal": _literal,
    "func_literal": _function,
}
