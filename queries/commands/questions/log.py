"""`linetrail log`: show what happened, newest first, or with `--follow` what is happening."""

import argparse
import sys
from collections import deque
from collections.abc import Mapping
from typing import Any

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.classify.judgement import AST_REFACTOR, BUG_FIX, INTENT_EVOLUTION, OPTIMIZATION
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.answers.log import Follower, whole
from linetrail.queries.arguments.as_of import add_as_of, asked, meta
from linetrail.queries.ask.ask import answer
from linetrail.queries.render.output import JSON, add_formats, is_for_people, print_rows, print_table, terminal_width
from linetrail.queries.render.terminal import AGENT, DOUBT, PROBLEM, coloured
from linetrail.queries.render.text import short, text_table, with_short_hashes

# Terminals with fewer columns show less of each event.
ROOMY, NARROW = 110, 90
# The options whose values the question takes as they are.
FILTERS = ("intent", "session", "agent", "type", "since", "until", "grep", "limit")
# So much of what happened before `--follow` shows, where `-n` does not say, and so much new columns are aligned with.
BEFORE, ALIGNED = 10, 50

_CLASSES = {AST_REFACTOR: "refactor", INTENT_EVOLUTION: "evolution", BUG_FIX: "fix", OPTIMIZATION: "optimization"}
_FAILED = {"tool.failed", "ledger.lost", "ledger.missed"}
_NOTABLE = {"gate.violation", "ledger.repaired", "ledger.restored"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--intent", metavar="ID", help="only events of this intent; the first characters do")
    parser.add_argument("--session", metavar="ID", help="only this session; the first characters do")
    parser.add_argument("--agent", metavar="NAME", help="only this agent")
    parser.add_argument("--path", metavar="PATH", help="only events that name this file, or one below this folder")
    parser.add_argument("--type", metavar="TYPE", help="only events of this type; `tool` stands for all of `tool.…`")
    parser.add_argument(
        "--since", metavar="TIME", help="from then on: 2026-01-05, 7d, 3 days ago, monday 9:00, last week"
    )
    parser.add_argument("--until", metavar="TIME", help="before then")
    parser.add_argument("--grep", metavar="TEXT", help="only events whose content has this text")
    parser.add_argument("--denied", action="store_true", help="only what was refused")
    parser.add_argument("-n", dest="limit", metavar="COUNT", type=_count, help="at most this many")
    parser.add_argument("--oneline", action="store_true", help="the number, the type and what happened, nothing else")
    parser.add_argument(
        "-f", "--follow", action="store_true", help="oldest first, and go on with what happens from now on"
    )
    add_as_of(parser)
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    if args.follow and (args.as_of or args.until or args.format == JSON):
        raise UsageError("--follow has no end: leave out --as-of and --until, and take --nl instead of --json")
    repository = require_ledger(find(args.directory))
    until = asked(repository, args)
    with open_tables(repository, until=until) as tables:
        chosen = _chosen(repository, tables, args)
        if not args.follow:
            _print(args, answer(tables, "log", **chosen), {"root": repository.root, **_given(chosen), **meta(until)})
            return 0
        follower = Follower(repository, tables)
        limit = BEFORE if args.limit is None else args.limit
        before = answer(tables, "log", **{**chosen, "limit": limit})
    _follow(args, chosen, before, follower)
    return 0


def _chosen(repository: Repository, tables: Tables, args: argparse.Namespace) -> dict[str, Any]:
    given = {name: getattr(args, name) for name in FILTERS}
    return whole(repository, tables, path=args.path, directory=args.directory, denied=args.denied, **given)


def _given(chosen: Mapping[str, Any]) -> dict[str, Any]:
    return {"filters": {name: value for name, value in chosen.items() if value is not None}}


def _print(args: argparse.Namespace, table: Table, about: Mapping[str, object]) -> None:
    if not is_for_people(args):
        print_table(table, args.format, about)
        return
    page = _short(table) if args.oneline else _page(table, terminal_width())
    tones = _tones(table) if coloured(sys.stdout, args.color) else None
    print(text_table(page, width=terminal_width(), tones=tones))
    if not table.rows:
        print("no rows", file=sys.stderr)


def _follow(args: argparse.Namespace, chosen: Mapping[str, Any], before: Table, follower: Follower) -> None:
    """Print the last events, then new ones until the reader stops it."""
    show = _Shown(args, before.columns)
    show.add(before)
    for tables, after in follower.news():
        newest = answer(tables, "log", **{**chosen, "limit": None, "after": after})
        show.add(newest)


class _Shown:
    """The events printed so far, oldest first: new ones are aligned with them."""

    def __init__(self, args: argparse.Namespace, columns: tuple[str, ...]) -> None:
        self._args, self._columns = args, columns
        self._last: deque[tuple[Any, ...]] = deque(maxlen=ALIGNED)
        self._begun = False

    def add(self, newest_first: Table) -> None:
        rows = list(reversed(newest_first.rows))
        if is_for_people(self._args):
            self._print_lines(rows)
        else:
            print_rows(self._columns, rows, self._args.format, {}, header=not self._begun)
        self._begun = True
        sys.stdout.flush()

    def _print_lines(self, rows: list[tuple[Any, ...]]) -> None:
        table = Table(self._columns, [*self._last, *rows])
        page = _short(table) if self._args.oneline else _page(table, terminal_width())
        tones = _tones(table) if coloured(sys.stdout, self._args.color) else None
        heading, *lines = text_table(page, width=terminal_width(), tones=tones).split("\n")
        for line in [*([] if self._begun else [heading]), *lines[len(self._last) :]]:
            print(line)
        self._last.extend(rows)


def _tones(table: Table) -> list[str | None]:
    """Return a colour for each event: failed or refused, questioned, or done by an agent."""
    return [_tone(event) for event in table.mappings()]


def _tone(event: Mapping[str, Any]) -> str | None:
    if event["verdict"] == "deny" or event["type"] in _FAILED:
        return PROBLEM
    if event["verdict"] == "ask" or event["type"] in _NOTABLE:
        return DOUBT
    return AGENT if event["contributor_type"] == "ai" else None


def _page(table: Table, width: int | None) -> Table:
    """Return the columns that fit a terminal: a narrow one has no agent, year and seconds."""
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
            "session": event["session_id"] and short(event["session_id"]),
            "agent": event["agent_name"],
            "intent": event["intent_id"],
            "class": _class(event),
            "event": event["type"],
            "what": _what(event),
        }
        rows.append(tuple(said[column] for column in columns))
    return Table(tuple(columns), rows)


def _class(event: Mapping[str, Any]) -> str | None:
    """Return the class of a change in one word; formatting and comments are told apart."""
    if event["class"] == AST_REFACTOR and event["label"] in ("formatting", "comment"):
        return str(event["label"])
    return _CLASSES.get(event["class"])


def _short(table: Table) -> Table:
    rows = [(event["seq"], event["type"], _what(event)) for event in table.mappings()]
    return Table(("seq", "event", "what"), rows)


def _what(event: Mapping[str, Any]) -> str:
    said, path = event["summary"] or "", event["path"] or ""
    words = (event["verdict"], said, "" if path in said else path)
    return with_short_hashes(" ".join(dict.fromkeys(filter(None, words))))


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number of events")
    return int(text)
