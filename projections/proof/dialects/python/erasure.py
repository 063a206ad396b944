"""Take Python's annotations away where nothing reads them at run time."""

from collections.abc import Sequence

from linetrail.projections.proof.dialects.python.names import BLIND_DECORATORS
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term


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
    return all(_last(one) in BLIND_DECORATORS or _last(one).startswith("_") for one in decorators)


def _last(decorator: Term) -> str:
    called = decorator.kids[0] if decorator.kind == t.CALL else decorator
    return str(called.kids[1].value if called.kind == t.ATTR else called.value)


def _for_checkers(test: Term) -> bool:
    """Return whether a branch is there for type checkers alone."""
    name = test.kids[1] if test.kind == t.ATTR else test
    return name.kind in (t.NAME, t.FIELD) and name.value == "TYPE_CHECKING"
