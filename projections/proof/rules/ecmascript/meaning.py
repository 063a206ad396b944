"""Read terms of JavaScript: what is called, what means the same twice, what a function needs of its caller."""

from collections.abc import Iterator
from typing import Final

from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term

DIALECTS: Final = frozenset(("ecmascript",))
# What an arrow function has not of its own.
_OWN: Final = frozenset(("this", "arguments", "super"))
_META: Final = "ecmascript:meta_property"


def is_free(term: Term, name: str) -> bool:
    """Return whether a term is a name that nothing here declares."""
    return term.kind == t.NAME and bool(term.value == name)


def path(term: Term) -> str:
    """Return how a member of something free is reached, such as `Object.assign`; "" for anything else."""
    if term.kind == t.NAME:
        return term.value if isinstance(term.value, str) else ""
    if term.kind == t.ATTR and term.value == "." and term.kids[1].kind == t.FIELD:
        holder = path(term.kids[0])
        return f"{holder}.{term.kids[1].value}" if holder else ""
    return ""


def called(term: Term) -> str:
    """Return what is called, if that is something free."""
    return path(term.kids[0]) if term.kind == t.CALL and term.value == "" else ""


def method(term: Term) -> tuple[Term, str] | None:
    """Return the value and the name of the method that is called on it."""
    if term.kind != t.CALL or term.value != "":
        return None
    callee = term.kids[0]
    if callee.kind != t.ATTR or callee.value != "." or callee.kids[1].kind != t.FIELD:
        return None
    return callee.kids[0], str(callee.kids[1].value)


def is_nullish(term: Term) -> bool:
    """Return whether a term is null or undefined, which are equal to each other."""
    return is_free(term, "undefined") or (term.kind == t.LIT and bool(term.value == ("constant", "null")))


def needs_caller(function: Term) -> bool:
    """Return whether a function uses what no arrow function has: `this`, `arguments`, `super`, `new.target`."""
    return any(_is_own(one) for kid in function.kids[1:] for one in _inside(kid))


def needs_more_than_this(function: Term) -> bool:
    """Return whether a function uses its `arguments`, `super` or `new.target`."""
    return any(_is_own(one) and one.value != "this" for kid in function.kids[1:] for one in _inside(kid))


def _is_own(term: Term) -> bool:
    if term.kind == _META:
        return bool(term.value == "new.target")
    return term.kind == t.NAME and (term.value in _OWN or term.value == "eval")


def _inside(term: Term) -> Iterator[Term]:
    """Yield what belongs to a function, with the arrow functions in it."""
    waiting = [term]
    while waiting:
        one = waiting.pop()
        yield one
        if one.kind != t.FUNCTION:
            waiting.extend(one.kids)
