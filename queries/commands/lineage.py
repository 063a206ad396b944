"""`linetrail lineage`: what became of one function, class or method, through edits, renames and moves."""

import argparse
from contextlib import closing
from functools import partial

from linetrail.ledger.repository import find, require_ledger
from linetrail.projections import target as targets
from linetrail.projections.history import Objects
from linetrail.projections.nodes.indexed import Indexed
from linetrail.projections.nodes.lineage import lineage
from linetrail.projections.nodes.versions import named
from linetrail.projections.tables import Table, open_tables
from linetrail.queries.as_of import add_as_of, asked, meta
from linetrail.queries.node_rows import heading, rows, text
from linetrail.queries.render import document
from linetrail.queries.symbols import meant


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `lineage`."""
    parser.add_argument(
        "symbol", metavar="SYMBOL", help="name, Outer.name or PATH:Outer.name, as the work tree or REV has it"
    )
    parser.add_argument("--rev", metavar="REV", help="the definition as this commit has it; its history ends there")
    add_as_of(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Print the versions of one definition, the last one first."""
    repository = require_ledger(find(args.directory))
    revision = None if args.rev is None else targets.resolve(repository, args.rev)
    with closing(Objects(repository)) as store, closing(Indexed(repository)) as indexed:
        place, target = meant(repository, store, indexed, args.symbol, directory=args.directory, revision=revision)
        until = asked(repository, args)
        with open_tables(repository, until=until) as tables:
            found = lineage(repository, tables, store, indexed, place, target)
            versions = rows(found, partial(store.shows_agent, recorded_on=tables.records.agents_on()))
    if args.json:
        about = {"symbol": named(place), "node_id": found.node_id, "revision": revision, **meta(until)}
        print(document(Table(tuple(versions[0]), [tuple(row.values()) for row in versions]), about))
    else:
        print("\n".join([heading(place, found), *text(versions)]))
    return 0
