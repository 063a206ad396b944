"""`linetrail check-ignore`: list the paths that need no intent, in the format of `git check-ignore`."""

import argparse
import os
import sys
from collections.abc import Iterator

from linetrail.ledger.errors import UsageError
from linetrail.ledger.paths.ignore_rules import Rule
from linetrail.ledger.paths.names import EXEMPTING, Exemptions, exemptions
from linetrail.ledger.paths.paths import NOT_A_FILE, OUTSIDE, resolve
from linetrail.ledger.repository import FOLDER, Repository, find, stored_path

NONE_MATCHED = 1


def configure(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Exit status 1 when no path is exempt. What nobody may write is never exempt."
    parser.add_argument("paths", metavar="PATH", nargs="*", help="file or folder, which need not exist")
    parser.add_argument("-v", "--verbose", action="store_true", help="name file, line and pattern that decide")
    parser.add_argument("--stdin", action="store_true", help="read paths from stdin, one a line")


def run(args: argparse.Namespace) -> int:
    """Print the exempt paths; with -v also those that a negated pattern excludes, as git does."""
    if args.stdin == bool(args.paths):
        raise UsageError("give paths, or --stdin to read them from there")
    repository = find(args.directory)
    exempt = exemptions(repository.folder)
    if exempt.problem is not None:
        raise UsageError(f"nothing is exempt: {exempt.problem}")
    status = NONE_MATCHED
    for path in _asked(args):
        rule = _rule(repository, exempt, args.directory, path)
        if rule is None or (rule.negated and not args.verbose):
            continue
        status = 0
        source = f"{FOLDER}/{EXEMPTING}:{rule.line_no}:{_shown(rule.pattern)}\t" if args.verbose else ""
        print(f"{source}{_shown(path)}", flush=args.stdin)
    return status


def _asked(args: argparse.Namespace) -> Iterator[str]:
    if not args.stdin:
        yield from args.paths
        return
    for line in sys.stdin.buffer:
        yield os.fsdecode(line.removesuffix(b"\n"))


def _rule(repository: Repository, exempt: Exemptions, directory: str, path: str) -> Rule | None:
    """Return the rule that the gate would apply to a path, or to files in a folder."""
    here = os.path.realpath(directory)
    place = resolve(repository.root, path, cwd=here)
    if place.path is not None:
        return exempt.last(place.path)
    full = os.path.normpath(os.path.join(here, path))
    relative = os.path.relpath(full, repository.root)
    if place.code == OUTSIDE or relative == os.curdir:
        raise UsageError(f"{_shown(path)} is no path below {repository.root}")
    # Of what nobody may write, only folders are of interest.
    return exempt.last(stored_path(relative), is_dir=True) if place.code == NOT_A_FILE else None


def _shown(text: str) -> str:
    """Return a name quoted as git quotes it, where it has control characters."""
    return stored_path(text) if text.isprintable() else stored_path(f'"{text}').replace("\\042", "", 1)
