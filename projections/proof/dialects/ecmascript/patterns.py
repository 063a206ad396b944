"""Names and what is bound to them: identifiers, keys, patterns, parameters."""

from typing import Final

from linetrail.projections.proof.dialects.ecmascript.literals import key_value
from linetrail.projections.proof.dialects.ecmascript.tree import Construct
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

# The value that a pattern takes where what it is matched with has none.
DEFAULT: Final = "ecmascript:default"
_NESTED: Final = (t.LIST, t.OBJECT, t.SPREAD)
# Patterns that nest deeper bind nothing: nobody writes them.
_DEEPEST: Final = 100


def bound(pattern: Term, depth: int = 0) -> Term:
    """Return a pattern whose names are declared by it."""
    if pattern.kind == t.NAME:
        return pattern.but(kind=t.BIND)
    if depth > _DEEPEST:
        return pattern
    if pattern.kind in _NESTED:
        return pattern.but(kids=[bound(kid, depth + 1) for kid in pattern.kids])
    if pattern.kind == t.PAIR:
        key, value = pattern.kids
        return pattern.but(kids=[key, bound(value, depth + 1)])
    if pattern.kind == DEFAULT:
        target, value = pattern.kids
        return pattern.but(kids=[bound(target, depth + 1), value])
    return pattern


def key(term: Term) -> Term:
    """Return what names a property."""
    if term.kind != t.LIT:
        return term
    kind, value = key_value(term.value)
    return term.but(kind=kind, value=value)


def member(term: Term) -> Term:
    """Return what names a member where it is declared."""
    named = key(term)
    return named.but(kind=t.MEMBER) if named.kind == t.FIELD else named


def short(construct: Construct) -> Term:
    """Return `{a}` as the property a that has the value of the variable a."""
    name = construct.text()
    return construct.term(t.PAIR, "short", [construct.term(t.FIELD, name), construct.term(t.NAME, name)])


def _default(construct: Construct) -> Term:
    target, value = construct.terms
    if target.kind == t.PAIR:
        named, variable = target.kids
        return target.but(kids=[named, construct.term(DEFAULT, "", [variable, value])])
    return construct.term(DEFAULT, "", [target, value])


def _array(construct: Construct) -> Term:
    """Return a list with its holes; a comma at the end makes none."""
    lowered = iter(construct.terms)
    kids: list[Term] = []
    filled = False
    named = {node.start_byte for node in construct.nodes}
    for part in construct.node.children:
        if part.is_named and part.start_byte in named:
            kids.append(next(lowered))
            filled = True
        elif part.type == ",":
            if not filled:
                kids.append(ABSENT)
            filled = False
    return construct.term(t.LIST, "", kids)


CONSTRUCTS: Final = {
    "shorthand_property_identifier": short,
    "shorthand_property_identifier_pattern": short,
    "assignment_pattern": _default,
    "object_assignment_pattern": _default,
    "array": _array,
    "array_pattern": _array,
}
