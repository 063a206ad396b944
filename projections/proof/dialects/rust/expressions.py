"""Lower Rust's expressions that are no control flow."""

from typing import TYPE_CHECKING, Final

from linetrail.projections.proof.dialects import operators
from linetrail.projections.proof.dialects.lowering import Parts, Rule, at, inner, named, plain, shaped
from linetrail.projections.proof.dialects.operators import renamed, typed
from linetrail.projections.proof.dialects.rust.types import signs
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

if TYPE_CHECKING:
    from tree_sitter import Node


def _call(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    return at(node, t.CALL, "", (by["function"], *by["arguments"].kids))


def _instance(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    return at(node, "rust:instance", "", (by["function"], *by["type_arguments"].kids))


def _field(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    return at(node, t.ATTR, ".", (by["value"], _key(by["field"])))


def _key(term: Term) -> Term:
    """Return the name or the number of a field."""
    if term.kind == t.LIT and isinstance(term.value, tuple):
        return term.but(kind=t.FIELD, value=term.value[1])
    return renamed(term, t.FIELD)


def _reference(node: "Node", parts: Parts) -> Term:
    return at(node, t.UNARY, " ".join(signs(parts)), (dict(parts)["value"],))


def _range(node: "Node", parts: Parts) -> Term:
    """Lower a range, either end of which may be open."""
    ends = [ABSENT, ABSENT]
    sign = ""
    for _, term in parts:
        if term.kind == t.TOKEN and not sign:
            sign = str(term.value)
        else:
            ends[1 if sign else 0] = term
    return at(node, "rust:range", sign, ends)


def _cast(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    return at(node, t.CAST, "as", (by["value"], typed(by["type"])))


def _array(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    if "length" in by:
        return at(node, "rust:repeat", "", (named(parts)[0], by["length"]))
    return at(node, t.LIST, "", named(parts))


def _struct(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    return at(node, "rust:struct", "", (by["name"], by["body"]))


def _initialiser(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    attributes = [term for tag, term in parts if tag == "attribute_item"]
    return at(node, t.PAIR, "", (_key(by["field"]), by["value"], *attributes))


def _shorthand(node: "Node", parts: Parts) -> Term:
    name = dict(parts)["identifier"]
    attributes = [term for tag, term in parts if tag == "attribute_item"]
    return at(node, t.PAIR, "short", (name.but(kind=t.FIELD), name, *attributes))


RULES: Final[dict[str, Rule]] = {
    "arguments": plain("rust:arguments"),
    "array_expression": _array,
    "assignment_expression": operators.assignment,
    "await_expression": plain(t.AWAIT),
    "base_field_initializer": plain(t.SPREAD, ".."),
    "binary_expression": operators.binary,
    "call_expression": _call,
    "compound_assignment_expr": operators.assignment,
    "field_expression": _field,
    "field_initializer": _initialiser,
    "field_initializer_list": plain(t.OBJECT),
    "generic_function": _instance,
    "index_expression": plain(t.INDEX),
    "let_condition": shaped("rust:let", "pattern", "value"),
    "parenthesized_expression": inner,
    "range_expression": _range,
    "reference_expression": _reference,
    "shorthand_field_initializer": _shorthand,
    "struct_expression": _struct,
    "try_expression": plain(t.UNARY, "?"),
    "tuple_expression": plain(t.TUPLE),
    "type_cast_expression": _cast,
    "unary_expression": operators.unary,
    "unit_expression": plain(t.TUPLE),
}
