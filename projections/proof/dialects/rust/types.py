"""Lower what Rust writes for types, generic parameters and paths."""

from typing import TYPE_CHECKING, Final

from linetrail.projections.proof.dialects.lowering import GROUP, Parts, Rule, at, besides, named, plain, shaped
from linetrail.projections.proof.dialects.operators import renamed, typed, unnamed
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

if TYPE_CHECKING:
    from tree_sitter import Node

_PUNCTUATION: Final = frozenset("()[]{},;") | {"::", "|"}


def signs(parts: Parts) -> tuple[str, ...]:
    """Return the words and signs of a construct that say something."""
    return tuple(str(term.value) for _, term in parts if term.kind == t.TOKEN and term.value not in _PUNCTUATION)


def signed(kind: str) -> Rule:
    """Return the rule for a node whose value is its words and signs."""
    return lambda node, parts: at(node, kind, " ".join(signs(parts)), named(parts))


def path(node: "Node", parts: Parts) -> Term:
    """Lower `a::b`."""
    by = dict(parts)
    return at(node, t.ATTR, "::", (by.get("path", ABSENT), renamed(by["name"], t.FIELD)))


def lifetime(node: "Node", parts: Parts) -> Term:
    """Lower `'a`, a name of its own sort."""
    return at(node, t.NAME, f"'{named(parts)[0].value}")


def _generic(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    return at(node, t.TYPE, "<>", (by["type"], *by["type_arguments"].kids))


def _array(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    return at(node, t.TYPE, "[]", (typed(by["element"]), by.get("length", ABSENT)))


def _function(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    kids = [by.get("trait", ABSENT), unnamed(by["parameters"]), typed(by.get("return_type", ABSENT))]
    return at(node, t.TYPE, "fn", (*kids, *besides(parts, "trait", "parameters", "return_type")))


def _type_parameter(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    kids = (by["name"].but(kind=t.BIND), by.get("bounds", ABSENT), typed(by.get("default_type", ABSENT)))
    return at(node, t.PARAM, ("type",), kids)


def _lifetime_parameter(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    return at(node, t.PARAM, ("lifetime",), (by["name"].but(kind=t.BIND), by.get("bounds", ABSENT), ABSENT))


def _const_parameter(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    return at(node, t.PARAM, ("const",), (by["name"].but(kind=t.BIND), typed(by["type"]), by.get("value", ABSENT)))


def _binding(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    rest = besides(parts, "name", "type")
    return at(node, t.KWARG, "", (renamed(by["name"], t.FIELD), typed(by["type"]), *rest))


def _visibility(node: "Node", _parts: Parts) -> Term:
    return at(node, "rust:visibility", "".join((node.text or b"").decode("utf-8", "surrogateescape").split()))


def _type(sign: str) -> Rule:
    return lambda node, parts: at(node, t.TYPE, sign, map(typed, named(parts)))


RULES: Final[dict[str, Rule]] = {
    "abstract_type": signed(t.TYPE),
    "array_type": _array,
    "bounded_type": _type("+"),
    "bracketed_type": plain("rust:bracketed"),
    "const_parameter": _const_parameter,
    "dynamic_type": signed(t.TYPE),
    "for_lifetimes": plain("rust:for"),
    "function_type": _function,
    "generic_type": _generic,
    "generic_type_with_turbofish": _generic,
    "higher_ranked_trait_bound": shaped("rust:for", "type_parameters", "type"),
    "lifetime": lifetime,
    "lifetime_parameter": _lifetime_parameter,
    "never_type": _type("!"),
    "pointer_type": signed(t.TYPE),
    "qualified_type": plain("rust:qualified"),
    "reference_type": signed(t.TYPE),
    "removed_trait_bound": signed(t.TYPE),
    "scoped_identifier": path,
    "scoped_type_identifier": path,
    "trait_bounds": _type(":"),
    "tuple_type": _type("()"),
    "type_arguments": plain("rust:types"),
    "type_binding": _binding,
    "type_parameter": _type_parameter,
    "type_parameters": plain(GROUP),
    "unit_type": _type("()"),
    "use_bounds": signed(t.TYPE),
    "visibility_modifier": _visibility,
    "where_clause": _type("where"),
    "where_predicate": shaped("rust:predicate", "left", "bounds"),
}
