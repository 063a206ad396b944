"""`linetrail export`: what the ledger knows, in the formats of other tools."""

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Callable, Iterator

from linetrail.ledger.errors import LinetrailError, UsageError
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.ledger.vcs import git
from linetrail.projections.diff_sides import is_shallow
from linetrail.projections.tables import Tables, open_tables
from linetrail.queries.exporters import agent_trace, gitai_notes, received
from linetrail.queries.exporters.authored import authored, revisions
from linetrail.queries.importers.gitai_notes import REF, full_ref
from linetrail.queries.render import counted

# Named in the contract, and not built yet.
LATER = ("otlp", "in-toto", "sarif", "parquet", "csv")


class OutputError(LinetrailError):
    """What is to be written cannot be written there."""


class ShallowError(LinetrailError):
    """Which lines a commit brought is not in this clone."""

    hint = "git fetch --unshallow"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `export`."""
    parser.add_argument("format", metavar="FORMAT", help=f"what is to read it: {', '.join(FORMATS)}")
    parser.add_argument(
        "--range",
        metavar="REV..REV",
        help="only these commits, as git means it: main..topic; default: all behind HEAD, and everything that was "
        "imported in this format",
    )
    parser.add_argument(
        "--out",
        metavar="PATH",
        help="a file to write (agent-trace), or a folder with a file for each commit (gitai-notes); default: stdout",
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help=f"attach the notes to their commits in {REF}; those of other tools stay as they are (gitai-notes)",
    )
    parser.add_argument("--ref", metavar="REF", help=f"with --write: this ref instead of {REF}")


def run(args: argparse.Namespace) -> int:
    """Write what there is, and say on stderr how much that was."""
    if args.format not in FORMATS:
        known = f"the formats are {', '.join(FORMATS)}"
        raise UsageError(
            f"{args.format} is not built yet; {known}" if args.format in LATER else f"no format {args.format}; {known}"
        )
    if args.write and args.format != gitai_notes.FORMAT:
        raise UsageError(f"--write is for {gitai_notes.FORMAT}")
    if args.write and args.out is not None:
        raise UsageError("either --write or --out")
    if args.ref is not None and not args.write:
        raise UsageError("--ref goes with --write")
    repository = require_ledger(find(args.directory))
    if repository.git_dir is None:
        raise UsageError(f"{repository.root} is no git repository: there are no commits to tell of")
    commits = revisions(repository, args.range)
    _require_parents(repository, args.range)
    with open_tables(repository) as tables:
        FORMATS[args.format](args, repository, tables, commits)
    return 0


def _require_parents(repository: Repository, wanted: str | None) -> None:
    """Refuse a commit at the end of a shallow clone: all its lines would be its own, and others would be told so."""
    if is_shallow(repository) and revisions(repository, wanted, "--max-parents=0"):
        raise ShallowError("this clone is shallow: which lines its oldest commit brought is not in it")


def _notes(args: argparse.Namespace, repository: Repository, tables: Tables, commits: list[str]) -> None:
    found = gitai_notes.notes(repository, tables, commits, limited=args.range is not None)
    if args.write:
        ref = full_ref(args.ref or REF)
        if git(repository, "check-ref-format", ref) is None:
            raise UsageError(f"{args.ref} is no name of a ref; notes are below refs/notes/, as in --ref ai")
        done = gitai_notes.write(repository, ref, found)
        print(f"{counted(done.written, 'note')} written to {ref}", file=sys.stderr)
        for count, said in (
            (done.there, "there already"),
            (done.kept, "left as another tool wrote it"),
            (done.absent, "left out: the commit is not here"),
        ):
            if count:
                print(f"{said}: {counted(count, 'note')}", file=sys.stderr)
    elif args.out is None:
        for note in found:
            print(_line(note))
    else:
        folder = os.path.join(args.directory, args.out)
        with _writing(folder):
            count = gitai_notes.save(found, folder)
        print(f"{counted(count, 'note')} written to {args.out}", file=sys.stderr)


def _line(note: received.Note) -> str:
    """Return a note as a line of JSON; one that is no UTF-8 has a character for each byte, and says so."""
    try:
        said = {"revision": note.commit, "note": note.content.decode()}
    except UnicodeDecodeError:
        said = {"revision": note.commit, "note": note.content.decode("latin-1"), "encoding": "latin-1"}
    return json.dumps(said, ensure_ascii=False)


def _records(args: argparse.Namespace, repository: Repository, tables: Tables, commits: list[str]) -> None:
    lines = _record_lines(args, repository, tables, commits)
    if args.out is None:
        for line in lines:
            print(line)
        return
    path = os.path.join(args.directory, args.out)
    count = 0
    with _writing(path), open(path, "wb") as file:
        for line in lines:
            file.write(line.encode() + b"\n")
            count += 1
    print(f"{counted(count, 'record')} written to {args.out}", file=sys.stderr)


def _record_lines(
    args: argparse.Namespace, repository: Repository, tables: Tables, commits: list[str]
) -> Iterator[str]:
    """Yield what was imported as it came, unless only some commits are asked for, then our own records."""
    if args.range is None:
        yield from received.records(tables)
    for found in authored(repository, tables, commits):
        for record in agent_trace.records(found):
            yield json.dumps(record, ensure_ascii=False, separators=(",", ":"))


@contextlib.contextmanager
def _writing(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror}") from None


Exporter = Callable[[argparse.Namespace, Repository, Tables, list[str]], None]
# format -> how it is written
FORMATS: dict[str, Exporter] = {agent_trace.FORMAT: _records, gitai_notes.FORMAT: _notes}
