"""`linetrail lineage`: follow a function, class or method through edits, renames and moves."""

import argparse
import re
from contextlib import closing

from linetrail.ledger.repository import Repository, file_path, find, require_ledger
from linetrail.projections.git import target as targets
from linetrail.projections.nodes.versions import named
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.answers.lineage import Symbols
from linetrail.queries.answers.lineage_text import heading, text
from linetrail.queries.arguments import prefixes
from linetrail.queries.arguments.as_of import add_as_of, asked, meta
from linetrail.queries.render.output import add_formats, give

# An id of a definition, or how it begins; fewer signs of this kind, or letters alone, are a name.
_NODE = re.compile(r"(?=.*[0-9])[0-9a-f]{6,}")
_NODES = "select node_id, path, qualified_name from v_nodes where starts_with(node_id, $id) order by node_id limit 7"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "symbol",
        metavar="SYMBOL",
        help="name, Outer.name or PATH:Outer.name, as the work tree or REV has it; or how the id of a node begins",
    )
    parser.add_argument("--rev", metavar="REV", help="the definition as this commit has it; its history ends there")
    add_as_of(parser)
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    """Print the versions of one definition, the last one first."""
    repository = require_ledger(find(args.directory))
    revision = None if args.rev is None else targets.resolve(repository, args.rev)
    symbol, directory = args.symbol, args.directory
    if revision is None and _NODE.fullmatch(symbol):
        symbol, directory = _of_node(repository, symbol) or symbol, repository.root
    with closing(Symbols(repository)) as symbols:
        meant = symbols.meant(symbol, directory=directory, revision=revision)
        until = asked(repository, args)
        with open_tables(repository, until=until) as tables:
            found, versions = symbols.history(tables, meant)
    about = {"symbol": named(meant.place), "node_id": found.node_id, "revision": revision, **meta(until)}
    table = Table(tuple(versions[0]), [tuple(row.values()) for row in versions])
    give(args, table, about, lambda: "\n".join([heading(meant.place, found), *text(versions)]))
    return 0


def _of_node(repository: Repository, node_id: str) -> str | None:
    """Return the place of the definition with this id."""
    with open_tables(repository) as tables:
        found = {node: f"{file_path(path)}:{name}" for node, path, name in tables.ask(_NODES, {"id": node_id}).rows}
    return found.get(prefixes.only(node_id, found, "node"))
