"""Answer what the gate asked: each answer of a person is an event before it counts.

What every surface calls, so that the terminal and the page answer alike; that it is a person who answers is for the
surface to make sure of (`author.require_person` in a terminal). Each function raises ApprovalError where a request is
not open, or of no kind that can be answered so, and then nothing has changed.
"""

import json
import time
from collections.abc import Callable, Sequence

from linetrail.ledger.event.event import derived_id
from linetrail.ledger.gate import approvals
from linetrail.ledger.gate.approvals import ONCE, SCOPE, Approval
from linetrail.ledger.hook import news
from linetrail.ledger.intents import registry_file
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.redact.redactor import Redactor, private_folder
from linetrail.ledger.repository import Repository, head
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.record.author import PERSON, event_by, person
from linetrail.queries.record.intent_record import change
from linetrail.queries.statements import statement

# As long as an excerpt may be.
EXCERPT = 200
DECIDED, DEFERRED, REVOKED = "approval.decided", "approval.deferred", "approval.revoked"


def known(repository: Repository) -> list[Approval]:
    """Return all requests that are not void, the oldest first: those that wait, and those whose answer counts."""
    return approvals.known(repository, time.time_ns())


def approve(repository: Repository, approval_id: str, *, extent: str = ONCE, reason: str | None = None) -> Approval:
    """Let an agent do what it asked for: this call `once`, the like as long as its `session` lasts, or as `scope`.

    What becomes scope is added to the intent in active_intents.yaml, which is an event of its own; IntentError where
    that file cannot be changed so.
    """
    now_ns = time.time_ns()
    if extent == SCOPE:
        asked = approvals.extensible(repository, approval_id, extent, now_ns)
        _change_scope(repository, asked, add=True, dry=True)  # before anything is recorded
    answered = approvals.answer(
        repository,
        approval_id,
        approved=True,
        reason=reason,
        now_ns=now_ns,
        extent=extent,
        record=_recorder(repository, DECIDED, now_ns),
    )
    if extent == SCOPE:
        _change_scope(repository, answered, add=True)
    return _spread(repository, answered)


def reject(repository: Repository, approval_id: str, *, reason: str | None = None) -> Approval:
    """Refuse what an agent asked for; it is told the reason as often as it asks again."""
    now_ns = time.time_ns()
    record = _recorder(repository, DECIDED, now_ns)
    answered = approvals.answer(repository, approval_id, approved=False, reason=reason, now_ns=now_ns, record=record)
    return _spread(repository, answered)


def defer(repository: Repository, approval_id: str, *, reason: str | None = None) -> Approval:
    """Say "not now": the request stays open for a day, and its agent goes on with something else."""
    now_ns = time.time_ns()
    record = _recorder(repository, DEFERRED, now_ns)
    return _spread(repository, approvals.defer(repository, approval_id, reason=reason, now_ns=now_ns, record=record))


def revoke(repository: Repository, approval_id: str, *, reason: str | None = None) -> Approval:
    """Take an answer back that still counts: one that was not used, one for a session, or what became scope."""
    now_ns = time.time_ns()
    record = _recorder(repository, REVOKED, now_ns)
    widening = _widening(repository, approval_id)
    if widening is None:
        found = approvals.revoke(repository, approval_id, reason=reason, now_ns=now_ns, record=record)
        return _spread(repository, found, revoked=True)
    _change_scope(repository, widening, add=False, dry=True)
    words = reason and Redactor(private_folder(repository)).excerpt(reason, EXCERPT)
    record(widening._replace(words=words or None))
    _change_scope(repository, widening, add=False)
    approvals.forget(repository, widening.id)
    return _spread(repository, widening, revoked=True)


def _spread(repository: Repository, answered: Approval, *, revoked: bool = False) -> Approval:
    """Let running sessions know."""
    news.spread(repository, [news.of_answer(answered, revoked=revoked)], by=None)
    return answered


def _widening(repository: Repository, approval_id: str) -> Approval | None:
    """Return what became scope under this id as the ledger tells it, unless that was taken back since."""
    with open_tables(repository) as tables:
        rows = tables.ask(statement("approval_last"), {"id": approvals.spelled(approval_id)}).rows
    for payload, session_id, intent_id in rows:
        told = json.loads(payload)
        if told.get("extent") == SCOPE and told.get("approved"):
            return approvals.widening(told, session_id, intent_id)
    return None


def _change_scope(repository: Repository, about: Approval, *, add: bool, dry: bool = False) -> None:
    """Add the files to the scope of the intent, or take them out; `dry` only raises where that is not possible."""
    from linetrail.ledger.intents import edits, transitions  # brings YAML, which most answers have no use for

    said = [("owned_scope", pattern) for pattern in approvals.patterns(about)]

    def decide(found: Sequence[Intent]) -> edits.Change:
        return transitions.amend(found, str(about.intent_id), add=said if add else (), remove=() if add else said)

    if dry:
        edits.changed(registry_file.load(repository) or b"", decide, registry_file.path(repository))
    else:
        change(repository, decide, reason=f"{about.id} was {'approved' if add else 'revoked'}")


def _recorder(repository: Repository, event_type: str, now_ns: int) -> Callable[[Approval], None]:
    """Return a function that appends the answer to the ledger."""

    def record(answer: Approval) -> None:
        name = derived_id(now_ns, "approval", answer.id, str(answer.requested_ns), event_type, answer.state)
        told = {
            "approval_id": answer.id,
            "approved": answer.state == "approved" if event_type == DECIDED else None,
            "tool_name": answer.tool_name,
            "code": answer.code,
            "action": answer.action,
            "reason": answer.words,
            "person": person(repository),
            "extent": answer.extent if answer.state == "approved" else None,
            "covers": list(answer.covers) if answer.extent != ONCE else None,
        }
        rare = {"approved", "extent", "covers"}
        data = {field: value for field, value in told.items() if value is not None or field not in rare}
        who, about, vcs = PERSON._replace(session_id=answer.session_id), answer.intent_id, head(repository)
        event = event_by(who, event_type, data, event_id=name, now_ns=now_ns, intent_id=about, vcs=vcs)
        Ledger(repository).append([event])

    return record
