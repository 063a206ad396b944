"""Find the variables at the top of a file that nothing reads before they have their values.

So `let` would do for `var`, and a function that is a value could be one by declaration.

That takes a look at the whole file, which nobody has who later holds one statement against another.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from linetrail.projections.closure import reached
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term

# The flag of a declaration that nothing comes ahead of.
SETTLED: Final = "settled"
# The names by which a file imports and exports where the language had no words for it yet.
COMMON_JS: Final = frozenset(("require", "module", "exports"))
_FUNCTIONS: Final = (t.FUNCTION, t.LAMBDA)
_LATER: Final = (*_FUNCTIONS, t.CLASS)


class Mentions(NamedTuple):
    """The names in a statement, and those that it declares as far as `var` reaches.

    `function` is the name of the function that it is, which is declared before anything runs.
    """

    names: frozenset[str]
    declared: Sequence[str]
    function: str


def mentions(statement: Term) -> Mentions:
    """Return what a statement at the top of a file mentions."""
    names = frozenset(one.value for one in statement.walk() if one.kind in (t.NAME, t.BIND))
    inner = statement.kids[0] if statement.kind == t.EXPORT and statement.kids else statement
    hoisted = inner.kind == t.FUNCTION and inner.kids[0].kind == t.BIND
    function = str(inner.kids[0].value) if hoisted else ""
    return Mentions(names, _declared(statement), function)


def settled(statements: Sequence[tuple[Term, Mentions]]) -> list[bool]:
    """Return for each statement whether nothing reads what it declares, as `var` or function, before it runs.

    What stands above does not name it, nor does any function that could be called there. The variables of a script
    that is no module are everybody's.
    """
    if not any(_is_module(*one) for one in statements):
        return [False] * len(statements)
    bodies = {mentioned.function: mentioned.names for _, mentioned in statements if mentioned.function}
    declared = Counter(name for _, mentioned in statements for name in mentioned.declared)
    found: list[bool] = []
    above: set[str] = set()
    for statement, mentioned in statements:
        names = _variables(statement)
        alone = bool(names) and all(declared[name] == 1 for name in names)
        reaching: set[str] = reached(above, lambda name: bodies.get(name, frozenset())) if alone else set()
        found.append(alone and not names & reaching)
        if not mentioned.function:
            above |= mentioned.names
    return found


def _is_module(statement: Term, mentioned: Mentions) -> bool:
    return statement.kind in (t.IMPORT, t.EXPORT) or not COMMON_JS.isdisjoint(mentioned.names)


def _variables(statement: Term) -> frozenset[str]:
    """Return what a statement declares by `var`, or to be a function."""
    inner = statement.kids[0] if statement.kind == t.EXPORT and statement.kids else statement
    if inner.kind != t.DECLARE or not (inner.value[:1] == ("var",) or inner.kids[2].kind in _FUNCTIONS):
        return frozenset()
    return frozenset(one.value for one in inner.kids[0].walk() if one.kind == t.BIND)


def _declared(statement: Term) -> list[str]:
    """Return the names that a statement declares, wherever a `var` could stand in it."""
    found: list[str] = []
    waiting = [statement]
    while waiting:
        term = waiting.pop()
        if term.kind == t.BIND:
            found.append(term.value)
        waiting += term.kids if term.kind not in _LATER else () if "expression" in term.value else term.kids[:1]
    return found


def settle(statement: Term) -> Term:
    """Return a declaration with the flag."""
    if statement.kind == t.EXPORT:
        return statement.but(kids=[settle(statement.kids[0])])
    return statement.but(value=(*statement.value, SETTLED))
