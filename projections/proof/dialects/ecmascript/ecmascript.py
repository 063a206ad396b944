"""Lower JavaScript and TypeScript, with or without JSX, to terms."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from linetrail.projections.proof.dialects.ecmascript import erasure as ecmascript_erasure
from linetrail.projections.proof.dialects.ecmascript import expressions as ecmascript_expressions
from linetrail.projections.proof.dialects.ecmascript import functions as ecmascript_functions
from linetrail.projections.proof.dialects.ecmascript import jsx as ecmascript_jsx
from linetrail.projections.proof.dialects.ecmascript import modules as ecmascript_modules
from linetrail.projections.proof.dialects.ecmascript import patterns as ecmascript_patterns
from linetrail.projections.proof.dialects.ecmascript import privacy as ecmascript_privacy
from linetrail.projections.proof.dialects.ecmascript import statements as ecmascript_statements
from linetrail.projections.proof.dialects.ecmascript import types as ecmascript_types
from linetrail.projections.proof.dialects.ecmascript.bindings import Mentions, mentions, settle, settled
from linetrail.projections.proof.dialects.ecmascript.literals import LEAVES
from linetrail.projections.proof.dialects.ecmascript.statements import DIRECTIVE
from linetrail.projections.proof.dialects.ecmascript.tree import COMMENTS, Grammar, by_parts, fold, spliced, written
from linetrail.projections.proof.dialects.tables import table
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.dialect import Lowered
from linetrail.projections.proof.terms.term import Term

if TYPE_CHECKING:
    from tree_sitter import Node

# Every node with a name says something, and no token does.
_TABLE: Final = table(
    "ecmascript",
    {"body": ecmascript_statements.body, "key": ecmascript_patterns.key, "property": ecmascript_patterns.member},
    says=lambda tag, _term: bool(tag),
)
_GRAMMAR: Final = Grammar(
    LEAVES,
    {
        **{kind: by_parts(rule) for kind, rule in _TABLE.rules.items()},
        **ecmascript_patterns.CONSTRUCTS,
        **ecmascript_expressions.CONSTRUCTS,
        **ecmascript_functions.CONSTRUCTS,
        **ecmascript_statements.CONSTRUCTS,
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


class Ecmascript:
    """The dialect of JavaScript and TypeScript."""

    name = "ecmascript"
    scoping = "block"
    packages = False
    builtins = _TABLE.builtins

    def lower(self, root: "Node", source: bytes, seen: dict[bytes, Sequence[Term]]) -> Lowered:
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
        return ecmascript_privacy.is_private(name, declaration, module)

    def private_members(self, modules: Sequence[Term]) -> frozenset[str]:
        """Return the members that only their class can name."""
        return ecmascript_privacy.private_members(modules)

    def untyped(self, statement: Term) -> Sequence[Term]:
        """Return a statement without types."""
        return ecmascript_erasure.untyped(statement)

    def modules(self, path: str, written: str, _flags: Sequence[str]) -> Sequence[str]:
        """Return the files that an import in the file at `path` can mean."""
        return ecmascript_modules.files(path, written)


def _item(node: "Node", source: bytes) -> list[Term]:
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
