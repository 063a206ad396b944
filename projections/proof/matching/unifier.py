"""Unify two terms: the same up to the names of variables and members that no other file can see.

The answer is a proof obligation at the same time: which variable of one side stands for which of the other. What is
agreed on is never revised; a failed attempt takes back what it assumed.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from linetrail.projections.proof.effects.effects import footprint, independent, only_reads
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import LOCAL, MODULE, PARAMETER, Binding
from linetrail.projections.proof.terms.program import Program
from linetrail.projections.proof.terms.term import Term

# A statement is looked for among so many neighbours.
_FAR = 6
# So many statements are tried in another place, then none: blocks within blocks multiply what there is to try.
_TRIES = 5_000
_NAMES = (t.NAME, t.BIND)
_MEMBERS = (t.MEMBER, t.FIELD)


class Unexplained(NamedTuple):
    """The first place where two terms part."""

    before: Term
    after: Term


class Unifier:
    """The pairs of variables and members that both sides agree on so far."""

    def __init__(self, before: Program, after: Program) -> None:
        self.before, self.after = before, after
        self.variables: dict[Binding, Binding] = {}
        self._back: dict[Binding, Binding] = {}
        # private members by name: old -> new
        self.members: dict[str, str] = {}
        self._members_back: dict[str, str] = {}
        # keyword arguments by what is called: (before, after)
        self.keywords: dict[tuple[object, str], str] = {}
        # statements that stand in another order inside a block, without it mattering
        self.swapped: list[Term] = []
        self.unexplained: Unexplained | None = None
        self._left = _TRIES
        self._trail: list[tuple[dict[Any, Any], object, dict[Any, Any] | None, object]] = []

    # -- attempts

    def attempt(self, before: Term, after: Term) -> bool:
        """Unify two terms, or agree on nothing."""
        mark = len(self._trail)
        self.unexplained = None
        self._left = _TRIES
        if self._unify(before, after):
            return True
        self._take_back(mark)
        return False

    def pair(self, before: Binding, after: Binding) -> bool:
        """Agree that two variables are the same one."""
        known = self.variables.get(before)
        if known is not None:
            return known is after
        if after in self._back:
            return False
        self.variables[before], self._back[after] = after, before
        self._trail.append((self.variables, before, self._back, after))
        return True

    def member(self, before: str, after: str) -> bool:
        """Agree that two names of members are the same one; only private ones may differ."""
        if before not in self.before.private_members or after not in self.after.private_members:
            return before == after
        known = self.members.get(before)
        if known is not None:
            return known == after
        if after in self._members_back:
            return False
        self.members[before], self._members_back[after] = after, before
        self._trail.append((self.members, before, self._members_back, after))
        return True

    def meanings(self, before: Binding | str, after: Binding | str) -> bool:
        """Agree that two names mean the same."""
        if isinstance(before, str) != isinstance(after, str):
            # a name that nothing declares is not the module that is called so
            return False
        if isinstance(before, Binding):
            before = self.before.meaning(before)
        if isinstance(after, Binding):
            after = self.after.meaning(after)
        if isinstance(before, str) or isinstance(after, str):
            return before == after
        if (before.kind in (LOCAL, PARAMETER)) != (after.kind in (LOCAL, PARAMETER)):
            return False
        return self.pair(before, after)

    def mark(self) -> int:
        """Return a place to take everything back to."""
        return len(self._trail)

    def _take_back(self, mark: int) -> None:
        while len(self._trail) > mark:
            forward, key, back, value = self._trail.pop()
            del forward[key]
            if back is not None:
                del back[value]

    take_back = _take_back

    # -- comparison

    def _unify(self, one: Term, other: Term) -> bool:
        kind = one.kind
        if kind in _NAMES and other.kind in _NAMES:
            if kind == other.kind and self.meanings(one.value, other.value):
                return True
            return self._part(one, other)
        if kind in _MEMBERS and other.kind in _MEMBERS:
            return self.member(str(one.value), str(other.value)) or self._part(one, other)
        if kind != other.kind:
            return self._dotted(one, other) or self._part(one, other)
        if one.value != other.value or len(one.kids) != len(other.kids):
            return self._dotted(one, other) or self._part(one, other)
        if kind == t.ATTR and self._dotted(one, other):
            return True
        if kind == t.CALL:
            return self._call(one, other)
        if kind == t.BLOCK:
            return self._block(one, other)
        return all(map(self._unify, one.kids, other.kids))

    def _block(self, one: Term, other: Term) -> bool:
        mark, apart = len(self._trail), self.unexplained
        if all(map(self._unify, one.kids, other.kids)):
            return True
        first = self.unexplained
        self._take_back(mark)
        self.unexplained = apart
        # a single statement has no other order; trying it again would double the work at each level of nesting
        if len(one.kids) > 1 and self._permuted(one, other):
            return True
        self._take_back(mark)
        self.unexplained = first
        return False

    def _permuted(self, one: Term, other: Term) -> bool:
        """Find the statements of a block in another order, and show that the order does not matter."""
        left = list(range(len(other.kids)))
        places: list[int] = []
        for at, statement in enumerate(one.kids):
            near = sorted(left, key=lambda place: (abs(place - at), place))[:_FAR]
            near.sort(key=lambda place: _written(other.kids[place]) != _written(statement))
            place = next((place for place in near if self._tried(statement, other.kids[place])), None)
            if place is None:
                return False
            left.remove(place)
            places.append(place)
        done = {at: footprint(one.kids[at]) for at, place in enumerate(places) if at != place}
        self.swapped += [one.kids[at] for at in done]
        return all(
            places[early] < places[late] or independent(done[early], done[late])
            for late in done
            for early in done
            if early < late
        )

    def _tried(self, one: Term, other: Term) -> bool:
        mark = len(self._trail)
        self._left -= 1
        if self._left < 0:
            return False
        if self._unify(one, other):
            return True
        self._take_back(mark)
        return False

    def _call(self, one: Term, other: Term) -> bool:
        if not self._unify(one.kids[0], other.kids[0]):
            return False
        callee = self._callee(one.kids[0])
        for left, right in zip(one.kids[1:], _in_order_of(one, other), strict=True):
            if left.kind == right.kind == t.KWARG:
                if not self._keyword(callee, str(left.kids[0].value), str(right.kids[0].value)):
                    return self._part(left, right)
                if not self._unify(left.kids[1], right.kids[1]):
                    return False
            elif not self._unify(left, right):
                return False
        return True

    def _keyword(self, callee: object, before: str, after: str) -> bool:
        if callee is None:
            return before == after
        known = self.keywords.get((callee, before))
        if known is None:
            self.keywords[callee, before] = after
            self._trail.append((self.keywords, (callee, before), None, None))
            return True
        return known == after

    def _callee(self, called: Term) -> object:
        """Return the variable or member that a call names, where its parameters are ours to rename."""
        if called.kind == t.NAME and isinstance(called.value, Binding):
            meaning = self.before.meaning(called.value)
            return meaning if isinstance(meaning, Binding) and meaning.kind in (MODULE, LOCAL) else None
        if called.kind == t.ATTR and str(called.kids[1].value) in self.before.private_members:
            return str(called.kids[1].value)
        return None

    def _dotted(self, one: Term, other: Term) -> bool:
        """Compare what is reached through a module with what is imported by name."""
        left = dotted(one, self.before)
        if left is None:
            return False
        right = dotted(other, self.after)
        if right is None:
            return False
        if isinstance(left, str) or isinstance(right, str):
            return left == right
        return self.pair(left, right)

    def _part(self, one: Term, other: Term) -> bool:
        if self.unexplained is None:
            self.unexplained = Unexplained(one, other)
        return False


def _in_order_of(one: Term, other: Term) -> Sequence[Term]:
    """Return the arguments of a call in the order of another one, where those by name may stand in any order."""
    names = [str(kid.kids[0].value) for kid in one.kids[1:] if kid.kind == t.KWARG]
    given = {str(kid.kids[0].value): kid for kid in other.kids[1:] if kid.kind == t.KWARG}
    if list(given) == names or given.keys() != set(names):
        return other.kids[1:]
    if any(not only_reads(footprint(kid)) for kid in given.values()):
        return other.kids[1:]
    rest = iter(kid for kid in other.kids[1:] if kid.kind != t.KWARG)
    named = iter(names)
    return [given[next(named)] if kid.kind == t.KWARG else next(rest) for kid in one.kids[1:]]


def _written(statement: Term) -> list[str]:
    """Return what the variables are called that a statement assigns to: a hint which of two it became, no more."""
    targets = statement.kids[:1] if statement.kind in (t.ASSIGN, t.DECLARE) else ()
    return [one.value.name for kid in targets for one in kid.walk() if isinstance(one.value, Binding)]


def dotted(term: Term, program: Program) -> Binding | str | None:
    """Return what `module.name` means: a variable of this program, or its name outside; None for anything else."""
    names: list[str] = []
    while term.kind == t.ATTR and len(term.kids) == 2:
        names.append(str(term.kids[1].value))
        term = term.kids[0]
    if term.kind != t.NAME or not isinstance(term.value, Binding):
        return None
    meaning: Binding | str = program.meaning(term.value)
    for name in reversed(names):
        if not isinstance(meaning, str):
            return None
        meaning = program.member_of(meaning, name, term.value.path)
    return meaning if isinstance(meaning, str) or meaning.kind == MODULE else None
