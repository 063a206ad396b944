"""Lower JavaScript and TypeScript, with or without JSX, to terms."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from tree_sitter import Node

from linetrail.projections.proof.dialects.ecmascript import expressions as ecmascript_expressions
from linetrail.projections.proof.dialects.ecmascript import functions as ecmascript_functions
from linetrail.projections.proof.dialects.ecmascript import jsx as ecmascript_jsx
from linetrail.projections.proof.dialects.ecmascript import modules as ecmascript_modules
from linetrail.projections.proof.dialects.ecmascript import patterns as ecmascript_patterns
from linetrail.projections.proof.dialects.ecmascript import types as ecmascript_types
from linetrail.projections.proof.dialects.ecmascript.bindings import COMMON_JS, Mentions, mentions, settle, settled
from linetrail.projections.proof.dialects.ecmascript.functions import flags
from linetrail.projections.proof.dialects.ecmascript.jsx import ATTRIBUTES
from linetrail.projections.proof.dialects.ecmascript.literals import LEAVES, line_feeds
from linetrail.projections.proof.dialects.ecmascript.patterns import bound
from linetrail.projections.proof.dialects.ecmascript.tree import (
    COMMENTS,
    DECLARATIONS,
    Construct,
    Grammar,
    by_parts,
    fold,
    spliced,
    written,
)
from linetrail.projections.proof.dialects.tables import table
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.dialect import Dialect, Lowered
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


_DECLARING: Final = (t.FUNCTION, t.DECLARE)
_TARGETS: Final = (t.DECLARE, t.PARAM, t.ASSIGN, t.EACH)
# Where a type has a place of its own; elsewhere it stands among others and goes without a trace.
_PLACES: Final = {t.DECLARE: (1,), t.PARAM: (1,), t.FUNCTION: (3,), t.LAMBDA: (2,), t.CATCH: (0,)}
# Every node with a name says something, and no token does.
_TABLE: Final = table(
    "ecmascript",
    {"body": body, "key": ecmascript_patterns.key, "property": ecmascript_patterns.member},
    says=lambda tag, _term: bool(tag),
)
_GRAMMAR: Final = Grammar(
    LEAVES,
    {
        **{kind: by_parts(rule) for kind, rule in _TABLE.rules.items()},
        **ecmascript_patterns.CONSTRUCTS,
        **ecmascript_expressions.CONSTRUCTS,
        **ecmascript_functions.CONSTRUCTS,
        **CONSTRUCTS,
        **ecmascript_modules.CONSTRUCTS,
        **ecmascript_types.CONSTRUCTS,
        **ecmascript_jsx.CONSTRUCTS,
    },
)
# Beside the statements of what was seen before: the comments in it, and what each statement mentions.
_COMMENT: Final = "ecmascript:comment"
_MENTIONS: Final = "ecmascript:mentions"
# What a file that imports or exports is without saying so.
_STRICT: Final = "use strict"


# Bundlers, minifiers, compilers and test runners obey these: without them the program that runs is another one.
# What only checkers and formatters obey (eslint-disable, @ts-ignore, prettier-ignore) changes nothing of it.
_OBEYED: Final = re.compile(
    r"""
    ^\#!
    | ^///\s*<(?:reference|amd-)
    | ^//[\#@]\s*source(?:Mapping)?URL=
    | [@\#]__(?:PURE|NO_SIDE_EFFECTS|INLINE|NOINLINE|KEY|MANGLE_PROP)__
    | \bwebpack[A-Z]\w*\s*:
    | \bturbopack[A-Z]\w*\s*:
    | @vite-ignore\b
    | @jsx(?:Frag|ImportSource|Runtime)?\s
    | @(?:jest|vitest)-environment
    | @ngInject\b
    """,
    re.VERBOSE,
)


class Ecmascript(Dialect):
    """The dialect of JavaScript and TypeScript."""

    name = "ecmascript"
    scoping = "block"
    builtins = _TABLE.builtins

    def lower(self, root: Node, source: bytes, seen: dict[bytes, Sequence[Term]]) -> Lowered:
        """Return the terms of a file."""
        statements: list[tuple[Term, Mentions]] = []
        comments: list[str] = []
        for node in root.children:
            if node.type in COMMENTS or node.type == "hash_bang_line":
                comments.append(_comment_text(written(node, source)))
                continue
            key = source[node.start_byte : node.end_byte]
            if key not in seen:
                seen[key] = _item(node, source)
            terms = seen[key]
            comments += (term.value for term in terms if term.kind == _COMMENT)
            mentioned = (term.value for term in terms if term.kind == _MENTIONS)
            statements += zip(terms, mentioned, strict=False)
        people = [comment for comment in comments if not _is_obeyed(comment)]
        directives = [comment for comment in comments if _is_obeyed(comment)]
        return Lowered(Term(t.MODULE, "", _settled(statements, seen)), people, directives, root.has_error)

    def is_private(self, name: str, declaration: Term, module: Term) -> bool:
        """Return whether a name is not exported."""
        return is_private(name, declaration, module)

    def private_members(self, modules: Sequence[Term]) -> frozenset[str]:
        """Return the members that only their class can name."""
        return private_members(modules)

    def untyped(self, statement: Term) -> Sequence[Term]:
        """Return a statement without types."""
        return untyped(statement)

    def modules(self, path: str, written: str, _flags: Sequence[str]) -> Sequence[str]:
        """Return the files that an import in the file at `path` can mean."""
        return ecmascript_modules.files(path, written)


def _item(node: Node, source: bytes) -> list[Term]:
    """Return the terms of a statement at the top of a file, then what is kept beside them."""
    folded = fold(node, source, _GRAMMAR)
    statements = spliced([folded.term])
    comments = [Term(_COMMENT, _comment_text(written(comment, source))) for comment in folded.comments]
    return [*statements, *(Term(_MENTIONS, mentions(statement)) for statement in statements), *comments]


def _settled(statements: Sequence[tuple[Term, Mentions]], seen: dict[bytes, Sequence[Term]]) -> list[Term]:
    """Return statements with what only the whole file tells of them; of the same ones the same terms."""
    is_module = any(statement.kind in (t.IMPORT, t.EXPORT) for statement, _ in statements)
    found: list[Term] = []
    for (statement, _), settles in zip(statements, settled(statements), strict=True):
        if is_module and statement.kind == DIRECTIVE and statement.value == _STRICT:
            found.append(statement.but(kind=t.PASS))
        elif settles:
            key = b"settled %d" % id(statement)  # the statement is kept by what was seen, and its identity with it
            if key not in seen:
                seen[key] = [settle(statement)]
            found += seen[key]
        else:
            found.append(statement)
    return found


def _comment_text(comment: str) -> str:
    r"""Return a comment without the blanks that only indent it.

    >>> _comment_text("/*\n   * told\n   */")
    '/*\n* told\n*/'
    """
    return "\n".join(line.strip() for line in comment.splitlines())


def _is_obeyed(comment: str) -> bool:
    """Return whether a build or the run time obeys a comment."""
    return _OBEYED.search(comment) is not None


# -- types: nothing of them is left when the program runs


def untyped(statement: Term) -> Sequence[Term]:
    """Return a statement without types: none at all where it was nothing else."""
    if _is_offered(statement) or any(one.kind == t.DECORATORS and one.kids for one in statement.walk()):
        # others may use an exported type, and decorators may read types at run time
        return [statement]
    if statement.kind == t.TYPE or _is_about_types(statement):
        return []
    if statement.kind == t.IMPORT and statement.kids:
        values = [alias for alias in statement.kids if not any(kid.kind == t.TYPE for kid in alias.kids)]
        return [statement.but(kids=values)] if values else []
    return [_without(statement)]


def _is_offered(statement: Term) -> bool:
    return statement.kind == t.TYPE and any(kid.kind == t.EXPORT for kid in statement.kids)


def _is_about_types(statement: Term) -> bool:
    return statement.kind in (t.IMPORT, t.EXPORT) and any(str(flag).startswith("type:") for flag in statement.value)


def _without(term: Term) -> Term:
    if term.kind == t.CAST:
        return _without(term.kids[0])
    if not term.kids:
        return term
    places = _PLACES.get(term.kind, ())
    kids: list[Term] = []
    for at, kid in enumerate(term.kids):
        if at in places:
            kids.append(_said_of(kid, term) if term.kind == t.FUNCTION else ABSENT)
        elif kid.kind != t.TYPE:
            kids.append(_without(kid))
    value = term.value
    if isinstance(value, tuple) and any(str(flag).startswith("type:") for flag in value):
        value = tuple(flag for flag in value if not str(flag).startswith("type:"))
    if term.kind == t.BLOCK and term.kids and not kids:
        kids = [Term(t.PASS)]
    return term.but(value=value, kids=kids)


def _said_of(typed: Term, function: Term) -> Term:
    """Return the parameters that a type such as `x is string` tells of: they have to be the same ones."""
    own = {one.value for parameter in function.kids[1].kids for one in parameter.walk() if one.kind == t.BIND}
    named = [one for one in typed.walk() if one.kind == t.NAME and one.value in own]
    return Term(t.TUPLE, "", named) if named else ABSENT


# -- names that only their file, or only their class, can use


def is_private(name: str, declaration: Term, module: Term) -> bool:
    """Return whether a name is not exported; the names of a script that is no module are everybody's."""
    inner = declaration.kids[0] if declaration.kind == t.TYPE and declaration.kids else declaration
    if inner.kind == t.EXPORT:
        return False
    offered = _offered(module)
    return offered is not None and name not in offered


@lru_cache(maxsize=16)
def _offered(module: Term) -> frozenset[str] | None:
    """Return the variables that are what a file exports, as a whole; None when it is no module."""
    is_module = False
    names: set[str] = set()
    for term in module.walk():
        if term.kind in (t.IMPORT, t.EXPORT):
            is_module = True
            names |= {str(kid.value) for kid in term.kids if kid.kind == t.NAME}
        elif term.kind == t.NAME and term.value in COMMON_JS:
            is_module = True
        elif term.kind == t.ASSIGN and _is_whole(term.kids[0]):
            names |= _taken(term)
    return frozenset(names) if is_module else None


def _is_whole(target: Term) -> bool:
    """Return whether `module.exports` or `exports` is written."""
    if target.kind == t.NAME:
        return bool(target.value == "exports")
    return target.kind == t.ATTR and target.kids[0].value == "module" and target.kids[1].value == "exports"


def _taken(term: Term) -> set[str]:
    """Return the variable at the end of `a = b = c`."""
    while term.kind == t.ASSIGN:
        term = term.kids[-1]
    return {str(term.value)} if term.kind == t.NAME else set()


def private_members(modules: Sequence[Term]) -> frozenset[str]:
    """Return the members that nobody outside of a class can name, and that have no namesakes which somebody can."""
    private: set[str] = set()
    public: set[str] = set()
    for module in modules:
        for name, is_own in _declared(module):
            (private if is_own else public).add(name)
        public |= _keys(module)
    return frozenset(private - public)


def _declared(module: Term) -> Iterator[tuple[str, bool]]:
    for term in module.walk():
        if term.kind in _DECLARING and term.kids[0].kind == t.MEMBER:
            named = term.kids[0]
        elif term.kind == t.PARAM and len(term.kids[0].kids) > 1 and term.kids[0].kids[1].kind == t.MEMBER:
            named = term.kids[0].kids[1]
        else:
            continue
        name = str(named.value)
        yield name, name.startswith("#") or "type:private" in term.value


def _keys(module: Term) -> set[str]:
    """Return the names that objects and elements have keys of; what is taken out of an object gives it none."""
    patterns = {
        id(inner)
        for term in module.walk()
        if term.kind in _TARGETS
        for inner in term.kids[0].walk()
        if inner.kind == t.OBJECT
    }
    return {
        str(kid.kids[0].value)
        for term in module.walk()
        if term.kind in (t.OBJECT, ATTRIBUTES) and id(term) not in patterns
        for kid in term.kids
        if kid.kind in (t.PAIR, t.FUNCTION) and kid.kids[0].kind == t.FIELD
    }
