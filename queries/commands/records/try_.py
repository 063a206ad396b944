"""`linetrail try`: sum up the recorded sessions of this repository without writing into it."""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.ledger.adapters.claude_code import NAME as CLAUDE
from linetrail.ledger.errors import GitError, NotARepositoryError
from linetrail.ledger.repository import Repository, find, git
from linetrail.projections.tables.table import Table
from linetrail.queries.commands.records.import_ import chosen
from linetrail.queries.commands.records.import_sources import SOURCES, WORDS
from linetrail.queries.importers.discovery import own_transcripts
from linetrail.queries.importers.histories import cursor, entire
from linetrail.queries.importers.histories.sources import SOURCES as HISTORIES
from linetrail.queries.importers.notes import gitai_notes, trailers
from linetrail.queries.importers.trial import Trial, trial
from linetrail.queries.render.output import terminal_width
from linetrail.queries.render.text import counted, document, plain, text_table

# Agents that keep the sessions of one repository apart; the one database of Cursor may be large.
_AGENTS = (CLAUDE, *(agent for agent in HISTORIES if agent != cursor.NAME))
_IN_GIT = (entire.SOURCE, gitai_notes.SOURCE)


def configure(parser: argparse.ArgumentParser) -> None:
    default = (
        f"this repository's sessions in the folders of {', '.join(_AGENTS)}, the checkpoints of Entire and the notes "
        "of git-ai in it or fetched from a remote, and the agents that its commits credit"
    )
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help=f"transcripts of {CLAUDE}, folders of them, or one repository (default: {default})",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Import into a temporary ledger, and sum it up."""
    repository = _meant(args) or find(args.directory)
    kept = {CLAUDE: chosen(args, repository)} if args.paths else _kept(repository)
    credited = Counter[str]() if args.paths else _credits(repository)
    absent = set[str]() if args.paths else entire.absent(repository)
    found = trial(repository, [(SOURCES[source], paths) for source, paths in kept.items() if paths])
    sources = [source for source, paths in kept.items() if paths]
    if args.json:
        print(_document(found, kept, credited, absent))
    else:
        print("\n".join(_lines(found, sources, kept, credited)))
    if not (sources or credited or args.paths):
        print("\n".join(_advice(repository)), file=sys.stderr)
    elif not args.json and (sources or credited):
        print(f"\nnothing was written into this repository\nnext: {_next(found, sources, credited)}")
        remote = _remote(repository) if absent else None
        if remote is not None:
            missing = counted(len(absent), "checkpoint")
            print(f"before that, for {missing} that commits name and this clone lacks:  {entire.fetching(remote)}")
    return 0


def _meant(args: argparse.Namespace) -> Repository | None:
    """Return the repository named by its folder, as in `linetrail try .`, and drop that argument."""
    if len(args.paths) != 1:
        return None
    folder = os.path.join(args.directory, args.paths[0])
    try:
        repository = find(folder) if os.path.isdir(folder) else None
    except NotARepositoryError:
        return None
    if repository is None or repository.git_dir is None or repository.root != os.path.realpath(folder):
        return None
    args.directory, args.paths = folder, []
    return repository


def _kept(repository: Repository) -> dict[str, list[str]]:
    """Return the session files of each agent for this repository, and the sources inside it."""
    return (
        {CLAUDE: own_transcripts(repository)}
        | {agent: HISTORIES[agent].kept(repository) for agent in _AGENTS if agent in HISTORIES}
        | {entire.SOURCE: entire.refs(repository, []), gitai_notes.SOURCE: gitai_notes.refs(repository)}
    )


def _credits(repository: Repository) -> Counter[str]:
    """Count the commits that credit each agent."""
    if repository.git_dir is None:
        return Counter()
    try:
        pairs = {(one.revision, one.credit.agent_name) for one in trailers.matches(repository, trailers.HEAD)}
    except GitError:
        return Counter()  # no commit yet, or not all of them here
    return Counter(agent for _, agent in pairs if agent)


def _document(
    found: Trial, kept: Mapping[str, Sequence[str]], credited: Mapping[str, int], absent: Collection[str]
) -> str:
    total = found.report.total()
    told = {**next(found.sums.mappings()), **found.share._asdict(), "models": list(found.models.mappings())}
    meta = {
        "transcripts": len(found.report.all_counts),
        "rejected": total.rejected,
        "skipped": total.skipped,
        "kept": {source: len(paths) for source, paths in kept.items() if paths},
        "in_git": [path for source in _IN_GIT for path in kept.get(source, ())],
        "commits_that_credit": dict(credited),
        "checkpoints_absent": len(absent),
    }
    return document(Table(tuple(told), [tuple(told.values())]), meta)


def _lines(
    found: Trial, sources: Sequence[str], kept: Mapping[str, Sequence[str]], credited: Counter[str]
) -> Iterator[str]:
    yield from _found(found, sources, kept, credited)
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
        yield f"left out: {', '.join(f'{plain(why)}, {count:,}' for why, count in total.rejected.most_common())}"
    if found.models.rows:
        yield "\n" + text_table(found.models, width=terminal_width())


def _found(
    found: Trial, sources: Sequence[str], kept: Mapping[str, Sequence[str]], credited: Counter[str]
) -> Iterator[str]:
    """Yield what git has of the sessions, and where."""
    reports = dict(zip(sources, found.reports, strict=True))
    for source in _IN_GIT:
        if source in reports:
            file, part, _ = WORDS[source]
            total = reports[source].total()
            told = (
                counted(total.read, part)
                if source == gitai_notes.SOURCE
                else counted(len(reports[source].all_counts), file)
            )
            own = [ref for ref in kept[source] if ref.startswith(entire.OWN_REFS)]
            places = [*(ref for ref in kept[source] if ref not in own), *([f"{entire.OWN_REFS}…"] if own else [])]
            yield f"found {plain(', '.join(places))}: {told}"
    if credited:
        agents = ", ".join(f"{agent} {commits:,}" for agent, commits in credited.most_common())
        yield f"found commits that credit agents: {plain(agents)}"


def _next(found: Trial, sources: Sequence[str], credited: Mapping[str, int]) -> str:
    """Return the commands that import what was found."""
    met = [agent for agent in dict.fromkeys([*sources, *found.agents]) if agent in CATALOGUE]
    hooked = "".join(f" --agent {agent}" for agent in met or credited if agent in CATALOGUE)
    imports = [*sources, *([trailers.SOURCE] if credited else [])]
    return " && ".join([f"linetrail init{hooked}", *(f"linetrail import {one}" for one in imports)])


def _advice(repository: Repository) -> Iterator[str]:
    """Yield where nothing was found, and how to record sessions."""
    yield f"no sessions of this repository in the folders of {', '.join(_AGENTS)};"
    yield f"no checkpoints of Entire, no {gitai_notes.REF}, no commit that credits an agent"
    remote = _remote(repository)
    if remote is not None:
        yield f"where the others use Entire:  {entire.fetching(remote)}"
        yield f"where the others use git-ai:  git fetch {remote} {gitai_notes.REF}:{gitai_notes.REF}"
    yield "to record sessions from now on:"
    yield f"next: linetrail init --agent {CLAUDE}"


def _remote(repository: Repository) -> str | None:
    return next(iter((git(repository, "remote") or b"").decode().split()), None) if repository.git_dir else None
