"""`linetrail verify`: is everything that was acknowledged still there, byte for byte?"""

import argparse
import sys

from linetrail.ledger.repository import find, require_ledger
from linetrail.ledger.store import Ledger
from linetrail.projections.tables import Table
from linetrail.queries.printing import print_table
from linetrail.queries.render import counted

COLUMNS = ("file", "offset", "code", "message")
DAMAGED = 3


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `verify`."""
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Follow the chain from the first line to the last; one row and exit 3 where it does not hold."""
    repository = require_ledger(find(args.directory))
    ledger = Ledger(repository)
    rows = [(problem.file, problem.offset, problem.code, problem.message) for problem in ledger.problems()]
    if rows or args.format:
        print_table(Table(COLUMNS, rows), args.format, {"root": repository.root})
    if rows:
        print("next: keep a copy of the file; what is before the first offset can be trusted", file=sys.stderr)
        return DAMAGED
    if args.format is None:
        head = ledger.head()
        print(f"ok: {counted(head.seq, 'event')}, each following the one before, up to {head.digest[:12]}")
    return 0
