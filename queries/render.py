"""Turn a table into text: for people, for spreadsheets, for programs.

Everything here is a function of the table. Whatever came from outside may hold signs that steer a terminal or turn
text around: people are shown a replacement for them, programs their JSON escape.
"""

import csv
import io
import json
import math
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import accumulate, islice
from typing import Any

from linetrail.projections.tables import Table
from linetrail.queries.terminal import painted

SCHEMA_VERSION = 1
UNKNOWN = "-"
# No line is filled up with more spaces than this for the sake of a longer one.
LONGEST_PADDING = 400
# How much of the name of a session or commit is shown.
SHORT = 8
# What every session of an agent is called first: `ses_` for OpenCode, `T-` for Amp.
_KIND = re.compile("[A-Za-z]{1,4}[-_](?=[0-9A-Za-z]{8})")
# What JSON lets through unescaped and a terminal may obey: C1 controls, line separators, bidirectional overrides.
_STEERING = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
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
    """Return CSV that a spreadsheet opens as text and numbers, never as formulas; the last line has no end."""
    target = io.StringIO(newline="")
    writer = csv.writer(target, lineterminator=line_end)
    if header:
        writer.writerow(table.columns)
    for row in table.rows:
        writer.writerow("" if value is None else _cell(value) for value in row)
    return target.getvalue().removesuffix(line_end)


def text_table(
    table: Table, *, width: int | None = None, header: bool = True, tones: Sequence[str | None] | None = None
) -> str:
    """Return aligned columns, numbers to the right; cells are shortened until a line fits the width.

    `tones` has a colour, or None, for each row.
    """
    rows = [list(table.columns)] if header else []
    rows += [[plain(value) for value in row] for row in table.rows]
    widths = _fitted([max(map(columns, column)) for column in zip(*rows, strict=True)], width)
    right = [_is_numeric(row[at] for row in table.rows) for at in range(len(table.columns))]
    lines = [_line(row, widths, right, whole=width is None) for row in rows]
    if tones is not None:
        lines[header:] = map(painted, lines[header:], tones)
    return "\n".join(lines)


def records(table: Table) -> Iterator[dict[str, Any]]:
    """Yield the rows as JSON objects."""
    return (json_value(row) for row in table.mappings())


def plain(value: object) -> str:
    r"""Return a value as one line of text that does nothing to a terminal.

    >>> plain("two\nlines, \x1b[31mred")
    'two lines, �[31mred'
    """
    if value is None:
        return UNKNOWN
    text = value if isinstance(value, str) else _words(json_value(value))
    return text if text.isprintable() else "".join(_printable(sign) for sign in text)


def short(session_id: str) -> str:
    """Return the beginning of a session's name, by which it can be asked for; what every name starts with is no part.

    >>> short("c3a75a8e-0d5b-4f2e-9a53-77d2b1f0a6c4"), short("ses_4a1f0c2d9ffeQ8rT2bXk")
    ('c3a75a8e', 'ses_4a1f0c2d')
    """
    kind = _KIND.match(session_id)
    return session_id[: SHORT + (kind.end() if kind else 0)]


def counted(number: int, name: str) -> str:
    """Return a number with what it counts.

    >>> counted(1, "file"), counted(2000, "file")
    ('1 file', '2,000 files')
    """
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def columns(text: str) -> int:
    """Count the places that a text takes in a terminal.

    >>> columns("日本 e\u0301")
    6
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text
    )


def timestamp(moment: datetime) -> str:
    """Write a moment, in UTC, the way events do."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def json_value(value: Any) -> Any:
    """Return what JSON can hold."""
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
    return json.dumps(value, ensure_ascii=False)


def _cell(value: Any) -> str:
    text = _words(json_value(value)) if not isinstance(value, bool) else str(value).lower()
    quote = "'" if isinstance(value, str) and text.startswith(_FORMULA) else ""
    if text.isprintable():
        return quote + text
    return quote + "".join(sign if sign == "\n" else _printable(sign) for sign in text)


def _printable(sign: str) -> str:
    if sign.isprintable():
        return sign
    return " " if sign.isspace() else "\N{REPLACEMENT CHARACTER}"


def escaped(text: str) -> str:
    """Return JSON in which nothing is left that a terminal may obey."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _is_numeric(values: Iterator[object]) -> bool:
    known = [value for value in values if value is not None]
    return bool(known) and all(
        isinstance(value, int | float | Decimal) and not isinstance(value, bool) for value in known
    )


def _fitted(widths: Sequence[int], limit: int | None) -> list[int]:
    """Take room from the widest columns until a line fits; no column gets narrower than 8.

    Without a limit, one long cell does not make every line as long as itself: it sticks out of its column.
    """
    if limit is None:
        return [min(width, LONGEST_PADDING) for width in widths]
    fitted = [min(width, max(limit, 8)) for width in widths]
    while sum(fitted) + 2 * (len(fitted) - 1) > limit:
        widest = max(fitted)
        if widest <= 8:
            break
        fitted[fitted.index(widest)] -= 1
    return fitted


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool], *, whole: bool) -> str:
    shown = cells if whole else map(_shortened, cells, widths)
    placed = zip(shown, widths, right, strict=True)
    return "  ".join(_padded(cell, room, right=numeric) for cell, room, numeric in placed).rstrip()


def _shortened(text: str, room: int) -> str:
    if columns(text) <= room:
        return text
    places = accumulate(map(columns, text))
    return text[: bisect_right(list(islice(places, room)), room - 1)] + "…"


def _padded(text: str, room: int, *, right: bool) -> str:
    space = " " * (room - columns(text))
    return space + text if right else text + space
