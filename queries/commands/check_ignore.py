"""`linetrail check-ignore`: which paths need no intent, said the way `git check-ignore` says it."""

import argparse
import os
import sys
from collections.abc import Iterator

from linetrail.ledger.errors import UsageError
from linetrail.ledger.exemptions import NAME, read
from linetrail.ledger.names import protected
from linetrail.ledger.repository import FOLDER, Repository, find, stored_path

NONE_MATCHED = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `check-ignore`."""
    parser.epilog = "Exit status 1 when no path is exempt. A protected path is never exempt."
    parser.add_argument("paths", metavar="PATH", nargs="*", help="file or folder, which need not exist")
    parser.add_argument("-v", "--verbose", action="store_true", help="name file, line and pattern that decide")
    parser.add_argument("--stdin", action="store_true", help="read paths from stdin, one a line")


def run(args: argparse.Namespace) -> int:
    """Print the paths that are exempt; with -v also those that a pattern takes back, as git does."""
    if args.stdin == bool(args.paths):
        raise UsageError("give paths, or --stdin to read them from there")
    repository = find(args.directory)
    exemptions = read(repository.folder)
    if exemptions.problem is not None:
        raise UsageError(f"nothing is exempt: {exemptions.problem}")
    status = NONE_MATCHED
    for path in _asked(args):
        stored, is_dir = _place(repository, args.directory, path)
        rule = None if protected(stored.split("/")) else exemptions.last(stored, is_dir=is_dir)
        if rule is None or (rule.negated and not args.verbose):
            continue
        status = 0
        source = f"{FOLDER}/{NAME}:{rule.line_no}:{_shown(rule.pattern)}\t" if args.verbose else ""
        print(f"{source}{_shown(path)}", flush=args.stdin)
    return status


def _asked(args: argparse.Namespace) -> Iterator[str]:
    if not args.stdin:
        yield from args.paths
        return
    for line in sys.stdin.buffer:
        yield os.fsdecode(line.removesuffix(b"\n"))


def _place(repository: Repository, directory: str, path: str) -> tuple[str, bool]:
    """Return the stored form of a path, links as they are, and whether a folder is meant."""
    here = os.path.realpath(directory)
    full = os.path.normpath(os.path.join(here, path))
    relative = os.path.relpath(full, repository.root)
    if "\0" in path or relative.split(os.sep)[0] in {os.pardir, os.curdir}:
        raise UsageError(f"{_shown(path)} is no path below {repository.root}")
    return stored_path(relative.replace(os.sep, "/")), path.endswith("/") or os.path.isdir(full)


def _shown(text: str) -> str:
    """Return a name the way git prints it where something in it would confuse a terminal or a reader of lines."""
    return stored_path(text) if text.isprintable() else stored_path(f'"{text}').replace("\\042", "", 1)
