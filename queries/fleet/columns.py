"""Say which tables and columns the store of many repositories keeps, and in which of its tiers.

Whoever adds a column to a view has to decide about it: a column that `columns.toml` does not name is not kept.
"""

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from linetrail.projections.tables import models
from linetrail.projections.tables.sql_text import literal
from linetrail.projections.tables.tables import NAMES, Tables, computed_in
from linetrail.queries.exporters.lake import Column
from linetrail.queries.exporters.lake import columns as columns_of_view

KEYS, PLACES, TEXTS, PEOPLE, UNKNOWN, FACTS = "keys", "places", "texts", "people", "unknown", "facts"
REPO = "repo_id"
# Of these tables a ledger knows all rows; the others ask git, which a store does not have.
_OF_LEDGER = frozenset({"ledger_runs", "line_spans", "mutation_scopes", "promoted_lessons"})
LEFT_OUT = {
    "v_line_hashes": "whoever guesses a line can tell from its hash that the guess is right",
    "v_prices": "says nothing of any repository",
}
_seen: dict[str, tuple[Column, ...]] = {}
# So many characters of a repository's id stand before its names.
_SHORT = 12


@cache
def kinds() -> dict[str, str]:
    """Return what kind of column each name is."""
    return {name: kind for kind, names in tomllib.loads(text()).items() for name in names} | {REPO: FACTS}


def text() -> str:
    """Return the list of columns as it stands in its file."""
    return Path(__file__).with_name("columns.toml").read_text("utf-8")


@cache
def views() -> tuple[models.Model, ...]:
    """Return the views that follow from ledgers alone, and so can be had for all repositories."""
    asks_git = frozenset(NAMES) - _OF_LEDGER
    return tuple(
        view for view in models.views() if view.name not in LEFT_OUT and not computed_in([view.name]) & asks_git
    )


def columns(tables: Tables, view: models.Model, repo_id: str, number: int, *, texts: bool) -> Iterator[Column]:
    """Yield the columns of a view as the store has them: unique among all repositories, without what it does not keep.

    What is not kept is null, so that the same questions can be asked.
    """
    for column in _described(tables, view):
        sql = literal(repo_id) if column.name == REPO else _kept(column, repo_id, number, texts=texts)
        yield column._replace(sql=sql)


def has_texts(view: models.Model) -> bool:
    """Return whether a view has words that somebody wrote."""
    return any(kinds().get(name) == TEXTS for name in models.column_comments(view))


def short(repo_id: str) -> str:
    """Return what stands before the names of a repository."""
    return repo_id[:_SHORT]


def _described(tables: Tables, view: models.Model) -> tuple[Column, ...]:
    """Return the columns of a view, which are those of any ledger: they are looked at once."""
    if view.name not in _seen:
        _seen[view.name] = tuple(columns_of_view(tables, view, None))
    tables.show([view.name])
    return _seen[view.name]


def _kept(column: Column, repo_id: str, number: int, *, texts: bool) -> str:
    match kinds().get(column.name):
        case "keys":
            return f"{literal(short(repo_id) + ':')} || {column.sql}"
        case "places":
            return f"{column.sql} + {number}"
        case "facts":
            return column.sql
        case "texts" if texts:
            return column.sql
        case _:
            return f"cast(null as {column.type})"
