"""`linetrail status`: show intents, sessions, uncommitted agent lines and the health of the ledger on one screen."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.tables.table import Table
from linetrail.queries.answers.status import Status, status
from linetrail.queries.arguments.as_of import add_as_of, asked, meta
from linetrail.queries.record.intent_record import notice
from linetrail.queries.render.output import add_formats, give, terminal_width
from linetrail.queries.render.terminal import AGENT, DOUBT, PROBLEM, coloured, painted
from linetrail.queries.render.text import UNKNOWN, counted, plain, short, text_table

# How much of each list fits one screen.
SHOWN = 5


def configure(parser: argparse.ArgumentParser) -> None:
    add_as_of(parser)
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    repository = require_ledger(find(args.directory))
    until = asked(repository, args)
    if until is None:
        notice(repository)
    seen = status(repository, until)
    table = Table(Status._fields, [seen])
    colour = coloured(sys.stdout, args.color)
    give(args, table, {"root": repository.root, **meta(until)}, lambda: "\n".join(_screen(seen, colour=colour)))
    return 0


def _screen(seen: Status, *, colour: bool) -> Iterator[str]:
    doubt, problem, agent = (DOUBT, PROBLEM, AGENT) if colour else (None, None, None)
    last = f", last {_time(seen.last_event_at)} UTC" if seen.last_event_at else ""
    yield f"ledger     {counted(seen.events, 'event')}{last}, head {seen.ledger_head[:12]}"
    if seen.damage:
        yield painted(f"damage     {plain(seen.damage)} (linetrail verify)", problem)
    if seen.spooled or seen.quarantined:
        waiting = f"{seen.spooled} in the spool, {seen.quarantined} in quarantine"
        yield painted(f"waiting    {waiting} (linetrail doctor)", doubt)
    if seen.uncommitted:
        yield f"intent     {plain(seen.selected_intent or 'none is selected')}"
        written = seen.uncommitted["agent_lines"]
        yield painted(f"to commit  {_uncommitted(seen.uncommitted)}", agent if written else None)
    if seen.registry_error:
        yield painted(f"intents    cannot be read: {plain(seen.registry_error)}", problem)
    yield from _list("active intents", map(_intent, seen.intents or ()))
    yield from _list("open sessions", map(_session, seen.open_sessions))
    yield from _list("recent writes by agents", map(_write, seen.recent_writes))


def _uncommitted(uncommitted: Mapping[str, int]) -> str:
    least = "at least " if uncommitted["files_left_out"] else ""
    lines, files = counted(uncommitted["agent_lines"], "line"), counted(uncommitted["files"], "file")
    return f"{least}{lines} by agents, in {files} they wrote to"


def _intent(intent: Mapping[str, Any]) -> tuple[Any, ...]:
    reached = intent.get("criteria")
    far = f"{reached['passed']} of {reached['checked']} checks passed" if reached else ""
    return intent["intent_id"], intent["status"], intent["name"], far


def _session(session: Mapping[str, Any]) -> tuple[Any, ...]:
    prompts = counted(session["prompts"], "prompt")
    return short(session["session_id"]), session["agent_name"], prompts, f"last {_time(session['last_event_at'])}"


def _write(write: Mapping[str, Any]) -> tuple[Any, ...]:
    added, deleted = plain(write["lines_added"]), plain(write["lines_deleted"])
    when, size = _time(write["occurred_at"]), f"+{added} -{deleted}"
    return write["seq"], when, write["agent_name"], write["intent_id"], size, write["path"]


def _list(title: str, rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    found = list(rows)
    if not found:
        return
    yield f"\n{title}" + (f" (the last {SHOWN} of {len(found)})" if len(found) > SHOWN else "")
    table = Table(("",) * len(found[0]), found[:SHOWN])
    width = terminal_width()
    shown = text_table(table, width=width and width - 2, header=False)
    yield from (f"  {line}" for line in shown.splitlines())


def _time(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}" if moment else UNKNOWN
