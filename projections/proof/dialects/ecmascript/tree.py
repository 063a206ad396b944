"""Fold a syntax tree into terms, from the leaves up and without recursion: what programs generate nests without bound.

A leaf is lowered from its text alone, a construct from what it consists of. What neither table has keeps the kind of
the grammar, with its tokens, and so does what is broken: tables may rely on a construct having all its parts.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Final, NamedTuple

from tree_sitter import Node

from linetrail.projections.proof.dialects.lowering import Rule
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term

COMMENTS: Final = frozenset(("comment", "html_comment"))
# `var a, b`: one after the other where statements stand, one term where there is room for one alone
DECLARATIONS: Final = "ecmascript:declarations"


class Construct:
    """A node that consists of others: the named ones with their kinds and terms, and the words and signs besides them.

    Comments are in none of these.
    """

    __slots__ = ("kinds", "node", "nodes", "source", "terms", "tokens")

    def __init__(self, node: Node, source: bytes) -> None:
        self.node, self.source = node, source
        self.nodes: list[Node] = []
        self.kinds: list[str] = []
        self.tokens: list[str] = []
        self.terms: list[Term] = []

    def term(self, kind: str, value: object = "", kids: Sequence[Term] = ()) -> Term:
        """Return a term that stands where this construct stands."""
        node = self.node
        return Term(kind, value, kids, line=node.start_point[0] + 1, start=node.start_byte, end=node.end_byte)

    def of(self, *kinds: str) -> Term:
        """Return the first part of one of these kinds; ABSENT when there is none."""
        for kind, term in zip(self.kinds, self.terms, strict=True):
            if kind in kinds:
                return term
        return ABSENT

    def all(self, *kinds: str) -> list[Term]:
        """Return every part of these kinds."""
        return [term for kind, term in zip(self.kinds, self.terms, strict=True) if kind in kinds]

    def text(self) -> str:
        """Return how this is written."""
        return written(self.node, self.source)


def by_parts(rule: Rule) -> Callable[[Construct], Term]:
    """Return the rule of a table for constructs; its parts have the kinds of their nodes as tags, tokens none."""

    def made(construct: Construct) -> Term:
        tokens = [("", _token(token)) for token in construct.tokens]
        return rule(construct.node, [*tokens, *zip(construct.kinds, construct.terms, strict=True)])

    return made


@cache
def _token(token: str) -> Term:
    return Term(t.TOKEN, token)


class Grammar(NamedTuple):
    """How nodes are lowered, by kind."""

    # the text of a leaf -> kind and value of its term
    leaves: Mapping[str, Callable[[str], tuple[str, object]]]
    constructs: Mapping[str, Callable[[Construct], Term]]


class Folded(NamedTuple):
    """The term of a tree, and the comments in it."""

    term: Term
    comments: "Sequence[Node]"


def fold(root: Node, source: bytes, grammar: Grammar) -> Folded:
    """Return the term of a tree, and the comments in it in the order of the text."""
    leaves, constructs = grammar
    found, comments = _unfold(root, source, leaves)
    broken = root.has_error
    terms: list[Term] = []
    for node, kind, construct in reversed(found):
        if construct is None:
            made, value = leaves[kind](written(node, source))
            line = node.start_point[0] + 1
            terms.append(Term(made, value, (), line=line, start=node.start_byte, end=node.end_byte))
            continue
        first = len(terms) - len(construct.kinds)
        construct.terms = terms[first:]
        del terms[first:]
        make = constructs.get(kind, _unknown) if not (broken and node.has_error) else _unknown
        terms.append(make(construct))
    return Folded(terms[0], sorted(comments, key=lambda node: node.start_byte))


def _unfold(
    root: Node, source: bytes, leaves: Mapping[str, object]
) -> "tuple[list[tuple[Node, str, Construct | None]], list[Node]]":
    """Return every node below a root, each before its parts and the last part first."""
    found: list[tuple[Node, str, Construct | None]] = []
    comments: list[Node] = []
    waiting = [(root, root.type)]
    while waiting:
        node, kind = waiting.pop()
        if kind in leaves:
            found.append((node, kind, None))
            continue
        construct = Construct(node, source)
        for kid in node.children:
            name = kid.type
            if not kid.is_named:
                construct.tokens.append(name)
            elif name in COMMENTS:
                comments.append(kid)
            else:
                construct.nodes.append(kid)
                construct.kinds.append(name)
        found.append((node, kind, construct))
        waiting.extend(zip(construct.nodes, construct.kinds, strict=True))
    return found, comments


def _unknown(construct: Construct) -> Term:
    """Return what has no word in the vocabulary: every part in its place."""
    name = f"ecmascript:{construct.node.type}"
    if not construct.node.child_count:
        return construct.term(name, construct.text())
    lowered = iter(construct.terms)
    parts = [
        next(lowered) if kid.is_named else Term(t.TOKEN, kid.type, line=kid.start_point[0] + 1)
        for kid in construct.node.children
        if kid.type not in COMMENTS
    ]
    return construct.term(name, "", parts)


def written(node: Node, source: bytes) -> str:
    """Return the text of a node; bytes that are no UTF-8 stay apart from each other."""
    return source[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")


def spliced(statements: Iterable[Term]) -> list[Term]:
    """Return statements without the empty ones, each declared name by a statement of its own."""
    found: list[Term] = []
    for statement in statements:
        if statement.kind == DECLARATIONS:
            found += statement.kids
        elif statement.kind != t.NONE:
            found.append(statement)
    return found
