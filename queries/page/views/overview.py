"""What agents and people did between two moments, what is being worked on, and what needs somebody to look at it."""

import time
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from linetrail.ledger.gate import approvals
from linetrail.queries.answers.status import summary
from linetrail.queries.page import charts
from linetrail.queries.page.view import Asked, Record, Shown, question
from linetrail.queries.page.views import findings

KINDS = ("session", "prompt", "call", "change", "refusal", "violation", "decision", "lesson")
SINCE = ("1d", "7d", "30d", "90d")
SHOWN = 8

# kind -> day -> how often; the day None stands for those of which it is not known
Days = Mapping[str, Mapping[date | None, int]]


def show(asked: Asked) -> Shown:
    """Return the counts between the moments that `since` and `until` name, and the present state of the work."""
    told: dict[str, Any] = {name: value for name in ("since", "until") if (value := asked.option(name)) is not None}
    with asked.tables() as tables:
        now = summary(asked.repository, tables, asked.until)
        days = _days(question(asked, tables, "activity", **told)["rows"])
        files = question(asked, tables, "changes_by", by="file", **told)
        sessions = question(asked, tables, "sessions", **told)
        about: dict[str, Any] = {
            "who": question(asked, tables, "changes_by", by="contributor", **told),
            "agents": question(asked, tables, "changes_by", by="agent", **told),
            "files": {**files, "rows": files["rows"][:SHOWN]},
            "cost": question(asked, tables, "cost_by", dim="model", **told),
            "sessions": {**sessions, "rows": sessions["rows"][:SHOWN]},
            "refused": question(asked, tables, "log", verdict="deny", limit=str(SHOWN), **told),
            "lines": question(asked, tables, "lines_by", by="total")
            if asked.is_at_hand(tables, "blame_lines")
            else None,
            "findings": findings.totals(asked, tables),
        }
    about |= {"since": None, "until": None, **told, "choices": SINCE}
    about |= {"status": now._asdict(), "waiting": _waiting(asked), "charts": _charts(days)}
    return Shown("Overview", [_count(kind, days[kind], told) for kind in KINDS], about)


def _days(rows: Sequence[Record]) -> Days:
    days: dict[str, dict[date | None, int]] = {kind: {} for kind in KINDS}
    for row in rows:
        days[row["kind"]][charts.day(row["day"])] = row["count"]
    return days


def _count(kind: str, days: Mapping[date | None, int], told: Mapping[str, str]) -> Record:
    return {"kind": kind, "count": sum(days.values()), "question": "activity", "told": {"kind": kind, **told}}


def _charts(days: Days) -> Mapping[str, charts.Columns | None]:
    """Return a chart for each kind, all of them over the same days."""
    known = {kind: {day: count for day, count in days[kind].items() if day is not None} for kind in KINDS}
    every = [day for counts in known.values() for day in counts]
    return {kind: charts.columns(known[kind], min(every), max(every)) for kind in KINDS if every}


def _waiting(asked: Asked) -> list[Record]:
    pending = () if asked.until else approvals.pending(asked.repository, time.time_ns())  # only now does one wait
    return [
        {"approval_id": one.id, "intent_id": one.intent_id, "session_id": one.session_id, "action": one.action}
        for one in pending
    ]
