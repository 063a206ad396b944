"""Lower Go's expressions."""

from typing import TYPE_CHECKING, Final

from linetrail.projections.proof.dialects import operators
from linetrail.projections.proof.dialects.go.types import signature
from linetrail.projections.proof.dialects.lowering import Parts, Rule, at, inner, named, one, plain
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


def _selector(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    return at(node, t.ATTR, ".", (by["operand"], by["field"]))


def _index(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    return at(node, t.INDEX, "", (by["operand"], by["index"]))


def _slice(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    bounds = [by.get(tag, ABSENT) for tag in ("start", "end", "capacity")]
    return at(node, t.INDEX, "", (by["operand"], at(node, t.SLICE, "", bounds)))


def _cast(value: str) -> Rule:
    def rule(node: "Node", parts: Parts) -> Term:
        by = dict(parts)
        return at(node, t.CAST, value, (by["operand"], typed(by["type"])))

    return rule


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
    "argument_list": plain("go:arguments"),
    "binary_expression": operators.binary,
    "call_expression": _call,
    "composite_literal": _literal,
    "expression_list": lambda _node, parts: one(named(parts)),
    "func_literal": _function,
    "index_expression": _index,
    "keyed_element": plain(t.PAIR),
    "literal_element": inner,
    "literal_value": plain(_VALUE),
    "parenthesized_expression": inner,
    "selector_expression": _selector,
    "slice_expression": _slice,
    "type_assertion_expression": _cast(".()"),
    "type_conversion_expression": _cast("()"),
    "type_instantiation_expression": plain("go:instance"),
    "unary_expression": operators.unary,
    "variadic_argument": plain(t.SPREAD, "..."),
}
