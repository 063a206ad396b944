"""Check what a matching assumed: that new names are nobody else's business, and that order still holds.

Each check yields why the assumption does not hold, in the words of a reviewer.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Final

from linetrail.projections.proof.dialects.python.names import INTROSPECTION, OF_ITSELF, QUIET_DECORATORS, last_name
from linetrail.projections.proof.matching.mentions import reached_by_name, strings, used_elsewhere, words
from linetrail.projections.proof.matching.order import order
from linetrail.projections.proof.matching.pairs import Matching, Pair
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import IMPORTED, LOCAL, MODULE, PARAMETER, Binding
from linetrail.projections.proof.terms.program import Item, Module, Program, bare, name_of_class
from linetrail.projections.proof.terms.term import Term

# Where the variables of a function that is running can be found.
_FRAMES: Final = frozenset(("f_locals", "eval", "exec"))


def parameters(matching: Matching) -> Iterator[str]:
    """Yield what is wrong with the new names of parameters and local variables."""
    renamed: dict[tuple[object, str], str] = {}
    for pair in matching.pairs:
        if pair.before.term is pair.after.term:
            continue
        yield from _looking(matching, pair)
        if pair.before.module.dialect.scoping == "function":
            yield from _in_item(matching, pair, renamed)
    for (callee, old), new in matching.unifier.keywords.items():
        if renamed.get((callee, old), old) != new:
            yield f"`{old}=` is given to something whose parameter is called otherwise"
    if renamed:
        yield from _given_by_name(matching, renamed)


def _in_item(matching: Matching, pair: Pair, renamed: dict[tuple[object, str], str]) -> Iterator[str]:
    variables = matching.unifier.variables
    whole = bare(pair.before.resolved)
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


def _looking(matching: Matching, pair: Pair) -> Iterator[str]:
    """Check that a function that looks at its own variables has the same ones."""
    whole = bare(pair.before.resolved)
    if not _looks_at_itself(whole):
        return
    if pair.steps or any(old.name != new.name for old, new in _own(pair.before, matching.unifier.variables)):
        yield f"{pair.before.title} looks at its own variables, and they are others now"


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
    """Return whether a lambda is what an item defines, so that others can call it."""
    return whole.kind in (t.ASSIGN, t.DECLARE) and any(kid is function for kid in whole.kids)


def _looks_at_itself(term: Term) -> bool:
    for one in term.walk():
        if one.kind == t.FIELD and one.value in _FRAMES:
            return True
        if one.kind == t.NAME and one.value in INTROSPECTION - OF_ITSELF:
            return True
        if one.kind == t.CALL and one.kids[0].kind == t.NAME and one.kids[0].value in OF_ITSELF and len(one.kids) == 1:
            return True
        if one.kind == "ecmascript:with_statement":
            return True
    return False


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


# Features that every Python has by now.
_OLD: Final = frozenset(
    (
        *("nested_scopes", "generators", "division", "absolute_import", "with_statement", "print_function"),
        *("unicode_literals", "generator_stop"),
    )
)


def exports(matching: Matching) -> Iterator[str]:
    """Check that what was exported still is, and that what is exported now is so for a file of this change."""
    used = used_elsewhere(matching.after)
    for pair in matching.pairs:
        if pair.before.exported and not pair.after.exported:
            yield f"{pair.before.title} is exported no more"
        if pair.after.exported and not pair.before.exported:
            top = pair.after.module.resolver.top
            if not any(top.get(name) in used for name in pair.after.names):
                yield f"{pair.after.title} is exported now"


def reexports(matching: Matching) -> Iterator[str]:
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


# -- imports that moved, merged, or went


def imports(matching: Matching) -> Iterator[str]:
    """Yield what is wrong with the new imports of the files of this change."""
    for path, before in matching.before.modules.items():
        after = matching.after.modules.get(matching.files.get(path, path))
        if after is None:
            continue
        yield from _features(before, after)
        yield from _listed(before, after)
        if before.dialect.name == "python":
            yield from _loaded(before, after)
            yield from _passed_by(before, after)


def _features(before: Module, after: Module) -> Iterator[str]:
    """Check `from __future__ import`: annotations that were text must not be evaluated now."""
    was, now = (
        {alias for one in side.imports if one.value[0] == "__future__" for alias in _names(one)}
        for side in (before, after)
    )
    for feature in sorted((was ^ now) - _OLD):
        if feature != "annotations" or feature in was:
            yield f"`from __future__ import {feature}` changes what the file means"


def _names(statement: Term) -> Iterator[str]:
    yield from (str(alias.value) for alias in statement.kids)


def _listed(before: Module, after: Module) -> Iterator[str]:
    """Check that what `__all__` offers is still imported."""
    listed = {
        str(one.value[1])
        for one in before.definitions.get("__all__", before.lowered.module).walk()
        if one.kind == t.LIT
    }
    if "__all__" not in before.definitions:
        return
    for name in sorted(listed & before.resolver.top.keys() - after.resolver.top.keys()):
        yield f"`{name}` is offered in __all__ and is not imported any more"


def _loaded(before: Module, after: Module) -> Iterator[str]:
    """Check that every module that is asked for as a part of a package is still loaded: `import a.b`, then `a.b`."""
    loaded = {one.value[0] for one in after.imports}
    loaded |= {f"{one.value[0]}.{name}" for one in after.imports for name in _names(one)}
    for one in before.imports:
        path = one.value[0]
        if "root" not in one.value or any(other == path or other.startswith(f"{path}.") for other in loaded):
            continue
        root = path.partition(".")[0]
        if any(leaf.kind == t.NAME and leaf.value == root for item in after.items for leaf in item.term.walk()):
            yield f"`{path}` is not loaded any more, and `{root}` is still used"


def _passed_by(before: Module, after: Module) -> Iterator[str]:
    """Check that no import changed places with a statement that does something: what is patched has to be there."""
    was, now = _places(before), _places(after)
    for key in sorted(was.keys() & now.keys()):
        if was[key] != now[key]:
            yield f"the import of `{key}` stands on the other side of a statement that does something"


def _places(module: Module) -> dict[str, tuple[str, ...]]:
    """Return for each import what was done before it."""
    done: list[str] = []
    places: dict[str, tuple[str, ...]] = {}
    for statement in module.lowered.module.kids:
        if statement.kind == t.IMPORT and statement.kids:
            places.setdefault(str(statement.value[0]), tuple(done))
        elif statement.kind == t.EXPR and statement.kids[0].kind == t.CALL:
            done.append(str(statement))
    return places


# -- all of them


_CHECKS: Final[tuple[Callable[[Matching], Iterator[str]], ...]] = (
    variables,
    members,
    parameters,
    order,
    imports,
    reexports,
    exports,
)


def broken(matching: Matching) -> Iterator[str]:
    """Yield what a matching took for granted and what is not so."""
    for check in _CHECKS:
        yield from check(matching)
