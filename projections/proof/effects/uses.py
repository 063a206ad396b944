"""Count what becomes of each variable in a function: how often it is written, read, named, and by whom."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from linetrail.projections.proof.effects.effects import changed_in_place, footprint, outlives
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import PARAMETER, Binding
from linetrail.projections.proof.terms.term import Term

_COUNTING: Final = frozenset(("++_", "--_", "_++", "_--"))
_LOOPS: Final = frozenset((t.WHILE, t.DO, t.FOR, t.EACH))
_INNER: Final = frozenset((t.FUNCTION, t.LAMBDA, t.COMP, t.CLASS))


class Uses:
    """The uses of all variables in a term.

    `captured` are those that a function inside uses. `caught` are those that a half-done stretch of statements leaves
    behind where something goes wrong and the function goes on.
    """

    def __init__(self, term: Term) -> None:
        self.writes: Counter[Binding] = Counter()
        self.reads: Counter[Binding] = Counter()
        self.named: Counter[Binding] = Counter()
        self.captured: set[Binding] = set()
        self.caught: set[Binding] = set()
        self._home: dict[Binding, Term | None] = {}
        self._visit(term, None)
        self._catch(term, looped=False)

    def is_watched(self, name: Binding | str) -> bool:
        """Return whether others than the statements that follow may look at a variable."""
        return outlives(name) or name in self.captured or name in self.caught

    def _visit(self, term: Term, function: Term | None) -> None:
        kind = term.kind
        if kind in (t.NAME, t.BIND) and isinstance(term.value, Binding):
            (self.reads if kind == t.NAME else self.writes)[term.value] += 1
            self.named[term.value] += 1
            if self._home.setdefault(term.value, function) is not function:
                self.captured.add(term.value)
        self._written_by(term)
        inner = term if kind in _INNER else function
        for at, kid in enumerate(term.kids):
            # the name of a function belongs to what is around it
            self._visit(kid, function if inner is term and at == 0 and kid.kind == t.BIND else inner)

    def _catch(self, term: Term, *, looped: bool) -> None:
        """Find what is written where something may be caught, and named elsewhere or in the next round of a loop."""
        if term.kind == "go:defer":
            # what is recovered from gives back the results that have names
            self.caught.update(name for name in self.named if name.kind == PARAMETER)
        for part in _given_up(term):
            inside = Counter(one.value for one in part.walk() if one.kind in (t.NAME, t.BIND))
            declared = {one.value for kid in part.walk() if kid.kind == t.DECLARE for one in kid.kids[0].walk()}
            left = (one for one in footprint(part).writes if isinstance(one, Binding))
            self.caught.update(one for one in left if inside[one] < self.named[one] or (looped and one not in declared))
        for kid in term.kids:
            self._catch(kid, looped=looped or term.kind in _LOOPS)

    def _written_by(self, term: Term) -> None:
        """Count what a term writes to besides what it declares."""
        for changed in changed_in_place(term):
            self.writes[changed] += 1
        if term.kind == t.DELETE or (term.kind == t.UNARY and term.value in _COUNTING):
            self.writes.update(name for kid in term.kids for name in _plain_targets(kid))
        elif term.kind == t.AUGMENT and term.kids[0].kind in (t.BIND, t.NAME):
            if isinstance(term.kids[0].value, Binding):
                self.reads[term.kids[0].value] += 1
                self.writes[term.kids[0].value] += term.kids[0].kind == t.NAME
        elif term.kind == t.ASSIGN:
            for name in (name for target in term.kids[:-1] for name in _plain_targets(target)):
                self.writes[name] += 1
                self.reads[name] -= 1


def _given_up(term: Term) -> Iterator[Term]:
    """Yield the blocks that may end half-way while the function goes on: a context of Python may swallow, too."""
    if term.kind == t.WITH:
        yield term.kids[-1]
    elif term.kind == t.TRY:
        yield from term.kids[:1] if term.kids[-1].kind == t.NONE else term.kids[:-1]


def _plain_targets(target: Term) -> Iterator[Binding]:
    """Yield the variables that are assigned to as NAMEs: those of languages that declare otherwise."""
    if target.kind == t.NAME and isinstance(target.value, Binding):
        yield target.value
    elif target.kind in (t.TUPLE, t.LIST):
        for kid in target.kids:
            yield from _plain_targets(kid)
