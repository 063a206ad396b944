"""`linetrail lineage`: what became of one function, class or method, through edits, renames and moves."""

import argparse
from contextlib import closing

from linetrail.ledger.repository import find, require_ledger
from linetrail.projections import target as targets
from linetrail.projections.nodes.versions import named
from linetrail.projections.tables import Table, open_tables
from linetrail.queries.as_of import add_as_of, asked, meta
from linetrail.queries.node_rows import heading, text
from linetrail.queries.printing import add_formats, give
from linetrail.queries.symbols import Symbols


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `lineage`."""
    parser.add_argument(
        "symbol", metavar="SYMBOL", help="name, Outer.name or PATH:Outer.name, as the work tree or REV has it"
    )
    parser.add_argument("--rev", metavar="REV", help="the definition as this commit has it; its history ends there")
    add_as_of(parser)
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    """Print the versions of one definition, the last one first."""
    repository = require_ledger(find(args.directory))
    revision = None if args.rev is None else targets.resolve(repository, args.rev)
    with closing(Symbols(repository)) as symbols:
        meant = symbols.meant(args.symbol, directory=args.directory, revision=revision)
        until = asked(repository, args)
        with open_tables(repository, until=until) as tables:
            found, versions = symbols.history(tables, meant)
    about = {"symbol": named(meant.place), "node_id": found.node_id, "revision": revision, **meta(until)}
    table = Table(tuple(versions[0]), [tuple(row.values()) for row in versions])
    give(args, table, about, lambda: "\n".join([heading(meant.place, found), *text(versions)]))
    return 0
