"""Count what becomes of each variable in a function: how often it is written, read, named, and by whom."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from linetrail.projections.proof import term as t
from linetrail.projections.proof.binding import Binding
from linetrail.projections.proof.effects import changed_in_place
from linetrail.projections.proof.term import Term

_COUNTING: Final = frozenset(("++_", "--_", "_++", "_--"))
_INNER: Final = frozenset((t.FUNCTION, t.LAMBDA, t.COMP, t.CLASS))


class Uses:
    """The uses of all variables in a term.

    `captured` are those that a function inside uses. `tries`: something may be caught, so a half-done stretch of
    statements can be seen.
    """

    def __init__(self, term: Term) -> None:
        self.writes: Counter[Binding] = Counter()
        self.reads: Counter[Binding] = Counter()
        self.named: Counter[Binding] = Counter()
        self.captured: set[Binding] = set()
        self.tries = False
        self._home: dict[Binding, Term | None] = {}
        self._visit(term, None)

    def _visit(self, term: Term, function: Term | None) -> None:
        kind = term.kind
        if kind in (t.NAME, t.BIND) and isinstance(term.value, Binding):
            (self.reads if kind == t.NAME else self.writes)[term.value] += 1
            self.named[term.value] += 1
            if self._home.setdefault(term.value, function) is not function:
                self.captured.add(term.value)
        self.tries |= kind == t.TRY
        self._written_by(term)
        inner = term if kind in _INNER else function
        for at, kid in enumerate(term.kids):
            # the name of a function belongs to what is around it
            self._visit(kid, function if inner is term and at == 0 and kid.kind == t.BIND else inner)

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


def _plain_targets(target: Term) -> Iterator[Binding]:
    """Yield the variables that are assigned to as NAMEs: those of languages that declare otherwise."""
    if target.kind == t.NAME and isinstance(target.value, Binding):
        yield target.value
    elif target.kind in (t.TUPLE, t.LIST):
        for kid in target.kids:
            yield from _plain_targets(kid)
