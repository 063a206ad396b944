"""Sum the tokens that models used and their cost at list prices, by day, week, month, session, model, agent or intent.

Every answer of a model counts once, under its message and request, however often it was reported. What no report
says is not known, and no zero; a sum is that of what is known.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from linetrail.ledger.errors import UsageError
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Tables
from linetrail.queries.render.text import counted
from linetrail.queries.statements import statement

KINDS = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
COLUMNS = ("models", "answers", *KINDS, "total_tokens", "cost_microusd", "unpriced")
# A quarter of an hour is in one day only, whatever the time zone.
_QUARTER = 900

Record = Mapping[str, Any]


class Spent(NamedTuple):
    """Sums over some answers of models."""

    models: tuple[str, ...]
    answers: int
    tokens: tuple[int | None, ...]
    total_tokens: int | None
    cost_microusd: int | None
    unpriced: int

    def cells(self) -> tuple[Any, ...]:
        return (list(self.models), self.answers, *self.tokens, self.total_tokens, self.cost_microusd, self.unpriced)


class Usage(NamedTuple):
    """Sums by key, by key and model, and in total."""

    name: str
    groups: Mapping[str | None, Spent]
    models: Mapping[str | None, Mapping[str, Spent]]
    total: Spent

    def table(self, *, breakdown: bool) -> Table:
        """Return a row for each key, or for each key and model."""
        if not breakdown:
            return Table((self.name, *COLUMNS), [(key, *spent.cells()) for key, spent in self.groups.items()])
        rows = [
            (key, model or None, *spent.cells()[1:]) for key in self.groups for model, spent in self.models[key].items()
        ]
        return Table((self.name, "model_id", *COLUMNS[1:]), rows)


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"


def _monday(moment: datetime) -> str:
    return _day(moment - timedelta(days=moment.weekday()))


def _month(moment: datetime) -> str:
    return f"{moment:%Y-%m}"


# by what: the name of the column, and how a moment is called in it
PERIODS: Mapping[str, tuple[str, Callable[[datetime], str]]] = {
    "daily": ("date", _day),
    "weekly": ("week", _monday),
    "monthly": ("month", _month),
}
FIELDS = {"session": "session_id", "model": "model_id", "agent": "agent_name", "intent": "intent_id"}
BY = (*PERIODS, *FIELDS)


def zone(name: str | None) -> tzinfo | None:
    """Return the time zone with this name; None stands for that of this machine."""
    if name is None:
        return None
    try:
        return UTC if name.upper() in {"UTC", "Z"} else ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise UsageError(
            f"no time zone is called {name!r}; write UTC, Europe/Berlin or America/New_York",
            "linetrail usage --timezone UTC",
        ) from None


def usage(
    tables: Tables,
    by: str,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    where: tzinfo | None = None,
) -> Usage:
    """Sum up the usage between two moments; periods are in the order of time, other keys by cost."""
    records = list(tables.ask(statement("usage_spent"), {"since": since, "until": until}).mappings())
    groups: defaultdict[str | None, list[Record]] = defaultdict(list)
    for record in records:
        groups[_key(record, by, where)].append(record)
    sums = {key: _sum(found) for key, found in groups.items()}
    order = sorted(sums, key=lambda key: _rank(key, sums[key], by))
    models = {key: dict(_by_model(groups[key])) for key in order}
    return Usage(_name(by), {key: sums[key] for key in order}, models, _sum(records))


def told(unpriced: int) -> str | None:
    """Return a note on how many answers have no known cost."""
    return f"without {counted(unpriced, 'answer')} of models whose price is not known" if unpriced else None


def _name(by: str) -> str:
    return PERIODS[by][0] if by in PERIODS else FIELDS[by]


def _key(record: Record, by: str, where: tzinfo | None) -> str | None:
    if by in FIELDS:
        value: str | None = record[FIELDS[by]]
        return value
    if record["quarter"] is None:
        return None
    return PERIODS[by][1](datetime.fromtimestamp(record["quarter"] * _QUARTER, UTC).astimezone(where))


def _rank(key: str | None, spent: Spent, by: str) -> tuple[Any, ...]:
    if by in PERIODS:
        return (key is None, key or "")
    return (-(spent.cost_microusd or 0), -(spent.total_tokens or 0), key is None, key or "")


def _by_model(records: Iterable[Record]) -> Iterator[tuple[str, Spent]]:
    models: defaultdict[str, list[Record]] = defaultdict(list)
    for record in records:
        models[record["model_id"] or ""].append(record)
    for model in sorted(models):
        yield model, _sum(models[model])


def _sum(records: Iterable[Record]) -> Spent:
    found = list(records)
    tokens = tuple(_known(record[kind] for record in found) for kind in KINDS)
    return Spent(
        models=tuple(sorted({record["model_id"] for record in found if record["model_id"]})),
        answers=sum(record["answers"] for record in found),
        tokens=tokens,
        total_tokens=_known(tokens),
        cost_microusd=_known(record["cost_microusd"] for record in found),
        unpriced=sum(record["unpriced"] for record in found),
    )


def _known(numbers: Iterable[Any]) -> int | None:
    known = [int(number) for number in numbers if number is not None]
    return sum(known) if known else None
