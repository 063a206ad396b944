"""`linetrail rebuild`: rebuild every projection from the ledger, or check whether a tracked one is out of date."""

import argparse
import os
import sys

from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.build import MAP, Finding, Row, findings, rebuild
from linetrail.projections.tables.intent_map import INTENT_MAP
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.arguments.as_of import add_as_of, asked, meta
from linetrail.queries.render.output import add_formats, give, terminal_width
from linetrail.queries.render.text import plain, text_table


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--full", action="store_true", help="from nothing, without what was kept")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a tracked file is out of date")
    parser.add_argument("--only", metavar="NAME,…", help="these projections alone")
    add_as_of(parser)
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    """Rebuild or check; the exit status is 1 when a check found something."""
    repository = require_ledger(find(args.directory))
    only = args.only.split(",") if args.only else None
    until = asked(repository, args, keep=not args.check)
    rows = rebuild(repository, full=args.full, check=args.check, only=only, until=until)
    table = Table(Row._fields, rows)
    about = {"root": repository.root, "check": args.check, **meta(until)}
    give(args, table, about, lambda: text_table(table, width=terminal_width()))
    other_map = any(row.projection == MAP and row.changed for row in rows)
    if args.check:
        if other_map:
            print(_out_of_date(repository, args), file=sys.stderr)
        with open_tables(repository, keep=False, until=until) as tables:
            found = findings(tables)
        for finding in found:
            print(_sentence(finding), file=sys.stderr)
        return int(other_map or bool(found))
    if until is not None and other_map:
        print(f"{INTENT_MAP} now tells of {until.meaning}; `linetrail rebuild` brings it up to date", file=sys.stderr)
    return 0


def _out_of_date(repository: Repository, args: argparse.Namespace) -> str:
    if args.as_of is not None:
        return f"{INTENT_MAP} is another as of then"
    file = os.path.relpath(os.path.join(repository.folder, INTENT_MAP), args.directory)
    return f"{INTENT_MAP} is out of date\nnext: linetrail rebuild --only {MAP} && git add {file}"


def _sentence(finding: Finding) -> str:
    values = ", ".join(f"{name} {plain(value)}" for name, value in finding.first.items())
    return f"check {finding.check}: {finding.rows} {finding.about}; the first: {values}"
