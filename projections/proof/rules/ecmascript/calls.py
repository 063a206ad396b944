"""Rules of JavaScript's calls that have another spelling."""

from typing import Final

from linetrail.projections.proof.dialects.ecmascript.modules import NODE, NODE_ALONE
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.ecmascript.meaning import (
    DIALECTS,
    called,
    is_nullish,
    is_plain,
    method,
    path,
    text_of,
)
from linetrail.projections.proof.rules.likeness import alike
from linetrail.projections.proof.rules.truth import negated
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term

_OWNERSHIP: Final = frozenset(("Object.prototype.hasOwnProperty.call", "Object.hasOwnProperty.call"))
# Functions that do the same with `new` and without it.
_ERRORS: Final = ("EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError")
_BOTH_WAYS: Final = frozenset(("AggregateError", "Array", "Error", "Function", "Object", *_ERRORS))


def _truth(term: Term, _place: Place) -> Term | None:
    """Turn `Boolean(a)` into `!!a`."""
    if called(term) != "Boolean" or len(term.kids) != 2 or term.kids[1].kind == t.SPREAD:
        return None
    return negated(negated(term.kids[1]))


def _last(term: Term, _place: Place) -> Term | None:
    """Turn `a.at(-1)` into `a[a.length - 1]`."""
    found = method(term)
    if found is None or found[1] != "at" or len(term.kids) != 2 or not is_plain(found[0]):
        return None
    at = term.kids[1]
    if at.kind != t.UNARY or at.value != "-" or at.kids[0].kind != t.LIT:
        return None
    length = term.kids[0].but(kids=[found[0], term.kids[0].kids[1].but(value="length")])
    return term.but(
        kind=t.INDEX, value="", kids=[found[0], at.but(kind=t.BINARY, value="-", kids=[length, at.kids[0]])]
    )


def _required(term: Term, _place: Place) -> Term | None:
    """Turn `require("node:fs")` into `require("fs")`."""
    if called(term) != "require" or len(term.kids) != 2:
        return None
    source = text_of(term.kids[1])
    if source is None or not source.startswith(NODE) or source in NODE_ALONE:
        return None
    return term.but(kids=[term.kids[0], term.kids[1].but(value=("str", source.removeprefix(NODE)))])


def _power(term: Term, _place: Place) -> Term | None:
    """Turn `Math.pow(a, b)` into `a ** b`."""
    operands = term.kids[1:]
    if called(term) != "Math.pow" or len(operands) != 2 or any(one.kind == t.SPREAD for one in operands):
        return None
    return term.but(kind=t.BINARY, value="**", kids=operands)


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


def _owned(term: Term, _place: Place) -> Term | None:
    """Turn `Object.prototype.hasOwnProperty.call(a, b)` into `Object.hasOwn(a, b)`."""
    if called(term) not in _OWNERSHIP and not _is_of_literal(term):
        return None
    holder = Term(t.NAME, "Object", line=term.line)
    callee = Term(t.ATTR, ".", [holder, Term(t.FIELD, "hasOwn", line=term.line)], line=term.line)
    return term.but(kids=[callee, *term.kids[1:]])


def _is_of_literal(term: Term) -> bool:
    """Return whether `{}.hasOwnProperty.call` is called."""
    found = method(term)
    if found is None or found[1] != "call":
        return False
    held = found[0]
    if held.kind != t.ATTR or held.kids[1].value != "hasOwnProperty":
        return False
    return held.kids[0].kind == t.OBJECT and not held.kids[0].kids


def _contained(term: Term, _place: Place) -> Term | None:
    """Turn `a.indexOf(b) !== -1` into `a.includes(b)`."""
    left, right = term.kids
    found = method(left)
    if found is None or found[1] != "indexOf" or len(left.kids) != 2:
        return None
    answer = _FOUND.get(term.value) if _is_minus_one(right) else _AT.get(term.value) if _is_zero(right) else None
    if answer is None:
        return None
    callee = left.kids[0]
    made = left.but(kids=[callee.but(kids=[callee.kids[0], callee.kids[1].but(value="includes")]), left.kids[1]])
    return made if answer else negated(made)


# What a comparison of an index with -1, and with 0, tells: that something is there, or that it is not.
_FOUND: Final = {"!=": True, "!==": True, ">": True, "==": False, "===": False}
_AT: Final = {">=": True, "<": False}


def _is_minus_one(term: Term) -> bool:
    return term.kind == t.UNARY and term.value == "-" and bool(term.kids[0].value == ("number", "1"))


def _is_zero(term: Term) -> bool:
    return bool(term.value == ("number", "0"))


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
    Rule("truth of a value", (t.CALL,), _truth, DIALECTS),
    Rule("last of a list", (t.CALL,), _last, DIALECTS),
    Rule("module of Node", (t.CALL,), _required, DIALECTS),
    Rule("power by its operator", (t.CALL,), _power, DIALECTS),
    Rule("copy of an object", (t.CALL,), _spread_object, DIALECTS),
    Rule("own member of an object", (t.CALL,), _owned, DIALECTS),
    Rule("contained or not", (t.COMPARE,), _contained, DIALECTS),
    Rule("spread arguments", (t.CALL,), _applied, DIALECTS),
    Rule("construction", (t.CALL,), _constructed, DIALECTS),
)
