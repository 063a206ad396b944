"""Rules of JavaScript's values: operators and calls that have another spelling."""

from typing import Final

from linetrail.projections.proof.dialects.ecmascript.expressions import LOGIC
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.ecmascript.meaning import DIALECTS
from linetrail.projections.proof.rules.likeness import alike, is_plain
from linetrail.projections.proof.rules.truth import negated
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

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
    made = term.having(kids)
    return made if made is not term else None


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
    Rule("caught and not looked at", (t.CATCH,), _uncaught, DIALECTS),
    Rule("copy of a literal", (t.OBJECT, t.LIST), _spread_literal, DIALECTS),
)
