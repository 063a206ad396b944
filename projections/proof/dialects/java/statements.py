"""Lower Java's statements."""

from typing import Final

from tree_sitter import Node

from linetrail.projections.proof.dialects.java.types import annotated, modified, sized
from linetrail.projections.proof.dialects.lowering import (
    GROUP,
    Parts,
    Rule,
    at,
    besides,
    named,
    one,
    spread,
    tagged,
)
from linetrail.projections.proof.dialects.operators import body, decorators, effect, renamed, typed
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

_LABEL: Final = "java:label"
_DECLARATOR: Final = "java:declarator"


def declarations(node: Node, parts: Parts, sort: str, leaf: str) -> Term:
    """Return one declaration per name; "," says that it shares its type with the one before."""
    words, annotations = modified(parts)
    kind = typed(dict(parts)["type"])
    made: list[Term] = []
    for name, dimensions, value in (term.kids for _, term in parts if term.kind == _DECLARATOR):
        flags = (sort, *words, ",") if made else (sort, *words)
        said = (decorators(annotations),) if annotations else ()
        made.append(at(node, t.DECLARE, flags, (renamed(name, leaf), sized(kind, dimensions), value, *said)))
    return at(node, GROUP, "", made)


def _local(node: Node, parts: Parts) -> Term:
    return declarations(node, parts, "local", t.BIND)


def _expression(node: Node, parts: Parts) -> Term:
    return effect(node, parts[0][1])


def _if(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    otherwise = by.get("alternative", ABSENT)
    if "else" in by and otherwise.kind != t.IF:
        otherwise = body(otherwise)
    return at(node, t.IF, "", (by["condition"], body(by.get("consequence")), otherwise))


def _for(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    init = one(spread(tagged(parts, "init")), t.SEQUENCE)
    update = one(tagged(parts, "update"), t.SEQUENCE)
    test = by.get("condition", ABSENT)
    return at(node, t.FOR, "", (init, test, update, body(by.get("body"))))


def _each(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    words, annotations = modified(parts)
    kind = annotated(sized(typed(by["type"]), by.get("dimensions", ABSENT)), annotations)
    target = at(node, t.DECLARE, ("local", *words), (renamed(by["name"], t.BIND), kind, ABSENT))
    return at(node, t.EACH, (":",), (target, by["value"], body(by.get("body")), ABSENT))


def _labelled(node: Node, parts: Parts) -> Term:
    label, *statement = named(parts)
    return at(node, t.LABEL, "", (renamed(label, t.FIELD), one(spread(statement), t.BLOCK)))


def _case(node: Node, parts: Parts) -> Term:
    """Return labels and their statements; what falls through to the next label is empty."""
    labels = tagged(parts, "switch_label")
    statements = at(node, t.BLOCK, "bare", spread(besides(parts, "switch_label")))
    made = [at(node, t.CASE, ":", (*label.kids, Term(t.BLOCK, "bare"))) for label in labels[:-1]]
    made.append(at(node, t.CASE, ":", (*labels[-1].kids, statements)))
    return at(node, GROUP, "", made)


def _rule(node: Node, parts: Parts) -> Term:
    label, *rest = named(parts)
    return at(node, t.CASE, "->", (*label.kids, one(rest)))


def _label(node: Node, parts: Parts) -> Term:
    guard = one(tagged(parts, "guard"))
    found = [
        term.but(kind=t.TOKEN) if term.kind == t.NAME and term.value == "default" else term
        for term in besides(parts, "guard")
    ]
    return at(node, _LABEL, "", (one(found), guard))


def _try(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    main = by["body"]
    catches = tagged(parts, "catch_clause")
    last = by.get("finally_clause", ABSENT)
    if "resources" in by:
        main = at(node, t.WITH, (), (*by["resources"].kids, main))
        if not catches and last is ABSENT:
            return main
        main = Term(t.BLOCK, "bare", (main,), line=main.line)
    return at(node, t.TRY, "", (main, *catches, ABSENT, last))


def _resource(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    if "value" not in by:
        return at(node, t.ITEM, "", (one(named(parts)), ABSENT))
    words, annotations = modified(parts)
    kind = annotated(sized(typed(by["type"]), by.get("dimensions", ABSENT)), annotations)
    target = at(node, t.DECLARE, ("local", *words), (renamed(by["name"], t.BIND), kind, ABSENT))
    return at(node, t.ITEM, "", (by["value"], target))


def _catch(node: Node, parts: Parts) -> Term:
    caught, handler = named(parts)
    return at(node, t.CATCH, caught.value, (*caught.kids, handler))


def _caught(node: Node, parts: Parts) -> Term:
    by = dict(parts)
    words, annotations = modified(parts)
    kind = annotated(sized(by["catch_type"], by.get("dimensions", ABSENT)), annotations)
    return at(node, "java:caught", words, (kind, renamed(by["name"], t.BIND)))


RULES: Final[dict[str, Rule]] = {
    "catch_clause": _catch,
    "catch_formal_parameter": _caught,
    "enhanced_for_statement": _each,
    "expression_statement": _expression,
    "for_statement": _for,
    "if_statement": _if,
    "labeled_statement": _labelled,
    "local_variable_declaration": _local,
    "resource": _resource,
    "switch_block_statement_group": _case,
    "switch_label": _label,
    "switch_rule": _rule,
    "try_statement": _try,
    "try_with_resources_statement": _try,
}
