"""Lower ECMAScript's expressions to terms."""

from typing import Final

from linetrail.projections.proof.dialects.ecmascript.literals import line_feeds, text_value
from linetrail.projections.proof.dialects.ecmascript.tree import Construct
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term, is_optional

# What stands between the parentheses of a call, until the call takes it over.
LOGIC: Final = {"&&": "and", "||": "or", "??": "??"}
_COMPARISONS: Final = frozenset(("<", "<=", ">", ">=", "==", "===", "!=", "!==", "in", "instanceof"))


def _parenthesized(construct: Construct) -> Term:
    first, *rest = construct.terms
    return construct.term(t.CAST, ":", [first, *rest]) if rest else first


def instantiated(construct: Construct, value: Term, types: Term) -> Term:
    """Return a function or class with the types it is used for."""
    return construct.term(t.CAST, "<>", [value, types]) if types.kind == t.TYPE else value


def _object_of(construct: Construct, *, optional: bool) -> Term:
    """Return what a member is taken from; parentheses around `a?.b` end what is skipped, unless `?.` follows."""
    term = construct.terms[0]
    if optional or construct.kinds[0] not in ("parenthesized_expression", "non_null_expression"):
        return term
    node = construct.nodes[0]
    while node.type == "non_null_expression":
        node = node.children[0]
    if node.type == "parenthesized_expression" and is_optional(term):
        return construct.term("ecmascript:parenthesized", "", [term])
    return term


def _is_skipping(construct: Construct) -> bool:
    """Return whether this link of a chain is `?.`; not all grammars have a node for it."""
    return "optional_chain" in construct.kinds or "?." in construct.tokens


def _member(construct: Construct) -> Term:
    optional = _is_skipping(construct)
    parts = [_object_of(construct, optional=optional), construct.terms[-1]]
    return construct.term(t.ATTR, "?." if optional else ".", parts)


def _subscript(construct: Construct) -> Term:
    optional = _is_skipping(construct)
    parts = [_object_of(construct, optional=optional), construct.terms[-1]]
    return construct.term(t.INDEX, "?." if optional else "", parts)


def _call(construct: Construct) -> Term:
    optional = _is_skipping(construct)
    callee = instantiated(construct, _object_of(construct, optional=optional), construct.of("type_arguments"))
    if construct.kinds[-1] == "template_string":
        return construct.term("ecmascript:tagged", "", [callee, _as_written(construct)])
    return construct.term(t.CALL, "?." if optional else "", [callee, *construct.terms[-1].kids])


def _new(construct: Construct) -> Term:
    callee = instantiated(construct, construct.terms[0], construct.of("type_arguments"))
    return construct.term(t.CALL, "new", [callee, *construct.of("arguments").kids])


def _binary(construct: Construct) -> Term:
    operator = construct.tokens[0]
    if operator in LOGIC:
        value = LOGIC[operator]
        operands: list[Term] = []
        for term in construct.terms:
            operands += term.kids if term.kind == t.LOGIC and term.value == value else (term,)
        return construct.term(t.LOGIC, value, operands)
    return construct.term(t.COMPARE if operator in _COMPARISONS else t.BINARY, operator, construct.terms)


def _unary(construct: Construct) -> Term:
    operator = construct.tokens[0]
    kind = {"!": t.NOT, "delete": t.DELETE}.get(operator, t.UNARY)
    return construct.term(kind, operator if kind == t.UNARY else "", construct.terms)


def _update(construct: Construct) -> Term:
    operator = construct.tokens[0]
    prefix = not construct.node.children[0].is_named
    return construct.term(t.UNARY, f"{operator}_" if prefix else f"_{operator}", construct.terms)


def _assignment(construct: Construct) -> Term:
    return construct.term(t.ASSIGN, "using" if "using" in construct.tokens else "=", construct.terms)


def _yield(construct: Construct) -> Term:
    return construct.term(t.YIELD, "*" if "*" in construct.tokens else "", construct.terms or [ABSENT])


def _sequence(construct: Construct) -> Term:
    parts: list[Term] = []
    for term in construct.terms:
        parts += term.kids if term.kind == t.SEQUENCE else (term,)
    return construct.term(t.SEQUENCE, "", parts)


def _template(construct: Construct) -> Term:
    pieces: list[Term] = []
    spelled = ""
    for kind, term in zip(construct.kinds, construct.terms, strict=True):
        if kind == "template_substitution":
            pieces += _stretch(construct, spelled)
            pieces.append(term)
            spelled = ""
        else:
            spelled += str(term.value)
    return construct.term(t.TEMPLATE, "", [*pieces, *_stretch(construct, spelled)])


def _stretch(construct: Construct, spelled: str) -> list[Term]:
    return [construct.term(t.LIT, text_value(line_feeds(spelled)))] if spelled else []


def _as_written(construct: Construct) -> Term:
    """Return the template of a tagged one: its function is shown how the text is spelled."""
    node, template = construct.nodes[-1], construct.terms[-1]
    holes = [kid for kid in template.kids if kid.kind == t.HOLE]
    edges = [node.start_byte + 1, *(edge for hole in holes for edge in (hole.start, hole.end)), node.end_byte - 1]
    pieces: list[Term] = []
    for at, (start, end) in enumerate(zip(edges[::2], edges[1::2], strict=True)):
        spelled = construct.source[start:end].decode("utf-8", "surrogateescape")
        pieces += [Term(t.LIT, ("raw", line_feeds(spelled)))] if spelled else []
        pieces += holes[at : at + 1]
    return template.but(kids=pieces)


def _meta(construct: Construct) -> Term:
    return construct.term("ecmascript:meta_property", "".join(construct.tokens))


def _as(construct: Construct) -> Term:
    """Return a value that is taken for one of another type; `as const` has no node for its type."""
    operand, *types = construct.terms
    found = types or [construct.term(t.TOKEN, "const")]
    return construct.term(t.CAST, construct.tokens[0], [operand, construct.term(t.TYPE, "", found)])


def _instantiation(construct: Construct) -> Term:
    return instantiated(construct, construct.terms[0], construct.terms[-1])


CONSTRUCTS: Final = {
    "parenthesized_expression": _parenthesized,
    "member_expression": _member,
    "subscript_expression": _subscript,
    "call_expression": _call,
    "new_expression": _new,
    "binary_expression": _binary,
    "unary_expression": _unary,
    "update_expression": _update,
    "assignment_expression": _assignment,
    "yield_expression": _yield,
    "sequence_expression": _sequence,
    "template_string": _template,
    "meta_property": _meta,
    "as_expression": _as,
    "satisfies_expression": _as,
    "instantiation_expression": _instantiation,
}
