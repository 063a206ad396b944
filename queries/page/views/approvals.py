"""What waits for a person's answer, over all sessions, and every answer that was given."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime

from linetrail.ledger.gate import approvals
from linetrail.ledger.gate.approvals import SECOND, Approval
from linetrail.queries.page.view import Asked, Record, Shown, page_of, question
from linetrail.queries.render.text import duration

SIZE = 100
# So many answers to similar requests stand beside one that waits.
SIMILAR = 5


def show(asked: Asked) -> Shown:
    """Return the requests that wait, the oldest first, each beside what was answered to similar ones."""
    now_ns = time.time_ns()
    waiting = [] if asked.until else approvals.pending(asked.repository, now_ns)
    with asked.tables() as tables:
        history = question(asked, tables, "approval_answers")
        counts = question(asked, tables, "approvals")
    rows = [_request(one, now_ns, history["rows"]) for one in waiting]
    answered, page = page_of(history["rows"], asked, SIZE)
    about = {"history": {**history, "rows": answered}, "page": page, "counts": counts, "can_answer": asked.may_answer}
    return Shown("Approvals", rows, about)


def _request(one: Approval, now_ns: int, history: Sequence[Record]) -> Record:
    similar = [row for row in history if (row["code"], row["tool_name"]) == (one.code, one.tool_name)]
    return {
        **{name: getattr(one, name) for name in ("tool_name", "action", "code", "reason", "session_id", "intent_id")},
        "approval_id": one.id,
        "tool_call_id": one.tool_call_id,
        "requested_at": _moment(one.requested_ns),
        "deadline_at": _moment(one.deadline_ns),
        "age": duration(now_ns - one.requested_ns),
        "left": duration(one.deadline_ns - now_ns),
        "similar": similar[:SIMILAR],
        "similar_approved": sum(row["approved"] for row in similar),
        "similar_rejected": sum(not row["approved"] for row in similar),
        "same": sum(row["action"] == one.action for row in similar),
    }


def _moment(nanoseconds: int) -> datetime:
    return datetime.fromtimestamp(nanoseconds / SECOND, UTC).replace(tzinfo=None)
