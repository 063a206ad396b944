"""Rules of TypeScript's types that have another spelling; they count where a type is offered to other files."""

from typing import Final

from linetrail.projections.proof.dialects.ecmascript.types import OBJECT
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.ecmascript.meaning import DIALECTS, is_free
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term

_UNION: Final = "ecmascript:union_type"
_GENERIC: Final = "ecmascript:generic_type"
_ARRAY: Final = "ecmascript:array_type"
_READONLY: Final = "ecmascript:readonly_type"


def _array(term: Term, _place: Place) -> Term | None:
    """Turn `Array<A>` into `A[]`, and `ReadonlyArray<A>` into `readonly A[]`."""
    name, arguments = term.kids[0], term.kids[-1]
    if len(arguments.kids) != 1 or not (is_free(name, "Array") or is_free(name, "ReadonlyArray")):
        return None
    made = term.but(kind=_ARRAY, kids=arguments.kids)
    if name.value == "Array":
        return made
    return term.but(kind=_READONLY, kids=[Term(t.TOKEN, "readonly", line=term.line), made])


def _interface(term: Term, _place: Place) -> Term | None:
    """Turn `type A = {}` into `interface A {}`."""
    name, bases, body, *rest = term.kids
    if term.value != ("type",) or len(body.kids) != 1 or body.kids[0].kind != OBJECT:
        return None
    members = body.kids[0].kids
    if any(one.kind == "ecmascript:mapped_type" for kid in members for one in kid.kids):
        return None
    return term.but(value=("interface",), kids=[name, bases, body.but(kids=members), *rest])


def _union(term: Term, _place: Place) -> Term | None:
    """Put the types of a union in an order of their own: it says nothing."""
    kids = sorted(term.kids, key=_spelling)
    made = term.having(kids)
    return made if made is not term else None


def _spelling(term: Term) -> list[tuple[str, str]]:
    return [(one.kind, str(getattr(one.value, "name", one.value))) for one in term.walk()]


RULES: Final = (
    Rule("type of a list", (_GENERIC,), _array, DIALECTS),
    Rule("type alias as interface", (t.CLASS,), _interface, DIALECTS),
    Rule("order of a union", (_UNION,), _union, DIALECTS),
)
