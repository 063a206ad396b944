"""Rules of JavaScript's functions: arrows, methods, and what is bound to them."""

from typing import Final

from linetrail.projections.proof.dialects.ecmascript.bindings import SETTLED
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.ecmascript.meaning import (
    DIALECTS,
    is_free,
    method,
    needs_caller,
    needs_more_than_this,
)
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

# Flags of a function that an arrow function can have, too.
_BOTH: Final = frozenset(("expression", "async"))
_ACCESSORS: Final = frozenset(("get", "set"))


def _returning(term: Term, _place: Place) -> Term | None:
    """Turn `() => a` into `() => { return a }`."""
    parameters, body, *rest = term.kids
    if body.kind in (t.BLOCK, t.NONE):
        return None
    result = body.but(kind=t.RETURN, value="", kids=[body])
    return term.but(kids=[parameters, body.but(kind=t.BLOCK, value="", kids=[result]), *rest])


def _arrow(term: Term, _place: Place) -> Term | None:
    """Turn `function () {}` into `() => {}`, where it does not matter who calls it."""
    if "expression" not in term.value or not _BOTH.issuperset(term.value) or _is_recursive(term) or needs_caller(term):
        return None
    return _as_arrow(term)


def _as_arrow(function: Term) -> Term:
    _, parameters, body, typed, *_ = function.kids
    flags = tuple(flag for flag in function.value if flag != "expression")
    return function.but(kind=t.LAMBDA, value=flags, kids=[parameters, body, typed])


def _is_recursive(function: Term) -> bool:
    """Return whether a function uses its own name, which is seen in it alone."""
    name = function.kids[0]
    if name.kind != t.BIND:
        return name.kind != t.NONE
    spelled = getattr(name.value, "name", name.value)
    uses = (one.value for kid in function.kids[1:] for one in kid.walk() if one.kind == t.NAME)
    return any(getattr(value, "name", value) == spelled for value in uses)


def _bound(term: Term, _place: Place) -> Term | None:
    """Turn `function () { this.a }.bind(this)` into an arrow function, and bind nothing to one."""
    found = method(term)
    if found is None or found[1] != "bind" or len(term.kids) != 2:
        return None
    function, this = found[0], term.kids[1]
    if function.kind == t.LAMBDA and this.kind in (t.NAME, t.LIT):
        return function
    if function.kind != t.FUNCTION or not _BOTH.issuperset(function.value) or not is_free(this, "this"):
        return None
    return None if _is_recursive(function) or needs_more_than_this(function) else _as_arrow(function)


def _declared(term: Term, _place: Place) -> Term | None:
    """Turn `const a = () => {}` into `function a() {}`, where nothing could have called it before."""
    name, typed, value, *_ = term.kids
    if SETTLED not in term.value or name.kind != t.BIND or typed.kind != t.NONE:
        return None
    if value.kind == t.LAMBDA and not needs_caller(value.but(kids=[ABSENT, *value.kids])):
        made, flags = [name, *value.kids, Term(t.DECORATORS)], value.value
    elif value.kind == t.FUNCTION and not _is_recursive(value):
        made, flags = [name, *value.kids[1:]], tuple(flag for flag in value.value if flag != "expression")
    else:
        return None
    return term.but(kind=t.FUNCTION, value=flags, kids=made)


def _methods(term: Term, _place: Place) -> Term | None:
    """Turn `{a() {}}` into `{a: function () {}}`, where it does not use `super`."""
    kids = [_as_pair(kid) if _is_method(kid) else kid for kid in term.kids]
    made = term.having(kids)
    return made if made is not term else None


def _is_method(kid: Term) -> bool:
    if kid.kind != t.FUNCTION or _ACCESSORS & set(kid.value) or kid.kids[0].value == "__proto__":
        return False
    return not any(one.kind == t.NAME and one.value == "super" for part in kid.kids[1:] for one in part.walk())


def _as_pair(function: Term) -> Term:
    name, *rest = function.kids
    made = function.but(value=("expression", *function.value), kids=[Term(t.NONE), *rest])
    return function.but(kind=t.PAIR, value="", kids=[name, made])


RULES: Final = (
    Rule("result of an arrow function", (t.LAMBDA,), _returning, DIALECTS),
    Rule("function as arrow function", (t.FUNCTION,), _arrow, DIALECTS),
    Rule("this of an arrow function", (t.CALL,), _bound, DIALECTS),
    Rule("function by its name", (t.DECLARE,), _declared, DIALECTS),
    Rule("method of an object", (t.OBJECT,), _methods, DIALECTS),
)
