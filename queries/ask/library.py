"""What `import linetrail` offers beside the connection: answers as typed rows."""

import keyword
import os
from collections import namedtuple
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.blame.blame import Blamer
from linetrail.projections.git import target as targets
from linetrail.projections.tables.table import Table
from linetrail.queries.arguments.earlier_ledger import moved_back
from linetrail.queries.ask import ask as asking
from linetrail.queries.ask.question_files import Question
from linetrail.queries.ask.question_files import questions as named_questions

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

RowT = TypeVar("RowT", bound=tuple[Any, ...])
Path = str | os.PathLike[str]


class UnansweredError(LinetrailError):
    """What was asked in words is counted or summed up by no question that has a name."""

    hint = "linetrail sql --list"
    exit_status = 1


class Line(NamedTuple):
    """One line of a file and who wrote it; the names are those of `linetrail blame --json`."""

    line_no: int
    text: str
    contributor_type: str
    mixed: bool
    agent_name: str | None
    model_id: str | None
    session_id: str | None
    intent_id: str | None
    event_id: str | None
    tool_call_id: str | None
    written_at: str | None
    vcs_revision: str | None
    author: str | None
    origin_event_id: str | None
    evidence: str
    confidence: float
    mutation_class: str | None = None
    overruled: str | None = None


class Event(NamedTuple):
    """One thing that happened; the names are those of `linetrail log --json`."""

    event_id: str
    seq: int
    timestamp: datetime
    type: str
    session_id: str | None
    agent_name: str | None
    model_id: str | None
    contributor_type: str | None
    intent_id: str | None
    path: str | None
    verdict: str | None
    summary: str | None


class Rows(list[RowT]):
    """Rows with names; `columns` tells them also where there is no row."""

    def __init__(self, columns: Sequence[str], rows: Iterable[RowT]) -> None:
        super().__init__(rows)
        self.columns = tuple(columns)

    def mappings(self) -> list[dict[str, Any]]:
        """Return the rows as dictionaries, which is what data frames are made from."""
        return [dict(zip(self.columns, row, strict=True)) for row in self]

    def arrow(self) -> "pa.Table":
        """Return the rows as a table of Arrow; a column has the type of its values."""
        import pyarrow as pa

        columns = zip(*self, strict=True) if self else ((),) * len(self.columns)
        return pa.table({name: pa.array(values) for name, values in zip(self.columns, columns, strict=True)})

    def df(self) -> "pd.DataFrame":
        """Return the rows as a data frame of pandas."""
        return self.arrow().to_pandas()

    def pl(self) -> "pl.DataFrame":
        """Return the rows as a data frame of polars."""
        import polars as pl

        return cast("pl.DataFrame", pl.from_arrow(self.arrow()))


def rows(name: str, table: Table) -> Rows[Any]:
    """Return a table as rows whose columns are attributes."""
    return Rows(table.columns, map(_row_class(name, table.columns)._make, table.rows))


def log(path: Path = ".", /, *, as_of: str | None = None, **filters: object) -> Rows[Event]:
    """Return what happened, newest first; the filters are the parameters of the question `log`."""
    table = asking.ask(os.fspath(path), "log", as_of=as_of, **filters)
    events = (Event(**{name: event[name] for name in Event._fields}) for event in table.mappings())
    return Rows(Event._fields, events)


def blame(path: Path, file: Path, *, rev: str | None = None, as_of: str | None = None) -> Rows[Line]:
    """Return who wrote each line of a file, given from the root of the repository or as an absolute path."""
    repository = require_ledger(find(os.fspath(path)))
    until = None if as_of is None else moved_back(repository, as_of)
    stored = targets.locate(repository, repository.root, os.fspath(file))
    target = targets.find_target(repository, stored, rev)
    with closing(Blamer(repository, until)) as blamer:
        answer = blamer.answer(target)
    texts = [line.removesuffix(b"\r").decode("utf-8", "replace") for line in target.content.split(b"\n")]
    lines = (Line(at + 1, texts[at], *by) for at, by in enumerate(answer.attributions))
    return Rows(Line._fields, lines)


def questions() -> Mapping[str, Question]:
    """Return every question that `ask` knows, by its name: what it asks, what it may be told, what it answers with."""
    return dict(named_questions())


@cache
def _row_class(name: str, columns: tuple[str, ...]) -> Any:
    fields = [f"{column}_" if keyword.iskeyword(column) else column for column in columns]
    return namedtuple("".join(map(str.capitalize, name.split("_"))), fields, rename=True)  # noqa: PYI024  its fields are known now only
