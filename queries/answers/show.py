"""Look an id or a hash up: everything that the tables hold about an event, session, intent, commit or content."""

from typing import Any

from linetrail.ledger.repository import Repository
from linetrail.projections.tables.tables import Tables
from linetrail.queries.ask import subject


def show(repository: Repository, tables: Tables, text: str) -> dict[str, Any]:
    """Return the record for an id, an abbreviated id, a commit or a hash."""
    return subject.about(repository, tables, subject.find(repository, tables, text))
