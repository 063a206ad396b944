"""Rules of JavaScript's loops over lists: by an index, by each of what is in it, by a function."""

from typing import Final

from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.ecmascript.meaning import DIALECTS, method
from linetrail.projections.proof.rules.likeness import alike, is_plain, mentions
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

_ZERO: Final = ("number", "0")
_ONE: Final = ("number", "1")
_ENTRIES: Final = Term(t.FIELD, "entries")
_LEAVING: Final = (t.RETURN, t.AWAIT, t.YIELD)
_FUNCTIONS: Final = (t.FUNCTION, t.LAMBDA, t.CLASS)


def _by_index(term: Term, _place: Place) -> Term | None:
    """Turn `for (let i = 0; i < a.length; i++) { let b = a[i] }` into `for (let b of a) {}`."""
    start, test, update, body = term.kids
    index = _counter(start)
    listed = _limit(test, index) if index is not None else None
    if index is None or listed is None or not _counts(update, index) or not body.kids:
        return None
    first, *rest = body.kids
    if first.kind != t.DECLARE or first.value[:1] != ("let",):
        return None
    element = first.kids[2]
    if element.kind != t.INDEX or not alike(element.kids[0], listed) or not _is(element.kids[1], index):
        return None
    if any(_writes(one, index) or _writes(one, listed) for one in rest):
        return None
    counted = any(mentions(one, index.value) for one in rest)
    return _each(term, listed, first.kids[0], index if counted else ABSENT, body.but(kids=rest))


def _each(at: Term, listed: Term, element: Term, index: Term, body: Term) -> Term:
    """Return the loop over a list, by its entries where their places count."""
    if index.kind != t.NONE:
        listed = at.but(kind=t.CALL, value="", kids=[at.but(kind=t.ATTR, value=".", kids=[listed, _ENTRIES])])
        element = at.but(kind=t.LIST, value="", kids=[index, element])
    return at.but(kind=t.EACH, value=("of", "let"), kids=[element, listed, body, ABSENT])


def _counter(start: Term) -> Term | None:
    """Return the variable that a loop begins to count with, from zero."""
    if start.kind != t.DECLARE or start.value[:1] != ("let",) or start.kids[0].kind != t.BIND:
        return None
    if start.kids[2].value != _ZERO:
        return None
    return start.kids[0]


def _limit(test: Term, index: Term) -> Term | None:
    """Return the list up to whose length a loop counts."""
    if test.kind != t.COMPARE or test.value != "<" or not _is(test.kids[0], index):
        return None
    length = test.kids[1]
    if length.kind != t.ATTR or length.value != "." or length.kids[1].value != "length":
        return None
    return length.kids[0] if is_plain(length.kids[0]) else None


def _counts(update: Term, index: Term) -> bool:
    if update.kind == t.UNARY:
        return update.value in ("++_", "_++") and _is(update.kids[0], index)
    if update.kind != t.ASSIGN or not _is(update.kids[0], index):
        return False
    total = update.kids[1]
    return total.kind == t.BINARY and total.value == "+" and _is(total.kids[0], index) and total.kids[1].value == _ONE


def _is(term: Term, variable: Term) -> bool:
    return term.kind == t.NAME and term.value is variable.value


def _writes(term: Term, variable: Term) -> bool:
    """Return whether a variable or member is another one afterwards."""
    wanted = variable.but(kind=t.NAME) if variable.kind == t.BIND else variable
    return any(
        alike(target, wanted)
        for one in term.walk()
        if one.kind in (t.ASSIGN, t.AUGMENT, t.UNARY)
        for target in one.kids[:1]
    )


def _by_function(term: Term, _place: Place) -> Term | None:
    """Turn `a.forEach((b) => {})` into `for (let b of a) {}`."""
    (call,) = term.kids
    found = method(call)
    if found is None or found[1] != "forEach" or len(call.kids) != 2 or call.kids[1].kind != t.LAMBDA:
        return None
    parameters, body, *_ = call.kids[1].kids
    if call.kids[1].value or not 0 < len(parameters.kids) < 3 or body.kind != t.BLOCK:
        return None
    done = _for_its_effect(body)
    if not all(map(_is_simple, parameters.kids)) or _leaves(done):
        return None
    element, index = parameters.kids[0].kids[0], parameters.kids[1].kids[0] if len(parameters.kids) > 1 else ABSENT
    return _each(term, found[0], element, index, done)


def _is_simple(parameter: Term) -> bool:
    return parameter.kind == t.PARAM and not parameter.value and parameter.kids[2].kind == t.NONE


def _for_its_effect(body: Term) -> Term:
    """Return a body without the result at its end, which nobody takes."""
    if not body.kids or body.kids[-1].kind != t.RETURN:
        return body
    *rest, last = body.kids
    (value,) = last.kids
    if value.kind == t.NONE:
        return body.but(kids=rest)
    return body.but(kids=[*rest, value if value.kind in (t.ASSIGN, t.AUGMENT) else last.but(kind=t.EXPR)])


def _leaves(body: Term) -> bool:
    """Return whether something in a body would mean something else in a loop."""
    waiting = [body]
    while waiting:
        one = waiting.pop()
        if one.kind in _LEAVING or (one.kind == t.DECLARE and one.value[:1] == ("var",)):
            return True
        waiting += () if one.kind in _FUNCTIONS else one.kids
    return False


RULES: Final = (
    Rule("loop over a list by its index", (t.FOR,), _by_index, DIALECTS),
    Rule("loop over a list by a function", (t.EXPR,), _by_function, DIALECTS),
)
