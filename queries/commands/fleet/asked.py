"""`linetrail fleet asked URL`: who asked what of a store, in the order in which they did."""

import argparse

from linetrail.projections.tables.table import Table
from linetrail.queries.commands.fleet.store import add_url, url_of
from linetrail.queries.fleet import access, objects
from linetrail.queries.render.output import TABLE, add_formats, print_table


def configure(parser: argparse.ArgumentParser) -> None:
    add_url(parser)
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    """Print the chain of questions; one that is broken ends it with 3."""
    url = url_of(args.url)
    columns = ("number", "at", "who", "query", "parameters", "tiers", "engine", "generation")
    entries = access.entries(objects.open_store(url))
    rows = [tuple(getattr(entry, column) for column in columns) for entry in entries]
    print_table(Table(columns, rows), args.format or TABLE, {"url": url})
    return 0
