"""`linetrail approvals`: what waits for a person, what is approved, put a request off, take an answer back."""

import argparse
import time

from linetrail.ledger.event.event import rfc3339
from linetrail.ledger.gate.approvals import OPEN, Approval
from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.tables.table import Table
from linetrail.queries.commands.checks.approve import asked_for, rows_of
from linetrail.queries.record import approvals
from linetrail.queries.record.author import require_person
from linetrail.queries.render.output import add_json, give, terminal_width
from linetrail.queries.render.text import duration, text_table

VERBS = {
    "list": "list what waits, and the answers that still count",
    "defer": 'say "not now": the request stays open, and the agent goes on with something else',
    "revoke": "take an answer back: one that was not used, one for a session, or what became scope",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of `approvals`; without one it lists."""
    add_json(parser)
    verbs = parser.add_subparsers(dest="verb", metavar="VERB")
    for verb, about in VERBS.items():
        sub = verbs.add_parser(verb, help=about, description=f"{about[0].upper()}{about[1:]}.")
        if verb != "list":
            sub.add_argument("approval_id", metavar="ID", help="the request, such as A-7f3k")
            words = "what the agent is to be told" if verb == "defer" else "why; kept in the ledger"
            sub.add_argument("--reason", metavar="WORDS", help=words)
        add_json(sub)


def run(args: argparse.Namespace) -> int:
    repository = require_ledger(find(args.directory))
    if args.verb in (None, "list"):
        known = approvals.known(repository)
        give(args, rows_of(known), {}, lambda: listing(known, time.time_ns()))
        return 0
    require_person(f"{args.verb} a request" if args.verb == "defer" else "revoke an answer")
    answer = approvals.defer if args.verb == "defer" else approvals.revoke
    found = answer(repository, args.approval_id, reason=args.reason)
    give(args, rows_of([found]), {}, lambda: _sentence(found, args.verb))
    return 0


def listing(known: list[Approval], now_ns: int) -> str:
    """Return requests and answers as a table for people."""
    rows = [
        (one.id, _state(one), duration(one.deadline_ns - now_ns), one.intent_id, one.session_id, asked_for(one))
        for one in known
    ]
    table = Table(("id", "state", "expires_in", "intent_id", "session_id", "action"), rows)
    return (
        text_table(table, width=terminal_width()) if rows else "nothing waits for an answer, and no answer counts now"
    )


def _state(one: Approval) -> str:
    if one.state in OPEN:
        return "not now" if one.state == "deferred" else one.state
    return f"{one.state} ({one.extent})" if one.state == "approved" else one.state


def _sentence(one: Approval, verb: str) -> str:
    if verb == "revoke":
        return f"{one.id} is revoked: {asked_for(one)}; the agent has to ask again"
    until = rfc3339(one.deadline_ns)[:19].replace("T", " ")
    return f"{one.id} is put off: {asked_for(one)}; it can be answered until {until} UTC"
