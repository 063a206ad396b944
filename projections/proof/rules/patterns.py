"""Rules that are shapes: how something may be written, and what it becomes, both in the language itself.

As `gofmt -r` has it, a lower-case letter stands for whatever is there, and the same letter for the same again; where a
variable is declared it stands for one. `*z`, `...z` and `z...` are the arguments that are left. All other names go by
what they mean: `shlex.join` is the function of that module, whatever it is called here. Conditions come last:

    {k: z for k in y} -> dict.fromkeys(y, z) if simple:z

Where two operands are joined by `and` or `or`, any two neighbours of a longer chain will do. A letter never takes along
what mentions a variable that the shape itself declares.
"""

import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import resources
from typing import Final, NamedTuple

from linetrail.projections.proof.dialects.catalogue import dialect_of
from linetrail.projections.proof.effects.effects import footprint, only_reads
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.likeness import alike, is_plain, mentions
from linetrail.projections.proof.rules.variables import LIST
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.binding import LOCAL, PARAMETER, Binding
from linetrail.projections.proof.terms.term import Term
from linetrail.projections.syntax.language import named
from linetrail.projections.syntax.parsing import parse

Meaning = Callable[[Term], str]
Found = dict[str, Term | tuple[Term, ...]]
# What a letter stands for: something, a variable that is declared, what is assigned to, the arguments that are left.
_ANY, _BOUND, _TARGET, _REST = "pattern:any", "pattern:bound", "pattern:target", "pattern:rest"
# A name that goes by what it means.
_MEANT: Final = "pattern:meant"
# What no letter stands for.
_PARTS: Final = frozenset((t.KWARG, t.SPREAD, t.NONE))
# Language -> the grammar that reads a shape, and what has to stand around it.
_READ: Final = {
    "python": ("python", "{}"),
    "ecmascript": ("javascript", "{}"),
    "go": ("go", "package p\nfunc f() {{\n{}\n}}"),
    "rust": ("rust", "fn f() {{ {}; }}"),
}
# With parentheses around it, text that stands alone is no docstring.
_TEXTS: Final = ('"', 'b"')


class Pattern(NamedTuple):
    """One shape: what is written, what it becomes, and when."""

    written: Term
    becomes: Term
    conditions: Sequence[Callable[[Found, Place], bool]]
    # the letters of variables that the shape declares
    bound: Sequence[str]
    # the kinds of its kids, "" where anything may be
    heads: Sequence[str]


def _is_there(term: Term, _place: Place) -> bool:
    """Return whether a term can be evaluated: `typeof` asks in vain of a variable that nobody declares."""
    return term.kind != t.NAME or (isinstance(term.value, Binding) and term.value.kind in (LOCAL, PARAMETER))


def _is_at_hand(term: Term, _place: Place) -> bool:
    return all(one.kind in (t.NAME, t.LIT, t.LIST, t.TUPLE, t.DICT, t.UNARY) for one in term.walk())


def _is_false(term: Term, _place: Place) -> bool:
    if term.kind in (t.LIST, t.TUPLE, t.DICT):
        return not term.kids
    return term.kind == t.LIT and term.value in _FALSE


_FALSE: Final = (("constant", "False"), ("str", ""), ("bytes", ""), ("int", "0"), ("float", "0.0"))


def _literal(*sorts: str) -> Callable[[Term, Place], bool]:
    return lambda term, _place: term.kind == t.LIT and (not sorts or term.value[0] in sorts)


CONDITIONS: Final[Mapping[str, Callable[[Term, Place], bool]]] = {
    "bytes": _literal("bytes"),
    "false": _is_false,
    "float": _literal("float"),
    "hand": _is_at_hand,
    "int": _literal("int"),
    "list": lambda term, place: place.variables.kind(term) == LIST,
    "literal": _literal(),
    "name": lambda term, _place: term.kind == t.NAME,
    "path": lambda term, _place: is_plain(term),
    "reads": lambda term, _place: only_reads(footprint(term)),
    "simple": lambda term, _place: term.kind in (t.LIT, t.NAME),
    "str": _literal("str"),
    "template": lambda term, _place: term.kind == t.TEMPLATE and term.value == "",
    "there": _is_there,
}


def patterns(language: str, table: Mapping[str, str | Sequence[str]], meaning: Meaning) -> tuple[Rule, ...]:
    """Return the rules of the shapes in a table, each under its name, in their order."""
    rules: list[Rule] = []
    for name, told in table.items():
        shapes = [_pattern(language, one) for one in ([told] if isinstance(told, str) else told)]
        kinds = tuple(dict.fromkeys(_kind(one.written) for one in shapes))
        keys = [_key(one.written) for one in shapes]
        rule = Rule(name, kinds, _applied(shapes, meaning), frozenset((language,)))
        rules.append(rule._replace(calls=frozenset(keys)) if language == "python" and all(keys) else rule)
    return tuple(rules)


def table(path: str) -> Mapping[str, str | Sequence[str]]:
    """Return the shapes in a file of this folder, by the names of their rules."""
    file = resources.files(__package__).joinpath(f"{path}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _kind(written: Term) -> str:
    return t.ATTR if written.kind == _MEANT else written.kind


def _key(written: Term) -> str:
    """Return what a call is of, as far as that tells it from others: see `Rule.calls`."""
    if written.kind != t.CALL:
        return ""
    callee = written.kids[0]
    return f".{callee.kids[1].value}" if callee.kind == t.ATTR else str(callee.value) if callee.kind == _MEANT else ""


# -- reading


def _pattern(language: str, told: str) -> Pattern:
    written, _, rest = told.partition(" -> ")
    becomes, _, conditions = rest.partition(" if ") if not rest.startswith("if ") else (rest, "", "")
    before, after = _lowered(language, written), _lowered(language, becomes)
    if before.kind == t.EXPR:
        before, after = before.kids[0], after.kids[0]
    bound = [str(one.value) for one in before.walk() if one.kind == _BOUND]
    heads = ["" if kid.kind.startswith("pattern:") else kid.kind for kid in before.kids]
    return Pattern(before, after, [_condition(word) for word in conditions.split()], bound, heads)


def _condition(word: str) -> Callable[[Found, Place], bool]:
    name, _, letter = word.partition(":")
    if letter:
        holds = CONDITIONS[name]
        return lambda found, place: all(holds(one, place) for one in _terms(found[letter]))
    wanted = not name.startswith("!")
    return lambda _found, place: place.test is wanted


def _terms(found: Term | tuple[Term, ...]) -> Iterable[Term]:
    return found if isinstance(found, tuple) else (found,)


def _lowered(language: str, shape: str) -> Term:
    grammar, around = _READ[language]
    source = around.format(f"({shape})" if shape.startswith(_TEXTS) else shape).encode()
    known = named(grammar)
    dialect = dialect_of(known)
    made = dialect.lower(parse(known, source).root_node, source, {})
    if made.broken:
        raise ValueError(f"no {language}: {shape}")
    first = made.module.kids[-1]
    return _read(first.kids[2].kids[0] if first.kind == t.FUNCTION else first, dialect.builtins)


def _read(term: Term, builtins: frozenset[str]) -> Term:
    """Return a term with letters for what they stand for, and names for what they mean."""
    if term.kind in (t.NAME, t.BIND) and _is_letter(term.value):
        return Term(_ANY if term.kind == t.NAME else _BOUND, term.value)
    if term.kind == t.SPREAD and term.kids[0].kind == t.NAME and _is_letter(term.kids[0].value):
        return Term(_REST, term.kids[0].value)
    path = _path(term)
    if path and not _is_letter(path.partition(".")[0]):
        # what is a member of something built in is reached through it; all else is one name
        return Term(_MEANT, path, (term,) if path.partition(".")[0] in builtins else ())
    kids = [_read(kid, builtins) for kid in term.kids]
    if term.kind == t.ASSIGN and kids[0].kind == _BOUND:
        kids[0] = kids[0].but(kind=_TARGET)
    return term.but(kids=kids)


def _is_letter(name: object) -> bool:
    return isinstance(name, str) and len(name) == 1 and name.islower()


def _path(term: Term) -> str:
    if term.kind == t.NAME:
        return str(term.value)
    if term.kind == t.ATTR and term.value == "." and term.kids[1].kind == t.FIELD:
        holder = _path(term.kids[0])
        return f"{holder}.{term.kids[1].value}" if holder else ""
    return ""


# -- matching


def _applied(shapes: Sequence[Pattern], meaning: Meaning) -> Callable[[Term, Place], Term | None]:
    by_root: defaultdict[tuple[str, object], list[Pattern]] = defaultdict(list)
    for shape in shapes:
        value = "." if shape.written.kind == _MEANT else shape.written.value
        by_root[_kind(shape.written), value].append(shape)

    def apply(term: Term, place: Place) -> Term | None:
        for shape in by_root.get((term.kind, term.value), ()):
            made = (
                _in_chain(shape, term, place, meaning) if term.kind == t.LOGIC else _made(shape, term, place, meaning)
            )
            if made is not None:
                return made
        return None

    return apply


def _made(shape: Pattern, term: Term, place: Place, meaning: Meaning) -> Term | None:
    """Return what becomes of a term that has a shape."""
    if not _may_fit(shape.heads, term.kids):
        return None
    found = _matched(shape, term, place, meaning)
    return _built(shape.becomes, found, term) if found is not None else None


def _in_chain(shape: Pattern, term: Term, place: Place, meaning: Meaning) -> Term | None:
    """Return what becomes of a chain in which two neighbours have a shape."""
    for at in range(len(term.kids) - 1):
        if _may_fit(shape.heads, term.kids[at : at + 2]):
            made = _made(shape, term.but(kids=term.kids[at : at + 2]), place, meaning)
            if made is not None:
                kids = [*term.kids[:at], made, *term.kids[at + 2 :]]
                return term.but(kids=kids) if len(kids) > 1 else made
    return None


def _may_fit(heads: Sequence[str], kids: Sequence[Term]) -> bool:
    """Return whether the kids of a term have the kinds that a shape wants, as far as it wants any."""
    return all(not head or head == kid.kind for head, kid in zip(heads, kids, strict=False))


def _matched(shape: Pattern, term: Term, place: Place, meaning: Meaning) -> Found | None:
    found: Found = {}
    if not _fits(shape.written, term, found, meaning) or not all(holds(found, place) for holds in shape.conditions):
        return None
    bound = [found[letter] for letter in shape.bound]
    taken = [one for letter, some in found.items() if letter not in shape.bound for one in _terms(some)]
    names = [one.value for one in bound if isinstance(one, Term)]
    return None if any(mentions(one, name) for name in names for one in taken) else found


def _fits(wanted: Term, term: Term, found: Found, meaning: Meaning) -> bool:
    kind = wanted.kind
    if kind == _ANY:
        return term.kind not in _PARTS and _is_same(found.setdefault(wanted.value, term), term)
    if kind in (_BOUND, _TARGET):
        if not (term.kind == t.BIND or (term.kind == t.ATTR and kind == _TARGET)) or not _is_same(
            found.get(wanted.value, term), term
        ):
            return False
        if kind == _BOUND:
            found[wanted.value] = term
        return True
    if kind == _MEANT:
        return term.kind in (t.NAME, t.ATTR) and meaning(term) == wanted.value
    if kind != term.kind or wanted.value != term.value:
        return False
    kids, given = wanted.kids, term.kids
    if kids and kids[-1].kind == _REST:
        kids, given, rest = kids[:-1], given[: len(kids) - 1], given[len(kids) - 1 :]
        known = found.setdefault(wanted.kids[-1].value, rest)
        if not isinstance(known, tuple) or len(known) != len(rest) or not all(map(alike, known, rest)):
            return False
    return len(kids) == len(given) and all(
        _fits(one, other, found, meaning) for one, other in zip(kids, given, strict=True)
    )


def _is_same(known: Term | tuple[Term, ...], term: Term) -> bool:
    if known is term or isinstance(known, tuple):
        return known is term
    if {known.kind, term.kind} == {t.NAME, t.BIND}:
        return known.value is term.value
    return alike(known, term)


def _built(becomes: Term, found: Found, at: Term) -> Term:
    """Return what a shape becomes; it stands where the whole stood."""
    if becomes.kind in (_ANY, _BOUND, _TARGET):
        made = found[becomes.value]
        if not isinstance(made, Term):
            raise AssertionError("a letter for arguments stands among arguments")
        is_variable = made.kind in (t.NAME, t.BIND)
        return made.but(kind=t.NAME if becomes.kind == _ANY else t.BIND) if is_variable else made
    if becomes.kind == _MEANT:
        if becomes.kids:
            return _placed(becomes.kids[0], at)
        return Term(t.NAME, becomes.value, line=at.line, start=at.start, end=at.end)
    kids: list[Term] = []
    for kid in becomes.kids:
        kids += _terms(found[kid.value]) if kid.kind == _REST else (_built(kid, found, at),)
    return Term(becomes.kind, becomes.value, kids, line=at.line, start=at.start, end=at.end)


def _placed(term: Term, at: Term) -> Term:
    return Term(
        term.kind, term.value, [_placed(kid, at) for kid in term.kids], line=at.line, start=at.start, end=at.end
    )
