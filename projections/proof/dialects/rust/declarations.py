"""Lower what Rust declares: functions, types, traits, implementations and modules."""

from typing import Final

from tree_sitter import Node

from linetrail.projections.proof.dialects.lowering import Parts, Rule, at, named, signs, spread, tagged
from linetrail.projections.proof.dialects.operators import attached, decorators, typed
from linetrail.projections.proof.dialects.rust.statements import is_attribute, items
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

_MODIFIERS: Final = "rust:modifiers"
# An import that is there even if nothing here uses it: a module of the crate, or what others take from here.
OFFERED: Final = "rust:offered"


def visibility(parts: Parts) -> tuple[str, ...]:
    """Return `pub` and the like as a flag."""
    return tuple(str(term.value) for term in tagged(parts, "visibility_modifier"))


def _function(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    words = by["function_modifiers"].value if "function_modifiers" in by else ()
    own = by["parameters"]
    generic = spread(by["type_parameters"].kids) if "type_parameters" in by else []
    parameters = own.but(kids=(*generic, *own.kids)) if generic else own
    result = typed(by.get("return_type", ABSENT))
    if result.kind == t.TYPE and result.value == "()" and not result.kids:
        result = ABSENT
    if "where_clause" in by:
        result = Term(t.TYPE, "where", (result, *by["where_clause"].kids), line=result.line)
    flags = (*visibility(parts), *(words if isinstance(words, tuple) else ()))
    kids = (_name(by["name"]), parameters, by.get("body", ABSENT), result, decorators(()))
    return at(node, t.FUNCTION, flags, kids)


def _name(term: Term, kind: str = t.BIND) -> Term:
    return term.but(kind=kind) if term.kind == t.NAME else term


def _modifiers(node: Node, parts: Parts) -> Term:
    return at(node, _MODIFIERS, tuple(str(term.value) for _, term in parts))


def _extern(node: Node, parts: Parts) -> Term:
    abi = [term.value[1] for term in named(parts) if isinstance(term.value, tuple)]
    return at(node, t.TOKEN, f'extern "{abi[0] if abi else "C"}"')


def _class(keyword: str) -> Rule:
    def rule(node: Node, parts: Parts) -> Term:
        by = dict(parts)
        words = tuple(word for word in signs(parts) if word != keyword)
        generic = spread(by["type_parameters"].kids) if "type_parameters" in by else []
        bases = [*generic, *tagged(parts, "bounds", "where_clause")]
        body = by.get("body", ABSENT)
        if keyword == "trait":
            body = body.but(kids=[_member(kid) for kid in body.kids])
        kids = (_name(by["name"]), Term(t.BASES, "", bases), body, decorators(()))
        return at(node, t.CLASS, (keyword, *words, *visibility(parts)), kids)

    return rule


def _member(term: Term) -> Term:
    """Return what an implementation or a trait declares as its member."""
    if term.kind not in (t.FUNCTION, t.DECLARE) or not term.kids:
        return term
    return term.but(kids=(_as_member(term.kids[0]), *term.kids[1:]))


def _as_member(name: Term) -> Term:
    return name.but(kind=t.MEMBER) if name.kind == t.BIND else name


def _implementation(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    words = tuple(word for word in signs(parts) if word not in ("impl", "for"))
    generic = spread(by["type_parameters"].kids) if "type_parameters" in by else []
    trait = [Term(t.TYPE, "trait", (by["trait"],), line=by["trait"].line)] if "trait" in by else []
    bases = [*generic, *trait, typed(by["type"]), *tagged(parts, "where_clause")]
    body = by.get("body", ABSENT)
    members = body.but(kids=[_member(kid) for kid in body.kids])
    return at(node, t.CLASS, ("impl", *words), (ABSENT, Term(t.BASES, "", bases), members, decorators(())))


def _field(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    kids = (by["name"].but(kind=t.MEMBER), typed(by["type"]), by.get("value", ABSENT))
    return at(node, t.DECLARE, ("field", *visibility(parts)), kids)


def _positions(node: Node, parts: Parts) -> Term:
    """Lower the fields of a tuple struct: each type with what stands before it."""
    made: list[Term] = []
    seen: tuple[str, ...] = ()
    for tag, term in parts:
        if tag == "type":
            made.append(Term(t.DECLARE, ("field", *seen), (ABSENT, typed(term), ABSENT), line=term.line))
            seen = ()
        elif tag == "visibility_modifier":
            seen = (str(term.value),)
        elif term.kind != t.TOKEN:
            made.append(term)
    return at(node, t.BLOCK, "()", attached(made, is_attribute))


def _variant(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    body = by.get("body", ABSENT)
    # whoever sees a variant sees its fields
    fields = body.but(kids=[_visible(kid) for kid in body.kids]) if body is not ABSENT else body
    kids = (_name(by["name"], t.MEMBER), fields, by.get("value", ABSENT))
    return at(node, t.DECLARE, ("variant", *visibility(parts)), kids)


def _visible(field: Term) -> Term:
    return field.but(value=("field", "pub")) if field.kind == t.DECLARE else field


def _body(node: Node, parts: Parts) -> Term:
    return at(node, t.BLOCK, "", items(parts))


def _value(keyword: str, *tags: str) -> Rule:
    """Return the rule for a constant or a type: a name, a type, and what it is."""
    kind_tag, value_tag = tags

    def rule(node: Node, parts: Parts) -> Term:
        by = dict(parts)
        words = tuple(word for word in signs(parts) if word not in (keyword, ":", "="))
        kind, value = typed(by.get(kind_tag, ABSENT)), by.get(value_tag, ABSENT)
        extra = spread(tagged(parts, "type_parameters", "where_clause"))
        if keyword == "type":
            value = typed(value)
        if extra:
            value = Term("rust:generic", "", (value, *extra), line=value.line)
        name = _name(by["name"]) if by["name"].value != "_" else by["name"]
        return at(node, t.DECLARE, (keyword, *words, *visibility(parts)), (name, kind, value))

    return rule


def _module(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    if "body" not in by:
        name = str(by["name"].value)
        alias = at(node, t.ALIAS, "*", (_name(by["name"]),))
        return at(node, OFFERED, "", (at(node, t.IMPORT, (name, "mod", *visibility(parts)), (alias,)),))
    words = tuple(word for word in signs(parts) if word != "mod")
    kids = (_name(by["name"]), Term(t.BASES), by["body"], decorators(()))
    return at(node, t.CLASS, ("mod", *words, *visibility(parts)), kids)


def _foreign(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    flags = (*signs(parts), *visibility(parts))
    return at(node, "rust:extern", flags, by["body"].kids if "body" in by else ())


def _file(node: Node, parts: Parts) -> Term:
    return at(node, t.MODULE, "", items(parts))


def _variadic(node: Node, parts: Parts) -> Term:
    pattern = next(iter(named(parts)), ABSENT)
    return at(node, t.PARAM, signs(parts), (_name(pattern), ABSENT, ABSENT))


RULES: Final[dict[str, Rule]] = {
    "associated_type": _value("type", "bounds", "type"),
    "const_item": _value("const", "type", "value"),
    "declaration_list": _body,
    "enum_item": _class("enum"),
    "enum_variant": _variant,
    "enum_variant_list": _body,
    "extern_modifier": _extern,
    "field_declaration": _field,
    "field_declaration_list": _body,
    "foreign_mod_item": _foreign,
    "function_item": _function,
    "function_modifiers": _modifiers,
    "function_signature_item": _function,
    "impl_item": _implementation,
    "mod_item": _module,
    "ordered_field_declaration_list": _positions,
    "source_file": _file,
    "static_item": _value("static", "type", "value"),
    "struct_item": _class("struct"),
    "trait_item": _class("trait"),
    "type_item": _value("type", "bounds", "type"),
    "union_item": _class("union"),
    "variadic_parameter": _variadic,
}
