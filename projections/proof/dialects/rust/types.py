"""Lower what Rust writes for types, generic parameters and paths."""

from typing import TYPE_CHECKING, Final

from linetrail.projections.proof.dialects.lowering import Parts, Rule, at, besides, named
from linetrail.projections.proof.dialects.operators import typed, unnamed
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

if TYPE_CHECKING:
    from tree_sitter import Node


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
    "function_type": _function,
    "lifetime": lifetime,
    "visibility_modifier": _visibility,
}
