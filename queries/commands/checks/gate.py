"""`linetrail gate`: show which agents are stopped and which requests are open, and let agents continue."""

import argparse
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from linetrail.ledger.event.event import rfc3339
from linetrail.ledger.gate import approvals, breaker, guarded_files, policy
from linetrail.ledger.gate.approvals import Approval
from linetrail.ledger.gate.breaker import Standing
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.commands.checks.approve import listing
from linetrail.queries.record.author import PERSON, append, require_person
from linetrail.queries.render.output import add_formats, add_verb, give, print_table, terminal_width
from linetrail.queries.render.text import plain, text_table
from linetrail.queries.setup.agent_hooks import floor
from linetrail.queries.setup.place import project

RECENT = "-n 50 HEAD"


class _Row(NamedTuple):
    """An open `breaker`, or an `approval` that is pending."""

    kind: str
    name: str
    state: str
    session_id: str | None
    intent_id: str | None
    failures: int | None
    until_at: str | None
    reason: str | None
    action: str | None


def configure(parser: argparse.ArgumentParser) -> None:
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for verb, about in (
        ("status", "tell who has to stop for now, and what waits for a person"),
        ("reset", "let those go on who had to stop; only a person can"),
        ("reconcile", "name what commits changed and no hook ever saw; status 1 where an agent had a hand in it"),
    ):
        sub = add_verb(verbs, verb, about)
        add_formats(sub)
        if verb == "reconcile":
            sub.add_argument("revisions", metavar="RANGE", nargs="*", help=f"as git log takes it (default: {RECENT})")
        if verb == "reset":
            sub.add_argument("--session", metavar="S", help="this session (default: every session and intent)")
            sub.add_argument("--intent", metavar="ID", help="this intent")


def run(args: argparse.Namespace) -> int:
    repository = require_ledger(find(args.directory))
    return {"reset": _reset, "status": _status, "reconcile": _reconcile}[args.verb](repository, args)


def _reconcile(repository: Repository, args: argparse.Namespace) -> int:
    from linetrail.projections.computed.reconciliation import (  # the database, for this verb alone
        Unrecorded,
        unrecorded,
    )

    with open_tables(repository) as tables:
        rows = list(unrecorded(repository, tables.ask, args.revisions or RECENT.split()))
    if args.format is not None:
        print_table(Table(Unrecorded._fields, rows), args.format, {"range": args.revisions or RECENT.split()})
    elif rows:
        shown = [(row.revision[:10], row.author, row.op, row.path, "agent" if row.shows_agent else "") for row in rows]
        print(text_table(Table(("commit", "author", "op", "path", "signs of"), shown), width=terminal_width()))
    else:
        print("every committed content was seen")
    return int(any(row.shows_agent for row in rows))


def _status(repository: Repository, args: argparse.Namespace) -> int:
    now_ns = time.time_ns()
    standings, waiting = breaker.standings(repository, now_ns), approvals.pending(repository, now_ns)
    if args.format is not None:
        rows = [*map(_breaker_row, standings), *map(_approval_row, waiting)]
        print_table(Table(_Row._fields, rows), args.format, _mode(repository))
        return 0
    print(_mode_line(_mode(repository)))
    print(_breakers([one for one in standings if one.state != "closed"]))
    print(listing(waiting, now_ns))
    return 0


def _reset(repository: Repository, args: argparse.Namespace) -> int:
    require_person("let an agent go on")
    named: list[str | None] = [breaker.session(args.session)] if args.session else []
    named += [breaker.intent(args.intent)] if args.intent else []
    _record(repository, [name for name in named if name], args.intent)
    policy.unpin(repository)
    guarded_files.forget_changes(repository)
    closed = sorted({key for name in named or [None] for key in breaker.reset(repository, name)})
    said = f"may go on: {', '.join(map(plain, closed))}" if closed else "nobody had to stop"
    give(args, Table(("name",), [(key,) for key in closed]), {}, lambda: said)
    return 0


def _record(repository: Repository, asked: list[str], intent_id: str | None) -> None:
    """Append that a person lets agents continue, before that takes effect."""
    names = asked or [one.key for one in breaker.standings(repository, time.time_ns()) if one.key]
    append(repository, PERSON, "gate.reset", {"names": names}, intent_id, key=("gate reset",))


def _mode(repository: Repository) -> dict[str, Any]:
    """Return the mode of the gate, what sets it, and the codes with a mode of their own."""
    held = policy.of(repository, floor(project(repository)))
    codes = {code: held.mode_for(code) for code in sorted(held.settings.codes)}
    source = f"${policy.VARIABLE}" if held.told else policy.SHARED
    if policy.of(repository).mode != held.mode:
        source = f"the installed hooks; no settings in {policy.SHARED} state a mode"
    if held.pinned and not held.told:
        source = "pinned: the settings were changed while an agent's call ran; `linetrail gate reset` lets them count"
    return {"mode": held.mode, "source": source, "codes": codes, "error": held.settings_error or held.registry_error}


def _mode_line(mode: Mapping[str, Any]) -> str:
    codes = "".join(f"; {plain(code)}: {what}" for code, what in mode["codes"].items())
    error = f"\ncannot be read: {plain(mode['error'])}" if mode["error"] else ""
    return f"mode: {mode['mode']} ({mode['source']}){codes}{error}"


def _breakers(stopped: list[Standing]) -> str:
    rows = [
        (one.key, one.state, one.failures, one.until_ns and rfc3339(one.until_ns)[:19].replace("T", " "), one.reason)
        for one in stopped
    ]
    table = Table(("breaker", "state", "failures", "until", "reason"), rows)
    return text_table(table, width=terminal_width()) if rows else "nobody has to stop"


def _breaker_row(one: Standing) -> _Row:
    kind, _, name = (one.key or "").partition(":")
    until = None if one.until_ns is None else rfc3339(one.until_ns)
    session_id, intent_id = (name, None) if kind == "session" else (None, name)
    return _Row("breaker", one.key or "", one.state, session_id, intent_id, one.failures, until, one.reason, None)


def _approval_row(one: Approval) -> _Row:
    until = rfc3339(one.deadline_ns)
    return _Row("approval", one.id, one.state, one.session_id, one.intent_id, None, until, one.reason, one.action)
