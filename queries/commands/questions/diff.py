"""`linetrail diff`: show each line in which two revisions differ, who wrote it, and who deleted it."""

import argparse
import sys

from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.survival.stats import of_range
from linetrail.queries.answers import diff_text
from linetrail.queries.answers.diff import COLUMNS, RANGE, SHALLOW, about, diff, rows
from linetrail.queries.arguments.as_of import add_as_of, asked, meta
from linetrail.queries.render.output import JSON, add_formats, print_rows
from linetrail.queries.render.terminal import coloured


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = (
        "%(prog)s [-h] [--as-of EVENT|TIME|REV] [--json|--csv|--nl|--table] [A..B | A B | A...B | REV] [-- PATH ...]"
    )
    parser.epilog = diff_text.LEGEND
    parser.add_argument("range", metavar="RANGE", nargs="*", help=RANGE)
    add_as_of(parser)
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    repository = require_ledger(find(args.directory))
    until = asked(repository, args)
    found = diff(repository, "..".join(args.range) or None, paths=args.paths, directory=args.directory, until=until)
    if found.cut:
        print(SHALLOW, file=sys.stderr)
    if args.format is None:
        print(diff_text.page(found, colour=coloured(sys.stdout, args.color)))
    else:
        totals = {"totals": dict(of_range(found, "class").totals)} if args.format == JSON else {}
        print_rows(COLUMNS, rows(found.lines()), args.format, {**about(found.sides), **totals, **meta(until)})
    return 0
