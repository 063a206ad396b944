"""Keep derived tables incrementally: rows of the long partitions in a Parquet file, those of later events in memory.

A model with a `-- by: column` line promises that each of its rows follows from the facts of one value of this column
alone, of one session, say. So a row in the file is right unless a later fact has its value; the rows of such values,
which are few, are made of all their facts when the table is opened, and held in memory. The file is named by the long
stretches and the texts of the models, and another one is due only when there is one long stretch more.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from linetrail.projections.tables import models
from linetrail.projections.tables.cache import Part, files
from linetrail.projections.tables.models import Model
from linetrail.projections.tables.partitions import LARGEST
from linetrail.projections.tables.sql_text import parquet_view

if TYPE_CHECKING:
    import duckdb

_READS = re.compile(r"\b(from|join) (\w+)\b( as \w+)?")


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

        def fact(name: str, alias: str) -> None:
            connection.execute(parquet_view(alias, files(long, name)))

        return connection.sql(f"from {_aliased(connection, self.model, f'long_{self.model.name}', fact)}")

    def stretches(self, parts: Sequence[Part]) -> Sequence[Part]:
        """Return the parts that are long: the first ones."""
        return parts[: sum(part.length == self.long for part in parts)]

    def define(self, connection: "duckdb.DuckDBPyConnection", parts: Sequence[Part], file: Path) -> None:
        """Define the whole table: the rows of the file, but those whose value later partitions have, made anew."""
        name, by = self.model.name, self.model.by
        later = parts[len(self.stretches(parts)) :]
        about = {fact for fact in _facts(self.model) if by in connection.view(fact).columns}
        connection.execute(parquet_view(f"kept_{name}", [str(file)]))
        told = {fact: found for fact in sorted(about) if (found := files(later, fact))}
        for fact, found in told.items():
            connection.execute(parquet_view(f"later_{fact}", found))
        # names of models and their columns, here and below
        values = " union ".join(f"select {by} from later_{fact}" for fact in told)  # noqa: S608  names of models
        nothing = f"select null as {by} limit 0"
        connection.execute(f"create or replace table touched_{name} as {values or nothing}")

        def touched(read: str, alias: str) -> None:
            rows = (
                _near(connection, read, _joined("semi", name, "rows", by), parts) if read in about else f"from {read}"
            )
            connection.execute(f"create or replace view {alias} as {rows}")

        fresh = _aliased(connection, self.model, f"fresh_{name}", touched)
        connection.execute(f"create or replace table few_{name} as from {fresh}")
        rest = f"select kept.* from kept_{name} as kept {_joined('anti', name, 'kept', by)}"  # noqa: S608  names of models
        connection.execute(f"create or replace view {name} as {rest} union all by name from few_{name}")


def _near(connection: "duckdb.DuckDBPyConnection", fact: str, joined: str, parts: Sequence[Part]) -> str:
    """Return the query for the rows of a fact that a join leaves: most parts have none, and are not read further."""
    everywhere = files(parts, fact)
    connection.read_parquet(everywhere, filename=True).create_view("everywhere", replace=True)
    named = f"select distinct filename from everywhere as rows {joined}"  # noqa: S608  names of models
    there = {file for (file,) in connection.execute(named).fetchall()}
    few = [file for file in everywhere if file in there] or everywhere[:1]
    connection.execute(parquet_view(f"near_{fact}", few))
    return f"select rows.* from near_{fact} as rows {joined}"  # noqa: S608  names of models


def _joined(kind: str, name: str, read: str, by: str | None) -> str:
    return f"{kind} join touched_{name} on touched_{name}.{by} is not distinct from {read}.{by}"


def grown() -> Mapping[str, Grown]:
    """Return the derived tables that are kept."""
    return {model.name: Grown(model) for model in models.derived() if model.by}


def _aliased(
    connection: "duckdb.DuckDBPyConnection", model: Model, alias: str, fact: Callable[[str, str], None]
) -> str:
    """Make a model's view over other facts than usual, under another name, with all that it needs; return the name."""
    derived = {other.name: other for other in models.derived()}
    for need in sorted(model.needs):
        if need in derived:
            _aliased(connection, derived[need], f"{alias}_{need}", fact)
        else:
            fact(need, f"{alias}_{need}")

    def other(read: re.Match[str]) -> str:
        return f"{read[1]} {alias}_{read[2]}{read[3] or f' as {read[2]}'}" if read[2] in model.needs else read[0]

    sql = _READS.sub(other, model.sql)
    connection.execute(f"create or replace view {alias} as {sql}")
    return alias


def _made_with(model: Model) -> Iterator[Model]:
    """Yield a derived model and those that it needs, in an order that follows from their names."""
    derived = {other.name: other for other in models.derived()}
    yield model
    for need in sorted(model.needs & derived.keys()):
        yield from _made_with(derived[need])


def _facts(model: Model) -> set[str]:
    return {need for made in _made_with(model) for need in made.needs} & {fact.name for fact in models.stored()}
