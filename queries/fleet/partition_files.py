"""Write the rows of many repositories into files by month and bucket, sorted, each named by its content."""

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from linetrail.projections.tables.parquet import OFFLINE
from linetrail.projections.tables.sql_text import literal, quoted
from linetrail.queries.exporters import lake_manifest
from linetrail.queries.fleet.layout import BUCKET, LAKE, MONTH, File, FleetTable, Rows, rows_named

if TYPE_CHECKING:
    import duckdb

# Of a row of events that takes a hundred bytes: a file of up to 512 MB.
_ROWS_OF_FILE, _ROWS_OF_GROUP = 4_000_000, 122_880
# Names that are all different fill a dictionary for nothing; what is said again and again takes less than this.
_DICTIONARY = 64 << 10
_MEMORY = "1GB"
NOTHING: Mapping[str, Rows] = MappingProxyType({})


class Sources(NamedTuple):
    """What the new rows of some slices are read from: `kept` files but for some repositories, in `fresh` ones instead.

    A repository of which there is no row any more has no file. All of them have the order of their table.
    """

    kept: Sequence[str]
    fresh: Mapping[str, str | None]
    slices: Sequence[str]

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
    bucket: str | None,
    query: str,
    folder: str,
    known: Mapping[str, Rows] = NOTHING,
) -> dict[Path, File]:
    """Write the rows that a query gives of a table into a folder; return what each file is to be in the store.

    What names the rows of a slice need not be worked out where it is known, and one file has all of them.
    """
    import pyarrow as pa
    from pyarrow import dataset, parquet

    rows = connection.sql(query)
    names = [name for name in (MONTH,) if name in table.partitioned_by]
    schema = pa.schema([(name, pa.string()) for name in names])
    made: list[str] = []
    dataset.write_dataset(
        rows.to_arrow_reader(_ROWS_OF_GROUP),
        folder,
        basename_template="part-{i}.parquet",
        format="parquet",
        partitioning=dataset.partitioning(schema, flavor="hive") if names else None,
        file_options=dataset.ParquetFileFormat().make_write_options(
            compression="zstd", dictionary_pagesize_limit=_DICTIONARY
        ),
        use_threads=False,
        max_partitions=10_000,
        max_open_files=10_000,
        max_rows_per_file=_ROWS_OF_FILE,
        min_rows_per_group=_ROWS_OF_GROUP,
        max_rows_per_group=_ROWS_OF_GROUP,
        file_visitor=lambda written: made.append(written.path),
        existing_data_behavior="overwrite_or_ignore",
    )
    own = [f"{BUCKET}={bucket}"] if bucket is not None else []
    found = {}
    for path in map(Path, sorted(made)):
        if number := parquet.read_metadata(path).num_rows:
            place = "/".join([table.tier, table.name, *path.relative_to(folder).parent.parts, *own])
            content = known.get(place)
            if content is None or content.number != number:
                [content] = rows_in(connection, table, f"read_parquet({literal(str(path))})").values()
            name = lake_manifest.sha256(str(path))
            target = f"{LAKE}/{place}/part-{name[:16]}.parquet"
            found[path] = File(target, place, number, os.path.getsize(path), name, content.fingerprint)
    return found


def rows_in(
    connection: "duckdb.DuckDBPyConnection", table: FleetTable, source: str, month: str = "null"
) -> dict[str, Rows]:
    """Return what names the rows of a table, by the slice that they are in, as the expression for the month says."""
    sql = f"""
        select month, count(*), bit_xor(named), sum(named)
        from (select {month} as month, {_hash(table)} as named from {source})
        group by all
        having count(*) > 0
        order by all
    """  # noqa: S608  names of our own tables
    name = f"{table.tier}/{table.name}"
    found = connection.execute(sql).fetchall()
    return {name if value is None else f"{name}/{MONTH}={value}": rows_named(*said) for value, *said in found}


def merged(table: FleetTable, sources: Sources) -> str:
    """Return the query for the rows of all sources, one repository after another, as the order of the table begins."""
    dated = MONTH in table.partitioned_by
    # of a file of ours the month stands in its path alone
    hive = f"hive_types = {{'{MONTH}': 'VARCHAR'}}" if dated else "hive_partitioning = false"
    pieces, above = [], ""
    for repo in [*sorted(sources.fresh), None]:
        if sources.kept:
            below = "" if repo is None else f" and repo_id < {literal(repo)}"
            kept = f"read_parquet([{_listed(sources.kept)}], {hive})"
            pieces.append(f"select * from {kept} where repo_id > {literal(above)}{below}")  # noqa: S608  names of our own
        if repo is not None and (fresh := sources.fresh[repo]):
            pieces.append(f"select * from read_parquet({literal(fresh)}, hive_partitioning = false)")  # noqa: S608  names of our own
        above = repo or ""
    rows = " union all by name ".join(pieces)
    columns = [column.name for column in table.columns] + [MONTH] * dated
    return f"select {', '.join(map(quoted, columns))} from ({rows}) where {within(table, sources.slices)}"  # noqa: S608  names of our own


def added(table: FleetTable, sources: Sources) -> str:
    """Return the query for the new rows that no kept file has yet, in the order of the table."""
    dated = MONTH in table.partitioned_by
    columns = ", ".join(quoted(column.name) for column in table.columns) + f", {MONTH}" * dated
    rows = f"""
        select {columns}
        from read_parquet([{_listed(sources.there)}], hive_partitioning = false)
        where {within(table, sources.slices)} and {_hash(table)} not in (
            select {_hash(table)}
            from read_parquet([{_listed(sources.kept)}], hive_partitioning = false)
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


def _listed(files: Iterable[str]) -> str:
    return ", ".join(map(literal, files))


def _hash(table: FleetTable) -> str:
    return f"hash({', '.join(quoted(column.name) for column in table.columns)})"
