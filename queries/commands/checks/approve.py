"""`linetrail approve` and `linetrail reject`: a person answers what the gate asked.

Without an ID both list what waits. The ledger learns of the answer before the gate does, and no agent can answer
for the person it works for.
"""

import argparse
import time

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.event.event import derived_id, rfc3339
from linetrail.ledger.gate import approvals
from linetrail.ledger.gate.approvals import Approval
from linetrail.ledger.hook import news
from linetrail.ledger.intents import selection
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.ledger.vcs import git, head
from linetrail.projections.tables.tables import Table
from linetrail.queries.record.author import PERSON, event_by
from linetrail.queries.render.output import add_json, give, terminal_width
from linetrail.queries.render.text import plain, table_of, text_table

# As long as an excerpt may be.
EXCERPT = 200
# column -> what of a request it has
_FIELDS = {"approval_id": "id"} | {
    name: name for name in ("state", "tool_name", "action", "code", "reason", "words", "session_id", "intent_id")
}


class OnlyAPersonError(LinetrailError):
    """An agent tried to do what only a person may."""

    hint = "the person at the keyboard runs it in a shell of their own"
    exit_status = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options that both answers have."""
    parser.add_argument("approval_id", metavar="ID", nargs="?", help="the request, such as A-7f3k (default: list them)")
    parser.add_argument("--reason", metavar="WORDS", help="what the agent is to be told")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """List the open requests, or answer one of them."""
    repository = require_ledger(find(args.directory))
    now_ns = time.time_ns()
    if args.approval_id is None:
        waiting = approvals.pending(repository, now_ns)
        give(args, _table(waiting), {}, lambda: listing(waiting, now_ns))
        return 0
    require_person(f"{args.command} a request")
    answered = approvals.answer(
        repository,
        args.approval_id,
        approved=args.command == "approve",
        reason=args.reason,
        now_ns=now_ns,
        record=lambda answer: _record(repository, answer, now_ns),
    )
    news.spread(repository, [news.of_answer(answered)], by=None)
    give(args, _table([answered]), {}, lambda: _sentence(answered))
    return 0


def require_person(what: str) -> None:
    """Raise where the command runs in the shell of an agent."""
    shell = selection.shell()
    if shell is not None:
        raise OnlyAPersonError(f"only a person can {what}: this shell is an agent's ({plain(shell.named)})")


def listing(waiting: list[Approval], now_ns: int) -> str:
    """Return the open requests as a table for people."""
    rows = [
        (one.id, _span(now_ns - one.requested_ns), _span(one.deadline_ns - now_ns), one.intent_id, _asked(one))
        for one in waiting
    ]
    table = Table(("id", "asked", "expires_in", "intent_id", "action"), rows)
    return text_table(table, width=terminal_width()) if rows else "nothing waits for an answer"


def _person(repository: Repository) -> str | None:
    """Return the author that git would give a commit here; None where it knows none."""
    told = (git(repository, "var", "GIT_AUTHOR_IDENT") or b"").decode(errors="replace")
    return told.rpartition(">")[0][: EXCERPT - 1] + ">" if ">" in told else None


def _record(repository: Repository, answer: Approval, now_ns: int) -> None:
    name = derived_id(now_ns, "approval", answer.id, str(answer.requested_ns), answer.state)
    told = {
        "approval_id": answer.id,
        "approved": answer.state == "approved",
        "tool_name": answer.tool_name,
        "code": answer.code,
        "action": answer.action,
        "reason": answer.words,
        "person": _person(repository),
    }
    who, about, vcs = PERSON._replace(session_id=answer.session_id), answer.intent_id, head(repository)
    event = event_by(who, "approval.decided", told, event_id=name, now_ns=now_ns, intent_id=about, vcs=vcs)
    Ledger(repository).append([event])


def _table(shown: list[Approval]) -> Table:
    named = table_of(_FIELDS, shown)
    times = [(rfc3339(one.requested_ns), rfc3339(one.deadline_ns)) for one in shown]
    rows = [(*row, *moments) for row, moments in zip(named.rows, times, strict=True)]
    return Table((*named.columns, "requested_at", "deadline_at"), rows)


def _sentence(one: Approval) -> str:
    if one.state == "rejected":
        return f"{one.id} is rejected: {_asked(one)}; the agent is told so when it asks again"
    until = rfc3339(one.deadline_ns)[:19].replace("T", " ")
    return f"{one.id} is approved: {_asked(one)}; it lets one call through until {until} UTC"


def _asked(one: Approval) -> str:
    named = one.tool_name is None or one.action.startswith(one.tool_name)
    return plain(one.action if named else f"{one.tool_name}: {one.action}")


def _span(nanoseconds: int) -> str:
    """Return a duration in the unit that a person would use.

    >>> _span(95_000_000_000), _span(7_300_000_000_000), _span(-1)
    ('95 s', '2 h', '0 s')
    """
    seconds = max(nanoseconds // 1_000_000_000, 0)
    if seconds < 120:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 7200 else f"{seconds // 3600} h"
