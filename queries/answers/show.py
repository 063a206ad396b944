"""Look an id up: everything that the tables hold about an event, session, intent, tool call or commit."""

from typing import Any

from linetrail.ledger.repository import Repository
from linetrail.projections.tables.tables import Tables
from linetrail.queries.ask import subject


def show(repository: Repository, tables: Tables, text: str) -> dict[str, Any]:
    """Return the record for an id, an abbreviated id or a commit."""
    return subject.about(repository, tables, subject.find(repository, tables, text))
