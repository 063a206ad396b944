"""Open the tables that follow from the ledger, and ask them.

The tables are views in memory over the parts of the cache: nothing is locked, two processes never meet, and what is
not asked for is not read.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.repository import Repository, require_ledger
from linetrail.projections import models
from linetrail.projections.parquet import OFFLINE
from linetrail.projections.parts import Parts, Until
from linetrail.projections.records import Records
from linetrail.projections.shelf import Part

if TYPE_CHECKING:
    import duckdb


class CacheError(LinetrailError):
    """What was kept cannot be read; it can always be made again."""

    hint = "try again, or `linetrail rebuild --full`"


class Table(NamedTuple):
    """An answer: the names of its columns, and its rows."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]

    def mappings(self) -> Iterator[dict[str, Any]]:
        """Yield the rows by the names of their columns."""
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)


class Tables:
    """All tables of one ledger as it was when they were opened."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts
        self.connection = connect(parts)
        self.records = Records(self.ask)

    def ask(self, sql: str, parameters: Mapping[str, object] | None = None) -> Table:
        """Answer one query; `$name` stands for a parameter."""
        import duckdb

        try:
            cursor = self.connection.execute(sql, parameters)
            return Table(tuple(column[0] for column in cursor.description or ()), cursor.fetchall())
        except duckdb.IOException as error:
            raise CacheError(f"the cache went away while it was read: {error}") from None

    def count(self, name: str) -> int:
        """Return how many rows a table has."""
        rows: int = self.ask(f"select count(*) from {name}").rows[0][0]  # noqa: S608  the name of a model's file
        return rows

    def close(self) -> None:
        """Let go of the files."""
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_tables(repository: Repository, *, keep: bool = True, until: Until | None = None) -> Tables:
    """Bring the cache up to the ledger and open the tables over it, or over what was there of it `until` a moment.

    Without `keep` nothing is written into the cache.
    """
    return Tables(Parts(require_ledger(repository), keep=keep).current(until=until))


def connect(parts: Sequence[Part], config: Mapping[str, Any] | None = None) -> "duckdb.DuckDBPyConnection":
    """Return an in-memory database with every table and view over these parts."""
    import duckdb

    connection = duckdb.connect(config={**OFFLINE, **(config or {})})
    for model in models.stored():
        connection.read_parquet([part.file(model.name) for part in parts]).create_view(model.name)
    for model in (*models.derived(), *models.views()):
        connection.execute(f"create view {model.name} as {model.sql}")
    return connection
