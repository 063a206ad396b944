"""`linetrail select`: say which intent the next events belong to.

In the shell of an agent the choice is for that agent's session; anywhere else it is for the worktree, so for every
session without a choice of its own. One intent at a time: another is only selected once the first was cleared, or with
`--switch`. The ledger learns of a choice before the hook does.
"""

import argparse
import sys
import time
from typing import NamedTuple

from linetrail.ledger import approvals, handshake, intents, own_tools, policy, selection
from linetrail.ledger.drafts import Draft
from linetrail.ledger.errors import IntentError
from linetrail.ledger.event import Agent, Event, derived_id, rfc3339
from linetrail.ledger.fingerprints import Redactor, private_folder
from linetrail.ledger.handshake import Wish
from linetrail.ledger.intents import Intent
from linetrail.ledger.refusals import Refusal, message, structured, told
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.ledger.store import Ledger
from linetrail.ledger.vcs import head
from linetrail.projections.tables import Table
from linetrail.queries import prefixes
from linetrail.queries.intent_record import notice
from linetrail.queries.render import document


class SelectionError(IntentError):
    """A choice that the handshake does not allow."""

    hint = "linetrail intents list"


class Chooser(NamedTuple):
    """Whose session it is chosen for, None the whole worktree; who chooses, None a person; and when."""

    session_id: str | None
    agent: Agent | None
    now_ns: int


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `select`."""
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument(
        "intent_id", metavar="ID", nargs="?", help="the intent, as in active_intents.yaml; its first characters do"
    )
    choice.add_argument("--clear", action="store_true", help="select none")
    default = f"${selection.SESSION_VARIABLE}, else the whole worktree"
    parser.add_argument("--session", metavar="S", help=f"for this session only (default: {default})")
    parser.add_argument("--switch", action="store_true", help="leave the intent that is selected for this one")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Check the intent, record the choice, and say what is chosen for whom."""
    repository = require_ledger(find(args.directory))
    notice(repository)
    if args.intent_id is not None:
        args.intent_id = prefixes.intent(repository, args.intent_id)
    session = args.session or selection.shell_session()
    by = Chooser(session, Agent("claude-code") if selection.shell_session() else None, time.time_ns())
    current = selection.read(repository, session)
    holding = policy.of(repository)
    intent = holding.intent(args.intent_id or current)
    # A person may give a session another intent than the worktree has; an agent keeps to what counts for it.
    own = current if selection.shell_session() else selection.own(repository, session)[1]
    if args.clear:
        intent = None
        choose(repository, intent, by)
    elif args.intent_id is not None:
        wish = Wish(own_tools.SELECT, args.intent_id, switch=args.switch)
        refusal = handshake.objection(holding, wish, own) or _unapproved(repository, holding, wish, session)
        if refusal is not None:
            return _refuse(refusal, args)
        if intent is not None:
            choose(repository, intent, by)
    elif current is not None and intent is None:
        raise SelectionError(f"{current} is selected, but it is no longer in {intents.path(repository)}")
    print(_document(intent, session) if args.json else _sentence(intent, session))
    if intent and not intent.scope:
        print(f"note: {intent.id} owns no files yet; add `owned_scope` in {intents.path(repository)}", file=sys.stderr)
    return 0


def choose(repository: Repository, intent: Intent | None, by: Chooser) -> None:
    """Append the choice to the ledger, and that the one before it ends; then let the hook see it; None is no choice."""
    session = by.session_id
    if intent is None:
        drafts = [handshake.cleared(selection.read(repository, session), "command", session)]
    else:
        redactor = Redactor(private_folder(repository))
        drafts = [handshake.selected(intent, "command", session, Wish(own_tools.SELECT, intent.id), redactor)]
        before = selection.own(repository, session)[1]
        if before is not None and before != intent.id:
            drafts.insert(0, handshake.cleared(before, "command", session, f"switched to {intent.id}"))
    Ledger(repository).append([_event(repository, draft, at, by) for at, draft in enumerate(drafts)])
    selection.write(repository, intent and intent.id, session_id=session)


def _event(repository: Repository, draft: Draft, at: int, by: Chooser) -> Event:
    return Event(
        id=derived_id(by.now_ns, "select", str(by.now_ns), by.session_id or "", f"{at}"),
        timestamp=rfc3339(by.now_ns),
        type=draft.type,
        session_id=by.session_id,
        agent=by.agent,
        contributor="ai" if by.agent else "human",
        intent_id=draft.data["intent_id"],
        vcs=head(repository),
        data=draft.data,
    )


def _unapproved(repository: Repository, holding: policy.Policy, wish: Wish, session: str | None) -> Refusal | None:
    """Ask a person first, where that was configured and it is an agent that selects."""
    if not holding.settings.approve_selection or selection.shell_session() is None:
        return None
    key, now_ns = f"select\0{session}\0{wish.intent_id}", time.time_ns()
    answer = approvals.take(repository, key, now_ns)
    attempted = f"select intent {wish.intent_id}"
    if answer is not None:
        said = answer.words or "without giving a reason"
        return None if answer.state == "approved" else Refusal("REJECTED", f"a person said no: {said}", attempted)
    asked = approvals.request(
        repository,
        key,
        session_id=session,
        intent_id=wish.intent_id,
        tool_name="linetrail select",
        tool_call_id=None,
        code="SELECTION_TO_APPROVE",
        action=attempted,
        reason="a person approves each selection here",
        now_ns=now_ns,
        seconds=holding.settings.approval_seconds,
    )
    reason = f"a person approves each selection here; it waits as {asked.id}"
    return Refusal("APPROVAL_PENDING", reason, attempted, approval_id=asked.id)


def _refuse(refusal: Refusal, args: argparse.Namespace) -> int:
    """Say why not: in full to an agent, in two lines to a person, as one document to a program."""
    if args.json:
        print(document(Table(("intent_id", "name", "session_id"), []), {"error": structured(refusal)}))
        return SelectionError.exit_status
    if selection.shell_session() is not None:
        print(message(refusal, asked=args.intent_id), file=sys.stderr)
        return SelectionError.exit_status
    available = ", ".join(intent_id for intent_id, _ in refusal.available) or "none"
    raise SelectionError(f"{refusal.reason}; open intents: {available}")


def _document(intent: Intent | None, session_id: str | None) -> str:
    row = (None, None, session_id) if intent is None else (intent.id, intent.name, session_id)
    return document(Table(("intent_id", "name", "session_id"), [row]), {})


def _sentence(intent: Intent | None, session_id: str | None) -> str:
    whom = f"session {session_id}" if session_id else "this worktree"
    return f"{intent.id} is selected for {whom}: {told(intent.name)}" if intent else f"no intent is selected for {whom}"
