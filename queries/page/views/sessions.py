"""The sessions, newest first, with what each changed."""

from linetrail.queries.answers.log import log
from linetrail.queries.page.view import Asked, Shown, page_of, question

SIZE = 200
_CHANGED = ("mutations", "lines_added", "lines_deleted", "files")


def show(asked: Asked) -> Shown:
    """Return a row for each time that a session started."""
    with asked.tables() as tables:
        started = list(log(asked.repository, tables, type="session.started").mappings())
        changes = question(asked, tables, "changes_by", by="session")
    changed = {row["dim"]: row for row in changes["rows"]}
    shown, page = page_of(started, asked, SIZE)
    rows = [
        {name: row[name] for name in ("session_id", "timestamp", "agent_name", "model_id", "summary")}
        | {name: changed.get(row["session_id"], {}).get(name) for name in _CHANGED}
        for row in shown
    ]
    return Shown("Sessions", rows, {"page": page, "changes": {"question": "changes_by", "told": {"by": "session"}}})
