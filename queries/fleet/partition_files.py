"""Write the rows of many repositories into files by month and bucket, sorted, each named by its content."""

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from linetrail.projections.tables.parquet import OFFLINE
from linetrail.projections.tables.sql_text import literal, quoted
from linetrail.queries.exporters import lake_manifest
from linetrail.queries.fleet.layout import LAKE, MONTH, File, FleetTable, Rows, rows_named

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

# Of a row of events that takes a hundred bytes: a file of up to 512 MB.
_ROWS_OF_GROUP, _GROUPS_OF_FILE = 122_880, 32
# Names that are all different fill a dictionary for nothing; what is said again and again takes less than this.
_DICTIONARY = 64 << 10
_MEMORY = "1GB"


class Sources(NamedTuple):
    """What the new rows of a slice are read from: `kept` files but for some repositories, in `fresh` ones instead.

    A repository of which there is no row any more has no file. All of them have the order of their table.
    """

    kept: Sequence[str]
    fresh: Mapping[str, str | None]

    @property
    def there(self) -> list[str]:
        """The files with the new rows."""
        return [file for file in self.fresh.values() if file is not None]


@contextlib.contextmanager
def database(scratch: Path) -> "Iterator[duckdb.DuckDBPyConnection]":
    """Open a database in memory that puts aside what it has no room for; its rows come in the order of their query.

    Two threads would not keep the order of a union whose rows are handed on while they are read.
    """
    import duckdb

    with duckdb.connect(config={**OFFLINE, "memory_limit": _MEMORY, "threads": 1}) as connection:
        connection.execute(f"set temp_directory = {literal(str(scratch / 'aside'))}")
        yield connection


def write(
    connection: "duckdb.DuckDBPyConnection",
    table: FleetTable,
    place: str,
    query: str,
    folder: Path,
    known: Rows | None = None,
) -> dict[Path, File]:
    """Write the rows that a query gives of a slice into files below a folder; return what each is to be in the store.

    What names the rows need not be worked out where it is `known`, and one file has all of them.
    """
    found = {}
    for path, number in _files(connection.sql(query).to_arrow_reader(_ROWS_OF_GROUP), folder / place):
        content = known
        if content is None or content.number != number:
            [content] = rows_in(connection, table, f"read_parquet({literal(str(path))})").values()
        name = lake_manifest.sha256(str(path))
        target = f"{LAKE}/{place}/part-{name[:16]}.parquet"
        found[path] = File(target, place, number, os.path.getsize(path), name, content.fingerprint)
    return found


def _files(reader: "pa.RecordBatchReader", folder: Path) -> Iterator[tuple[Path, int]]:
    """Write rows into as few files as may be; yield each with the number of its rows.

    `pyarrow.dataset` does the same, but loads pandas where that is installed: more work than to write a small store.
    """
    from pyarrow import parquet

    batches = (batch for batch in reader if batch.num_rows)
    for number, first in enumerate(batches):
        folder.mkdir(parents=True, exist_ok=True)
        path, rows = folder / f"part-{number}.parquet", 0
        options = {"compression": "zstd", "dictionary_pagesize_limit": _DICTIONARY}
        with parquet.ParquetWriter(str(path), reader.schema, **options) as writer:
            for batch in chain([first], islice(batches, _GROUPS_OF_FILE - 1)):
                writer.write_batch(batch)
                rows += batch.num_rows
        yield path, rows


def rows_in(
    connection: "duckdb.DuckDBPyConnection",
    table: FleetTable,
    source: str,
    month: str = "null",
    named: str | None = None,
) -> dict[str, Rows]:
    """Return what names the rows of a table, by the slice that they are in, as the expression for the month says.

    The hash of each row is taken of its columns, unless it is `named` by one already.
    """
    sql = f"""
        select month, count(*), bit_xor(named), sum(named)
        from (select {month} as month, {named or hash_of(table)} as named from {source})
        group by all
        having count(*) > 0
        order by all
    """  # noqa: S608  names of our own tables
    name = f"{table.tier}/{table.name}"
    found = connection.execute(sql).fetchall()
    return {name if value is None else f"{name}/{MONTH}={value}": rows_named(*said) for value, *said in found}


def merged(table: FleetTable, one: str, sources: Sources) -> str:
    """Return the query for the rows of a slice, one repository after another, as the order of the table begins."""
    chosen = f"select {_columns(table)}"
    pieces, above = [], ""
    for repo in [*sorted(sources.fresh), None]:
        if sources.kept:
            below = "" if repo is None else f" and repo_id < {literal(repo)}"
            pieces.append(f"{chosen} from {_read(sources.kept)} where repo_id > {literal(above)}{below}")
        if repo is not None and (fresh := sources.fresh[repo]):
            pieces.append(f"{chosen} from {_read([fresh])} where {within(table, [one])}")
        above = repo or ""
    return " union all ".join(pieces)


def added(table: FleetTable, one: str, sources: Sources) -> str:
    """Return the query for the new rows of a slice that no kept file has yet, in the order of the table."""
    rows = f"""
        select {_columns(table)}
        from {_read(sources.there)}
        where {within(table, [one])} and {hash_of(table)} not in (
            select {hash_of(table)}
            from {_read(sources.kept)}
            where repo_id in ({_listed(sources.fresh)})
        )
    """  # noqa: S608  names of our own columns
    return ordered(rows, table)


def within(table: FleetTable, slices: Sequence[str]) -> str:
    """Return the condition that holds for the rows in some slices of a table."""
    months = [name.rpartition("=")[2] for name in slices]
    return f"{MONTH} in ({_listed(months)})" if MONTH in table.partitioned_by else "true"


def ordered(query: str, table: FleetTable) -> str:
    """Return a query with the order of the rows of a table; what its first columns leave open, the others decide."""
    names = dict.fromkeys([*table.sorted_by, *(column.name for column in table.columns)])
    return f"{query} order by {', '.join(f'{quoted(name)} nulls first' for name in names)}"


def _columns(table: FleetTable) -> str:
    return ", ".join(quoted(column.name) for column in table.columns)


def _read(files: Iterable[str]) -> str:
    return f"read_parquet([{_listed(files)}], hive_partitioning = false)"


def _listed(files: Iterable[str]) -> str:
    return ", ".join(map(literal, files))


def hash_of(table: FleetTable) -> str:
    """Return the expression for the hash of a row of a table."""
    return f"hash({_columns(table)})"
