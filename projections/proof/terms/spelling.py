"""Leave out of a term what says nothing: docstrings, braces around one statement, the order of imports."""

from collections.abc import Sequence

from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import LOCAL, Binding
from linetrail.projections.proof.terms.term import Term


def plain(term: Term, kids: Sequence[Term]) -> Term:
    """Return a term without the words that say nothing: braces around one statement, {a} for {a: a}, let for const."""
    if term.kind == t.BLOCK:
        return Term(t.BLOCK, "", _said(kids), line=term.line, start=term.start, end=term.end)
    if term.kind == t.PAIR and term.value == "short":
        return Term(t.PAIR, "", kids, line=term.line, start=term.start, end=term.end)
    if term.kind == t.DECLARE and "," in term.value:
        term = apart(term)
    if term.kind in (t.DECLARE, t.EACH) and "const" in term.value and term.value[0] in ("const", "of", "in"):
        return term.but(value=tuple("let" if word == "const" else word for word in term.value), kids=kids)
    return term.but(kids=kids)


def literal(term: Term) -> Term:
    """Return a raw string that needs not be raw as any other."""
    if term.value[0] == "raw" and not set(term.value[1]) & set('\\"\n'):
        return term.but(value=("str", term.value[1]))
    return term


def apart(term: Term) -> Term:
    """Return a declaration as if no other stood in the same statement."""
    return term.but(value=tuple(word for word in term.value if word != ",")) if "," in term.value else term


def _said(statements: Sequence[Term]) -> Sequence[Term]:
    """Leave out what is only there for people and for the grammar."""
    said = [one for one in statements if one.kind not in (t.DOC, t.PASS) and not _is_annotation(one)]
    return _sorted_imports(said) if said or not statements else [Term(t.PASS)]


def _is_annotation(statement: Term) -> bool:
    """Return whether a statement only says of what type a variable of a function is, which nothing ever evaluates."""
    if statement.kind != t.DECLARE or statement.value != ("",) or statement.kids[0].kind != t.BIND:
        return False
    own = statement.kids[0].value
    return statement.kids[2].kind == t.NONE and isinstance(own, Binding) and own.kind == LOCAL


def _sorted_imports(statements: Sequence[Term]) -> Sequence[Term]:
    """Take the imports that stand beside each other apart, in an order of their own: it does not matter."""
    if not any(one.kind == t.IMPORT or one.kind.endswith(":imports") for one in statements):
        return statements
    made: list[Term] = []
    stretch: list[Term] = []
    for one in (*statements, None):
        if one is not None and one.kind == t.IMPORT and one.kids:
            stretch += [one.but(kids=[alias]) for alias in one.kids]
        elif one is not None and one.kind.endswith(":imports"):
            stretch += one.kids
        else:
            made += sorted(stretch, key=lambda single: (str(single.value), str(single.kids[0].value)))
            stretch = []
            made += [one] if one is not None else []
    return made
