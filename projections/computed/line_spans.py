"""Lives of lines: from the change that wrote them to the change that ended them, as far as the ledger alone tells."""

from typing import TYPE_CHECKING

from linetrail.projections.statements import statement
from linetrail.projections.survival.life_cache import fingerprint, lives, own_folder
from linetrail.projections.survival.session_moves import brought
from linetrail.projections.tables.tables import Asked

if TYPE_CHECKING:
    import duckdb

ABOUT = "one row is lines of one file that one mutation wrote and one mutation ended, or that are still there"
COLUMNS = {
    "span_id": "VARCHAR",
    "path": "VARCHAR",
    "content_hash": "VARCHAR",
    "lines": "BIGINT",
    "contributor_type": "VARCHAR",
    "agent_name": "VARCHAR",
    "model_id": "VARCHAR",
    "session_id": "VARCHAR",
    "intent_id": "VARCHAR",
    "born_event": "VARCHAR",
    "born_path": "VARCHAR",
    "born_via": "VARCHAR",
    "born_at": "TIMESTAMP",
    "born_epoch": "BIGINT",
    "died_at": "TIMESTAMP",
    "died_epoch": "BIGINT",
    "killed_by": "VARCHAR",
    "killed_by_type": "VARCHAR",
    "killed_by_agent": "VARCHAR",
    "killed_by_session": "VARCHAR",
    "killed_by_intent": "VARCHAR",
    "killed_via": "VARCHAR",
    "lost_at": "TIMESTAMP",
    "lost_epoch": "BIGINT",
}
VERSION = 1

# What the query is told of lines that do not stand in the file of lives as they are.
_TOLD = ("path", "born", "born_path", "killed", "lost", "line_hash", "number")


def key(asked: Asked) -> list[object]:
    """Name the changes of files that the ledger has."""
    return fingerprint(asked.tables)


def rows(asked: Asked) -> "duckdb.DuckDBPyRelation":
    """Return the query over the lives of all lines, with those joined that were brought from file to file."""
    file = lives(asked.tables, own_folder(asked.repository) if asked.until is None else None)
    rows, pieces = brought(asked.tables, file)
    told = {name: [getattr(piece, name) for piece in pieces] for name in _TOLD}
    asked.tables.show(["mutations"])
    return asked.tables.connection.sql(statement("line_spans"), params={"file": str(file), "rows": rows} | told)
