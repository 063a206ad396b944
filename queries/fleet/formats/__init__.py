"""The formats that the tables of a store can have besides, a module each: their own lists of the same files.

No row is written again: a format is told which files a table consists of, in one commit for each table, and only where
that is another list than the last one.
"""

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from linetrail.projections.tables.sql_text import quoted
from linetrail.queries.fleet import layout, objects
from linetrail.queries.fleet.layout import EXCERPTS, FACTS, PUBLIC, FleetTable
from linetrail.queries.fleet.lease import lease

if TYPE_CHECKING:
    import pyarrow as pa

# name -> module of this folder
FORMATS = {"delta": "delta", "iceberg": "iceberg"}
# What nobody may ask is in none of them.
TIERS = (FACTS, EXCERPTS, PUBLIC)


class Listed(NamedTuple):
    """A table as a format has it now: how many files came and went, and whether it is new, or has other columns."""

    table: str
    tier: str
    added: int
    removed: int
    made: bool = False

    @property
    def changed(self) -> bool:
        """Whether there was anything to do."""
        return bool(self.made or self.added or self.removed)


class Format(Protocol):
    """What a module in this folder offers."""

    # bring each table up to its files
    def register(self, url: str, tables: Sequence[FleetTable]) -> Iterator[Listed]: ...


def register(url: str, name: str) -> list[Listed]:
    """Let a format know the tables of the last build; meanwhile nobody else may build."""
    store = objects.open_store(url)
    with lease(store, take_over=False):
        tables = [table for table in layout.require(store, url).tables if table.tier in TIERS]
        module = cast("Format", import_module(f"{__name__}.{FORMATS[name]}"))
        return list(module.register(url.rstrip("/"), tables))


def schema(table: FleetTable) -> "pa.Schema":
    """Return the columns of a table as Arrow has them, also where it has no file."""
    import duckdb

    columns = ", ".join(f"cast(null as {column.type}) as {quoted(column.name)}" for column in table.columns)
    with duckdb.connect() as connection:
        nothing = connection.sql(f"select {columns} limit 0")
        return nothing.to_arrow_table().schema
