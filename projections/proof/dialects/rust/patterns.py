"""Lower Rust's patterns: what takes values apart, and names the pieces."""

from typing import Final

from tree_sitter import Node

from linetrail.projections.proof.dialects.lowering import Parts, Rule, at, besides, signs, tagged
from linetrail.projections.proof.dialects.operators import renamed, typed
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

_BLANK: Final = "rust:blank"
_EITHER: Final = "rust:either"


def bound(term: Term) -> Term:
    """Return a name in a pattern as what it declares; one with a capital is a constant or a variant."""
    if term.kind == t.TOKEN:
        return term.but(kind=_BLANK)
    return renamed(term, t.BIND) if not str(term.value)[:1].isupper() else term


def declared(term: Term) -> Term:
    """Return the pattern of a variable or parameter, where a lone name is never a constant."""
    return renamed(bound(term), t.BIND)


def patterns(parts: Parts) -> list[Term]:
    """Return the patterns in a pattern; `_` is one."""
    return [bound(term) for _, term in parts if term.kind != t.TOKEN or term.value == "_"]


def _pattern(kind: str) -> Rule:
    def rule(node: Node, parts: Parts) -> Term:
        words = " ".join(word for word in signs(parts) if word not in ("_", "@"))
        return at(node, kind, words, patterns(parts))

    return rule


def _of_type(kind: str) -> Rule:
    """Return the rule for the pattern of a struct or variant; its type is no pattern."""

    def rule(node: Node, parts: Parts) -> Term:
        return at(node, kind, "", (dict(parts)["type"], *patterns([part for part in parts if part[0] != "type"])))

    return rule


def _field(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    words = [word for word in signs(parts) if word not in (":", "_")]
    if "pattern" in by:
        return at(node, t.PAIR, " ".join(words), (renamed(by["name"], t.FIELD), bound(by["pattern"])))
    name = by["name"]
    return at(node, t.PAIR, " ".join(("short", *words)), (name.but(kind=t.FIELD), name.but(kind=t.BIND)))


def _either(node: Node, parts: Parts) -> Term:
    """Lower `| a | b`: the first bar says nothing, and neither does how the grammar pairs them."""
    found = [one for term in patterns(parts) for one in (term.kids if term.kind == _EITHER else (term,))]
    return found[0] if len(found) == 1 else at(node, _EITHER, "", found)


def _matched(node: Node, parts: Parts) -> Term:
    """Return the pattern and the guard of an arm, `_` alone as no pattern."""
    found = patterns([part for part in parts if part[0] != "condition"])
    pattern = ABSENT if len(found) == 1 and found[0].kind == _BLANK else found[0]
    return at(node, "rust:matched", "", (pattern, dict(parts).get("condition", ABSENT)))


def _parameter(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    flags = tuple(word for word in signs(parts) if word not in (":", "_"))
    return at(node, t.PARAM, flags, (declared(by["pattern"]), typed(by["type"]), ABSENT))


def _self(node: Node, parts: Parts) -> Term:
    name = tagged(parts, "self")[0].but(kind=t.BIND)
    life = next(iter(besides(parts, "self")), ABSENT)
    return at(node, t.PARAM, ("self", *signs(parts)), (name, life, ABSENT))


def _parameters(node: Node, parts: Parts) -> Term:
    return at(node, t.PARAMS, "", [_as_parameter(term) for _, term in parts if _says(term)])


def _says(term: Term) -> bool:
    return term.kind != t.TOKEN or term.value == "_"


def _as_parameter(term: Term) -> Term:
    """Return a type alone as a parameter of that type."""
    if term.kind == t.PARAM or term.kind.startswith("rust:") or term.kind == t.TOKEN:
        return term
    return Term(t.PARAM, (), (ABSENT, typed(term), ABSENT), line=term.line, start=term.start, end=term.end)


def _closure_parameters(node: Node, parts: Parts) -> Term:
    return at(node, t.PARAMS, "", [_untyped(term) for _, term in parts if _says(term)])


def _untyped(term: Term) -> Term:
    if term.kind == t.PARAM:
        return term
    return Term(t.PARAM, (), (declared(term), ABSENT, ABSENT), line=term.line, start=term.start, end=term.end)


RULES: Final[dict[str, Rule]] = {
    "captured_pattern": _pattern("rust:captured"),
    "closure_parameters": _closure_parameters,
    "field_pattern": _field,
    "match_pattern": _matched,
    "mut_pattern": _pattern("rust:mutable"),
    "or_pattern": _either,
    "parameter": _parameter,
    "parameters": _parameters,
    "ref_pattern": _pattern("rust:reference"),
    "reference_pattern": _pattern("rust:reference"),
    "remaining_field_pattern": _pattern("rust:rest"),
    "self_parameter": _self,
    "slice_pattern": _pattern(t.LIST),
    "struct_pattern": _of_type("rust:struct"),
    "tuple_pattern": _pattern(t.TUPLE),
    "tuple_struct_pattern": _of_type("rust:variant"),
}
