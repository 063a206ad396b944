"""`linetrail restore`: bring back segments that a revert, a merge or a deletion took away."""

import argparse
import sys

from linetrail.ledger import segments
from linetrail.ledger.lineage import PLACE
from linetrail.ledger.repository import find, require_ledger
from linetrail.projections.tables import Table
from linetrail.queries.printing import print_table
from linetrail.queries.recovery import Found, recover, release
from linetrail.queries.render import counted

DAMAGED = 3
COLUMNS = ("segment", "file", "reason", "source", "restored")
# A clone of one branch has nothing of the others, whatever else it fetches.
_ELSEWHERE = (
    "git fetch origin 'refs/heads/*:refs/remotes/origin/*', then linetrail restore; "
    "or copy it here from another clone: its name is its SHA-256"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `restore`."""
    parser.add_argument("--dry-run", action="store_true", help="say what would be brought back, and change nothing")
    parser.add_argument("--reflog", action="store_true", help="bring back what was dropped with commits, too")
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Look in the index and in every commit that git knows; exit 3 where a segment is not here afterwards."""
    repository = require_ledger(find(args.directory))
    found = recover(repository, keep=not args.dry_run, dropped=args.reflog)
    release(repository)
    if args.format:
        rows = [
            (
                segment.name,
                segments.path(repository.folder, segment.name),
                segment.reason,
                segment.source,
                not args.dry_run and segment.source is not None,
            )
            for segment in found
        ]
        print_table(Table(COLUMNS, rows), args.format, {"root": repository.root})
    else:
        _tell(found, would=args.dry_run)
    return DAMAGED if any(args.dry_run or segment.source is None for segment in found) else 0


def _tell(found: list[Found], *, would: bool) -> None:
    done = "would restore" if would else "restored"
    back = [segment for segment in found if segment.source is not None]
    lost = [segment for segment in found if segment.source is None]
    for segment in back:
        print(f"{done} {PLACE}/{segment.name}.jsonl from {segment.source}")
    for segment in lost:
        print(f"not found: {PLACE}/{segment.name}.jsonl ({segment.reason})")
    if not found:
        print("nothing is missing")
    if back:
        step = "linetrail restore" if would else f"git add {PLACE} && git commit"
        print(f"{counted(len(back), 'segment')} found\nnext: {step}", file=sys.stderr)
    if lost:
        print(f"{counted(len(lost), 'segment')} found nowhere\nnext: {_ELSEWHERE}", file=sys.stderr)
