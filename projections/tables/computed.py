"""Tables that SQL alone cannot make: worked out in Python from the ledger and git, kept as Parquet.

One module for each. Nothing is worked out before a query names the table, and what is kept has a name made of all
that it follows from, so it is never out of date and may be deleted at any time.
"""

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from linetrail.projections.tables.incremental import grown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import duckdb

    from linetrail.ledger.repository import Repository
    from linetrail.projections.tables.prefix import Cut
    from linetrail.projections.tables.tables import Tables

# Names are stored in caches alone; a module has the name of its table.
NAMES = (
    "blame_lines",
    "code_owners",
    "commit_matches",
    "decided_lines",
    "git_commit_files",
    "git_commits",
    "ledger_runs",
    "line_spans",
    "mutation_scopes",
    "node_edges",
    "node_versions",
    "nodes",
    "promoted_lessons",
    "repository_facts",
    "rewritten_commits",
    "tracked_files",
)


class Asked(NamedTuple):
    """What a table is worked out from: a repository, its other tables `until` a moment, and the commit at HEAD."""

    repository: "Repository"
    tables: "Tables"
    until: "Cut | None"
    head: str | None


class Computed(Protocol):
    """What a module in ``computed/`` offers."""

    # what a row is
    ABOUT: str
    # name -> DuckDB type of each column
    COLUMNS: "Mapping[str, str]"
    # whatever is kept under another number is out of date
    VERSION: int

    # all that the rows follow from, besides the module itself
    def key(self, asked: Asked) -> object: ...
    # the rows in an order that follows from the same, or a query that gives them
    def rows(self, asked: Asked) -> "Iterable[Sequence[object]] | duckdb.DuckDBPyRelation": ...


def computed(name: str) -> Computed:
    """Return the module that works a table out, or what does the same for a derived table that is kept."""
    if name in NAMES:
        return cast("Computed", import_module(f"linetrail.projections.computed.{name}"))
    return cast("Computed", grown()[name])


def ledger_key(asked: Asked) -> list[object]:
    """Name the ledger as these tables have it: a table that any event may change follows from this."""
    return [[part.first, part.head.seq, part.head.digest] for part in asked.tables.parts]
