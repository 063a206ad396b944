"""Work out where the parts of small charts are; `charts.html` draws them as SVG, served and in a report alike.

Shapes are stretched to the width that there is, so no text is in them: numbers and names stand beside, as text does.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from linetrail.queries.page.view import Record

# As many columns as can be told apart on a narrow screen.
MOST_COLUMNS = 60
MOST_BARS = 30
# A name beyond this is a text.
MOST_CHARACTERS = 80
# A year beyond these stands for a clock that was wrong, and would leave no room for anything else.
_YEARS = range(1990, 2200)
_DAY_SECONDS = 86_400


class Column(NamedTuple):
    """What stands over one stretch of time, of one unit's width."""

    x: int
    height: float
    first: str
    last: str
    value: float


class Columns(NamedTuple):
    """Counts over time, of which the highest is 100 high."""

    columns: Sequence[Column]
    width: int
    first: str
    last: str
    most: float


class Bar(NamedTuple):
    """A value with its name, and its share of the largest, in hundredths."""

    name: str | None
    value: float
    width: float


class Line(NamedTuple):
    """A curve in a box of 100 by 100: its points, as SVG has them, its ends, and its moments (s) with their values."""

    points: str
    first: str
    last: str
    least: float
    most: float
    series: tuple[Sequence[int], Sequence[float]]


class Node(NamedTuple):
    """Something with a name, on a circle, and a few words on it."""

    name: str
    x: float
    y: float
    note: str = ""


class Edge(NamedTuple):
    """What two nodes have in common, and how sure that is."""

    first: Node
    second: Node
    what: str
    probability: float


class Graph(NamedTuple):
    """Nodes on a circle in a box of 100 by 60, and what is between them."""

    nodes: Sequence[Node]
    edges: Sequence[Edge]


class Chart(NamedTuple):
    """The chart that fits an answer: what it is of, and one of the shapes."""

    of: str
    over: str
    kind: str
    shape: Columns | Line | Sequence[Bar]


def columns(counts: Mapping[date, float], first: date | None = None, last: date | None = None) -> Columns | None:
    """Return the counts of days as columns, several days in one where there are too many; None where nothing counts."""
    told = {day: count for day, count in counts.items() if day.year in _YEARS}
    if not told:
        return None
    first, last = min(filter(None, (first, *told))), max(filter(None, (last, *told)))
    each = max(math.ceil(((last - first).days + 1) / MOST_COLUMNS), 1)
    summed: dict[int, float] = {}
    for day, count in told.items():
        summed[(day - first).days // each] = summed.get((day - first).days // each, 0) + count
    most = max([*summed.values(), 1])
    shown = [
        Column(
            at,
            round(100 * count / most, 1),
            str(first + timedelta(days=at * each)),
            str(min(first + timedelta(days=(at + 1) * each - 1), last)),
            count,
        )
        for at, count in sorted(summed.items())
    ]
    return Columns(shown, max((last - first).days // each + 1, 14), str(first), str(last), most)


def bars(counts: Sequence[tuple[str | None, float]]) -> list[Bar]:
    """Return values as bars, in their order.

    >>> [bar.width for bar in bars([("a", 4), ("b", 1)])]
    [100.0, 25.0]
    """
    most = max([*(value for _, value in counts), 0])
    return [Bar(name, value, round(100 * max(value, 0) / most, 1) if most else 0.0) for name, value in counts]


def graph(notes: Mapping[str, str], pairs: Sequence[tuple[str, str, str, float]]) -> Graph:
    """Return names on a circle, each with a note, and a line for each pair: what it has in common, and how surely.

    >>> graph({"a": "ready", "b": "running"}, []).nodes
    [Node(name='a', x=50.0, y=6.0, note='ready'), Node(name='b', x=50.0, y=54.0, note='running')]
    """
    nodes = {}
    for at, (name, note) in enumerate(notes.items()):
        turn = 2 * math.pi * at / len(notes)
        nodes[name] = Node(name, round(50 + 34 * math.sin(turn), 1), round(30 - 24 * math.cos(turn), 1), note)
    return Graph(
        list(nodes.values()), [Edge(nodes[one], nodes[other], what, chance) for one, other, what, chance in pairs]
    )


def numbers(rows: Sequence[Record], names: Sequence[str]) -> list[str]:
    """Return the columns that hold numbers, some of which may not be known.

    >>> numbers([{"a": 1, "b": None, "c": True}, {"a": None, "b": None, "c": False}], ["a", "b", "c"])
    ['a']
    """
    return [name for name in names if _is_number(_values(rows, name))]


def fitting(names: Sequence[str], rows: Sequence[Record]) -> Chart | None:
    """Return the chart that fits the columns of an answer: a day and a number, or a name and a number; None where none.

    The first column of each kind counts; rows without a value are left out.
    """
    number = next(iter(numbers(rows, names)), None)
    if number is None or len(rows) < 2:
        return None
    told = [row for row in rows if row[number] is not None]
    for name in names:
        days = _days(told, name)
        if len(days) == len(told) == len(set(days)):
            values = (row[number] for row in told)
            return _over_time(number, name, sorted(zip(days, values, strict=True)))
    named = next((name for name in names if name != number and _is_name(_values(told, name))), None)
    if named is None or any(row[number] < 0 for row in told):
        return None
    return Chart(number, named, "bars", bars([(row[named], row[number]) for row in told[:MOST_BARS]]))


def _over_time(number: str, moment: str, told: Sequence[tuple[date, float]]) -> Chart | None:
    if len(told) < 2:
        return None
    (first, _), (last, _) = told[0], told[-1]
    if (last - first).days < MOST_COLUMNS and all(value >= 0 for _, value in told):
        shape = columns(dict(told))
        return None if shape is None else Chart(number, moment, "columns", shape)
    return Chart(number, moment, "line", line(told))


def line(told: Sequence[tuple[date, float]]) -> Line:
    """Return values over days, in their order, as a curve."""
    first, last = told[0][0], told[-1][0]
    values = [value for _, value in told]
    least, most = min(*values, 0), max(values)
    days, height = max((last - first).days, 1), (most - least) or 1
    points = " ".join(
        f"{100 * (day - first).days / days:.2f},{100 - 100 * (value - least) / height:.2f}" for day, value in told
    )
    moments = [(day - date(1970, 1, 1)).days * _DAY_SECONDS for day, _ in told]
    return Line(points, str(first), str(last), least, most, (moments, values))


def day(value: Any) -> date | None:
    """Return the day that a value names; None where it names none.

    >>> day("2026-01-05"), day("2026-01"), day("2026-13-01"), day("INT-1")
    (datetime.date(2026, 1, 5), datetime.date(2026, 1, 1), None, None)
    """
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    text = value if isinstance(value, str) else ""
    try:
        return date.fromisoformat(f"{text}-01" if len(text) == 7 else text[:10])
    except ValueError:
        return None


def _days(rows: Sequence[Record], name: str) -> list[date]:
    """Return the days of a column; none where one of its values is something else."""
    told = _values(rows, name)
    found = [one for value in told if (one := day(value)) is not None and one.year in _YEARS]
    return found if len(found) == len(told) else []


def _is_number(values: Sequence[Any]) -> bool:
    """Return whether there are values, and all are numbers that have a place on a scale."""
    return bool(values) and all(
        isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) for value in values
    )


def _is_name(values: Sequence[Any]) -> bool:
    """Return whether there are values, and each is a short text of its own."""
    short = all(isinstance(value, str) and len(value) <= MOST_CHARACTERS for value in values)
    return bool(values) and short and len(set(values)) == len(values)


def _values(rows: Sequence[Record], name: str) -> list[Any]:
    return [row[name] for row in rows if row[name] is not None]
