"""Rules of Python's type expressions, where a program evaluates them: an alias, a default, a base class."""

from typing import Final

from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.python.meaning import NONE_LITERAL, alternatives, is_none, literal, meaning
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term, same

PYTHON: Final = frozenset(("python",))
# Generic types -> how many of their parameters come before those that are None unless something is said.
_OPTIONAL_FROM: Final = {"collections.abc.Generator": 1, "collections.abc.AsyncGenerator": 1}


def _union(term: Term, _place: Place) -> Term | None:
    """Turn Optional[A] into A | None, and Union[A, B] into A | B."""
    if len(term.kids) != 2:
        return None
    known, given = meaning(term.kids[0]), term.kids[1]
    if known == "typing.Optional":
        parts = [*alternatives(given), literal(*NONE_LITERAL, given)]
    elif known == "typing.Union":
        parts = [one for kid in (given.kids if given.kind == t.TUPLE else (given,)) for one in alternatives(kid)]
    else:
        return None
    kept: list[Term] = []
    for part in parts:
        if not any(same(part, other) for other in kept):
            kept.append(part)
    made = kept[0]
    for part in kept[1:]:
        made = Term(t.BINARY, "|", [made, part], line=term.line, start=term.start, end=term.end)
    return made


def _needless_parameters(term: Term, _place: Place) -> Term | None:
    """Turn Generator[A, None, None] into Generator[A]."""
    if len(term.kids) != 2 or term.kids[1].kind != t.TUPLE:
        return None
    first = _OPTIONAL_FROM.get(meaning(term.kids[0]))
    given = term.kids[1].kids
    if first is None or len(given) <= first or not all(map(is_none, given[first:])):
        return None
    return term.but(kids=[term.kids[0], given[0]])


RULES: Final = (
    Rule("union of types", (t.INDEX,), _union, PYTHON),
    Rule("type parameters that are the default", (t.INDEX,), _needless_parameters, PYTHON),
)
