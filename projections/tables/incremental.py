"""Keep derived tables incrementally: rows of the long partitions in a Parquet file, those of later events in memory.

A model with a `-- by: column` line promises that each of its rows follows from the facts of one value of this column
alone, of one session, say. So a row in the file is right unless a later fact has its value; the rows of such values,
which are few, are made of all their facts when the table is opened, and held in memory. The file is named by the long
stretches and the texts of the models, and another one is due only when there is one long stretch more.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from linetrail.projections.tables import models
from linetrail.projections.tables.cache import Part, files
from linetrail.projections.tables.models import Model
from linetrail.projections.tables.partitions import LARGEST
from linetrail.projections.tables.sql_text import parquet_rows

if TYPE_CHECKING:
    import duckdb


class Grown(NamedTuple):
    """A derived table whose rows from the long partitions are kept in a file."""

    model: Model
    long: int = LARGEST
    VERSION: int = 1

    def key(self, parts: Sequence[Part]) -> list[object]:
        """Name the rows: by the long stretches, and by all models that they are made with."""
        stretches = [[part.first, part.head.seq, part.head.digest] for part in self.stretches(parts)]
        return [stretches, models.digest([*_made_with(self.model), *models.facts()])]

    def rows(self, connection: "duckdb.DuckDBPyConnection", parts: Sequence[Part]) -> "duckdb.DuckDBPyRelation":
        """Return the query that gives the rows."""
        long = self.stretches(parts)
        return connection.sql(_over(self.model, {fact: parquet_rows(files(long, fact)) for fact in _facts(self.model)}))

    def stretches(self, parts: Sequence[Part]) -> Sequence[Part]:
        """Return the parts that are long: the first ones."""
        return parts[: sum(part.length == self.long for part in parts)]

    def define(self, connection: "duckdb.DuckDBPyConnection", parts: Sequence[Part], file: Path) -> None:
        """Define the whole table: the rows of the file, but those whose value later partitions have, made anew."""
        name, by = self.model.name, self.model.by
        later = parts[len(self.stretches(parts)) :]
        about = sorted(fact for fact in _facts(self.model) if by in _columns(connection, fact))
        # names of models and their columns, here and below
        told = [f"select {by} {parquet_rows(found)}" for fact in about if (found := files(later, fact))]
        values = " union ".join(told) or f"select null as {by} limit 0"
        connection.execute(f"create or replace table touched_{name} as {values}")
        few = {fact: _near(connection, files(parts, fact), _joined("semi", name, "rows", by)) for fact in about}
        connection.execute(f"create or replace table few_{name} as {_over(self.model, few)}")
        rest = f"select kept.* {parquet_rows([str(file)])} as kept {_joined('anti', name, 'kept', by)}"
        connection.execute(f"create or replace view {name} as {rest} union all by name from few_{name}")


def _near(connection: "duckdb.DuckDBPyConnection", everywhere: Sequence[str], joined: str) -> str:
    """Return the query for the rows of a fact that a join leaves: most parts have none, and are not read further."""
    named = f"select distinct filename {parquet_rows(everywhere)} as rows {joined}"
    there = {file for (file,) in connection.execute(named).fetchall()}
    few = [file for file in everywhere if file in there] or everywhere[:1]
    return f"select rows.* {parquet_rows(few)} as rows {joined}"


def _columns(connection: "duckdb.DuckDBPyConnection", name: str) -> set[str]:
    described = connection.execute(f"from {name} limit 0").description
    return {column[0] for column in described or ()}


def _joined(kind: str, name: str, read: str, by: str | None) -> str:
    return f"{kind} join touched_{name} on touched_{name}.{by} is not distinct from {read}.{by}"


def grown() -> Mapping[str, Grown]:
    """Return the derived tables that are kept."""
    return {model.name: Grown(model) for model in models.derived() if model.by}


def _over(model: Model, facts: Mapping[str, str]) -> str:
    """Return the query for a model's rows where these facts have other rows than usual."""
    made = {other.name for other in _made_with(model)} - {model.name}
    needed = {other.name: other.sql for other in models.derived() if other.name in made}
    others = ", ".join(f"{name} as ({rows}\n)" for name, rows in {**facts, **needed}.items())
    return f"with {others} from ({model.sql}\n)"


def _made_with(model: Model) -> Iterator[Model]:
    """Yield a derived model and those that it needs, in an order that follows from their names."""
    derived = {other.name: other for other in models.derived()}
    yield model
    for need in sorted(model.needs & derived.keys()):
        yield from _made_with(derived[need])


def _facts(model: Model) -> set[str]:
    return {need for made in _made_with(model) for need in made.needs} & {fact.name for fact in models.stored()}
