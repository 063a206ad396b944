"""Rules of negation, conjunction, comparison, length and conditional expressions."""

from typing import Final

from linetrail.projections.proof.effects.effects import footprint, only_reads
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.likeness import alike
from linetrail.projections.proof.rules.truth import (
    MIRRORED,
    OPPOSITE,
    ORDERED,
    STRICT,
    counts,
    is_length,
    is_literal,
    is_negative,
    is_truth,
    negated,
    truth_of,
)
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


_DUAL: Final = {"and": "or", "or": "and"}
# Names of JavaScript that nobody can give another value.
_WORDS: Final = frozenset(("undefined", "NaN", "Infinity"))


def _pushed_down(term: Term, _place: Place) -> Term | None:
    """Turn not (a and b) into not a or not b: both sides of it are true or false, whatever a and b are."""
    (operand,) = term.kids
    if operand.kind != t.LOGIC or operand.value not in _DUAL:
        return None
    return operand.but(value=_DUAL[operand.value], kids=[term.but(kids=[kid]) for kid in operand.kids])


def _twice(term: Term, place: Place) -> Term | None:
    """Turn not not a into a, where it counts as a condition or is true or false by itself."""
    (operand,) = term.kids
    if operand.kind != t.NOT:
        return None
    (inner,) = operand.kids
    return inner if place.test or place.dialect in STRICT or is_truth(inner, place) else None


def _opposite(term: Term, place: Place) -> Term | None:
    """Turn not a == b into a != b; orders have an opposite among whole numbers alone."""
    (operand,) = term.kids
    if operand.kind != t.COMPARE:
        return None
    operator = OPPOSITE.get(operand.value)
    if operator is None and operand.value == "in" and place.dialect == "python":
        operator = "not in"
    if operator is None and operand.value in ORDERED and counts(operand, place):
        operator = ORDERED[operand.value]
    return operand.but(value=operator) if operator is not None else None


def _negated_truth(term: Term, _place: Place) -> Term | None:
    """Turn not True into False."""
    (operand,) = term.kids
    truth = truth_of(operand)
    if truth is None:
        return None
    word = str(not truth)
    return operand.but(value=("constant", word if operand.value[1][0].isupper() else word.lower()))


def _negated_choice(term: Term, _place: Place) -> Term | None:
    """Turn not (a if c else b) into not a if c else not b."""
    (operand,) = term.kids
    if operand.kind != t.COND:
        return None
    test, then, otherwise = operand.kids
    return operand.but(kids=[test, negated(then), negated(otherwise)])


def _flat(term: Term, _place: Place) -> Term | None:
    """Turn a and (b and c) into a and b and c."""
    if not any(kid.kind == t.LOGIC and kid.value == term.value for kid in term.kids):
        return None
    kids = [part for kid in term.kids for part in (kid.kids if _is_same_logic(kid, term) else (kid,))]
    return term.but(kids=kids)


def _is_same_logic(kid: Term, term: Term) -> bool:
    return kid.kind == t.LOGIC and bool(kid.value == term.value)


def _literal_last(term: Term, place: Place) -> Term | None:
    """Turn 1 == x into x == 1."""
    left, right = term.kids
    if term.value not in MIRRORED or _is_constant(right, place) or not _is_constant(left, place):
        return None
    return term.but(value=MIRRORED[term.value], kids=[right, left])


def _is_constant(term: Term, place: Place) -> bool:
    if term.kind == t.NAME and place.dialect not in STRICT:
        return term.value in _WORDS
    return is_literal(term) or (term.kind == t.TEMPLATE and all(kid.kind == t.LIT for kid in term.kids))


def _split_chain(term: Term, _place: Place) -> Term | None:
    """Turn a < b < c into a < b and b < c, where b is a variable or a literal."""
    operands, operators = term.kids[::2], term.kids[1::2]
    if not all(one.kind in (t.NAME, t.LIT) for one in operands[1:-1]):
        return None
    made = [
        Term(t.COMPARE, operator.value, [left, right], line=term.line, start=term.start, end=term.end)
        for left, operator, right in zip(operands, operators, operands[1:], strict=False)
    ]
    return term.but(kind=t.LOGIC, value="and", kids=made)


def _simpler_first(term: Term, place: Place) -> Term | None:
    """Turn a if not c else b into b if c else a."""
    test, then, otherwise = term.kids
    return term.but(kids=[negated(test), otherwise, then]) if is_negative(test, place) else None


def _needless_choice(term: Term, place: Place) -> Term | None:
    """Turn True if c else False into c, a if c else False into c and a, and so on."""
    test, then, otherwise = term.kids
    yes, no = truth_of(then), truth_of(otherwise)
    if no is True:
        return _joined(term, "or", negated(test), then) if yes is not True else None
    if yes is False:
        return _joined(term, "and", negated(test), otherwise) if no is None else None
    if not (place.test or place.dialect in STRICT or is_truth(test, place)):
        return None
    if yes is True:
        return test if no is False else _joined(term, "or", test, otherwise)
    return _joined(term, "and", test, then) if no is False else None


def _joined(term: Term, operator: str, left: Term, right: Term) -> Term:
    truth = truth_of(right)
    if truth is (operator == "and"):
        return left
    return term.but(kind=t.LOGIC, value=operator, kids=[left, right])


def _itself_or_other(term: Term, _place: Place) -> Term | None:
    """Turn a if a else b into a or b, where nothing happens when a is asked for."""
    test, then, otherwise = term.kids
    if not alike(test, then) or not only_reads(footprint(test)):
        return None
    return term.but(kind=t.LOGIC, value="or", kids=[test, otherwise])


def _other_or_itself(term: Term, _place: Place) -> Term | None:
    """Turn b if a else a into a and b."""
    test, then, otherwise = term.kids
    if not alike(test, otherwise) or not only_reads(footprint(test)):
        return None
    return term.but(kind=t.LOGIC, value="and", kids=[test, then])


def _nested(term: Term, _place: Place) -> Term | None:
    """Join two choices of which one decides where the other does not: x if a else x if b else y."""
    test, then, otherwise = term.kids
    if then.kind == t.COND:
        further, yes, no = then.kids
        if alike(no, otherwise):
            return term.but(kids=[_both("and", test, further), yes, otherwise])
        if alike(yes, otherwise):
            return term.but(kids=[_both("and", test, negated(further)), no, otherwise])
    if otherwise.kind == t.COND:
        further, yes, no = otherwise.kids
        if alike(yes, then):
            return term.but(kids=[_both("or", test, further), then, no])
        if alike(no, then):
            return term.but(kids=[_both("or", test, negated(further)), then, yes])
    return None


def _both(operator: str, one: Term, other: Term) -> Term:
    return Term(t.LOGIC, operator, [one, other], line=one.line, start=one.start, end=other.end)


RULES: Final = (
    Rule("De Morgan's law", (t.NOT,), _pushed_down),
    Rule("double negation", (t.NOT,), _twice),
    Rule("negated comparison", (t.NOT,), _opposite),
    Rule("negated constant", (t.NOT,), _negated_truth),
    Rule("negated conditional expression", (t.NOT,), _negated_choice),
    Rule("nested conjunction", (t.LOGIC,), _flat),
    Rule("literal on the right of a comparison", (t.COMPARE,), _literal_last),
    Rule("chained comparison", (t.CHAIN,), _split_chain),
    Rule("conditional expression by the simpler condition", (t.COND,), _simpler_first),
    Rule("needless conditional expression", (t.COND,), _needless_choice),
    Rule("nested conditional expressions as one", (t.COND,), _nested),
    Rule("conditional expression as or", (t.COND,), _itself_or_other),
    Rule("conditional expression as and", (t.COND,), _other_or_itself),
    Rule("comparison of a length with nothing", (t.COMPARE,), _with_nothing, _COUNTING),
    Rule("length as a condition", (t.CALL,), _length_as_truth, frozenset(("python",))),
)
