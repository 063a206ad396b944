"""Find the names that only their file, or only their class, can use."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from linetrail.projections.proof.dialects.ecmascript.bindings import COMMON_JS
from linetrail.projections.proof.dialects.ecmascript.jsx import ATTRIBUTES
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term

_DECLARING: Final = (t.FUNCTION, t.DECLARE)
_TARGETS: Final = (t.DECLARE, t.PARAM, t.ASSIGN, t.EACH)


def is_private(name: str, declaration: Term, module: Term) -> bool:
    """Return whether a name is not exported; the names of a script that is no module are everybody's."""
    inner = declaration.kids[0] if declaration.kind == t.TYPE and declaration.kids else declaration
    if inner.kind == t.EXPORT:
        return False
    offered = _offered(module)
    return offered is not None and name not in offered


@lru_cache(maxsize=16)
def _offered(module: Term) -> frozenset[str] | None:
    """Return the variables that are what a file exports, as a whole; None when it is no module."""
    is_module = False
    names: set[str] = set()
    for term in module.walk():
        if term.kind in (t.IMPORT, t.EXPORT):
            is_module = True
            names |= {str(kid.value) for kid in term.kids if kid.kind == t.NAME}
        elif term.kind == t.NAME and term.value in COMMON_JS:
            is_module = True
        elif term.kind == t.ASSIGN and _is_whole(term.kids[0]):
            names |= _taken(term)
    return frozenset(names) if is_module else None


def _is_whole(target: Term) -> bool:
    """Return whether `module.exports` or `exports` is written."""
    if target.kind == t.NAME:
        return bool(target.value == "exports")
    return target.kind == t.ATTR and target.kids[0].value == "module" and target.kids[1].value == "exports"


def _taken(term: Term) -> set[str]:
    """Return the variable at the end of `a = b = c`."""
    while term.kind == t.ASSIGN:
        term = term.kids[-1]
    return {str(term.value)} if term.kind == t.NAME else set()


def private_members(modules: Sequence[Term]) -> frozenset[str]:
    """Return the members that nobody outside of a class can name, and that have no namesakes which somebody can."""
    private: set[str] = set()
    public: set[str] = set()
    for module in modules:
        for name, is_own in _declared(module):
            (private if is_own else public).add(name)
        public |= _keys(module)
    return frozenset(private - public)


def _declared(module: Term) -> Iterator[tuple[str, bool]]:
    for term in module.walk():
        if term.kind in _DECLARING and term.kids[0].kind == t.MEMBER:
            named = term.kids[0]
        elif term.kind == t.PARAM and len(term.kids[0].kids) > 1 and term.kids[0].kids[1].kind == t.MEMBER:
            named = term.kids[0].kids[1]
        else:
            continue
        name = str(named.value)
        yield name, name.startswith("#") or "type:private" in term.value


def _keys(module: Term) -> set[str]:
    """Return the names that objects and elements have keys of; what is taken out of an object gives it none."""
    patterns = {
        id(inner)
        for term in module.walk()
        if term.kind in _TARGETS
        for inner in term.kids[0].walk()
        if inner.kind == t.OBJECT
    }
    return {
        str(kid.kids[0].value)
        for term in module.walk()
        if term.kind in (t.OBJECT, ATTRIBUTES) and id(term) not in patterns
        for kid in term.kids
        if kid.kind in (t.PAIR, t.FUNCTION) and kid.kids[0].kind == t.FIELD
    }
