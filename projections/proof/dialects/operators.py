"""Operators, numbers and other things that languages with braces share."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from tree_sitter import Node

from linetrail.projections.proof.dialects.lowering import Parts, at, spread
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

# A statement with what is noted about it: an import that is only made under a condition.
NOTED: Final = "common:noted"

_COMPARISONS: Final = frozenset(("==", "!=", "<", ">", "<=", ">="))
_LOGIC: Final = {"&&": "and", "||": "or"}


def binary(node: Node, parts: Parts) -> Term:
    """Lower a node with `left`, `operator` and `right`."""
    by = dict(parts)
    operator, left, right = str(by["operator"].value), by["left"], by["right"]
    logic = _LOGIC.get(operator)
    if logic is not None:
        return at(node, t.LOGIC, logic, [*_operands(left, logic), *_operands(right, logic)])
    return at(node, t.COMPARE if operator in _COMPARISONS else t.BINARY, operator, (left, right))


def unary(node: Node, parts: Parts) -> Term:
    """Lower an operator and its operand, in the order of the text."""
    first, last = parts[0][1], parts[-1][1]
    if first.kind != t.TOKEN:
        return at(node, t.UNARY, f"_{last.value}", (first,))
    return at(node, t.NOT if first.value == "!" else t.UNARY, "" if first.value == "!" else first.value, (last,))


def update(node: Node, parts: Parts) -> Term:
    """Lower `++x` and `x--`."""
    first, last = parts[0][1], parts[-1][1]
    if first.kind == t.TOKEN:
        return at(node, t.UNARY, f"{first.value}_", (last,))
    return at(node, t.UNARY, f"_{last.value}", (first,))


def assignment(node: Node, parts: Parts) -> Term:
    """Lower a node with `left`, `right` and perhaps `operator`."""
    by = dict(parts)
    operator = str(by["operator"].value) if "operator" in by else "="
    return at(node, t.ASSIGN if operator == "=" else t.AUGMENT, operator, (by["left"], by["right"]))


def effect(node: Node, expression: Term) -> Term:
    """Return an expression as a statement; an assignment is one."""
    if expression.kind in (t.ASSIGN, t.AUGMENT):
        return expression
    return at(node, t.EXPR, "", (expression,))


def body(statement: Term | None) -> Term:
    """Return the block that a statement is as the body of another; "bare" says that it has no braces."""
    if statement is None or statement is ABSENT:
        return Term(t.BLOCK, "bare")
    if statement.kind == t.BLOCK:
        return statement
    return Term(t.BLOCK, "bare", (statement,), line=statement.line, start=statement.start, end=statement.end)


def renamed(term: Term, kind: str) -> Term:
    """Return a name as another kind of name; anything else as it is."""
    return term.but(kind=kind) if term.kind == t.NAME else term


def typed(term: Term) -> Term:
    """Return a type as a TYPE, also where it is a mere name."""
    if term.kind in (t.TYPE, t.NONE):
        return term
    return Term(t.TYPE, "", (term,), line=term.line, start=term.start, end=term.end)


def dotted(term: Term) -> str:
    """Return a path of names as text."""
    if term.kind == t.ATTR:
        return f"{dotted(term.kids[0])}{term.value}{term.kids[1].value}"
    return str(term.value)


def decorators(terms: Iterable[Term]) -> Term:
    """Return what is said about a declaration."""
    return Term(t.DECORATORS, "", tuple(terms))


def attached(items: Iterable[Term], is_note: Callable[[Term], bool]) -> list[Term]:
    """Put groups apart, and what is noted about a declaration among its decorators, about anything else around it."""
    made: list[Term] = []
    notes: list[Term] = []
    for item in items:
        if is_note(item):
            notes.append(item)
        else:
            made += [_noted(one, notes) if notes else one for one in spread((item,))]
            notes = []
    return made + notes


def unnamed(parameters: Term) -> Term:
    """Return the parameters of a mere type: nothing can use their names."""
    return parameters.but(kids=[_unnamed(kid) for kid in parameters.kids])


def words(text: str) -> frozenset[str]:
    """Return the words of a text as a set of names."""
    return frozenset(text.split())


def number(kind: str, spelling: str) -> tuple[str, str]:
    """Return a number as every formatter spells it: in small letters, with nothing between the digits."""
    return kind, spelling.replace("_", "").lower()


def constant(spelling: str) -> tuple[str, str]:
    """Return a word of the language that is a value."""
    return "constant", spelling


def _noted(item: Term, notes: Sequence[Term]) -> Term:
    if item.kind not in (t.FUNCTION, t.CLASS, t.DECLARE):
        return Term(NOTED, "", (*notes, item), line=notes[0].line, start=notes[0].start, end=item.end)
    said = item.kids[-1]
    if said.kind == t.DECORATORS:
        return item.but(kids=(*item.kids[:-1], said.but(kids=(*notes, *said.kids))))
    return item.but(kids=(*item.kids, decorators(notes)))


def _unnamed(parameter: Term) -> Term:
    if parameter.kind != t.PARAM or parameter.kids[0].kind != t.BIND:
        return parameter
    return parameter.but(kids=(parameter.kids[0].but(kind="unused"), *parameter.kids[1:]))


def _operands(term: Term, logic: str) -> Iterable[Term]:
    return term.kids if term.kind == t.LOGIC and term.value == logic else (term,)
