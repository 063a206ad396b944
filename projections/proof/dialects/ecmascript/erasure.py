"""Take TypeScript's types away: nothing of them is left when the program runs."""

from collections.abc import Sequence
from typing import Final

from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

# Where a type has a place of its own; elsewhere it stands among others and goes without a trace.
_PLACES: Final = {t.DECLARE: (1,), t.PARAM: (1,), t.FUNCTION: (3,), t.LAMBDA: (2,), t.CATCH: (0,)}


def untyped(statement: Term) -> Sequence[Term]:
    """Return a statement without types: none at all where it was nothing else."""
    if _is_offered(statement) or any(one.kind == t.DECORATORS and one.kids for one in statement.walk()):
        # others may use an exported type, and decorators may read types at run time
        return [statement]
    if statement.kind == t.TYPE or _is_about_types(statement):
        return []
    if statement.kind == t.IMPORT and statement.kids:
        values = [alias for alias in statement.kids if not any(kid.kind == t.TYPE for kid in alias.kids)]
        return [statement.but(kids=values)] if values else []
    return [_without(statement)]


def _is_offered(statement: Term) -> bool:
    return statement.kind == t.TYPE and any(kid.kind == t.EXPORT for kid in statement.kids)


def _is_about_types(statement: Term) -> bool:
    return statement.kind in (t.IMPORT, t.EXPORT) and any(str(flag).startswith("type:") for flag in statement.value)


def _without(term: Term) -> Term:
    if term.kind == t.CAST:
        return _without(term.kids[0])
    if not term.kids:
        return term
    places = _PLACES.get(term.kind, ())
    kids: list[Term] = []
    for at, kid in enumerate(term.kids):
        if at in places:
            kids.append(_said_of(kid, term) if term.kind == t.FUNCTION else ABSENT)
        elif kid.kind != t.TYPE:
            kids.append(_without(kid))
    value = term.value
    if isinstance(value, tuple) and any(str(flag).startswith("type:") for flag in value):
        value = tuple(flag for flag in value if not str(flag).startswith("type:"))
    if term.kind == t.BLOCK and term.kids and not kids:
        kids = [Term(t.PASS)]
    return term.but(value=value, kids=kids)


def _said_of(typed: Term, function: Term) -> Term:
    """Return the parameters that a type such as `x is string` tells of: they have to be the same ones."""
    own = {one.value for parameter in function.kids[1].kids for one in parameter.walk() if one.kind == t.BIND}
    named = [one for one in typed.walk() if one.kind == t.NAME and one.value in own]
    return Term(t.TUPLE, "", named) if named else ABSENT
