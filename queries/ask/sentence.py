"""Put an answer over things in a sentence: a figure with its unit, what comes first, or the first of the rows."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from linetrail.projections.tables.table import Table
from linetrail.queries.ask.choice import Figure
from linetrail.queries.ask.grammar import LIST, RANK, SHARE, WHEN
from linetrail.queries.render.text import counted, timestamp

# So many rows are named.
_NAMED = 3
# in millionths of a dollar
_CENT = 10_000


def sentence(figure: Figure | None, table: Table) -> str | None:
    """Return the answer in words; None where a question with a name was asked."""
    rows = list(table.mappings())
    if figure is None:
        return None
    if not rows or (figure.shape == WHEN and rows[0][figure.column] is None):
        named = figure.by == "person"  # who owns an intent may not be known
        return f"no person is recorded of such {figure.unit}s" if named else f"no such {figure.unit} is recorded"
    first, name = rows[0], table.columns[0]
    if figure.shape == SHARE:
        return f"{'' if name == 'pct' else f'{first[name]} first: '}{_part(first, figure)}"
    if figure.shape == LIST and figure.column == "id":
        return _listed(rows, name, figure)
    if figure.shape == RANK and len(table.columns) > 1:
        same = [str(row.get("what") or row[name]) for row in rows if row[figure.column] == first[figure.column]]
        told = f"{_first(list(dict.fromkeys(same)))}: {_measured(first[figure.column], figure)}"
        return f"{told}{_difference([row[figure.column] for row in rows], figure)}"
    told_apart = _several if figure.beside else _told_apart
    return _measured(first[name], figure) if len(table.columns) == 1 else told_apart(rows, figure)


def _difference(values: Sequence[Any], figure: Figure) -> str:
    """Return how much lies between two figures that are compared; nothing between others."""
    if not figure.is_compared or len(values) != 2 or None in values:
        return ""
    return f", {_value(abs(values[0] - values[1]), figure)} more than the other"


def _several(rows: Sequence[dict[str, Any]], figure: Figure) -> str:
    """Return each row with its figures by their names."""
    figures = [figure, *figure.beside]
    told = []
    for row in rows:
        values = ", ".join(f"{one.name.replace('_', ' ')} {_value(row[one.name], one)}" for one in figures)
        member = "not known" if figure.by and row[figure.by] is None else row.get(figure.by or "")
        told.append(f"{member}: {values}" if figure.by else values)
    between = "" if figure.by else _difference([rows[0][one.name] for one in figures], figure)
    return f"{'; '.join(told[:_NAMED])}{'; …' if len(told) > _NAMED else ''}{between}"


def _listed(rows: Sequence[dict[str, Any]], name: str, figure: Figure) -> str:
    first = rows[0]
    if len(rows) == 1 and first.get("who") and first["happened_at"]:
        return f"{first['who']}, {timestamp(first['happened_at'])[:10]}: {first.get('what') or first[name]}"
    return f"{counted(len(rows), figure.unit)}: {_first([str(row.get('what') or row[name]) for row in rows])}"


def dollars(value: int | None) -> str | None:
    """Return a cost as people read it."""
    return None if value is None else f"${value / 1e6:,.{4 if 0 < abs(value) < _CENT else 2}f}"


def _told_apart(rows: Sequence[dict[str, Any]], figure: Figure) -> str:
    names = [one for one in rows[0] if one != figure.column]
    members = [
        f"{' '.join('not known' if row[one] is None else str(row[one]) for one in names)} "
        f"{_value(row[figure.column], figure)}"
        for row in rows
    ]
    if figure.shape == LIST:
        return f"{counted(len(rows), str(figure.by))}: {_first(members)}"
    whole = _measured(sum(row[figure.column] or 0 for row in rows), figure) if figure.adds_up else f"{figure.unit}s"
    return f"{whole}: {_first(members)}{_difference([row[figure.column] for row in rows], figure)}"


def _part(row: dict[str, Any], figure: Figure) -> str:
    part, whole = list(row.values())[-2:]
    if figure.unit == "cost":
        return f"{row['pct']} %, {dollars(part)} of {dollars(whole)}"
    return f"{row['pct']} %, {part:,} of {counted(whole, figure.unit)}"


def _measured(value: Any, figure: Figure) -> str:
    """Return a figure with its unit, where it does not say that itself."""
    if value is None:
        return "it is not known how long" if figure.unit == "second" else f"nothing is known of any {figure.unit}"
    if figure.told_in:
        return _value(value, figure)
    told = _value(value, figure)
    if figure.column.endswith("cost"):
        return f"{told} at list prices"
    return told if isinstance(value, datetime) or figure.column.endswith("seconds") else counted(value, figure.unit)


def _value(value: Any, figure: Figure) -> str:
    if value is None:
        return "not known"
    if isinstance(value, datetime):
        return timestamp(value)
    if figure.told_in:
        name, times = figure.told_in
        told = float(value) / times
        return (
            f"{told:,.15g} {name}" if told == round(told) else f"{told:,.{1 if told >= 1 or times == 1 else 2}f} {name}"
        )
    if figure.column.endswith("cost"):
        return str(dollars(value))
    return _lasting(float(value)) if figure.column.endswith("seconds") else f"{value:,}"


def _lasting(seconds: float) -> str:
    """Return how long something took.

    >>> _lasting(90125.4), _lasting(0.4)
    ('1 d 1 h 2 min 5 s', '0.4 s')
    """
    if seconds < 10:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    units = ((days, "d"), (hours, "h"), (minutes, "min"), (rest, "s"))
    told = [f"{number} {unit}" for number, unit in units if number]
    return " ".join(told)


def _first(told: Sequence[str]) -> str:
    return f"{', '.join(told[:_NAMED])}{', …' if len(told) > _NAMED else ''}"
