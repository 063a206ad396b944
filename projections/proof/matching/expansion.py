"""Write out what somebody extracted: a function at its calls, a constant where it is used.

Only what the other side does not have is written out. The body of a function is put where the call was, its parameters
as variables in front of it; `temporaries` then does without them where nothing happens in another order.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from linetrail.projections.proof.effects.effects import (
    cannot_fail,
    footprint,
    independent,
    is_constant,
    makes_an_object,
)
from linetrail.projections.proof.effects.evaluation import Spot, keeps, spot
from linetrail.projections.proof.effects.temporaries import substituted
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import LOCAL, MODULE, PARAMETER, Binding
from linetrail.projections.proof.terms.program import Item
from linetrail.projections.proof.terms.term import ABSENT, Term

# A function that is called more often than this was not extracted from where it is called.
_MOST_CALLS = 25


# What a declaration consists of; one with more has decorators.
_PARTS = 3


class Inlined(NamedTuple):
    """What is written out: a variable or the name of a member, and what it stands for."""

    name: Binding | str
    function: Term | None
    value: Term | None
    # the parameter that is the object itself, in languages that name it
    bound: bool


def inlinable(item: Item) -> Inlined | None:
    """Return how to write out an item; None where its meaning is more than its body."""
    term = item.resolved
    if term.kind == t.EXPORT:
        term = term.kids[0]
    if len(item.names) != 1:
        return None
    name = item.names[0].rpartition(" ")[2] if item.owner else item.module.resolver.top.get(item.names[0])
    if name is None:
        return None
    if term.kind == t.FUNCTION and term.kids[2].kind == t.BLOCK:
        return _function(name, term, item) if item.owner or _is_plain(term) else None
    if term.kind in (t.ASSIGN, t.DECLARE):
        value = term.kids[-1] if term.kind == t.ASSIGN else term.kids[2]
        if value.kind == t.LAMBDA and value.kids[1].kind != t.NONE and _is_plain(_as_function(value)):
            return Inlined(name, _as_function(value), None, bound=False)
        typed = term.kids[1] if term.kind == t.DECLARE else ABSENT
        settled = item.module.dialect.name != "java" or not item.owner or "final" in term.value
        if (
            settled
            and is_constant(value)
            and keeps(typed, value, item.module.dialect.name)
            and len(term.kids) <= _PARTS
        ):
            return Inlined(name, None, value, bound=False)
    return None


def _function(name: Binding | str, term: Term, item: Item) -> Inlined | None:
    decorators = [one for kid in term.kids if kid.kind == t.DECORATORS for one in kid.kids]
    named = {str(one.value) for one in decorators if one.kind == t.NAME}
    if (
        {"async", "*", "generator", "synchronized"} & set(term.value)
        or len(named) < len(decorators)
        or named - {"staticmethod"}
    ):
        return None
    if any(one.kind in (t.YIELD, t.GLOBAL) or one.kind.startswith("go:defer") for one in term.kids[2].walk()):
        return None
    if item.module.dialect.untyped(term) is None and not _returns_as_is(term, item.module.dialect.name):
        return None
    bound = bool(item.owner) and not named and item.module.dialect.scoping == "function"
    return Inlined(name, term, None, bound=bound)


def _returns_as_is(function: Term, language: str) -> bool:
    """Return whether no value changes by being returned."""
    values = [one.kids[0] for one in function.kids[2].walk() if one.kind == t.RETURN and one.kids[0].kind != t.NONE]
    return all(keeps(function.kids[3], value, language) for value in values)


def _as_function(value: Term) -> Term:
    body = value.kids[1]
    block = body if body.kind == t.BLOCK else Term(t.BLOCK, "", [Term(t.RETURN, "", [body])])
    return Term(t.FUNCTION, (), [ABSENT, value.kids[0], block])


def mentions(term: Term, one: Inlined) -> bool:
    """Return whether a term still talks of what was written out."""
    if isinstance(one.name, str):
        return any(leaf.kind in (t.FIELD, t.MEMBER) and leaf.value == one.name for leaf in term.walk())
    return any(leaf.kind == t.NAME and leaf.value is one.name for leaf in term.walk())


def inline(term: Term, one: Inlined) -> Term:
    """Return a term with something written out wherever that is the same; elsewhere it still mentions it."""
    if one.value is not None:
        return _constant(term, one)
    for _ in range(_MOST_CALLS):
        made = _first_call(term, one)
        if made is None:
            break
        term = made
    return term


def without_local_functions(term: Term) -> tuple[Term, Counter[str]]:
    """Return a term in which a function that is called at one place inside of another stands there itself."""
    steps: Counter[str] = Counter()
    for _ in range(_MOST_CALLS):
        made = _local_function(term)
        if made is None:
            break
        steps["a local function that is called once"] += 1
        term = made
    return term, steps


def _local_function(term: Term) -> Term | None:
    if term.kind == t.BLOCK:
        for at, statement in enumerate(term.kids):
            one = _called_once(statement, term)
            if one is not None:
                rest = term.but(kids=[*term.kids[:at], *term.kids[at + 1 :]])
                made = inline(rest, one)
                if not mentions(made, one):
                    return made
    for at, kid in enumerate(term.kids):
        found = _local_function(kid)
        if found is not None:
            return term.but(kids=[*term.kids[:at], found, *term.kids[at + 1 :]])
    return None


def _called_once(statement: Term, block: Term) -> Inlined | None:
    if statement.kind == t.FUNCTION and statement.kids[0].kind == t.BIND and statement.kids[2].kind == t.BLOCK:
        name, function = statement.kids[0].value, statement
    elif statement.kind == t.DECLARE and statement.kids[0].kind == t.BIND and statement.kids[2].kind == t.LAMBDA:
        name, function = statement.kids[0].value, _as_function(statement.kids[2])
    else:
        return None
    if not isinstance(name, Binding) or name.kind != LOCAL or not _is_plain(function):
        return None
    uses = sum(one.kind in (t.NAME, t.BIND) and one.value is name for one in block.walk())
    return Inlined(name, function, None, bound=False) if uses == 2 else None


def _is_plain(function: Term) -> bool:
    """Return whether calling a function is running its body: it is no generator, and its own `this` is not used."""
    decorated = any(kid.kind == t.DECORATORS and kid.kids for kid in function.kids)
    if decorated or {"async", "*", "generator"} & set(function.value):
        return False
    return not any(
        one.kind in (t.YIELD, t.GLOBAL, t.AWAIT) or one.value in ("this", "arguments")
        for one in function.kids[2].walk()
        if one.kind in (t.YIELD, t.GLOBAL, t.AWAIT, t.NAME, t.TOKEN)
    )


def _constant(term: Term, one: Inlined) -> Term:
    value = one.value or ABSENT
    if isinstance(one.name, Binding):
        return substituted(term, {one.name: value})
    if term.kind == t.FIELD and term.value == one.name:
        return value
    if term.kind == t.ATTR and term.kids[1].value == one.name and (_is_self(term.kids[0]) or _is_class(term.kids[0])):
        return value
    kids = [kid if _is_key(term, at) else _constant(kid, one) for at, kid in enumerate(term.kids)]
    return term.but(kids=kids)


def _is_class(term: Term) -> bool:
    return term.kind == t.NAME and isinstance(term.value, Binding) and term.value.kind == MODULE


def _is_key(term: Term, at: int) -> bool:
    """Return whether a FIELD is a key here, and no use of a member."""
    return (term.kind == t.ATTR and at == 1) or (
        term.kind in (t.PAIR, t.KWARG, t.LABEL, t.BREAK, t.CONTINUE) and at == 0
    )


def _first_call(term: Term, one: Inlined) -> Term | None:
    """Write out the first call that can be; None when there is none."""
    if term.kind == t.BLOCK:
        for at, statement in enumerate(term.kids):
            made = _in_statement(statement, one, last=at == len(term.kids) - 1)
            if made is not None:
                return term.but(kids=[*term.kids[:at], *made, *term.kids[at + 1 :]])
    for at, kid in enumerate(term.kids):
        found = _first_call(kid, one)
        if found is not None:
            return term.but(kids=[*term.kids[:at], found, *term.kids[at + 1 :]])
    return None


def _in_statement(statement: Term, one: Inlined, *, last: bool) -> list[Term] | None:
    found = spot(statement, lambda part: _is_call(part, one))
    if found is None:
        return None
    call = next(part for part in statement.walk() if _is_call(part, one))
    function = _copy(one.function or ABSENT)
    prelude = _arguments(call, function, bound=one.bound)
    if prelude is None:
        return None
    body = list(function.kids[2].kids)
    simple = _expression(body, prelude)
    if simple is not None:
        return [_replaced(statement, call, simple)]
    if not (found.sure and found.now):
        return None
    if statement.kind == t.RETURN and statement.kids[0] is call and (last or _ends(body)):
        return [*prelude, *body, *([] if _ends(body) else [Term(t.RETURN, "", [ABSENT])])]
    return _put_before(statement, call, prelude, body or [Term(t.PASS)], found)


def _put_before(
    statement: Term, call: Term, prelude: Sequence[Term], body: Sequence[Term], found: Spot
) -> list[Term] | None:
    """Return the body in front of the statement that calls, which then has what was returned instead of the call."""
    *front, end = body
    if any(_returns(part) for part in front) or (end.kind != t.RETURN and _returns(end)):
        return None
    moved = [footprint(part) for part in (*prelude, *body)]
    if not all(independent(footprint(earlier), later) for earlier in found.before for later in moved[:-1] or moved):
        return None
    alone = statement.kind == t.EXPR and statement.kids[0] is call
    if alone and end.kind != t.RETURN:
        return [*prelude, *([] if end.kind == t.PASS and len(body) == 1 else body)]
    if end.kind != t.RETURN or end.kids[0].kind == t.NONE:
        return None
    return [*prelude, *front, _replaced(statement, call, end.kids[0])]


def _is_call(term: Term, one: Inlined) -> bool:
    if term.kind != t.CALL or term.value != "":
        return False
    callee = term.kids[0]
    if isinstance(one.name, Binding):
        return callee.kind == t.NAME and callee.value is one.name
    if callee.kind == t.FIELD:
        return bool(callee.value == one.name)
    if callee.kind != t.ATTR or callee.kids[1].value != one.name:
        return False
    return _is_self(callee.kids[0])


def _is_self(term: Term) -> bool:
    """Return whether an expression is the object whose method this is; of any other, nobody knows the class."""
    if isinstance(term.value, Binding):
        return term.kind == t.NAME and term.value.is_object
    return term.kind in (t.NAME, t.TOKEN) and term.value == "this"


def _copy(function: Term) -> Term:
    """Return a function with variables of its own."""
    own: dict[Binding, Term] = {}
    for one in (*function.kids[1].walk(), *function.kids[2].walk()):
        if one.kind == t.BIND and isinstance(one.value, Binding) and one.value.kind in (LOCAL, PARAMETER):
            own.setdefault(one.value, Term(t.NAME, one.value.twin()))
    return substituted(function, own)


def _arguments(call: Term, function: Term, *, bound: bool) -> list[Term] | None:
    """Return statements that give each parameter its value, in the order of the arguments."""
    parameters = [one for one in function.kids[1].kids if one.kind == t.PARAM]
    if any(one.value or one.kids[0].kind != t.BIND for one in parameters):
        return None
    if any(one.kind == t.SPREAD for one in call.kids):
        return None
    given = [call.kids[0].kids[0]] if bound else []
    given += [one for one in call.kids[1:] if one.kind not in (t.KWARG, t.TYPE, t.NONE)]
    pairs = list(zip(parameters, given, strict=False))
    if len(given) > len(parameters) or not all(
        keeps(parameter.kids[1], value, parameter.kids[0].value.language) for parameter, value in pairs
    ):
        return None
    left = {parameter.kids[0].value.name: parameter for parameter in parameters[len(given) :]}
    by_name = [(str(one.kids[0].value), one.kids[1]) for one in call.kids[1:] if one.kind == t.KWARG]
    if any(name not in left for name, _ in by_name):
        return None
    pairs += [(left.pop(name), value) for name, value in by_name]
    # a default is made once, when the function is defined
    if not all(is_constant(parameter.kids[2]) and parameter.kids[2].kind != t.NONE for parameter in left.values()):
        return None
    pairs += [(parameter, parameter.kids[2]) for parameter in left.values()]
    return [Term(t.ASSIGN, "=", [Term(t.BIND, parameter.kids[0].value), value]) for parameter, value in pairs]


def _expression(body: Sequence[Term], prelude: Sequence[Term]) -> Term | None:
    """Return what a call is worth, where that is one expression of arguments that are the same at any time."""
    if len(body) != 1 or body[0].kind != t.RETURN or body[0].kids[0].kind == t.NONE:
        return None
    if not all(cannot_fail(one.kids[1]) and not makes_an_object(one.kids[1]) for one in prelude):
        return None
    return substituted(body[0], {one.kids[0].value: one.kids[1] for one in prelude}).kids[0]


def _ends(body: Sequence[Term]) -> bool:
    """Return whether nothing comes after these statements."""
    if not body:
        return False
    end = body[-1]
    if end.kind in (t.RETURN, t.THROW):
        return True
    return end.kind == t.IF and all(
        kid.kind in (t.BLOCK, t.IF) and _ends(kid.kids if kid.kind == t.BLOCK else [kid]) for kid in end.kids[1:]
    )


def _returns(term: Term) -> bool:
    return any(one.kind == t.RETURN for one in _own(term))


def _own(term: Term) -> Iterator[Term]:
    yield term
    if term.kind not in (t.FUNCTION, t.LAMBDA, t.CLASS):
        for kid in term.kids:
            yield from _own(kid)


def _replaced(term: Term, old: Term, new: Term) -> Term:
    if term is old:
        return new
    if not term.kids:
        return term
    return term.but(kids=[_replaced(kid, old, new) for kid in term.kids])
