"""`linetrail import`: read sessions of agents, older ledgers, notes on commits and trailers in them into the ledger."""

import argparse
import contextlib
import functools
import os
import sys
from collections.abc import Iterator

from linetrail.ledger.adapters.claude_code import NAME as CLAUDE
from linetrail.ledger.errors import StorageError, UsageError
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.projections.tables.table import Table
from linetrail.queries.commands.records.import_sources import SOURCES, TALKS, WORDS
from linetrail.queries.doctor.old_ledger import old_ledgers, require_place
from linetrail.queries.importers import matching
from linetrail.queries.importers.discovery import own_transcripts, projects_folder, transcripts
from linetrail.queries.importers.histories import entire
from linetrail.queries.importers.histories.sources import SOURCES as HISTORIES
from linetrail.queries.importers.notes import gitai_notes, trailers
from linetrail.queries.importers.older import agent_trace
from linetrail.queries.importers.sink import Import, Report
from linetrail.queries.record import thoughts
from linetrail.queries.render.output import terminal_width
from linetrail.queries.render.text import counted, document, plain, text_table

# After so many events somebody would wait for the first question.
MANY = 2_000
COLUMNS = ("source", "path", "read", "imported", "duplicates", "rejected", "reasons", "skipped", "repeated")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source", choices=SOURCES, metavar="SOURCE", help=f"what wrote the records: {', '.join(SOURCES)}"
    )
    default = (
        f"this repository's sessions where the agent keeps them, its older ledgers, its {gitai_notes.REF}, its "
        "checkpoints or commits"
    )
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        default=[],
        help=(
            "sessions of agents, ledgers, notes named after their commits, folders of these, branches of checkpoints "
            f"(default: {default})"
        ),
    )
    parser.add_argument(
        "--ref", metavar="REF", help=f"notes of this ref instead of {gitai_notes.REF} ({gitai_notes.SOURCE})"
    )
    parser.add_argument(
        "--thoughts",
        action="store_true",
        help="record excerpts of what agents thought, too; the same as `thoughts: record` in config.yaml",
    )
    parser.add_argument(
        "--range",
        metavar="REV..REV",
        help=f"only these commits, as git means it; default: all behind HEAD ({trailers.SOURCE})",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="say what would be imported, and whose edits are in which commits; write nothing",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    repository = find(args.directory)
    if args.ref is not None and args.source != gitai_notes.SOURCE:
        raise UsageError(f"--ref is for {gitai_notes.SOURCE}")
    if args.range is not None and args.source != trailers.SOURCE:
        raise UsageError(f"--range is for {trailers.SOURCE}")
    if args.thoughts and args.source not in TALKS:
        raise UsageError(f"--thoughts is for {', '.join(TALKS)}")
    if not args.dry_run:
        require_ledger(repository)
    require_place(repository)
    _refuse_damaged(Ledger(repository))
    paths = PATHS[args.source](args, repository)
    wants_thoughts = args.source in TALKS and (args.thoughts or thoughts.wanted(repository))
    into = Import(repository, Ledger(repository), dry_run=args.dry_run, thoughts=wants_thoughts)
    try:
        report, found = _tried(args.source, into, paths) if args.dry_run else (SOURCES[args.source](paths, into), None)
    except KeyboardInterrupt:
        if not args.dry_run:
            print("interrupted: what was imported stays, and the same command goes on from there", file=sys.stderr)
        raise
    if args.json:
        print(_document(args.source, report, found, dry_run=args.dry_run))
    else:
        if found is not None and found.rows:
            print(text_table(found, width=terminal_width()))
        print("\n".join(_lines(args.source, report, dry_run=args.dry_run)), flush=True)
    if report.events.total() >= MANY and not args.dry_run:
        _prepare(repository)
    return int(_nothing_could_be_read(report))


def _prepare(repository: Repository) -> None:
    """Work out the tables that a question about lines reads, where the cache can be written."""
    from linetrail.projections.tables.tables import open_tables  # it brings the database

    with contextlib.suppress(StorageError), open_tables(repository) as tables:
        tables.make(("line_hashes", "mutation_files"))


def _tried(source: str, into: Import, paths: list[str]) -> tuple[Report, Table | None]:
    """Return what would be imported, and what of it is found in the repository, as far as that can be said."""
    if source in TALKS:
        return matching.matched(into, functools.partial(SOURCES[source], paths))
    return SOURCES[source](paths, into), _matches(into.repository, paths) if source == trailers.SOURCE else None


def _refuse_damaged(ledger: Ledger) -> None:
    """Raise if the ledger is damaged: nothing behind an altered line can be trusted."""
    for problem in ledger.problems():
        raise problem


def chosen(args: argparse.Namespace, repository: Repository) -> list[str]:
    """Return the named transcripts, else this repository's own; print a note if there are none."""
    named = [os.path.join(args.directory, path) for path in args.paths]
    found = transcripts(named) if named else own_transcripts(repository)
    if not found:
        print(f"no transcripts in {' '.join(named) or projects_folder()}", file=sys.stderr)
    return found


def _histories(args: argparse.Namespace, repository: Repository) -> list[str]:
    """Return the named histories, else the agent's own for this repository; print a note if there are none."""
    source = HISTORIES[args.source]
    named = [os.path.join(args.directory, path) for path in args.paths]
    found = source.listed(named) if named else source.kept(repository)
    if not found:
        where = " ".join(named) or f"the places where {args.source} keeps its sessions"
        print(f"no sessions of this repository in {where}", file=sys.stderr)
    return found


def _checkpoints(args: argparse.Namespace, repository: Repository) -> list[str]:
    """Return the named checkpoint branches, else all of them; print a note if there are none."""
    found = entire.refs(repository, args.paths)
    if not found:
        print(f"no checkpoints; those of a remote:  {entire.fetching('REMOTE')}", file=sys.stderr)
    return found


def _ledgers(args: argparse.Namespace, repository: Repository) -> list[str]:
    """Return the named older ledgers, else those of this repository; raise for the ledger itself."""
    named = [os.path.join(args.directory, path) for path in args.paths]
    found = (
        transcripts(named) if named else [os.path.join(repository.root, old.path) for old in old_ledgers(repository)]
    )
    own = os.path.realpath(Ledger(repository).path)
    if any(os.path.realpath(path) == own for path in found):
        raise UsageError(f"{own} is the ledger itself, not an older one")
    if not found:
        print(f"no older ledger in {' '.join(named) or repository.root}", file=sys.stderr)
    return found


def _notes(args: argparse.Namespace, repository: Repository) -> list[str]:
    """Return the named refs and files of notes, else the ref that git-ai writes."""
    files = gitai_notes.note_files(os.path.join(args.directory, path) for path in args.paths)
    if args.paths and args.ref is None:
        return files
    ref = gitai_notes.full_ref(args.ref or gitai_notes.REF)
    if gitai_notes.has_notes(repository, ref):
        return [*files, ref]
    if args.ref is not None:
        raise UsageError(f"no notes in {ref}")
    files += gitai_notes.refs(repository)
    if files:
        return files
    print(f"no notes in {ref}; `git fetch REMOTE {ref}:{ref}` brings those of a remote", file=sys.stderr)
    return files


def _ranges(args: argparse.Namespace, repository: Repository) -> list[str]:
    """Return the named range of commits, else all commits."""
    if args.paths:
        raise UsageError(f"{trailers.SOURCE} are in commits and not in {args.paths[0]}; name commits with --range")
    if repository.git_dir is None:
        raise UsageError(f"{repository.root} is no git repository: there are no commits to read")
    return [args.range or trailers.HEAD]


def _matches(repository: Repository, paths: list[str]) -> Table:
    """Return which commits credit whom, and in which words."""
    rows = [
        (match.revision[:10], credit.agent_name, credit.model_id, credit.key, credit.said)
        for path in paths
        for match in trailers.matches(repository, path)
        for credit in (match.credit,)
    ]
    return Table(("revision", "agent_name", "model_id", "trailer", "said"), rows)


# what wrote the records -> the files, refs or commits to read
PATHS = {
    CLAUDE: chosen,
    **dict.fromkeys(HISTORIES, _histories),
    agent_trace.SOURCE: _ledgers,
    gitai_notes.SOURCE: _notes,
    trailers.SOURCE: _ranges,
    entire.SOURCE: _checkpoints,
}


def _nothing_could_be_read(report: Report) -> bool:
    total = report.total()
    return bool(total.rejected) and not (total.imported or total.duplicates)


def _document(source: str, report: Report, found: Table | None, *, dry_run: bool) -> str:
    rows = [
        (
            *(source, one.path, one.read, one.imported, one.duplicates),
            *(one.rejected.total(), one.rejected, one.skipped, one.repeated),
        )
        for one in report.all_counts
    ]
    total = report.total()
    meta: dict[str, object] = {
        "dry_run": dry_run,
        "events": report.events,
        "rejected": total.rejected,
        "skipped": total.skipped,
    }
    if found is not None:
        meta["matches"] = list(found.mappings())
    return document(Table(COLUMNS, rows), meta)


def _lines(source: str, report: Report, *, dry_run: bool) -> Iterator[str]:
    """Yield a few lines that sum up the import."""
    total = report.total()
    verb = "would be imported" if dry_run else "imported"
    file, part, unit = WORDS[source]
    files, parts, units = (
        counted(len(report.all_counts), file),
        counted(total.read, part),
        counted(total.imported, unit),
    )
    yield f"{files}, {parts}: {units} {verb}"
    if total.duplicates > total.repeated:
        yield f"recorded already: {counted(total.duplicates - total.repeated, unit)}"
    if total.repeated:
        yield f"told more than once by what was read: {counted(total.repeated, unit)}"
    for reason, count in total.rejected.most_common():
        yield f"rejected: {plain(reason)}, {count}"
    for reason, count in total.skipped.most_common():
        yield f"skipped: {plain(reason)}, {count}"
