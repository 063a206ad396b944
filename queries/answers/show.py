"""What one id stands for: everything that the tables hold about an event, session, intent, tool call or commit."""

from typing import Any

from linetrail.ledger.repository import Repository
from linetrail.projections.tables.tables import Tables
from linetrail.queries.ask import subject


def show(repository: Repository, tables: Tables, text: str) -> dict[str, Any]:
    """Return the one record that an id, its first characters or the name of a commit stand for."""
    return subject.about(repository, tables, subject.find(repository, tables, text))
