"""Rules of JavaScript's values: operators and calls that have another spelling."""

from typing import Final

from linetrail.projections.proof.dialects.ecmascript.expressions import LOGIC
from linetrail.projections.proof.effects.effects import footprint, only_reads
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.ecmascript.meaning import DIALECTS, is_free, is_nullish, is_plain, path, text_of
from linetrail.projections.proof.rules.likeness import alike
from linetrail.projections.proof.rules.truth import negated, truth_of
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import LOCAL, PARAMETER, Binding
from linetrail.projections.proof.terms.term import ABSENT, Term

_EQUAL: Final = {"==": "or", "!=": "and"}
_STRICT: Final = {"===": "==", "!==": "!="}
_NULL: Final = ("constant", "null")


def _augmented(term: Term, _place: Place) -> Term | None:
    """Turn `a += b` into `a = a + b`."""
    operator = term.value.removesuffix("=")
    target, value = term.kids
    if not _is_target(target):
        return None
    kind = t.LOGIC if operator in LOGIC else t.BINARY
    combined = term.but(kind=kind, value=LOGIC.get(operator, operator), kids=[target, value])
    return term.but(kind=t.ASSIGN, value="=", kids=[target, combined])


def _assigned_otherwise(term: Term, _place: Place) -> Term | None:
    """Turn `a || (a = b)` into `a = a || b`."""
    target, *rest = term.kids
    if len(rest) != 1 or rest[0].kind != t.ASSIGN or len(rest[0].kids) != 2 or not _is_target(target):
        return None
    if not alike(target, rest[0].kids[0]):
        return None
    return rest[0].but(kids=[target, term.but(kids=[target, rest[0].kids[1]])])


def _assignment(term: Term, _place: Place) -> Term | None:
    """Let an assignment for its effect be a statement."""
    return term.kids[0] if term.kids[0].kind in (t.ASSIGN, t.AUGMENT) else None


def _is_target(target: Term) -> bool:
    """Return whether a target can be named twice."""
    if target.kind == t.INDEX:
        return target.value == "" and is_plain(target.kids[0]) and target.kids[1].kind in (t.LIT, t.NAME)
    return is_plain(target)


def _condition_and_value(term: Term, _place: Place) -> Term | None:
    """Turn `a = a || b`, as a statement, into `if (!a) a = b`."""
    kids = [_decided(kid) for kid in term.kids]
    return term.but(kids=kids) if any(new is not old for new, old in zip(kids, term.kids, strict=True)) else None


def _decided(statement: Term) -> Term:
    if statement.kind != t.ASSIGN or len(statement.kids) != 2 or not _is_own_choice(statement):
        return statement
    target, choice = statement.kids
    rest = choice.kids[1:]
    value = rest[0] if len(rest) == 1 else choice.but(kids=rest)
    assigned = statement.but(kids=[target, value])
    test = {"and": target, "or": negated(target)}.get(choice.value, _is_null(target))
    return statement.but(
        kind=t.IF, value="", kids=[test, assigned.but(kind=t.BLOCK, value="", kids=[assigned]), ABSENT]
    )


def _is_own_choice(statement: Term) -> bool:
    target, choice = statement.kids
    if statement.value != "=" or choice.kind != t.LOGIC or not _is_target(target):
        return False
    return alike(target, choice.kids[0])


def _is_null(value: Term) -> Term:
    return value.but(kind=t.COMPARE, value="==", kids=[value, Term(t.LIT, _NULL, line=value.line)])


def _undefined(term: Term, _place: Place) -> Term | None:
    """Turn `void 0` into `undefined`."""
    if term.value != "void" or term.kids[0].kind != t.LIT:
        return None
    return term.but(kind=t.NAME, value="undefined", kids=())


def _no_result(term: Term, _place: Place) -> Term | None:
    """Turn `return undefined` into `return`."""
    return term.but(kids=[ABSENT]) if is_free(term.kids[0], "undefined") else None


def _nullish(term: Term, _place: Place) -> Term | None:
    """Turn `a == undefined` into `a == null`, and `typeof a === "undefined"` into `a === undefined`."""
    left, right = term.kids
    if term.value in _EQUAL and is_free(right, "undefined"):
        return term.but(kids=[left, right.but(kind=t.LIT, value=_NULL)])
    if left.kind != t.UNARY or left.value != "typeof" or right.kind != t.LIT or right.value != ("str", "undefined"):
        return None
    (asked,) = left.kids
    if term.value not in (*_EQUAL, *_STRICT) or not _is_there(asked):
        return None
    operator = term.value if len(term.value) > 2 else f"{term.value}="
    return term.but(value=operator, kids=[asked, right.but(kind=t.NAME, value="undefined")])


def _is_there(term: Term) -> bool:
    """Return whether a term can be evaluated: `typeof` asks in vain of a variable that nobody declares."""
    return term.kind != t.NAME or (isinstance(term.value, Binding) and term.value.kind in (LOCAL, PARAMETER))


def _neither(term: Term, _place: Place) -> Term | None:
    """Turn `a === null || a === undefined` into `a == null`."""
    for at, (one, other) in enumerate(zip(term.kids, term.kids[1:], strict=False)):
        if one.kind != t.COMPARE or other.kind != t.COMPARE or one.value != other.value:
            continue
        loose = _STRICT.get(one.value, "")
        if _EQUAL.get(loose) != term.value or not is_plain(one.kids[0]) or not alike(one.kids[0], other.kids[0]):
            continue
        if {_which(one.kids[1]), _which(other.kids[1])} != {"null", "undefined"}:
            continue
        joined = one.but(value=loose, kids=[one.kids[0], Term(t.LIT, _NULL, line=one.line)])
        kids = [*term.kids[:at], joined, *term.kids[at + 2 :]]
        return term.but(kids=kids) if len(kids) > 1 else joined
    return None


def _which(term: Term) -> str:
    if not is_nullish(term):
        return ""
    return "null" if term.kind == t.LIT else "undefined"


def _otherwise(term: Term, _place: Place) -> Term | None:
    """Turn `a == null ? b : a` into `a ?? b`."""
    test, then, otherwise = term.kids
    if test.kind != t.COMPARE or test.value not in _EQUAL or not is_nullish(test.kids[1]):
        return None
    if test.value == "!=":
        then, otherwise = otherwise, then
    if not alike(test.kids[0], otherwise) or not only_reads(footprint(otherwise)):
        return None
    return term.but(kind=t.LOGIC, value="??", kids=[otherwise, then])


def _answer(term: Term, place: Place) -> Term | None:
    """Turn `a ? true : false` into `!!a`."""
    test, then, otherwise = term.kids
    if place.test or truth_of(then) is None or truth_of(otherwise) is not (not truth_of(then)):
        return None
    return negated(negated(test)) if truth_of(then) else negated(test)


def _strictly(term: Term, _place: Place) -> Term | None:
    """Turn `typeof a == "b"` into `typeof a === "b"`: both sides are text."""
    operator = f"{term.value}="
    return term.but(value=operator) if term.value in _EQUAL and all(map(_is_surely_text, term.kids)) else None


def _is_surely_text(term: Term) -> bool:
    return text_of(term) is not None or (term.kind == t.UNARY and bool(term.value == "typeof"))


def _filled(term: Term, place: Place) -> Term | None:
    """Turn `a.length > 0` into `a.length` as a condition, and `a.length === 0` into `!a.length`."""
    left, right = term.kids
    if left.kind != t.ATTR or left.value != "." or left.kids[1].value != "length" or right.kind != t.LIT:
        return None
    if (term.value, right.value[1]) in _EMPTY:
        return negated(left)
    if (term.value, right.value[1]) not in _NOT_EMPTY:
        return None
    return left if place.test else negated(negated(left))


# What a length is compared with, and how, to ask whether something is empty.
_EMPTY: Final = frozenset((("==", "0"), ("===", "0"), ("<", "1"), ("<=", "0")))
_NOT_EMPTY: Final = frozenset((("!=", "0"), ("!==", "0"), (">", "0"), (">=", "1")))


def _global(term: Term, _place: Place) -> Term | None:
    """Turn `Number.parseInt` into `parseInt`, which is the same function."""
    name = _GLOBALS.get(path(term))
    return term.but(kind=t.NAME, value=name, kids=()) if name else None


_GLOBALS: Final = {
    "Number.parseInt": "parseInt",
    "Number.parseFloat": "parseFloat",
    "Number.NaN": "NaN",
    "Number.POSITIVE_INFINITY": "Infinity",
}


def _uncaught(term: Term, _place: Place) -> Term | None:
    """Turn `catch (a) {}` into `catch {}`, where nobody looks at it."""
    typed, caught, body = term.kids
    if caught.kind != t.BIND or any(one.kind == t.NAME and one.value is caught.value for one in body.walk()):
        return None
    return term.but(kids=[typed, ABSENT, body])


def _spread_literal(term: Term, _place: Place) -> Term | None:
    """Turn `{...{a}}` into `{a}`, and `[...[a]]` into `[a]`."""
    if not any(_is_literal_spread(kid, term.kind) for kid in term.kids):
        return None
    kids = [part for kid in term.kids for part in (kid.kids[0].kids if _is_literal_spread(kid, term.kind) else (kid,))]
    return term.but(kids=kids)


def _is_literal_spread(kid: Term, kind: str) -> bool:
    if kid.kind != t.SPREAD or kid.kids[0].kind != kind:
        return False
    parts = kid.kids[0].kids
    if kind == t.LIST:
        return all(part.kind != t.NONE for part in parts)
    return all(part.kind == t.SPREAD or (part.kind == t.PAIR and part.kids[0].value != "__proto__") for part in parts)


RULES: Final = (
    Rule("operator and assignment", (t.AUGMENT,), _augmented, DIALECTS),
    Rule("assignment of what is missing", (t.LOGIC,), _assigned_otherwise, DIALECTS),
    Rule("assignment for its effect", (t.EXPR,), _assignment, DIALECTS),
    Rule("assignment by condition", (t.BLOCK,), _condition_and_value, DIALECTS),
    Rule("undefined by its name", (t.UNARY,), _undefined, DIALECTS),
    Rule("no result", (t.RETURN,), _no_result, DIALECTS),
    Rule("comparison with null", (t.COMPARE,), _nullish, DIALECTS),
    Rule("comparison with null and undefined", (t.LOGIC,), _neither, DIALECTS),
    Rule("value or another one, by ??", (t.COND,), _otherwise, DIALECTS),
    Rule("true or false by a condition", (t.COND,), _answer, DIALECTS),
    Rule("comparison of text", (t.COMPARE,), _strictly, DIALECTS),
    Rule("empty or not", (t.COMPARE,), _filled, DIALECTS),
    Rule("global function or number", (t.ATTR,), _global, DIALECTS),
    Rule("caught and not looked at", (t.CATCH,), _uncaught, DIALECTS),
    Rule("copy of a literal", (t.OBJECT, t.LIST), _spread_literal, DIALECTS),
)
