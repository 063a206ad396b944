"""`linetrail fleet charter`: what a store of many repositories keeps, for those whose work it is."""

import argparse

from linetrail.projections.tables.table import Table
from linetrail.queries.fleet import charter
from linetrail.queries.fleet.groups import PEOPLE
from linetrail.queries.render.output import add_json, print_table


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Write down what is kept of people and of their work, why, for how long, from which number of people on groups "
        "are counted, and which questions there are. All of it comes from the tables themselves, and nothing is asked."
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the charter, or a row for each column."""
    if args.format:
        print_table(Table(charter.COLUMNS, charter.rows()), args.format, {"people": PEOPLE})
    else:
        print(charter.text(), end="")
    return 0
