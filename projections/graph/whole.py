"""Follow every definition of a repository through its history: what was worked out once is put together with the rest.

Putting together is done from the beginning each time, so an answer is never made of an earlier answer: with nothing
kept it is the same.
"""

from contextlib import closing
from functools import lru_cache

from linetrail.ledger.repository import Repository
from linetrail.projections.graph import kept
from linetrail.projections.graph.commits import Commits
from linetrail.projections.graph.fold import Fold
from linetrail.projections.graph.told import names
from linetrail.projections.history import cut_commits
from linetrail.projections.nodes.past import blobs, history
from linetrail.projections.tables import Tables


@lru_cache(1)
def whole(repository: Repository, tables: Tables, head: str) -> Fold:
    """Return all that happened up to a commit."""
    log = list(history(repository, head))
    before = kept.load(repository)
    used = {}
    fold = Fold((commit for commit, _ in log), cut_commits(repository))
    with closing(Commits(repository, tables, names(tables, blobs(repository, head)), head)) as commits:
        for commit, changed in log:
            record = before.get(commit.revision)
            if record is None or not commits.is_right(record, commit, changed):
                record = commits.record(commit, changed, fold.states(commit))
            fold.add(commit, changed, record)
            used[commit.revision] = record
    if any(before.get(revision) is not record for revision, record in used.items()):
        others = (record for revision, record in before.items() if revision not in used)
        kept.save(repository, used.values(), others)
    return fold
