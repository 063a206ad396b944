"""Check that names are only changed where nobody else can reach them, or together with all who do."""

from collections.abc import Iterator

from linetrail.projections.proof.dialects.python.names import QUIET_DECORATORS, last_name
from linetrail.projections.proof.matching.mentions import reached_by_name, strings, used_elsewhere, words
from linetrail.projections.proof.matching.pairs import Matching
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import IMPORTED, MODULE, Binding
from linetrail.projections.proof.terms.program import Item, Program, bare, name_of_class
from linetrail.projections.proof.terms.term import Term


def variables(matching: Matching) -> Iterator[str]:
    """Yield what is wrong with the new names at the top of files and in classes."""
    defined = {
        (pair.before.module.path, name): pair
        for pair in matching.pairs
        if not pair.before.owner
        for name in pair.before.names
    }
    for pair in matching.pairs:
        if pair.before.owner and pair.before.names != pair.after.names and not pair.before.is_private:
            yield f"{pair.before.title} can be reached from elsewhere and is called {pair.after.title} now"
    used = used_elsewhere(matching.before), used_elsewhere(matching.after)
    for before, after in matching.unifier.variables.items():
        if before.kind == MODULE and after.kind == MODULE:
            found = defined.get((before.path, before.name))
            if found is not None and (after.name not in found.after.names or found.after.module.path != after.path):
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
    python = module.dialect.scoping == "function"
    by_name = python and before.name in strings(matching.after)
    if python and (_is_registered(module.definitions.get(before.name)) or _is_listed(matching.before)):
        yield f"`{before.name}` may be found by its name, and is called `{after.name}` now"
    if by_name if private else before.name in words(matching.after):
        yield f"`{before.name}` is called `{after.name}` now, and still stands in a string"
    if f"{after.path}.{before.name}" in reached_by_name(matching.after):
        yield f"`{before.name}` is called `{after.name}` now, and still asked for by its old name"
    if before.name in matching.before.modules.get(after.path, module).dialect.builtins:
        return
    if after.name in there.dialect.builtins:
        yield f"`{after.name}` takes the place of what the language calls so"


def members(matching: Matching) -> Iterator[str]:
    """Yield what is wrong with the new names of members."""
    changed = {old: new for old, new in matching.unifier.members.items() if old != new}
    if not changed:
        return
    left = _member_names(matching.after)
    known = _member_names(matching.before)
    texts = words(matching.after)
    data = _fields(matching.before)
    hooks = set(_hooks(matching.before)) & changed.keys()
    for name in hooks:
        yield f"`{name}` may be what a base class calls, and is called `{changed[name]}` now"
    for old, new in changed.items():
        if old in data:
            yield f"`{old}` is a field of a class that reads its fields, and is called `{new}` now"
        if any(
            text.startswith("_") and len(text) > 1 and old.startswith(text) and not new.startswith(text)
            for text in texts
        ):
            yield f"`{old}` may be put together from a string, and is called `{new}` now"
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
    foreign = {
        (*item.owner, name_of_class(bare(item.term))) for item in program.items if _has_foreign_base(item, program)
    }
    for item in program.items:
        if item.owner in foreign and bare(item.term).kind == t.FUNCTION:
            yield from (name for name in item.names if name not in used)


def _has_foreign_base(item: Item, program: Program) -> bool:
    own = bare(item.term)
    if own.kind != t.CLASS:
        return False
    bases = [one for kid in bare(item.resolved).kids if kid.kind == t.BASES for one in kid.kids]
    known = {name for module in program.modules.values() for name in module.definitions} | {"object"}
    names = (one.value.name if isinstance(one.value, Binding) else one.value for one in bases if one.kind == t.NAME)
    return any(name not in known for name in names) or any(one.kind in (t.ATTR, t.CALL, t.INDEX) for one in bases)


def _member_names(program: Program) -> frozenset[str]:
    return frozenset(
        str(one.value)
        for module in program.modules.values()
        for one in module.lowered.module.walk()
        if one.kind in (t.MEMBER, t.FIELD)
    )


def _fields(program: Program) -> frozenset[str]:
    """Return the fields of classes whose bases or decorators read them: dataclasses, enumerations, models."""
    return frozenset(
        name
        for item in program.items
        if item.owner and bare(item.term).kind != t.FUNCTION and item.module.has_order(item.owner)
        for name in item.names
    )


def _is_registered(definition: Term | None) -> bool:
    """Return whether a function is given to somebody who may call it by its name."""
    if definition is None or definition.kind != t.FUNCTION:
        return False
    named = (one for kid in definition.kids if kid.kind == t.DECORATORS for one in kid.kids)
    return any(last_name(one) not in QUIET_DECORATORS for one in named)


def _is_listed(program: Program) -> bool:
    """Return whether a program looks through its own names."""
    leaves = (one for module in program.modules.values() for one in module.lowered.module.walk())
    return any(one.kind == t.NAME and one.value == "globals" for one in leaves)
