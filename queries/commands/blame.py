"""`linetrail blame`: who wrote each line of a file, now or at a revision."""

import argparse
import sys

from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.ledger.store import Ledger
from linetrail.ledger.substance import split
from linetrail.projections import target as targets
from linetrail.projections.blame import blame
from linetrail.projections.cut import Cut
from linetrail.projections.lines import Attribution
from linetrail.projections.tables import Table
from linetrail.queries import blame_text
from linetrail.queries.as_of import add_as_of, asked, meta
from linetrail.queries.blame_text import Row
from linetrail.queries.line_ranges import chosen
from linetrail.queries.render import coloured, document

COLUMNS = ("line_no", "text", *Attribution._fields)
EMPTY = "warning: nothing is recorded in this worktree yet, so git alone speaks (linetrail import claude-code)"
LEGEND = (
    "Left of each line: the intent (- where a person wrote it, ? where nobody knows who did), the author, "
    "the session or commit, the day. A name in parentheses is presumed from git; ~ means that people and "
    "agents both had a hand in the line."
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `blame`, named as git names them."""
    parser.epilog = LEGEND
    parser.add_argument("path", metavar="PATH", help="the file, as in the work tree or as of REV")
    parser.add_argument(
        "--rev", metavar="REV", help="the file as this commit has it; what is known of it, --as-of says"
    )
    add_as_of(parser)
    parser.add_argument("-L", dest="ranges", action="append", metavar="A,B", help="only these lines; may be repeated")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON document")
    form.add_argument("--porcelain", action="store_true", help="print what tools that read git's blame understand")
    form.add_argument("--line-porcelain", action="store_true", help="the same, with every header on every line")


def run(args: argparse.Namespace) -> int:
    """Answer for one file."""
    repository = require_ledger(find(args.directory))
    path = targets.locate(repository, args.directory, args.path)
    target = targets.find_target(repository, path, args.rev)
    lines = target.content.split(b"\n")[: len(split(target.content).lines)]
    numbers = chosen(args.ranges, len(lines), target.path) if lines else []
    until = asked(repository, args)
    answer = blame(repository, target, until)
    if answer.cut:
        print("warning: this clone is shallow; lines at its end may be older (git fetch --unshallow)", file=sys.stderr)
    if _nothing_recorded(repository, until):
        print(EMPTY, file=sys.stderr)
    rows = [Row(at, lines[at - 1], answer.attributions[at - 1], answer.git.lines[at - 1]) for at in numbers]
    if args.json:
        table = Table(COLUMNS, [(row.number, row.text, *row.by) for row in rows])
        print(document(table, {"path": target.path, "revision": target.revision, **meta(until)}))
    elif args.porcelain or args.line_porcelain:
        sys.stdout.buffer.write(blame_text.porcelain(rows, answer.git, every_line=args.line_porcelain))
    else:
        colour = coloured(sys.stdout)
        print(blame_text.page(rows, args.path, args.rev, directory=args.directory, colour=colour))
    return 0


def _nothing_recorded(repository: Repository, until: Cut | None) -> bool:
    if until is not None:
        return False  # how much was there is said already
    with Ledger(repository).extent() as extent:
        return not extent.events
