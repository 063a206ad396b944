"""`linetrail select`: choose the intent that the next events belong to.

In the shell of an agent the choice is for that agent's session; anywhere else it is for the worktree, so for every
session without a choice of its own. One intent at a time: another is only selected once the first was cleared, or with
`--switch`. The ledger learns of a choice before the hook does.
"""

import argparse
import sys
import time

from linetrail.ledger.adapters.adapter import SELECT
from linetrail.ledger.errors import IntentError
from linetrail.ledger.gate import policy
from linetrail.ledger.gate.refusals import Refusal, message, structured, told
from linetrail.ledger.hook import handshake
from linetrail.ledger.hook.handshake import Wish
from linetrail.ledger.intents import registry_file, selection
from linetrail.ledger.intents.changes import Author
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.tables.table import Table
from linetrail.queries.arguments import prefixes
from linetrail.queries.record.author import current_author
from linetrail.queries.record.intent_record import begin, notice
from linetrail.queries.record.related_files import note_related
from linetrail.queries.record.select import Chooser, choose, unapproved
from linetrail.queries.render.text import document, plain


class SelectionError(IntentError):
    """The handshake does not allow this choice."""

    hint = "linetrail intents list"


def configure(parser: argparse.ArgumentParser) -> None:
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
    """Check the intent, record the choice, and print it."""
    repository = require_ledger(find(args.directory))
    notice(repository)
    if args.intent_id is not None:
        args.intent_id = prefixes.intent(repository, args.intent_id)
    who = current_author(repository)
    if who.agent and args.session not in (None, who.session_id):
        raise SelectionError(f"an agent selects for its own session, and {args.session} is not known to be it")
    session = args.session or who.session_id
    by = Chooser(session, who.agent, time.time_ns())
    current = selection.read(repository, session)
    holding = policy.of(repository)
    intent = holding.intent(args.intent_id or current)
    # A person may give a session another intent than the worktree has; an agent keeps to what counts for it.
    own = current if who.agent else selection.own(repository, session)[1]
    if args.clear:
        intent = None
        choose(repository, intent, by)
    elif args.intent_id is not None:
        wish = Wish(SELECT, args.intent_id, switch=args.switch)
        refusal = handshake.objection(holding, wish, own)
        if refusal is None and who.agent:
            refusal = unapproved(repository, holding, args.intent_id, session, "linetrail select")
        if refusal is not None:
            return _refuse(refusal, args)
        if intent is not None:
            intent = _begun(repository, intent, who)
            choose(repository, intent, by)
    elif current is not None and intent is None:
        raise SelectionError(f"{current} is selected, but it is no longer in {registry_file.path(repository)}")
    print(_document(intent, session) if args.json else _sentence(intent, session))
    if intent and not intent.scope:
        print(
            f"note: {intent.id} owns no files yet; add `owned_scope` in {registry_file.path(repository)}",
            file=sys.stderr,
        )
    return 0


def _begun(repository: Repository, intent: Intent, who: Author) -> Intent:
    """Return an intent as it is once it was selected: a draft is begun with."""
    stays = begin(repository, intent, who=who)
    if stays is not None:
        print(f"note: {plain(stays)}", file=sys.stderr)
    note_related(repository, intent)
    return policy.of(repository).intent(intent.id) or intent


def _refuse(refusal: Refusal, args: argparse.Namespace) -> int:
    """Print a refusal: in full for an agent, as a document for a program, as an error for a person."""
    if args.json:
        print(document(Table(("intent_id", "name", "session_id"), []), {"error": structured(refusal)}))
        return SelectionError.exit_status
    if selection.shell() is not None:
        print(message(refusal, asked=args.intent_id), file=sys.stderr)
        return SelectionError.exit_status
    raise SelectionError(f"{refusal.reason}; open intents: {refusal.available}")


def _document(intent: Intent | None, session_id: str | None) -> str:
    row = (None, None, session_id) if intent is None else (intent.id, intent.name, session_id)
    return document(Table(("intent_id", "name", "session_id"), [row]), {})


def _sentence(intent: Intent | None, session_id: str | None) -> str:
    whom = f"session {session_id}" if session_id else "this worktree"
    return f"{intent.id} is selected for {whom}: {told(intent.name)}" if intent else f"no intent is selected for {whom}"
