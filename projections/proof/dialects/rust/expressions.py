"""Lower Rust's expressions that are no control flow, and its types."""

from typing import TYPE_CHECKING, Final

from linetrail.projections.proof.dialects.lowering import Parts, Rule, at, besides, named
from linetrail.projections.proof.dialects.operators import renamed, typed, unnamed
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

if TYPE_CHECKING:
    from tree_sitter import Node


def _field(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    return at(node, t.ATTR, ".", (by["value"], _key(by["field"])))


def _key(term: Term) -> Term:
    """Return the name or the number of a field."""
    if term.kind == t.LIT and isinstance(term.value, tuple):
        return term.but(kind=t.FIELD, value=term.value[1])
    return renamed(term, t.FIELD)


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


def _array(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    if "length" in by:
        return at(node, "rust:repeat", "", (named(parts)[0], by["length"]))
    return at(node, t.LIST, "", named(parts))


def _initialiser(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    attributes = [term for tag, term in parts if tag == "attribute_item"]
    return at(node, t.PAIR, "", (_key(by["field"]), by["value"], *attributes))


def _shorthand(node: "Node", parts: Parts) -> Term:
    name = dict(parts)["identifier"]
    attributes = [term for tag, term in parts if tag == "attribute_item"]
    return at(node, t.PAIR, "short", (name.but(kind=t.FIELD), name, *attributes))


# -- types


def lifetime(node: "Node", parts: Parts) -> Term:
    """Lower `'a`, a name of its own sort."""
    return at(node, t.NAME, f"'{named(parts)[0].value}")


def _function(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    kids = [by.get("trait", ABSENT), unnamed(by["parameters"]), typed(by.get("return_type", ABSENT))]
    return at(node, t.TYPE, "fn", (*kids, *besides(parts, "trait", "parameters", "return_type")))


def _visibility(node: "Node", _parts: Parts) -> Term:
    return at(node, "rust:visibility", "".join((node.text or b"").decode("utf-8", "surrogateescape").split()))


RULES: Final[dict[str, Rule]] = {
    "array_expression": _array,
    "field_expression": _field,
    "field_initializer": _initialiser,
    "function_type": _function,
    "lifetime": lifetime,
    "range_expression": _range,
    "shorthand_field_initializer": _shorthand,
    "visibility_modifier": _visibility,
}
