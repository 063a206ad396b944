"""What agents and people did since a moment, what is being worked on, and what needs somebody to look at it."""

import time
from collections.abc import Sequence
from datetime import date
from typing import Any

from linetrail.ledger.gate import approvals
from linetrail.queries.answers.log import log
from linetrail.queries.answers.status import status
from linetrail.queries.page.view import Asked, Record, Shown, question

KINDS = ("session", "prompt", "command", "change", "refusal", "violation", "decision", "lesson")
SINCE = ("1d", "7d", "30d", "90d")
RECENT = 8


def show(asked: Asked) -> Shown:
    """Return the counts since the moment that the option `since` names, and the present state of the work."""
    since = asked.option("since")
    told = {} if since is None else {"since": since}
    with asked.tables() as tables:
        counts = [(kind, question(asked, tables, "count_by", kind=kind, by="total", **told)) for kind in KINDS]
        about: dict[str, Any] = {
            "since": since,
            "choices": SINCE,
            "who": question(asked, tables, "changes_by", by="contributor", **told),
            "agents": question(asked, tables, "changes_by", by="agent", **told),
            "days": question(asked, tables, "changes_by", by="day", **told),
            "files": question(asked, tables, "changes_by", by="file", **told),
            "cost": question(asked, tables, "cost_by", dim="model", **told),
            "sessions": list(log(asked.repository, tables, type="session.started", limit=RECENT).mappings()),
            "refused": list(log(asked.repository, tables, denied=True, limit=RECENT).mappings()),
        }
    rows = [
        {
            "kind": kind,
            "count": sum(row["count"] for row in found["rows"]),
            "question": found["question"],
            "told": found["told"],
        }
        for kind, found in counts
    ]
    pending = () if asked.until else approvals.pending(asked.repository, time.time_ns())  # only now does one wait
    waiting = [
        {"approval_id": one.id, "intent_id": one.intent_id, "session_id": one.session_id, "action": one.action}
        for one in pending
    ]
    state, chart = status(asked.repository, asked.until), _chart(about["days"]["rows"])
    return Shown("Overview", rows, about | {"status": state._asdict(), "waiting": waiting, "chart": chart})


def _chart(rows: Sequence[Record]) -> Record:
    """Return where the bar of each day is, of which one is as wide as 1, and how high, of 100."""
    counts = {date.fromisoformat(row["dim"]): row["mutations"] for row in rows if row["dim"]}
    if not counts:
        return {"bars": []}
    first, last, most = min(counts), max(counts), max(counts.values())
    bars = [
        {"day": day.isoformat(), "count": count, "x": (day - first).days, "height": round(100 * count / most, 1)}
        for day, count in sorted(counts.items())
    ]
    return {
        "bars": bars,
        "width": max((last - first).days + 1, 14),
        "first": first.isoformat(),
        "last": last.isoformat(),
        "most": most,
    }
