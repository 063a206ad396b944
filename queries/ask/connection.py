"""A DuckDB connection to a repository's tables that works a table out when a query first names it.

Some tables follow from git and from syntax trees, and take long on a large repository: nobody waits for those that
are not asked for. Everything else is DuckDB's own connection, in memory: it locks nothing, and any number of them may
be open at once.
"""

import re
from typing import TYPE_CHECKING, Any, Self

from linetrail.projections.tables import models
from linetrail.projections.tables.sql_text import literal
from linetrail.projections.tables.tables import Tables, named

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    import duckdb
    import pyarrow as pa

_CATALOGUE = re.compile(r"\b(show|duckdb_|information_schema|pg_|sqlite_|query)", re.IGNORECASE)


def _asking(name: str) -> "Callable[..., Any]":
    """Return a method of DuckDB's whose first argument is SQL, or the name of a table."""

    def method(self: "Connection", *arguments: Any, **options: Any) -> Any:
        for asked in arguments[:1] or [*options.values()][:1]:
            self._see(str(getattr(asked, "query", asked)))
        return self._same(getattr(self._raw, name)(*arguments, **options))

    method.__name__ = method.__qualname__ = name
    return method


class Connection:
    """DuckDB's connection; what it cannot do by itself is known before it is asked."""

    execute = _asking("execute")
    executemany = _asking("executemany")
    extract_statements = _asking("extract_statements")
    from_query = _asking("from_query")
    query = _asking("query")
    sql = _asking("sql")
    table = _asking("table")
    view = _asking("view")

    def __init__(self, tables: Tables, raw: "duckdb.DuckDBPyConnection | None" = None) -> None:
        import duckdb  # noqa: F401  it adds relations to the connection, and data frames

        self.tables = tables
        # tables are made visible beside it: it may have an answer that is not read to its end
        self._raw = raw or tables.connection.cursor()
        # a data frame is found by the name of a variable, which is some frames further away than from DuckDB's own
        self._raw.execute("set python_scan_all_frames = true")
        self._outlined = False

    # Notebooks look for a connection of this class.
    __class__ = property(lambda _: _duckdb_class())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)

    def arrow(self, query: str, parameters: object = None) -> "pa.Table":
        """Return what a query answers as a table of Arrow."""
        return self.sql(query, params=parameters).to_arrow_table()

    def cursor(self) -> "Connection":
        """Return another connection to the same tables."""
        return Connection(self.tables, self._raw.cursor())

    def __dir__(self) -> "Iterable[str]":
        return dir(self._raw)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._raw.close()

    def _same(self, answered: Any) -> Any:
        """Return what a method answered; where that is the connection, this one."""
        return self if answered is self._raw else answered

    def _see(self, text: str) -> None:
        """Make the tables visible that a text names."""
        if not self._outlined and asks_what_there_is(text):
            self._outlined = True
            self.tables.outline()
            describe(self.tables.connection, {view.name for view in models.views()})
        names = named(text)
        self.tables.show(names)
        if self._outlined:
            describe(self.tables.connection, names)


def _duckdb_class() -> "type[duckdb.DuckDBPyConnection]":
    import duckdb

    return duckdb.DuckDBPyConnection


def asks_what_there_is(sql: str) -> bool:
    """Return whether a query may read the catalogue, or name a table in a way that its text does not show."""
    return _CATALOGUE.search(sql) is not None


def describe(connection: "duckdb.DuckDBPyConnection", names: "Collection[str]") -> None:
    """Put what views say about themselves where SQL finds it: `from duckdb_columns()`."""
    for view in models.views():
        if view.name in names:
            connection.execute(f"comment on view {view.name} is {literal(view.about)}")
            for column, comment in models.column_comments(view).items():
                connection.execute(f"comment on column {view.name}.{column} is {literal(comment)}")
