"""Facts about the variables of one item: where they are mentioned, and what kind of value they have, whenever that is.

Nothing is guessed: a variable has a kind when everything that is ever assigned to it has that kind.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import LOCAL, PARAMETER, Binding
from linetrail.projections.proof.terms.term import Term

WHOLE, NUMBER, TEXT, TRUTH, LIST, DICT = "whole number", "number", "text", "truth", "list", "dict"
# Kinds whose values nobody can change, so that it makes no difference who else holds one.
FIXED: Final = frozenset((WHOLE, NUMBER, TEXT, TRUTH))
_LITERALS: Final = {"int": WHOLE, "float": NUMBER, "str": TEXT, "number": NUMBER}
_TERMS: Final = {t.TEMPLATE: TEXT, t.LIST: LIST, t.DICT: DICT, t.NOT: TRUTH}
_FUNCTIONS: Final = {
    **dict.fromkeys(("len", "ord", "id", "hash", "int", "cap"), WHOLE),
    **dict.fromkeys(("str", "repr", "chr", "hex", "ascii", "format"), TEXT),
    **dict.fromkeys(("list", "sorted"), LIST),
    **dict.fromkeys(("isinstance", "issubclass", "callable", "hasattr", "bool", "any", "all", "Boolean"), TRUTH),
    "float": NUMBER,
    "dict": DICT,
}
_TEXT_METHODS: Final = {
    **dict.fromkeys(("strip", "lstrip", "rstrip", "lower", "upper", "title", "replace", "join", "format"), TEXT),
    **dict.fromkeys(("split", "rsplit", "splitlines"), LIST),
}
_COUNTED: Final = frozenset(("range", "xrange"))
_ARITHMETIC: Final = frozenset(("+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>"))
# Operators that make whole numbers of whole numbers, whatever these are: 1 % 0 is no number in JavaScript.
_CLOSED: Final = frozenset(("+", "-", "*", "//", "&", "|", "^", "<<", ">>"))


class Variables:
    """What is known of an item before anything is rewritten."""

    def __init__(self, term: Term) -> None:
        self._term = term
        self._mentions: Counter[Binding] | None = None
        self._known: dict[Binding, str] | None = None

    def live_in(self, term: Term, targets: Iterable[Binding | str]) -> bool:
        """Return whether nothing outside of a term mentions these variables."""
        if self._mentions is None:
            self._mentions = Counter(_mentioned(self._term))
        inside = Counter(_mentioned(term))
        return all(
            isinstance(one, Binding) and one.kind in (LOCAL, PARAMETER) and inside[one] >= self._mentions[one]
            for one in targets
        )

    def kind(self, value: Term) -> str:
        """Return the kind of a value; "" when it may be of several."""
        if value.kind == t.NAME:
            return self._kinds().get(value.value, "") if isinstance(value.value, Binding) else ""
        if value.kind == t.LIT:
            sort, spelled = value.value
            if sort == "constant":
                return TRUTH if str(spelled).lower() in ("true", "false") else ""
            return WHOLE if sort == "number" and str(spelled).isdigit() else _LITERALS.get(sort, "")
        if value.kind == t.COMP:
            return {"list": LIST, "dict": DICT}.get(value.value, "")
        if value.kind == t.CALL:
            return self._result(value)
        if value.kind in (t.BINARY, t.AUGMENT):
            return self._sum(str(value.value).removesuffix("="), value.kids)
        if value.kind in (t.UNARY, t.COND):
            kinds = {self.kind(kid) for kid in value.kids[-2:]}
            return kinds.pop() if len(kinds) == 1 and (value.kind == t.COND or value.value in _SIGNS) else ""
        return _TERMS.get(value.kind, "")

    def _result(self, call: Term) -> str:
        callee = call.kids[0]
        if callee.kind == t.NAME and isinstance(callee.value, str) and not call.value:
            return _FUNCTIONS.get(callee.value, "")
        if callee.kind == t.ATTR and self.kind(callee.kids[0]) == TEXT:
            return _TEXT_METHODS.get(str(callee.kids[1].value), "")
        return ""

    def _sum(self, operator: str, operands: Sequence[Term]) -> str:
        left, right = map(self.kind, operands)
        if operator == "+" and left == right and left in (TEXT, LIST):
            return left
        if _UNSEEN in (left, right):
            return _UNSEEN
        if operator not in _ARITHMETIC or not {left, right} <= {WHOLE, NUMBER}:
            return ""
        return WHOLE if left == right == WHOLE and operator in _CLOSED else NUMBER

    def _kinds(self) -> dict[Binding, str]:
        """Return the kind of each variable: none to begin with, then what is assigned to it, until that holds."""
        if self._known is None:
            sources = _sources(self._term)
            self._known = dict.fromkeys(sources, _UNSEEN)
            for _ in range(_ROUNDS):
                now = {variable: self._joined(variable, values) for variable, values in sources.items()}
                if now == self._known:
                    break
                self._known = now
            else:
                self._known = {}
        return self._known

    def _joined(self, variable: Binding, values: Sequence[Term | str]) -> str:
        kinds = {one if isinstance(one, str) else self.kind(one) for one in values} - {_UNSEEN}
        if not kinds:
            return _UNSEEN
        if variable.kind != LOCAL or (len(kinds) > 1 and kinds != {WHOLE, NUMBER}):
            return ""
        return NUMBER if len(kinds) > 1 else kinds.pop()


_SIGNS: Final = frozenset(("-", "+", "~"))
_UNSEEN: Final = "unseen"
_ROUNDS: Final = 8


def _sources(term: Term) -> dict[Binding, list[Term | str]]:
    """Return what is assigned to each variable; "" is a value of which nothing is known."""
    found: defaultdict[Binding, list[Term | str]] = defaultdict(list)
    explained: set[int] = set()

    def assigned(target: Term, value: Term | str) -> None:
        if target.kind in (t.NAME, t.BIND):
            explained.add(id(target))
            if isinstance(target.value, Binding):
                found[target.value].append(value)
        elif target.kind not in (t.ATTR, t.INDEX):
            for kid in target.kids:
                assigned(kid, "")

    for one in term.walk():
        for target, value in _assignments(one):
            assigned(target, value)
    for one in term.walk():
        if one.kind == t.BIND and id(one) not in explained:
            assigned(one, "")
    return found


def _assignments(term: Term) -> Iterator[tuple[Term, Term | str]]:
    kind = term.kind
    if kind == t.ASSIGN:
        yield from ((target, term.kids[-1]) for target in term.kids[:-1])
    elif kind == t.AUGMENT:
        yield term.kids[0], term.but(kids=[_read(term.kids[0]), term.kids[1]])
    elif kind == t.DECLARE and term.kids[2].kind != t.NONE:
        yield term.kids[0], term.kids[2]
    elif kind == t.UNARY and "_" in term.value:
        yield term.kids[0], WHOLE
    elif kind in (t.EACH, t.CLAUSE):
        drawn = term.kids[1]
        counted = drawn.kind == t.CALL and drawn.kids[0].kind == t.NAME and drawn.kids[0].value in _COUNTED
        yield term.kids[0], WHOLE if counted else ""


def _read(target: Term) -> Term:
    return target.but(kind=t.NAME) if target.kind == t.BIND else target


def _mentioned(term: Term) -> Iterator[Binding]:
    for one in term.walk():
        if one.kind in (t.NAME, t.BIND) and isinstance(one.value, Binding):
            yield one.value


def bound(pattern: Term) -> list[Binding | str]:
    """Return the variables that a pattern binds."""
    return [one.value for one in pattern.walk() if one.kind == t.BIND]


NOTHING: Final = Variables(Term(t.NONE))
