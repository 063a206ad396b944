"""Rules of Rust."""

from collections.abc import Iterator, Sequence
from re import compile as pattern
from typing import Final

from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import LOCAL, PARAMETER, Binding
from linetrail.projections.proof.terms.term import ABSENT, Term

RUST: Final = frozenset(("rust",))
_HOLE: Final = pattern(r"\{\{|\}\}|\{(?P<number>\d*)(?P<form>\s*(?::[^{}]*)?)\}")
_TOKENS: Final = "rust:tokens"
# Macros that format -> which of their arguments says how.
_FORMATS: Final = {
    **dict.fromkeys(("format!", "print!", "println!", "eprint!", "eprintln!", "panic!", "todo!", "unimplemented!"), 0),
    **dict.fromkeys(("unreachable!", "trace!", "debug!", "info!", "warn!", "error!", "anyhow!", "bail!"), 0),
    **dict.fromkeys(("write!", "writeln!", "assert!", "debug_assert!", "ensure!"), 1),
    **dict.fromkeys(("assert_eq!", "assert_ne!", "debug_assert_eq!", "debug_assert_ne!"), 2),
}


def _named(term: Term, _place: Place) -> Term | None:
    """Turn println!("{}", x) into println!("{x}")."""
    at = _FORMATS.get(str(term.kids[0].value)) if term.value == "macro" and term.kids[0].kind == t.NAME else None
    if at is None or len(term.kids) != 2 or term.kids[1].kind != _TOKENS:
        return None
    arguments = list(_arguments(term.kids[1].kids))
    if len(arguments) <= at + 1 or len(arguments[at]) != 1 or not all(arguments):
        return None
    form, values = arguments[at][0], arguments[at + 1 :]
    if any(len(value) > 1 and value[1].kind == t.TOKEN and value[1].value == "=" for value in values):
        return None
    filled = _filled(form, values)
    if filled is None:
        return None
    made, left = filled
    kids: list[Term] = []
    for argument in (*arguments[:at], [made], *left):
        kids += [Term(t.TOKEN, ","), *argument] if kids else argument
    return term.but(kids=[term.kids[0], term.kids[1].but(kids=kids)])


def _arguments(tokens: Sequence[Term]) -> Iterator[list[Term]]:
    """Yield the tokens of each argument; a comma at the end begins none."""
    argument: list[Term] = []
    for token in tokens:
        if token.kind == t.TOKEN and token.value == ",":
            yield argument
            argument = []
        else:
            argument.append(token)
    if argument:
        yield argument


def _filled(form: Term, values: Sequence[list[Term]]) -> tuple[Term, list[list[Term]]] | None:
    """Return a format with the names that its places stand for, and the values that are no names."""
    if form.kind not in (t.LIT, t.TEMPLATE):
        return None
    pieces: list[Term] = []
    left: list[list[Term]] = []
    given = iter(values)
    for piece in form.kids if form.kind == t.TEMPLATE else (form,):
        if piece.kind != t.LIT:
            pieces.append(piece)
            continue
        sort, text = piece.value
        end = 0
        for hole in _HOLE.finditer(str(text)):
            if not hole[0].startswith("{") or hole[0] == "{{":
                continue
            value = next(given, None)
            if value is None or hole["number"] or "$" in hole["form"] or "*" in hole["form"]:
                return None
            if len(value) != 1 or value[0].kind != t.NAME:
                left.append(value)
                continue
            pieces += [Term(t.LIT, (sort, text[end : hole.start()]))] if text[end : hole.start()] else []
            pieces.append(Term(t.HOLE, "", [value[0], ABSENT, Term(t.LIT, ("format", hole["form"]))]))
            end = hole.end()
        pieces += [Term(t.LIT, (sort, text[end:]))] if text[end:] else []
    if len(left) == len(values) or next(given, None) is not None:
        return None
    sort = form.value if form.kind == t.TEMPLATE else form.value[0]
    return form.but(kind=t.TEMPLATE, value=sort, kids=pieces), left


TAIL: Final = "tail"
# Where a condition is a value.
_VALUED: Final = (t.DECLARE, t.ASSIGN, t.RETURN, t.CALL, t.BINARY, t.TUPLE, t.PAIR, t.UNARY, t.COMPARE, t.LIST, t.EXPR)


def _tail(value: Term) -> Term:
    return Term(t.EXPR, TAIL, [value], line=value.line, start=value.start, end=value.end)


def _value_of(branch: Term) -> Term | None:
    """Return the value of a block that does nothing else."""
    if branch.kind == t.BLOCK and not branch.value and len(branch.kids) == 1:
        only = branch.kids[0]
        return only.kids[0] if only.kind == t.EXPR and only.value == TAIL else None
    return None


def _result(term: Term, place: Place) -> Term | None:
    """Turn return x; at the end of a function into x, and the x of a body without a value into x;."""
    last = term.kids[-1] if term.kids else ABSENT
    is_jump = last.kind == t.RETURN and last.kids[0].kind != t.NONE and place.tail in ("function", "unit")
    if place.tail in ("unit", "loop") and ((last.kind == t.EXPR and last.value == TAIL) or is_jump):
        return term.but(kids=[*term.kids[:-1], last.but(kind=t.EXPR, value="")])
    return term.but(kids=[*term.kids[:-1], _tail(last.kids[0])]) if is_jump else None


def _value_by_condition(term: Term) -> Term | None:
    if term.kind != t.IF:
        return None
    test, then, otherwise = term.kids
    values = _value_of(then), _value_of(otherwise)
    if values[0] is None or values[1] is None:
        return None
    return term.but(kind=t.COND, kids=[test, values[0], values[1]])


def _last_value(term: Term, place: Place) -> Term | None:
    """Take a last condition with two values for the value of its block."""
    if place.tail in ("unit", "loop"):
        return None
    made = _value_by_condition(term.kids[-1]) if term.kids else None
    return term.but(kids=[*term.kids[:-1], _tail(made)]) if made is not None else None


def _inner_value(term: Term, _place: Place) -> Term | None:
    """Take a condition with two values for the value that it is."""
    made = [_value_by_condition(kid) for kid in term.kids]
    if not any(made):
        return None
    return term.but(kids=[new if new is not None else old for new, old in zip(made, term.kids, strict=True)])


def _plain_block(term: Term, _place: Place) -> Term | None:
    """Turn the value { x } into x."""
    values = [_value_of(kid) for kid in term.kids]
    if term.kind == t.EXPR and not term.value:
        return None
    if not any(values):
        return None
    return term.but(kids=[new if new is not None else old for new, old in zip(values, term.kids, strict=True)])


def _matched(term: Term, _place: Place) -> Term | None:
    """Turn if let P = x { a } into match x { P => { a }, _ => {} }, and leave out an arm that does nothing."""
    subject, *arms = term.kids
    kept = list(map(_braced, arms))
    if len(kept) == 2 and _is_rest(*kept):
        kept[-1] = kept[-1].but(kids=[ABSENT, *kept[-1].kids[1:]])
    if len(kept) > 1 and _does_nothing(kept[-1]):
        kept.pop()
    if term.value == ("match",) and len(kept) == len(arms) and all(map(_is, kept, arms)):
        return None
    return term.but(value=("match",), kids=[subject, *kept])


def _is(one: Term, other: Term) -> bool:
    return one is other


def _braced(arm: Term) -> Term:
    """Return an arm whose body is a block."""
    pattern, guard, body, *rest = arm.kids
    if body.kind == t.BLOCK and not body.value:
        return arm
    statement = body if body.kind in _STATEMENTS else _tail(body)
    return arm.but(kids=[pattern, guard, body.but(kind=t.BLOCK, value="", kids=[statement]), *rest])


_STATEMENTS: Final = frozenset((t.RETURN, t.BREAK, t.CONTINUE, t.EACH, t.IF, t.SWITCH, t.WHILE))


def _does_nothing(arm: Term) -> bool:
    pattern, guard, body, *rest = arm.kids
    if rest or pattern.kind != t.NONE or guard.kind != t.NONE:
        return False
    value = _value_of(body)
    return not body.kids or (value is not None and value.kind == t.TUPLE and not value.kids)


_OPPOSITES: Final = {"Some": "None", "None": "Some", "Ok": "Err", "Err": "Ok"}


def _is_rest(first: Term, last: Term) -> bool:
    """Return whether the second arm takes all that the first does not."""
    if first.kids[1].kind != t.NONE or last.kids[1].kind != t.NONE or last.kids[0].kind == t.NONE:
        return False
    one, other = _variant(first.kids[0]), _variant(last.kids[0])
    return bool(one) and _OPPOSITES.get(one) == other and not any(kid.kind == t.BIND for kid in last.kids[0].walk())


def _variant(pattern: Term) -> str:
    """Return the variant that a pattern matches, whatever is in it."""
    if pattern.kind == t.NAME and isinstance(pattern.value, str):
        return pattern.value
    is_open = len(pattern.kids) == 2 and pattern.kids[1].kind in (
        t.BIND,
        "rust:blank",
        "rust:mutable",
        "rust:reference",
    )
    first = pattern.kids[0] if is_open else ABSENT
    return first.value if first.kind == t.NAME and isinstance(first.value, str) else ""


def _same_name(term: Term, _place: Place) -> Term | None:
    """Turn S { a } into S { a: a }."""
    return term.but(value="") if term.value == "short" else None


def _plain_iteration(term: Term, _place: Place) -> Term | None:
    """Turn for x in y.into_iter() into for x in y, and y.iter() into &y."""
    target, drawn, *rest = term.kids
    if drawn.kind != t.CALL or len(drawn.kids) != 1 or drawn.kids[0].kind != t.ATTR:
        return None
    holder, method = drawn.kids[0].kids
    if method.value == "into_iter":
        return term.but(kids=[target, holder, *rest])
    sign = {"iter": "&", "iter_mut": "& mut"}.get(str(method.value))
    return term.but(kids=[target, drawn.but(kind=t.UNARY, value=sign, kids=[holder]), *rest]) if sign else None


def _plain_closure(term: Term, _place: Place) -> Term | None:
    """Turn |x| f(x) into f, where f is a function and no variable."""
    parameters, body = term.kids[:2]
    if body.kind != t.CALL or body.value or not parameters.kids or term.value:
        return None
    function, *arguments = body.kids
    if len(arguments) != len(parameters.kids) or not _is_function(function):
        return None
    for parameter, argument in zip(parameters.kids, arguments, strict=True):
        if parameter.kind != t.PARAM or parameter.kids[0].kind != t.BIND or parameter.kids[1].kind != t.NONE:
            return None
        if argument.kind != t.NAME or argument.value is not parameter.kids[0].value:
            return None
    return function


def _is_function(term: Term) -> bool:
    if term.kind == t.ATTR:
        return bool(term.value == "::")
    return term.kind == t.NAME and not (isinstance(term.value, Binding) and term.value.kind in (LOCAL, PARAMETER))


RULES: Final = (
    Rule("result at the end of a function", (t.BLOCK,), _result, RUST),
    Rule("last condition as a value", (t.BLOCK,), _last_value, RUST),
    Rule("condition as a value", _VALUED, _inner_value, RUST),
    Rule("value in braces", (t.DECLARE, t.ASSIGN, t.RETURN, t.CALL, t.EXPR), _plain_block, RUST),
    Rule("if let as match", (t.SWITCH,), _matched, RUST),
    Rule("field of the same name", (t.PAIR,), _same_name, RUST),
    Rule("what a loop iterates by itself", (t.EACH,), _plain_iteration, RUST),
    Rule("function instead of a closure", (t.LAMBDA,), _plain_closure, RUST),
    Rule("names in a format string", (t.CALL,), _named, RUST),
)
