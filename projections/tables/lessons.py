"""Read from the tables what was learned here."""

from linetrail.ledger.knowledge import lessons
from linetrail.ledger.knowledge.lesson import from_event
from linetrail.ledger.knowledge.lessons import Known
from linetrail.projections.tables.tables import Tables

_RECORDS = """
    select lesson_id, title, body, source, reason_code as code, path, resolution, pattern, forgotten, intent_id
    from lesson_records order by position
"""


def recalled(tables: Tables) -> Known:
    """Return the lessons that the ledger tells, by the steps by which AGENT.md grew."""
    records = tables.ask(_RECORDS).mappings()
    return lessons.recalled([(from_event(record, record["intent_id"]), record["forgotten"]) for record in records])
