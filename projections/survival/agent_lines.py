"""Find the lines that commits got from agents: added by the commit itself, and recorded as an agent's.

Every file that such a commit changed is blamed as the commit has it, so what a note or a record says of a commit is
what `linetrail blame --rev` says.
"""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from linetrail.ledger.files import is_binary
from linetrail.ledger.observe.substance import split
from linetrail.ledger.repository import Repository, file_path, git, stored_path
from linetrail.projections.blame.blame import Answer, Blamer
from linetrail.projections.git.history import Objects
from linetrail.projections.git.plumbing import answer
from linetrail.projections.git.target import Target
from linetrail.projections.lines.attribution import Attribution
from linetrail.projections.statements import statement
from linetrail.projections.tables.progress import each
from linetrail.projections.tables.tables import Tables

_NOTED = """
select distinct vcs_revision
from stated_lines
where contributor_type = 'ai' and dialect is distinct from 'trailers'
"""
# A guess about whole commits would leave as a fact about lines.
_LEFT_OUT = "trailer"
_FILE_MODES = ("100644", "100755")


class Stretch(NamedTuple):
    """Lines in a row with one author, numbered as the commit has them."""

    first: int
    lines: tuple[bytes, ...]
    by: Attribution

    @property
    def last(self) -> int:
        """Number of the last line."""
        return self.first + len(self.lines) - 1


class Authored(NamedTuple):
    """A commit, when it was made in seconds, and what agents wrote in each file that it changed."""

    commit: str
    time: int
    files: dict[str, list[Stretch]]


class Change(NamedTuple):
    """A commit and the files that it changed, as the ledger spells their paths."""

    commit: str
    paths: Sequence[str]


def revisions(repository: Repository, wanted: str | None, *limits: str) -> list[str]:
    """Return the commits of a range as git means it, parents first; without a range those behind HEAD."""
    if wanted is None and git(repository, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") is None:
        answer(repository, "--version")  # where there is no git at all it says so
        return []
    order = ("--reverse", "--topo-order")
    return answer(repository, "rev-list", *order, *limits, "--end-of-options", wanted or "HEAD", "--").decode().split()


def authored(repository: Repository, tables: Tables, commits: Iterable[str]) -> Iterator[Authored]:
    """Yield these commits as far as they hold lines of agents."""
    known = {path for (path,) in tables.ask(statement("agent_lines_paths")).rows}
    noted = {commit for (commit,) in tables.ask(_NOTED).rows}
    changes = _changes(repository, commits)
    wanted = [change for change in changes if change.commit in noted or not known.isdisjoint(change.paths)]
    with Blamer(repository) as blamer:
        asked: deque[Target] = deque()
        answers = blamer.answers(_targets(each(wanted, "blaming", "commits"), blamer.store, asked))
        pairs = ((asked.popleft(), found) for found in answers)
        for commit, group in groupby(pairs, key=lambda pair: pair[0].revision):
            files = {target.path: found for target, told in group if (found := _stretches(target, told))}
            if commit is not None and files:
                yield Authored(commit, _time(blamer.store, commit), files)


def _changes(repository: Repository, commits: Iterable[str]) -> Iterator[Change]:
    """Yield what each commit changed; of a merge, what it has as none of its parents has it."""
    stdin = "".join(f"{commit}\n" for commit in commits).encode()
    told = answer(repository, "diff-tree", "--stdin", "-r", "-c", "--root", "--raw", "-z", "--no-renames", stdin=stdin)
    words = iter(told.split(b"\0"))
    commit, paths = "", list[str]()
    for word in words:
        if word.startswith(b":"):
            parents = len(word) - len(word.lstrip(b":"))
            mode, path = word.split(b" ")[parents].decode(), next(words)
            if mode in _FILE_MODES:
                paths.append(stored_path(os.fsdecode(path)))
        else:
            if paths:
                yield Change(commit, paths)
            commit, paths = word.decode(), []


def _targets(changes: Iterable[Change], store: Objects, asked: deque[Target]) -> Iterator[Target]:
    """Yield what is to be blamed, and leave each for whoever gets the answer."""
    for commit, paths in changes:
        for path in paths:
            content = store.read(f"{commit}:{file_path(path)}")
            if content and not is_binary(content):
                asked.append(Target(path, content, commit, commit))
                yield asked[-1]


def _stretches(target: Target, told: Answer) -> list[Stretch]:
    lines = split(target.content).lines
    own = [
        (at, by)
        for at, (by, line) in enumerate(zip(told.attributions, told.git.lines, strict=True))
        if line.revision == target.revision and by.contributor_type == "ai" and by.evidence != _LEFT_OUT
    ]
    rows = groupby(enumerate(own), key=lambda row: (row[1][0] - row[0], row[1][1]))
    return [
        Stretch(places[0] + 1, tuple(bytes(lines[at]) for at in places), by)
        for (_, by), group in rows
        if (places := [at for _, (at, _) in group])
    ]


def _time(store: Objects, commit: str) -> int:
    head = (store.read(commit) or b"").partition(b"\n\n")[0]
    told = next((line for line in head.split(b"\n") if line.startswith(b"committer ")), b"")
    moment = told.rpartition(b"> ")[2].split(b" ")[0]
    return int(moment) if moment.isdigit() else 0
