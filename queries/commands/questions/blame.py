"""`linetrail blame`: who wrote each line of a file or of many, now or at a revision."""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from typing import Any

from linetrail.ledger.errors import UsageError
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.ledger.vcs import git
from linetrail.projections.blame.blame import Answer, Blamer
from linetrail.projections.git import target as targets
from linetrail.projections.git import tracked
from linetrail.projections.git.history import Objects
from linetrail.projections.git.ignored import ignored, standing_files
from linetrail.projections.git.target import Target
from linetrail.projections.lines.lines import DOUBTFUL
from linetrail.projections.tables.cut import Cut
from linetrail.queries.answers.blame_output import Counts, Document, Found, Lines, Pages, Porcelain, Show
from linetrail.queries.answers.blame_text import Row
from linetrail.queries.arguments.as_of import add_as_of, asked, meta
from linetrail.queries.arguments.line_ranges import chosen, needs_git
from linetrail.queries.arguments.moments import since
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
BY = ("intent", "session", "model", "agent", "class")


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
    parser.add_argument("--by", choices=BY, help="count the lines by this; class: what their change is")
    _add_git_flags(parser)
    add_formats(parser, others=PORCELAIN)


def run(args: argparse.Namespace) -> int:
    """Answer for all files that the paths name."""
    if args.by and args.format in PORCELAIN:
        raise UsageError(f"--by counts lines and --{args.format} prints them; ask for one")
    repository = require_ledger(find(args.directory))
    with closing(Objects(repository)) as store:
        reading = _Reading(repository, args, store)
        if reading.several and (args.ranges or args.format in PORCELAIN):
            raise UsageError("-L and --porcelain speak of one file; name one")
        wanted = _wanted(repository, args)
        flags = _flags(repository, args)
        until = asked(repository, args)
        if _nothing_recorded(repository, until):
            print(EMPTY, file=sys.stderr)
        show = _show(args, repository, until, several=reading.several)
        cut = _answer(repository, reading, show, wanted, Blamer(repository, until, flags))
    if cut:
        print("warning: this clone is shallow; lines at its end may be older (git fetch --unshallow)", file=sys.stderr)
    reading.tell_left_out()
    return 0


class _Reading:
    """The files that the paths name, read one after the other."""

    def __init__(self, repository: Repository, args: argparse.Namespace, store: Objects) -> None:
        self._repository, self._args, self._store = repository, args, store
        self._typed: dict[str, str] = {}
        for path in args.paths:
            self._typed.setdefault(targets.locate(repository, args.directory, path), path)
        self._folders = {path for path in args.paths if tracked.is_folder(repository, args.directory, path, args.rev)}
        self._left_out: list[str] = []
        self._empty: list[str] = []
        self.ranges: Sequence[str] | None = args.ranges
        self.several = len(self._typed) > 1 or bool(self._folders)

    def targets(self) -> Iterator[Target]:
        """Yield the files, each once; of a folder, those that have lines."""
        seen = set()
        for found in self._all():
            if isinstance(found, Target) and found.path not in seen:
                seen.add(found.path)
                yield found
            elif not isinstance(found, Target) and found not in self._left_out:
                self._left_out.append(found)

    def _all(self) -> Iterator[Target | str]:
        repository, directory, revision = self._repository, self._args.directory, self._args.rev
        for stored, path in self._typed.items():
            if path in self._folders:
                found = None
                for found in tracked.below(repository, directory, path, revision, self._store):
                    yield found
                if found is None:
                    self._empty.append(path)
            else:
                yield targets.find_target(repository, stored, revision)

    def name(self, target: Target) -> str:
        """Return the name of a file as a person may type it here."""
        if not self.several:
            return str(self._args.paths[0])
        return os.path.relpath(self._repository.absolute(target.path), os.path.realpath(self._args.directory))

    def tell_left_out(self) -> None:
        """Say which files of the folders have no lines, and which folders no files."""
        for path in self._empty:
            print(f"note: no file that git tracks in {plain(path)}", file=sys.stderr)
        if self._left_out:
            names = f"{self._left_out[0]}{', …' if len(self._left_out) > 1 else ''}"
            left = counted(len(self._left_out), "file")
            print(f"note: left out {left} without lines, binary or not on the disk: {names}", file=sys.stderr)


def _answer(
    repository: Repository, reading: _Reading, show: Show, wanted: Callable[[Row], bool], blamer: Blamer
) -> bool:
    """Show every file; return whether a line is only known from where a shallow clone ends."""
    ahead: list[Target] = []

    def read() -> Iterator[Target]:
        for target in reading.targets():
            ahead.append(target)
            yield target

    cut = False
    with blamer:
        for answer in blamer.answers(read()):
            target = ahead.pop(0)
            of = _rows(repository, target, answer, reading.ranges)
            show.add(Found(target.path, reading.name(target), list(filter(wanted, of)), of, answer.git))
            cut |= answer.cut
        show.end()
    return cut


def _rows(repository: Repository, target: Target, answer: Answer, ranges: Sequence[str] | None) -> list[Row]:
    lines = target.content.split(b"\n")
    if not lines[-1]:
        lines.pop()
    if ranges and lines and needs_git(ranges):
        from linetrail.queries.arguments.symbols import as_numbers  # reads the syntax of the file

        ranges = as_numbers(repository, target, ranges)
    if ranges and lines and needs_git(ranges):
        from linetrail.projections.git.ranges import numbers  # starts several processes

        picked = numbers(repository, target, ranges)
    else:
        picked = chosen(ranges, len(lines), target.path) if lines else []
    return [Row(at, lines[at - 1], answer.attributions[at - 1], answer.git.lines[at - 1]) for at in picked]


def _wanted(repository: Repository, args: argparse.Namespace) -> Callable[[Row], bool]:
    """Return which rows are shown. A line that has no date yet is newer than any."""
    moment = None if args.since is None else since(repository, args.since)

    def wanted(row: Row) -> bool:
        if args.ai_only and row.by.contributor_type != "ai":
            return False
        return moment is None or row.by.written_at is None or row.by.written_at >= moment

    return wanted


def _flags(repository: Repository, args: argparse.Namespace) -> list[str]:
    """Return how git is asked: how to follow what was moved, and which commits to look past."""
    files = [*standing_files(repository), *(_list_file(repository, args, name) for name in args.ignore_files)]
    last_reset = max((at for at, name in enumerate(files) if not name), default=-1)
    found = ignored(repository, files[last_reset + 1 :], args.ignore)
    for file, times in found.missing.items():
        left = "1 line names no commit" if times == 1 else f"{times} lines name no commit"
        print(f"warning: {os.path.relpath(file, repository.root)}: {left} of this clone", file=sys.stderr)
    return [*args.following, *found.flags]


def _list_file(repository: Repository, args: argparse.Namespace, name: str) -> str:
    """Return where a list is that a person named: from where they stand, else from the root, as git has it."""
    here = os.path.join(args.directory, name)
    return name and (here if os.path.exists(here) else os.path.join(repository.root, name))


def _show(args: argparse.Namespace, repository: Repository, until: Cut | None, *, several: bool) -> Show:
    def about(found: Found | None) -> Mapping[str, Any]:
        named = {"paths": args.paths} if several or found is None else {"path": found.path}
        revision = None if args.rev is None else targets.resolve(repository, args.rev)
        return {**named, "revision": revision, **meta(until)}

    if args.by:
        from linetrail.queries.answers.blame_groups import FIELDS, Groups

        given = {**about(None), "by": args.by}
        titles = partial(_titles, repository, until) if args.by == "intent" else dict[str, str | None]
        return Counts(Groups(FIELDS[args.by]), titles, args.format, given)
    if args.format == JSON:
        return Document(about, several=several)
    if args.format in PORCELAIN:
        return Porcelain(every_line=args.format == "line-porcelain", quote_high=_quotes_high(repository))
    if args.format is not None:
        return Lines(args.format, several=several)
    return Pages(args.rev, directory=args.directory, colour=coloured(sys.stdout, args.color), several=several)


def _quotes_high(repository: Repository) -> bool:
    """Tell whether this git escapes letters that are not ASCII in names. The last value is what we ask git with."""
    values = (git(repository, "config", "--type=bool", "--get-all", "core.quotePath") or b"").split()[:-1]
    return values[-1:] != [b"false"]


def _titles(repository: Repository, until: Cut | None) -> dict[str, str | None]:
    from linetrail.projections.tables.tables import open_tables  # brings the database

    with open_tables(repository, until=until) as tables:
        return dict(tables.ask("select intent_id, title from intents").rows)


def _nothing_recorded(repository: Repository, until: Cut | None) -> bool:
    if until is not None:
        return False  # how much was there is said already
    with Ledger(repository).extent() as extent:
        return not extent.events


def _add_git_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say how git looks for a commit; their values stand right behind the letter, as for git."""
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
    """Keep each `-M` and `-C`, which mean more when they are repeated."""

    def __call__(self, _: object, namespace: argparse.Namespace, __: object, option: str | None = None) -> None:
        setattr(namespace, self.dest, [*getattr(namespace, self.dest), option])


class _Digit(argparse.Action):
    """Put a digit behind the flag it was written behind: `-M20` is read as `-M -2 -0`."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, _: object, option: str | None = None
    ) -> None:
        following = list(getattr(namespace, self.dest))
        if not following:
            parser.error(f"unrecognized arguments: {option}")
        setattr(namespace, self.dest, [*following[:-1], f"{following[-1]}{str(option)[1:]}"])
