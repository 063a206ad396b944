"""Lower Python to terms."""

import posixpath
import re
from collections.abc import Iterable, Sequence

from tree_sitter import Node

from linetrail.projections.proof.dialects.nodes import text
from linetrail.projections.proof.dialects.python.names import BLIND_DECORATORS, BUILTINS, last_name
from linetrail.projections.proof.dialects.python.statements import Statements
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.dialect import Dialect, Lowered
from linetrail.projections.proof.terms.term import ABSENT, Term

# Comments that the run time obeys; those that only checkers read are for people, too.
_CODING = ("coding:", "coding=")
# What a file is encoded in when nothing says so.
_DEFAULT = re.compile(r"coding[:=]\s*utf-?8\b")
_DEFINING = (t.MEMBER, t.ASSIGN, t.DECLARE)


class Python(Dialect):
    """The dialect of Python."""

    name = "python"
    scoping = "function"
    builtins = BUILTINS

    def lower(self, root: Node, source: bytes, seen: dict[bytes, Sequence[Term]]) -> Lowered:
        """Return the terms of a file."""
        lowering = Statements()
        statements: list[Term] = []
        comments = list(_comments(root))
        for node in root.children:
            if node.type in ("comment", ";"):
                continue
            written = source[node.start_byte : node.end_byte]
            # where a docstring can stand, the same text means something else
            key = written if statements else b"first " + written
            if key not in seen:
                seen[key] = lowering.statement(node, docs=not statements)
            statements += seen[key]
        directives = [comment for at, comment in enumerate(comments) if _is_directive(comment, at)]
        people = [comment for at, comment in enumerate(comments) if not _is_directive(comment, at)]
        return Lowered(Term(t.MODULE, "", statements), people, directives, root.has_error)

    def is_private(self, name: str, _declaration: Term, _module: Term) -> bool:
        """Return whether a name is an implementation detail by convention; _names_ and __names__ are protocol."""
        return name.startswith("_") and not (name.endswith("_") and len(name) > len("__"))

    def private_members(self, modules: Sequence[Term]) -> frozenset[str]:
        """Return the private names that these files define in a class or give to an object."""
        defined = (one for module in modules for one in module.walk() if one.kind in _DEFINING)
        names = (str(name.value) for one in defined for name in _members(one))
        return frozenset(name for name in names if self.is_private(name, ABSENT, ABSENT))

    def untyped(self, statement: Term) -> Sequence[Term]:
        """Return a statement without annotations that nothing reads."""
        return untyped(statement)

    def modules(self, path: str, written: str, _flags: Sequence[str]) -> Sequence[str]:
        """Return the files that `import written` in the file at `path` can mean."""
        dots = len(written) - len(written.lstrip("."))
        parts = [part for part in written[dots:].split(".") if part]
        if dots:
            base = path
            for _ in range(dots):
                base = posixpath.dirname(base)
            return _files(posixpath.join(base, *parts))
        folders = path.split("/")[:-1]
        roots = ["/".join(folders[:depth]) for depth in range(len(folders), -1, -1)]
        return [file for root in roots for file in _files(posixpath.join(root, *parts))]


def _members(term: Term) -> Iterable[Term]:
    """Yield the names of members that a definition or an assignment brings into being."""
    if term.kind == t.MEMBER:
        yield term
    targets = term.kids[:-1] if term.kind == t.ASSIGN else term.kids[:1] if term.kind == t.DECLARE else ()
    for target in targets:
        yield from (one.kids[1] for one in (target, *target.kids) if one.kind == t.ATTR)


def _files(stem: str) -> list[str]:
    return [f"{stem}.py", f"{stem}/__init__.py", f"{stem}.pyi"]


def _comments(node: Node) -> Iterable[str]:
    """Yield the comments in a node; most nodes are seen at once to have none."""
    if node.type == "comment":
        yield text(node).rstrip()
    elif node.child_count and b"#" in (node.text or b""):
        for kid in node.children:
            yield from _comments(kid)


def _is_directive(comment: str, at: int) -> bool:
    coded = at < 2 and any(sign in comment for sign in _CODING)
    return comment.startswith("#!") or (coded and _DEFAULT.search(comment.lower()) is None)


# -- annotations, where nothing reads them at run time


def untyped(statement: Term) -> Sequence[Term]:
    """Return a statement without annotations: none at all where it was nothing else."""
    return _statement(statement, kept=False)


def _statement(term: Term, *, kept: bool) -> Sequence[Term]:
    if term.kind == t.DECLARE and term.value == ("",):
        target, typed, value = term.kids
        if kept:
            return [term.but(kids=[target, typed, _expression(value)])]
        if value.kind != t.NONE:
            return [term.but(kind=t.ASSIGN, value="=", kids=[target, _expression(value)])]
        return [term.but(kids=[target, ABSENT, ABSENT])] if target.kind == t.MEMBER else []
    if term.kind == t.IF and _for_checkers(term.kids[0]) and term.kids[2].kind == t.NONE:
        left = [one for one in term.kids[1].kids if one.kind not in (t.IMPORT, t.PASS)]
        return [term.but(kids=[term.kids[0], term.kids[1].but(kids=left), ABSENT])] if left else []
    if term.kind == "python:type_alias_statement":
        return [term]
    return [_expression(term, kept=kept)]


def _expression(term: Term, *, kept: bool = False) -> Term:
    """Return a term with the statements and functions inside it untyped."""
    if term.kind == t.FUNCTION:
        return _function(term)
    if term.kind == t.CLASS:
        reads = len(term.kids[1].kids) > 0 or not _blind(term)
        return term.but(kids=[_block(kid, kept=reads) if kid.kind == t.BLOCK else kid for kid in term.kids])
    if term.kind == t.BLOCK:
        return _block(term, kept=kept)
    if not term.kids or term.kind in (t.TYPE, t.IMPORT):
        return term
    return term.having([_expression(kid, kept=kept) for kid in term.kids])


def _block(block: Term, *, kept: bool) -> Term:
    statements = [one for kid in block.kids for one in _statement(kid, kept=kept)]
    return block.but(kids=statements or [Term(t.PASS)])


def _function(term: Term) -> Term:
    name, parameters, body, _, *rest = term.kids
    if not _blind(term):
        return term.but(kids=[name, parameters, _block(body, kept=False), *term.kids[3:]])
    bare = [one.but(kids=[one.kids[0], ABSENT, one.kids[2]]) if one.kind == t.PARAM else one for one in parameters.kids]
    return term.but(kids=[name, parameters.but(kids=bare), _block(body, kept=False), ABSENT, *rest])


def _blind(term: Term) -> bool:
    """Return whether nothing that decorates a definition looks at its annotations."""
    decorators = [one for kid in term.kids if kid.kind == t.DECORATORS for one in kid.kids]
    return all(last_name(one) in BLIND_DECORATORS or last_name(one).startswith("_") for one in decorators)


def _for_checkers(test: Term) -> bool:
    """Return whether a branch is there for type checkers alone."""
    name = test.kids[1] if test.kind == t.ATTR else test
    return name.kind in (t.NAME, t.FIELD) and name.value == "TYPE_CHECKING"
