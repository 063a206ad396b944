"""Lower macros: their arguments are tokens, which only the macro can read.

Still they hold names. An identifier among them may be any name of that text, so it is a NAME, and so is what a format
string takes from around it: `"{total}"`. A renaming that forgets one of them is seen.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from tree_sitter import Node

from linetrail.projections.proof.dialects.lowering import Parts, Rule, at, besides, named
from linetrail.projections.proof.dialects.operators import renamed
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

_TOKENS: Final = "rust:tokens"
_REPEATED: Final = "repeated"
_CALLABLE: Final = frozenset((t.NAME, t.FIELD, t.TYPE, "rust:metavariable"))
_HOLE: Final = re.compile(r"\{\{|\}\}|\{(?P<name>[^\W\d]\w*)?(?P<form>\s*(?::[^{}]*)?)\}")
_COMMENT: Final = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_WIDTH: Final = re.compile(r"([^\W\d]\w*)\$")


def macro_name(term: Term, kind: str | None = None) -> Term:
    """Return the name of a macro: macros have a name space of their own."""
    if term.kind == t.ATTR:
        return term.but(kids=(term.kids[0], macro_name(term.kids[1])))
    return term.but(kind=kind, value=f"{term.value}!") if term.kind in (t.NAME, t.FIELD) else term


def unwrapped(tokens: Term) -> Term:
    """Return the tokens of a macro call without the brackets around them: any pair means the same."""
    return tokens.but(kids=(tokens if _is(tokens.kids[0], "{") else settled(tokens, called=False)).kids[1:-1])


def settled(tokens: Term, *, called: bool) -> Term:
    """Leave out a last comma that says nothing: in a call or a list, but not in `(a,)`, nor behind a repetition."""
    kids = tokens.kids
    if tokens.value or len(kids) < 4 or not _is(kids[-2], ",") or kids[-3].value == _REPEATED:
        return tokens
    if _is(kids[0], "(") and not called and not any(_is(kid, ",") for kid in kids[1:-2]):
        return tokens
    return tokens.but(kids=(*kids[:-2], kids[-1]))


def _invocation(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    arguments = [unwrapped(term) if term.kind == _TOKENS else term for term in besides(parts, "macro")]
    return at(node, t.CALL, "macro", (macro_name(by["macro"]), *arguments))


def _tokens(node: Node, parts: Parts) -> Term:
    return at(node, _TOKENS, "", _all_read([term for _, term in parts]))


def _matcher(node: Node, parts: Parts) -> Term:
    return at(node, _TOKENS, "pattern", _all_read([term for _, term in parts]))


def _all_read(terms: Sequence[Term]) -> Iterator[Term]:
    given = {one.value for place, one in enumerate(terms) if _is_given(terms, place)}
    for place, term in enumerate(terms):
        if not _is(term, ",") or place + 1 == len(terms) or not _is(terms[place + 1], ">"):
            yield _read(terms, place, given)


def _repetition(node: Node, parts: Parts) -> Term:
    """Lower `$(…),*`, between whose parts the grammar leaves the separator out."""
    text, start = node.text or b"", node.start_byte
    made: Parts = []
    end = start
    for tag, term in parts:
        missing = _COMMENT.sub(b"", text[end - start : term.start - start]).strip()
        if missing:
            made.append(("separator", at(node, t.TOKEN, missing.decode("utf-8", "surrogateescape"))))
        made.append((tag, term))
        end = term.end
    return at(node, _TOKENS, _REPEATED, _all_read([term for _, term in made]))


def _is_given(terms: Sequence[Term], place: int) -> bool:
    """Return whether a name is that of an argument: `, name = `."""
    if not 0 < place < len(terms) - 1 or terms[place].kind != t.NAME:
        return False
    return _is(terms[place + 1], "=") and _is(terms[place - 1], ",")


def _read(terms: Sequence[Term], place: int, given: set[object]) -> Term:
    term = terms[place]
    before = terms[place - 1] if place else ABSENT
    if term.kind == t.LIT and isinstance(term.value, tuple) and term.value[0] in ("str", "raw"):
        return template(term, given)
    if term.kind == _TOKENS:
        return settled(term, called=before.kind in _CALLABLE or _is(before, ">"))
    if term.kind != t.NAME:
        return term
    if place + 2 < len(terms) and _is(terms[place + 1], "!") and terms[place + 2].kind == _TOKENS:
        return macro_name(term)
    behind = _is(before, ".") or _is(before, "::")
    return term.but(kind=t.FIELD) if behind or _is_given(terms, place) else term


def _is(term: Term, token: str) -> bool:
    return term.kind == t.TOKEN and term.value == token


def template(literal: Term, given: set[object]) -> Term:
    """Return a string with the names that a format string would take from around it."""
    sort, text = literal.value if isinstance(literal.value, tuple) else ("str", "")
    if "{" not in text:
        return literal
    pieces = list(_pieces(str(text), str(sort), given))
    if all(piece.kind == t.LIT for piece in pieces):
        return literal
    return literal.but(kind=t.TEMPLATE, value=sort, kids=pieces)


def _pieces(text: str, sort: str, given: set[object]) -> Iterator[Term]:
    end = 0
    for hole in _HOLE.finditer(text):
        name, form = hole["name"], hole["form"] or ""
        widths = _WIDTH.findall(form)
        if not name and not widths:
            continue
        if text[end : hole.start()]:
            yield Term(t.LIT, (sort, text[end : hole.start()]))
        names = [Term(t.FIELD if one in given else t.NAME, one) for one in (name, *widths) if one]
        first = names.pop(0) if name else ABSENT
        yield Term(t.HOLE, "", (first, ABSENT, Term(t.LIT, ("format", form)), *names))
        end = hole.end()
    if text[end:]:
        yield Term(t.LIT, (sort, text[end:]))


def _definition(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    rules = at(node, "rust:rules", "", besides(parts, "name"))
    return at(node, t.DECLARE, ("macro",), (macro_name(by["name"], t.BIND), ABSENT, rules))


def _rule(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    return at(node, "rust:rule", "", (unwrapped(by["left"]), unwrapped(by["right"])))


def _attribute(node: Node, parts: Parts) -> Term:
    made = [
        term.but(kids=settled(term, called=True).kids[1:-1]) if term.kind == _TOKENS else term for term in named(parts)
    ]
    return at(node, "rust:attribute", "", [renamed(made[0], t.NAME), *made[1:]])


RULES: Final[dict[str, Rule]] = {
    "attribute": _attribute,
    "macro_definition": _definition,
    "macro_invocation": _invocation,
    "macro_rule": _rule,
    "token_repetition": _repetition,
    "token_repetition_pattern": _repetition,
    "token_tree": _tokens,
    "token_tree_pattern": _matcher,
}
