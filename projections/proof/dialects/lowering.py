"""Lower a syntax tree to terms, from the leaves up.

A grammar's table says for each kind of node what it becomes. A rule is handed the parts of a node, already lowered,
each under the name of its field or, where it has none, of its kind; it looks no further down than at its parts' terms.
So nothing here recurses, however deep a program nests, and what no rule describes keeps every part it has.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from tree_sitter import Node

from linetrail.projections.proof.dialects.remarks import COMMENT, DIRECTIVE, Remarks
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.dialect import Lowered
from linetrail.projections.proof.terms.term import ABSENT, Term

Part = tuple[str, Term]
Parts = list[Part]
Rule = Callable[[Node, Parts], Term]
Atom = Callable[[str], object]

# What takes the place of one statement when it is several; whoever holds statements puts its kids there.
GROUP: Final = "group"
# A program that nests deeper than this is not compared: whoever reads terms may recurse.
DEPTH: Final = 1_000

# What says nothing by itself.
_PUNCTUATION: Final = frozenset("()[]{},;") | {"::", "|"}


class Grammar(NamedTuple):
    """What is known of the nodes of one grammar.

    `leaves` are kinds of terms for nodes without parts. `atoms` are nodes that are one literal, whatever the grammar
    sees in them, and say how it is spelled. `units` are large constructs that mean the same wherever they stand, so
    that their bytes are enough to know them again. `punctuation` is implied by the shape of what a rule makes.
    `remark` tells of a comment and its text whether it is a COMMENT, a DIRECTIVE, or CODE.
    """

    language: str
    rules: Mapping[str, Rule]
    leaves: Mapping[str, str]
    atoms: Mapping[str, Atom]
    comments: frozenset[str]
    remark: Callable[[Node, str], str]
    units: frozenset[str] = frozenset()
    punctuation: frozenset[str] = frozenset("()[]{},;")


class Lowering:
    """The lowering of one file. `broken` tells that a part of it could not be read."""

    def __init__(self, grammar: Grammar, source: bytes, seen: dict[bytes, Sequence[Term]]) -> None:
        self._grammar, self._source, self._seen = grammar, source, seen
        self.remarks = Remarks()
        self.broken = False
        # the constructs around the node at hand: their node, kind and tag, what is around them, and how much was noted
        self.above: list[tuple[Node, str, str, Parts, int]] = []

    def file(self, root: Node) -> Lowered:
        """Return a whole file."""
        module = self.lower(root) if root.child_count else Term(t.MODULE)
        remarks = self.remarks
        broken = self.broken or (root.has_error and not _lacks_only_its_end(root, self._source))
        return Lowered(module, remarks.texts(COMMENT), remarks.texts(DIRECTIVE), broken)

    def lower(self, root: Node) -> Term:
        """Return the term of a node and all below it."""
        rules, comments, units = self._grammar.rules, self._grammar.comments, self._grammar.units
        cursor = root.walk()
        parts: Parts = []
        above = self.above
        while True:
            node = cursor.node
            if node is None:
                raise AssertionError("a cursor stands on a node")
            kind = node.type
            tag = cursor.field_name or kind
            if kind in comments:
                self._remark(node, parts)
            elif not node.child_count or kind in self._grammar.atoms:
                self._leaf(node, kind, tag, parts, above[-1][1] if above else "")
            elif kind not in units or not self._known(node, kind, tag, parts):
                above.append((node, kind, tag, parts, len(self.remarks.found)))
                parts = []
                self.broken |= len(above) > DEPTH
                cursor.goto_first_child()
                continue
            while not cursor.goto_next_sibling():
                if not above:
                    return parts[0][1] if parts else ABSENT
                cursor.goto_parent()
                node, kind, tag, outer, remarks = above.pop()
                rule = rules.get(kind)
                made = self._made(rule, node, kind, parts) if rule is not None else self._other(node, kind, parts)
                if kind in units and not node.has_error:
                    self._seen[self._key(node, kind)] = (made, *self.remarks.found[remarks:])
                outer.append((tag, made))
                parts = outer

    def _leaf(self, node: Node, kind: str, tag: str, parts: Parts, inside: str) -> None:
        self.remarks.interrupt()
        atom = self._grammar.atoms.get(kind)
        if atom is not None:
            parts.append((tag, at(node, t.LIT, atom(self._text(node)))))
        elif not node.is_named:
            if kind not in self._grammar.punctuation or inside not in self._grammar.rules:
                parts.append((tag, at(node, t.TOKEN, self._text(node))))
        else:
            made = self._grammar.leaves.get(kind) or f"{self._grammar.language}:{kind}"
            parts.append((tag, at(node, made, self._text(node))))

    def _made(self, rule: Rule, node: Node, kind: str, parts: Parts) -> Term:
        if node.has_error and node.parent is not None:
            return self._other(node, kind, parts)
        try:
            return rule(node, parts)
        except (LookupError, ValueError, StopIteration):
            # a shape that a later release of the grammar allows
            return self._other(node, kind, parts)

    def _other(self, node: Node, kind: str, parts: Parts) -> Term:
        return at(node, f"{self._grammar.language}:{kind}", "", [term for _, term in parts])

    def _remark(self, node: Node, parts: Parts) -> None:
        text = self._text(node)
        sort = self._grammar.remark(node, text)
        if sort == COMMENT:
            self.remarks.comment(text, node)
            return
        self.remarks.interrupt()
        if sort == DIRECTIVE:
            self.remarks.directive(text, node)
        parts.append((sort, at(node, sort, text.rstrip().replace("\r\n", "\n"))))

    def _known(self, node: Node, kind: str, tag: str, parts: Parts) -> bool:
        """Take a unit from those that were seen, with what is remarked in it."""
        known = None if node.has_error else self._seen.get(self._key(node, kind))
        if known is None:
            return False
        parts.append((tag, known[0]))
        self.remarks.recall(known[1:])
        return True

    def _key(self, node: Node, kind: str) -> bytes:
        return f"{self._grammar.language}:{kind}:".encode() + self._source[node.start_byte : node.end_byte]

    def _text(self, node: Node) -> str:
        return self._source[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")


def lowered(grammar: Grammar, root: Node, source: bytes, seen: dict[bytes, Sequence[Term]]) -> Lowered:
    """Return a file as terms."""
    return Lowering(grammar, source, seen).file(root)


def _lacks_only_its_end(root: Node, source: bytes) -> bool:
    """Return whether nothing is wrong with a file but that its last line does not end, as some grammars want it."""
    return not source.endswith(b"\n") and root.type != "ERROR" and not any(kid.has_error for kid in root.children)


def at(node: Node, kind: str, value: object = "", kids: Iterable[Term] = ()) -> Term:
    """Return a term that stands where a node stands."""
    return Term(kind, value, tuple(kids), line=node.start_point.row + 1, start=node.start_byte, end=node.end_byte)


def named(parts: Parts) -> list[Term]:
    """Return the parts that are no mere tokens."""
    return [term for _, term in parts if term.kind != t.TOKEN]


def tagged(parts: Parts, *tags: str) -> list[Term]:
    """Return the parts under these tags."""
    return [term for tag, term in parts if tag in tags]


def besides(parts: Parts, *tags: str) -> list[Term]:
    """Return the parts that are neither under these tags nor tokens."""
    return [term for tag, term in parts if tag not in tags and term.kind != t.TOKEN]


def signs(parts: Parts) -> tuple[str, ...]:
    """Return the words and signs of a construct that say something."""
    return tuple(str(term.value) for _, term in parts if term.kind == t.TOKEN and term.value not in _PUNCTUATION)


def spread(terms: Iterable[Term]) -> list[Term]:
    """Put what a group holds in the place of the group."""
    made: list[Term] = []
    for term in terms:
        if term.kind == GROUP:
            made += spread(term.kids)
        else:
            made.append(term)
    return made


def one(terms: Sequence[Term], kind: str = t.TUPLE) -> Term:
    """Return what there is: nothing, one term, or several as one."""
    if not terms:
        return ABSENT
    return terms[0] if len(terms) == 1 else Term(kind, "", terms, line=terms[0].line, start=terms[0].start)


def inner(_node: Node, parts: Parts) -> Term:
    """Return the only part: what is around it is punctuation."""
    return one(named(parts))
