"""Tell what evaluating a term reads, writes and does, so that two of them may change places."""

from typing import Final, NamedTuple

from linetrail.projections.proof import term as t
from linetrail.projections.proof.dialects.python_names import PURE_CALLS
from linetrail.projections.proof.scopes import LOCAL, PARAMETER, Binding
from linetrail.projections.proof.term import Term

# Kinds that evaluate their kids and do nothing else.
_PURE: Final = frozenset(
    (
        t.LIT,
        t.NONE,
        t.TOKEN,
        t.DOC,
        t.TYPE,
        t.LIST,
        t.TUPLE,
        t.SET,
        t.DICT,
        t.OBJECT,
        t.PAIR,
        t.COMPUTED,
        t.SPREAD,
        t.SLICE,
        t.KWARG,
        t.CAST,
        t.SEQUENCE,
        t.BLOCK,
        t.EXPR,
        t.IF,
        t.PASS,
        t.CLAUSE,
    )
)
# Kinds that look into their operands, which somebody else may change.
_LOOKS: Final = frozenset(
    (t.BINARY, t.COMPARE, t.CHAIN, t.LOGIC, t.NOT, t.UNARY, t.COND, t.TEMPLATE, t.HOLE, t.COMP, t.FIELD)
)
# What compares nothing but which object it is.
_IDENTITY: Final = frozenset(("is", "is not", "===", "!=="))
# Written where they stand, these are new objects each time.
_DISPLAYS: Final = frozenset((t.LIST, t.SET, t.DICT, t.OBJECT, t.COMP, t.LAMBDA, t.FUNCTION))
_LATER: Final = frozenset((t.FUNCTION, t.LAMBDA))
_JUMPS: Final = frozenset((t.RETURN, t.BREAK, t.CONTINUE, t.THROW, t.YIELD))


class Footprint(NamedTuple):
    """What evaluating does. `heap`: it reads what others can change; `acts`: it may do anything."""

    reads: frozenset[Binding | str]
    writes: frozenset[Binding | str]
    heap: bool
    acts: bool
    jumps: bool


def footprint(term: Term) -> Footprint:
    """Return what evaluating a term does."""
    found = _Walk()
    found.visit(term)
    return Footprint(frozenset(found.reads), frozenset(found.writes), found.heap, found.acts, found.jumps)


def independent(one: Footprint, other: Footprint) -> bool:
    """Tell whether two evaluations may change places."""
    if one.jumps or other.jumps or (one.acts and other.acts):
        return False
    if one.writes & (other.reads | other.writes) or other.writes & one.reads:
        return False
    return not (_sees(one) and other.acts) and not (_sees(other) and one.acts)


def _sees(one: Footprint) -> bool:
    """Tell whether somebody else's actions could change what is read."""
    return one.heap or bool(one.writes)


def only_reads(found: Footprint) -> bool:
    """Tell whether nothing is left of an evaluation but its value."""
    return not found.acts and not found.writes and not found.jumps


def is_stable(found: Footprint) -> bool:
    """Tell whether the value is the same whenever it is asked for, as long as no variable in it is written."""
    return only_reads(found) and not found.heap


def is_constant(term: Term) -> bool:
    """Tell whether a term is one value for ever, that nobody can tell from another one like it."""
    if term.kind == t.NAME:
        return not (isinstance(term.value, Binding) and (term.value.shared or term.value.kind in (LOCAL, PARAMETER)))
    if term.kind in (t.LIT, t.NONE, t.TYPE):
        return True
    if term.kind in (t.TUPLE, t.UNARY, t.BINARY, t.TEMPLATE, t.CAST, t.COMPARE, t.LOGIC, t.NOT):
        return all(is_constant(kid) and (term.kind == t.TUPLE or kid.kind != t.NAME) for kid in term.kids)
    return False


def cannot_fail(term: Term) -> bool:
    """Tell whether evaluating a term always comes to a value: it looks into nothing."""
    if term.kind in (t.NAME, t.LIT, t.LAMBDA, t.NONE, t.FUNCTION):
        return True
    if term.kind in (t.TUPLE, t.LIST, t.PAIR, t.KWARG) or (term.kind == t.COMPARE and term.value in _IDENTITY):
        return all(kid.kind == t.FIELD or cannot_fail(kid) for kid in term.kids)
    return term.kind in _LOOKS and _is_literal(term)


def makes_an_object(term: Term) -> bool:
    """Tell whether evaluating a term twice makes two things that can be told apart."""
    return any(one.kind in _DISPLAYS for one in term.walk())


def _is_literal(term: Term) -> bool:
    return term.kind in (t.LIT, t.NONE) or (
        term.kind in _LOOKS and bool(term.kids) and all(_is_literal(kid) for kid in term.kids)
    )


class _Walk:
    def __init__(self) -> None:
        self.reads: set[Binding | str] = set()
        self.writes: set[Binding | str] = set()
        self.heap = self.acts = self.jumps = False

    def visit(self, term: Term) -> None:
        kind = term.kind
        if kind == t.NAME:
            self.reads.add(term.value)
            self.heap |= isinstance(term.value, Binding) and term.value.shared
        elif kind == t.BIND:
            self.writes.add(term.value)
        elif kind in _LATER:
            self._later(term)
        elif kind in _JUMPS:
            self.jumps = True
            self._kids(term)
        elif kind in (t.ATTR, t.INDEX):
            self.heap = True
            self._kids(term)
        elif kind == t.DELETE:
            self._deleted(term)
        elif kind in (t.ASSIGN, t.AUGMENT, t.DECLARE):
            self._written(term)
        elif kind == t.CALL:
            self._called(term)
        elif kind in (t.KWARG, t.PAIR) and term.kids[0].kind == t.FIELD:
            self.visit(term.kids[1])
        elif kind in _PURE:
            self._kids(term)
        elif kind in _LOOKS:
            self.heap |= not (term.value in _IDENTITY or _is_literal(term))
            self._kids(term)
        else:
            self.acts = True
            self._kids(term)

    def _kids(self, term: Term) -> None:
        for kid in term.kids:
            self.visit(kid)

    def _later(self, term: Term) -> None:
        """Count what a function mentions as read now: it may be called at any time."""
        for one in term.walk():
            if one.kind == t.NAME:
                self.reads.add(one.value)
        if term.kids[0].kind == t.BIND:
            self.writes.add(term.kids[0].value)

    def _called(self, term: Term) -> None:
        callee = term.kids[0]
        if callee.kind == t.NAME and callee.value in PURE_CALLS and term.value == "":
            self.heap = True
        else:
            self.acts = True
        self._kids(term)

    def _deleted(self, term: Term) -> None:
        self.acts = True
        self._kids(term)
        self.writes |= {kid.value for kid in term.kids if kid.kind == t.NAME}

    def _written(self, term: Term) -> None:
        *targets, value = (term.kids[0], term.kids[2]) if term.kind == t.DECLARE else term.kids
        self.visit(value)
        for target in targets:
            self._target(target, reads=term.kind == t.AUGMENT)

    def _target(self, target: Term, *, reads: bool) -> None:
        if target.kind in (t.BIND, t.NAME):
            self.writes.add(target.value)
            if reads:
                self.reads.add(target.value)
        elif target.kind in (t.ATTR, t.INDEX):
            self.acts = True
            self._kids(target)
        elif target.kind in (t.FIELD, t.MEMBER):
            self.acts = True
        else:
            for kid in target.kids:
                self._target(kid, reads=reads)


def is_own(value: Binding | str) -> bool:
    """Tell whether a variable belongs to the function at hand."""
    return isinstance(value, Binding) and value.kind in (LOCAL, PARAMETER)
