"""`linetrail approve` and `linetrail reject`: a person answers what the gate asked.

Without an ID both list what waits. The ledger learns of the answer before the gate does, and no agent can answer
for the person it works for.
"""

import argparse
import time

from linetrail.ledger.event.event import rfc3339
from linetrail.ledger.gate.approvals import EXTENTS, ONCE, SCOPE, SESSION, Approval
from linetrail.ledger.gate.approvals import pending as waiting_for
from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.tables.table import Table
from linetrail.queries.record.approvals import approve, reject
from linetrail.queries.record.author import require_person
from linetrail.queries.render.output import add_json, give, terminal_width
from linetrail.queries.render.text import duration, plain, table_of, text_table

# column -> what of a request it has
_FIELDS = {"approval_id": "id"} | {
    name: name
    for name in (
        *("state", "tool_name", "action", "code", "reason", "words", "session_id", "intent_id"),
        *("extent", "covers"),
    )
}
_EXTENTS = {
    ONCE: "let this one call through (default)",
    SESSION: "let the like through until the session ends: these files, this tool, this intent or this very call",
    SCOPE: "add these files to the scope of the intent, for everybody",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options that both answers have, and to `approve` how far it goes."""
    parser.add_argument("approval_id", metavar="ID", nargs="?", help="the request, such as A-7f3k (default: list them)")
    parser.add_argument("--reason", metavar="WORDS", help="what the agent is to be told")
    add_json(parser)
    if parser.prog.endswith("approve"):
        extents = parser.add_mutually_exclusive_group()
        for extent in EXTENTS:
            extents.add_argument(
                f"--{extent}", dest="extent", action="store_const", const=extent, default=ONCE, help=_EXTENTS[extent]
            )


def run(args: argparse.Namespace) -> int:
    """List the open requests, or answer one of them."""
    repository = require_ledger(find(args.directory))
    now_ns = time.time_ns()
    if args.approval_id is None:
        waiting = waiting_for(repository, now_ns)
        give(args, rows_of(waiting), {}, lambda: listing(waiting, now_ns))
        return 0
    require_person(f"{args.command} a request")
    if args.command == "approve":
        answered = approve(repository, args.approval_id, extent=args.extent, reason=args.reason)
    else:
        answered = reject(repository, args.approval_id, reason=args.reason)
    give(args, rows_of([answered]), {}, lambda: _sentence(answered))
    return 0


def listing(waiting: list[Approval], now_ns: int) -> str:
    """Return the open requests as a table for people."""
    rows = [
        (one.id, duration(now_ns - one.requested_ns), duration(one.deadline_ns - now_ns), one.intent_id, asked_for(one))
        for one in waiting
    ]
    table = Table(("id", "asked", "expires_in", "intent_id", "action"), rows)
    return text_table(table, width=terminal_width()) if rows else "nothing waits for an answer"


def rows_of(shown: list[Approval]) -> Table:
    """Return requests as programs read them."""
    named = table_of(_FIELDS, shown)
    times = [(rfc3339(one.requested_ns), rfc3339(one.deadline_ns)) for one in shown]
    rows = [(*row, *moments) for row, moments in zip(named.rows, times, strict=True)]
    return Table((*named.columns, "requested_at", "deadline_at"), rows)


def _sentence(one: Approval) -> str:
    if one.state == "rejected":
        return f"{one.id} is rejected: {asked_for(one)}; the agent is told so when it asks again"
    until = rfc3339(one.deadline_ns)[:19].replace("T", " ")
    said = {
        ONCE: f"it lets one call through until {until} UTC",
        SESSION: f"it lets the like through in its session until {until} UTC",
        SCOPE: f"{one.intent_id} owns that from now on",
    }
    return f"{one.id} is approved: {asked_for(one)}; {said[one.extent]}"


def asked_for(one: Approval) -> str:
    """Return what was asked for, in a few words."""
    named = one.tool_name is None or one.action.startswith(one.tool_name)
    return plain(one.action if named else f"{one.tool_name}: {one.action}")
