"""Select an intent for a session or the worktree: the choice is recorded before the hook sees it."""

import time
from typing import NamedTuple

from linetrail.ledger.adapters.adapter import SELECT
from linetrail.ledger.event.drafts import Draft
from linetrail.ledger.event.event import Agent, Event, derived_id
from linetrail.ledger.gate import approvals
from linetrail.ledger.gate.policy import Policy
from linetrail.ledger.gate.refusals import Refusal
from linetrail.ledger.hook import handshake
from linetrail.ledger.hook.handshake import Wish
from linetrail.ledger.intents import selection
from linetrail.ledger.intents.changes import Author
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.redact.redactor import Redactor, private_folder
from linetrail.ledger.repository import Repository, head
from linetrail.queries.record.author import event_by


class Chooser(NamedTuple):
    """Who selects and for whom: a session or None for the worktree, an agent or None for a person, when, and how."""

    session_id: str | None
    agent: Agent | None
    now_ns: int
    # as an event says it: `command`, or `server` where no hook confirms what a tool was asked
    by: str = "command"


def choose(repository: Repository, intent: Intent | None, by: Chooser, wish: Wish | None = None) -> None:
    """Append the selection, and the end of the one before, then let the hook see it; None clears it."""
    session = by.session_id
    if intent is None:
        drafts = [handshake.cleared(selection.read(repository, session), by.by, session)]
    else:
        redactor = Redactor(private_folder(repository))
        asked = wish or Wish(SELECT, intent.id)
        drafts = [handshake.selected(intent, by.by, session, asked, redactor)]
        before = selection.own(repository, session)[1]
        if before is not None and before != intent.id:
            drafts.insert(0, handshake.cleared(before, by.by, session, f"switched to {intent.id}"))
    Ledger(repository).append([_event(repository, draft, at, by) for at, draft in enumerate(drafts)])
    selection.write(repository, intent and intent.id, session_id=session)


def unapproved(
    repository: Repository, holding: Policy, intent_id: str, session: str | None, tool: str
) -> Refusal | None:
    """Return a refusal unless a person has approved an agent's selection, where that is configured."""
    key, now_ns = f"select\0{session}\0{intent_id}", time.time_ns()
    granted = ("SELECTION_TO_APPROVE", intent_id) in approvals.grants(repository, session, now_ns)
    if granted or not holding.settings.approve_selection:
        return None
    answer = approvals.take(repository, key, now_ns)
    attempted = f"select intent {intent_id}"
    if answer is not None:
        said = answer.words or "without giving a reason"
        return None if answer.state == "approved" else Refusal("REJECTED", f"a person said no: {said}", attempted)
    asked = approvals.request(
        repository,
        key,
        session_id=session,
        intent_id=intent_id,
        tool_name=tool,
        tool_call_id=None,
        code="SELECTION_TO_APPROVE",
        action=attempted,
        reason="a person approves each selection here",
        now_ns=now_ns,
        seconds=holding.settings.approval_seconds,
        covers=[intent_id],
    )
    reason = f"a person approves each selection here; it waits as {asked.id}"
    if asked.state == "deferred":
        reason = f"a person said not now to {asked.id}: {asked.words or 'without giving a reason'}"
        return Refusal("APPROVAL_DEFERRED", reason, attempted, approval_id=asked.id)
    return Refusal("APPROVAL_PENDING", reason, attempted, approval_id=asked.id)


def _event(repository: Repository, draft: Draft, at: int, by: Chooser) -> Event:
    name = derived_id(by.now_ns, "select", str(by.now_ns), by.session_id or "", f"{at}")
    who = Author("ai" if by.agent else "human", by.agent, by.session_id)
    about, vcs = draft.data["intent_id"], head(repository)
    return event_by(who, draft.type, draft.data, event_id=name, now_ns=by.now_ns, intent_id=about, vcs=vcs)
