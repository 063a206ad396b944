"""`linetrail stats`: how many lines people and agents wrote and deleted, in a range or in all that is tracked."""

import argparse
import sys

from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.ledger.vcs import head
from linetrail.projections.git.diff_sides import Sides, asked_paths, commit, sides
from linetrail.projections.git.target import TargetError
from linetrail.projections.survival.diff_lines import difference
from linetrail.projections.survival.stats import BY, Counted, held, of_range, of_tree, tree
from linetrail.projections.tables.cut import Cut
from linetrail.projections.tables.progress import working
from linetrail.queries.answers import stats_text
from linetrail.queries.arguments.as_of import add_as_of, asked, meta
from linetrail.queries.commands.questions.diff import RANGE, SHALLOW, about
from linetrail.queries.render.output import add_formats, give


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `stats`."""
    parser.usage = (
        "%(prog)s [-h] [--by WHAT] [--rev REV] [--as-of EVENT|TIME|REV] [--json|--csv|--nl|--table]\n"
        "            [RANGE] [-- PATH ...]"
    )
    parser.epilog = stats_text.LEGEND
    parser.add_argument("range", metavar="RANGE", nargs="?", help=RANGE.rpartition(";")[0])
    parser.add_argument("--by", choices=BY, default="class", help="what to count by, beside the kind of author")
    parser.add_argument("--rev", metavar="REV", help="without a range: all that this commit holds, instead of HEAD")
    add_as_of(parser)
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    """Print the counts."""
    repository = require_ledger(find(args.directory))
    if args.range is None:
        revision = _committed(repository, args.rev)
        between = Sides(revision, revision)
    elif args.rev is None:
        between = sides(repository, args.range)
    else:
        raise TargetError("give a range or --rev, not both", f"linetrail stats {args.range}")
    paths = asked_paths(repository, between, args.directory, args.paths)
    until = asked(repository, args)
    if args.range is None:
        counted = _whole(repository, between, paths, args.by, until)
        said = {"revision": between.after}
    else:
        found = difference(repository, between, paths, until)
        if found.cut:
            print(SHALLOW, file=sys.stderr)
        counted, said = of_range(found, args.by), about(between)
    page = stats_text.of_tree if args.range is None else stats_text.of_range
    totals = {"by": args.by, "totals": dict(counted.totals)}
    give(args, counted.table, {**said, **totals, **meta(until)}, lambda: page(counted))
    return 0


def _committed(repository: Repository, text: str | None) -> str:
    if text is not None:
        return commit(repository, text)
    now = head(repository)
    if now is None or now.revision is None:
        raise TargetError(f"nothing is committed yet in {repository.root}", "linetrail diff")
    return now.revision


def _whole(repository: Repository, between: Sides, paths: list[str], by: str, until: Cut | None) -> Counted:
    files = tree(repository, between.after or "", paths)
    with working("blaming", sum(file.size for file in files)) as advance:
        return of_tree(held(repository, between.after or "", files, until, advance), by)
