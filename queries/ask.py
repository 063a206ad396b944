"""Ask a repository from Python: a named question, or SQL on a connection of one's own.

from linetrail.queries.ask import ask, connect

ask(".", "hot_files", since="last week").rows
ask(".", "hot_files", as_of="2026-01-05").rows
connect().sql("from v_sessions").df()
"""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from linetrail.ledger.repository import Repository, find
from linetrail.projections import models
from linetrail.projections.tables import Table, Tables, open_tables
from linetrail.queries import book
from linetrail.queries.as_of import moved_back
from linetrail.queries.moments import moment

if TYPE_CHECKING:
    import duckdb

# Parameters with these names are moments, as people write them.
MOMENTS = frozenset({"since", "until"})


def ask(repository: Repository | str, name: str, *, as_of: str | None = None, **parameters: object) -> Table:
    """Answer one named question about the repository at this path, from its ledger as it is or was."""
    with _tables(find(repository) if isinstance(repository, str) else repository, as_of) as tables:
        return answer(tables, name, **parameters)


def answer(tables: Tables, name: str, **parameters: object) -> Table:
    """Answer one named question from tables that are open already."""
    question = book.find(name)
    tables.look_at(*question.paths(parameters))
    return tables.ask(question.sql, understood(book.bound(question, parameters)))


def connect(path: str | os.PathLike[str] = ".", *, as_of: str | None = None) -> "duckdb.DuckDBPyConnection":
    """Return an in-memory database with every table and view, each column of a view described."""
    tables = _tables(find(os.fspath(path)), as_of)
    tables.show_all()
    describe(tables.connection)
    return tables.connection


def describe(connection: "duckdb.DuckDBPyConnection") -> None:
    """Put what the views say about themselves where SQL finds it: `from duckdb_columns()`."""
    for view in models.views():
        connection.execute(f"comment on view {view.name} is {_quoted(view.about)}")
        for column, comment in models.column_comments(view).items():
            connection.execute(f"comment on column {view.name}.{column} is {_quoted(comment)}")


def understood(parameters: Mapping[str, object]) -> dict[str, object]:
    """Return parameters with the moments worked out."""
    return {
        name: moment(value) if name in MOMENTS and isinstance(value, str) else value
        for name, value in parameters.items()
    }


def _tables(repository: Repository, as_of: str | None) -> Tables:
    return open_tables(repository, until=None if as_of is None else moved_back(repository, as_of))


def _quoted(text: str) -> str:
    return "'{}'".format(text.replace("'", "''"))
