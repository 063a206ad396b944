"""Where all this comes from: the ledger, whether it is sound, and the program that read it."""

from importlib.metadata import version

from linetrail.ledger.repository import head
from linetrail.projections.tables.verification import examine
from linetrail.queries.answers.audit import verified
from linetrail.queries.answers.status import summary
from linetrail.queries.page.view import Asked, Shown, page_of, question

# So much of what happened to the ledger itself is listed, and so many sessions are on a page.
SHOWN, SIZE = 50, 200


def show(asked: Asked) -> Shown:
    """Return the problems of the ledger, and which of it is shown."""
    report, commit = examine(asked.repository), head(asked.repository)
    with asked.tables() as tables:
        now = summary(asked.repository, tables, asked.until)
        integrity = question(asked, tables, "integrity")
        happened = question(asked, tables, "log", type="ledger", limit=str(SHOWN))
    sessions, page = page_of(integrity["rows"], asked, SIZE)
    about = {
        "verdict": verified(report, now.ledger_head),
        "events": now.events,
        "last_event_at": now.last_event_at,
        "ledger_head": now.ledger_head,
        "segments": len(report.sound),
        "lost": report.lost,
        "unknown": report.unknown,
        "revision": commit.revision if commit else None,
        "version": version("linetrail"),
        "integrity": {**integrity, "rows": sessions},
        "page": page,
        "happened": happened["rows"],
        "log": {**happened, "rows": []},
    }
    return Shown("Provenance", [problem._asdict() for problem in report.problems], about)
