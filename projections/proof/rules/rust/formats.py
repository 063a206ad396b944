"""Rules of Rust's format strings: what is put into one by position is a name in it."""

from collections.abc import Iterator, Sequence
from re import compile as pattern
from typing import Final

from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

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


RULES: Final = (Rule("names in a format string", (t.CALL,), _named, frozenset(("rust",))),)
