"""`linetrail verify`: check that everything acknowledged is still there, byte for byte."""

import argparse
import os
import sys
import textwrap
from collections.abc import Iterator

from linetrail.ledger.errors import UsageError
from linetrail.ledger.log import checkpoint, signed_notes
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.tables.inspection import Problem
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.verification import Report, examine
from linetrail.queries.render.output import add_formats, print_table, terminal_width
from linetrail.queries.render.text import counted, folded, plain
from linetrail.queries.restore.git_check import against_git, base_branch, next_step
from linetrail.queries.restore.lost_segments import release

# How wide a block is that tells of a problem.
_WIDTH = 80
COLUMNS = ("file", "offset", "code", "message", "next")
DAMAGED = 3


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--full", action="store_true", help="read every segment, also those that were sound before")
    parser.add_argument("--strict", action="store_true", help="look at git, too: nothing may ever have gone from it")
    parser.add_argument("--base", metavar="REV", help="with --strict: the branch whose segments must all be here")
    parser.add_argument(
        "--checkpoint", metavar="FILE", help="a checkpoint that was kept elsewhere must be covered, too"
    )
    parser.add_argument("--key", metavar="KEY", help="the public key that the checkpoint must be signed with")
    add_formats(parser)


def run(args: argparse.Namespace) -> int:
    """Check everything; print a row for each problem, and exit with 3 if there is one."""
    if args.base is not None and not args.strict:
        raise UsageError("--base needs --strict")
    if args.key is not None and args.checkpoint is None:
        raise UsageError("--key needs --checkpoint FILE")
    repository = require_ledger(find(args.directory))
    report = examine(repository, full=args.full)
    release(repository)
    base = base_branch(repository, args.base) if args.strict else None
    problems = [*report.problems, *_against_checkpoint(args, report)]
    if args.strict:
        problems += against_git(repository, report.sound, base)
    meta: dict[str, object] = {"root": repository.root, "events": report.events, "segments": len(report.sound)}
    meta |= {
        "base": base,
        "read": report.read,
        "repeated": report.repeated,
        "lost": report.lost,
        "unknown": report.unknown,
    }
    if args.format is None:
        for problem in problems:
            print("\n".join(_block(repository, problem)))
        _talk(report, problems)
    else:
        print_table(Table(COLUMNS, [(*problem, next_step(problem)) for problem in problems]), args.format, meta)
    if args.strict:
        print(
            f"compared with {base}" if base else "compared with no base branch: name it with --base REV",
            file=sys.stderr,
        )
    return DAMAGED if problems else 0


def _against_checkpoint(args: argparse.Namespace, report: Report) -> list[Problem]:
    """Return what differs from the checkpoint of `--checkpoint`."""
    if args.checkpoint is None:
        return []
    try:
        with open(args.checkpoint, "rb") as file:
            content = file.read(signed_notes.MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read the checkpoint {args.checkpoint}: {error.strerror}") from None
    verifier = signed_notes.read_verifier(args.key) if args.key is not None else None
    return [
        Problem.of(error) for error in checkpoint.judge(content, report.sound, file=args.checkpoint, verifier=verifier)
    ]


def _block(repository: Repository, problem: Problem) -> Iterator[str]:
    """Yield the code and place of a problem, then its message in lines that fit."""
    place = os.path.relpath(problem.file, repository.root) if os.path.isabs(problem.file) else problem.file
    yield f"{problem.code}  {plain(place)}, byte {problem.offset:,}"
    yield from textwrap.wrap(plain(problem.message), _WIDTH, initial_indent="  ", subsequent_indent="  ")


def _talk(report: Report, problems: list[Problem]) -> None:
    """Print the result for a person, and further facts on stderr."""
    if problems:
        for step in dict.fromkeys(map(next_step, problems)):
            print(f"next: {step}", file=sys.stderr)
    else:
        sealed = f" in {counted(len(report.sound), 'segment')} and the tail" if report.sound else ""
        end = f", each following the one before, up to {report.tail.digest[:12]}" if report.tail.seq else ""
        print(folded(f"ok: {counted(report.events, 'event')}{sealed}{end}", terminal_width()))
    if report.repeated:
        print(f"{counted(report.repeated, 'line')} repeat an event of another branch: it counts once", file=sys.stderr)
    if report.lost:
        print(f"lost before it was sealed, as the ledger says: {counted(report.lost, 'line')}", file=sys.stderr)
    if report.unknown:
        print(f"{counted(report.unknown, 'event')} hold what only a newer linetrail knows", file=sys.stderr)
