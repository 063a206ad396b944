"""`linetrail decisions`: list the decisions, show one in full, or those behind a line."""

import argparse
from collections.abc import Callable, Mapping
from typing import Any

from linetrail.ledger.knowledge.decision import STATUSES
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.git import target as targets
from linetrail.projections.lines.decision_lines import Governed
from linetrail.projections.lines.states import ranges
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.answers.decisions import COLUMNS, Record, decision, decisions, governing, table
from linetrail.queries.arguments.as_of import add_as_of, asked, meta
from linetrail.queries.render.output import add_formats, add_verb, give, terminal_width
from linetrail.queries.render.text import plain, text_table, timestamp

VERBS = {
    "list": "list what was decided, newest first",
    "show": "show one decision: why, what it replaced, which ways were not taken, and where its lines are now",
    "at": "show the decisions that govern a line or a file, wherever their lines were when it was decided",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of `decisions`; without one it lists."""
    verbs = parser.add_subparsers(dest="verb", metavar="VERB")
    parser.set_defaults(verb=None)
    _filters(parser)
    for verb, about in VERBS.items():
        sub = add_verb(verbs, verb, about)
        if verb == "list":
            _filters(sub)
        elif verb == "show":
            sub.add_argument("id", metavar="ID", help="an id or its first characters")
            _common(sub)
        else:
            sub.add_argument("place", metavar="PATH[:LINE]", help="a file of the work tree, or a line of it")
            _common(sub)


def run(args: argparse.Namespace) -> int:
    repository = require_ledger(find(args.directory))
    until = asked(repository, args)
    answer: Callable[[Repository, Tables, argparse.Namespace], tuple[Table, str]] = {
        "show": _show,
        "at": _at,
    }.get(args.verb, _list)
    with open_tables(repository, until=until) as tables:
        rows, text = answer(repository, tables, args)
    give(args, rows, {"root": repository.root, **meta(until)}, lambda: text)
    return 0


def _filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--status", choices=STATUSES, help="only those that stand so")
    parser.add_argument("--intent", metavar="ID", help="only those made for this intent")
    parser.add_argument("--path", metavar="P", help="only those that name this file")
    _common(parser)


def _common(parser: argparse.ArgumentParser) -> None:
    add_as_of(parser)
    add_formats(parser)


def _list(repository: Repository, tables: Tables, args: argparse.Namespace) -> tuple[Table, str]:
    path = None if args.path is None else targets.locate(repository, args.directory, args.path)
    chosen = decisions(tables, status=args.status, intent_id=args.intent, path=path)
    if not chosen:
        return table([]), "nothing was decided here" + (" that fits" if args.status or args.intent or path else "")
    rows = [
        (one["decision_id"], timestamp(one["occurred_at"])[:10], one["status"], one["intent_id"], one["title"])
        for one in chosen
    ]
    shown = Table(("id", "day", "status", "intent", "title"), rows)
    return table(chosen), text_table(shown, width=terminal_width(), header=False)


def _show(repository: Repository, tables: Tables, args: argparse.Namespace) -> tuple[Table, str]:
    found = decision(repository, tables, args.id)
    row = (*table([found]).rows[0], found["now"])
    return Table((*COLUMNS, "now"), [row]), "\n".join(_page(found))


def _at(repository: Repository, tables: Tables, args: argparse.Namespace) -> tuple[Table, str]:
    name, _, number = args.place.rpartition(":")
    if not name or not number.isdecimal():
        name, number = args.place, ""
    path = targets.locate(repository, args.directory, name)
    found = governing(repository, tables, path, int(number) if number else None)
    rows = [(*table([one.decision]).rows[0], path, ranges(one.lines), one.lines.get(int(number or 0))) for one in found]
    text = "\n".join(_governing(path, one) for one in found)
    return Table((*COLUMNS, "path", "governs", "how"), rows), text or f"no decision is about {plain(args.place)}"


def _page(decision: Record) -> list[str]:
    recorded = f"{decision['contributor_type']}, {timestamp(decision['occurred_at'])}, event {decision['event_id']}"
    facts = [
        ("status", decision["status"]),
        ("why", decision["rationale"]),
        ("replaces", decision["supersedes_id"]),
        ("replaced", decision["superseded_by_id"]),
        *(("rejected", _way(way)) for way in decision["alternatives"]),
        ("intent", decision["intent_id"]),
        ("session", decision["session_id"]),
        *(("lines", place) for place in decision["lines"]),
        *(("now", f"{place['path']}:{place['lines']}") for place in decision["now"]),
        ("recorded", recorded),
    ]
    heading = f"{decision['decision_id']}  {plain(decision['title'])}"
    return [heading, *(f"  {name:<10}{plain(text)}" for name, text in facts if text)]


def _way(way: Mapping[str, Any]) -> str:
    return f"{way['option']}: {way['why_rejected']}" if way.get("why_rejected") else str(way["option"])


def _governing(path: str, one: Governed) -> str:
    status = one.decision["status"]
    by = f" by {one.decision['superseded_by_id']}" if one.decision["superseded_by_id"] else ""
    title, place = plain(one.decision["title"]), plain(f"{path}:{ranges(one.lines)}")
    return f"{one.decision['decision_id']}  {status}{by}  {place}  {title}"
