"""Rewritings that change no behaviour, each with the condition under which that is so.

A rule brings one construct closer to a normal form. Both sides of a change are brought there; where they meet, the
change is proved, and the rules that only one side needed are the explanation. So a rule is one-way, must not undo
another, and has to hold for every program that it matches: `a - b` is not `b - a`, and whether a value is a number
nobody knows.

Names are resolved: NAME and BIND hold a `Binding`, or text where the name is free. Rules compare bindings by identity
and never look at what a variable is called, since that may be what changed.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

from linetrail.projections.proof.rules.variables import NOTHING, Variables
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import Binding
from linetrail.projections.proof.terms.term import Term


class Place(NamedTuple):
    """Where a term stands, as far as it decides what may be done there.

    `dialect` is the language's name. `test`: only whether the value is true counts. `tail`: what comes after the last
    statement of this block is the end of the "function" or of the "loop" around it, or something else: ""; "unit" is
    the end of a function of Rust without a result. `effect`: the value of this expression is not used. `spelled`: how
    the text is written counts, not what it is worth. `holder` is the class whose member this is. `variables` is what is
    known of those of the whole item.
    """

    dialect: str
    test: bool = False
    tail: str = ""
    effect: bool = False
    spelled: bool = False
    holder: Binding | None = None
    variables: Variables = NOTHING


class Rule(NamedTuple):
    """One rewriting. `name` is what a reviewer reads; `kinds` are the kinds of terms that it looks at.

    `dialects`: the languages for which it holds; empty is all. `apply` returns None where the condition does not hold.
    `calls`: of calls in Python, those that it looks at, by what the function means or, after a dot, by the name of the
    method; empty is any.
    """

    name: str
    kinds: tuple[str, ...]
    apply: Callable[[Term, Place], Term | None]
    dialects: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()


def of_neighbours(join: Callable[[Term, Term, Term, Place], Term | None]) -> Callable[[Term, Place], Term | None]:
    """Return what puts one term in the place of the first two neighbours that `join` makes one of.

    `join` is given the whole and the two; of a chain that has one operand left, that operand is left.
    """

    def apply(term: Term, place: Place) -> Term | None:
        for at, (first, second) in enumerate(pairwise(term.kids)):
            made = join(term, first, second, place)
            if made is not None:
                kids = [*term.kids[:at], made, *term.kids[at + 2 :]]
                return made if term.kind == t.LOGIC and len(kids) == 1 else term.but(kids=kids)
        return None

    return apply
