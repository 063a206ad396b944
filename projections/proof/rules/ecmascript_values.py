"""Rules of JavaScript's values: operators and calls that have another spelling."""

from typing import Final

from linetrail.projections.proof import term as t
from linetrail.projections.proof.effects import footprint, only_reads
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.ecmascript_reading import (
    DIALECTS,
    called,
    is_free,
    is_nullish,
    is_plain,
    method,
    path,
)
from linetrail.projections.proof.rules.likeness import alike
from linetrail.projections.proof.rules.truth import negated
from linetrail.projections.proof.scopes import LOCAL, PARAMETER, Binding
from linetrail.projections.proof.term import ABSENT, Term

_OWNERSHIP: Final = frozenset(("Object.prototype.hasOwnProperty.call", "Object.hasOwnProperty.call"))
_ERRORS: Final = frozenset(
    ("Error", "AggregateError", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError")
)
_EQUAL: Final = {"==": "or", "!=": "and"}
_STRICT: Final = {"===": "==", "!==": "!="}
_NULL: Final = ("constant", "null")


def _augmented(term: Term, _place: Place) -> Term | None:
    """Turn `a += b` into `a = a + b`."""
    operator = term.value.removesuffix("=")
    target, value = term.kids
    if operator in ("&&", "||", "??") or not _is_target(target):
        return None
    return term.but(
        kind=t.ASSIGN, value="=", kids=[target, term.but(kind=t.BINARY, value=operator, kids=[target, value])]
    )


def _is_target(target: Term) -> bool:
    """Tell whether a target can be named twice."""
    if target.kind == t.INDEX:
        return target.value == "" and is_plain(target.kids[0]) and target.kids[1].kind in (t.LIT, t.NAME)
    return is_plain(target)


def _condition_and_value(term: Term, _place: Place) -> Term | None:
    """Turn `a ||= b` and `a = a || b`, as statements, into `if (!a) a = b`."""
    kids = [_decided(kid) for kid in term.kids]
    return term.but(kids=kids) if any(new is not old for new, old in zip(kids, term.kids, strict=True)) else None


def _decided(statement: Term) -> Term:
    if statement.kind == t.AUGMENT and statement.value in _DECIDING:
        operator = _DECIDING[statement.value]
        target, value = statement.kids
    elif statement.kind == t.ASSIGN and len(statement.kids) == 2 and _is_own_choice(statement):
        target, choice = statement.kids
        operator = choice.value
        rest = choice.kids[1:]
        value = rest[0] if len(rest) == 1 else choice.but(kids=rest)
    else:
        return statement
    if not _is_target(target):
        return statement
    assigned = statement.but(kind=t.ASSIGN, value="=", kids=[target, value])
    test = {"and": target, "or": negated(target)}.get(operator, _is_null(target))
    return statement.but(
        kind=t.IF, value="", kids=[test, assigned.but(kind=t.BLOCK, value="", kids=[assigned]), ABSENT]
    )


_DECIDING: Final = {"&&=": "and", "||=": "or", "??=": "??"}


def _is_own_choice(statement: Term) -> bool:
    target, choice = statement.kids
    return statement.value == "=" and choice.kind == t.LOGIC and alike(target, choice.kids[0])


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
    if term.value not in (*_EQUAL, *_STRICT) or not _is_declared(asked):
        return None
    operator = term.value if len(term.value) > 2 else f"{term.value}="
    return term.but(value=operator, kids=[asked, right.but(kind=t.NAME, value="undefined")])


def _is_declared(term: Term) -> bool:
    return term.kind == t.NAME and isinstance(term.value, Binding) and term.value.kind in (LOCAL, PARAMETER)


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


def _truth(term: Term, _place: Place) -> Term | None:
    """Turn `Boolean(a)` into `!!a`."""
    if called(term) != "Boolean" or len(term.kids) != 2 or term.kids[1].kind == t.SPREAD:
        return None
    return negated(negated(term.kids[1]))


def _power(term: Term, _place: Place) -> Term | None:
    """Turn `Math.pow(a, b)` into `a ** b`."""
    operands = term.kids[1:]
    if called(term) != "Math.pow" or len(operands) != 2 or any(one.kind == t.SPREAD for one in operands):
        return None
    return term.but(kind=t.BINARY, value="**", kids=operands)


def _spread_object(term: Term, _place: Place) -> Term | None:
    """Turn `Object.assign({}, a)` into `{...a}`."""
    if called(term) != "Object.assign" or len(term.kids) < 2 or term.kids[1].kind != t.OBJECT:
        return None
    first, *others = term.kids[1:]
    if any(kid.kind == t.FUNCTION for kid in first.kids) or any(one.kind == t.SPREAD for one in others):
        return None
    return term.but(
        kind=t.OBJECT, kids=[*first.kids, *(one.but(kind=t.SPREAD, value="...", kids=[one]) for one in others)]
    )


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


def _owned(term: Term, _place: Place) -> Term | None:
    """Turn `Object.prototype.hasOwnProperty.call(a, b)` into `Object.hasOwn(a, b)`."""
    if called(term) not in _OWNERSHIP and not _is_of_literal(term):
        return None
    holder = Term(t.NAME, "Object", line=term.line)
    callee = Term(t.ATTR, ".", [holder, Term(t.FIELD, "hasOwn", line=term.line)], line=term.line)
    return term.but(kids=[callee, *term.kids[1:]])


def _is_of_literal(term: Term) -> bool:
    """Tell whether `{}.hasOwnProperty.call` is called."""
    found = method(term)
    if found is None or found[1] != "call":
        return False
    held = found[0]
    if held.kind != t.ATTR or held.kids[1].value != "hasOwnProperty":
        return False
    return held.kids[0].kind == t.OBJECT and not held.kids[0].kids


def _contained(term: Term, _place: Place) -> Term | None:
    """Turn `a.indexOf(b) !== -1` into `a.includes(b)`."""
    left, right = term.kids
    found = method(left)
    if found is None or found[1] != "indexOf" or len(left.kids) != 2:
        return None
    answer = _FOUND.get(term.value) if _is_minus_one(right) else _AT.get(term.value) if _is_zero(right) else None
    if answer is None:
        return None
    callee = left.kids[0]
    made = left.but(kids=[callee.but(kids=[callee.kids[0], callee.kids[1].but(value="includes")]), left.kids[1]])
    return made if answer else negated(made)


# What a comparison of an index with -1, and with 0, tells: that something is there, or that it is not.
_FOUND: Final = {"!=": True, "!==": True, ">": True, "==": False, "===": False}
_AT: Final = {">=": True, "<": False}


def _is_minus_one(term: Term) -> bool:
    return term.kind == t.UNARY and term.value == "-" and bool(term.kids[0].value == ("number", "1"))


def _is_zero(term: Term) -> bool:
    return bool(term.value == ("number", "0"))


def _applied(term: Term, _place: Place) -> Term | None:
    """Turn `f.apply(undefined, a)` into `f(...a)`, and `a.f.apply(a, b)` into `a.f(...b)`."""
    found = method(term)
    if found is None or found[1] != "apply" or len(term.kids) != 3:
        return None
    function, this, arguments = found[0], *term.kids[1:]
    if function.kind == t.NAME:
        fits = is_nullish(this)
    else:
        fits = function.kind == t.ATTR and is_plain(function.kids[0]) and alike(function.kids[0], this)
    if not fits or arguments.kind == t.SPREAD:
        return None
    return term.but(kids=[function, arguments.but(kind=t.SPREAD, value="...", kids=[arguments])])


def _constructed(term: Term, _place: Place) -> Term | None:
    """Turn `Error(a)` into `new Error(a)`, `new Array()` into `[]`, `new Object()` into `{}`."""
    name = path(term.kids[0])
    if term.value == "" and name in _ERRORS:
        return term.but(value="new")
    if term.value not in ("", "new") or len(term.kids) != 1 or name not in ("Array", "Object"):
        return None
    return term.but(kind=t.LIST if name == "Array" else t.OBJECT, value="", kids=())


RULES: Final = (
    Rule("operator and assignment", (t.AUGMENT,), _augmented, DIALECTS),
    Rule("assignment by condition", (t.BLOCK,), _condition_and_value, DIALECTS),
    Rule("undefined by its name", (t.UNARY,), _undefined, DIALECTS),
    Rule("no result", (t.RETURN,), _no_result, DIALECTS),
    Rule("comparison with null", (t.COMPARE,), _nullish, DIALECTS),
    Rule("comparison with null and undefined", (t.LOGIC,), _neither, DIALECTS),
    Rule("value or another one, by ??", (t.COND,), _otherwise, DIALECTS),
    Rule("truth of a value", (t.CALL,), _truth, DIALECTS),
    Rule("power by its operator", (t.CALL,), _power, DIALECTS),
    Rule("copy of an object", (t.CALL,), _spread_object, DIALECTS),
    Rule("copy of a literal", (t.OBJECT, t.LIST), _spread_literal, DIALECTS),
    Rule("own member of an object", (t.CALL,), _owned, DIALECTS),
    Rule("contained or not", (t.COMPARE,), _contained, DIALECTS),
    Rule("spread arguments", (t.CALL,), _applied, DIALECTS),
    Rule("construction", (t.CALL,), _constructed, DIALECTS),
)
