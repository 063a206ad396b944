"""Find what a program says in strings, and what it asks for by name: there, a name is data."""

import re
from collections.abc import Iterator
from typing import Final

from linetrail.projections.proof.matching.unifier import dotted
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import IMPORTED, Binding
from linetrail.projections.proof.terms.program import Module, Program

# Prose: a word in it is no name.
_LONG: Final = 80
_WORD: Final = re.compile(r"\w+")


def strings(program: Program) -> frozenset[str]:
    return frozenset(
        str(one.value[1])
        for module in program.modules.values()
        for one in module.lowered.module.walk()
        if one.kind == t.LIT and isinstance(one.value, tuple)
    )


def words(program: Program) -> frozenset[str]:
    """Return the words in the strings of a program: what looks like a name may be used as one."""
    return frozenset(word for text in strings(program) if len(text) < _LONG for word in _WORD.findall(text))


def reached_by_name(program: Program) -> frozenset[str]:
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


def used_elsewhere(program: Program) -> frozenset[Binding]:
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
        for one in item.resolved.walk() if any(part.kind == t.IMPORT for part in item.term.walk()) else ():
            if one.kind == t.BIND and isinstance(one.value, Binding) and one.value.kind == IMPORTED:
                yield one.value
