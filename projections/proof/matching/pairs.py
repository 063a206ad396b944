"""Find what became of each item of a program, and prove that it still says the same.

Items of the same name are held against each other first; what they agree on (a variable that is called otherwise now)
leads to the others. What no item of the other side accounts for is left over.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from linetrail.projections.proof.effects.temporaries import without_temporaries
from linetrail.projections.proof.matching.expansion import Inlined, inlinable, inline, mentions, without_local_functions
from linetrail.projections.proof.matching.normalisation import Normalising
from linetrail.projections.proof.matching.unifier import Unexplained, Unifier
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import IMPORTED, MODULE, Binding
from linetrail.projections.proof.terms.program import Item, Program, bare
from linetrail.projections.proof.terms.term import Term, same

# More combinations than this are not tried: a change that leaves so much over is no refactoring.
_MOST_TRIES = 2_500
# So many functions and constants are extracted or inlined by one change, at most.
_MOST_EXTRACTED = 40
# A change with more to compare is not proved: counted in parts of terms, so that the answer is the same everywhere.
_MOST_EFFORT = 400_000
# Writing something out may let a rule hold, and a rule may let something be written out.
_MOST_ROUNDS = 3


class Pair(NamedTuple):
    """An item and what became of it. `steps` are the rules that only one side needed: name -> (before, after)."""

    before: Item
    after: Item
    steps: Mapping[str, tuple[int, int]] = {}


class Open(NamedTuple):
    """Two items of which nobody could show that they say the same, and the first place where they part."""

    before: Item
    after: Item
    apart: Unexplained | None


class Matching:
    """The matching of two programs. `files` says which path became which."""

    def __init__(self, before: Program, after: Program, files: Mapping[str, str]) -> None:
        self.before, self.after, self.files = before, after, files
        self.unifier = Unifier(before, after)
        self.pairs: list[Pair] = []
        self.open: list[Open] = []
        self.gone: dict[Item, None] = {}
        self.come: dict[Item, None] = {}
        # extracted or inlined: accounted for by the items that use them
        self.written_out: dict[Item, None] = {}
        self._before = frozenset(before.items)
        self._written: dict[tuple[Item, int, int], Term] = {}
        # the parts of all terms that were brought to a normal form
        self._effort = 0
        # by identity of the term, which is kept so that no other can have it
        self._normal: dict[tuple[Item, int], tuple[Term, Term, Counter[str]]] = {}

    def run(self) -> None:
        """Match everything that can be matched."""
        waiting = self._by_name()
        for before, after in waiting:
            self._pair_names(before, after)
        for before, after in waiting:
            self.settle(before, after)
        self._follow()
        self._search()
        self._forget_directives()
        self._write_out()

    # -- finding partners

    def _by_name(self) -> list[tuple[Item, Item]]:
        """Return the items that are called the same in the same file, the k-th of a name with the k-th."""
        there: defaultdict[tuple[str, object], list[Item]] = defaultdict(list)
        for item in self.after.items:
            there[item.module.path, item.key].append(item)
        found: list[tuple[Item, Item]] = []
        taken: set[Item] = set()
        for path, items in _by_file(self.before.items).items():
            for key, group in items.items():
                others = there.get((self.files.get(path, path), key), [])
                if not key[1] and len(group) != len(others):
                    continue
                for one, other in _alike_first(group, others):
                    found.append((one, other))
                    taken.update((one, other))
        self.gone = dict.fromkeys(item for item in self.before.items if item not in taken)
        self.come = dict.fromkeys(item for item in self.after.items if item not in taken)
        return found

    def _pair_names(self, before: Item, after: Item) -> None:
        """Agree on the variables that two items define, where they stand at the top of their files."""
        if before.owner or len(before.names) != len(after.names):
            return
        for old, new in zip(before.names, after.names, strict=True):
            one, other = before.module.resolver.top.get(old), after.module.resolver.top.get(new)
            if one is not None and other is not None:
                self.unifier.pair(one, other)

    def _follow(self) -> None:
        """Match what the items that were matched say became of each other."""
        again = True
        while again and self.gone and self.come:
            again = False
            defining = {binding: item for item in self.come for binding in _bindings(item)}
            for item in list(self.gone):
                partner = next(
                    (
                        defining[new]
                        for old in _bindings(item)
                        if (new := self.unifier.variables.get(old)) is not None and new in defining
                    ),
                    None,
                )
                if partner is not None and partner in self.come and self.try_pair(item, partner):
                    again = True
                    break

    def _search(self) -> None:
        """Try what is left over against each other: moved as it is, under another name, elsewhere."""
        tries = 0
        for item in list(self.gone):
            candidates = sorted(self.come, key=lambda other: (other.names != item.names, other.order))
            for other in candidates:
                if bare(other.term).kind != bare(item.term).kind or not self._may_become(item, other):
                    continue
                tries += 1
                if tries > _MOST_TRIES:
                    return
                if self.try_pair(item, other):
                    self._follow()
                    break

    def _forget_directives(self) -> None:
        """Let a new file begin with the same directive as the one that it was taken from."""
        known = {str(item.term) for item in self.before.items if item.term.kind.endswith(":directive")}
        fresh = set(self.after.modules) - {self.files.get(path, path) for path in self.before.modules}
        for item in list(self.come):
            if item.module.path in fresh and str(item.term) in known:
                del self.come[item]

    def _may_become(self, item: Item, other: Item) -> bool:
        owner = tuple(self._class(item, depth) for depth in range(len(item.owner)))
        return owner == other.owner and (
            not item.owner or self.files.get(item.module.path, item.module.path) == other.module.path or bool(owner)
        )

    def _class(self, item: Item, depth: int) -> str:
        """Return what a class around an item is called now."""
        name = item.owner[depth]
        keyword, _, own = name.rpartition(" ")
        binding = item.module.resolver.top.get(own) if depth == 0 else None
        new = self.unifier.variables.get(binding) if binding is not None else None
        return f"{keyword} {new.name}".strip() if new is not None else name

    def try_pair(self, before: Item, after: Item) -> bool:
        """Match two items that were left over, with all that hangs on them, or leave everything as it was."""
        mark = self.unifier.mark()
        steps = self._same(before, after)
        if steps is None:
            self.unifier.take_back(mark)
            return False
        self.gone.pop(before, None)
        self.come.pop(after, None)
        self.pairs.append(Pair(before, after, steps))
        if bare(before.term).kind == t.CLASS:
            self._members(before, after)
        return True

    def _write_out(self) -> None:
        """Settle what is open with functions and constants written out that only one side has."""
        gone = {item: found for item in self.gone if (found := self._own(item, self.before)) is not None}
        come = {item: found for item in self.come if (found := self._own(item, self.after)) is not None}
        left_over = len(self.gone) + len(self.come)
        if not 0 < left_over <= _MOST_EXTRACTED or len(gone) + len(come) < left_over:
            # what nothing accounts for makes an evolution of the change, whatever else is proved
            return
        still, self.open = self.open, []
        for one in still:
            steps = self.prove(one.before, one.after, lambda item: self._written_out(item, gone, come))
            if steps is None:
                self.open.append(one._replace(apart=one.apart or self.unifier.unexplained))
            else:
                self.pairs.append(Pair(one.before, one.after, steps))
        for written, left, side in ((gone, self.gone, self.before), (come, self.come, self.after)):
            for item, inlined in written.items():
                others = [self._written_out(other, gone, come) for other in side.items if other not in written]
                if not any(mentions(other, inlined) for other in others) and any(
                    mentions(other.resolved, inlined) for other in side.items if other is not item
                ):
                    del left[item]
                    self.written_out[item] = None

    def _own(self, item: Item, program: Program) -> Inlined | None:
        """Return how to write out an item that is this file's own; a member must be the only one of its name."""
        if not item.is_private:
            return None
        if item.owner and program.writes(item.names[0]):
            return None
        return inlinable(item)

    def _written_out(self, item: Item, gone: Mapping[Item, Inlined], come: Mapping[Item, Inlined]) -> Term:
        """Return an item with what only its side has written out."""
        key = (item, len(gone), len(come))
        if key not in self._written:
            term = item.resolved
            mine = gone if item in self._before else come
            for _ in mine:
                for owner, one in mine.items():
                    if owner is not item and mentions(term, one):
                        term = inline(term, one)
            self._written[key] = term
        return self._written[key]

    def _members(self, before: Item, after: Item) -> None:
        """Match the members of a class that has another name or stands elsewhere now."""
        old, new = (*before.owner, *before.names), (*after.owner, *after.names)
        theirs = {(item.owner[len(new) :], item.names): item for item in self.come if item.owner[: len(new)] == new}
        for item in [one for one in self.gone if one.owner[: len(old)] == old]:
            partner = theirs.get((item.owner[len(old) :], item.names))
            if partner is not None and partner in self.come:
                del self.gone[item], self.come[partner]
                self.settle(item, partner)

    # -- proving

    def settle(self, before: Item, after: Item) -> None:
        """Prove that two items say the same, or keep them open."""
        steps = self._same(before, after)
        if steps is None:
            self.open.append(Open(before, after, self.unifier.unexplained))
        else:
            self.pairs.append(Pair(before, after, steps))

    def _same(self, before: Item, after: Item) -> Mapping[str, tuple[int, int]] | None:
        if before.term is after.term and self._means_the_same(before, after):
            return {}
        if self.unifier.attempt(before.resolved, after.resolved):
            return {}
        return self.prove(before, after, lambda item: item.resolved)

    def prove(self, before: Item, after: Item, view: Callable[[Item], Term]) -> Mapping[str, tuple[int, int]] | None:
        """Compare normal forms of two items as `view` shows them; return the rules that it took."""
        apart = self.unifier.unexplained
        self._effort += sum(1 for term in (view(before), view(after)) for _ in term.walk())
        if self._effort > _MOST_EFFORT:
            return None
        (one, done), (other, undone) = self.normal(before, view(before)), self.normal(after, view(after))
        if self.unifier.attempt(one, other):
            return {name: (done[name], undone[name]) for name in done | undone if done[name] != undone[name]}
        self.unifier.unexplained = self.unifier.unexplained or apart
        return None

    def normal(self, item: Item, term: Term) -> tuple[Term, Counter[str]]:
        """Return the normal form of a term of an item, and the rules it took."""
        key = (item, id(term))
        if key not in self._normal:
            made, steps = normal_form(term, item.module.dialect.name, item.holder)
            self._normal[key] = term, made, steps
        return self._normal[key][1:]

    def _means_the_same(self, before: Item, after: Item) -> bool:
        """Return whether an item whose text stayed still talks of the same things."""
        mark = self.unifier.mark()
        here, there = before.module.resolver, after.module.resolver
        for name in frozenset(str(one.value) for one in before.term.walk() if one.kind in (t.NAME, t.BIND)):
            one, other = here.seen(name), there.seen(name)
            if (one is None) != (other is None) or not (
                one is None or other is None or self.unifier.meanings(one, other)
            ):
                self.unifier.take_back(mark)
                return False
        for member in _members_in(before.term) & self.before.private_members:
            if not self.unifier.member(member, member):
                self.unifier.take_back(mark)
                return False
        return True


def normal_form(term: Term, dialect: str, holder: Binding | None = None) -> tuple[Term, Counter[str]]:
    """Return a term as the rules leave it, with everything written out that only passes something on."""
    term, steps = without_local_functions(term)
    for _ in range(_MOST_ROUNDS):
        normalising = Normalising(dialect, holder)
        term, plain = without_temporaries(normalising.normal(term))
        steps += normalising.steps + plain
        if not plain:
            break
    return term, steps


def _by_file(items: Iterable[Item]) -> dict[str, dict[tuple[tuple[str, ...], tuple[str, ...]], list[Item]]]:
    found: defaultdict[str, defaultdict[tuple[tuple[str, ...], tuple[str, ...]], list[Item]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for item in items:
        found[item.module.path][item.key].append(item)
    return {path: dict(keys) for path, keys in found.items()}


def _alike_first(group: Sequence[Item], others: Sequence[Item]) -> Iterator[tuple[Item, Item]]:
    """Pair items of one name: those that say the same, then the k-th of the rest with the k-th."""
    if len(group) == len(others) == 1:
        yield group[0], others[0]
        return
    left = list(others)
    rest: list[Item] = []
    for one in group:
        partner = next((other for other in left if same(one.term, other.term)), None)
        if partner is None:
            rest.append(one)
        else:
            left.remove(partner)
            yield one, partner
    yield from zip(rest, left, strict=False)


def _bindings(item: Item) -> Sequence[Binding]:
    """Return the variables at the top of a file that an item defines."""
    if item.owner:
        return ()
    top = item.module.resolver.top
    return [top[name] for name in item.names if name in top and top[name].kind in (MODULE, IMPORTED)]


def _members_in(term: Term) -> frozenset[str]:
    return frozenset(str(one.value) for one in term.walk() if one.kind in (t.FIELD, t.MEMBER))
