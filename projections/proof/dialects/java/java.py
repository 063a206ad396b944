"""Lower Java to terms.

Methods and variables have name spaces of their own: `size = size()` is no use of the variable. So the name of a method
ends with "()", wherever it stands.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from tree_sitter import Node

from linetrail.projections.proof.dialects.java import statements as java_statements
from linetrail.projections.proof.dialects.java import types as java_types
from linetrail.projections.proof.dialects.java.statements import declarations
from linetrail.projections.proof.dialects.java.types import annotated, modified, sized
from linetrail.projections.proof.dialects.lowering import (
    Atom,
    Grammar,
    Parts,
    Rule,
    at,
    besides,
    lowered,
    named,
    spread,
    tagged,
)
from linetrail.projections.proof.dialects.operators import constant, decorators, dotted, number, renamed, typed
from linetrail.projections.proof.dialects.remarks import COMMENT
from linetrail.projections.proof.dialects.tables import table
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.dialect import Dialect, Lowered
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


def _member_of(node: Node, parts: Parts) -> Term:
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


_EXPRESSIONS: Final[dict[str, Rule]] = {
    "cast_expression": _cast,
    "class_literal": _class_literal,
    "explicit_constructor_invocation": _constructor_call,
    "field_access": _member_of,
    "inferred_parameters": _inferred,
    "instanceof_expression": _instance,
    "lambda_expression": _lambda,
    "method_invocation": _call,
    "method_reference": _reference,
    "object_creation_expression": _creation,
    "record_pattern_component": _pattern,
    "type_pattern": _pattern,
}


_BASES: Final = ("type_parameters", "superclass", "interfaces", "extends_interfaces", "permits")


def _class(keyword: str) -> Rule:
    def rule(node: Node, parts: Parts) -> Term:
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


def _body(node: Node, parts: Parts) -> Term:
    return at(node, t.BLOCK, "", map(_member, spread(named(parts))))


def _member(term: Term) -> Term:
    """Return a class in a class as its member."""
    if term.kind != t.CLASS or term.kids[0].kind != t.BIND:
        return term
    return term.but(kids=(term.kids[0].but(kind=t.MEMBER), *term.kids[1:]))


def _constant(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    _, annotations = modified(parts)
    made = list(by["arguments"].kids) if "arguments" in by else []
    if "body" in by:
        made.append(at(node, t.CLASS, ("anonymous",), (ABSENT, Term(t.BASES), by["body"], decorators(()))))
    value = at(node, "java:constant", "()" if "arguments" in by else "", made)
    said = (decorators(annotations),) if annotations else ()
    return at(node, t.DECLARE, ("constant",), (renamed(by["name"], t.MEMBER), ABSENT, value, *said))


def _field(node: Node, parts: Parts) -> Term:
    return declarations(node, parts, "field", t.MEMBER)


def _method(node: Node, parts: Parts) -> Term:
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


def _constructor(node: Node, parts: Parts) -> Term:
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


def _parameter(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    words, annotations = modified(parts)
    kind = annotated(sized(typed(by["type"]), by.get("dimensions", ABSENT)), annotations)
    return at(node, t.PARAM, words, (renamed(by["name"], t.BIND), kind, ABSENT))


def _rest(node: Node, parts: Parts) -> Term:
    """Lower the last parameter, `int... x`."""
    words, annotations = modified(parts)
    declarator = tagged(parts, "variable_declarator")[0]
    before = next(at for at, (tag, _) in enumerate(parts) if tag == "...")
    kind = next(term for tag, term in parts[:before] if tag != "modifiers" and term.kind != "java:annotation")
    name, dimensions, _ = declarator.kids
    shape = annotated(sized(typed(kind), dimensions), annotations)
    return at(node, t.PARAM, ("...", *words), (renamed(name, t.BIND), shape, ABSENT))


def _package(node: Node, parts: Parts) -> Term:
    *annotations, name = named(parts)
    return at(node, "java:package", dotted(name), annotations)


def _import(node: Node, parts: Parts) -> Term:
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


_DECLARATIONS: Final[dict[str, Rule]] = {
    "annotation_type_body": _body,
    "annotation_type_declaration": _class("@interface"),
    "annotation_type_element_declaration": _method,
    "class_body": _body,
    "class_declaration": _class("class"),
    "compact_constructor_declaration": _constructor,
    "constant_declaration": _field,
    "constructor_declaration": _constructor,
    "enum_body": _body,
    "enum_constant": _constant,
    "enum_declaration": _class("enum"),
    "field_declaration": _field,
    "formal_parameter": _parameter,
    "import_declaration": _import,
    "interface_body": _body,
    "interface_declaration": _class("interface"),
    "method_declaration": _method,
    "package_declaration": _package,
    "record_declaration": _class("record"),
    "spread_parameter": _rest,
}


_TABLE: Final = table("java")
_LINE_END: Final = re.compile(r"\r\n?")


def _string(spelling: str) -> tuple[str, str]:
    """Return a string as it is spelled; a text block without the margin that its value does not have."""
    if not spelling.startswith('"""'):
        return "str", spelling[1:-1]
    _, *lines = _LINE_END.sub("\n", spelling[3:-3]).split("\n")
    last = len(lines) - 1
    margins = [len(line) - len(line.lstrip()) for at, line in enumerate(lines) if line.strip() or at == last]
    margin = min(margins, default=0)
    return "text", "\n".join(line[margin:].rstrip() for line in lines)


_ATOMS: Final[dict[str, Atom]] = {
    "binary_integer_literal": lambda text: number("int", text),
    "character_literal": lambda text: ("char", text[1:-1]),
    "decimal_floating_point_literal": lambda text: number("float", text),
    "decimal_integer_literal": lambda text: number("int", text),
    "false": constant,
    "hex_floating_point_literal": lambda text: number("float", text),
    "hex_integer_literal": lambda text: number("int", text),
    "null_literal": constant,
    "octal_integer_literal": lambda text: number("int", text),
    "string_literal": _string,
    "true": constant,
}
_GRAMMAR: Final = Grammar(
    language="java",
    rules={
        **_TABLE.rules,
        **java_types.RULES,
        **_EXPRESSIONS,
        **java_statements.RULES,
        **_DECLARATIONS,
    },
    leaves=_TABLE.leaves,
    atoms=_ATOMS,
    comments=frozenset(("line_comment", "block_comment")),
    remark=lambda _node, _text: COMMENT,
    units=frozenset(("method_declaration", "constructor_declaration")),
)


class Java(Dialect):
    """The dialect of Java."""

    name = "java"
    scoping = "flow"
    packages = True
    builtins = _TABLE.builtins

    def lower(self, root: Node, source: bytes, seen: dict[bytes, Sequence[Term]]) -> Lowered:
        """Return the terms of a file."""
        return lowered(_GRAMMAR, root, source, seen)

    def is_private(self, _name: str, declaration: Term, _module: Term) -> bool:
        """Return whether a name is an import: every class is visible in its package at least."""
        return declaration.kind in (t.IMPORT, t.NONE)

    def private_members(self, modules: Sequence[Term]) -> frozenset[str]:
        """Return the names that are private wherever these files declare them."""
        private: set[str] = set()
        others: set[str] = set(_TABLE.words["by_name"])
        for member in (one for module in modules for one in _members(module)):
            (private if _is_private(member) else others).add(str(member.kids[0].value))
        return frozenset(private - others)

    def modules(self, path: str, written: str, _flags: Sequence[str]) -> Sequence[str]:
        """Return the files that can hold the class `written`, or the class around it, seen from `path`."""
        names = written.split(".")
        folders = path.split("/")[:-1]
        roots = ["/".join(folders[:depth]) for depth in range(len(folders), -1, -1)]
        classes = [names[:end] for end in range(len(names), max(len(names) - 2, 0), -1)]
        return ["/".join((*filter(None, (root,)), *parts)) + ".java" for parts in classes for root in roots]


def _members(module: Term) -> Iterator[Term]:
    """Yield what declares a member: a method, a field, a class in a class."""
    for one in module.walk():
        if one.kids and one.kids[0].kind == t.MEMBER:
            yield one


def _is_private(member: Term) -> bool:
    flags = member.value if isinstance(member.value, tuple) else ()
    if "private" not in flags or "native" in flags:
        return False
    notes = (note for kid in member.kids if kid.kind == t.DECORATORS for note in kid.kids)
    return all(note.kids and str(note.kids[0].value) in _TABLE.words["harmless"] for note in notes)
