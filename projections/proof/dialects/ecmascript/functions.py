"""Lower ECMAScript's functions and classes to terms."""

from collections.abc import Iterable
from typing import Final

from linetrail.projections.proof.dialects.ecmascript.expressions import instantiated
from linetrail.projections.proof.dialects.ecmascript.patterns import DEFAULT, bound, key, member
from linetrail.projections.proof.dialects.ecmascript.tree import Construct
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

_KEYS: Final = (
    "property_identifier",
    "private_property_identifier",
    "string",
    "number",
    "computed_property_name",
)
_ANNOTATIONS: Final = ("type_annotation", "asserts_annotation", "type_predicate_annotation")
_MODIFIERS: Final = ("accessibility_modifier", "override_modifier")
# Words before a name that a program feels, and words and signs that only its types know.
_FELT: Final = frozenset(("async", "*", "get", "set", "static", "accessor"))
_TYPED: Final = frozenset(("readonly", "abstract", "declare", "?", "!"))
_PARAMETER: Final = "ecmascript:parameter"


def flags(construct: Construct, *first: str) -> tuple[str, ...]:
    """Return what stands before and behind a name; what only types know begins with `type:` and comes last."""
    felt = [*first]
    typed = [f"type:{word.value}" for word in construct.all(*_MODIFIERS)]
    for token in construct.tokens:
        if token in _FELT:
            felt.append(token)
        elif token in _TYPED:
            typed.append(f"type:{token}")
        elif token == "static get":  # noqa: S105  two words that the grammar takes for one
            felt += ("static", "get")
    return (*felt, *sorted(typed))


def _named(construct: Construct) -> Term:
    name = construct.of("identifier", "type_identifier")
    return name.but(kind=t.BIND) if name.kind == t.NAME else name


def _function(construct: Construct) -> Term:
    return construct.term(t.FUNCTION, flags(construct), _parts(construct, _named(construct)))


def _expression(construct: Construct) -> Term:
    return construct.term(t.FUNCTION, flags(construct, "expression"), _parts(construct, _named(construct)))


def _signature(construct: Construct) -> Term:
    """Return what a function looks like: nothing is left of it when the program runs."""
    return construct.term(t.TYPE, "", [_function(construct)])


def _method(construct: Construct) -> Term:
    """Return a method under the key it has in an object; a class makes a member of it."""
    return construct.term(t.FUNCTION, flags(construct), _parts(construct, key(construct.of(*_KEYS))))


def _member_signature(construct: Construct) -> Term:
    return construct.term(t.TYPE, "", [_method(construct)])


def _parts(construct: Construct, name: Term) -> list[Term]:
    parameters = construct.of("formal_parameters")
    generics = construct.of("type_parameters")
    if generics.kind == t.TYPE:
        parameters = parameters.but(kids=[generics, *parameters.kids])
    return [name, parameters, construct.of("statement_block"), construct.of(*_ANNOTATIONS), _decorators(construct)]


def _decorators(construct: Construct) -> Term:
    return Term(t.DECORATORS, "", construct.all("decorator"))


def _arrow(construct: Construct) -> Term:
    parameters = construct.of("formal_parameters")
    if parameters.kind == t.NONE:
        parameters = construct.term(t.PARAMS, "", [_parameter(construct.terms[0])])
    generics = construct.of("type_parameters")
    if generics.kind == t.TYPE:
        parameters = parameters.but(kids=[generics, *parameters.kids])
    parts = [parameters, construct.terms[-1], construct.of(*_ANNOTATIONS)]
    return construct.term(t.LAMBDA, flags(construct), parts)


def _parameters(construct: Construct) -> Term:
    return construct.term(t.PARAMS, "", [_parameter(term) for term in construct.terms])


def _parameter(term: Term) -> Term:
    """Return a parameter; what has types around it is one already."""
    if term.kind in (t.PARAM, t.TYPE):
        return term
    if term.kind == t.SPREAD:
        return _at(term, ("...",), [bound(term.kids[0]), ABSENT, ABSENT])
    if term.kind == DEFAULT:
        return _at(term, (), [bound(term.kids[0]), ABSENT, term.kids[1]])
    return _at(term, (), [bound(term), ABSENT, ABSENT])


def _at(term: Term, value: tuple[str, ...], kids: list[Term]) -> Term:
    return Term(t.PARAM, value, kids, line=term.line, start=term.start, end=term.end)


def _typed_parameter(construct: Construct) -> Term:
    """Return a parameter with its type; one with a modifier is a field of the class, too."""
    decorators = construct.all("decorator")
    rest = construct.terms[len(decorators) :]
    while rest and rest[0].kind == t.TOKEN:
        rest = rest[1:]
    pattern, *others = rest
    if pattern.value == "this" and pattern.kind == t.NAME:
        return construct.term(t.TYPE, "this", others)
    typed = construct.of("type_annotation")
    values = [term for term in others if term is not typed]
    plain = _parameter(pattern)
    name = plain.kids[0]
    words = flags(construct)
    is_field = "type:readonly" in words or bool(construct.all(*_MODIFIERS))
    if is_field or decorators:
        field = name.but(kind=t.MEMBER) if is_field else ABSENT
        name = construct.term(_PARAMETER, "", [name, field, Term(t.DECORATORS, "", decorators)])
    value = values[0] if values else plain.kids[2]
    return construct.term(t.PARAM, (*_flags_of(plain), *words), [name, typed, value])


def _flags_of(term: Term) -> tuple[str, ...]:
    return term.value if isinstance(term.value, tuple) else ()


def _class(construct: Construct) -> Term:
    words = ("class", "type:abstract") if "abstract" in construct.tokens else ("class",)
    if construct.node.type == "class":
        words = (*words, "expression")
    generics = construct.all("type_parameters")
    bases = Term(t.BASES, "", [*generics, *construct.of("class_heritage").kids])
    parts = [_named(construct), bases, construct.of("class_body"), _decorators(construct)]
    return construct.term(t.CLASS, words, parts)


def _heritage(construct: Construct) -> Term:
    kids = [kid for term in construct.terms for kid in (term.kids if term.kind == t.BASES else (term,))]
    return construct.term(t.BASES, "", kids)


def _extends(construct: Construct) -> Term:
    bases: list[Term] = []
    for kind, term in zip(construct.kinds, construct.terms, strict=True):
        if kind == "type_arguments" and bases:
            bases[-1] = instantiated(construct, bases[-1], term)
        else:
            bases.append(term)
    return construct.term(t.BASES, "", bases)


def _body(construct: Construct) -> Term:
    """Return the members of a class; decorators stand beside a method in one grammar and within it in the other."""
    members: list[Term] = []
    decorators: list[Term] = []
    for kind, term in zip(construct.kinds, construct.terms, strict=True):
        if kind == "decorator":
            decorators.append(term)
        else:
            members.append(_as_member(term, decorators))
            decorators = []
    return construct.term(t.BLOCK, "", [*members, *decorators])


def _as_member(term: Term, decorators: Iterable[Term] = ()) -> Term:
    if term.kind == t.TYPE and term.kids and term.kids[0].kind in (t.FUNCTION, t.DECLARE):
        return term.but(kids=[_as_member(term.kids[0], decorators)])
    if term.kind == t.FUNCTION:
        *parts, own = term.kids
        own = own.but(kids=[*decorators, *own.kids])
        return term.but(kids=[member(parts[0]), *parts[1:], own])
    return term


def members_of_type(terms: Iterable[Term]) -> list[Term]:
    """Return the members of an interface or of the type of an object."""
    return [_as_member(term.kids[0] if term.kind == t.TYPE and term.value == "" else term) for term in terms]


def _field(construct: Construct) -> Term:
    words = flags(construct, "field")
    named = member(construct.of(*_KEYS))
    typed = construct.of("type_annotation")
    at = construct.terms.index(construct.of(*_KEYS)) if named.kind != t.NONE else 0
    values = [term for term in construct.terms[at + 1 :] if term is not typed]
    decorators = construct.all("decorator")
    parts = [named, typed, values[0] if values and values[0].kind != t.NONE else ABSENT]
    parts += [Term(t.DECORATORS, "", decorators)] if decorators else []
    made = construct.term(t.DECLARE, words, parts)
    only_type = "type:declare" in words or "type:abstract" in words
    return construct.term(t.TYPE, "", [made]) if only_type else made


def _enum(construct: Construct) -> Term:
    words = ("enum", "const") if "const" in construct.tokens else ("enum",)
    parts = [_named(construct), Term(t.BASES), construct.of("enum_body"), Term(t.DECORATORS)]
    return construct.term(t.CLASS, words, parts)


def _enum_body(construct: Construct) -> Term:
    members = [
        term if term.kind == t.DECLARE else Term(t.DECLARE, ("field",), [member(term), ABSENT, ABSENT], line=term.line)
        for term in construct.terms
    ]
    return construct.term(t.BLOCK, "", members)


CONSTRUCTS: Final = {
    "function_declaration": _function,
    "generator_function_declaration": _function,
    "function_expression": _expression,
    "generator_function": _expression,
    "function_signature": _signature,
    "arrow_function": _arrow,
    "method_definition": _method,
    "method_signature": _member_signature,
    "abstract_method_signature": _member_signature,
    "formal_parameters": _parameters,
    "required_parameter": _typed_parameter,
    "optional_parameter": _typed_parameter,
    "class_declaration": _class,
    "abstract_class_declaration": _class,
    "class": _class,
    "class_heritage": _heritage,
    "extends_clause": _extends,
    "class_body": _body,
    "field_definition": _field,
    "public_field_definition": _field,
    "enum_declaration": _enum,
    "enum_body": _enum_body,
}
