"""Lower TypeScript's types to terms: all of them stand in TYPE terms, since nothing of them is left at run time."""

from typing import Final

from linetrail.projections.proof.dialects.ecmascript.functions import flags, members_of_type
from linetrail.projections.proof.dialects.ecmascript.patterns import member
from linetrail.projections.proof.dialects.ecmascript.tree import Construct
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

# The type of an object, written out.
OBJECT: Final = "ecmascript:object_type"
_KEYS: Final = ("property_identifier", "private_property_identifier", "string", "number", "computed_property_name")


def _type_parameter(construct: Construct) -> Term:
    name, *rest = construct.terms
    words = "const" if "const" in construct.tokens else ""
    return construct.term("ecmascript:type_parameter", words, [name.but(kind=t.BIND), *rest])


def _inner(construct: Construct) -> Term:
    """Return a type without parentheses, or a literal as the type of itself."""
    return construct.terms[0] if construct.terms else construct.term(t.TOKEN, construct.text())


def _joined(construct: Construct) -> Term:
    """Return all types of a union or intersection; a sign before the first says nothing."""
    kind = f"ecmascript:{construct.node.type}"
    types: list[Term] = []
    for term in construct.terms:
        types += term.kids if term.kind == kind else (term,)
    return construct.term(kind, "", types) if len(types) > 1 else types[0]


def _tuple(construct: Construct) -> Term:
    """Return a tuple; the names of its parts are for people."""
    return construct.term("ecmascript:tuple_type", "", [_without_binding(term) for term in construct.terms])


def _without_binding(term: Term) -> Term:
    if term.kind != t.PARAM:
        return term
    pattern, *rest = term.kids
    return term.but(kids=[pattern.but(kind=t.FIELD) if pattern.kind == t.BIND else pattern, *rest])


def _members(construct: Construct) -> Term:
    return construct.term(t.BLOCK, "", members_of_type(construct.terms))


def _object(construct: Construct) -> Term:
    return construct.term(OBJECT, "", members_of_type(construct.terms))


def _property(construct: Construct) -> Term:
    parts = [member(construct.of(*_KEYS)), construct.of("type_annotation"), ABSENT]
    return construct.term(t.DECLARE, flags(construct, "field"), parts)


def _function_type(construct: Construct) -> Term:
    """Return the type of a function: a function without a body, whose names nobody outside sees."""
    parameters = construct.of("formal_parameters")
    generics = construct.of("type_parameters")
    if generics.kind == t.TYPE:
        parameters = parameters.but(kids=[generics, *parameters.kids])
    words = tuple(token for token in construct.tokens if token in ("new", "abstract"))
    last = construct.terms[-1]
    result = last if last.kind == t.TYPE else construct.term(t.TYPE, "", [last])
    result = ABSENT if construct.kinds[-1] == "formal_parameters" else result
    return construct.term(t.FUNCTION, ("signature", *words), [ABSENT, parameters, ABSENT, result, Term(t.DECORATORS)])


def _index(construct: Construct) -> Term:
    """Return an index signature; the name of its key is for people."""
    words = " ".join(token for token in construct.tokens if token in ("readonly", "-", "+"))
    terms = [
        term.but(kind=t.FIELD) if kind == "identifier" else term
        for kind, term in zip(construct.kinds, construct.terms, strict=True)
    ]
    return construct.term("ecmascript:index_signature", words, terms)


def _interface(construct: Construct) -> Term:
    bases = Term(t.BASES, "", [*construct.all("type_parameters"), *construct.of("extends_type_clause").kids])
    parts = [construct.terms[0].but(kind=t.BIND), bases, construct.terms[-1], Term(t.DECORATORS)]
    return construct.term(t.TYPE, "", [construct.term(t.CLASS, ("interface",), parts)])


def _alias(construct: Construct) -> Term:
    bases = Term(t.BASES, "", construct.all("type_parameters"))
    body = construct.term(t.BLOCK, "", [construct.terms[-1]])
    parts = [construct.terms[0].but(kind=t.BIND), bases, body, Term(t.DECORATORS)]
    return construct.term(t.TYPE, "", [construct.term(t.CLASS, ("type",), parts)])


def _ambient(construct: Construct) -> Term:
    words = [construct.term(t.TOKEN, token) for token in construct.tokens if token not in ("declare", ";")]
    return construct.term(t.TYPE, "declare", [*words, *construct.terms])


CONSTRUCTS: Final = {
    "type_parameter": _type_parameter,
    "parenthesized_type": _inner,
    "literal_type": _inner,
    "union_type": _joined,
    "intersection_type": _joined,
    "tuple_type": _tuple,
    "object_type": _object,
    "interface_body": _members,
    "property_signature": _property,
    "function_type": _function_type,
    "constructor_type": _function_type,
    "call_signature": _function_type,
    "construct_signature": _function_type,
    "index_signature": _index,
    "interface_declaration": _interface,
    "type_alias_declaration": _alias,
    "ambient_declaration": _ambient,
}
