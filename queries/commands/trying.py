"""`linetrail try`: sum up the recorded sessions of this repository without writing into it."""

import argparse
import sys
from collections.abc import Iterator, Sequence

from linetrail.ledger.repository import Repository, find
from linetrail.projections.tables import Table
from linetrail.queries.agents.agent import CLAUDE
from linetrail.queries.agents.catalogue import CATALOGUE
from linetrail.queries.commands.importing import SOURCES, chosen
from linetrail.queries.importers.discovery import own_transcripts
from linetrail.queries.importers.histories import cursor
from linetrail.queries.importers.histories.sources import SOURCES as HISTORIES
from linetrail.queries.render import counted, document, text_table
from linetrail.queries.trial import Trial, trial

# Agents that keep the sessions of one repository apart; the one database of Cursor may be large.
_AGENTS = (CLAUDE, *(agent for agent in HISTORIES if agent != cursor.NAME))


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `try`."""
    default = f"this repository's sessions in the folders of {', '.join(_AGENTS)}"
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help=f"transcripts of claude-code, or folders of them (default: {default})"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Import aside, and say what is there."""
    repository = find(args.directory)
    kept = {CLAUDE: chosen(args, repository)} if args.paths else _kept(repository)
    if not args.paths and not any(kept.values()):
        print(f"no sessions of this repository in the folders of {', '.join(_AGENTS)}", file=sys.stderr)
    found = trial(repository, [(SOURCES[agent], paths) for agent, paths in kept.items() if paths])
    agents = [agent for agent, paths in kept.items() if paths] or [CLAUDE]
    print(_document(found) if args.json else "\n".join(_lines(found, agents)))
    return 0


def _kept(repository: Repository) -> dict[str, list[str]]:
    """Return what each agent keeps of this repository."""
    return {CLAUDE: own_transcripts(repository)} | {
        agent: HISTORIES[agent].kept(repository) for agent in _AGENTS if agent in HISTORIES
    }


def _document(found: Trial) -> str:
    total = found.report.total()
    told = {**next(found.sums.mappings()), **found.share._asdict(), "models": list(found.models.mappings())}
    meta = {"transcripts": len(found.report.tallies), "rejected": total.rejected, "skipped": total.skipped}
    return document(Table(tuple(told), [tuple(told.values())]), meta)


def _lines(found: Trial, agents: Sequence[str]) -> Iterator[str]:
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
    hooked = "".join(f" --agent {agent}" for agent in agents if agent in CATALOGUE)
    yield f"next: linetrail init{hooked}, then {' and '.join(f'linetrail import {one}' for one in agents)}"
