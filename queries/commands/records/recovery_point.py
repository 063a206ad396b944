"""`linetrail recovery-point`: mark the state of the files, for `linetrail restore` to return to."""

import argparse

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.git import target as targets
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.render.output import add_json, give, terminal_width
from linetrail.queries.render.text import counted, plain, text_table, timestamp
from linetrail.queries.restore.recovery_point import MAX_NAME, Point, capture, mark, points

LIST = "list"
COLUMNS = ("point_id", "point_name", "vcs_revision", "paths", "files")
LISTED = (
    *("point_id", "point_name", "occurred_at", "vcs_revision", "files", "paths", "reason"),
    *("session_id", "intent_id", "contributor_type", "event_id"),
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = (
        "Kept are the contents of files that are not as the commit has them, untracked ones among them, on this "
        "machine alone; the commit holds the others. `linetrail restore NAME` goes back."
    )
    parser.add_argument("name", metavar="NAME", help=f"what to call it; `{LIST}` lists what was marked")
    parser.add_argument(
        "--path", dest="paths", action="append", metavar="P", help="only this file or folder; may be repeated"
    )
    parser.add_argument("--session", metavar="S", help="default: the agent's own, where an agent runs this")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Mark the state, or list the recovery points."""
    repository = require_ledger(find(args.directory))
    if args.name == LIST and not args.paths:
        return _list(repository, args)
    name = " ".join(args.name.encode(errors="replace").decode().split())
    if not name or len(name) > MAX_NAME:
        raise UsageError(f"a recovery point needs a name of 1 to {MAX_NAME} characters")
    paths = args.paths and [targets.locate(repository, args.directory, path) for path in args.paths]
    point = capture(repository, name, paths)
    mark(repository, point, args.session)
    row = (point.id, point.name, point.revision, point.paths, [entry._asdict() for entry in point.entries])
    give(args, Table(COLUMNS, [row]), {"root": repository.root}, lambda: "\n".join(_lines(point)))
    return 0


def _list(repository: Repository, args: argparse.Namespace) -> int:
    with open_tables(repository) as tables:
        known = points(tables)[::-1]
    table = Table(LISTED, [tuple(one[name] for name in LISTED) for one in known])
    rows = [
        (one["point_id"], timestamp(one["occurred_at"])[:16], counted(one["files"], "file"), one["point_name"])
        for one in known
    ]
    shown = text_table(Table(("id", "at", "files", "name"), rows), width=terminal_width(), header=False)
    none = "nothing was marked here; linetrail recovery-point NAME marks the state there is"
    give(args, table, {"root": repository.root}, lambda: shown if rows else none)
    return 0


def _lines(point: Point) -> list[str]:
    commit = f"commit {point.revision[:12]} and " if point.revision else ""
    lines = [f"{point.id} {plain(point.name)}: {commit}{counted(len(point.entries), 'file')} beside it"]
    if point.revision is None:
        lines = [f"{point.id} {plain(point.name)}: {counted(len(point.entries), 'file')}"]
    return lines + [f"not kept: {plain(entry.path)} ({entry.omitted})" for entry in point.entries if entry.omitted]
