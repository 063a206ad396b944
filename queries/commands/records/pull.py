"""`linetrail pull URL`: take segments out of an object store, or bring repositories into it that never pushed."""

import argparse
import sys

from linetrail.ledger.errors import UsageError, warn_of
from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.tables.table import Table
from linetrail.queries.extras import require_extra
from linetrail.queries.fleet import people
from linetrail.queries.fleet.pull import pull, push_of_clone
from linetrail.queries.render.output import add_json, print_table
from linetrail.queries.render.text import counted

COLUMNS = ("segment", "events")
FROM_COLUMNS = ("repository", "repo_id", "segments", "there")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Keep the segments that the store has of this repository and that are not here, and check that it covers every "
        "checkpoint that was put there. With --from, put the segments that other repositories track into the "
        "store: they are cloned with nothing else of their files."
    )
    parser.add_argument("url", metavar="URL", help="s3://BUCKET/PREFIX, gs://…, az://… or file:///FOLDER")
    parser.add_argument("--check", action="store_true", help="read every object of this repository, and write nothing")
    parser.add_argument(
        "--from", dest="origins", action="append", metavar="REPOSITORY", help="what git can clone; may be repeated"
    )
    parser.add_argument("--people-key", metavar="FILE", help="as of `linetrail push`, for the repositories of --from")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Pull; what is wrong with the store ends it with 3."""
    require_extra("fleet", "pull")
    if args.origins:
        if args.check:
            raise UsageError("--check reads the store, --from writes into it")
        return _run_from(args)
    if args.people_key:
        raise UsageError("--people-key goes with --from: pull alone puts nothing into the store")
    repository = require_ledger(find(args.directory))
    pulled = pull(repository, args.url, check=args.check)
    rows = [(segment.name, segment.events) for segment in pulled.taken]
    if args.format:
        meta = {"root": repository.root, "url": args.url, "repo_id": pulled.repo_id, "here": pulled.here}
        print_table(Table(COLUMNS, rows), args.format, meta)
    else:
        amount = counted(len(rows), "segment")
        print(f"not here: {amount}" if args.check else f"pulled {amount}; {pulled.here:,} were here")
    if rows and not args.check:
        print("next: git add .orchestration/segments", file=sys.stderr)
    warn_of(pulled.damage)
    return 0


def _run_from(args: argparse.Namespace) -> int:
    """Fold repositories into the store, one after another; those without a ledger are said to have none."""
    key = people.read_key(args.people_key) if args.people_key else None
    rows = []
    for origin in args.origins:
        name, pushed = push_of_clone(origin, args.url, key)
        rows.append((name, pushed and pushed.repo_id, len(pushed.sent) if pushed else None, pushed and pushed.there))
        if not args.format:
            print(f"{name}: {counted(len(pushed.sent), 'segment')} pushed" if pushed else f"{name}: no ledger")
    if args.format:
        print_table(Table(FROM_COLUMNS, rows), args.format, {"url": args.url})
    return 0
