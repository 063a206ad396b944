"""Bring a term to its normal form by the rules, from the inside out."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.catalogue import rules
from linetrail.projections.proof.rules.lifetimes import separated
from linetrail.projections.proof.rules.python.meaning import called, method
from linetrail.projections.proof.rules.variables import Variables
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import Binding
from linetrail.projections.proof.terms.term import Term

# A rule that undid another would go on for ever; no honest term needs so many.
_STEPS = 20_000
# Each round makes variables of purposes; what is left has one purpose each.
_ROUNDS = 4
# Constructs -> where among their kids a condition stands, and where the body of a loop.
_TESTS: Final = {t.IF: 0, t.WHILE: 0, t.COND: 0, t.NOT: 0, t.ASSERT: 0, t.DO: 1, t.FOR: 1}
# Languages whose cases end where the next one begins.
_SEPARATE: Final = frozenset(("python", "go", "rust"))
_BODIES: Final = {t.WHILE: 1, t.FOR: 3, t.EACH: 2, t.DO: 0}


class Normalising:
    """One normalisation: what was done, by the names of the rules, is in `steps`."""

    def __init__(self, dialect: str, holder: Binding | None = None) -> None:
        self.steps: Counter[str] = Counter()
        self._rules = rules(dialect)
        self._place = Place(dialect, holder=holder)
        self._called: dict[tuple[str, str], Sequence[Rule]] = {}
        self._places: dict[tuple[bool, str, bool, bool], Place] = {}
        self._left = _STEPS
        # what was made of a term at a place; the term is kept so that nothing else takes its identity
        self._done: dict[tuple[int, Place], tuple[Term, Term]] = {}

    def normal(self, term: Term) -> Term:
        """Return the normal form of an item, or of a part of one that stands by itself."""
        made = term
        for _ in range(_ROUNDS):
            term = made
            self._place = self._place._replace(variables=Variables(term))
            self._places.clear()
            made = self._normal(term, self._place)
            term, made = made, self._separated(made)
            if made is term:
                break
        return made

    def _separated(self, term: Term) -> Term:
        if self._place.dialect != "python":
            return term
        made = separated(term)
        if made is not term:
            self.steps["a variable for each purpose"] += 1
        return made

    def _normal(self, term: Term, place: Place) -> Term:
        known = self._done.get((id(term), place))
        if known is not None:
            return known[1]
        made = term
        while True:
            made = self._inside(made, place)
            better = self._once(made, place) if self._left > 0 else None
            if better is None:
                break
            made = better
        self._done[id(term), place] = term, made
        self._done[id(made), place] = made, made
        return made

    def _inside(self, term: Term, place: Place) -> Term:
        """Return a term with its kids in their normal forms."""
        kids = []
        changed = False
        for at, kid in enumerate(term.kids):
            if not kid.kids and kid.kind not in self._rules:
                kids.append(kid)
                continue
            made = self._normal(kid, self._place_of(term, at, place))
            changed |= made is not kid
            kids.append(made)
        return term.but(kids=kids) if changed else term

    def _once(self, term: Term, place: Place) -> Term | None:
        """Return what the first rule that holds makes of a term."""
        for rule in self._tried(term):
            made = rule.apply(term, place)
            if made is not None:
                self.steps[rule.name] += 1
                self._left -= 1
                return made
        return None

    def _tried(self, term: Term) -> Sequence[Rule]:
        """Return the rules that look at such a term."""
        rules = self._rules.get(term.kind, ())
        if term.kind != t.CALL or self._place.dialect != "python":
            return rules
        found = method(term)
        key = called(term), f".{found[1]}" if found is not None else ""
        if key not in self._called:
            self._called[key] = [rule for rule in rules if not rule.calls or not rule.calls.isdisjoint(key)]
        return self._called[key]

    def _at(self, *, test: bool = False, tail: str = "", effect: bool = False, spelled: bool = False) -> Place:
        key = test, tail, effect, spelled
        if key not in self._places:
            self._places[key] = self._place._replace(test=test, tail=tail, effect=effect, spelled=spelled)
        return self._places[key]

    def _place_of(self, parent: Term, at: int, place: Place) -> Place:
        """Return where a kid stands."""
        kind = parent.kind
        if _TESTS.get(kind) == at or (kind == t.CLAUSE and at > 1):
            return self._at(test=True)
        if kind in (t.LOGIC, t.COND):
            return self._at(test=place.test and parent.value != "??")
        if kind in (t.FUNCTION, t.LAMBDA) and parent.kids[at].kind == t.BLOCK:
            has_result = kind == t.LAMBDA or self._place.dialect != "rust" or parent.kids[3].kind != t.NONE
            return self._at(tail="function" if has_result else "unit")
        if kind in _BODIES:
            # what a loop of C starts with and does in between is done for its effect
            return self._at(tail="loop" if _BODIES[kind] == at else "", effect=kind == t.FOR)
        spelled = kind == "ecmascript:tagged"
        return self._at(tail=_tail(parent, at, place), effect=kind == t.EXPR, spelled=spelled)


def _tail(parent: Term, at: int, place: Place) -> str:
    """Return what comes after the end of a block within another statement."""
    kind = parent.kind
    if kind == t.BLOCK:
        return place.tail if at == len(parent.kids) - 1 else ""
    if kind in (t.IF, t.CATCH, t.WITH) or (kind in (t.SWITCH, t.CASE) and place.dialect in _SEPARATE):
        return place.tail
    if kind == t.TRY:
        ends_here = at != len(parent.kids) - 1 and (at > 0 or parent.kids[-2].kind == t.NONE)
        return place.tail if ends_here else ""
    return ""
