"""The order in which the parts of a statement are evaluated, and what is certain to precede a part."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from linetrail.projections.proof.dialects.operators import words
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term, is_optional

# Parts that may be evaluated never, later, or more than once: the first kids that surely are, by kind.
_SURE = {
    t.LOGIC: 1,
    t.COND: 1,
    t.IF: 1,
    t.SWITCH: 1,
    t.COMP: 0,
    t.LAMBDA: 0,
    t.WHILE: 0,
    t.DO: 0,
    t.TRY: 0,
    t.FOR: 1,
    t.ASSERT: 0,
    "rust:else": 1,
}
_NEVER_NOW = frozenset((t.LAMBDA, t.FUNCTION, t.CLASS))


class Spot(NamedTuple):
    """A part of a statement. `before` is evaluated ahead of it; `sure`: it is evaluated once whenever that is."""

    before: Sequence[Term]
    sure: bool
    now: bool


def spot(statement: Term, wanted: Callable[[Term], bool]) -> Spot | None:
    """Return where the first part that is wanted stands in the order of evaluation; None when there is none."""
    before: list[Term] = []
    found = _descend(statement, wanted, before)
    return Spot(before, found[0], found[1]) if found is not None else None


def _descend(term: Term, wanted: Callable[[Term], bool], before: list[Term]) -> tuple[bool, bool] | None:
    if wanted(term):
        return True, True
    passed: list[Term] = []
    for at, kid in in_order(term):
        inner: list[Term] = []
        found = _descend(kid, wanted, inner)
        if found is not None:
            before += [*passed, *inner]
            sure = found[0] and at < _first_sure(term) and not _is_later(term)
            if (term.kind == t.EACH and at != 1) or (term.kind == t.WITH and kid.kind == t.BLOCK):
                sure = False
            return sure, found[1] and not _is_later(term)
        if not _is_lookup(term, at, kid):
            passed.append(kid)
    return None


def _first_sure(term: Term) -> int:
    """Return how many kids are evaluated whatever the others come to: `a?.b(c)` may end after its `a`."""
    return 1 if is_optional(term) else _SURE.get(term.kind, len(term.kids))


def _is_later(term: Term) -> bool:
    return term.kind in _NEVER_NOW or (term.kind == "rust:block" and term.value != "unsafe")


def _is_lookup(term: Term, at: int, kid: Term) -> bool:
    """Return whether a kid only says which function is called: what `a.b` of `a.b(x)` is does not depend on x."""
    return term.kind == t.CALL and at == 0 and kid.kind == t.ATTR and _is_path(kid)


def _is_path(term: Term) -> bool:
    while term.kind == t.ATTR:
        term = term.kids[0]
    return term.kind in (t.NAME, t.TOKEN)


def in_order(term: Term) -> Iterator[tuple[int, Term]]:
    """Yield the kids of a term in the order in which they are evaluated, with their places."""
    last = len(term.kids) - 1
    if term.kind == t.ASSIGN:
        yield last, term.kids[last]
        yield from enumerate(term.kids[:last])
    elif term.kind == t.DECLARE:
        yield 2, term.kids[2]
        yield 1, term.kids[1]
        yield 0, term.kids[0]
    elif term.kind == t.EACH:
        yield 1, term.kids[1]
        yield from ((at, kid) for at, kid in enumerate(term.kids) if at != 1)
    else:
        yield from enumerate(term.kids)


_NUMBERS: Final = words(
    "byte short char int long float double rune i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 usize isize int8 int16 "
    "int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64 complex64 complex128"
)
_BOXES: Final = words("Byte Short Character Integer Long Float Double Boolean Number Object Comparable Serializable")
# Languages that convert nothing on their own but literals.
_STRICT: Final = frozenset(("go", "rust"))
# Types whose values are always of exactly that type.
_TRUTHS: Final = words("bool boolean Boolean")
_TRUE_OR_FALSE: Final = frozenset((t.COMPARE, t.LOGIC, t.NOT))


def keeps(typed: Term, value: Term, language: str) -> bool:
    """Return whether a value stays what it is when it is declared to be of a type; no type at all keeps everything."""
    if typed.kind == t.NONE or (language in _STRICT and value.kind != t.LIT):
        return True
    names = [str(one.value) for one in typed.walk() if one.kind in (t.NAME, t.TYPE, t.TOKEN) and one.value]
    if not names or "var" in names:
        return True
    first = names[0]
    if first in _TRUTHS and value.kind in _TRUE_OR_FALSE:
        return True
    if value.kind == t.LIT:
        return _is_of(first, value)
    if first in _NUMBERS or first in _BOXES or value.kind == t.LAMBDA:
        return False
    if value.kind == t.CALL and value.value == "new":
        return any(str(one.value) == first for one in value.kids[0].walk())
    return True


def _is_of(name: str, literal: Term) -> bool:
    """Return whether a literal by itself has the type of this name."""
    kind, text = literal.value
    if kind == "constant":
        return name in ("bool", "boolean")
    if kind == "int" and name in _NUMBERS:
        return name in ("int", "i32") or (name == "long" and text.endswith("l")) or text.endswith(name)
    if kind == "float" and name in _NUMBERS:
        return (name in ("double", "float64", "f64") and not text.endswith("f")) or (
            name == "float" and text.endswith("f")
        )
    return kind in ("str", "raw", "text", "char") and name not in _BOXES and name not in _NUMBERS - {"char", "rune"}
