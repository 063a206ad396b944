"""Rules of JavaScript's functions and declarations: variables one by one or together, whole or in parts."""

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from linetrail.projections.proof.dialects.ecmascript.bindings import SETTLED
from linetrail.projections.proof.dialects.ecmascript.tree import DECLARATIONS
from linetrail.projections.proof.effects.effects import footprint
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.ecmascript.meaning import (
    DIALECTS,
    is_free,
    method,
    needs_caller,
    needs_more_than_this,
)
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


_LATER: Final = (t.FUNCTION, t.LAMBDA, t.CLASS)
_LOOPS: Final = (t.FOR, t.EACH, t.WHILE, t.DO)
_SCOPES: Final = (t.BLOCK, t.FOR)


# -- one by one


def _alone(term: Term, _place: Place) -> Term | None:
    """Turn `let a, b` into `let a; let b`, and let what may as well be declared by `let` be declared so."""
    if not isinstance(term.value, tuple):
        return None
    keyword, *flags = term.value
    kept = [flag for flag in flags if flag not in (",", SETTLED)]
    made = ("let" if SETTLED in flags else keyword, *kept)
    return term.but(value=made) if made != term.value else None


def _undefined(term: Term, _place: Place) -> Term | None:
    """Turn `let a = undefined` into `let a`."""
    pattern, typed, value, *rest = term.kids
    if term.value[:1] != ("let",) or pattern.kind != t.BIND or not is_free(value, "undefined"):
        return None
    return term.but(kids=[pattern, typed, ABSENT, *rest])


def _part(term: Term, _place: Place) -> Term | None:
    """Turn `let {a: b} = c` into `let b = c.a`."""
    pattern, typed, value, *rest = term.kids
    if pattern.kind != t.OBJECT or len(pattern.kids) != 1 or value.kind == t.NONE or typed.kind != t.NONE:
        return None
    target = _taken(pattern.kids[0], value)
    return term.but(kids=[target[0], typed, target[1], *rest]) if target is not None else None


def _taken(pair: Term, value: Term) -> tuple[Term, Term] | None:
    """Return what takes a member of a value, and that member."""
    if pair.kind != t.PAIR or pair.kids[0].kind != t.FIELD or pair.kids[1].kind not in (t.BIND, t.OBJECT):
        return None
    field, target = pair.kids
    return target, Term(t.ATTR, ".", [value, field], line=pair.line, start=pair.start, end=pair.end)


def _parts(term: Term, _place: Place) -> Term | None:
    """Turn `let {a, b} = c` into `let a = c.a; let b = c.b`."""
    for at, statement in enumerate(term.kids):
        if statement.kind != t.DECLARE or statement.kids[0].kind != t.OBJECT or len(statement.kids[0].kids) < 2:
            continue
        pattern, typed, value, *rest = statement.kids
        taken = [_taken(pair, value) for pair in pattern.kids] if is_plain(value) and typed.kind == t.NONE else [None]
        if None in taken:
            continue
        each = [statement.but(kids=[one[0], typed, one[1], *rest]) for one in taken if one is not None]
        return term.but(kids=[*term.kids[:at], *each, *term.kids[at + 1 :]])
    return None


# -- var


def _is_var(term: Term) -> bool:
    if term.kind == DECLARATIONS:
        return all(map(_is_var, term.kids))
    return term.kind == t.DECLARE and bool(term.value[:1] == ("var",))


def _by_let(term: Term) -> Term:
    if term.kind == t.DECLARE:
        return term.but(value=("let", *term.value[1:]))
    return term.but(kids=[_by_let(kid) for kid in term.kids])


def _names(term: Term) -> set[object]:
    """Return the variables that are declared in a term."""
    return {one.value for one in term.walk() if one.kind == t.BIND}


class _Variable(NamedTuple):
    """Where a `var` is declared, and whether something could notice that its block is its scope now."""

    scope: Term
    statement: Term
    looped: bool


def _variables(term: Term, _place: Place) -> Term | None:
    """Turn `var` into `let`, where it is used after it and in its block alone."""
    found = list(_declared_in(term.kids, looped=False))
    if not found:
        return None
    uses = Counter(one.value for one in term.walk() if one.kind in (t.NAME, t.BIND))
    fit = {id(one.statement) for one in found if _is_local(one, uses)}
    return _declared_by_let(term, fit) if fit else None


def _declared_in(kids: "tuple[Term, ...]", *, looped: bool) -> Iterator[_Variable]:
    """Yield the variables of a function that are declared by `var`, those of functions in it left out."""
    for kid in kids:
        if kid.kind in _LATER:
            continue
        inside = looped or kid.kind in _LOOPS
        if kid.kind in _SCOPES:
            yield from (_Variable(kid, one, looped) for one in kid.kids if _is_var(one))
        elif kid.kind == t.EACH and "var" in kid.value:
            yield _Variable(kid, kid, looped=True)
        # the cases of a switch share a scope, which none of them is
        yield from _declared_in(kid.kids[1:] if kid.kind == t.CASE else kid.kids, looped=inside)


def _is_local(one: _Variable, uses: Counter[object]) -> bool:
    scope, statement = one.scope, one.statement
    names = _names(statement.kids[0] if statement.kind == t.EACH else statement)
    inside = Counter(leaf.value for leaf in scope.walk() if leaf.value in names)
    if any(inside[name] != uses[name] for name in names) or not _once(scope, names):
        return False
    if (one.looped or scope.kind in _LOOPS) and _outlives_a_turn(scope, statement, names):
        return False
    if scope.kind != t.BLOCK:
        return True
    at = next(place for place, kid in enumerate(scope.kids) if kid is statement)
    early = scope.kids[:at]
    if any(_mentions(kid, names) for kid in early) or _mentions_itself(statement, names):
        return False
    later = any(kid.kind == t.FUNCTION and _mentions(kid, names) for kid in scope.kids[at + 1 :])
    return not later or not any(footprint(kid).acts for kid in early)


def _once(scope: Term, names: set[object]) -> bool:
    declared = Counter(leaf.value for leaf in scope.walk() if leaf.kind == t.BIND and leaf.value in names)
    return all(declared[name] == 1 for name in names)


def _outlives_a_turn(scope: Term, statement: Term, names: set[object]) -> bool:
    """Return whether a variable could be seen to be another one in each turn of a loop."""
    captured = any(_mentions(one, names) for one in scope.walk() if one.kind in _LATER)
    return captured or (scope.kind == t.BLOCK and _has_no_value(statement))


def _has_no_value(statement: Term) -> bool:
    parts = statement.kids if statement.kind == DECLARATIONS else (statement,)
    return any(part.kids[2].kind == t.NONE for part in parts)


def _mentions_itself(statement: Term, names: set[object]) -> bool:
    parts = statement.kids if statement.kind == DECLARATIONS else (statement,)
    return any(_mentions(kid, names) for part in parts for kid in part.kids[2:] if kid.kind not in _LATER)


def _mentions(term: Term, names: set[object]) -> bool:
    return any(leaf.value in names for leaf in term.walk() if leaf.kind in (t.NAME, t.BIND))


def _declared_by_let(term: Term, fit: set[int]) -> Term:
    if id(term) in fit:
        if term.kind != t.EACH:
            return _by_let(term)
        term = term.but(value=tuple("let" if flag == "var" else flag for flag in term.value))
    if not term.kids:
        return term
    return term.having([_declared_by_let(kid, fit) for kid in term.kids])


RULES: Final = (
    Rule("result of an arrow function", (t.LAMBDA,), _returning, DIALECTS),
    Rule("function as arrow function", (t.FUNCTION,), _arrow, DIALECTS),
    Rule("this of an arrow function", (t.CALL,), _bound, DIALECTS),
    Rule("function by its name", (t.DECLARE,), _declared, DIALECTS),
    Rule("method of an object", (t.OBJECT,), _methods, DIALECTS),
    Rule("names declared one by one", (t.DECLARE,), _alone, DIALECTS),
    Rule("declaration without a value", (t.DECLARE,), _undefined, DIALECTS),
    Rule("member taken out of an object", (t.DECLARE,), _part, DIALECTS),
    Rule("members taken out of an object", (t.BLOCK,), _parts, DIALECTS),
    Rule("var that may be let", (t.FUNCTION, t.LAMBDA), _variables, DIALECTS),
    Rule("loop over a list by its index", (t.FOR,), _by_index, DIALECTS),
    Rule("loop over a list by a function", (t.EXPR,), _by_function, DIALECTS),
)
