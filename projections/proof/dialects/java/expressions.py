"""Lower Java's expressions.

Methods and variables have name spaces of their own: `size = size()` is no use of the variable. So the name of a method
ends with "()", wherever it stands.
"""

from typing import Final

from tree_sitter import Node

from linetrail.projections.proof.dialects.lowering import Parts, Rule, at, besides, named, tagged
from linetrail.projections.proof.dialects.operators import decorators, renamed, typed
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term


def method_name(term: Term, kind: str) -> Term:
    """Return an identifier as the name of a method."""
    return term.but(kind=kind, value=f"{term.value}()")


def parameter(name: Term) -> Term:
    """Return a parameter of which only the name is written."""
    return Term(t.PARAM, (), (renamed(name, t.BIND), ABSENT, ABSENT), line=name.line, start=name.start, end=name.end)


def _call(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    owner = by.get("object")
    if "super" in by:
        owner = by["super"] if owner is None else Term(t.ATTR, ".", (owner, by["super"].but(kind=t.FIELD)))
    if owner is None:
        callee = method_name(by["name"], t.NAME)
    else:
        callee = at(node, t.ATTR, ".", (owner, method_name(by["name"], t.FIELD)))
    return at(node, t.CALL, "", (_specialised(callee, by), *by["arguments"].kids))


def _specialised(callee: Term, by: dict[str, Term]) -> Term:
    arguments = by.get("type_arguments")
    return callee if arguments is None else Term("java:specialised", "", (callee, *arguments.kids), line=callee.line)


def _constructor_call(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    callee = by["constructor"] if "object" not in by else Term(t.ATTR, ".", (by["object"], by["constructor"]))
    return at(node, t.EXPR, "", (at(node, t.CALL, "", (_specialised(callee, by), *by["arguments"].kids)),))


def _creation(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    made = _specialised(typed(by["type"]), by)
    rest = besides(parts, "type", "arguments", "type_arguments", "class_body")
    if rest:
        # the object around an inner one, and annotations
        made = Term("java:within", "", (made, *rest), line=made.line)
    body = by.get("class_body")
    kids = [made, *by["arguments"].kids]
    if body is not None:
        kids.append(at(node, t.CLASS, ("anonymous",), (ABSENT, Term(t.BASES), body, decorators(()))))
    return at(node, t.CALL, "new", kids)


def _field(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    owner = by["object"]
    if "super" in by:
        owner = Term(t.ATTR, ".", (owner, by["super"].but(kind=t.FIELD)))
    return at(node, t.ATTR, ".", (owner, renamed(by["field"], t.FIELD)))


def _reference(node: Node, parts: Parts) -> Term:
    owner, *rest = [term for tag, term in parts if tag != "::"]
    last = rest[-1]
    name = last.but(kind=t.FIELD) if last.kind == t.TOKEN else method_name(last, t.FIELD)
    return at(node, t.ATTR, "::", (owner, name, *rest[:-1]))


def _cast(node: Node, parts: Parts) -> Term:
    types = [typed(term) for term in tagged(parts, "type")]
    return at(node, t.CAST, "()", (dict(parts)["value"], types[0] if len(types) == 1 else Term(t.TYPE, "&", types)))


def _instance(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    if "pattern" in by:
        return at(node, "java:instanceof", "", (by["left"], by["pattern"]))
    kind = typed(by["right"])
    if "name" in by:
        words = ("pattern", "final") if "final" in by else ("pattern",)
        kind = at(node, t.DECLARE, words, (renamed(by["name"], t.BIND), kind, ABSENT))
    return at(node, "java:instanceof", "", (by["left"], kind))


def _pattern(node: Node, parts: Parts) -> Term:
    """Lower a type and a name in a pattern."""
    words = tuple(str(term.value) for _, term in parts if term.kind == t.TOKEN)
    found = named(parts)
    return at(node, t.DECLARE, ("pattern", *words), (renamed(found[-1], t.BIND), typed(found[0]), ABSENT, *found[1:-1]))


def _lambda(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    parameters = by["parameters"]
    if parameters.kind == t.NAME:
        parameters = Term(t.PARAMS, "", (parameter(parameters),), line=parameters.line)
    return at(node, t.LAMBDA, (), (parameters, by["body"], ABSENT))


def _inferred(node: Node, parts: Parts) -> Term:
    return at(node, t.PARAMS, "", map(parameter, named(parts)))


def _class_literal(node: Node, parts: Parts) -> Term:
    return at(node, t.ATTR, ".", (typed(parts[0][1]), Term(t.FIELD, "class")))


RULES: Final[dict[str, Rule]] = {
    "cast_expression": _cast,
    "class_literal": _class_literal,
    "explicit_constructor_invocation": _constructor_call,
    "field_access": _field,
    "inferred_parameters": _inferred,
    "instanceof_expression": _instance,
    "lambda_expression": _lambda,
    "method_invocation": _call,
    "method_reference": _reference,
    "object_creation_expression": _creation,
    "record_pattern_component": _pattern,
    "type_pattern": _pattern,
}
