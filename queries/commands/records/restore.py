"""`linetrail restore`: bring back sealed segments that git lost; with a POINT, the files as they were marked."""

import argparse
import sys
from collections.abc import Sequence

from linetrail.ledger.errors import UsageError
from linetrail.ledger.log import segments
from linetrail.ledger.log.segment_history import PLACE
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.git import target as targets
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.render.output import print_table
from linetrail.queries.render.text import counted, plain
from linetrail.queries.restore import text
from linetrail.queries.restore.lost_segments import Found, recover, release
from linetrail.queries.restore.plan import Step, plan
from linetrail.queries.restore.recovery_point import Point, find_point
from linetrail.queries.restore.restore import apply

FINDINGS, DAMAGED = 1, 3
COLUMNS = ("segment", "file", "reason", "source", "restored")
FILE_COLUMNS = ("path", "action", "before_hash", "after_hash", "source", "lost", "blocked", "restored", "diff")
# A clone of one branch has nothing of the others, whatever else it fetches.
_ELSEWHERE = (
    "git fetch origin 'refs/heads/*:refs/remotes/origin/*', then linetrail restore; "
    "or copy it here from another clone: its name is its SHA-256"
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Without POINT, bring back sealed segments of the ledger that a revert, a merge or a deletion took away. With "
        "POINT, bring back the files of the work tree as `linetrail recovery-point` marked them; what is there now is "
        "marked first, so that the way leads back, too."
    )
    parser.add_argument("point", metavar="POINT", nargs="?", help="the name or id of a recovery point")
    parser.add_argument("--dry-run", action="store_true", help="say what would be brought back, and change nothing")
    parser.add_argument(
        "--path", dest="paths", action="append", metavar="P", help="of a point, only this file or folder"
    )
    parser.add_argument(
        "--partial", action="store_true", help="of a point, bring back what can be had although not all can be"
    )
    parser.add_argument(
        "--reflog", action="store_true", help="of segments, bring back what was dropped with commits, too"
    )
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Restore the files of a recovery point, or segments."""
    repository = require_ledger(find(args.directory))
    if args.point is not None:
        if args.reflog:
            raise UsageError("--reflog is about segments, not about the files of a recovery point")
        return _files(repository, args)
    if args.paths or args.partial:
        raise UsageError(
            "--path and --partial are about a recovery point; name one, or see linetrail recovery-point list"
        )
    return _segments(repository, args)


def _files(repository: Repository, args: argparse.Namespace) -> int:
    """Restore the files of a point, or show what would change; return 1 if a file cannot be restored."""
    paths = args.paths and [targets.locate(repository, args.directory, path) for path in args.paths]
    with open_tables(repository) as tables:
        point = find_point(tables, args.point)
        steps = plan(repository, tables, point, paths)
    open_ones = [step for step in steps if not (step.lost or step.blocked)]
    stuck = len(steps) > len(open_ones)
    may = not args.dry_run and bool(open_ones) and (not stuck or args.partial)
    before = apply(repository, point, open_ones) if may else None
    if args.format:
        rows = [_row(step, done=may and step in open_ones, dry_run=args.dry_run) for step in steps]
        meta = {"root": repository.root, "point_id": point.id, "point_name": point.name}
        print_table(Table(FILE_COLUMNS, rows), args.format, meta | {"before_point_id": before and before.id})
    else:
        _tell_files(steps, args, point, before)
    return FINDINGS if stuck else 0


def _row(step: Step, *, done: bool, dry_run: bool) -> tuple[object, ...]:
    before = step.before.hash or None if step.before else None
    difference = text.difference(step) if dry_run else None
    return (*(step.path, step.action, before, step.after_hash), step.source, step.lost, step.blocked, done, difference)


def _tell_files(steps: Sequence[Step], args: argparse.Namespace, point: Point, before: Point | None) -> None:
    if args.dry_run:
        for difference in filter(None, map(text.difference, steps)):
            print(difference)
    stuck = [step for step in steps if step.lost or step.blocked]
    done = [] if before is None and not args.dry_run else [step for step in steps if step not in stuck]
    for line in text.told([*done, *stuck], would=args.dry_run):
        print(line)
    if not steps:
        print(f"every file is as {plain(point.name)} has it")
    if before is not None:
        print(f"{counted(len(done), 'file')} restored; the way back: linetrail restore {before.id}", file=sys.stderr)
    elif stuck and not args.dry_run:
        rest = len(steps) - len(stuck)
        step = (
            f"linetrail restore --partial {point.id} restores the other {rest}"
            if rest
            else "linetrail recovery-point list"
        )
        print(f"nothing was restored: {counted(len(stuck), 'file')} cannot be\nnext: {step}", file=sys.stderr)
    elif args.dry_run and done:
        print(f"next: linetrail restore {point.id}", file=sys.stderr)


def _segments(repository: Repository, args: argparse.Namespace) -> int:
    """Restore segments from git; return 3 if one is still missing."""
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
