"""Ask a repository from Python: a named question, or SQL on a connection of one's own.

from linetrail.queries.ask import ask, connect

ask(".", "hot_files", since="last week").rows
ask(".", "hot_files", as_of="2026-01-05").rows
connect().sql("from v_sessions").df()
"""

import os
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, cast

from linetrail.ledger.repository import Repository, find
from linetrail.projections.tables import models
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.arguments import frames
from linetrail.queries.arguments.commit_range import commits
from linetrail.queries.arguments.earlier_ledger import moved_back
from linetrail.queries.arguments.moments import moment
from linetrail.queries.ask import question_files
from linetrail.queries.ask.connection import Connection, describe

if TYPE_CHECKING:
    import duckdb

# Parameters with these names are moments, as people write them; with this one, commits; with this one, a stack trace.
MOMENTS = frozenset({"since", "until"})
RANGE = "range"
FRAMES = "frames"


def ask(repository: Repository | str, name: str, /, *, as_of: str | None = None, **parameters: object) -> Table:
    """Answer one named question about the repository at this path, from its ledger as it is or was."""
    where = find(repository) if isinstance(repository, str) else repository
    with _tables(where, as_of) as tables:
        return answer(tables, name, **understood(parameters, where))


def answer(tables: Tables, name: str, /, **parameters: object) -> Table:
    """Answer one named question from tables that are open already."""
    tables.look_at(*question_files.find(name).paths(parameters))
    return answer_of_all(tables, name, **parameters)


def answer_of_all(tables: Tables, name: str, /, **parameters: object) -> Table:
    """Answer one named question from tables that others ask, too, so that they hold the lines of every file."""
    question = question_files.find(name)
    return tables.ask(question.sql, understood(question_files.bound(question, parameters)))


def connect(
    path: str | os.PathLike[str] = ".", *, as_of: str | None = None, lazy: bool = True
) -> "duckdb.DuckDBPyConnection":
    """Return an in-memory database with every table and view, each column of a view described.

    What takes work is worked out when a query first names it; without `lazy` all of it now, for tools that go around
    the methods of the connection.
    """
    tables = _tables(find(os.fspath(path)), as_of)
    if lazy:
        return cast("duckdb.DuckDBPyConnection", Connection(tables))
    tables.show_all()
    describe(tables.connection, {view.name for view in models.views()})
    return tables.connection


def understood(parameters: Mapping[str, object], repository: Repository | None = None) -> dict[str, object]:
    """Return parameters with the moments worked out; where a repository is given, with its commits and files, too."""
    found = dict(parameters)
    for name, value in parameters.items():
        if isinstance(value, str) and name in MOMENTS:
            found[name] = moment(value)
        elif isinstance(value, str) and name == RANGE and repository is not None:
            found[name] = commits(repository, value)
    trace, until = found.get(FRAMES), found.get("until")
    if isinstance(trace, str) and repository is not None:
        found[FRAMES] = frames.understood(repository, trace, until if isinstance(until, datetime) else None)
    return found


def _tables(repository: Repository, as_of: str | None) -> Tables:
    return open_tables(repository, until=None if as_of is None else moved_back(repository, as_of))
