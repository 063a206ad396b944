"""What waits for a person's answer, over all sessions, which answers still count, and every answer that was given."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from linetrail.ledger.gate import approvals
from linetrail.ledger.gate.approvals import EXTENTS, OPEN, SECOND, Approval, ApprovalError
from linetrail.ledger.observe.states import Objects, request_from_bytes
from linetrail.ledger.redact.redactor import scrub
from linetrail.ledger.repository import Repository
from linetrail.projections.git.target import on_disk
from linetrail.queries.answers.change_lines import plain, proposed
from linetrail.queries.page.view import Asked, Record, Shown, page_of, question
from linetrail.queries.render.text import duration

SIZE = 100
# So many answers to similar requests stand beside one that waits.
SIMILAR = 5
_TOLD = (
    "state",
    "tool_name",
    "tool_call_id",
    "action",
    "code",
    "reason",
    "session_id",
    "intent_id",
    "covers",
    "extent",
)


def show(asked: Asked) -> Shown:
    """Return the requests that wait, the oldest first, each beside what was answered to similar ones."""
    now_ns = time.time_ns()
    known = [] if asked.until else approvals.known(asked.repository, now_ns)  # only now does one wait
    with asked.tables() as tables:
        history = question(asked, tables, "approval_answers")
        counts = question(asked, tables, "approvals")
    waiting = [one for one in known if one.state in OPEN]
    rows = [
        {
            **_request(one, now_ns),
            "extents": list(_extents(asked, one, now_ns)),
            **_before(one, history["rows"]),
            **({} if asked.whole else _meant(asked.repository, one)),  # a report has no text of files
        }
        for one in waiting
    ]
    shown, page = page_of(history["rows"], asked, SIZE)
    about = {
        "counting": [_request(one, now_ns) for one in known if one not in waiting],
        "history": {**history, "rows": shown},
        "page": page,
        "counts": counts,
        "may_answer": asked.may_answer,
    }
    return Shown("Approvals", rows, about)


def _request(one: Approval, now_ns: int) -> Record:
    return {
        "approval_id": one.id,
        **{name: getattr(one, name) for name in _TOLD},
        "requested_at": _moment(one.requested_ns),
        "deadline_at": _moment(one.deadline_ns),
        "age": duration(now_ns - one.requested_ns),
        "left": duration(one.deadline_ns - now_ns),
    }


def _meant(repository: Repository, one: Approval) -> Record:
    """Return the whole command of a request, and what it would do to each file as that is now."""
    told = Objects(repository).opened(approvals.proposed(repository, one.id))
    command, files = (None, {}) if told is None else request_from_bytes(told)
    changes = [plain(proposed(path, on_disk(repository, path), meant)) for path, meant in files.items()]
    return {"command": command and scrub(command), "changes": changes}


def _extents(asked: Asked, one: Approval, now_ns: int) -> Iterator[str]:
    """Yield how far a request can be approved."""
    for extent in EXTENTS:
        with suppress(ApprovalError):
            approvals.extensible(asked.repository, one.id, extent, now_ns)
            yield extent


def _before(one: Approval, history: Sequence[Record]) -> Record:
    """Return what was answered to requests of the same tool for the same reason."""
    similar = [row for row in history if (row["code"], row["tool_name"]) == (one.code, one.tool_name)]
    return {
        "similar": similar[:SIMILAR],
        "similar_answers": Counter(row["answer"] for row in similar),
        "same": sum(row["action"] == one.action for row in similar),
    }


def _moment(nanoseconds: int) -> datetime:
    return datetime.fromtimestamp(nanoseconds / SECOND, UTC).replace(tzinfo=None)
