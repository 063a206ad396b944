"""Rules of Java."""

from typing import Final

from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term

JAVA: Final = frozenset(("java",))


def _not_final(term: Term, _place: Place) -> Term | None:
    """Leave out the final of a variable or parameter: nothing is left of it when the program runs."""
    if "final" not in term.value or (term.kind == t.DECLARE and term.value[0] != "local"):
        return None
    return term.but(value=tuple(flag for flag in term.value if flag != "final"))


def _diamond(term: Term, _place: Place) -> Term | None:
    """Turn new A<B>() into new A<>(): types of types are gone when the program runs."""
    if term.value != "new" or not term.kids or term.kids[0].kind != t.TYPE:
        return None
    made = _plain(term.kids[0])
    return term.but(kids=[made, *term.kids[1:]]) if made is not term.kids[0] else None


def _plain(kind: Term) -> Term:
    if kind.kind != t.TYPE:
        return kind
    if kind.value == "<>":
        return kind.but(kids=kind.kids[:1]) if len(kind.kids) > 1 else kind
    if kind.value == "" and len(kind.kids) == 1:
        inner = _plain(kind.kids[0])
        return kind.but(kids=[inner]) if inner is not kind.kids[0] else kind
    return kind


def _own_member(term: Term, _place: Place) -> Term | None:
    """Turn this.a into a, outside of classes that are declared within: there, this is another one."""
    if term.kids[0].kind != t.MEMBER or term.kids[2].kind != t.BLOCK:
        return None
    body = _without_this(term.kids[2])
    return term.but(kids=[*term.kids[:2], body, *term.kids[3:]]) if body is not term.kids[2] else None


def _without_this(term: Term) -> Term:
    if term.kind == t.CLASS:
        return term
    if term.kind == t.ATTR and len(term.kids) == 2 and term.kids[0].kind == t.NAME and term.kids[0].value == "this":
        return term.kids[1]
    return term.having([_without_this(kid) for kid in term.kids])


RULES: Final = (
    Rule("final of a variable", (t.DECLARE, t.PARAM), _not_final, JAVA),
    Rule("type arguments that are known", (t.CALL,), _diamond, JAVA),
    Rule("member of this object", (t.FUNCTION,), _own_member, JAVA),
)
