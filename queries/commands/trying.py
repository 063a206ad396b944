"""`linetrail try`: sum up the recorded sessions of this repository without writing into it."""

import argparse
import os
from collections.abc import Iterator

from linetrail.ledger.repository import find
from linetrail.projections.tables import Table
from linetrail.queries.commands.importing import chosen
from linetrail.queries.progress import reading
from linetrail.queries.render import counted, document, text_table
from linetrail.queries.trial import Trial, trial


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `try`."""
    default = "this repository's sessions in the agent's own folder"
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help=f"transcripts, or folders of them (default: {default})"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Import aside, and say what is there."""
    repository = find(args.directory)
    paths = chosen(args, repository)
    with reading("reading", sum(map(os.path.getsize, paths))) as advance:
        found = trial(repository, paths, advance=advance)
    print(_document(found) if args.json else "\n".join(_lines(found)))
    return 0


def _document(found: Trial) -> str:
    total = found.report.total()
    told = {**next(found.sums.mappings()), **found.share._asdict(), "models": list(found.models.mappings())}
    meta = {"transcripts": len(found.report.tallies), "rejected": total.rejected, "skipped": total.skipped}
    return document(Table(tuple(told), [tuple(told.values())]), meta)


def _lines(found: Trial) -> Iterator[str]:
    sums, share, total = next(found.sums.mappings()), found.share, found.report.total()
    if not sums["sessions"]:
        yield "no sessions: nothing to sum up"
        return
    days = f"from {sums['first_day']} to {sums['last_day']}"
    yield f"{counted(sums['sessions'], 'session')} {days}, {counted(sums['prompts'], 'prompt')}"
    changed = f"{sums['edits']:,} of them changed {counted(sums['files'], 'file')}"
    yield f"{counted(sums['tool_calls'], 'tool call')}, {changed}"
    if share.lines:
        percent = 100 * share.agent_lines // share.lines
        lines = f"{share.agent_lines:,} of the {share.lines:,} lines ({percent} %)"
        yield f"agents wrote {lines} that HEAD has in these files"
    if total.rejected:
        yield f"{total.rejected.total()} damaged lines were skipped"
    if found.models.rows:
        yield "\n" + text_table(found.models)
    yield "\nnothing was written into this repository"
    yield "next: linetrail init --agent claude-code, then linetrail import claude-code"
