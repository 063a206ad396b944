"""Rules of statements: which branch comes first, where a path ends, what need not be said."""

from collections.abc import Sequence
from typing import Final

from linetrail.projections.proof.effects.effects import footprint, is_own
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.likeness import alike, mentions
from linetrail.projections.proof.rules.truth import is_negative, is_truth, negated, truth_of
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

_JUMPS: Final = frozenset((t.RETURN, t.THROW, t.BREAK, t.CONTINUE))


def leaves(statement: Term) -> bool:
    """Return whether what stands after a statement is never reached from it."""
    kind = statement.kind
    if kind in _JUMPS:
        return True
    if kind == t.BLOCK:
        return any(map(leaves, statement.kids))
    if kind == t.CATCH:
        return leaves(statement.kids[-1])
    if kind == t.IF:
        return leaves(statement.kids[1]) and leaves(statement.kids[2])
    if kind == t.TRY:
        body, *catches, otherwise, last = statement.kids
        if leaves(last):
            return True
        return all(map(leaves, catches)) and (leaves(body) or leaves(otherwise))
    return False


def _block(statements: Sequence[Term]) -> Term:
    first = statements[0] if statements else ABSENT
    return Term(t.BLOCK, "", statements, line=first.line, start=first.start, end=first.end)


def _statements(branch: Term) -> tuple[Term, ...]:
    """Return what a branch does: it is a block, a further condition, or absent."""
    if branch.kind == t.BLOCK:
        return branch.kids
    return () if branch.kind == t.NONE else (branch,)


# -- blocks


def _braces(term: Term, _place: Place) -> Term | None:
    """Give a body its braces."""
    return term.but(value="") if term.value in ("bare", "init") else None


def _spread(term: Term, place: Place) -> Term | None:
    """Split `a, b` as a statement into two, and merge a block within a block, whose names are its own."""
    several = [_is_several(kid, place) for kid in term.kids]
    if not any(several):
        return None
    parts = [_several(kid) if flat else (kid,) for kid, flat in zip(term.kids, several, strict=True)]
    return term.but(kids=[one for part in parts for one in part])


def _is_several(statement: Term, place: Place) -> bool:
    if statement.kind == t.BLOCK:
        if place.dialect == "rust" and any(map(_is_felt, statement.kids)):
            return False
        return statement.value in _PLAIN and not any(map(_is_used, statement.kids))
    return statement.kind in (t.EXPR, t.RETURN) and statement.kids[0].kind == t.SEQUENCE


# Blocks that are a scope and nothing else; Go has one around what stands before a condition.
_PLAIN: Final = frozenset(("", "bare", "init"))


def _is_felt(statement: Term) -> bool:
    """Return whether the end of a block is felt: a variable of Rust goes there, or the block has a value."""
    return statement.kind == t.DECLARE or (statement.kind == t.EXPR and bool(statement.value))


def _is_used(statement: Term) -> bool:
    """Return whether something is given back at the end of a block."""
    return statement.kind == t.DECLARE and any("using" in str(flag) for flag in statement.value)


def _several(statement: Term) -> Sequence[Term]:
    if statement.kind == t.BLOCK:
        return statement.kids
    *first, last = statement.kids[0].kids
    return (*(statement.but(kind=t.EXPR, kids=[one]) for one in first), statement.but(kids=[last]))


def _nothing(term: Term, place: Place) -> Term | None:
    """Leave out what does nothing: pass, x = x, and a constant that stands alone and is no result."""
    if place.dialect == "rust":
        return None
    kids = [kid for kid in term.kids if not _is_nothing(kid)]
    return term.but(kids=kids) if len(kids) < len(term.kids) else None


def _is_nothing(statement: Term) -> bool:
    if statement.kind == t.EXPR:
        (value,) = statement.kids
        return value.kind == t.LIT and value.value[0] not in ("str", "bytes")
    if statement.kind == t.ASSIGN and len(statement.kids) == 2:
        target, value = statement.kids
        return value.kind == t.NAME and target.value is value.value and is_own(value.value)
    return statement.kind == t.PASS


def _fall_through(term: Term, place: Place) -> Term | None:
    """Leave out a jump to where the path leads anyway."""
    if not place.tail or not term.kids:
        return None
    last = term.kids[-1]
    jump = t.CONTINUE if place.tail == "loop" else t.RETURN
    if last.kind == jump and last.kids[0].kind == t.NONE:
        return term.but(kids=term.kids[:-1])
    return None


def _rest_in_branch(term: Term, _place: Place) -> Term | None:
    """Put what follows a condition into the branch that comes there, where the other one leaves."""
    for at, statement in enumerate(term.kids[:-1]):
        if statement.kind != t.IF:
            continue
        test, then, otherwise = statement.kids
        gone = leaves(then), leaves(otherwise)
        if gone[0] == gone[1]:
            continue
        rest = term.kids[at + 1 :]
        if gone[0]:
            kids = [test, then, _block((*_statements(otherwise), *rest))]
        else:
            kids = [test, _block((*then.kids, *rest)), otherwise]
        return term.but(kids=[*term.kids[:at], statement.but(kids=kids)])
    return None


def _same_end(term: Term, _place: Place) -> Term | None:
    """Put what both branches do last behind them."""
    for at, statement in enumerate(term.kids):
        if statement.kind != t.IF:
            continue
        test, then, otherwise = statement.kids
        ends = _statements(then)[-1:], _statements(otherwise)[-1:]
        if not ends[0] or not ends[1] or not alike(ends[0][0], ends[1][0]):
            continue
        branches = [_block(_statements(branch)[:-1]) for branch in (then, otherwise)]
        kids = [*term.kids[:at], statement.but(kids=[test, *branches]), ends[0][0], *term.kids[at + 1 :]]
        return term.but(kids=kids)
    return None


def _one_by_one(term: Term, place: Place) -> Term | None:
    """Turn a = b = 0 into a = 0 and b = 0."""
    parts = [_assignments(kid, place) for kid in term.kids]
    if not any(parts):
        return None
    return term.but(kids=[one for kid, part in zip(term.kids, parts, strict=True) for one in part or (kid,)])


def _assignments(statement: Term, place: Place) -> Sequence[Term]:
    if statement.kind != t.ASSIGN or statement.value != "=":
        return ()
    *targets, value = statement.kids
    if len(targets) < _SEVERAL:
        return ()
    is_copied = value.kind == t.LIT or (value.kind == t.NAME and is_own(value.value) and place.dialect != "java")
    # a second target may change a variable that others write, too, before a third is given its value
    is_kept = targets[0].kind == t.BIND and (is_own(targets[0].value) or len(targets) == _SEVERAL)
    if not is_copied and not is_kept:
        return ()
    again = value if is_copied else targets[0].but(kind=t.NAME)
    return [statement.but(kids=[target, value if not at else again]) for at, target in enumerate(targets)]


_SEVERAL: Final = 2


def _declared_at_once(term: Term, _place: Place) -> Term | None:
    """Turn `let x; x = 1` into `let x = 1`."""
    for at, (first, second) in enumerate(zip(term.kids, term.kids[1:], strict=False)):
        if first.kind != t.DECLARE or second.kind != t.ASSIGN or len(second.kids) != 2:
            continue
        pattern, kind, value, *rest = first.kids
        target, assigned = second.kids
        if pattern.kind != t.BIND or value.kind != t.NONE or target.kind not in (t.NAME, t.BIND):
            continue
        if second.value != "=" or target.value is not pattern.value or mentions(assigned, pattern.value):
            continue
        before = [one for early, one in enumerate(term.kids) if early < at or one.kind == t.FUNCTION]
        if footprint(assigned).acts and any(mentions(one, pattern.value) for one in before):
            # a function that is called for the value would find no variable yet
            continue
        return term.but(kids=[*term.kids[:at], first.but(kids=[pattern, kind, assigned, *rest]), *term.kids[at + 2 :]])
    return None


# -- conditions


def _else_if(term: Term, _place: Place) -> Term | None:
    """Put a further condition into a block of its own."""
    test, then, otherwise = term.kids
    return term.but(kids=[test, then, _block([otherwise])]) if otherwise.kind == t.IF else None


def _empty_branch(term: Term, _place: Place) -> Term | None:
    """Leave out a branch that does nothing."""
    test, then, otherwise = term.kids
    if otherwise.kind == t.BLOCK and not otherwise.kids:
        return term.but(kids=[test, then, ABSENT])
    if then.kids:
        return None
    if otherwise.kind == t.NONE:
        return term.but(kind=t.EXPR, kids=[test])
    return term.but(kids=[negated(test), otherwise, ABSENT])


def _simpler_first(term: Term, place: Place) -> Term | None:
    """Turn if not c: a else: b into if c: b else: a."""
    test, then, otherwise = term.kids
    if otherwise.kind == t.NONE or not is_negative(test, place):
        return None
    return term.but(kids=[negated(test), otherwise, then])


def _only_condition(branch: Term) -> Term | None:
    """Return the condition that is all there is in a branch."""
    statements = _statements(branch)
    return statements[0] if len(statements) == 1 and statements[0].kind == t.IF else None


def _nested(term: Term, _place: Place) -> Term | None:
    """Join two conditions of which one decides where the other does not: if a: if b: x; if a: x elif b: x."""
    test, then, otherwise = term.kids
    inner = _only_condition(then)
    if inner is not None:
        further, yes, no = inner.kids
        if alike(no, otherwise):
            return term.but(kids=[_and(test, further), yes, otherwise])
        if alike(yes, otherwise):
            return term.but(kids=[_and(test, negated(further)), _block(_statements(no)), otherwise])
    inner = _only_condition(otherwise)
    if inner is not None:
        further, yes, no = inner.kids
        if alike(yes, then):
            return term.but(kids=[_or(test, further), then, no])
        if alike(no, then):
            return term.but(kids=[_or(test, negated(further)), then, yes])
    return None


def _and(one: Term, other: Term) -> Term:
    return Term(t.LOGIC, "and", [one, other], line=one.line, start=one.start, end=other.end)


def _or(one: Term, other: Term) -> Term:
    return Term(t.LOGIC, "or", [one, other], line=one.line, start=one.start, end=other.end)


def _only_statement(branch: Term, kind: str) -> Term | None:
    statements = _statements(branch)
    return statements[0] if len(statements) == 1 and statements[0].kind == kind else None


def _chosen_result(term: Term, place: Place) -> Term | None:
    """Turn if c: return a else: return b into return a if c else b; in Java, that gives both one type."""
    test, then, otherwise = term.kids
    one, other = _only_statement(then, t.RETURN), _only_statement(otherwise, t.RETURN)
    if one is None or other is None or t.NONE in (one.kids[0].kind, other.kids[0].kind):
        return None
    if place.dialect == "java" and not _have_one_type(one.kids[0], other.kids[0], place):
        return None
    return term.but(kind=t.RETURN, kids=[term.but(kind=t.COND, kids=[test, one.kids[0], other.kids[0]])])


def _have_one_type(one: Term, other: Term, place: Place) -> bool:
    if one.kind == other.kind == t.LIT and one.value[0] == other.value[0] != "constant":
        return True
    return is_truth(one, place) and is_truth(other, place)


def _chosen_value(term: Term, place: Place) -> Term | None:
    """Turn if c: x = a else: x = b into x = a if c else b; in Java, that gives both one type."""
    test, then, otherwise = term.kids
    one, other = _only_statement(then, t.ASSIGN), _only_statement(otherwise, t.ASSIGN)
    if one is None or other is None or len(one.kids) != 2 or len(other.kids) != 2 or one.value != other.value:
        return None
    target, value = one.kids
    if not alike(target, other.kids[0]) or not (place.dialect == "python" or _is_plain(target, test)):
        return None
    if place.dialect == "java" and not _have_one_type(value, other.kids[1], place):
        return None
    chosen = term.but(kind=t.COND, kids=[test, value, other.kids[1]])
    return term.but(kind=t.ASSIGN, value=one.value, kids=[target, chosen])


def _is_plain(target: Term, test: Term) -> bool:
    """Return whether it makes no difference if a target is looked up before the condition."""
    if target.kind in (t.NAME, t.BIND, t.FIELD):
        return True
    if target.kind != t.ATTR or target.kids[0].kind != t.NAME:
        return False
    holder = target.kids[0].value
    return (is_own(holder) or holder in ("this", "self")) and holder not in footprint(test).writes


def _as_statement(term: Term, _place: Place) -> Term | None:
    """Turn a and b(), done for its effect, into if a: b()."""
    (value,) = term.kids
    if term.value:
        return None
    if value.kind == t.COND:
        test, then, otherwise = value.kids
        return term.but(kind=t.IF, kids=[test, _effect(then), _effect(otherwise)])
    if value.kind == t.NOT:
        return term.but(kids=value.kids)
    if value.kind == t.LOGIC and value.value in ("and", "or"):
        *tests, last = value.kids
        test = tests[0] if len(tests) == 1 else value.but(kids=tests)
        return term.but(kind=t.IF, kids=[test if value.value == "and" else negated(test), _effect(last), ABSENT])
    return None


def _effect(value: Term) -> Term:
    if value.kind in (t.ASSIGN, t.AUGMENT):
        return _block([value])
    return _block([Term(t.EXPR, "", [value], line=value.line, start=value.start, end=value.end)])


# -- loops


def _forever_until(term: Term, _place: Place) -> Term | None:
    """Turn while True: if c: break; rest into while not c: rest."""
    test, body, otherwise = term.kids
    if (
        not (truth_of(test) is True or test.kind == t.NONE)
        or otherwise.kind != t.NONE
        or len(body.kids) != 1
        or body.kids[0].kind != t.IF
    ):
        return None
    until, then, rest = body.kids[0].kids
    if _is_break(then):
        return term.but(value="", kids=[negated(until), _block(_statements(rest)), otherwise])
    if _is_break(rest):
        return term.but(value="", kids=[until, then, otherwise])
    return None


def _is_break(branch: Term) -> bool:
    jump = _only_statement(branch, t.BREAK)
    return jump is not None and all(kid.kind == t.NONE for kid in jump.kids)


def _only_test(term: Term, _place: Place) -> Term | None:
    """Turn for (; c; ) into while (c)."""
    first, test, update, body = term.kids
    if first.kind != t.NONE or update.kind != t.NONE:
        return None
    always = Term(t.LIT, ("constant", "true"), line=term.line)
    return term.but(kind=t.WHILE, kids=[always if test.kind == t.NONE else test, body, ABSENT])


RULES: Final = (
    Rule("braces around a body", (t.BLOCK,), _braces),
    Rule("one statement after the other", (t.BLOCK,), _spread),
    Rule("statement without effect", (t.BLOCK,), _nothing),
    Rule("jump to where the path leads", (t.BLOCK,), _fall_through),
    Rule("code after a branch that leaves, as the other branch", (t.BLOCK,), _rest_in_branch),
    Rule("the same end of both branches", (t.BLOCK,), _same_end),
    Rule("one assignment after the other", (t.BLOCK,), _one_by_one),
    Rule("declaration with its first value", (t.BLOCK,), _declared_at_once),
    Rule("else and if", (t.IF,), _else_if),
    Rule("empty branch", (t.IF,), _empty_branch),
    Rule("branches by the simpler condition", (t.IF,), _simpler_first),
    Rule("nested conditions as one", (t.IF,), _nested),
    Rule("result by condition", (t.IF,), _chosen_result),
    Rule("value by condition", (t.IF,), _chosen_value),
    Rule("expression as condition", (t.EXPR,), _as_statement),
    Rule("loop until a break", (t.WHILE,), _forever_until),
    Rule("loop with a test alone", (t.FOR,), _only_test),
)
