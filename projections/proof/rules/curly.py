"""Rules of languages with braces and static types: Java, Go and Rust, and of Java alone."""

import re
from typing import Final

from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.truth import negated, truth_of
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import Term

JAVA: Final = frozenset(("java",))


def _not_final(term: Term, _place: Place) -> Term | None:
    """Leave out the final of a variable or parameter: nothing is left of it when the program runs."""
    if "final" not in term.value or (term.kind == t.DECLARE and term.value[0] != "local"):
        return None
    return term.but(value=tuple(flag for flag in term.value if flag != "final"))


def _diamond(term: Term, _place: Place) -> Term | None:
    """Turn new A<B>() into new A<>(): types of types are gone when the program runs."""
    if term.value != "new" or not term.kids or term.kids[0].kind != t.TYPE:
        return None
    made = _plain(term.kids[0])
    return term.but(kids=[made, *term.kids[1:]]) if made is not term.kids[0] else None


def _plain(kind: Term) -> Term:
    if kind.kind != t.TYPE:
        return kind
    if kind.value == "<>":
        return kind.but(kids=kind.kids[:1]) if len(kind.kids) > 1 else kind
    if kind.value == "" and len(kind.kids) == 1:
        inner = _plain(kind.kids[0])
        return kind.but(kids=[inner]) if inner is not kind.kids[0] else kind
    return kind


def _own_member(term: Term, _place: Place) -> Term | None:
    """Turn this.a into a, outside of classes that are declared within: there, this is another one."""
    if term.kids[0].kind != t.MEMBER or term.kids[2].kind != t.BLOCK:
        return None
    body = _without_this(term.kids[2])
    return term.but(kids=[*term.kids[:2], body, *term.kids[3:]]) if body is not term.kids[2] else None


def _without_this(term: Term) -> Term:
    if term.kind == t.CLASS:
        return term
    if term.kind == t.ATTR and len(term.kids) == 2 and term.kids[0].kind == t.NAME and term.kids[0].value == "this":
        return term.kids[1]
    return term.having([_without_this(kid) for kid in term.kids])


TYPED: Final = frozenset(("java", "go", "rust"))
STEPPING: Final = frozenset(("java", "go"))
# `x = y - x` is no `x -= y`: the variable has to stand first.
_OPERATORS: Final = frozenset(("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>", "&^"))

_OPEN_END: Final = re.compile(r"\\[0-7]{1,2}$")


def _compared_with_truth(term: Term, _place: Place) -> Term | None:
    """Turn x == true into x, and x == false into !x."""
    if term.value not in ("==", "!="):
        return None
    left, right = term.kids
    truth = truth_of(right)
    if truth is None:
        return None
    return left if truth is (term.value == "==") else negated(left)


def _step(term: Term, place: Place) -> Term | None:
    """Turn i++, done for its effect, into i += 1."""
    if not place.effect or term.value not in ("_++", "++_", "_--", "--_"):
        return None
    one = Term(t.LIT, ("int", "1"), line=term.line, start=term.start, end=term.end)
    return term.but(kind=t.AUGMENT, value=f"{term.value.strip('_')[0]}=", kids=[term.kids[0], one])


def _bare_assignment(term: Term, _place: Place) -> Term | None:
    """Take an assignment for the statement that it is."""
    return term.kids[0] if term.kids[0].kind in (t.ASSIGN, t.AUGMENT) and not term.value else None


def _augmented(term: Term, _place: Place) -> Term | None:
    """Turn x += y into x = x + y, where looking x up does nothing."""
    target, value = term.kids
    operator = str(term.value).removesuffix("=")
    if operator not in _OPERATORS or not _is_plain(target):
        return None
    total = term.but(kind=t.BINARY, value=operator, kids=[target, value])
    return term.but(kind=t.ASSIGN, value="=", kids=[target, total])


def _is_plain(target: Term) -> bool:
    """Return whether a target is a variable, or a field of one."""
    if target.kind == t.ATTR and len(target.kids) == 2:
        return _is_plain(target.kids[0])
    return target.kind in (t.NAME, t.BIND, t.FIELD)


def _joined_literals(term: Term, _place: Place) -> Term | None:
    """Turn "a" + "b" into "ab"."""
    left, right = term.kids
    if term.value != "+" or not _is_text(right):
        return None
    if _is_text(left):
        return _joined(left, right)
    if left.kind == t.BINARY and left.value == "+" and _is_text(left.kids[1]):
        return term.but(kids=[left.kids[0], _joined(left.kids[1], right)])
    return None


def _joined(one: Term, other: Term) -> Term:
    return one.but(value=("str", one.value[1] + other.value[1]))


def _is_text(term: Term) -> bool:
    """Return whether a term is a string whose spelling may go on behind it: an octal number may end anywhere."""
    return term.kind == t.LIT and term.value[0] == "str" and _OPEN_END.search(term.value[1]) is None


def _plain_lambda(term: Term, place: Place) -> Term | None:
    """Turn x -> { return y; } into x -> y; what a lambda does last, for its effect, may be its body, too."""
    body = term.kids[1]
    if body.kind != t.BLOCK or len(body.kids) != 1:
        return None
    only = body.kids[0]
    if only.kind == t.RETURN and only.kids[0].kind != t.NONE:
        return term.but(kids=[term.kids[0], only.kids[0], *term.kids[2:]])
    is_effect = only.kind == t.EXPR and (place.dialect == "java" or only.value == "tail")
    return term.but(kids=[term.kids[0], only.kids[0], *term.kids[2:]]) if is_effect else None


RULES: Final = (
    Rule("comparison with true or false", (t.COMPARE,), _compared_with_truth, TYPED),
    Rule("step by one as a sum", (t.UNARY,), _step, STEPPING),
    Rule("assignment as a statement", (t.EXPR,), _bare_assignment, STEPPING),
    Rule("assignment of a sum", (t.AUGMENT,), _augmented, TYPED),
    Rule("literals that are joined", (t.BINARY,), _joined_literals, STEPPING),
    Rule("lambda with an expression", (t.LAMBDA,), _plain_lambda, frozenset(("java", "rust"))),
    Rule("final of a variable", (t.DECLARE, t.PARAM), _not_final, JAVA),
    Rule("type arguments that are known", (t.CALL,), _diamond, JAVA),
    Rule("member of this object", (t.FUNCTION,), _own_member, JAVA),
)
