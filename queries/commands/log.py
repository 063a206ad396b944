"""`linetrail log`: what happened, newest first."""

import argparse
from collections.abc import Mapping
from typing import Any

from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections import target
from linetrail.projections.changes.claims import AST_REFACTOR, BUG_FIX, INTENT_EVOLUTION, OPTIMIZATION
from linetrail.projections.tables import Table, open_tables
from linetrail.queries.as_of import add_as_of, asked, meta
from linetrail.queries.ask import answer
from linetrail.queries.printing import add_formats, print_table, terminal_width

# Terminals with fewer columns show less of each event.
ROOMY, NARROW = 110, 90
# The options whose values the question takes as they are.
FILTERS = ("intent", "session", "agent", "type", "since", "until", "grep", "limit")

_CLASSES = {AST_REFACTOR: "refactor", INTENT_EVOLUTION: "evolution", BUG_FIX: "fix", OPTIMIZATION: "optimization"}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `log`."""
    parser.add_argument("--intent", metavar="ID", help="only events of this intent")
    parser.add_argument("--session", metavar="ID", help="only this session; the first characters do")
    parser.add_argument("--agent", metavar="NAME", help="only this agent")
    parser.add_argument("--path", metavar="PATH", help="only events that name this file, or one below this folder")
    parser.add_argument("--type", metavar="TYPE", help="only events of this type; `tool` stands for all of `tool.…`")
    parser.add_argument("--since", metavar="TIME", help="from then on: 2026-01-05, 7d, last week")
    parser.add_argument("--until", metavar="TIME", help="before then")
    parser.add_argument("--grep", metavar="TEXT", help="only events whose content has this text")
    parser.add_argument("-n", dest="limit", metavar="COUNT", type=_count, help="at most this many")
    parser.add_argument("--oneline", action="store_true", help="the number, the type and what happened, nothing else")
    add_as_of(parser)
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    """Print the events that the options choose."""
    repository = require_ledger(find(args.directory))
    chosen = {name: getattr(args, name) for name in FILTERS} | {"path": _stored(repository, args)}
    until = asked(repository, args)
    with open_tables(repository, until=until) as tables:
        table = answer(tables, "log", **chosen)
    if args.format in {None, "table"}:
        print_table(_short(table) if args.oneline else _page(table, terminal_width()), None, {})
    else:
        given = {name: value for name, value in chosen.items() if value is not None}
        print_table(table, args.format, {"root": repository.root, "filters": given, **meta(until)})
    return 0


def _page(table: Table, width: int | None) -> Table:
    """Leave out what a narrow terminal has no room for: first the agent, then the year and the seconds."""
    moment = "%Y-%m-%d %H:%M:%S" if width is None or width >= NARROW else "%m-%d %H:%M"
    columns = ["seq", "time (UTC)", "session", "agent", "intent", "event", "what"]
    if any(event["class"] for event in table.mappings()):
        columns.insert(columns.index("event"), "class")
    if width is not None and width < ROOMY:
        columns = [column for column in columns if column not in ("agent", "class")]
    rows = []
    for event in table.mappings():
        said = {
            "seq": event["seq"],
            "time (UTC)": event["timestamp"] and format(event["timestamp"], moment),
            "session": event["session_id"] and event["session_id"][:8],
            "agent": event["agent_name"],
            "intent": event["intent_id"],
            "class": _class(event),
            "event": event["type"],
            "what": _what(event),
        }
        rows.append(tuple(said[column] for column in columns))
    return Table(tuple(columns), rows)


def _class(event: Mapping[str, Any]) -> str | None:
    """Return what a change was judged to be in one word; a harmless one may be layout or comments alone."""
    if event["class"] == AST_REFACTOR and event["label"] in ("formatting", "comment"):
        return str(event["label"])
    return _CLASSES.get(event["class"])


def _short(table: Table) -> Table:
    rows = [(event["seq"], event["type"], _what(event)) for event in table.mappings()]
    return Table(("seq", "event", "what"), rows)


def _what(event: Mapping[str, Any]) -> str:
    words = (event["verdict"], event["summary"], event["path"])
    return " ".join(dict.fromkeys(filter(None, words)))


def _stored(repository: Repository, args: argparse.Namespace) -> str | None:
    """Return the path as the ledger spells it."""
    if args.path is None:
        return None
    path = target.locate(repository, args.directory, args.path)
    return None if path == "." else path


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number of events")
    return int(text)
