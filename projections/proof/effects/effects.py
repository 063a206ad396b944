"""Compute what evaluating a term reads, writes and does, so that two evaluations may be exchanged."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from linetrail.projections.proof.dialects.python.names import PURE_CALLS
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import LOCAL, PARAMETER, Binding
from linetrail.projections.proof.terms.term import Term

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
    (t.BINARY, t.COMPARE, t.CHAIN, t.LOGIC, t.NOT, t.UNARY, t.COND, t.TEMPLATE, t.HOLE, t.COMP, t.SPREAD, t.FIELD)
)
# What compares nothing but which object it is.
_IDENTITY: Final = frozenset(("is", "is not", "===", "!=="))
# Written where they stand, these are new objects each time.
_DISPLAYS: Final = frozenset((t.LIST, t.SET, t.DICT, t.OBJECT, t.COMP, t.LAMBDA, t.FUNCTION))
# Languages in which operands of these kinds are looked at and no further: their values cannot be changed.
_PLAIN: Final = {
    "ecmascript": frozenset((t.COMPARE, t.NOT, t.LOGIC, t.COND)),
    **dict.fromkeys(("java", "go", "rust"), frozenset((t.COMPARE, t.NOT, t.LOGIC, t.COND, t.BINARY, t.UNARY))),
}
# Languages in which a variable is an object itself: whoever has it can change it without assigning to it.
_BY_REFERENCE: Final = frozenset(("python", "ecmascript", "java"))
# What looks into an object in every language.
_INTO: Final = frozenset(("in", "not in", "instanceof"))
# What can go wrong with numbers.
_RISKY: Final = frozenset(("/", "%", "<<", ">>"))
_LATER: Final = frozenset((t.FUNCTION, t.LAMBDA))
_COUNTING: Final = frozenset(("++_", "--_", "_++", "_--"))
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
    known = term.known = {} if term.known is None else term.known
    if "footprint" not in known:
        found = _Walk()
        found.visit(term)
        known["footprint"] = Footprint(
            frozenset(found.reads), frozenset(found.writes), found.heap, found.acts, found.jumps
        )
    made: Footprint = known["footprint"]
    return made


def independent(one: Footprint, other: Footprint) -> bool:
    """Return whether two evaluations may change places."""
    if one.jumps or other.jumps or (one.acts and other.acts):
        return False
    if one.writes & (other.reads | other.writes) or other.writes & one.reads:
        return False
    if (one.heap and any(map(outlives, other.writes))) or (other.heap and any(map(outlives, one.writes))):
        # what looks into something may fail, and then it shows what was written before
        return False
    return not (_sees(one) and other.acts) and not (_sees(other) and one.acts)


def _sees(one: Footprint) -> bool:
    """Return whether somebody else's actions could change what is read."""
    return one.heap or bool(one.writes)


def only_reads(found: Footprint) -> bool:
    """Return whether nothing is left of an evaluation but its value."""
    return not found.acts and not found.writes and not found.jumps


def is_stable(found: Footprint) -> bool:
    """Return whether the value is the same whenever it is asked for, as long as no variable in it is written."""
    return only_reads(found) and not found.heap


def is_constant(term: Term) -> bool:
    """Return whether a term is one value for ever, that nobody can tell from another one like it."""
    if term.kind == t.NAME:
        return not (isinstance(term.value, Binding) and (term.value.shared or term.value.kind in (LOCAL, PARAMETER)))
    if term.kind in (t.LIT, t.NONE, t.TYPE):
        return not _is_pattern(term)
    if term.kind in (t.TUPLE, t.UNARY, t.BINARY, t.TEMPLATE, t.CAST, t.COMPARE, t.LOGIC, t.NOT):
        return all(is_constant(kid) and (term.kind == t.TUPLE or kid.kind != t.NAME) for kid in term.kids)
    return False


def cannot_fail(term: Term) -> bool:
    """Return whether evaluating a term always comes to a value: it looks into nothing."""
    if term.kind in (t.NAME, t.LIT, t.LAMBDA, t.NONE, t.FUNCTION):
        return True
    if term.kind in (t.TUPLE, t.LIST, t.PAIR, t.KWARG) or (term.kind == t.COMPARE and term.value in _IDENTITY):
        return all(kid.kind == t.FIELD or cannot_fail(kid) for kid in term.kids)
    if _is_plain(term) and term.value not in _RISKY and not (term.kind == t.BINARY and _language(term) == "rust"):
        return all(map(cannot_fail, term.kids))
    return term.kind in _LOOKS and _is_literal(term)


def changed_in_place(term: Term) -> Iterator[Binding]:
    """Yield the variables that a term changes without assigning to them, where variables are no references."""
    if term.kind in (t.ASSIGN, t.AUGMENT):
        roots = [_root(kid) for kid in (term.kids[:-1] if term.kind == t.ASSIGN else term.kids[:1])]
    elif (term.kind == t.CALL and term.kids[0].kind == t.ATTR) or (
        term.kind == t.UNARY and str(term.value)[:1] in "&+-"
    ):
        roots = [_root(term.kids[0])]
    else:
        return
    for root in roots:
        if root.kind == t.NAME and isinstance(root.value, Binding) and root.value.language not in _BY_REFERENCE:
            yield root.value


def _root(term: Term) -> Term:
    while term.kind in (t.ATTR, t.INDEX, t.UNARY):
        term = term.kids[0]
    return term


def _is_plain(term: Term) -> bool:
    """Return whether a term is worth what its variables are, however the things that they name may change."""
    language = _language(term)
    if term.value in _INTO or (language == "java" and term.value == "+"):
        return False
    return term.kind in _PLAIN.get(language, ())


def _is_checked(cast: Term) -> bool:
    """Return whether a cast looks at the type of its value, and fails where that is another one."""
    return cast.value == ".()" or _language(cast) == "java"


def _language(term: Term) -> str:
    return next((one.value.language for one in term.walk() if isinstance(one.value, Binding)), "")


def makes_an_object(term: Term) -> bool:
    """Return whether evaluating a term twice makes two things that can be told apart."""
    return any(one.kind in _DISPLAYS or _is_pattern(one) for one in term.walk())


def _is_pattern(term: Term) -> bool:
    """Return whether a literal is a regular expression, which remembers where it found something."""
    return term.kind == t.LIT and term.value[0] == "regex"


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
        self.writes.update(changed_in_place(term))
        special = _VISITS.get(kind)
        if special is not None:
            special(self, term)
            return
        if kind in _LOOKS:
            self.heap |= not (term.value in _IDENTITY or _is_plain(term) or _is_literal(term)) or term.value in _RISKY
        elif kind in (t.ATTR, t.INDEX) or (kind == t.CAST and _is_checked(term)):
            self.heap = True
        elif kind in _JUMPS:
            self.jumps = True
        elif kind not in _PURE:
            self.acts = True
        self._kids(term)

    def name(self, term: Term) -> None:
        self.reads.add(term.value)
        self.heap |= isinstance(term.value, Binding) and term.value.shared

    def bind(self, term: Term) -> None:
        self.writes.add(term.value)

    def unary(self, term: Term) -> None:
        if term.value in _COUNTING:
            self._target(term.kids[0], reads=True)
            return
        # Go takes a value out of a channel, Rust may leave the function
        self.acts |= term.value == "<-"
        self.jumps |= term.value in ("?", "_?")
        self.heap |= not (_is_plain(term) or _is_literal(term))
        self._kids(term)

    def keyed(self, term: Term) -> None:
        for kid in term.kids[1:] if term.kids[0].kind == t.FIELD else term.kids:
            self.visit(kid)

    def _kids(self, term: Term) -> None:
        for kid in term.kids:
            self.visit(kid)

    def later(self, term: Term) -> None:
        """Count what a function mentions as read now: it may be called at any time."""
        for one in term.walk():
            if one.kind == t.NAME:
                self.reads.add(one.value)
        if term.kids[0].kind == t.BIND:
            self.writes.add(term.kids[0].value)

    def called(self, term: Term) -> None:
        callee = term.kids[0]
        if callee.kind == t.NAME and callee.value in PURE_CALLS and term.value == "":
            self.heap = True
        else:
            self.acts = True
        self._kids(term)

    def deleted(self, term: Term) -> None:
        self.acts = True
        self._kids(term)
        self.writes |= {kid.value for kid in term.kids if kid.kind == t.NAME}

    def written(self, term: Term) -> None:
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


_VISITS: Final[dict[str, Callable[[_Walk, Term], None]]] = {
    t.NAME: _Walk.name,
    t.BIND: _Walk.bind,
    t.KWARG: _Walk.keyed,
    t.PAIR: _Walk.keyed,
    t.UNARY: _Walk.unary,
    t.CALL: _Walk.called,
    t.DELETE: _Walk.deleted,
    **dict.fromkeys((t.ASSIGN, t.AUGMENT, t.DECLARE), _Walk.written),
    **dict.fromkeys(_LATER, _Walk.later),
}


def is_own(value: Binding | str) -> bool:
    """Return whether a variable belongs to the function at hand."""
    return isinstance(value, Binding) and value.kind in (LOCAL, PARAMETER)


def outlives(name: Binding | str) -> bool:
    """Return whether a variable is still there, with its value, when the function at hand is left."""
    return not isinstance(name, Binding) or name.shared or not is_own(name)
