"""Check that parameters that may be given by name keep it, and that nobody looks at the names of variables."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from linetrail.projections.proof.dialects.python.names import INTROSPECTION, OF_ITSELF
from linetrail.projections.proof.matching.pairs import Matching, Pair
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import LOCAL, PARAMETER, Binding
from linetrail.projections.proof.terms.program import Item, Program, bare
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
