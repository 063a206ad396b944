"""`linetrail report`: write the answers into one HTML file that needs nothing else."""

import argparse
import sys

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import find, require_ledger
from linetrail.queries.arguments.as_of import add_as_of, asked
from linetrail.queries.extras import require_extra
from linetrail.queries.render.output import write_answer
from linetrail.queries.render.text import counted

MEGABYTE = 1_000_000
STDOUT = "-"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar="FILE", help="the file to write; `-` and default: stdout")
    parser.add_argument("--max-mb", type=int, default=10, metavar="N", help="how large it may be (default: 10)")
    add_as_of(parser)


def run(args: argparse.Namespace) -> int:
    """Write the report, and say what is not in it."""
    if args.max_mb < 1:
        raise UsageError(f"--max-mb is 1 or more, not {args.max_mb}")
    require_extra("page", "report")
    from linetrail.queries.page.report import report  # it brings the templates

    repository = require_ledger(find(args.directory))
    found = report(repository, args.max_mb * MEGABYTE, asked(repository, args))
    write_answer(None if args.out == STDOUT else args.out, args.directory, found.text)
    if found.shed:
        print(f"note: not all fits into {args.max_mb} MB; left out: {found.shed}", file=sys.stderr)
    if found.left_out:
        print(f"note: {counted(len(found.left_out), 'page')} left out; the report lists them", file=sys.stderr)
    return 0
