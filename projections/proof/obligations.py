"""Check what a matching assumed: that new names are nobody else's business, and that order still holds.

Each check yields why the assumption does not hold, in the words of a reviewer.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from linetrail.projections.proof import term as t
from linetrail.projections.proof.dialects.python_names import INTROSPECTION, OF_ITSELF, QUIET_DECORATORS
from linetrail.projections.proof.matching import Matching, Pair
from linetrail.projections.proof.program import Item, Module, Program
from linetrail.projections.proof.scopes import IMPORTED, LOCAL, MODULE, PARAMETER, Binding
from linetrail.projections.proof.term import Term


def broken(matching: Matching) -> Iterator[str]:
    """Yield what a matching took for granted and what is not so."""
    yield from _names(matching)
    yield from _members(matching)
    yield from _parameters(matching)
    yield from _order(matching)
    yield from _reexports(matching)
    yield from _exports(matching)


# -- names


def _names(matching: Matching) -> Iterator[str]:
    defined = {
        (pair.before.module.path, name): pair
        for pair in matching.pairs
        if not pair.before.owner
        for name in pair.before.names
    }
    for pair in matching.pairs:
        if pair.before.owner and pair.before.names != pair.after.names and not pair.before.is_private:
            yield f"{pair.before.title} can be reached from elsewhere and is called {pair.after.title} now"
    used = _used_elsewhere(matching.before), _used_elsewhere(matching.after)
    for before, after in matching.unifier.variables.items():
        if before.kind == MODULE and after.kind == MODULE:
            pair = defined.get((before.path, before.name))
            if pair is not None and (after.name not in pair.after.names or pair.after.module.path != after.path):
                yield f"`{before.name}` is taken for `{after.name}`, which is something else"
                continue
            if before.name != after.name:
                yield from _public(matching, before, after, used)
        elif (before.kind == IMPORTED) != (after.kind == IMPORTED):
            yield f"`{before.name}` is imported on one side only"


def _public(
    matching: Matching, before: Binding, after: Binding, used: tuple[frozenset[Binding], frozenset[Binding]]
) -> Iterator[str]:
    """Check that a name at the top of a file may be another one now."""
    module, there = matching.before.modules[before.path], matching.after.modules[after.path]
    if not (module.is_private(before.name) and there.is_private(after.name)) and not (
        before in used[0] and after in used[1]
    ):
        yield f"`{before.name}` can be reached from other files and is called `{after.name}` now"
    if before.name in _strings(matching.after) and module.is_private(before.name):
        yield f"`{before.name}` is called `{after.name}` now, and still stands in a string"
    if before.name in matching.before.modules.get(after.path, module).dialect.builtins:
        return
    if after.name in there.dialect.builtins:
        yield f"`{after.name}` takes the place of what the language calls so"


def _used_elsewhere(program: Program) -> frozenset[Binding]:
    """Return the variables that another file of the program imports."""
    found: set[Binding] = set()
    for module in program.modules.values():
        for binding in _imported(module):
            meaning = program.meaning(binding)
            if isinstance(meaning, Binding) and meaning.path != module.path:
                found.add(meaning)
    return frozenset(found)


def _imported(module: Module) -> Iterator[Binding]:
    yield from (binding for binding in module.resolver.top.values() if binding.kind == IMPORTED)
    for item in module.items:
        for one in item.resolved.walk() if _imports_inside(item.term) else ():
            if one.kind == t.BIND and isinstance(one.value, Binding) and one.value.kind == IMPORTED:
                yield one.value


def _imports_inside(term: Term) -> bool:
    return any(one.kind == t.IMPORT for one in term.walk())


def _strings(program: Program) -> frozenset[str]:
    return frozenset(
        str(one.value[1])
        for module in program.modules.values()
        for one in module.lowered.module.walk()
        if one.kind == t.LIT and isinstance(one.value, tuple)
    )


def _members(matching: Matching) -> Iterator[str]:
    changed = {old: new for old, new in matching.unifier.members.items() if old != new}
    if not changed:
        return
    left = _member_names(matching.after)
    known = _member_names(matching.before)
    texts = _strings(matching.after)
    for old, new in changed.items():
        if old in left or new in known:
            yield f"`{old}` and `{new}` stand for different members"
        if old in texts:
            yield f"`.{old}` is called `.{new}` now, and still stands in a string"


def _member_names(program: Program) -> frozenset[str]:
    return frozenset(
        str(one.value)
        for module in program.modules.values()
        for one in module.lowered.module.walk()
        if one.kind in (t.MEMBER, t.FIELD)
    )


# -- parameters and locals


def _parameters(matching: Matching) -> Iterator[str]:
    """Check that parameters that may be given by name keep it, and that nobody looks at names."""
    renamed: dict[tuple[object, str], str] = {}
    for pair in matching.pairs:
        if pair.before.term is pair.after.term:
            continue
        by_name = pair.before.module.dialect.scoping == "function"
        yield from _in_item(matching, pair, renamed, by_name=by_name)
    for (callee, old), new in matching.unifier.keywords.items():
        if renamed.get((callee, old), old) != new:
            yield f"`{old}=` is given to something whose parameter is called otherwise"


def _in_item(matching: Matching, pair: Pair, renamed: dict[tuple[object, str], str], *, by_name: bool) -> Iterator[str]:
    variables = matching.unifier.variables
    is_open = pair.before.is_private
    looks = False
    for one in pair.before.resolved.walk():
        if one.kind == t.FUNCTION:
            inside = one is not _inner(pair.before.resolved)
            for at, parameter in enumerate(one.kids[1].kids):
                for bound in parameter.kids[0].walk() if parameter.kind == t.PARAM else ():
                    new = variables.get(bound.value) if bound.kind == t.BIND else None
                    if new is None or new.name == bound.value.name or not by_name:
                        continue
                    if not (inside or is_open or (at == 0 and pair.before.owner) or parameter.value):
                        yield f"parameter `{bound.value.name}` can be given by name and is called `{new.name}` now"
                    renamed[_called(one), bound.value.name] = new.name
        elif one.kind == t.CALL and one.kids[0].kind == t.NAME and one.kids[0].value in INTROSPECTION:
            looks |= one.kids[0].value not in OF_ITSELF or len(one.kids) == 1
    if looks and by_name and any(old.name != new.name for old, new in _own(pair.before, variables)):
        yield f"{pair.before.title} looks at its own variables, and they are called otherwise now"


def _own(item: Item, variables: dict[Binding, Binding]) -> Iterator[tuple[Binding, Binding]]:
    for one in item.resolved.walk():
        if one.kind == t.BIND and isinstance(one.value, Binding) and one.value.kind in (LOCAL, PARAMETER):
            new = variables.get(one.value)
            if new is not None:
                yield one.value, new


def _called(function: Term) -> object:
    """Return what a call of this function names."""
    name = function.kids[0]
    return name.value if name.kind == t.BIND else str(name.value)


def _inner(term: Term) -> Term:
    return term.kids[0] if term.kind == t.EXPORT and term.kids else term


# -- order


class _Early(NamedTuple):
    """What happens when a definition is met: the names it needs then, and whether it does something."""

    needs: frozenset[str]
    acts: bool


def _order(matching: Matching) -> Iterator[str]:
    """Check that whatever changed places did not depend on where it stood."""
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


def _flipped(pairs: Sequence[Pair]) -> Iterator[str]:
    early = [_early(pair.before) for pair in pairs]
    for at, one in enumerate(pairs):
        for beside in range(at + 1, len(pairs)):
            other = pairs[beside]
            if one.after.order > other.after.order and not _free(one, other, early[at], early[beside]):
                yield f"{one.before.title} and {other.before.title} changed places, and one needs the other"
                return


def _free(one: Pair, other: Pair, early: _Early, late: _Early) -> bool:
    mine, theirs = set(one.before.names), set(other.before.names)
    if mine & theirs and one.before.module.dialect.scoping == "flow":
        # overloads: which one is called depends on types
        mine, theirs = mine - theirs, theirs - mine
    if early.acts and late.acts:
        return False
    return not (mine & theirs or mine & late.needs or theirs & early.needs)


def _moved(matching: Matching) -> Iterator[str]:
    """Check that what came from another file stands before those that need it at once."""
    for pair in matching.pairs:
        home = matching.files.get(pair.before.module.path, pair.before.module.path)
        if home == pair.after.module.path or pair.after.owner:
            continue
        if pair.after.module.dialect.scoping != "function":
            continue
        for item in pair.after.module.items:
            if item.order < pair.after.order and set(pair.after.names) & _early(item).needs:
                yield f"{item.title} needs {pair.after.title}, which stands below it now"


def _early(item: Item) -> _Early:
    """Return what a definition needs and does when the program comes to it."""
    term = _inner(item.term)
    if item.module.dialect.scoping != "function":
        return _early_elsewhere(item, term)
    eager = list(_eager(term))
    needs = {str(one.value) for one in eager if one.kind in (t.NAME, t.FIELD)}
    calls = any(one.kind == t.CALL for one in eager)
    if calls:
        needs |= _reached(item.module, needs)
    return _Early(frozenset(needs), _acts(item, term, eager))


def _early_elsewhere(item: Item, term: Term) -> _Early:
    """Return the same for languages in which functions and types have no place of their own."""
    if term.kind in (t.FUNCTION, t.CLASS) or (item.module.dialect.name in ("go", "rust") and not item.owner):
        return _Early(frozenset(), acts=False)
    eager = list(_eager(term))
    needs = {str(one.value) for one in eager if one.kind in (t.NAME, t.FIELD)}
    acts = any(one.kind in (t.CALL, t.ASSIGN, t.AUGMENT, t.AWAIT) for one in eager) or not item.names
    if item.module.dialect.name in ("go", "rust"):
        # the order of fields and variants is part of a type
        return _Early(frozenset(needs), acts=True)
    return _Early(frozenset(needs | (_reached(item.module, needs) if acts else set())), acts)


def _acts(item: Item, term: Term, eager: Sequence[Term]) -> bool:
    if term.kind in (t.FUNCTION, t.CLASS):
        decorators = [kid for kid in term.kids if kid.kind == t.DECORATORS]
        named = [_last_name(one) for kid in decorators for one in kid.kids]
        return any(name not in QUIET_DECORATORS for name in named)
    return any(one.kind in (t.CALL, t.AWAIT, t.DELETE) for one in eager) or not item.names


def _last_name(decorator: Term) -> str:
    called = decorator.kids[0] if decorator.kind == t.CALL else decorator
    return str(called.kids[1].value if called.kind == t.ATTR else called.value)


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


# -- what a file and a package offer


def _exports(matching: Matching) -> Iterator[str]:
    """Check that what was exported still is, and that what is exported now is so for a file of this change."""
    used = _used_elsewhere(matching.after)
    for pair in matching.pairs:
        if pair.before.exported and not pair.after.exported:
            yield f"{pair.before.title} is exported no more"
        if pair.after.exported and not pair.before.exported:
            top = pair.after.module.resolver.top
            if not any(top.get(name) in used for name in pair.after.names):
                yield f"{pair.after.title} is exported now"


def _reexports(matching: Matching) -> Iterator[str]:
    """Check that the root of a package imports what it did: others take it from there."""
    for path, module in matching.before.modules.items():
        there = matching.after.modules.get(matching.files.get(path, path))
        name = path.rpartition("/")[2]
        if there is None or name.partition(".")[0] not in ("__init__", "index", "mod", "lib"):
            continue
        if _offers(matching.before, module) != _offers(matching.after, there):
            yield f"{path} offers other names than before"


def _offers(program: Program, module: Module) -> dict[str, str]:
    """Return what the root of a package takes from its own modules, for others to take from it."""
    package = module.path.rpartition("/")[0].rpartition("/")[2]
    found: dict[str, str] = {}
    for name, binding in module.resolver.top.items():
        if binding.kind != IMPORTED or binding.source is None or module.is_private(name):
            continue
        written = binding.source[0]
        if written.startswith(".") or (package and written.partition(".")[0] == package):
            meaning = program.meaning(binding)
            found[name] = meaning if isinstance(meaning, str) else meaning.name
    return found
