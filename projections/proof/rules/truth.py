"""Facts about conditions: what is true or false and nothing else, what a negation says, what surely is a number."""

from typing import Final

from linetrail.projections.proof.rules import Place
from linetrail.projections.proof.rules.variables import TRUTH, WHOLE
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term

# Languages in which nothing but a truth value can be negated or tested.
STRICT: Final = frozenset(("java", "go", "rust"))
# Operators of comparisons and those that say the opposite, whatever is compared.
OPPOSITE: Final = {
    "==": "!=",
    "!=": "==",
    "===": "!==",
    "!==": "===",
    "is": "is not",
    "is not": "is",
    "not in": "in",
}
# The opposite of an order, where every two values have one: that of numbers does not, since NaN has none.
ORDERED: Final = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}
# Operators that are written the other way round when their operands change places.
MIRRORED: Final = {"==": "==", "!=": "!=", "===": "===", "!==": "!==", "is": "is", "is not": "is not"} | {
    "<": ">",
    ">": "<",
    "<=": ">=",
    ">=": "<=",
}
_NEGATIVE: Final = frozenset(("!=", "!==", "is not", "not in"))
_PYTHON_PREDICATES: Final = frozenset(("isinstance", "issubclass", "callable", "hasattr", "bool", "any", "all"))
_LENGTHS: Final = {
    "python": frozenset(("len", "ord", "id", "hash")),
    "go": frozenset(("len", "cap")),
}
_LENGTH_FIELDS: Final = frozenset(("javascript", "typescript", "java"))
_COUNTED: Final = {"rust": frozenset(("len", "count")), "java": frozenset(("size()", "length()"))}


def negated(test: Term) -> Term:
    """Return the opposite of a condition; rules bring it to its normal form."""
    return Term(t.NOT, "", [test], line=test.line, start=test.start, end=test.end)


def is_truth(term: Term, place: Place) -> bool:
    """Return whether a value is true or false and nothing else."""
    kind = term.kind
    if kind in (t.NOT, t.COMPARE, t.CHAIN):
        return True
    if kind == t.LIT:
        return truth_of(term) is not None
    if kind == t.NAME:
        return place.variables.kind(term) == TRUTH
    if kind == t.LOGIC:
        return place.dialect in STRICT or (term.value != "??" and all(is_truth(kid, place) for kid in term.kids))
    if kind == t.COND:
        return all(is_truth(kid, place) for kid in term.kids[1:])
    if kind == t.CALL and place.dialect == "python":
        return term.kids[0].kind == t.NAME and term.kids[0].value in _PYTHON_PREDICATES
    return False


def is_negative(test: Term, place: Place) -> bool:
    """Return whether a condition has an opposite that is simpler: of two branches, that one decides."""
    if test.kind == t.NOT:
        return True
    if test.kind == t.LOGIC:
        return bool(test.value == "or")
    if test.kind == t.COMPARE:
        return test.value in _NEGATIVE or (test.value in (">=", "<=") and counts(test, place))
    return False


def counts(comparison: Term, place: Place) -> bool:
    """Return whether both sides of a comparison are whole numbers."""
    return all(is_count(kid, place) for kid in comparison.kids)


def is_count(term: Term, place: Place) -> bool:
    """Return whether a value is a whole number for sure."""
    if term.kind == t.LIT:
        return term.value[0] not in ("str", "bytes") and str(term.value[1]).isdigit()
    if term.kind == t.NAME:
        return place.variables.kind(term) == WHOLE
    if term.kind == t.UNARY:
        return term.value == "-" and is_count(term.kids[0], place)
    if term.kind == t.BINARY:
        return term.value in ("+", "-", "*") and all(is_count(kid, place) for kid in term.kids)
    return is_length(term, place)


def is_length(term: Term, place: Place) -> bool:
    """Return whether a value says how many of something there are."""
    if term.kind == t.ATTR:
        return place.dialect in _LENGTH_FIELDS and len(term.kids) > 1 and bool(term.kids[1].value == "length")
    if term.kind != t.CALL or term.value != "":
        return False
    callee = term.kids[0]
    if callee.kind == t.NAME:
        return callee.value in _LENGTHS.get(place.dialect, ())
    return callee.kind == t.ATTR and len(term.kids) == 1 and callee.kids[1].value in _COUNTED.get(place.dialect, ())


def is_literal(term: Term) -> bool:
    """Return whether a term is a value that is written out."""
    if term.kind == t.UNARY:
        return term.value in ("-", "+") and term.kids[0].kind == t.LIT
    return term.kind == t.LIT


def truth_of(term: Term) -> bool | None:
    """Return the truth value that is written out in a term; None where it is something else."""
    if term.kind != t.LIT or term.value[0] != "constant":
        return None
    return {"True": True, "true": True, "False": False, "false": False}.get(term.value[1])
