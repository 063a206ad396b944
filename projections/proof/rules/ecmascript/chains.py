"""Rules of JavaScript's calls and optional chains: `a?.b` for what was asked of `a` before.

Where nothing but the truth of a value counts, `a && a.b` is taken for `a?.b`: they part only for an `a` that is 0 or
"" and has members of its own to be called, which nobody guards this way.
"""

from typing import Final

from linetrail.projections.proof.dialects.ecmascript.modules import NODE, NODE_ALONE
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.ecmascript.meaning import DIALECTS, called, is_free, is_nullish, method, path
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


_LINKS: Final = (t.ATTR, t.INDEX, t.CALL)


def _guarded(term: Term, place: Place) -> Term | None:
    """Turn `a && a.b` into `a?.b`, where it is a condition or done for its effect."""
    if term.value != "and" or not (place.test or place.effect):
        return None
    for at in range(len(term.kids) - 1, 0, -1):
        asked = _asked(term.kids[at - 1])
        made = _optional(term.kids[at], asked) if asked is not None else None
        if made is not None and (place.test or at == len(term.kids) - 1):
            kids = [*term.kids[: at - 1], made, *term.kids[at + 1 :]]
            return term.but(kids=kids) if len(kids) > 1 else made
    return None


def _asked(test: Term) -> Term | None:
    """Return the value of which a condition asks whether there is any."""
    if test.kind == t.COMPARE and test.value == "!=" and is_nullish(test.kids[1]):
        test = test.kids[0]
    return test if _is_chain(test) else None


def _is_chain(term: Term) -> bool:
    """Return whether a term is a variable or members of one, whether they are there or not."""
    while term.kind == t.ATTR and term.value in (".", "?."):
        term = term.kids[0]
    return term.kind == t.NAME


def _optional(chain: Term, asked: Term) -> Term | None:
    """Return a chain that begins with a value, so that it skips the rest where there is none."""
    if chain.kind not in _LINKS:
        return None
    first, *rest = chain.kids
    if alike(first, asked) and chain.value in (".", ""):
        return chain.but(value="?.")
    made = _optional(first, asked)
    return chain.but(kids=[made, *rest]) if made is not None else None


def _condition(term: Term, _place: Place) -> Term | None:
    """Turn `if (a) a.b()` into `a?.b()`."""
    test, then, otherwise = term.kids
    if otherwise.kind != t.NONE or len(then.kids) != 1 or then.kids[0].kind != t.EXPR:
        return None
    asked = _asked(test)
    made = _optional(then.kids[0].kids[0], asked) if asked is not None else None
    return then.kids[0].but(kids=[made]) if made is not None else None


def _choice(term: Term, _place: Place) -> Term | None:
    """Turn `a == null ? undefined : a.b` into `a?.b`."""
    test, then, otherwise = term.kids
    if test.kind != t.COMPARE or test.value not in ("==", "!=") or not is_nullish(test.kids[1]):
        return None
    if test.value == "!=":
        then, otherwise = otherwise, then
    if not is_free(then, "undefined") or not is_plain(test.kids[0]):
        return None
    return _optional(otherwise, test.kids[0])


RULES: Final = (
    Rule("module of Node", (t.CALL,), _required, DIALECTS),
    Rule("copy of an object", (t.CALL,), _spread_object, DIALECTS),
    Rule("spread arguments", (t.CALL,), _applied, DIALECTS),
    Rule("construction", (t.CALL,), _constructed, DIALECTS),
    Rule("optional chain", (t.LOGIC,), _guarded, DIALECTS),
    Rule("optional chain as a statement", (t.IF,), _condition, DIALECTS),
    Rule("optional chain as a value", (t.COND,), _choice, DIALECTS),
)
