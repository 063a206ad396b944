"""Compare parts of one program with each other: two branches that do the same, a target that is written twice."""

from collections.abc import Iterator

from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import Binding
from linetrail.projections.proof.terms.term import Term


def alike(one: Term, other: Term) -> bool:
    """Return whether two terms say the same; variables that live in them alone may be two of a kind.

    A block without braces is one with braces, and none is an empty one.
    """
    own: tuple[frozenset[Binding], frozenset[Binding]] | None = None
    paired: dict[object, object] = {}
    back: dict[object, object] = {}
    waiting = [(one, other)]
    while waiting:
        left, right = waiting.pop()
        if left is right:
            continue
        if left.kind != right.kind or len(left.kids) != len(right.kids):
            if {left.kind, right.kind} == {t.NONE, t.BLOCK} and not left.kids and not right.kids:
                continue
            return False
        if left.value != right.value and not (left.kind == t.BLOCK and {left.value, right.value} == {"", "bare"}):
            own = own or (frozenset(_own(one)), frozenset(_own(other)))
            if left.value not in own[0] or right.value not in own[1]:
                return False
            if paired.setdefault(left.value, right.value) is not right.value:
                return False
            if back.setdefault(right.value, left.value) is not left.value:
                return False
        waiting.extend(zip(left.kids, right.kids, strict=True))
    return True


def _own(term: Term) -> Iterator[Binding]:
    """Yield the variables that nothing outside of a term can see."""
    for one in term.walk():
        if _declares(one):
            yield from (bound.value for bound in one.kids[0].walk() if bound.kind == t.BIND)


def _declares(term: Term) -> bool:
    if term.kind in (t.PARAM, t.CLAUSE):
        return True
    if term.kind == t.DECLARE:
        return bool(term.value) and term.value[0] not in ("", "var")
    return term.kind == t.EACH and bool({"let", "const"} & set(term.value))


def is_plain(term: Term) -> bool:
    """Return whether looking at something twice is like looking once: variables, and members of them."""
    while term.kind == t.ATTR and term.value == ".":
        term = term.kids[0]
    return term.kind == t.NAME


def mentions(term: Term, name: object) -> bool:
    """Return whether a variable is read or written anywhere in a term."""
    return any(one.value is name for one in term.walk() if one.kind in (t.NAME, t.BIND))
