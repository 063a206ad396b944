"""Check that imports that were moved, merged or left out leave every name what it was."""

from collections.abc import Iterator
from typing import Final

from linetrail.projections.proof.dialects.operators import words
from linetrail.projections.proof.matching.pairs import Matching
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.program import Module
from linetrail.projections.proof.terms.term import Term

# Features that every Python has by now.
_OLD: Final = words(
    "nested_scopes generators division absolute_import with_statement print_function unicode_literals generator_stop"
)


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
