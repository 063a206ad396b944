"""Prove that the tables of a store have no row of what was erased: every file is read and its rows are counted."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from linetrail.projections.tables.sql_text import literal, quoted
from linetrail.queries.fleet import objects
from linetrail.queries.fleet.layout import FleetTable, Manifest

if TYPE_CHECKING:
    import duckdb
    from obstore.store import ObjectStore


def rows_left(
    store: "ObjectStore",
    scratch: Path,
    connection: "duckdb.DuckDBPyConnection",
    manifest: Manifest,
    erased: Sequence[str],
    gone: Sequence[str],
) -> int:
    """Return how many rows name one of these hashes, or belong to a repository that is gone."""
    if not erased and not gone:
        return 0
    return sum(_of_table(store, scratch, connection, table, erased, gone) for table in manifest.tables if table.files)


def _of_table(
    store: "ObjectStore",
    scratch: Path,
    connection: "duckdb.DuckDBPyConnection",
    table: FleetTable,
    erased: Sequence[str],
    gone: Sequence[str],
) -> int:
    files = [objects.on_disk(store, file.path, scratch / "proof") for file in table.files]
    texts = " || ' ' || ".join(f"coalesce({quoted(one.name)}, '')" for one in table.columns if one.type == "VARCHAR")
    sql = f"""
        select count(*)
        from read_parquet([{", ".join(map(literal, files))}], hive_partitioning = false)
        where
            repo_id in (select unnest($gone::varchar[]))
            or exists (select 1 from unnest($erased::varchar[]) as names(name) where contains({texts}, name))
    """  # noqa: S608  names of our own tables and columns
    count: int = connection.execute(sql, {"gone": list(gone), "erased": list(erased)}).fetchall()[0][0]
    return count
