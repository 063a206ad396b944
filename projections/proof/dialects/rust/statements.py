"""Lower Rust's blocks and control flow, which are expressions.

`if let P = v` is lowered as a `match` of two arms: its names are seen in its body alone.
"""

from typing import Final

from tree_sitter import Node

from linetrail.projections.proof.dialects.lowering import GROUP, Parts, Rule, at, named, one, signs, tagged
from linetrail.projections.proof.dialects.operators import attached, typed
from linetrail.projections.proof.dialects.rust.patterns import bound, declared
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

_STATEMENT: Final = "rust:statement"
_EMPTY: Final = "rust:empty"
_LET: Final = "rust:let"
_JUMPS: Final = frozenset((t.RETURN, t.BREAK, t.CONTINUE))
# Expressions that end with a block, and so need no semicolon.
_BLOCKS: Final = frozenset((t.BLOCK, t.EACH, t.IF, t.LABEL, t.SWITCH, t.WHILE, "rust:block"))
_ITEMS: Final = frozenset(
    (
        t.CLASS,
        t.DECLARE,
        t.FUNCTION,
        t.IMPORT,
        GROUP,
        "rust:attribute",
        "rust:extern",
        "rust:inner_attribute",
        "rust:offered",
    )
)


def is_attribute(term: Term) -> bool:
    """Return whether a term is an attribute of what follows."""
    return term.kind == "rust:attribute"


def items(parts: Parts) -> list[Term]:
    """Return declarations with their attributes."""
    return attached((statement(term) for term in named(parts) if term.kind != _EMPTY), is_attribute)


def statement(term: Term) -> Term:
    """Return what stands in a block or file as a statement."""
    if term.kind != _STATEMENT:
        return term
    expression = term.kids[0]
    if expression.kind in _JUMPS or expression.kind in _BLOCKS:
        return expression
    return effect_of(term, expression)


def effect_of(place: Term, expression: Term, value: str = "") -> Term:
    """Return an expression as a statement; "tail" says that it is the value of its block."""
    if not value and expression.kind in (t.ASSIGN, t.AUGMENT):
        return expression
    return Term(t.EXPR, value, (expression,), line=place.line, start=place.start, end=place.end)


def block(node: Node, parts: Parts) -> Term:
    """Lower a block; its last expression is its value."""
    found = named(parts)
    label = found.pop(0) if parts and parts[0][0] == "label" else None
    made = [statement(term) for term in found if term.kind != _EMPTY]
    if found and found[-1].kind == _EMPTY and made and made[-1].kind in _BLOCKS:
        # `{ match x { … }; }` has no value
        made[-1] = effect_of(made[-1], made[-1])
    elif made and _is_value(found[-1]):
        made[-1] = effect_of(made[-1], found[-1].kids[0] if found[-1].kind == _STATEMENT else found[-1], "tail")
    whole = at(node, t.BLOCK, "", attached(made, is_attribute))
    return whole if label is None else at(node, t.LABEL, "", (label, whole))


def _is_value(last: Term) -> bool:
    """Return whether the last part of a block is its value, and not a jump or a block that shows it itself."""
    kind = last.kids[0].kind if last.kind == _STATEMENT else last.kind
    if kind in _JUMPS or kind in _BLOCKS or kind in _ITEMS:
        return False
    return last.kind != _STATEMENT or not last.value


def arm(body: Term) -> Term:
    """Return the body of an arm or closure; braces around one expression say nothing."""
    if body.kind != t.BLOCK or body.value or len(body.kids) != 1:
        return body
    only = body.kids[0]
    if only.kind == t.EXPR and only.value == "tail":
        return only.kids[0]
    return only if only.kind in _JUMPS or only.kind in _BLOCKS else body


def _expression(node: Node, parts: Parts) -> Term:
    ends = ";" if any(tag == ";" for tag, _ in parts) else ""
    return at(node, _STATEMENT, ends, named(parts))


def _let(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    value = by.get("value", ABSENT)
    flags = ("let", "mut") if "mutable_specifier" in by else ("let",)
    if "alternative" in by:
        value = at(node, "rust:else", "", (value, by["alternative"]))
    return at(node, t.DECLARE, flags, (declared(by["pattern"]), typed(by.get("type", ABSENT)), value))


def _condition(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    return at(node, _LET, "", (bound(by["pattern"]), by["value"]))


def _if(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    test, then, otherwise = by["condition"], by["consequence"], by.get("alternative", ABSENT)
    first, *rest = test.kids if test.kind == t.LOGIC and test.value == "and" else (test,)
    if first.kind == _LET and not any(one.kind == _LET for one in rest):
        pattern, value = first.kids
        guard = one(rest) if len(rest) < 2 else Term(t.LOGIC, "and", rest, line=test.line)
        arms = [at(node, t.CASE, "", (pattern, guard, then))]
        if otherwise is not ABSENT:
            arms.append(at(node, t.CASE, "", (ABSENT, ABSENT, otherwise)))
        return at(node, t.SWITCH, ("if let",), (value, *arms))
    if otherwise.kind not in (t.NONE, t.IF, t.BLOCK):
        otherwise = Term(t.BLOCK, "bare", (otherwise,), line=otherwise.line)
    made = at(node, t.IF, "", (test, then, otherwise))
    return at(node, t.BLOCK, "if let", (made,)) if any(one.kind == _LET for one in (first, *rest)) else made


def _labelled(node: Node, parts: Parts, made: Term) -> Term:
    label = tagged(parts, "label")
    return at(node, t.LABEL, "", (label[0], made)) if label else made


def _while(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    test = by["condition"]
    made = at(node, t.WHILE, "", (test, by["body"], ABSENT))
    tests = test.kids if test.kind == t.LOGIC else (test,)
    if any(one.kind == _LET for one in tests):
        # a scope for the names that the condition declares
        made = at(node, t.BLOCK, "while let", (made,))
    return _labelled(node, parts, made)


def _loop(node: Node, parts: Parts) -> Term:
    return _labelled(node, parts, at(node, t.WHILE, "loop", (ABSENT, dict(parts)["body"], ABSENT)))


def _for(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    made = at(node, t.EACH, ("in",), (declared(by["pattern"]), by["value"], by["body"], ABSENT))
    return _labelled(node, parts, made)


def _arm(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    attributes = [term for tag, term in parts if tag in ("attribute_item", "inner_attribute_item")]
    pattern, guard = by["pattern"].kids
    return at(node, t.CASE, "", (pattern, guard, arm(by["value"]), *attributes))


def _closure(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    flags = tuple(word for word in signs(parts) if word not in ("->", "_"))
    return at(node, t.LAMBDA, flags, (by["parameters"], arm(by["body"]), typed(by.get("return_type", ABSENT))))


def _jump(node: Node, parts: Parts) -> Term:
    label = one(tagged(parts, "label"))
    value = one([term for tag, term in parts if tag != "label" and term.kind != t.TOKEN])
    return at(node, t.BREAK, "", (label, value))


def _label(node: Node, parts: Parts) -> Term:
    return at(node, t.FIELD, f"'{named(parts)[0].value}")


RULES: Final[dict[str, Rule]] = {
    "block": block,
    "break_expression": _jump,
    "closure_expression": _closure,
    "expression_statement": _expression,
    "for_expression": _for,
    "if_expression": _if,
    "label": _label,
    "let_condition": _condition,
    "let_declaration": _let,
    "loop_expression": _loop,
    "match_arm": _arm,
    "while_expression": _while,
}
