"""Follow every definition of a repository through its history: what was worked out once is put together with the rest.

Putting together is done from the beginning each time, so an answer is never made of an earlier answer: with nothing
kept it is the same.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from heapq import heapify, heappop, heappush
from itertools import islice
from typing import NamedTuple
from weakref import WeakKeyDictionary

from linetrail.projections.git.history import cut_commits
from linetrail.projections.graph import cache
from linetrail.projections.graph.commits import Commits, State
from linetrail.projections.graph.fold import Fold
from linetrail.projections.graph.record import Record, names
from linetrail.projections.nodes.commits import Changed, Commit, blobs, history
from linetrail.projections.tables.progress import each
from linetrail.projections.tables.tables import Asked, Tables

# So many commits that are no part of this history are kept besides, for whoever goes back to a branch.
MAX_OTHERS = 5_000

Logged = tuple[Commit, list[Changed]]


class Whole(NamedTuple):
    """All that happened up to a commit, and the files that it has."""

    head: str
    fold: Fold

    @property
    def state(self) -> State:
        """The files, with the definitions of each."""
        return self.fold.state(self.head)


_at_hand: WeakKeyDictionary[Tables, Whole] = WeakKeyDictionary()


def whole(asked: Asked, head: str) -> Whole:
    """Return all that happened up to a commit; for the same tables it is put together once."""
    tables = asked.tables
    found = _at_hand.get(tables)
    if found is None or found.head != head:
        found = _at_hand[tables] = Whole(head, _folded(asked, head))
    return found


def _folded(asked: Asked, head: str) -> Fold:
    repository, tables = asked.repository, asked.tables
    log = _by_time(list(history(repository, head)))
    before = {record.revision: record for record in cache.load(repository, cache.RECORDS, Record)}
    used: dict[str, Record] = {}
    fold = Fold((commit for commit, _ in log), cut_commits(repository))
    with closing(Commits(repository, tables, names(tables, blobs(repository, head)), head)) as commits:
        try:
            for commit, changed in each(log, "following definitions", "commits"):
                record = before.get(commit.revision)
                if record is None or not commits.is_right(record, commit, changed):
                    record = commits.record(commit, changed, fold.states(commit))
                fold.add(commit, changed, record)
                used[commit.revision] = record
        finally:
            # as it was once, the ledger tells less: what is kept is what it tells now, be it a part of all
            if asked.until is None and any(before.get(revision) is not record for revision, record in used.items()):
                others = (record for revision, record in before.items() if revision not in used)
                cache.save(repository, cache.RECORDS, [*used.values(), *islice(others, MAX_OTHERS)])
    return fold


def _by_time(log: Sequence[Logged]) -> list[Logged]:
    """Put commits in the order in which they were written, but each after its parents; `log` has the last one last."""
    place = {commit.revision: at for at, (commit, _) in enumerate(log)}
    children = Counter(parent for commit, _ in log for parent in commit.parents)
    ready = [(-commit.author_time, -at) for at, (commit, _) in enumerate(log) if not children[commit.revision]]
    heapify(ready)
    found: list[Logged] = []
    while ready:
        _, at = heappop(ready)
        found.append(log[-at])
        for parent in log[-at][0].parents:
            children[parent] -= 1
            if not children[parent] and parent in place:
                heappush(ready, (-log[place[parent]][0].author_time, -place[parent]))
    return found[::-1]
