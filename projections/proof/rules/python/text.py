"""Rules of Python's text: every way to put values into a string is a template."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from string import Formatter
from typing import Final

from linetrail.projections.proof.effects.effects import footprint, only_reads
from linetrail.projections.proof.rules import Place, Rule
from linetrail.projections.proof.rules.likeness import alike
from linetrail.projections.proof.rules.python.meaning import (
    call,
    called,
    literal,
    member,
    method,
    name,
    operands,
    plain_arguments,
)
from linetrail.projections.proof.terms import term as t
from linetrail.projections.proof.terms.term import ABSENT, Term, text_of

PYTHON: Final = frozenset(("python",))
_PERCENT: Final = re.compile(
    r"%(?:\((?P<key>[^)]*)\))?(?P<flags>[-#0 +]*)(?P<width>\d*)(?P<precision>(?:\.\d+)?)(?P<sort>.)", re.DOTALL
)
_FIELD: Final = re.compile(r"(?P<first>[^.\[\]]*)(?P<rest>(?:\.[^\W\d]\w*|\[[^\[\]]+\])*)")
_STEP: Final = re.compile(r"\.(?P<attribute>\w+)|\[(?P<index>[^\[\]]+)\]")
_CONVERSIONS: Final = {"repr": "!r", "ascii": "!a", "str": "!s"}
_PERCENT_CONVERSIONS: Final = {"s": "", "r": "!r", "a": "!a"}
_UTF8: Final = frozenset(("utf-8", "utf8", "UTF-8", "UTF8", "utf_8"))
_ASCII: Final = frozenset(("ascii", "latin-1", "latin1", "iso-8859-1"))
Piece = Term | str


class _UnreadableError(Exception):
    """A format says something that is not read here."""


def _template(pieces: Iterable[Piece], at: Term) -> Term:
    """Return text with values in it; a mere string where it has none."""
    kids: list[Term] = []
    for piece in pieces:
        made = literal("str", piece, at) if isinstance(piece, str) else piece
        for part in made.kids if made.kind == t.TEMPLATE else (made,):
            if part.kind == t.LIT and kids and kids[-1].kind == t.LIT:
                kids[-1] = literal("str", kids[-1].value[1] + part.value[1], at)
            elif part.kind != t.LIT or part.value[1]:
                kids.append(part)
    if all(kid.kind == t.LIT for kid in kids):
        return kids[0] if kids else literal("str", "", at)
    return Term(t.TEMPLATE, "", kids, line=at.line, start=at.start, end=at.end)


def _hole(value: Term, conversion: str = "", form: str = "") -> Term:
    kids = [
        value,
        literal("conversion", conversion, value) if conversion else ABSENT,
        literal("str", form, value) if form else ABSENT,
    ]
    return Term(t.HOLE, "", kids, line=value.line, start=value.start, end=value.end)


def _is_text(term: Term) -> bool:
    """Return whether a term is a string, with or without values in it."""
    return text_of(term) is not None or (term.kind == t.TEMPLATE and term.value == "")


# -- templates


def _written_out(term: Term, place: Place) -> Term | None:
    """Turn f"{'a'}b" into "ab"."""
    if term.value != "" or place.spelled:
        return None
    if not (any(map(_is_written_out, term.kids)) or all(kid.kind == t.LIT for kid in term.kids)):
        return None
    return _template((kid.kids[0] if _is_written_out(kid) else kid for kid in term.kids), term)


def _is_written_out(piece: Term) -> bool:
    if piece.kind != t.HOLE or piece.value or len(piece.kids) != 3:
        return False
    value, conversion, form = piece.kids
    return conversion.kind == form.kind == t.NONE and _is_text(value)


def _conversion(term: Term, place: Place) -> Term | None:
    """Turn f"{repr(a)}" into f"{a!r}"; str() is what happens to a value without a format anyway."""
    if place.dialect != "python" or len(term.kids) != 3 or term.value:
        return None
    value, conversion, form = term.kids
    if form.kind == t.LIT and not form.value[1]:
        return term.but(kids=[value, conversion, ABSENT])
    if conversion.kind == t.NONE:
        wanted = _CONVERSIONS.get(called(value))
        if wanted is None or len(value.kids) != 2 or value.kids[1].kind in (t.SPREAD, t.KWARG):
            return None
        return term.but(kids=[value.kids[1], literal("conversion", wanted, value), form])
    if conversion.value[1] == "!s" and form.kind == t.NONE:
        return term.but(kids=[value, ABSENT, form])
    return None


def _whole_number(term: Term, place: Place) -> Term | None:
    """Turn f"{a:02d}" into f"{int(a):02}": a number without a fraction, as "%02d" % a shows it."""
    if place.dialect != "python" or len(term.kids) != 3 or term.kids[1].kind != t.NONE:
        return None
    value, conversion, form = term.kids
    if _DECIMAL.fullmatch(text_of(form) or "") is None:
        return None
    number = value if called(value) == "int" else call(name("int", value), value)
    return term.but(kids=[number, conversion, literal("str", str(text_of(form))[:-1], form)])


_DECIMAL: Final = re.compile(r"[<>=^]?[-+ ]?0?\d*[,_]?d")


# -- strings that are put together


def _concatenation(term: Term, _place: Place) -> Term | None:
    """Turn "a" + b into f"a{b}": what is added to a string is one."""
    if term.value != "+":
        return None
    pieces = list(operands(term, "+"))
    if not any(map(_is_text, pieces)) or any(_is_no_text(piece) for piece in pieces):
        return None
    return _template((piece if _is_text(piece) else _hole(piece) for piece in pieces), term)


def _is_no_text(term: Term) -> bool:
    return term.kind in (t.LIT, t.TEMPLATE) and not _is_text(term)


def _join(term: Term, _place: Place) -> Term | None:
    """Turn " ".join([a, b]) into f"{a} {b}"."""
    found = method(term)
    if found is None or found[1] != "join" or len(term.kids) != 2:
        return None
    between, parts = text_of(found[0]), term.kids[1]
    if between is None or parts.kind not in (t.LIST, t.TUPLE) or any(kid.kind == t.SPREAD for kid in parts.kids):
        return None
    pieces: list[Piece] = []
    for part in parts.kids:
        pieces += [between, part if _is_text(part) else _hole(part)]
    return _template(pieces[1:], term)


# -- formats


def _percent(term: Term, _place: Place) -> Term | None:
    """Turn "%s" % a into f"{a}"."""
    form = text_of(term.kids[0])
    if term.value != "%" or form is None:
        return None
    try:
        return _template(_percent_pieces(form, term.kids[1]), term)
    except _UnreadableError:
        return None


def _percent_pieces(form: str, values: Term) -> Iterator[Piece]:
    found = [one for one in _PERCENT.finditer(form) if one["sort"] != "%"]
    if form.count("%") != len(found) + 2 * sum(one["sort"] == "%" for one in _PERCENT.finditer(form)):
        raise _UnreadableError
    given = iter(_percent_values(found, values))
    end = 0
    for one in _PERCENT.finditer(form):
        yield form[end : one.start()]
        end = one.end()
        yield "%" if one["sort"] == "%" else _percent_hole(one, next(given))
    yield form[end:]


def _percent_values(found: Sequence[re.Match[str]], values: Term) -> Sequence[Term]:
    """Return a value for each place that wants one, evaluated in that order."""
    if found and all(one["key"] is not None for one in found):
        if values.kind == t.NAME:
            return [_item(values, "str", str(one["key"])) for one in found]
        if values.kind != t.DICT or any(kid.kind != t.PAIR for kid in values.kids):
            raise _UnreadableError
        by_key = {text_of(key): value for key, value in (pair.kids for pair in values.kids)}
        return _in_order([one["key"] for one in found], by_key)
    given = values.kids if values.kind == t.TUPLE else (values,)
    if any(one["key"] is not None for one in found):
        raise _UnreadableError
    if len(given) != len(found) or any(one.kind == t.SPREAD for one in given):
        raise _UnreadableError
    return given


def _percent_hole(found: re.Match[str], value: Term) -> Term:
    flags, width, precision, sort = found["flags"], found["width"], found["precision"], found["sort"]
    conversion = _PERCENT_CONVERSIONS.get(sort)
    if conversion is not None:
        if precision or flags.strip("-"):
            raise _UnreadableError
        aligned = f"{'<' if '-' in flags else '>'}{width}" if width else ""
        return _hole(value, conversion, aligned)
    if sort not in "diuxXofFeEgG" or (precision and sort in "diuxXo") or ("-" in flags and "0" in flags):
        raise _UnreadableError
    sign = "+" if "+" in flags else " " if " " in flags else ""
    zero = "0" if "0" in flags and width else ""
    shown = f"{'<' if '-' in flags and width else ''}{sign}{'#' if '#' in flags else ''}{zero}{width}{precision}"
    return _hole(value, form=f"{shown}{'d' if sort in 'iu' else sort}")


def _format(term: Term, _place: Place) -> Term | None:
    """Turn "{}".format(a) into f"{a}"."""
    found = method(term)
    if found is None or found[1] != "format":
        return None
    form = text_of(found[0])
    if form is None:
        return None
    try:
        return _template(_format_pieces(form, term.kids[1:]), term)
    except (_UnreadableError, ValueError):
        return None


def _format_pieces(form: str, arguments: Sequence[Term]) -> Iterator[Piece]:
    by_key: dict[str | None, Term] = {}
    for at, one in enumerate(arguments):
        if one.kind == t.SPREAD:
            raise _UnreadableError
        by_key |= {str(one.kids[0].value): one.kids[1]} if one.kind == t.KWARG else {str(at): one}
    parsed = list(Formatter().parse(form))
    names = _numbered([field for _, field, _, _ in parsed if field is not None])
    given = iter(_in_order([first for first, _ in names], by_key))
    steps = iter(names)
    for text, field, shown, conversion in parsed:
        yield text
        if field is None:
            continue
        if shown and "{" in shown:
            raise _UnreadableError
        yield _hole(_followed(next(given), next(steps)[1]), f"!{conversion}" if conversion else "", shown or "")


def _numbered(fields: Sequence[str]) -> list[tuple[str, str]]:
    """Return what each field names, {} by its number, and the steps from there."""
    found = [parts for field in fields if (parts := _FIELD.fullmatch(field)) is not None]
    counted = [parts["first"] for parts in found if not parts["first"]]
    if len(found) < len(fields) or (counted and any(parts["first"].isdigit() for parts in found)):
        raise _UnreadableError
    numbers = iter(range(len(counted)))
    return [(parts["first"] or str(next(numbers)), parts["rest"]) for parts in found]


def _followed(value: Term, steps: str) -> Term:
    for step in _STEP.finditer(steps):
        if step["attribute"]:
            value = member(value, step["attribute"])
        else:
            index = step["index"]
            value = _item(value, "int" if index.isdigit() else "str", index)
    return value


def _item(holder: Term, kind: str, key: str) -> Term:
    return Term(t.INDEX, "", [holder, literal(kind, key, holder)], line=holder.line, start=holder.start, end=holder.end)


def _in_order(wanted: Sequence[str | None], given: Mapping[str | None, Term]) -> list[Term]:
    """Return the values that are wanted, if it is the same to evaluate them there, as often as that is."""
    if not set(wanted) <= set(given):
        raise _UnreadableError
    if list(wanted) != list(given) and not all(only_reads(footprint(value)) for value in given.values()):
        raise _UnreadableError
    return [given[key] for key in wanted]


# -- strings that are known


def _affix(term: Term, _place: Place) -> Term | None:
    """Turn x[3:] if x.startswith("pre") else x into x.removeprefix("pre")."""
    test, then, otherwise = term.kids
    found = method(test)
    if found is None or found[1] not in ("startswith", "endswith") or len(test.kids) != 2 or then.kind != t.INDEX:
        return None
    holder, affix = found[0], test.kids[1]
    if not alike(holder, otherwise) or not alike(holder, then.kids[0]) or not only_reads(footprint(holder)):
        return None
    lower, upper, step = then.kids[1].kids if then.kids[1].kind == t.SLICE else (ABSENT, ABSENT, test)
    if step.kind != t.NONE:
        return None
    if found[1] == "startswith" and upper.kind == t.NONE and _is_length_of(lower, affix):
        return call(member(holder, "removeprefix"), affix)
    if found[1] == "endswith" and lower.kind == t.NONE and upper.kind == t.UNARY and upper.value == "-":
        return call(member(holder, "removesuffix"), affix) if _is_length_of(upper.kids[0], affix) else None
    return None


def _is_length_of(number: Term, affix: Term) -> bool:
    text = text_of(affix)
    if number.kind == t.LIT:
        return bool(text) and number.value == ("int", str(len(text or "")))
    is_length = called(number) == "len" and len(number.kids) == 2 and alike(number.kids[1], affix)
    return is_length and affix.kind in (t.NAME, t.LIT) and text != ""


def _affix_branch(term: Term, place: Place) -> Term | None:
    """Turn if x.startswith("pre"): x = x[3:] into x = x.removeprefix("pre")."""
    test, then, otherwise = term.kids
    if otherwise.kind != t.NONE or len(then.kids) != 1 or then.kids[0].kind != t.ASSIGN or len(then.kids[0].kids) != 2:
        return None
    target, value = then.kids[0].kids
    if target.kind != t.BIND:
        return None
    made = _affix(term.but(kind=t.COND, kids=[test, value, target.but(kind=t.NAME)]), place)
    return then.kids[0].but(kids=[target, made]) if made is not None else None


def _bytes(term: Term, _place: Place) -> Term | None:
    """Turn "a".encode("utf-8") into b"a", and leave out the encoding that is taken anyway."""
    found = method(term)
    if found is None or found[1] not in ("encode", "decode"):
        return None
    holder, verb = found
    arguments = term.kids[1:]
    text = text_of(holder)
    codec = text_of(arguments[0]) if len(arguments) == 1 else None
    if text is not None and text.isascii() and codec in _ASCII and verb == "encode":
        return literal("bytes", text, term)
    if len(arguments) == 1:
        given = arguments[0].kids[1] if arguments[0].kind == t.KWARG else arguments[0]
        named = arguments[0].kids[0].value if arguments[0].kind == t.KWARG else "encoding"
        return term.but(kids=term.kids[:1]) if named == "encoding" and text_of(given) in _UTF8 else None
    if arguments or text is None or verb == "decode":
        return None
    try:
        return literal("bytes", text.encode("utf-8").decode("latin-1"), term)
    except UnicodeEncodeError:
        return None


def _split(term: Term, _place: Place) -> Term | None:
    """Turn "a b".split() into ["a", "b"]."""
    found = method(term)
    arguments = plain_arguments(term)
    if found is None or found[1] != "split" or arguments is None or len(arguments) > 1:
        return None
    text, separator = text_of(found[0]), text_of(arguments[0]) if arguments else None
    if text is None or (arguments and not separator):
        return None
    return Term(t.LIST, "", [literal("str", part, term) for part in text.split(separator)], line=term.line)


# Templates of every language.
TEMPLATES: Final = (Rule("string without values", (t.TEMPLATE,), _written_out),)
RULES: Final = (
    Rule("conversion in a format", (t.HOLE,), _conversion, PYTHON),
    Rule("whole number in a format", (t.HOLE,), _whole_number, PYTHON),
    Rule("concatenation as a formatted string", (t.BINARY,), _concatenation, PYTHON),
    Rule("join as a formatted string", (t.CALL,), _join, PYTHON, frozenset((".join",))),
    Rule("% as a formatted string", (t.BINARY,), _percent, PYTHON),
    Rule("format() as a formatted string", (t.CALL,), _format, PYTHON, frozenset((".format",))),
    Rule("text without its beginning or end", (t.COND,), _affix, PYTHON),
    Rule("text without its beginning or end", (t.IF,), _affix_branch, PYTHON),
    Rule("encoding that is the default", (t.CALL,), _bytes, PYTHON, frozenset((".encode", ".decode"))),
    Rule("split of a known string", (t.CALL,), _split, PYTHON, frozenset((".split",))),
)
