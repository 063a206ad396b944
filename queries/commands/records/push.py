"""`linetrail push URL`: put sealed segments into an object store that many repositories share."""

import argparse
import os
import sys

from linetrail.ledger.log.store import TAIL
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.tables.table import Table
from linetrail.queries.extras import require_extra
from linetrail.queries.fleet import people
from linetrail.queries.fleet.push import Pushed, push
from linetrail.queries.render.output import add_json, print_table
from linetrail.queries.render.text import counted

COLUMNS = ("segment", "events")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Put every sealed segment that the store does not have into it, then a checkpoint of all of them. A second "
        "run, two at once and one that broke off do no harm. This and `pull` are the commands that use the network."
    )
    parser.add_argument("url", metavar="URL", help="s3://BUCKET/PREFIX, gs://…, az://… or file:///FOLDER")
    parser.add_argument(
        "--people-key",
        metavar="FILE",
        help="the organisation's key: say who recorded each segment, by a pseudonym",
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be put there, and change nothing")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Push, and print what the store did not have; having nothing to push is no error."""
    require_extra("fleet", "push")
    repository = require_ledger(find(args.directory))
    key = people.read_key(args.people_key) if args.people_key else None
    pushed = push(repository, args.url, dry_run=args.dry_run, people_key=key)
    if args.format:
        rows = [(segment.name, segment.events) for segment in pushed.sent]
        meta = {"root": repository.root, "url": args.url, "repo_id": pushed.repo_id}
        print_table(Table(COLUMNS, rows), args.format, meta | {"there": pushed.there, "head": pushed.head})
    else:
        print(_said(pushed, dry_run=args.dry_run))
    _say_what_waits(repository)
    return 0


def _said(pushed: Pushed, *, dry_run: bool) -> str:
    if not pushed.sent and not pushed.there:
        return "nothing to push: nothing is sealed"
    if not pushed.sent:
        return f"nothing to push: the store has all {counted(pushed.there, 'segment')}"
    events = sum(segment.events for segment in pushed.sent)
    sent = f"{counted(len(pushed.sent), 'segment')} with {counted(events, 'event')}"
    return f"{'would push' if dry_run else 'pushed'} {sent}; the store had {pushed.there:,} before"


def _say_what_waits(repository: Repository) -> None:
    tail = os.path.join(repository.folder, TAIL)
    if os.path.exists(tail) and os.path.getsize(tail):
        print(f"what waits in {TAIL} is not in it\nnext: linetrail seal, then linetrail push", file=sys.stderr)
