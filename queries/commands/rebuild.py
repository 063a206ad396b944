"""`linetrail rebuild`: make every projection anew from the ledger, or find out whether a tracked one is out of date."""

import argparse
import os
import sys

from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.build import MAP, Finding, Row, findings, rebuild
from linetrail.projections.files import INTENT_MAP
from linetrail.projections.tables import Table, open_tables
from linetrail.queries.render import document, plain, text_table


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `rebuild`."""
    parser.add_argument("--full", action="store_true", help="from nothing, without what was kept")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a tracked file is out of date")
    parser.add_argument("--only", metavar="NAME,…", help="these projections alone")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Rebuild or check; the status is 1 when a check found something."""
    repository = require_ledger(find(args.directory))
    only = args.only.split(",") if args.only else None
    rows = rebuild(repository, full=args.full, check=args.check, only=only)
    table = Table(Row._fields, rows)
    print(document(table, {"root": repository.root, "check": args.check}) if args.json else text_table(table))
    if not args.check:
        return 0
    stale = any(row.projection == MAP and row.changed for row in rows)
    if stale:
        file = os.path.relpath(os.path.join(repository.folder, INTENT_MAP), args.directory)
        print(f"{INTENT_MAP} is out of date\nnext: linetrail rebuild --only {MAP} && git add {file}", file=sys.stderr)
    with open_tables(repository, keep=False) as tables:
        found = findings(tables)
    for finding in found:
        print(_sentence(finding), file=sys.stderr)
    return int(stale or bool(found))


def _sentence(finding: Finding) -> str:
    values = ", ".join(f"{name} {plain(value)}" for name, value in finding.first.items())
    return f"check {finding.check}: {finding.rows} {finding.about}; the first: {values}"
