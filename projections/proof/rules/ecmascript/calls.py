"""Rules of JavaScript's calls that have another spelling."""

from typing import Final

from linetrail.projections.proof.dialects.ecmascript.modules import NODE, NODE_ALONE
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.ecmascript.meaning import DIALECTS, called, is_nullish, method, path
from linetrail.projections.proof.rules.likeness import alike, is_plain
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term, text_of

# Functions that do the same with `new` and without it.
_ERRORS: Final = ("EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError")
_BOTH_WAYS: Final = frozenset(("AggregateError", "Array", "Error", "Function", "Object", *_ERRORS))


def _required(term: Term, _place: Place) -> Term | None:
    """Turn `require("node:fs")` into `require("fs")`."""
    if called(term) != "require" or len(term.kids) != 2:
        return None
    source = text_of(term.kids[1])
    if source is None or not source.startswith(NODE) or source in NODE_ALONE:
        return None
    return term.but(kids=[term.kids[0], term.kids[1].but(value=("str", source.removeprefix(NODE)))])


def _spread_object(term: Term, _place: Place) -> Term | None:
    """Turn `Object.assign({}, a)` into `{...a}`."""
    if called(term) != "Object.assign" or len(term.kids) < 2 or term.kids[1].kind != t.OBJECT:
        return None
    first, *others = term.kids[1:]
    if any(kid.kind == t.FUNCTION for kid in first.kids) or any(one.kind == t.SPREAD for one in others):
        return None
    return term.but(
        kind=t.OBJECT, kids=[*first.kids, *(one.but(kind=t.SPREAD, value="...", kids=[one]) for one in others)]
    )


def _applied(term: Term, _place: Place) -> Term | None:
    """Turn `f.apply(undefined, a)` into `f(...a)`, and `a.f.apply(a, b)` into `a.f(...b)`."""
    found = method(term)
    if found is None or found[1] != "apply" or len(term.kids) != 3:
        return None
    function, this, arguments = found[0], *term.kids[1:]
    if function.kind == t.NAME:
        fits = is_nullish(this)
    else:
        holder = function.kids[0] if function.kind in (t.ATTR, t.INDEX) else function
        fits = holder is not function and is_plain(holder) and alike(holder, this)
    if not fits or arguments.kind == t.SPREAD:
        return None
    return term.but(kids=[function, arguments.but(kind=t.SPREAD, value="...", kids=[arguments])])


def _constructed(term: Term, _place: Place) -> Term | None:
    """Turn `Error(a)` into `new Error(a)`, `new Array()` into `[]`, `new Object()` into `{}`."""
    name = path(term.kids[0])
    if name not in _BOTH_WAYS or term.value not in ("", "new"):
        return None
    if len(term.kids) == 1 and name in ("Array", "Object"):
        return term.but(kind=t.LIST if name == "Array" else t.OBJECT, value="", kids=())
    return term.but(value="new") if term.value == "" else None


RULES: Final = (
    Rule("module of Node", (t.CALL,), _required, DIALECTS),
    Rule("copy of an object", (t.CALL,), _spread_object, DIALECTS),
    Rule("spread arguments", (t.CALL,), _applied, DIALECTS),
    Rule("construction", (t.CALL,), _constructed, DIALECTS),
)
