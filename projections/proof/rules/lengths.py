"""Rules of lengths: a whole number that is never less than 0."""

from typing import Final

from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.truth import is_length, negated
from linetrail.projections.proof.rules.variables import DICT, LIST, TEXT
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term

_COUNTING: Final = frozenset(("python", "go", "java", "rust"))
# What a comparison of a length with a small number asks.
_EMPTY: Final = frozenset((("<", "1"), ("<=", "0"), ("==", "0")))
_FILLED: Final = frozenset(((">", "0"), (">=", "1"), ("!=", "0")))
# Languages -> how a value is asked whether it is empty, and the methods that return its length.
_ASKED: Final = {"rust": ("is_empty", ("len",)), "java": ("isEmpty()", ("size()", "length()"))}


def _compared(term: Term, place: Place) -> bool | None:
    """Return whether a comparison of a length asks for something or for nothing; None for any other."""
    left, right = term.kids
    if right.kind != t.LIT or not is_length(left, place):
        return None
    asked = term.value, str(right.value[1])
    return True if asked in _FILLED else False if asked in _EMPTY else None


def _with_nothing(term: Term, place: Place) -> Term | None:
    """Turn len(x) > 0 into len(x) != 0; where there is a word for it, x.len() == 0 into x.is_empty()."""
    filled = _compared(term, place)
    if filled is None:
        return None
    length, number = term.kids
    word, methods = _ASKED.get(place.dialect, ("", ()))
    if word and length.kind == t.CALL and length.kids[0].kids[1].value in methods:
        callee = length.kids[0]
        asked = length.but(kids=[callee.but(kids=[callee.kids[0], callee.kids[1].but(value=word)])])
        return negated(asked) if filled else asked
    if place.dialect == "python" and place.test:
        return length if filled else negated(length)
    wanted = "!=" if filled else "=="
    zero = number.but(value=(number.value[0], "0"))
    return term.but(value=wanted, kids=[length, zero]) if (term.value, number.value[1]) != (wanted, "0") else None


def _length_as_truth(term: Term, place: Place) -> Term | None:
    """Turn if len(x) into if x, where x is text, a list or a dictionary."""
    if not place.test or term.kids[0].value != "len" or len(term.kids) != 2:
        return None
    return term.kids[1] if place.variables.kind(term.kids[1]) in (TEXT, LIST, DICT) else None


RULES: Final = (
    Rule("comparison of a length with nothing", (t.COMPARE,), _with_nothing, _COUNTING),
    Rule("length as a condition", (t.CALL,), _length_as_truth, frozenset(("python",))),
)
