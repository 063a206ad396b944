"""Give each purpose of a variable a variable of its own.

`m = a(); f(m); m = b(); g(m)` has two variables of one name: no value of the first is ever read as the second. What
belongs together is found by following the values: an assignment reaches a use, or it does not. Where that is not known
for sure, it does. A variable that a function within mentions keeps all its purposes: nobody knows when that runs.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import LOCAL, PARAMETER, Binding
from linetrail.projections.proof.terms.term import Term

_LATER: Final = frozenset((t.FUNCTION, t.LAMBDA, t.CLASS))
# Functions that see variables by their names.
_ALL_SEEING: Final = frozenset(("locals", "vars", "eval", "exec", "dir"))
_JUMPS: Final = frozenset((t.RETURN, t.THROW))
# A loop is followed until nothing new reaches its head; what nests deeper than honest code is left as it is.
_ROUNDS: Final = 12
# variable -> the leaves that may have given it its value; the leaf of a use that comes before any is its variable
State = dict[Binding, frozenset[int]]


def separated(term: Term) -> Term:
    """Return a function of Python with a variable for each purpose; anything else as it is."""
    if term.kind != t.FUNCTION or term.kids[2].kind != t.BLOCK:
        return term
    watched = _watched(term)
    if not watched:
        return term
    flow = _Flow(watched)
    flow.run(term)
    chosen = dict(flow.chosen())
    return _renamed(term, chosen) if chosen else term


def _watched(function: Term) -> frozenset[Binding]:
    """Return the variables that are assigned to more than once, all of whose uses are known."""
    assigned: defaultdict[Binding, int] = defaultdict(int)
    captured: set[object] = set()
    used_up: set[int] = set()
    for one in function.walk():
        if one.kind == t.NAME and one.value in _ALL_SEEING:
            return frozenset()
        if one.kind == t.BIND and isinstance(one.value, Binding):
            assigned[one.value] += 1
        if one.kind == t.CALL and len(one.kids) > 1 and _uses_up(one.kids[0]):
            used_up.add(id(one.kids[1]))
        is_later = one.kind in _LATER or (one.kind == t.COMP and one.value == "generator" and id(one) not in used_up)
        if is_later and one is not function:
            captured.update(leaf.value for leaf in one.walk() if leaf.kind in (t.NAME, t.BIND))
        if one.kind == t.CATCH and one.kids[1].kind == t.BIND:
            # at the end of a handler its variable goes, whatever was assigned to it there
            bound = (leaf.value for leaf in one.kids[2].walk() if leaf.kind == t.BIND)
            captured.update(variable for variable in bound if variable is one.kids[1].value)
        if one.kind == t.COMP:
            captured.update(leaf.kids[0].value for leaf in one.walk() if leaf.kind == t.ASSIGN)
    several = (variable for variable, count in assigned.items() if count > 1)
    return frozenset(one for one in several if one.kind in (LOCAL, PARAMETER) and one not in captured)


def _uses_up(callee: Term) -> bool:
    """Return whether a function is done with a generator when it returns."""
    if callee.kind == t.ATTR:
        return callee.kids[1].value in ("update", "extend", "difference_update", "writelines", "join")
    return callee.kind == t.NAME and callee.value in ("any", "all", "sum", "list", "set", "dict", "sorted", "tuple")


class _Flow:
    """The flow of values through one function."""

    def __init__(self, watched: frozenset[Binding]) -> None:
        self._watched = watched
        # leaf -> another of the same purpose; the variable itself stands for what it is before any assignment
        self._same: dict[int, int] = {}
        self._leaves: dict[int, Binding] = {}
        self._state: State = {}
        self._dead = False
        # what may reach the handlers of the statements around
        self._raised: list[defaultdict[Binding, set[int]]] = []
        self._breaks: list[list[State]] = []
        self._continues: list[list[State]] = []
        self._lost = False

    def run(self, function: Term) -> None:
        """Follow a function from its parameters to its end."""
        self._state = {variable: frozenset((id(variable),)) for variable in self._watched}
        self._bound(function.kids[1])
        for variable, leaves in self._state.items():
            self._join((id(variable), *leaves))
        self.of_block(function.kids[2])

    def chosen(self) -> Iterator[tuple[int, Binding]]:
        """Yield each leaf that belongs to a purpose of its own, with a variable for that."""
        if self._lost:
            return
        made: dict[tuple[Binding, int], Binding] = {}
        # what a variable is first keeps it: a parameter, or what is read before anything is assigned
        for variable in self._watched:
            made[variable, self._root(id(variable))] = variable
        for leaf, variable in self._leaves.items():
            purpose = variable, self._root(leaf)
            if purpose not in made:
                made[purpose] = Binding(variable.name, LOCAL, variable.path)
            if made[purpose] is not variable:
                yield leaf, made[purpose]

    # -- purposes

    def _root(self, leaf: int) -> int:
        while self._same.get(leaf, leaf) != leaf:
            leaf = self._same[leaf]
        return leaf

    def _join(self, leaves: Iterable[int]) -> None:
        roots = list(dict.fromkeys(map(self._root, leaves)))
        for other in roots[1:]:
            self._same[other] = roots[0]

    # -- values

    def _used(self, leaf: Term) -> None:
        variable = leaf.value
        if variable not in self._watched:
            return
        self._leaves[id(leaf)] = variable
        reaching = self._state.get(variable) or frozenset((id(variable),))
        if self._dead:
            reaching |= {other for other, one in self._leaves.items() if one is variable}
        self._join((id(leaf), *reaching))

    def _defined(self, leaf: Term, *, surely: bool = True) -> None:
        variable = leaf.value
        if variable not in self._watched:
            return
        self._leaves[id(leaf)] = variable
        new = frozenset((id(leaf),))
        self._state[variable] = new if surely else self._state[variable] | new
        for seen in self._raised:
            seen[variable].add(id(leaf))

    def _bound(self, pattern: Term) -> None:
        """Take the variables in a pattern or in parameters as defined, what stands around them as used."""
        if pattern.kind == t.BIND:
            self._defined(pattern)
        elif pattern.kind in (t.ATTR, t.INDEX, t.NAME):
            self._expression(pattern)
        else:
            for kid in pattern.kids:
                self._bound(kid)

    def _expression(self, term: Term) -> None:
        """Follow the parts of an expression; what it may assign to, it may also leave as it was."""
        if term.kind == t.NAME:
            self._used(term)
        elif term.kind == t.BIND:
            self._defined(term, surely=False)
        elif term.kind == t.ASSIGN:
            self._expression(term.kids[-1])
            for target in term.kids[:-1]:
                self._expression(target)
        else:
            for kid in term.kids:
                self._expression(kid)

    # -- statements

    def of_block(self, block: Term) -> None:
        for statement in block.kids:
            self._statement(statement)

    def _statement(self, term: Term) -> None:
        follow = _STATEMENTS.get(term.kind)
        if follow is not None:
            follow(self, term)
            return
        self._expression(term)
        if term.kind in _JUMPS:
            self._dead = True

    def of_assign(self, term: Term) -> None:
        self._expression(term.kids[-1])
        for target in term.kids[:-1]:
            self._bound(target)

    def of_augment(self, term: Term) -> None:
        target, value = term.kids
        self._expression(value)
        if target.kind == t.BIND:
            self._used(target)
        self._bound(target)

    def of_declare(self, term: Term) -> None:
        self._expression(term.kids[2])
        if term.kids[2].kind != t.NONE:
            self._bound(term.kids[0])
        else:
            # a mere annotation assigns nothing, and belongs to whatever comes
            self._expression(term.kids[0])

    def of_if(self, term: Term) -> None:
        test, *branches = term.kids
        self._expression(test)
        self._either(branches)

    def _either(self, branches: Iterable[Term]) -> None:
        before, was_dead = dict(self._state), self._dead
        ends: list[State] = []
        for branch in branches:
            self._state, self._dead = dict(before), was_dead
            self.of_block(branch)
            if not self._dead:
                ends.append(self._state)
        self._state, self._dead = _merged(ends) if ends else before, not ends

    def of_switch(self, term: Term) -> None:
        subject, *cases = term.kids
        self._expression(subject)
        before, was_dead = dict(self._state), self._dead
        ends: list[State] = [before]
        for case in cases:
            self._state, self._dead = _merged([before, *ends]), was_dead
            for part in case.kids[:-1]:
                self._expression(part)
            self.of_block(case.kids[-1])
            if not self._dead:
                ends.append(self._state)
        self._state, self._dead = _merged(ends), was_dead

    def of_loop(self, term: Term) -> None:
        *head, body, otherwise = term.kids
        if term.kind == t.EACH:
            self._expression(head[1])
        was_dead = self._dead
        entry = dict(self._state)
        for _ in range(_ROUNDS):
            self._breaks.append([])
            self._continues.append([])
            self._state, self._dead = dict(entry), was_dead
            if term.kind == t.WHILE:
                self._expression(head[0])
            left = dict(self._state)
            if term.kind == t.EACH:
                self._bound(head[0])
            self.of_block(body)
            again = [*self._continues.pop(), *([] if self._dead else [self._state])]
            broken = self._breaks.pop()
            now = _merged([entry, *again])
            if now == entry:
                break
            entry = now
        else:
            self._lost = True
        self._state, self._dead = _merged([left, *again]), was_dead
        self.of_block(otherwise)
        self._state = _merged([*([] if self._dead else [self._state]), *broken]) or self._state
        self._dead = self._dead and not broken

    def of_break(self, _term: Term) -> None:
        if self._breaks:
            self._breaks[-1].append(dict(self._state))
        self._dead = True

    def of_continue(self, _term: Term) -> None:
        if self._continues:
            self._continues[-1].append(dict(self._state))
        self._dead = True

    def of_try(self, term: Term) -> None:
        body, *catches, otherwise, last = term.kids
        before, was_dead = dict(self._state), self._dead
        jumped = [(states, len(states)) for states in (*self._breaks[-1:], *self._continues[-1:])]
        self._raised.append(defaultdict(set))
        self.of_block(body)
        raised = self._raised[-1]
        ends: list[State] = []
        tried, is_over = dict(self._state), self._dead
        for catch in catches:
            self._state, self._dead = _with(before, raised), was_dead
            self._expression(catch.kids[0])
            self._bound(catch.kids[1])
            self.of_block(catch.kids[2])
            ends += [] if self._dead else [self._state]
        self._state, self._dead = tried, is_over
        self.of_block(otherwise)
        ends += [] if self._dead else [self._state]
        seen = self._raised.pop()
        self._state, self._dead = _merged(ends) if ends else before, not ends
        if last.kind == t.BLOCK:
            is_over = self._dead
            self._state, self._dead = _merged([_with(before, seen), self._state]), was_dead
            self.of_block(last)
            self._dead |= is_over
            for states, count in jumped:
                # whoever left the loop came through here
                states[count:] = [_merged([state, self._state]) for state in states[count:]]

    def of_with(self, term: Term) -> None:
        """Follow a body whose exceptions may be caught by what is around it."""
        *items, body = term.kids
        for item in items:
            self._expression(item.kids[0])
            self._bound(item.kids[1])
        before, was_dead = dict(self._state), self._dead
        self._raised.append(defaultdict(set))
        self.of_block(body)
        raised = _with(before, self._raised.pop())
        self._state, self._dead = _merged([raised, *([] if self._dead else [self._state])]), was_dead

    def of_definition(self, term: Term) -> None:
        for kid in term.kids[1:]:
            self._expression(kid)
        if term.kids[0].kind == t.BIND:
            self._defined(term.kids[0])


def _merged(states: Iterable[State]) -> State:
    found: defaultdict[Binding, frozenset[int]] = defaultdict(frozenset)
    for state in states:
        for variable, leaves in state.items():
            found[variable] |= leaves
    return dict(found)


def _with(state: State, raised: Mapping[Binding, set[int]]) -> State:
    return {variable: leaves | raised.get(variable, set()) for variable, leaves in state.items()}


def _renamed(term: Term, chosen: Mapping[int, Binding]) -> Term:
    if not term.kids:
        return term.but(value=chosen[id(term)]) if id(term) in chosen else term
    kids = []
    changed = False
    for kid in term.kids:
        made = _renamed(kid, chosen)
        changed |= made is not kid
        kids.append(made)
    return term.but(kids=kids) if changed else term


_STATEMENTS: Final = {
    t.ASSIGN: _Flow.of_assign,
    t.AUGMENT: _Flow.of_augment,
    t.DECLARE: _Flow.of_declare,
    t.BLOCK: _Flow.of_block,
    t.IF: _Flow.of_if,
    t.SWITCH: _Flow.of_switch,
    t.WHILE: _Flow.of_loop,
    t.EACH: _Flow.of_loop,
    t.BREAK: _Flow.of_break,
    t.CONTINUE: _Flow.of_continue,
    t.TRY: _Flow.of_try,
    t.WITH: _Flow.of_with,
    t.FUNCTION: _Flow.of_definition,
    t.CLASS: _Flow.of_definition,
}
