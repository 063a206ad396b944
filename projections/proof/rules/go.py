"""Rules of Go."""

from collections.abc import Iterator
from typing import Final

from linetrail.projections.proof.effects.effects import footprint, only_reads
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.likeness import alike
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import IMPORTED, Binding
from linetrail.projections.proof.terms.term import ABSENT, Term, same

GO: Final = frozenset(("go",))
_LITERAL, _VALUE, _BLANK = "go:literal", "go:value", "go:blank"
_LISTS: Final = frozenset(("[]", "[_]", "[...]"))
# Functions that moved to another package.
_MOVED: Final = {
    **{f"io/ioutil.{name}": f"io.{name}" for name in ("ReadAll", "NopCloser", "Discard")},
    **{f"io/ioutil.{name}": f"os.{name}" for name in ("ReadFile", "WriteFile")},
    "io/ioutil.TempDir": "os.MkdirTemp",
    "io/ioutil.TempFile": "os.CreateTemp",
}
_KNOWN: Final = frozenset((*_MOVED, *_MOVED.values()))


def _meaning(term: Term) -> str:
    """Return what a name of another package means, such as `io.ReadAll`; "" for anything else."""
    if term.kind != t.ATTR or term.kids[0].kind != t.NAME:
        return ""
    package = term.kids[0].value
    if not isinstance(package, Binding) or package.kind != IMPORTED or package.source is None:
        return ""
    return f"{package.source[0]}.{term.kids[1].value}"


def _one_name(term: Term, _place: Place) -> Term | None:
    """Turn ioutil.ReadFile into os.ReadFile."""
    known = _meaning(term)
    return term.but(kind=t.NAME, value=_MOVED.get(known, known), kids=()) if known in _KNOWN else None


# -- literals


def _simplified(term: Term, _place: Place) -> Term | None:
    """Turn []T{T{a}, T{b}} into []T{{a}, {b}}: what gofmt -s leaves out."""
    kind, value = term.kids
    made = _within(value, kind)
    return term.but(kids=[kind, made]) if made is not value else None


def _within(value: Term, kind: Term) -> Term:
    """Return the elements of a literal without the type that they have anyway."""
    if kind.kind != t.TYPE or value.kind != _VALUE:
        return value
    if kind.value in _LISTS:
        kids = [_element(one, ABSENT, kind.kids[-1]) for one in value.kids]
    elif kind.value == "map":
        kids = [_element(one, kind.kids[0], kind.kids[1]) for one in value.kids]
    else:
        return value
    return value.having(kids)


def _element(element: Term, key: Term, kind: Term) -> Term:
    if element.kind != t.PAIR:
        return _plain(element, kind)
    kids = [_plain(element.kids[0], key), _plain(element.kids[1], kind)]
    return element.but(kids=kids) if kids[0] is not element.kids[0] or kids[1] is not element.kids[1] else element


def _plain(value: Term, kind: Term) -> Term:
    if value.kind == _LITERAL and _is(value.kids[0], kind):
        return _within(value.kids[1], kind)
    pointed = kind.kids[0] if kind.kind == t.TYPE and kind.value == "*" else ABSENT
    if value.kind == t.UNARY and value.value == "&" and value.kids[0].kind == _LITERAL:
        return _within(value.kids[0].kids[1], pointed) if _is(value.kids[0].kids[0], pointed) else value
    return _within(value, pointed if pointed is not ABSENT else kind)


def _is(kind: Term, wanted: Term) -> bool:
    return same(_bare(kind), _bare(wanted))


def _bare(kind: Term) -> Term:
    return kind.kids[0] if kind.kind == t.TYPE and not kind.value and len(kind.kids) == 1 else kind


def _whole_slice(term: Term, _place: Place) -> Term | None:
    """Turn s[0:n] into s[:n], and s[a:len(s)] into s[a:]."""
    if len(term.kids) != 2 or term.kids[1].kind != t.SLICE:
        return None
    holder, part = term.kids
    lower, upper, capacity = part.kids
    if capacity.kind != t.NONE:
        return None
    first = ABSENT if lower.kind == t.LIT and lower.value == ("int", "0") else lower
    is_length = upper.kind == t.CALL and len(upper.kids) == 2 and upper.kids[0].value == "len"
    last = ABSENT if is_length and holder.kind == t.NAME and alike(upper.kids[1], holder) else upper
    return term.but(kids=[holder, part.but(kids=[first, last, capacity])]) if (first, last) != (lower, upper) else None


def _without_blanks(term: Term, _place: Place) -> Term | None:
    """Turn for k, _ := range m into for k := range m."""
    target, *rest = term.kids
    pattern = target.kids[0] if target.kind == t.DECLARE else target
    kids = list(pattern.kids) if pattern.kind == t.TUPLE else [pattern]
    while kids and _is_blank(kids[-1]):
        kids.pop()
    if len(kids) == (len(pattern.kids) if pattern.kind == t.TUPLE else 1):
        return None
    left = pattern.but(kids=kids) if len(kids) > 1 else kids[0] if kids else ABSENT
    if target.kind == t.DECLARE and kids:
        left = target.but(kids=[left, *target.kids[1:]])
    return term.but(kids=[left, *rest])


def _is_blank(term: Term) -> bool:
    return term.kind == _BLANK or (term.kind == t.NAME and bool(term.value == "_"))


# -- conditions


def _branches(term: Term, _place: Place) -> Term | None:
    """Turn a switch into conditions, where nothing falls through or breaks out of it."""
    subject, *cases = term.kids
    if term.value != () or not cases or any(_leaves_switch(case.kids[2]) for case in cases):
        return None
    tests = [list(_tests(subject, case.kids[0], case)) for case in cases]
    is_looked_up_once = sum(map(len, tests)) == 1
    if subject.kind != t.NONE and not is_looked_up_once and not _is_steady(subject):
        return None
    otherwise = next((case.kids[2].but(value="") for case in cases if case.kids[0].kind == t.NONE), ABSENT)
    for case, asked in zip(reversed(cases), reversed(tests), strict=True):
        if asked:
            test = asked[0] if len(asked) == 1 else Term(t.LOGIC, "or", asked, line=case.line)
            otherwise = case.but(kind=t.IF, value="", kids=[test, case.kids[2].but(value=""), otherwise])
    return otherwise if otherwise.kind == t.IF else None


def _tests(subject: Term, pattern: Term, case: Term) -> Iterator[Term]:
    for one in pattern.kids if pattern.kind == t.TUPLE else (pattern,):
        if subject.kind == t.NONE and one.kind != t.NONE:
            yield one
        elif one.kind != t.NONE:
            yield case.but(kind=t.COMPARE, value="==", kids=[subject, one])


def _is_steady(subject: Term) -> bool:
    return all(one.kind in (t.NAME, t.FIELD, t.ATTR) for one in subject.walk()) and only_reads(footprint(subject))


def _leaves_switch(term: Term) -> bool:
    """Return whether a case ends before its end, or goes on in the next one."""
    if term.kind == t.BREAK:
        return term.kids[0].kind == t.NONE
    if term.kind.startswith("go:fallthrough"):
        return True
    if term.kind in (t.FOR, t.WHILE, t.EACH, t.SWITCH, t.LAMBDA, t.FUNCTION):
        return False
    return any(map(_leaves_switch, term.kids))


RULES: Final = (
    Rule("another name of the same thing", (t.ATTR,), _one_name, GO),
    Rule("type of an element that is known", (_LITERAL,), _simplified, GO),
    Rule("bound of a slice that is known", (t.INDEX,), _whole_slice, GO),
    Rule("value of a range that is not used", (t.EACH,), _without_blanks, GO),
    Rule("switch as conditions", (t.SWITCH,), _branches, GO),
)
