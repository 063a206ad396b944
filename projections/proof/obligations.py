"""Check what a matching assumed: that new names are nobody else's business, and that order still holds.

Each check yields why the assumption does not hold, in the words of a reviewer.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from linetrail.projections.proof import term as t
from linetrail.projections.proof.dialects.python_names import INTROSPECTION, OF_ITSELF, QUIET_DECORATORS
from linetrail.projections.proof.matching import Matching, Pair
from linetrail.projections.proof.program import Item, Module, Program, bare
from linetrail.projections.proof.scopes import IMPORTED, LOCAL, MODULE, PARAMETER, Binding
from linetrail.projections.proof.term import Term
from linetrail.projections.proof.unify import dotted

# Prose: a word in it is no name.
_LONG = 80
_WORD = re.compile(r"\w+")


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
    private = module.is_private(before.name) and there.is_private(after.name)
    by_name = module.dialect.scoping == "function" and before.name in _strings(matching.after)
    if by_name if private else before.name in _words(matching.after):
        yield f"`{before.name}` is called `{after.name}` now, and still stands in a string"
    if f"{after.path}.{before.name}" in _reached_by_name(matching.after):
        yield f"`{before.name}` is called `{after.name}` now, and still asked for by its old name"
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


def _words(program: Program) -> frozenset[str]:
    """Return the words in the strings of a program: what looks like a name may be used as one."""
    return frozenset(word for text in _strings(program) if len(text) < _LONG for word in _WORD.findall(text))


def _reached_by_name(program: Program) -> frozenset[str]:
    """Return what is asked for in a module by a name that it does not have, as `path.name`."""
    found: set[str] = set()
    for module in program.modules.values():
        for statement in module.lowered.module.kids:
            if statement.kind == t.IMPORT and "wildcard" in statement.value:
                path, _ = program.located(module.path, statement.value[0], statement.value[1:])
                free = (one for item in module.items for one in item.resolved.walk() if one.kind == t.NAME)
                found |= {f"{path}.{one.value}" for one in free if isinstance(one.value, str)}
        for item in module.items:
            asked = (dotted(one, program) for one in item.resolved.walk() if one.kind == t.ATTR)
            found |= {one for one in asked if isinstance(one, str)}
    return frozenset(found)


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
    hooks = set(_hooks(matching.before)) & changed.keys()
    for name in hooks:
        yield f"`{name}` may be what a base class calls, and is called `{changed[name]}` now"
    for old, new in changed.items():
        if old.startswith("__") != new.startswith("__"):
            yield f"`{old}` and `{new}` are mangled otherwise"
        if old in left or new in known:
            yield f"`{old}` and `{new}` stand for different members"
        if old in texts:
            yield f"`.{old}` is called `.{new}` now, and still stands in a string"


def _hooks(program: Program) -> Iterator[str]:
    """Yield the methods that nobody here calls, of classes with a base that is not here: they may override one."""
    used = {
        str(one.value)
        for module in program.modules.values()
        for one in module.lowered.module.walk()
        if one.kind == t.FIELD
    }
    foreign = {item.owner + item.names for item in program.items if _has_foreign_base(item, program)}
    for item in program.items:
        if item.owner in foreign and bare(item.term).kind == t.FUNCTION:
            yield from (name for name in item.names if name not in used)


def _has_foreign_base(item: Item, program: Program) -> bool:
    own = bare(item.term)
    if own.kind != t.CLASS:
        return False
    bases = [one for kid in bare(item.resolved).kids if kid.kind == t.BASES for one in kid.kids if one.kind == t.NAME]
    known = {name for module in program.modules.values() for name in module.definitions}
    return any(
        (one.value.name if isinstance(one.value, Binding) else one.value) not in known | {"object"} for one in bases
    )


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
        if pair.before.term is not pair.after.term and pair.before.module.dialect.scoping == "function":
            yield from _in_item(matching, pair, renamed)
    for (callee, old), new in matching.unifier.keywords.items():
        if renamed.get((callee, old), old) != new:
            yield f"`{old}=` is given to something whose parameter is called otherwise"
    if renamed:
        yield from _given_by_name(matching, renamed)


def _in_item(matching: Matching, pair: Pair, renamed: dict[tuple[object, str], str]) -> Iterator[str]:
    variables = matching.unifier.variables
    whole = _inner(pair.before.resolved)
    for one in whole.walk():
        if one.kind not in (t.FUNCTION, t.LAMBDA):
            continue
        # what is defined inside of a function is its own, and so are its parameters that can be given by place
        reached = (one is whole or _is_kept(whole, one)) and not pair.before.is_private
        of_class = one is whole and bool(pair.before.owner)
        for old, new, by_name_alone in _renamed_parameters(one, variables, of_class=of_class):
            if reached or (by_name_alone and one is not whole):
                yield f"parameter `{old}` can be given by name and is called `{new}` now"
            if one.kind == t.FUNCTION:
                renamed[_called(one), old] = new
    if _looks_at_itself(whole) and any(old.name != new.name for old, new in _own(pair.before, variables)):
        yield f"{pair.before.title} looks at its own variables, and they are called otherwise now"


def _renamed_parameters(
    function: Term, variables: dict[Binding, Binding], *, of_class: bool
) -> Iterator[tuple[str, str, bool]]:
    """Yield the parameters that have another name, and whether they can only be given by it.

    The object itself and those that take the rest are left out: nobody gives these by name.
    """
    parameters = function.kids[0 if function.kind == t.LAMBDA else 1].kids
    by_name_alone = False
    for at, parameter in enumerate(parameters):
        by_name_alone |= parameter.value in (("*",), "*")
        if parameter.kind != t.PARAM or parameter.value or (at == 0 and of_class):
            continue
        for bound in parameter.kids[0].walk():
            new = variables.get(bound.value) if bound.kind == t.BIND else None
            if new is not None and new.name != bound.value.name:
                yield bound.value.name, new.name, by_name_alone


def _is_kept(whole: Term, function: Term) -> bool:
    """Tell whether a lambda is what an item defines, so that others can call it."""
    return whole.kind in (t.ASSIGN, t.DECLARE) and any(kid is function for kid in whole.kids)


def _looks_at_itself(term: Term) -> bool:
    calls = (one for one in term.walk() if one.kind == t.CALL and one.kids[0].kind == t.NAME)
    return any(
        call.kids[0].value in INTROSPECTION and (call.kids[0].value not in OF_ITSELF or len(call.kids) == 1)
        for call in calls
    )


def _given_by_name(matching: Matching, renamed: dict[tuple[object, str], str]) -> Iterator[str]:
    """Check every call that mentions a function whose parameters have other names: none may use the old ones."""
    old_names: defaultdict[object, set[str]] = defaultdict(set)
    for callee, old in renamed:
        old_names[matching.unifier.variables.get(callee, callee) if isinstance(callee, Binding) else callee].add(old)
    for item in matching.after.items:
        for call in item.resolved.walk():
            if call.kind != t.CALL:
                continue
            about = {_mentioned(kid, matching.after) for kid in call.kids} & old_names.keys()
            for callee in about:
                given = {str(kid.kids[0].value) for kid in call.kids if kid.kind == t.KWARG}
                if given & old_names[callee] or any(kid.kind == t.SPREAD and kid.value == "**" for kid in call.kids):
                    yield f"a call at line {call.line} gives arguments by names that are others now"


def _mentioned(term: Term, program: Program) -> object:
    """Return the function that a part of a call names."""
    if term.kind == t.NAME and isinstance(term.value, Binding):
        return program.meaning(term.value)
    return str(term.kids[1].value) if term.kind == t.ATTR and term.kids[1].kind == t.FIELD else None


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


def _extracted(matching: Matching) -> Iterator[str]:
    """Check that what was extracted is there by the time that somebody asks for it."""
    for new in matching.written_out:
        if new.module is not matching.after.modules.get(new.module.path) or new.owner:
            continue
        if new.module.dialect.scoping != "function":
            continue
        for item in new.module.items:
            if item.order < new.order and set(new.names) & _early(item).needs:
                yield f"{item.title} needs {new.title}, which stands below it"


def _early(item: Item) -> _Early:
    """Return what a definition needs and does when the program comes to it."""
    term = _inner(item.term)
    if item.owner and term.kind != t.FUNCTION and item.module.has_order(item.owner):
        # the order of fields and constants is part of the type
        return _Early(frozenset(), acts=True)
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
    if term.kind == t.EXPORT and "from" in term.value:
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
