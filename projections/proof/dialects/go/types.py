"""Lower what Go writes for types and signatures."""

from typing import Final

from tree_sitter import Node

from linetrail.projections.proof.dialects.lowering import GROUP, Parts, Rule, at, besides, named, spread, tagged
from linetrail.projections.proof.dialects.operators import decorators, renamed, typed, unnamed
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

BLANK: Final = "go:blank"
# The type of a function whose results have names: they are among its parameters.
_NAMED: Final = Term(t.TYPE, "named")


def bound(term: Term) -> Term:
    """Return names as they are declared; `_` declares nothing."""
    if term.kind == t.TUPLE:
        return term.but(kids=[bound(kid) for kid in term.kids])
    return term.but(kind=BLANK) if term.value == "_" else renamed(term, t.BIND)


def signature(parts: Parts) -> tuple[Term, Term]:
    """Return the parameters of a function, results with names among them, and the type of its result."""
    by = dict(parts)
    own = by["parameters"]
    generic = spread(by["type_parameters"].kids) if "type_parameters" in by else []
    receiver = [kid.but(value=("receiver",)) for kid in by["receiver"].kids] if "receiver" in by else []
    results, kind = _result(by.get("result", ABSENT))
    extra = generic or receiver or results
    return (own.but(kids=(*receiver, *generic, *own.kids, *results)) if extra else own), kind


def _result(result: Term) -> tuple[list[Term], Term]:
    if result.kind != t.PARAMS:
        return [], typed(result)
    if any(one.kids[0] is not ABSENT for one in result.kids):
        return [one.but(value=("result", *_flags(one))) for one in result.kids], _NAMED
    types = [one.kids[1] for one in result.kids]
    if len(types) < 2:
        return [], types[0] if types else ABSENT
    return [], Term(t.TYPE, "()", types, line=result.line)


def _flags(parameter: Term) -> tuple[str, ...]:
    return parameter.value if isinstance(parameter.value, tuple) else ()


def _channel(node: Node, parts: Parts) -> Term:
    words = "".join(str(term.value) for _, term in parts if term.kind == t.TOKEN)
    return at(node, t.TYPE, words, map(typed, named(parts)))


def _function(node: Node, parts: Parts) -> Term:
    parameters, kind = signature(parts)
    return at(node, t.TYPE, "func", (unnamed(parameters), kind))


def parameter(node: Node, parts: Parts) -> Term:
    """Return a parameter per name; "," says that the next one has the same type."""
    names = tagged(parts, "name")
    kind = typed(dict(parts)["type"])
    dots = ("...",) if any(tag == "..." for tag, _ in parts) else ()
    if not names:
        return at(node, t.PARAM, dots, (ABSENT, kind, ABSENT))
    made = [_parameter(name, (*dots, ","), kind) for name in names[:-1]]
    made.append(_parameter(names[-1], dots, kind))
    return at(node, GROUP, "", made)


def _parameter(name: Term, flags: tuple[str, ...], kind: Term) -> Term:
    kids = (bound(name), kind, ABSENT)
    return Term(t.PARAM, flags, kids, line=name.line, start=name.start, end=name.end)


def _type_parameter(node: Node, parts: Parts) -> Term:
    names = tagged(parts, "name")
    kind = dict(parts)["type"]
    made = [_parameter(name, ("type", ","), kind) for name in names[:-1]]
    return at(node, GROUP, "", (*made, _parameter(names[-1], ("type",), kind)))


def _field(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    kind = typed(by["type"])
    tag = by.get("tag", ABSENT)
    names = tagged(parts, "name")
    if not names:
        flags = ("embedded", "*") if "*" in by else ("embedded",)
        return at(node, t.DECLARE, flags, (ABSENT, kind, tag))
    made = [_named_field(name, ("field", ","), kind, tag) for name in names[:-1]]
    made.append(_named_field(names[-1], ("field",), kind, tag))
    return at(node, GROUP, "", made)


def _named_field(name: Term, flags: tuple[str, ...], kind: Term, tag: Term) -> Term:
    made = name.but(kind=BLANK) if name.value == "_" else name.but(kind=t.MEMBER)
    return Term(t.DECLARE, flags, (made, kind, tag), line=name.line, start=name.start, end=name.end)


def _method(node: Node, parts: Parts) -> Term:
    parameters, kind = signature(parts)
    name = dict(parts)["name"].but(kind=t.MEMBER)
    return at(node, t.FUNCTION, ("interface",), (name, parameters, ABSENT, kind, decorators(())))


def declared_type(node: Node, parts: Parts) -> Term:
    """Lower the declaration of a type: a struct and an interface are classes."""
    by = dict(parts)
    name, kind = bound(by["name"]), typed(by["type"])
    generic = spread(by["type_parameters"].kids) if "type_parameters" in by else []
    if kind.value in ("struct", "interface") and "=" not in by:
        body = next((kid for kid in kind.kids if kid.kind == t.BLOCK), Term(t.BLOCK))
        return at(node, t.CLASS, (str(kind.value),), (name, Term(t.BASES, "", generic), body, decorators(())))
    flags = ("type", "=") if "=" in by else ("type",)
    return at(node, t.DECLARE, flags, (name, ABSENT, Term(t.TYPE, "", (kind, *generic)) if generic else kind))


def _union(node: Node, parts: Parts) -> Term:
    kinds = [typed(term) for term in besides(parts)]
    return kinds[0] if len(kinds) == 1 else at(node, t.TYPE, "|", kinds)


RULES: Final[dict[str, Rule]] = {
    "channel_type": _channel,
    "field_declaration": _field,
    "function_type": _function,
    "method_elem": _method,
    "parameter_declaration": parameter,
    "type_alias": declared_type,
    "type_constraint": _union,
    "type_elem": _union,
    "type_parameter_declaration": _type_parameter,
    "type_spec": declared_type,
    "variadic_parameter_declaration": parameter,
}
