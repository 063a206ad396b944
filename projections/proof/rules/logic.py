"""Rules of negation, conjunction and comparison."""

from typing import Final

from linetrail.projections.proof import term as t
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.term import Term


def _pushed_down(term: Term, _place: Place) -> Term | None:
    """Turn not (a and b) into not a or not b: both sides of it are true or false, whatever a and b are."""
    (operand,) = term.kids
    if operand.kind != t.LOGIC or operand.value not in _DUAL:
        return None
    return operand.but(value=_DUAL[operand.value], kids=[term.but(kids=[kid]) for kid in operand.kids])


_DUAL: Final = {"and": "or", "or": "and", "&&": "||", "||": "&&"}

RULES: Final = (Rule("De Morgan's law", (t.NOT,), _pushed_down),)
