"""`linetrail select`: say which intent the next events belong to.

In the shell of an agent the choice is for that agent's session; anywhere else it is for the worktree, so for every
session without a choice of its own. The ledger learns of it before the hook does.
"""

import argparse
import sys
import time
from typing import Any

from linetrail.ledger import intents, selection
from linetrail.ledger.errors import IntentError
from linetrail.ledger.event import Agent, Event, derived_id, rfc3339
from linetrail.ledger.intents import Intent
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.ledger.store import Ledger
from linetrail.ledger.vcs import head
from linetrail.projections.tables import Table
from linetrail.queries.render import document, plain


class ClosedIntentError(IntentError):
    """An intent that is done, blocked or given up."""

    hint = "linetrail intents list"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `select`."""
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("intent_id", metavar="ID", nargs="?", help="the intent, as in active_intents.yaml")
    choice.add_argument("--clear", action="store_true", help="select none")
    default = f"${selection.SESSION_VARIABLE}, else the whole worktree"
    parser.add_argument("--session", metavar="S", help=f"for this session only (default: {default})")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Check the intent, record the choice, and say what was chosen for whom."""
    repository = require_ledger(find(args.directory))
    session = args.session or selection.shell_session()
    agent = Agent("claude-code") if selection.shell_session() else None
    intent = None if args.clear else _open_intent(repository, args.intent_id)
    choose(repository, intent, session_id=session, agent=agent, now_ns=time.time_ns())
    print(_document(intent, session) if args.json else _sentence(intent, session))
    if intent and not intent.scope:
        print(f"note: {intent.id} owns no files yet; add `owned_scope` in {intents.path(repository)}", file=sys.stderr)
    return 0


def choose(
    repository: Repository, intent: Intent | None, *, session_id: str | None, agent: Agent | None, now_ns: int
) -> None:
    """Append the choice to the ledger, then let the hook see it. `agent` is who chose, None a person."""
    before = selection.read(repository, session_id)
    chosen = before if intent is None else intent.id
    data: dict[str, Any] = {"intent_id": chosen, "by": "command", "for_session": session_id}
    if intent is not None:
        data |= {"name": intent.name, "status": intent.status, "scope": list(intent.scope)}
    event = Event(
        id=derived_id(now_ns, "select", str(now_ns), session_id or "", chosen or ""),
        timestamp=rfc3339(now_ns),
        type="intent.cleared" if intent is None else "intent.selected",
        session_id=session_id,
        agent=agent,
        contributor="ai" if agent else "human",
        intent_id=chosen,
        vcs=head(repository),
        data=data,
    )
    Ledger(repository).append([event])
    selection.write(repository, intent and intent.id, session_id=session_id)


def _document(intent: Intent | None, session_id: str | None) -> str:
    row = (None, None, session_id) if intent is None else (intent.id, intent.name, session_id)
    return document(Table(("intent_id", "name", "session_id"), [row]), {})


def _sentence(intent: Intent | None, session_id: str | None) -> str:
    whom = f"session {session_id}" if session_id else "this worktree"
    return (
        f"{intent.id} is selected for {whom}: {plain(intent.name)}" if intent else f"no intent is selected for {whom}"
    )


def _open_intent(repository: Repository, intent_id: str) -> Intent:
    intent = intents.require(repository, intent_id)
    if not intent.closed:
        return intent
    available = ", ".join(other.id for other in intents.read(repository) if not other.closed) or "none"
    raise ClosedIntentError(f"{intent_id} is {intent.status} and cannot be selected; available: {available}")
