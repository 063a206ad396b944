"""Lower ECMAScript's statements to terms."""

from typing import Final

from linetrail.projections.proof.dialects.ecmascript.functions import flags
from linetrail.projections.proof.dialects.ecmascript.literals import line_feeds
from linetrail.projections.proof.dialects.ecmascript.patterns import bound
from linetrail.projections.proof.dialects.ecmascript.tree import DECLARATIONS, Construct, spliced
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

# "use strict" and the like: text that stands alone as a statement, as it is spelled.
DIRECTIVE: Final = "ecmascript:directive"
# Expressions that are statements of their own in other languages.
_STATEMENTS: Final = (t.ASSIGN, t.AUGMENT, t.DELETE, "ecmascript:namespace")


def _expression(construct: Construct) -> Term:
    if not construct.terms:
        return ABSENT
    if construct.kinds[0] == "string":
        node = construct.nodes[0]
        spelled = construct.source[node.start_byte + 1 : node.end_byte - 1].decode("utf-8", "surrogateescape")
        return construct.term(DIRECTIVE, line_feeds(spelled))
    first = construct.terms[0]
    return first if first.kind in _STATEMENTS else construct.term(t.EXPR, "", construct.terms)


def _block(construct: Construct) -> Term:
    return construct.term(t.BLOCK, "", spliced(construct.terms))


def body(term: Term) -> Term:
    """Return what a condition or loop holds as a block; "bare" when it was written without braces."""
    if term.kind == t.BLOCK:
        return term
    return Term(t.BLOCK, "bare", spliced([term]), line=term.line, start=term.start, end=term.end)


def _if(construct: Construct) -> Term:
    test, then, *otherwise = construct.terms
    return construct.term(t.IF, "", [test, body(then), *(otherwise or [ABSENT])])


def _else(construct: Construct) -> Term:
    inner = construct.terms[0]
    return inner if inner.kind == t.IF else body(inner)


def _for(construct: Construct) -> Term:
    first, test, *update, inner = construct.terms
    return construct.term(t.FOR, "", [first, test, *(update or [ABSENT]), body(inner)])


def _each(construct: Construct) -> Term:
    """Return a loop over what something holds; the value that `var x = 1 in y` starts with comes last."""
    target, *first, source, inner = construct.terms
    tokens = construct.tokens[1:]
    words = ["of" if "of" in tokens else "in", *(token for token in tokens if token in _LOOP_WORDS)]
    if any(token in _KEYWORDS for token in tokens):
        target = bound(target)
    return construct.term(t.EACH, tuple(words), [target, source, body(inner), ABSENT, *first])


_KEYWORDS: Final = frozenset(("const", "let", "var", "using"))
_LOOP_WORDS: Final = frozenset((*_KEYWORDS, "await"))


def _case(construct: Construct) -> Term:
    value, *statements = construct.terms
    return _case_of(construct, value, statements)


def _default_case(construct: Construct) -> Term:
    return _case_of(construct, ABSENT, construct.terms)


def _case_of(construct: Construct, value: Term, statements: list[Term]) -> Term:
    return construct.term(t.CASE, "", [value, ABSENT, construct.term(t.BLOCK, "", spliced(statements))])


def _try(construct: Construct) -> Term:
    last = construct.of("finally_clause")
    return construct.term(t.TRY, "", [construct.terms[0], *construct.all("catch_clause"), ABSENT, last])


def _catch(construct: Construct) -> Term:
    typed = construct.of("type_annotation")
    caught = construct.terms[0] if len(construct.terms) > 1 else ABSENT
    return construct.term(t.CATCH, "", [typed, bound(caught), construct.terms[-1]])


def _declarations(construct: Construct) -> Term:
    """Return what is declared; a name that shares the keyword of the one before it is marked with a comma."""
    keyword = " ".join(token for token in construct.tokens if token not in (",", ";"))
    found = [
        term.but(value=(keyword, ",", *term.value) if at else (keyword, *term.value))
        for at, term in enumerate(construct.terms)
    ]
    return found[0] if len(found) == 1 else construct.term(DECLARATIONS, "", found)


def _declarator(construct: Construct) -> Term:
    typed = construct.of("type_annotation")
    pattern, *rest = (term for term in construct.terms if term is not typed)
    return construct.term(t.DECLARE, flags(construct), [bound(pattern), typed, *(rest or [ABSENT])])


CONSTRUCTS: Final = {
    "expression_statement": _expression,
    "statement_block": _block,
    "if_statement": _if,
    "else_clause": _else,
    "for_statement": _for,
    "for_in_statement": _each,
    "switch_case": _case,
    "switch_default": _default_case,
    "try_statement": _try,
    "catch_clause": _catch,
    "lexical_declaration": _declarations,
    "variable_declaration": _declarations,
    "using_declaration": _declarations,
    "variable_declarator": _declarator,
}
