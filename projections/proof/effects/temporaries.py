"""Inline variables that only pass a value on, as long as the order of effects stays what it is.

`x = f(a)` and then `g(x)` is `g(f(a))`, if nothing else happens before x is used. With every such variable written out,
it does not matter any more which of them somebody introduced or removed.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from linetrail.projections.proof.effects.effects import (
    Footprint,
    cannot_fail,
    changed_in_place,
    footprint,
    independent,
    is_stable,
    makes_an_object,
    only_reads,
    outlives,
)
from linetrail.projections.proof.effects.evaluation import keeps, spot
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import LOCAL, PARAMETER, Binding
from linetrail.projections.proof.terms.term import ABSENT, Term

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


# A value that is written out in many places makes a term large.
_MOST_USES = 40
_MOST_ROUNDS = 200


def without_temporaries(term: Term) -> tuple[Term, Counter[str]]:
    """Return a term in which no variable only passes a value on, and what was done, by name."""
    steps: Counter[str] = Counter()
    for _ in range(_MOST_ROUNDS):
        made = _rewritten(term, Uses(term), steps)
        if made is term:
            # what is used once went first: where something is used more often depends on what is left in between
            made = _written_out(term, Uses(term), steps)
        if made is term:
            break
        term = made
    return term, steps


def _rewritten(term: Term, uses: Uses, steps: Counter[str]) -> Term:
    """Inline every variable that is used once or only copies another."""
    if term.kind == t.BLOCK:
        term = _in_block(term, uses, steps)
    return term.having([_rewritten(kid, uses, steps) for kid in term.kids])


def _in_block(block: Term, uses: Uses, steps: Counter[str]) -> Term:
    at = 0
    while at < len(block.kids):
        better = _step(block, at, uses, steps)
        if better is None:
            at += 1
        else:
            block = better
            at = max(at - 1, 0)
    return block


def _step(block: Term, at: int, uses: Uses, steps: Counter[str]) -> Term | None:
    """Inline what one statement of a block assigns; the counts of all other uses stay valid."""
    statement = block.kids[at]
    parts = _taken_apart(statement, uses)
    if parts is not None:
        steps["several values assigned at once"] += 1
        return block.but(kids=[*block.kids[:at], *parts, *block.kids[at + 1 :]])
    passed = assigned(statement)
    if passed is None or passed[0].kind != LOCAL:
        return None
    made = _passed_on(*passed, block.kids[at + 1 :], uses, often=False)
    whole = block.but(kids=[*block.kids[:at], *made]) if made is not None else _merged(*passed, at, block, uses)
    steps["a variable that only passes a value on"] += whole is not None
    return whole


def _written_out(term: Term, uses: Uses, steps: Counter[str]) -> Term:
    """Inline one variable that is used several times; return the term itself when there is none."""
    for at, statement in enumerate(term.kids if term.kind == t.BLOCK else ()):
        passed = assigned(statement)
        if passed is None or passed[0].kind != LOCAL:
            continue
        made = _passed_on(*passed, term.kids[at + 1 :], uses, often=True)
        if made is not None:
            steps["a variable that only passes a value on"] += 1
            return term.but(kids=[*term.kids[:at], *made])
    for at, kid in enumerate(term.kids):
        better = _written_out(kid, uses, steps)
        if better is not kid:
            return term.but(kids=[*term.kids[:at], better, *term.kids[at + 1 :]])
    return term


def _taken_apart(statement: Term, uses: Uses) -> list[Term] | None:
    """Return `a, b = c, d` as two assignments, where nobody sees the first before the second value is there."""
    if statement.kind == t.ASSIGN and len(statement.kids) == 2 and statement.value == "=":
        pattern, value = statement.kids
    elif statement.kind == t.DECLARE and statement.kids[1].kind == t.NONE:
        pattern, value = statement.kids[0], statement.kids[2]
    else:
        return None
    pairs = _pairs(pattern, value)
    if pairs is None:
        return None
    for at, (target, _) in enumerate(pairs):
        if target.kind not in (t.BIND, t.NAME):
            return None
        if any(_is_seen_by(later, target.value, statement, uses) for _, later in pairs[at + 1 :]):
            return None
    if statement.kind == t.ASSIGN:
        return [statement.but(kids=[target, given]) for target, given in pairs]
    return [statement.but(kids=[target, ABSENT, given]) for target, given in pairs]


def _is_seen_by(value: Term, name: Binding | str, statement: Term, uses: Uses) -> bool:
    """Return whether it makes a difference that a variable is written before a value is evaluated."""
    done = footprint(value)
    if name in done.reads | done.writes:
        return True
    # what Rust assigns to is dropped there and then
    is_dropped = statement.kind == t.ASSIGN and isinstance(name, Binding) and name.language == "rust"
    return not cannot_fail(value) and (is_dropped or uses.is_watched(name))


def _pairs(pattern: Term, value: Term) -> list[tuple[Term, Term]] | None:
    """Return which part of a literal each part of a pattern takes."""
    if pattern.kind != value.kind or len(pattern.kids) != len(value.kids) or not pattern.kids:
        return None
    if pattern.kind in (t.TUPLE, t.LIST):
        if any(one.kind == t.SPREAD for one in (*pattern.kids, *value.kids)):
            return None
        return list(zip(pattern.kids, value.kids, strict=True))
    if pattern.kind != t.OBJECT or any(one.kind != t.PAIR for one in (*pattern.kids, *value.kids)):
        return None
    given = {one.kids[0].value: one.kids[1] for one in value.kids if one.kids[0].kind == t.FIELD}
    wanted = [(one.kids[0].value, one.kids[1]) for one in pattern.kids]
    if len(given) != len(value.kids) or any(key not in given for key, _ in wanted):
        return None
    if any(not is_stable(footprint(one)) for one in given.values()):
        return None
    return [(target, given[key]) for key, target in wanted]


def assigned(statement: Term) -> tuple[Binding, Term] | None:
    """Return the one variable that a statement gives a value, and the value."""
    if statement.kind == t.ASSIGN and statement.value == "=" and len(statement.kids) == 2:
        target, value = statement.kids
    elif statement.kind == t.DECLARE and statement.kids[2].kind != t.NONE:
        target, typed, value = statement.kids[:3]
        language = target.value.language if isinstance(target.value, Binding) else ""
        if (typed.kind != t.NONE and language in ("go", "rust")) or not keeps(typed, value, language):
            return None
    else:
        return None
    if target.kind not in (t.BIND, t.NAME) or not isinstance(target.value, Binding):
        return None
    return target.value, value


def _passed_on(name: Binding, value: Term, rest: Sequence[Term], uses: Uses, *, often: bool) -> list[Term] | None:
    """Return the statements after it with the value written out, if that is the same."""
    count = uses.reads[name]
    if uses.writes[name] != 1 or not 0 < count <= _MOST_USES or _count(value, name):
        return None
    if value.kind == t.FUNCTION or (value.kind == t.LAMBDA and count > 1):
        return None
    here = sum(_count(one, name) for one in rest)
    if here != count:
        return None
    if name.language == "ecmascript" and value.kind in (t.ATTR, t.INDEX) and any(_calls(one, name) for one in rest):
        # called as o.f, a function gets o; called as f, it does not
        return None
    done = _seen(footprint(value), uses)
    if name.language == "rust" and (done.acts or done.jumps):
        # what is not kept is dropped at the end of its statement
        return None
    if count == 1:
        return _once(name, value, done, rest, uses)
    if not often:
        return None
    return _often(name, value, done, rest, uses)


def _calls(term: Term, name: Binding) -> bool:
    return any(one.kind == t.CALL and one.kids[0].kind == t.NAME and one.kids[0].value is name for one in term.walk())


def _seen(done: Footprint, uses: Uses) -> Footprint:
    """Return a footprint that counts what an inner function writes to as changed by others."""
    others = any(isinstance(one, Binding) and one in uses.captured and uses.writes[one] > 1 for one in done.reads)
    return done._replace(heap=True) if others else done


def _once(name: Binding, value: Term, done: Footprint, rest: Sequence[Term], uses: Uses) -> list[Term] | None:
    for at, statement in enumerate(rest):
        if not _count(statement, name):
            if not _passes(value, done, statement, uses):
                return None
            continue
        found = spot(statement, lambda one: one.kind == t.NAME and one.value is name)
        if found is None:
            return None
        in_place = found.sure and found.now and all(_passes(value, done, one, uses) for one in found.before)
        if not in_place and not (cannot_fail(value) and _unchanged(done, rest[: at + 1], uses, now=found.now)):
            return None
        return [*rest[:at], substituted(statement, {name: value}), *rest[at + 1 :]]
    return None


def _passes(value: Term, done: Footprint, statement: Term, uses: Uses) -> bool:
    """Return whether a value may as well be evaluated after a statement."""
    other = footprint(statement)
    return independent(done, other) and (cannot_fail(value) or not any(map(uses.is_watched, other.writes)))


def _often(name: Binding, value: Term, done: Footprint, rest: Sequence[Term], uses: Uses) -> list[Term] | None:
    if not only_reads(done) or makes_an_object(value):
        return None
    last = max(at for at, one in enumerate(rest) if _count(one, name))
    now = not any(one.kind in (t.LAMBDA, t.FUNCTION) and _count(one, name) for part in rest for one in part.walk())
    if not (cannot_fail(value) and _unchanged(done, rest[: last + 1], uses, now=now)):
        between = [footprint(one) for one in rest[: last + 1]]
        if any(one.acts or one.writes & done.reads for one in between[:-1]) or between[-1].jumps:
            return None
        if any(uses.is_watched(written) for one in between for written in one.writes):
            return None
        if between[-1].acts or any(one.kind in (t.EACH, t.WHILE, t.FOR, t.LAMBDA) for one in rest[last].walk()):
            return None
    return [substituted(one, {name: value}) for one in rest]


def _unchanged(done: Footprint, statements: Sequence[Term], uses: Uses, *, now: bool) -> bool:
    """Return whether a value is the same after and amid these statements; `now`: it is not asked for later as well."""
    if not is_stable(done):
        return False
    open_names = [one for one in done.reads if not _is_fixed(one, uses)]
    if any(one in uses.captured for one in open_names) or (open_names and not now):
        return False
    return not open_names or not any(footprint(one).writes & set(open_names) for one in statements)


def _is_fixed(name: Binding | str, uses: Uses) -> bool:
    """Return whether a variable has one value as long as it can be seen."""
    return isinstance(name, str) or name.kind not in (LOCAL, PARAMETER) or uses.writes[name] <= 1


def _merged(name: Binding, value: Term, at: int, block: Term, uses: Uses) -> Term | None:
    """Let two variables be one where one of them only takes over from the other: `x = t`, and t is not seen again."""
    if value.kind != t.NAME or not isinstance(value.value, Binding) or value.value is name:
        return None
    other = value.value
    declared = block.kids[at].kind == t.DECLARE
    if other.kind != LOCAL or (name in uses.captured and not declared) or other in uses.captured:
        return None
    if sum(_count(one, other) for one in block.kids[: at + 1]) != uses.named[other]:
        return None
    first = next(index for index, one in enumerate(block.kids) if _count(one, other))
    region = block.kids[first:at]
    begin = 1 if region and _takes_over(region[0], other, name) else 0
    if any(_count(one, name) for one in region[begin:]) or (name in uses.caught and len(region) > 1):
        return None
    new = [substituted(one, {other: Term(t.NAME, name)}) for one in region[begin:]]
    if other in uses.caught:
        uses.caught.add(name)
    for counted, fewer in ((uses.named, 2), (uses.writes, 1), (uses.reads, 1)):
        counted[name] += counted[other] - fewer - begin * (fewer == 2) * 2
    return block.but(kids=[*block.kids[:first], *new, *block.kids[at + 1 :]])


def _takes_over(statement: Term, target: Binding, source: Binding) -> bool:
    passed = assigned(statement)
    return passed is not None and passed[0] is target and passed[1].kind == t.NAME and passed[1].value is source


def _count(term: Term, name: Binding) -> int:
    """Return how often a term names a variable."""
    known = term.known = {} if term.known is None else term.known
    if "names" not in known:
        known["names"] = Counter(one.value for one in term.walk() if one.kind in (t.NAME, t.BIND))
    found: int = known["names"][name]
    return found


def substituted(term: Term, by: dict[Binding, Term]) -> Term:
    """Return a term with variables replaced; where one is declared or assigned, by the variable that replaces it."""
    if term.kind == t.NAME and isinstance(term.value, Binding) and term.value in by:
        return by[term.value]
    if term.kind == t.BIND and isinstance(term.value, Binding) and term.value in by:
        new = by[term.value]
        return term.but(value=new.value) if new.kind == t.NAME else term
    if not term.kids:
        return term
    return term.having([substituted(kid, by) for kid in term.kids])


# -- what becomes of each variable in a function


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
