"""Read and write Python terms by what their names mean, whatever they are called here."""

from collections.abc import Iterator, Sequence

from linetrail.projections.proof.dialects.python.names import BUILTINS
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import IMPORTED, Binding
from linetrail.projections.proof.terms.term import Term


def meaning(term: Term) -> str:
    """Return what a name means outside of this file, such as `typing.Optional` or `len`; "" for anything else.

    A name that nothing here declares is one of Python's own, or was written by a rule for something outside; any other
    means nothing: the import is missing.
    """
    if term.kind == t.NAME and isinstance(term.value, str):
        return term.value if term.value in BUILTINS or "." in term.value else ""
    if term.kind == t.NAME:
        return _imported(term.value)
    if term.kind == t.ATTR and len(term.kids) == 2 and term.kids[1].kind == t.FIELD:
        base = meaning(term.kids[0])
        return f"{base}.{term.kids[1].value}" if base else ""
    return ""


def _imported(binding: Binding) -> str:
    if binding.kind != IMPORTED or binding.source is None:
        return ""
    path, flags, name = binding.source
    if path.startswith("."):
        return ""
    if "root" in flags:
        return path.partition(".")[0]
    return path if name == "*" else f"{path}.{name}"


def placed(kind: str, kids: Sequence[Term], at: Term, value: object = "") -> Term:
    """Return a term that stands where another one stood."""
    return Term(kind, value, kids, line=at.line, start=at.start, end=at.end)


def name(text: str, at: Term) -> Term:
    """Return the name of something that Python or a module outside brings."""
    return Term(t.NAME, text, line=at.line, start=at.start, end=at.end)


def call(callee: Term, *arguments: Term) -> Term:
    """Return a call; it stands where its callee does."""
    return Term(t.CALL, "", [callee, *arguments], line=callee.line, start=callee.start, end=callee.end)


def member(holder: Term, field: str) -> Term:
    """Return a member of a value."""
    return Term(t.ATTR, ".", [holder, Term(t.FIELD, field)], line=holder.line, start=holder.start, end=holder.end)


def literal(kind: str, value: str, at: Term) -> Term:
    """Return a literal that stands where another term stood."""
    return Term(t.LIT, (kind, value), line=at.line, start=at.start, end=at.end)


def called(term: Term) -> str:
    """Return what is called, by its meaning; "" when that is nothing with a name."""
    return meaning(term.kids[0]) if term.kind == t.CALL and term.value == "" else ""


def plain_arguments(term: Term) -> Sequence[Term] | None:
    """Return the arguments of a call that are given by position; None when there are others."""
    arguments = term.kids[1:]
    return None if any(one.kind in (t.KWARG, t.SPREAD) for one in arguments) else arguments


def method(term: Term) -> tuple[Term, str] | None:
    """Return the value and the name of the method that is called on it."""
    if term.kind != t.CALL or term.value != "":
        return None
    callee = term.kids[0]
    if callee.kind != t.ATTR or callee.value != "." or len(callee.kids) != 2:
        return None
    return callee.kids[0], str(callee.kids[1].value)


def is_none(term: Term) -> bool:
    """Return whether a term is None."""
    return term.kind == t.LIT and bool(term.value == ("constant", "None"))


def operands(term: Term, sign: str) -> Iterator[Term]:
    """Yield what one sign joins, such as the types of A | B | C."""
    if term.kind == t.BINARY and term.value == sign:
        for kid in term.kids:
            yield from operands(kid, sign)
    else:
        yield term


def keyword(term: Term, wanted: str) -> Term | None:
    """Return the value of an argument that is given by name."""
    for one in term.kids[1:]:
        if one.kind == t.KWARG and one.kids[0].value == wanted:
            return one.kids[1]
    return None


def without(term: Term, unwanted: Term) -> Term:
    """Return a term without one of its kids."""
    return term.but(kids=[kid for kid in term.kids if kid is not unwanted])


NONE_LITERAL = ("constant", "None")
