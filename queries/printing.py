"""Print an answer the way it was asked for: a table for people, or one of the formats for programs."""

import argparse
import shutil
import sys
from collections.abc import Mapping

from linetrail.projections.tables import Table
from linetrail.queries.render import comma_separated, document, json_lines, text_table


def add_formats(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose a format, of which one may be given."""
    formats = parser.add_mutually_exclusive_group()
    for name, about in (
        ("json", "print one JSON document"),
        ("csv", "print CSV"),
        ("nl", "print one JSON object per row"),
        ("table", "print aligned columns, which is what happens anyway"),
    ):
        formats.add_argument(f"--{name}", dest="format", action="store_const", const=name, help=about)


def print_table(table: Table, chosen: str | None, meta: Mapping[str, object]) -> None:
    """Print a table in the chosen format; tell a person who would see nothing but a heading that it is empty."""
    if chosen == "json":
        print(document(table, meta))
    elif chosen == "csv":
        print(comma_separated(table))
    elif chosen == "nl":
        if table.rows:
            print(json_lines(table))
    else:
        print(text_table(table, width=terminal_width()))
        if not table.rows:
            print("no rows", file=sys.stderr)


def terminal_width() -> int | None:
    """Return how much fits a line; None where nobody looks at a terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None
