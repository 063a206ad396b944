"""`linetrail stats`: count the lines that people and agents wrote and deleted, in a range or in all tracked files."""

import argparse
import sys

from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.git.target import TargetError
from linetrail.projections.survival.stats import BY
from linetrail.queries.answers.diff import RANGE, SHALLOW, about
from linetrail.queries.answers.stats import LEGEND, range_page, stats_of_range, stats_of_tree, tree_page
from linetrail.queries.arguments.as_of import add_as_of, asked, meta
from linetrail.queries.render.output import add_formats, give


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = (
        "%(prog)s [-h] [--by WHAT] [--rev REV] [--as-of EVENT|TIME|REV] [--json|--csv|--nl|--table]\n"
        "            [RANGE] [-- PATH ...]"
    )
    parser.epilog = LEGEND
    parser.add_argument("range", metavar="RANGE", nargs="?", help=RANGE.rpartition(";")[0])
    parser.add_argument("--by", choices=BY, default="class", help="what to count by, beside the kind of author")
    parser.add_argument("--rev", metavar="REV", help="without a range: all that this commit holds, instead of HEAD")
    add_as_of(parser)
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    repository = require_ledger(find(args.directory))
    if args.range is not None and args.rev is not None:
        raise TargetError("give a range or --rev, not both", f"linetrail stats {args.range}")
    until = asked(repository, args)
    answer, text = (stats_of_tree, args.rev) if args.range is None else (stats_of_range, args.range)
    found = answer(repository, text, by=args.by, paths=args.paths, directory=args.directory, until=until)
    if found.cut:
        print(SHALLOW, file=sys.stderr)
    said = {"revision": found.sides.after} if args.range is None else about(found.sides)
    page = tree_page if args.range is None else range_page
    totals = {"by": args.by, "totals": dict(found.counted.totals)}
    give(args, found.counted.table, {**said, **totals, **meta(until)}, lambda: page(found.counted))
    return 0
