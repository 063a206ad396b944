"""Find what a stretch of statements declares for the whole of its scope."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term

# What an import binds: module path as written, flags, imported name.
Source = tuple[str, tuple[str, ...], str]

# Constructs that run later or elsewhere: what they bind is theirs.
CLOSED: Final = frozenset((t.FUNCTION, t.LAMBDA, t.CLASS, t.COMP))
# Constructs whose parts declare for the scope around, where declaring is a statement of its own.
_OPEN: Final = frozenset((t.TUPLE, t.LIST, t.EXPORT, t.SPREAD, t.OBJECT, t.PAIR, t.TYPE, t.LABEL))


_COUNTING: Final = frozenset(("++_", "--_", "_++", "_--"))


class Declared(NamedTuple):
    """A name that is declared, and what it is imported from, if it is."""

    name: str
    source: Source | None = None


def declared(statements: Iterable[Term], *, anywhere: bool) -> Iterator[Declared]:
    """Yield what these statements declare; `anywhere`: also in the blocks and expressions in them, as in Python."""
    for statement in statements:
        special = _SPECIAL.get(statement.kind)
        if special is not None:
            yield from special(statement, anywhere=anywhere)
        elif anywhere or statement.kind in _OPEN or ":" in statement.kind:
            yield from declared(statement.kids, anywhere=anywhere)


def lifted(term: Term) -> Iterator[Declared]:
    """Yield what `var` declares for the whole function, however deep it stands."""
    for kid in term.kids:
        if kid.kind in (t.DECLARE, t.EACH) and "var" in kid.value:
            yield from bound_in(kid.kids[0])
        if kid.kind not in CLOSED:
            yield from lifted(kid)


def rewritten(module: Term) -> Iterator[str]:
    """Yield the names that are assigned to where assigning does not declare, or that a function takes from outside."""
    for one in module.walk():
        if one.kind == t.GLOBAL:
            yield from (str(name.value) for name in one.kids)
        elif one.kind in (t.ASSIGN, t.AUGMENT) or (one.kind == t.UNARY and one.value in _COUNTING):
            targets = one.kids[:-1] if len(one.kids) > 1 else one.kids
            yield from (str(name.value) for target in targets for name in _assigned(target))


def _assigned(target: Term) -> Iterator[Term]:
    """Yield the variables in a target; what is only looked up to find a place to write to is none."""
    if target.kind == t.NAME:
        yield target
    elif target.kind not in (t.ATTR, t.INDEX):
        for kid in target.kids:
            yield from _assigned(kid)


def bound_in(term: Term) -> Iterator[Declared]:
    """Yield every name that is bound in a pattern."""
    return (Declared(str(one.value)) for one in term.walk() if one.kind == t.BIND)


def is_var(statement: Term) -> bool:
    """Return whether a declaration belongs to the function rather than to the block it stands in."""
    return statement.kind == t.DECLARE and statement.value[:1] == ("var",)


def _bind(term: Term, **_: bool) -> Iterator[Declared]:
    yield Declared(str(term.value))


def _import(term: Term, **_: bool) -> Iterator[Declared]:
    path, *flags = term.value
    for alias in term.kids:
        for bound in alias.kids:
            if bound.kind == t.BIND:
                yield Declared(str(bound.value), (path, tuple(flags), str(alias.value)))


def _definition(term: Term, *, anywhere: bool) -> Iterator[Declared]:
    """Yield the name of a function or class, and what its decorators and bases assign to on the way."""
    if term.kids[0].kind == t.BIND:
        yield Declared(str(term.kids[0].value))
    if anywhere:
        yield from declared((kid for kid in term.kids if kid.kind in (t.DECORATORS, t.BASES)), anywhere=True)


def _comprehension(term: Term, **_: bool) -> Iterator[Declared]:
    """Yield what `:=` assigns to: its variable lives outside of the comprehension."""
    for one in term.walk():
        if one.kind == t.ASSIGN and one.value == "walrus":
            yield Declared(str(one.kids[0].value))


def _declaration(term: Term, *, anywhere: bool) -> Iterator[Declared]:
    parts: Sequence[Term] = term.kids if anywhere else term.kids[:2]
    yield from declared(parts, anywhere=anywhere)


def _assignment(term: Term, *, anywhere: bool) -> Iterator[Declared]:
    parts = term.kids if anywhere else term.kids[:-1]
    yield from declared(parts, anywhere=anywhere)


def _nothing(_term: Term, **_: bool) -> Iterator[Declared]:
    return iter(())


_SPECIAL: Final[dict[str, Callable[..., Iterator[Declared]]]] = {
    t.BIND: _bind,
    t.IMPORT: _import,
    t.FUNCTION: _definition,
    t.CLASS: _definition,
    t.COMP: _comprehension,
    t.LAMBDA: _nothing,
    t.DECLARE: _declaration,
    t.ASSIGN: _assignment,
}
