"""Turn a table into text: for people, for spreadsheets, for programs.

Everything here is a function of the table. Whatever came from outside may hold signs that steer a terminal or turn
text around: people are shown a replacement for them, programs their JSON escape.
"""

import csv
import io
import json
import math
import re
import textwrap
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import accumulate, islice
from operator import attrgetter
from typing import Any

from linetrail.projections.tables.table import Table
from linetrail.queries.render.column_widths import asked, broken, divide, is_path, is_whole
from linetrail.queries.render.terminal import painted

SCHEMA_VERSION = 1
UNKNOWN = "-"
# No line is filled up with more spaces than this for the sake of a longer one.
LONGEST_PADDING = 400
# How much of the name of a session or commit is shown.
SHORT = 8
# A moment as events have it.
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
# A hash as events have it.
_HASH = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{28,}\b")
# What every session of an agent is called first: `ses_` for OpenCode, `T-` for Amp.
_KIND = re.compile("[A-Za-z]{1,4}[-_](?=[0-9A-Za-z]{8})")
# What JSON lets through unescaped and a terminal may obey: C1 controls, line separators, bidirectional overrides.
_STEERING = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_AMOUNT = re.compile(r"\$[\d,]+\.\d\d")
# Colours and links, which take no room.
_UNSEEN = re.compile("\x1b\\[[0-9;]*m|\x1b\\]8;;.*?\x1b\\\\")
# What a spreadsheet would take for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def document(table: Table, meta: Mapping[str, Any]) -> str:
    """Return the one JSON document that `--json` promises."""
    body = {"schema_version": SCHEMA_VERSION, "meta": dict(meta), "rows": list(records(table))}
    return escaped(json.dumps(json_value(body), ensure_ascii=False, indent=1))


def json_lines(table: Table) -> str:
    """Return one JSON object per row, each on its line."""
    rows = (json.dumps(record, ensure_ascii=False, separators=(",", ":")) for record in records(table))
    return "\n".join(map(escaped, rows))


def comma_separated(table: Table, *, header: bool = True, line_end: str = "\n") -> str:
    """Return CSV that no spreadsheet takes for formulas, without a newline at the end."""
    target = io.StringIO(newline="")
    writer = csv.writer(target, lineterminator=line_end)
    if header:
        writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow("" if value is None else _cell(value) for value in row)
    return target.getvalue().removesuffix(line_end)


def text_table(
    table: Table,
    *,
    width: int | None = None,
    header: bool = True,
    tones: Sequence[str | None] | None = None,
    dispensable: Sequence[str] = (),
) -> str:
    """Return aligned columns, numbers to the right, within a width; a last line names dropped columns.

    `tones` has a colour, or None, for each row; `dispensable` the columns that are left out before others.
    """
    cells = [[plain(value) for value in row] for row in _brief(table, width)]
    names = table.columns if header else ("",) * len(table.columns)
    shown, widths = _fitted(names, cells, width, [table.columns.index(name) for name in dispensable])
    right = [_is_numeric(row[at] for row in table.rows) for at in shown]
    lines = [_line([row[at] for at in shown], widths, right, whole=width is None) for row in cells]
    if tones is not None:
        lines = list(map(painted, lines, tones))
    heading = _heading([names[at] for at in shown], widths, right) if header else ()
    missing = [name for at, name in enumerate(table.columns) if at not in shown]
    return "\n".join([*heading, *lines, *_missing(missing, width)])


def table_of(fields: Mapping[str, str], things: Iterable[object]) -> Table:
    """Return a table with a row for each thing; `fields` has the attribute of each column, as `rule.id`."""
    values = [attrgetter(attribute) for attribute in fields.values()]
    return Table(tuple(fields), [tuple(value(thing) for value in values) for thing in things])


def records(table: Table) -> Iterator[dict[str, Any]]:
    return (json_value(row) for row in table.mappings())


def plain(value: object) -> str:
    r"""Return a value as one line of text without control characters.

    >>> plain("two\nlines, \x1b[31mred")
    'two lines, �[31mred'
    """
    if value is None:
        return UNKNOWN
    text = value if isinstance(value, str) else _words(json_value(value))
    return text if text.isprintable() else text.translate(_SIGNS)


def short(session_id: str) -> str:
    """Return an abbreviated session id; a prefix that all ids of an agent share does not count.

    >>> short("c3a75a8e-0d5b-4f2e-9a53-77d2b1f0a6c4"), short("ses_4a1f0c2d9ffeQ8rT2bXk")
    ('c3a75a8e', 'ses_4a1f0c2d')
    """
    kind = _KIND.match(session_id)
    return session_id[: SHORT + (kind.end() if kind else 0)]


def with_short_hashes(text: str) -> str:
    """Return a text with the first twelve digits of each hash in it, which tell two contents apart.

    >>> with_short_hashes("it is sha256:" + "0d4dfa7d665a" * 5 + "0fa2")
    'it is sha256:0d4dfa7d665a'
    """
    return _HASH.sub(r"\1", text)


def counted(number: int, name: str) -> str:
    """Return a number and the noun that it counts.

    >>> counted(1, "file"), counted(2000, "file")
    ('1 file', '2,000 files')
    """
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def columns(text: str) -> int:
    """Return the width of a text in a terminal.

    >>> columns("日本 e\u0301")
    6
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text
    )


def folded(text: str, width: int | None) -> str:
    r"""Wrap lines that are too wide at spaces; the rest is indented to its column.

    >>> print(folded("LT001  high  A file was written that nobody owns", 30))
    LT001  high  A file was
                 written that
                 nobody owns
    """
    if width is None:
        return text
    return "\n".join("\n".join(_pieces(line, width)) for line in text.split("\n"))


def timestamp(moment: datetime) -> str:
    """Return a moment in UTC as events spell it."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def json_value(value: Any) -> Any:
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    return _SCALARS.get(type(value), str)(value)


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _number(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else float(number)


# How JSON spells what it has no type for; a number that is none is not known.
_SCALARS: Mapping[type, Callable[[Any], Any]] = {
    datetime: timestamp,
    date: date.isoformat,
    float: _finite,
    Decimal: _number,
    bytes: bytes.hex,
}


def _words(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, int) else json.dumps(value, ensure_ascii=False)


def _cell(value: Any) -> str:
    text = _words(json_value(value)) if not isinstance(value, bool) else str(value).lower()
    quote = "'" if isinstance(value, str) and text.startswith(_FORMULA) else ""
    if text.isprintable():
        return quote + text
    return quote + "\n".join(line.translate(_SIGNS) for line in text.split("\n"))


class _Signs(dict[int, str]):
    """What stands for each character in one line of text, as far as anybody wrote it."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        self[code] = sign if sign.isprintable() else " " if sign.isspace() else "\N{REPLACEMENT CHARACTER}"
        return self[code]


_SIGNS = _Signs()


def escaped(text: str) -> str:
    """Escape in JSON all characters that a terminal may obey."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _is_numeric(values: Iterator[object]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(
        (isinstance(value, int | float | Decimal) and not isinstance(value, bool))
        or (isinstance(value, str) and _AMOUNT.fullmatch(value))
        for value in known
    )


def _brief(table: Table, width: int | None) -> Iterator[Sequence[Any]]:
    """Yield the rows, with moments cut to the second if a width is given."""
    if width is None:
        yield from table.rows
        return
    for row in table.rows:
        yield [_second(value) for value in row]


def _second(value: object) -> object:
    """Return a moment cut to its second; return any other value as it is."""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    if isinstance(value, str) and _MOMENT.fullmatch(value):
        return value[:19].replace("T", " ")
    return value


def _fitted(
    headings: Sequence[str], rows: Sequence[Sequence[str]], limit: int | None, dispensable: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return which columns are shown, and their widths.

    Without a limit, one long cell does not make every line as long as itself: it sticks out of its column.
    """
    cells = list(zip(*rows, strict=True)) or [() for _ in headings]
    widths = [list(map(columns, column)) for column in cells]
    if limit is None:
        whole = (max([len(name), *wide]) for name, wide in zip(headings, widths, strict=True))
        return list(range(len(headings))), [min(width, LONGEST_PADDING) for width in whole]
    wanted = [asked(*column) for column in zip(headings, cells, widths, strict=True)]
    found = divide(wanted, limit, dispensable)
    return found.shown, found.widths


def _missing(names: Sequence[str], width: int | None) -> list[str]:
    """Return a note that names the columns without room."""
    if not names or width is None:
        return []
    return textwrap.wrap(
        f"no room in {width} columns for {', '.join(filter(None, map(str.strip, names)))}: see --json", width
    )


def _heading(names: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> Iterator[str]:
    """Yield the lines of the heading, aligned at the bottom."""
    stacks = [
        broken(name, width) if columns(name) > width else [name] for name, width in zip(names, widths, strict=True)
    ]
    height = max(map(len, stacks), default=1)
    for line in zip(*([""] * (height - len(stack)) + stack for stack in stacks), strict=True):
        yield _line(line, widths, right, whole=True)


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool], *, whole: bool) -> str:
    shown = cells if whole else map(_shortened, cells, widths)
    placed = zip(shown, widths, right, strict=True)
    return "  ".join(_padded(cell, room, right=numeric) for cell, room, numeric in placed).rstrip()


def _shortened(text: str, room: int) -> str:
    """Shorten a text that is too wide: at its end, or before the path that it ends in."""
    if columns(text) <= room or is_whole([text]):
        return text
    if not is_path(text):
        return f"{_start(text, room - 1)}…"
    kept = _start(text[::-1], room - 1)[::-1]
    words, _, path = text.rpartition(" ")
    before = room - columns(path) - 1
    if words and before > 0:
        return f"{_start(words, before)}…{path}"
    _, slash, below = kept.partition("/")
    return f"…{slash}{below}" if slash and 2 * columns(below) >= room else f"…{kept}"


def _pieces(line: str, width: int) -> Iterator[str]:
    """Yield the pieces of a wrapped line; words and paths stay whole."""
    seen = _UNSEEN.sub("", line)
    if columns(seen) <= width:
        yield line
        return
    hang = _hang(seen, width)
    first, *others = line.split(" ")
    held, room = first, columns(_UNSEEN.sub("", first))
    for word in others:
        wide = columns(_UNSEEN.sub("", word))
        if room + 1 + wide > width and room > hang and held.strip():
            yield held.rstrip()
            held, room = " " * hang + word, hang + wide
        else:
            held, room = f"{held} {word}", room + 1 + wide
    yield held.rstrip()


def _hang(seen: str, width: int) -> int:
    """Return the indent of a wrapped line: its longest column, if all words fit there."""
    starts = [found.end() for found in re.finditer(r"^ *(?=\S)|\S {2,}(?=\S)", seen)]
    lengths = {start: end - start for start, end in zip(starts, [*starts[1:], len(seen)], strict=True)}
    hang = max((start for start in starts if start <= width * 3 // 5), key=lengths.__getitem__, default=0)
    longest = max(map(columns, seen[hang:].split()), default=0)
    return hang if hang and hang + longest <= width else starts[0] + 2


def _start(text: str, room: int) -> str:
    """Return the longest beginning of a text that fits."""
    return text[: bisect_right(list(islice(accumulate(map(columns, text)), room + 1)), room)]


def _padded(text: str, room: int, *, right: bool) -> str:
    space = " " * (room - columns(text))
    return space + text if right else text + space


def duration(nanoseconds: int) -> str:
    """Return a duration in the unit that a person would use.

    >>> duration(95_000_000_000), duration(7_300_000_000_000), duration(-1)
    ('95 s', '2 h', '0 s')
    """
    seconds = max(nanoseconds // 1_000_000_000, 0)
    if seconds < 120:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 7200 else f"{seconds // 3600} h"
