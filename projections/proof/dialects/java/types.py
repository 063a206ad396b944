"""Lower what Java writes for types, modifiers and annotations."""

from typing import Final

from tree_sitter import Node

from linetrail.projections.proof.dialects.lowering import (
    Parts,
    Rule,
    at,
    named,
    tagged,
)
from linetrail.projections.proof.dialects.operators import renamed, typed
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

DIMENSIONS: Final = "java:dimensions"
MODIFIERS: Final = "java:modifiers"
ANNOTATIONS: Final = frozenset(("java:annotation", "java:marker_annotation"))


def modified(parts: Parts) -> tuple[tuple[str, ...], tuple[Term, ...]]:
    """Return the modifiers of a declaration, whose order says nothing, and its annotations."""
    words: list[str] = []
    annotations: list[Term] = []
    for _, term in parts:
        if term.kind == MODIFIERS:
            words += term.value
            annotations += term.kids
        elif term.kind in ANNOTATIONS:
            annotations.append(term)
    return tuple(sorted(words)), tuple(annotations)


def annotated(term: Term, annotations: tuple[Term, ...]) -> Term:
    """Return a type with what is said about it."""
    return Term(t.TYPE, "@", (typed(term), *annotations), line=term.line) if annotations else typed(term)


def sized(term: Term, dimensions: Term) -> Term:
    """Return the type of `a` in `int a[]`."""
    return term if dimensions is ABSENT else Term(t.TYPE, "_[]", (term, dimensions), line=term.line)


def qualified(node: Node, parts: Parts) -> Term:
    """Lower `a.b.C`; an annotation in it stands before the name that it is about."""
    first, *rest = named(parts)
    annotations = [term for term in rest if term.kind in ANNOTATIONS]
    last = renamed(rest[-1], t.FIELD)
    return at(node, t.ATTR, ".", (first, last, *annotations))


def _modifiers(node: Node, parts: Parts) -> Term:
    words = tuple(str(term.value) for _, term in parts if term.kind == t.TOKEN)
    return at(node, MODIFIERS, words, named(parts))


def _primitive(node: Node, parts: Parts) -> Term:
    return at(node, t.TYPE, parts[0][1].value)


def _dimensions(node: Node, parts: Parts) -> Term:
    # brackets are punctuation, so they are counted in the text
    return at(node, DIMENSIONS, (node.text or b"").count(b"["), named(parts))


def _annotated(node: Node, parts: Parts) -> Term:
    annotations = tuple(term for _, term in parts if term.kind in ANNOTATIONS)
    bare = [term for term in named(parts) if term.kind not in ANNOTATIONS]
    return at(node, t.TYPE, "@", (typed(bare[0]), *annotations))


def _parameter(node: Node, parts: Parts) -> Term:
    annotations = tuple(term for _, term in parts if term.kind in ANNOTATIONS)
    bare = [term for term in named(parts) if term.kind not in ANNOTATIONS]
    bound = bare[1] if len(bare) > 1 else ABSENT
    return at(
        node,
        t.PARAM,
        ("type",),
        (renamed(bare[0], t.BIND), annotated(bound, annotations) if annotations else bound, ABSENT),
    )


def _listed(word: str) -> Rule:
    """Return the rule for types behind a word: `implements A, B`."""

    def rule(node: Node, parts: Parts) -> Term:
        found = named(parts)
        listed = tagged(parts, "type_list")
        return at(node, t.TYPE, word, map(typed, listed[0].kids if listed else found))

    return rule


RULES: Final[dict[str, Rule]] = {
    "annotated_type": _annotated,
    "dimensions": _dimensions,
    "extends_interfaces": _listed("extends"),
    "floating_point_type": _primitive,
    "integral_type": _primitive,
    "modifiers": _modifiers,
    "permits": _listed("permits"),
    "scoped_identifier": qualified,
    "scoped_type_identifier": qualified,
    "super_interfaces": _listed("implements"),
    "superclass": _listed("extends"),
    "throws": _listed("throws"),
    "type_bound": _listed("&"),
    "type_parameter": _parameter,
}
