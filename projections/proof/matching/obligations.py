"""Check what a matching assumed: that new names are nobody else's business, and that order still holds.

Each check yields why the assumption does not hold, in the words of a reviewer.
"""

from collections.abc import Callable, Iterator
from typing import Final

from linetrail.projections.proof.matching import imports, names
from linetrail.projections.proof.matching.mentions import used_elsewhere
from linetrail.projections.proof.matching.order import order
from linetrail.projections.proof.matching.pairs import Matching
from linetrail.projections.proof.matching.parameters import parameters
from linetrail.projections.proof.terms.binding import IMPORTED
from linetrail.projections.proof.terms.program import Module, Program


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


_CHECKS: Final[tuple[Callable[[Matching], Iterator[str]], ...]] = (
    names.variables,
    names.members,
    parameters,
    order,
    imports.imports,
    reexports,
    exports,
)


def broken(matching: Matching) -> Iterator[str]:
    """Yield what a matching took for granted and what is not so."""
    for check in _CHECKS:
        yield from check(matching)
