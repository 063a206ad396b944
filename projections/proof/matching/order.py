"""Check that whatever stands elsewhere now did not depend on where it stood."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from linetrail.projections.proof.dialects.python.names import QUIET_DECORATORS, last_name
from linetrail.projections.proof.matching.pairs import Matching, Pair
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.program import Item, Module, bare
from linetrail.projections.proof.terms.term import Term

_CALLING = frozenset((t.CALL, t.ATTR, t.INDEX, t.BINARY, t.COMPARE, t.UNARY, t.EACH, t.WITH, t.TEMPLATE))


# What a file is called, and where.
_PLACE = frozenset(("__file__", "__name__", "__package__", "__path__", "__dirname", "__filename"))


class _Early(NamedTuple):
    """What happens when a definition is met: the names it needs then, and whether it does something."""

    needs: frozenset[str]
    acts: bool


def order(matching: Matching) -> Iterator[str]:
    """Yield what changed places and must not."""
    groups: defaultdict[tuple[str, str, tuple[str, ...]], list[Pair]] = defaultdict(list)
    for pair in matching.pairs:
        groups[pair.before.module.path, pair.after.module.path, pair.before.owner].append(pair)
    for pairs in groups.values():
        pairs.sort(key=lambda pair: pair.before.order)
        places = [pair.after.order for pair in pairs]
        if places == sorted(places):
            continue
        yield from _flipped(pairs)
    yield from _moved(matching)
    yield from _extracted(matching)


def _flipped(pairs: Sequence[Pair]) -> Iterator[str]:
    early = [_early(pair.before) for pair in pairs]
    for at, one in enumerate(pairs):
        for beside in range(at + 1, len(pairs)):
            other = pairs[beside]
            if one.after.order > other.after.order and not _free(one, other, early[at], early[beside]):
                yield f"{one.before.title} and {other.before.title} changed places, and one needs the other"
                return


def _free(one: Pair, other: Pair, early: _Early, late: _Early) -> bool:
    if set(one.before.names) & set(other.before.names) and one.before.module.dialect.scoping != "flow":
        return False
    mine, theirs = _placed(one.before), _placed(other.before)
    if mine & theirs and one.before.module.dialect.scoping == "flow":
        # overloads: which one is called depends on types
        mine, theirs = mine - theirs, theirs - mine
    if early.acts and late.acts:
        return False
    return not (mine & theirs or mine & late.needs or theirs & early.needs)


def _placed(item: Item) -> set[str]:
    """Return the names that are not there before an item is reached: a function may be, a class never."""
    hoisted = item.module.dialect.scoping == "block" and bare(item.term).kind == t.FUNCTION
    return set() if hoisted and not item.owner else set(item.names)


def _moved(matching: Matching) -> Iterator[str]:
    """Check that what came from another file stands before those that need it at once."""
    for pair in matching.pairs:
        home = matching.files.get(pair.before.module.path, pair.before.module.path)
        if home == pair.after.module.path or pair.after.owner:
            continue
        if pair.after.module.dialect.name not in ("python", "ecmascript"):
            continue
        if any(one.kind == t.NAME and one.value in _PLACE for one in pair.after.term.walk()):
            yield f"{pair.after.title} asks where it stands, and stands in another file now"
        for item in pair.after.module.items:
            if item.order < pair.after.order and _placed(pair.after) & _early(item).needs:
                yield f"{item.title} needs {pair.after.title}, which stands below it now"


def _extracted(matching: Matching) -> Iterator[str]:
    """Check that what was extracted is there by the time that somebody asks for it."""
    for new in matching.written_out:
        if new.module is not matching.after.modules.get(new.module.path) or new.owner:
            continue
        if new.module.dialect.name not in ("python", "ecmascript"):
            continue
        for item in new.module.items:
            if item.order < new.order and _placed(new) & _early(item).needs:
                yield f"{item.title} needs {new.title}, which stands below it"


def _early(item: Item) -> _Early:
    """Return what a definition needs and does when the program comes to it."""
    term = bare(item.term)
    if item.owner and term.kind != t.FUNCTION and item.module.has_order(item.owner):
        # the order of fields and constants is part of the type
        return _Early(frozenset(), acts=True)
    if item.module.dialect.scoping != "function" and not (item.module.dialect.name == "ecmascript" and not item.owner):
        return _early_elsewhere(item, term)
    eager = list(_eager(term))
    needs = {str(one.value) for one in eager if one.kind in (t.NAME, t.FIELD)}
    # looking something up may call what belongs to a class, and a decorator is called
    if any(one.kind in _CALLING for one in eager) or term.kind in (t.FUNCTION, t.CLASS):
        needs |= _reached(item.module, needs)
    return _Early(frozenset(needs), _acts(item, term, eager))


def _early_elsewhere(item: Item, term: Term) -> _Early:
    """Return the same for languages in which functions and types have no place of their own."""
    if term.kind in (t.FUNCTION, t.CLASS):
        return _Early(frozenset(), acts=False)
    if item.module.dialect.name in ("go", "rust") and not item.owner:
        called = any(one.kind == t.CALL for one in _eager(term))
        return _Early(frozenset(), acts=called or term.kind not in (t.DECLARE, t.IMPORT, t.TYPE, t.EXPORT))
    if term.kind == t.EXPORT and "from" in term.value:
        return _Early(frozenset(), acts=False)
    if item.module.dialect.name in ("go", "rust"):
        # the order of fields and variants is part of a type
        return _Early(frozenset(), acts=True)
    return _Early(
        frozenset(str(one.value) for one in _eager(term) if one.kind in (t.NAME, t.FIELD)), _initialises(term)
    )


def _initialises(term: Term) -> bool:
    """Return whether a member is given its value when its class or object is made, and nobody could say when else."""
    if term.kind != t.DECLARE:
        return True
    value = term.kids[2]
    return value.kind != t.NONE and not (value.kind == t.LIT and "final" in term.value)


def _acts(item: Item, term: Term, eager: Sequence[Term]) -> bool:
    if term.kind in (t.FUNCTION, t.CLASS):
        decorators = [kid for kid in term.kids if kid.kind == t.DECORATORS]
        named = [last_name(one) for kid in decorators for one in kid.kids]
        return any(name not in QUIET_DECORATORS for name in named)
    return any(one.kind in (t.CALL, t.AWAIT, t.DELETE) for one in eager) or not item.names


def _eager(term: Term) -> Iterator[Term]:
    """Yield what is evaluated at once: of a function its decorators, defaults and types."""
    if term.kind in (t.FUNCTION, t.LAMBDA):
        for kid in term.kids[1:]:
            if kid.kind != t.BLOCK and not (term.kind == t.LAMBDA and kid.kind != t.PARAMS):
                yield from _eager(kid)
        return
    yield term
    for kid in term.kids:
        yield from _eager(kid)


def _reached(module: Module, names: set[str]) -> set[str]:
    """Return the names at the top of a file that calling these can come to."""
    reached: set[str] = set()
    waiting = [name for name in names if name in module.definitions]
    while waiting:
        name = waiting.pop()
        for one in module.definitions[name].walk():
            called = str(one.value) if one.kind == t.NAME else ""
            if called in module.definitions and called not in reached:
                reached.add(called)
                waiting.append(called)
    return reached
