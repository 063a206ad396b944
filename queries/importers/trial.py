"""Read recorded sessions into a ledger outside the repository, and sum them up.

The temporary folder is a second view of the repository: its `.git` names the same one, so whatever answers questions
works there, and nothing is written where a person works.
"""

import contextlib
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.files import is_binary, make_folder
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository, file_path
from linetrail.projections.git.history import Objects
from linetrail.projections.git.target import Target
from linetrail.projections.lines import evidence
from linetrail.projections.lines.attribution import explain
from linetrail.projections.lines.replay import Replay
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.importers.sink import Import, Report
from linetrail.queries.statements import statement

# What reads the sessions of an agent into a ledger.
Importer = Callable[[Sequence[str], Import], Report]
# Files whose lines are counted, those with most edits first: each takes some hundredths of a second.
MAX_FILES = 200

_AGENTS = "select distinct agent_name from sessions where agent_name is not null order by agent_name"


class Share(NamedTuple):
    """Of the lines that HEAD has in the files agents touched: how many agents wrote last, as far as is recorded."""

    agent_lines: int
    lines: int
    files_at_head: int


class Trial(NamedTuple):
    """What recorded sessions amount to. `sums` is one row, `models` one for each model; a report for each source."""

    report: Report
    reports: Sequence[Report]
    sums: Table
    models: Table
    agents: Sequence[str]
    share: Share


def trial(repository: Repository, sessions: Iterable[tuple[Importer, Sequence[str]]]) -> Trial:
    """Import sessions aside, each agent's by what reads them, and sum up what they tell; nothing is left behind."""
    with aside(repository) as elsewhere:
        reports = [run(paths, Import(repository, Ledger(elsewhere))) for run, paths in sessions]
        all_counts = [counts for report in reports for counts in report.all_counts]
        whole = Report(all_counts, sum((report.events for report in reports), Counter()))
        with open_tables(elsewhere) as tables:
            agents = [agent for (agent,) in tables.ask(_AGENTS).rows]
            share = _share(elsewhere, tables)
            return Trial(
                whole,
                reports,
                tables.ask(statement("trial_sums")),
                tables.ask(statement("trial_models")),
                agents,
                share,
            )


@contextlib.contextmanager
def aside(repository: Repository) -> Iterator[Repository]:
    """Yield the repository as seen from a temporary folder, where its ledger is."""
    with tempfile.TemporaryDirectory(prefix="linetrail-") as folder:
        root = os.path.realpath(folder)
        # Without what worktrees share, so that the ledger aside leaves no trace in git's own folder.
        elsewhere = repository._replace(root=root, common_dir=None)
        make_folder(elsewhere.folder)
        if repository.git_dir is not None:
            with open(os.path.join(root, ".git"), "wb") as file:
                file.write(b"gitdir: " + os.fsencode(repository.git_dir) + b"\n")
        yield elsewhere


def _share(repository: Repository, tables: Tables) -> Share:
    paths = [path for (path,) in tables.ask(statement("trial_edited"), {"limit": MAX_FILES}).rows]
    with contextlib.closing(Objects(repository)) as store:
        counts = [counted for path in paths if (counted := _counted(tables, store, path)) is not None]
    return Share(sum(agents for agents, _ in counts), sum(lines for _, lines in counts), len(counts))


def _counted(tables: Tables, store: Objects, path: str) -> tuple[int, int] | None:
    """Count the lines of a file that agents wrote, and all; None when HEAD has no such text."""
    content = store.read(f"HEAD:{file_path(path)}")
    if content is None or is_binary(content):
        return None
    transitions = evidence.transitions(store, tables, Target(path, content, "HEAD", "HEAD"), [])
    replay = Replay(transitions, evidence.base_contents(store))
    owners = explain(replay, content)
    claims = [owner.claim for owner in owners if owner.claim is not None]
    return sum(claim.contributor_type == "ai" for claim in claims), len(owners)
