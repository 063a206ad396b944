"""Lower Go's statements."""

from typing import TYPE_CHECKING, Final

from linetrail.projections.proof.dialects import operators
from linetrail.projections.proof.dialects.go.types import bound
from linetrail.projections.proof.dialects.lowering import (
    Parts,
    Rule,
    at,
    besides,
    one,
    spread,
    tagged,
)
from linetrail.projections.proof.dialects.operators import typed
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

if TYPE_CHECKING:
    from tree_sitter import Node

_NEW: Final = (":=",)


def _short(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    return at(node, t.DECLARE, _NEW, (bound(by["left"]), ABSENT, by["right"]))


def _step(node: "Node", parts: Parts) -> Term:
    return at(node, t.EXPR, "", (operators.update(node, parts),))


def _initialised(node: "Node", parts: Parts, made: Term) -> Term:
    """Put what stands before a condition into a block around the statement: it is seen in all of it."""
    first = tagged(parts, "initializer")
    return at(node, t.BLOCK, "init", (*first, made)) if first else made


def _if(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    made = at(node, t.IF, "", (by["condition"], by["consequence"], by.get("alternative", ABSENT)))
    return _initialised(node, parts, made)


def _for(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    body = by["body"]
    head = next(iter(besides(parts, "body")), ABSENT)
    if head.kind == t.FOR:
        first, test, last = head.kids
        # `for ; test; {` and `for test {` are one to gofmt
        if first is not ABSENT or last is not ABSENT:
            return at(node, t.FOR, "", (first, test, last, body))
        head = test
    if head.kind == t.EACH:
        return at(node, t.EACH, head.value, (*head.kids, body, ABSENT))
    return at(node, t.WHILE, "", (head, body, ABSENT))


def _range(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    target = by.get("left", ABSENT)
    if ":=" in by:
        target = at(node, t.DECLARE, _NEW, (bound(target), ABSENT, ABSENT))
    return at(node, t.EACH, ("range",), (target, by["right"]))


def _switch(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    made = at(node, t.SWITCH, (), (by.get("value", ABSENT), *besides(parts, "initializer", "value")))
    return _initialised(node, parts, made)


def _type_switch(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    subject = by["value"]
    if "alias" in by:
        subject = at(node, t.DECLARE, _NEW, (bound(by["alias"]), ABSENT, subject))
    cases = besides(parts, "initializer", "value", "alias")
    return _initialised(node, parts, at(node, t.SWITCH, ("type",), (subject, *cases)))


def _case(node: "Node", parts: Parts) -> Term:
    value = one([typed(term) for term in tagged(parts, "type") if term.kind != t.TOKEN])
    pattern = one(tagged(parts, "value", "communication")) if value is ABSENT else value
    body = spread(besides(parts, "value", "communication", "type"))
    return at(node, t.CASE, "", (pattern, ABSENT, at(node, t.BLOCK, "bare", body)))


def _received(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    if "left" not in by:
        return at(node, t.EXPR, "", (by["right"],))
    if ":=" in by:
        return _short(node, parts)
    return at(node, t.ASSIGN, "=", (by["left"], by["right"]))


def _labelled(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    return at(node, t.LABEL, "", (by["label"], one(spread(besides(parts, "label")), t.BLOCK)))


RULES: Final[dict[str, Rule]] = {
    "communication_case": _case,
    "dec_statement": _step,
    "default_case": _case,
    "expression_case": _case,
    "expression_switch_statement": _switch,
    "for_statement": _for,
    "if_statement": _if,
    "inc_statement": _step,
    "labeled_statement": _labelled,
    "range_clause": _range,
    "receive_statement": _received,
    "type_case": _case,
    "type_switch_statement": _type_switch,
}
