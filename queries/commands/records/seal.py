"""`linetrail seal`: move recorded events into segments that git can carry.

What is recorded cannot be changed any more, so where a second opinion on secrets is wanted it is asked for before. What
agents changed is judged before, too: the contents are here alone as long as they are not committed.
"""

import argparse
import os
import subprocess
import sys

from linetrail.ledger.errors import GitError
from linetrail.ledger.log import segments
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import FOLDER, Repository, find, git, require_ledger
from linetrail.projections.tables.intent_map import INTENT_MAP
from linetrail.projections.tables.table import Table
from linetrail.queries.record import intent_map, leaks, thoughts
from linetrail.queries.record.seal import catch_up, remember
from linetrail.queries.render.output import print_table
from linetrail.queries.render.text import counted
from linetrail.queries.work import leases

COLUMNS = ("segment", "events", "file")
# Somebody waits, perhaps with a commit.
MAP_SECONDS = 5.0
_MAP = f"{FOLDER}/{INTENT_MAP}"


def configure(parser: argparse.ArgumentParser) -> None:
    staging = "git add all segments and the map, too; what the pre-commit hook does"
    parser.add_argument("--stage", action="store_true", help=staging)
    parser.add_argument("--no-leaks", dest="leaks", action="store_false", help="seal whatever betterleaks says")
    parser.add_argument(
        "--no-classify", dest="classify", action="store_false", help="leave changes unjudged that are not judged yet"
    )
    parser.add_argument("--json", dest="format", action="store_const", const="json", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Seal; having nothing to seal is no error."""
    repository = require_ledger(find(args.directory))
    # before the second opinion on secrets: judgements leave with the rest
    unfinished = not args.classify or catch_up(repository)
    thoughts.catch_up(repository)
    if args.leaks and _must_stay(repository):
        return 1
    made = Ledger(repository).seal()
    leases.release(repository, lambda lease: lease.worktree == repository.root)
    if not unfinished:
        remember(repository)
    intent_map.follow(repository, seconds=MAP_SECONDS)
    rows = [(segment.name, segment.events, _file(segment.name)) for segment in made]
    if args.stage and segments.names(repository.folder) and not _is_partial():
        _stage(repository.root, os.path.join(repository.folder, segments.SEGMENTS))
        if git(repository, "ls-files", "--", _MAP):
            _stage(repository.root, os.path.join(repository.root, _MAP))
    if args.format:
        print_table(Table(COLUMNS, rows), args.format, {"root": repository.root})
    else:
        for _, events, file in rows:
            print(f"sealed {counted(events, 'event')} into {file}")
        if not rows and not args.stage:
            print("nothing to seal")
    return 0


def _must_stay(repository: Repository) -> bool:
    """Print what looks like a secret in unsealed lines, and return whether that prevents sealing."""
    wanted = leaks.wanted(repository)
    found = [leak for lines in leaks.leaving(repository) for leak in leaks.found(lines)] if wanted != leaks.OFF else []
    for leak in found:
        print(f"warning: event {leak.event_id}, {leak.field}: looks like a secret ({leak.rule})", file=sys.stderr)
    if not found or wanted != leaks.REFUSE:
        return False
    print("nothing was sealed\nnext: revoke the secret, then `linetrail seal --no-leaks`", file=sys.stderr)
    return True


def _stage(root: str, path: str) -> None:
    """Add a file, or what is in a folder, to git's index, in a hook to the index of the calling git.

    A hook of git is told the repository in the environment; without its root git would take any folder for that.
    """
    where = ["--work-tree", root] if "GIT_DIR" in os.environ else ["-C", root]
    try:
        done = subprocess.run(["git", *where, "add", "--", path], capture_output=True, text=True, check=False)
    except OSError as error:
        raise GitError(f"git does not run: {error.strerror}") from None
    if done.returncode:
        raise GitError(f"git add {path}: {done.stderr.strip()}")


def _is_partial() -> bool:
    """Return whether git commits named paths only: additions to that index are lost afterwards."""
    return os.path.basename(os.environ.get("GIT_INDEX_FILE", "")).startswith("next-index")


def _file(name: str) -> str:
    return f"{FOLDER}/{segments.SEGMENTS}/{name}.jsonl"
