"""Rules of Go."""

from collections.abc import Iterator
from typing import Final

from linetrail.projections.proof.effects.effects import footprint, only_reads
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.likeness import alike
from linetrail.projections.proof.rules.truth import negated
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import IMPORTED, Binding
from linetrail.projections.proof.terms.term import ABSENT, Term, same

GO: Final = frozenset(("go",))
_LITERAL, _VALUE, _BLANK = "go:literal", "go:value", "go:blank"
_LISTS: Final = frozenset(("[]", "[_]", "[...]"))
# Functions that moved to another package, or that have a shorter name for some arguments.
_MOVED: Final = {
    **{f"io/ioutil.{name}": f"io.{name}" for name in ("ReadAll", "NopCloser", "Discard")},
    **{f"io/ioutil.{name}": f"os.{name}" for name in ("ReadFile", "WriteFile")},
    "io/ioutil.TempDir": "os.MkdirTemp",
    "io/ioutil.TempFile": "os.CreateTemp",
}
_SEARCHES: Final = {
    f"{package}.Index{sort}": f"{package}.Contains{sort}"
    for package in ("strings", "bytes")
    for sort in ("", "Rune", "Any")
}
_SORTED: Final = {
    "sort.StringSlice": "sort.Strings",
    "sort.IntSlice": "sort.Ints",
    "sort.Float64Slice": "sort.Float64s",
}
_OTHERS: Final = (
    "errors.New",
    "fmt.Errorf",
    "fmt.Sprintf",
    "sort.Sort",
    "strings.Replace",
    "strings.ReplaceAll",
    "bytes.Replace",
    "bytes.ReplaceAll",
    "time.Now",
    "time.Since",
)
_KNOWN: Final = frozenset(
    (*_MOVED, *_MOVED.values(), *_SEARCHES, *_SEARCHES.values(), *_SORTED, *_SORTED.values(), *_OTHERS)
)


def meaning(term: Term) -> str:
    """Return what a name of another package means, such as `strings.Index`; "" for anything else."""
    if term.kind == t.NAME:
        return term.value if isinstance(term.value, str) else ""
    if term.kind != t.ATTR or term.kids[0].kind != t.NAME:
        return ""
    package = term.kids[0].value
    if not isinstance(package, Binding) or package.kind != IMPORTED or package.source is None:
        return ""
    return f"{package.source[0]}.{term.kids[1].value}"


def _name(text: str, at: Term) -> Term:
    return Term(t.NAME, text, line=at.line, start=at.start, end=at.end)


def _called(term: Term) -> str:
    return meaning(term.kids[0]) if term.kind == t.CALL else ""


def _one_name(term: Term, _place: Place) -> Term | None:
    """Turn ioutil.ReadFile into os.ReadFile."""
    known = meaning(term)
    return _name(_MOVED.get(known, known), term) if known in _KNOWN else None


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
    is_length = _called(upper) == "len" and len(upper.kids) == 2 and alike(upper.kids[1], holder)
    last = ABSENT if is_length and holder.kind == t.NAME else upper
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


def _item_alone(term: Term, _place: Place) -> Term | None:
    """Turn v, _ := m[k] into v := m[k]."""
    target, value = term.kids[0], term.kids[-1]
    if target.kind != t.TUPLE or len(target.kids) != 2 or not _is_blank(target.kids[1]) or value.kind != t.INDEX:
        return None
    return term.but(kids=[target.kids[0], *term.kids[1:]])


def _received(term: Term, _place: Place) -> Term | None:
    """Turn _ = <-c into <-c."""
    if len(term.kids) != 2 or not _is_blank(term.kids[0]) or term.kids[1].kind != t.UNARY or term.kids[1].value != "<-":
        return None
    return term.but(kind=t.EXPR, value="", kids=term.kids[1:])


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


def _contained(term: Term, _place: Place) -> Term | None:
    """Turn strings.Index(s, x) != -1 into strings.Contains(s, x)."""
    left, right = term.kids
    found = _SEARCHES.get(_called(left))
    number = f"-{right.kids[0].value[1]}" if right.kind == t.UNARY and right.value == "-" else ""
    asked = term.value, number or (right.value[1] if right.kind == t.LIT else "")
    if found is None or asked not in (*_INSIDE, *_OUTSIDE):
        return None
    made = left.but(kids=[_name(found, left), *left.kids[1:]])
    return made if asked in _INSIDE else negated(made)


_INSIDE: Final = (("!=", "-1"), (">", "-1"), (">=", "0"))
_OUTSIDE: Final = (("==", "-1"), ("<", "0"))


def _unsized(term: Term, _place: Place) -> Term | None:
    """Turn make(map[a]b, 0) into make(map[a]b), and the same of channels."""
    if _called(term) != "make" or len(term.kids) != 3 or term.kids[2].value != ("int", "0"):
        return None
    kind = _bare(term.kids[1])
    is_unsized = kind.kind == t.TYPE and (kind.value == "map" or str(kind.value).startswith("chan"))
    return term.but(kids=term.kids[:2]) if is_unsized else None


RULES: Final = (
    Rule("another name of the same thing", (t.ATTR,), _one_name, GO),
    Rule("type of an element that is known", (_LITERAL,), _simplified, GO),
    Rule("bound of a slice that is known", (t.INDEX,), _whole_slice, GO),
    Rule("value of a range that is not used", (t.EACH,), _without_blanks, GO),
    Rule("item without asking whether there is one", (t.DECLARE, t.ASSIGN), _item_alone, GO),
    Rule("value received for nothing", (t.ASSIGN,), _received, GO),
    Rule("switch as conditions", (t.SWITCH,), _branches, GO),
    Rule("search as Contains", (t.COMPARE,), _contained, GO),
    Rule("shorter call", (t.CALL,), _unsized, GO),
)
