"""Lower what Java declares: imports, classes and their members."""

from typing import TYPE_CHECKING, Final

from linetrail.projections.proof.dialects.java.expressions import method_name
from linetrail.projections.proof.dialects.java.statements import declarations
from linetrail.projections.proof.dialects.java.types import annotated, modified, sized
from linetrail.projections.proof.dialects.lowering import Parts, Rule, at, besides, named, spread, tagged
from linetrail.projections.proof.dialects.operators import decorators, dotted, renamed, typed
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

if TYPE_CHECKING:
    from tree_sitter import Node

_BASES: Final = ("type_parameters", "superclass", "interfaces", "extends_interfaces", "permits")


def _class(keyword: str) -> Rule:
    def rule(node: "Node", parts: Parts) -> Term:
        by = dict(parts)
        words, annotations = modified(parts)
        bases = spread(tagged(parts, *_BASES))
        if "parameters" in by:
            # the components of a record are its members
            bases.append(by["parameters"].but(kids=[_component(kid) for kid in by["parameters"].kids]))
        name = by["name"]
        members = by["body"].but(kids=[_unnamed(kid, name) for kid in by["body"].kids])
        kids = (renamed(name, t.BIND), Term(t.BASES, "", bases), members, decorators(annotations))
        return at(node, t.CLASS, (keyword, *words), kids)

    return rule


def _component(parameter: Term) -> Term:
    name, *rest = parameter.kids
    return parameter.but(kids=(name.but(kind=t.MEMBER) if name.kind == t.BIND else name, *rest))


def _unnamed(member: Term, class_name: Term) -> Term:
    """Leave the name of its class out of a constructor."""
    if member.kind != t.FUNCTION or member.kids[0].kind != t.NAME or member.kids[0].value != class_name.value:
        return member
    return member.but(kids=(ABSENT, *member.kids[1:]))


def _members(node: "Node", parts: Parts) -> Term:
    return at(node, t.BLOCK, "", map(_member, spread(named(parts))))


def _member(term: Term) -> Term:
    """Return a class in a class as its member."""
    if term.kind != t.CLASS or term.kids[0].kind != t.BIND:
        return term
    return term.but(kids=(term.kids[0].but(kind=t.MEMBER), *term.kids[1:]))


def _constant(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    _, annotations = modified(parts)
    made = list(by["arguments"].kids) if "arguments" in by else []
    if "body" in by:
        made.append(at(node, t.CLASS, ("anonymous",), (ABSENT, Term(t.BASES), by["body"], decorators(()))))
    value = at(node, "java:constant", "()" if "arguments" in by else "", made)
    said = (decorators(annotations),) if annotations else ()
    return at(node, t.DECLARE, ("constant",), (renamed(by["name"], t.MEMBER), ABSENT, value, *said))


def _field(node: "Node", parts: Parts) -> Term:
    return declarations(node, parts, "field", t.MEMBER)


def _method(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    words, annotations = modified(parts)
    made = _thrown(sized(typed(by["type"]), by.get("dimensions", ABSENT)), by)
    kids = (
        method_name(by["name"], t.MEMBER),
        _parameters(parts),
        by.get("body", ABSENT),
        made,
        decorators(annotations),
    )
    return at(node, t.FUNCTION, words, (*kids, by["value"]) if "value" in by else kids)


def _constructor(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    words, annotations = modified(parts)
    kids = (by["name"], _parameters(parts), by["body"], _thrown(ABSENT, by), decorators(annotations))
    return at(node, t.FUNCTION, ("constructor", *words), kids)


def _thrown(made: Term, by: dict[str, Term]) -> Term:
    return Term(t.TYPE, "throws", (made, *by["throws"].kids), line=made.line) if "throws" in by else made


def _parameters(parts: Parts) -> Term:
    by = dict(parts)
    generic = spread(tagged(parts, "type_parameters"))
    if "parameters" not in by:
        return Term(t.PARAMS, "compact" if "block" in by or "body" in by else "", generic)
    own = by["parameters"]
    return own.but(kids=(*generic, *own.kids)) if generic else own


def _parameter(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    words, annotations = modified(parts)
    kind = annotated(sized(typed(by["type"]), by.get("dimensions", ABSENT)), annotations)
    return at(node, t.PARAM, words, (renamed(by["name"], t.BIND), kind, ABSENT))


def _rest(node: "Node", parts: Parts) -> Term:
    """Lower the last parameter, `int... x`."""
    words, annotations = modified(parts)
    declarator = tagged(parts, "variable_declarator")[0]
    before = next(at for at, (tag, _) in enumerate(parts) if tag == "...")
    kind = next(term for tag, term in parts[:before] if tag != "modifiers" and term.kind != "java:annotation")
    name, dimensions, _ = declarator.kids
    shape = annotated(sized(typed(kind), dimensions), annotations)
    return at(node, t.PARAM, ("...", *words), (renamed(name, t.BIND), shape, ABSENT))


def _package(node: "Node", parts: Parts) -> Term:
    *annotations, name = named(parts)
    return at(node, "java:package", dotted(name), annotations)


def _import(node: "Node", parts: Parts) -> Term:
    by = dict(parts)
    path = dotted(besides(parts, "asterisk")[0])
    static = ("static",) if "static" in by else ()
    if "asterisk" in by:
        return at(node, t.IMPORT, (path, "wildcard", *static))
    owner, _, name = path.rpartition(".")
    # a static import brings the variable and the methods of its name
    names = (name, f"{name}()") if static else (name,)
    aliases = [at(node, t.ALIAS, text, (at(node, t.BIND, text),)) for text in names]
    return at(node, t.IMPORT, (owner if static else path, *static), aliases)


RULES: Final[dict[str, Rule]] = {
    "annotation_type_body": _members,
    "annotation_type_declaration": _class("@interface"),
    "annotation_type_element_declaration": _method,
    "class_body": _members,
    "class_declaration": _class("class"),
    "compact_constructor_declaration": _constructor,
    "constant_declaration": _field,
    "constructor_declaration": _constructor,
    "enum_body": _members,
    "enum_constant": _constant,
    "enum_declaration": _class("enum"),
    "field_declaration": _field,
    "formal_parameter": _parameter,
    "import_declaration": _import,
    "interface_body": _members,
    "interface_declaration": _class("interface"),
    "method_declaration": _method,
    "package_declaration": _package,
    "record_declaration": _class("record"),
    "spread_parameter": _rest,
}
