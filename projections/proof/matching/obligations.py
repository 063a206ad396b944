"""Check what a matching assumed: that new names are nobody else's business, and that order still holds.

Each check yields why the assumption does not hold, in the words of a reviewer.
"""

from collections.abc import Callable, Iterator
from typing import Final

from linetrail.projections.proof.dialects.operators import words
from linetrail.projections.proof.matching import names
from linetrail.projections.proof.matching.mentions import used_elsewhere
from linetrail.projections.proof.matching.order import order
from linetrail.projections.proof.matching.pairs import Matching
from linetrail.projections.proof.matching.parameters import parameters
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import IMPORTED
from linetrail.projections.proof.terms.program import Module, Program
from linetrail.projections.proof.terms.term import Term

# Features that every Python has by now.
_OLD: Final = words(
    "nested_scopes generators division absolute_import with_statement print_function unicode_literals generator_stop"
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
    names.variables,
    names.members,
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
