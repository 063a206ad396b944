"""`linetrail blame`: show who wrote each line of one or more files, now or at a revision."""

import argparse
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from typing import Any

from linetrail.ledger.errors import UsageError
from linetrail.ledger.log import segments
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository, find, git, require_ledger
from linetrail.projections.git import target as targets
from linetrail.projections.git.history import Objects
from linetrail.projections.git.ignored import ignored, standing_files
from linetrail.projections.lines.attribution import DOUBTFUL
from linetrail.projections.tables.prefix import Cut
from linetrail.queries.answers.blame import Files, Found, Row, blame
from linetrail.queries.answers.blame_output import FIELDS, Counts, Document, Lines, Pages, Porcelain, Show
from linetrail.queries.arguments.as_of import add_as_of, asked, meta
from linetrail.queries.render.output import JSON, add_formats
from linetrail.queries.render.terminal import coloured
from linetrail.queries.render.text import counted, plain

EMPTY = "warning: nothing is recorded in this worktree yet, so git alone speaks (linetrail try)"
LEGEND = (
    "Left of each line: the intent (- where a person wrote it, ? where nobody knows who did), the author, "
    "the session or commit, the day. A name in parentheses is presumed from git; one with ? behind it is recorded, "
    f"but doubtful (confidence below {DOUBTFUL:g}); ~ means that people and agents both had a hand in the line."
)
PORCELAIN = {
    "porcelain": "print what tools that read git's blame understand",
    "line-porcelain": "the same, with every header on every line",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `blame`, named as git names them."""
    parser.epilog = LEGEND
    parser.add_argument(
        "paths", metavar="PATH", nargs="+", help="a file, as in the work tree or as of REV; a folder: its tracked files"
    )
    parser.add_argument(
        "--rev", metavar="REV", help="the file as this commit has it; what is known of it, --as-of says"
    )
    add_as_of(parser)
    parser.add_argument(
        "-L",
        dest="ranges",
        action="append",
        metavar="A,B",
        help="only these lines: A,B or A,+N or :FUNCTION (:Class.method) or /PATTERN/,B as git has it; may be repeated",
    )
    parser.add_argument("--ai-only", action="store_true", help="only lines that an agent wrote")
    parser.add_argument(
        "--since",
        metavar="TIME",
        help="only lines changed since then: 2026-01-05, 7d, 2.weeks; what has no date counts",
    )
    parser.add_argument("--by", choices=FIELDS, help="count the lines by this; class: what their change is")
    _add_git_flags(parser)
    add_formats(parser, others=PORCELAIN)


def run(args: argparse.Namespace) -> int:
    """Print the lines of all files that the paths name."""
    if args.by and args.format in PORCELAIN:
        raise UsageError(f"--by counts lines and --{args.format} prints them; ask for one")
    repository = require_ledger(find(args.directory))
    with closing(Objects(repository)) as store:
        files = Files(repository, args.directory, args.paths, args.rev, store)
        if files.several and (args.ranges or args.format in PORCELAIN):
            raise UsageError("-L and --porcelain speak of one file; name one")
        wanted = _wanted(repository, args)
        flags = _flags(repository, args)
        until = asked(repository, args)
        if _nothing_recorded(repository, until):
            print(EMPTY, file=sys.stderr)
        show, cut = _show(args, repository, until, several=files.several), False
        for found in blame(repository, files, until=until, ranges=args.ranges, flags=flags, wanted=wanted):
            show.add(found)
            cut |= found.cut
        show.end()
    if cut:
        print("warning: this clone is shallow; lines at its end may be older (git fetch --unshallow)", file=sys.stderr)
    _tell_left_out(files)
    return 0


def _tell_left_out(files: Files) -> None:
    """Print which files in folders have no lines, and which folders have no files."""
    for path in files.empty:
        print(f"note: no file that git tracks in {plain(path)}", file=sys.stderr)
    if files.left_out:
        names = f"{files.left_out[0]}{', …' if len(files.left_out) > 1 else ''}"
        left = counted(len(files.left_out), "file")
        print(f"note: left out {left} without lines, binary or not on the disk: {names}", file=sys.stderr)


def _wanted(repository: Repository, args: argparse.Namespace) -> Callable[[Row], bool]:
    """Return a function that says whether to show a row; a line without a date counts as new."""
    moment = None
    if args.since is not None:
        from linetrail.queries.arguments.moments import since  # most ask for all lines

        moment = since(repository, args.since)

    def wanted(row: Row) -> bool:
        if args.ai_only and row.by.contributor_type != "ai":
            return False
        return moment is None or row.by.written_at is None or row.by.written_at >= moment

    return wanted


def _flags(repository: Repository, args: argparse.Namespace) -> list[str]:
    """Return the flags for git: how to follow moves, and which commits to ignore."""
    files = [*standing_files(repository), *(_list_file(repository, args, name) for name in args.ignore_files)]
    last_reset = max((at for at, name in enumerate(files) if not name), default=-1)
    found = ignored(repository, files[last_reset + 1 :], args.ignore)
    for file, times in found.missing.items():
        left = "1 line names no commit" if times == 1 else f"{times} lines name no commit"
        print(f"warning: {os.path.relpath(file, repository.root)}: {left} of this clone", file=sys.stderr)
    return [*args.following, *found.flags]


def _list_file(repository: Repository, args: argparse.Namespace, name: str) -> str:
    """Return the path of an ignore list: from the working directory, else from the root, as in git."""
    here = os.path.join(args.directory, name)
    return name and (here if os.path.exists(here) else os.path.join(repository.root, name))


def _show(args: argparse.Namespace, repository: Repository, until: Cut | None, *, several: bool) -> Show:
    def about(found: Found | None) -> Mapping[str, Any]:
        named = {"paths": args.paths} if several or found is None else {"path": found.path}
        revision = None if args.rev is None else targets.resolve(repository, args.rev)
        return {**named, "revision": revision, **meta(until)}

    if args.by:
        given = {**about(None), "by": args.by}
        titles = partial(_titles, repository, until) if args.by == "intent" else dict[str | None, str | None]
        return Counts(FIELDS[args.by], titles, args.format, given)
    if args.format == JSON:
        return Document(about, several=several)
    if args.format in PORCELAIN:
        return Porcelain(every_line=args.format == "line-porcelain", quote_high=_quotes_high(repository))
    if args.format is not None:
        return Lines(args.format, several=several)
    return Pages(args.rev, directory=args.directory, colour=coloured(sys.stdout, args.color), several=several)


def _quotes_high(repository: Repository) -> bool:
    """Return whether git quotes non-ASCII names; the last value is the one that we set ourselves."""
    values = (git(repository, "config", "--type=bool", "--get-all", "core.quotePath") or b"").split()[:-1]
    return values[-1:] != [b"false"]


def _titles(repository: Repository, until: Cut | None) -> dict[str | None, str | None]:
    from linetrail.projections.tables.tables import open_tables  # brings the database

    with open_tables(repository, until=until) as tables:
        return dict(tables.ask("select intent_id, title from intents").rows)


def _nothing_recorded(repository: Repository, until: Cut | None) -> bool:
    if until is not None or segments.names(repository.folder):
        return False  # how much was there is said already, and a segment is never empty
    with Ledger(repository).extent() as extent:
        return not extent.events


def _add_git_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that steer git's search; a value follows its letter directly, as in git."""
    parser.add_argument("-w", action="store_true", help="pass over changes of white space: always done")
    for letter, help_text in (
        ("-M", "find lines moved or copied within the file as git does, N letters and digits at least"),
        ("-C", "the same out of other files; twice or three times, of more of them"),
    ):
        parser.add_argument(letter, dest="following", action=_Following, nargs=0, default=[], help=help_text)
    digits = [f"-{digit}" for digit in range(10)]
    parser.add_argument(*digits, dest="following", action=_Digit, nargs=0, help=argparse.SUPPRESS)
    parser.add_argument("--ignore-rev", dest="ignore", metavar="REV", action="append", default=[], help="look past it")
    parser.add_argument(
        "--ignore-revs-file",
        dest="ignore_files",
        metavar="FILE",
        action="append",
        default=[],
        help="look past the commits it lists, as past those of .git-blame-ignore-revs and blame.ignoreRevsFile",
    )


class _Following(argparse.Action):
    """Collect every `-M` and `-C`: repeating them widens the search."""

    def __call__(self, _: object, namespace: argparse.Namespace, __: object, option: str | None = None) -> None:
        setattr(namespace, self.dest, [*getattr(namespace, self.dest), option])


class _Digit(argparse.Action):
    """Append a digit to the flag before it: argparse reads `-M20` as `-M -2 -0`."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, _: object, option: str | None = None
    ) -> None:
        following = list(getattr(namespace, self.dest))
        if not following:
            parser.error(f"unrecognized arguments: {option}")
        setattr(namespace, self.dest, [*following[:-1], f"{following[-1]}{str(option)[1:]}"])
