"""Read the nodes of a grammar: what a node has, without the comments in it."""

from tree_sitter import Node

from linetrail.projections.proof.terms.term import Term


class BrokenTreeError(Exception):
    """A node lacks what its grammar says it has: the code around it is broken."""


def kids(node: Node) -> "list[Node]":
    """Return what a node consists of, comments left out."""
    return [kid for kid in node.children if kid.type not in ("comment", "line_continuation")]


def named(nodes: "list[Node]") -> "list[Node]":
    """Leave out brackets, commas and keywords."""
    return [node for node in nodes if node.is_named]


def field(node: Node, name: str) -> Node:
    """Return a part that has to be there."""
    found = node.child_by_field_name(name)
    if found is None:
        raise BrokenTreeError(f"a {node.type} without {name} at line {node.start_point[0] + 1}")
    return found


def has(node: Node, kind: str) -> bool:
    """Return whether a keyword or sign stands directly in a node."""
    return any(kid.type == kind for kid in node.children)


def kinds(node: Node, kind: str) -> "list[Node]":
    """Return the parts of one kind."""
    return [kid for kid in node.children if kid.type == kind]


def text(node: Node) -> str:
    """Return the text of a node; bytes that are no UTF-8 stay apart from each other."""
    return (node.text or b"").decode("utf-8", "surrogateescape")


def leaf(kind: str, node: Node) -> Term:
    """Return a term that is the text of a node."""
    return Term(kind, text(node), line=node.start_point[0] + 1, start=node.start_byte, end=node.end_byte)


def at(term: Term, node: Node) -> Term:
    """Set the position of a new term to that of a node."""
    if term.line:
        return term
    term.line, term.start, term.end = node.start_point[0] + 1, node.start_byte, node.end_byte
    return term
