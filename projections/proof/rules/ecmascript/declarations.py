"""Rules of JavaScript's declarations: `var`, `let` and `const`, one by one or together, whole or in parts."""

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from linetrail.projections.proof.dialects.ecmascript.bindings import SETTLED
from linetrail.projections.proof.dialects.ecmascript.tree import DECLARATIONS
from linetrail.projections.proof.effects.effects import footprint
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.ecmascript.meaning import DIALECTS, is_free
from linetrail.projections.proof.rules.likeness import is_plain
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

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
    Rule("names declared one by one", (t.DECLARE,), _alone, DIALECTS),
    Rule("declaration without a value", (t.DECLARE,), _undefined, DIALECTS),
    Rule("member taken out of an object", (t.DECLARE,), _part, DIALECTS),
    Rule("members taken out of an object", (t.BLOCK,), _parts, DIALECTS),
    Rule("var that may be let", (t.FUNCTION, t.LAMBDA), _variables, DIALECTS),
)
