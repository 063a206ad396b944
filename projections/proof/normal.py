"""Bring a term to its normal form by the rules, from the inside out."""

from collections import Counter
from collections.abc import Sequence
from functools import cache

from linetrail.projections.proof import term as t
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.all import RULES
from linetrail.projections.proof.term import Term

# A rule that undid another would go on for ever; no honest term needs so many.
_STEPS = 20_000


class Normalising:
    """One normalisation: what was done, by the names of the rules, is in `steps`."""

    def __init__(self, dialect: str) -> None:
        self.steps: Counter[str] = Counter()
        self._rules = _rules(dialect)
        self._dialect = dialect
        self._left = _STEPS

    def normal(self, term: Term, place: Place | None = None) -> Term:
        """Return the normal form of a term."""
        place = place or Place(self._dialect)
        kids = [self.normal(kid, self._place_of(term, at, place)) for at, kid in enumerate(term.kids)]
        if any(new is not old for new, old in zip(kids, term.kids, strict=True)):
            term = term.but(kids=kids)
        for rule in self._rules.get(term.kind, ()):
            made = rule.apply(term, place)
            if made is not None:
                self.steps[rule.name] += 1
                self._left -= 1
                return self.normal(made, place) if self._left > 0 else made
        return term

    def _place_of(self, parent: Term, at: int, place: Place) -> Place:
        """Return where a kid stands."""
        kind = parent.kind
        if kind in (t.IF, t.WHILE, t.COND) and at == 0:
            return Place(self._dialect, test=True)
        if kind in (t.NOT, t.ASSERT) or (kind == t.DO and at == 1) or (kind == t.CLAUSE and at > 1):
            return Place(self._dialect, test=kind != t.ASSERT or at == 0)
        if kind == t.LOGIC:
            return Place(self._dialect, test=place.test and parent.value != "??")
        if kind == t.COND:
            return Place(self._dialect, test=place.test)
        if kind in (t.FUNCTION, t.LAMBDA) and parent.kids[at].kind == t.BLOCK:
            return Place(self._dialect, tail="function")
        if kind in (t.WHILE, t.FOR, t.EACH, t.DO) and parent.kids[at].kind == t.BLOCK:
            is_body = at == {t.WHILE: 1, t.FOR: 3, t.EACH: 2, t.DO: 0}[kind]
            return Place(self._dialect, tail="loop" if is_body else "")
        if kind == t.IF:
            return Place(self._dialect, tail=place.tail)
        if kind == t.BLOCK:
            return Place(self._dialect, tail=place.tail if at == len(parent.kids) - 1 else "")
        return Place(self._dialect, effect=kind == t.EXPR)


@cache
def _rules(dialect: str) -> dict[str, Sequence[Rule]]:
    found: dict[str, list[Rule]] = {}
    for rule in RULES:
        if not rule.dialects or dialect in rule.dialects:
            for kind in rule.kinds:
                found.setdefault(kind, []).append(rule)
    return found
