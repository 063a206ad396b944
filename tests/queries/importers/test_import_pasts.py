"""What git kept of a file, for changes of which a history does not tell the text before."""

import pytest

from linetrail.ledger.repository import find
from linetrail.projections.git.history import Objects
from linetrail.queries.importers.outcomes import COMMIT, HISTORY, Past

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]

MADE = 30


@pytest.fixture
def past(repo):
    """Return what a repository of many commits kept, and the time and name of the last one."""
    revisions = [repo.commit(f"change {at}", {"a.py": f"a = {at}\n"}) for at in range(MADE)]
    repository = find(str(repo.path))
    objects = Objects(repository)
    yield Past(repository, objects), repo.now * 1_000_000_000, revisions
    objects.close()


def test_the_last_twenty_commits_are_looked_at_the_latest_first(past):
    kept, now, _ = past

    assert list(kept.texts("a.py", None, now)) == [(HISTORY, f"a = {MADE - 1 - at}\n") for at in range(20)]


def test_a_commit_that_the_history_names_comes_first(past):
    kept, now, revisions = past

    assert list(kept.texts("a.py", revisions[0], now))[:2] == [(COMMIT, "a = 0\n"), (HISTORY, f"a = {MADE - 1}\n")]


def test_what_was_committed_in_the_same_second_may_have_been_there(past, repo):
    kept, now, _ = past

    assert next(kept.texts("a.py", None, now - 1)) == (HISTORY, f"a = {MADE - 2}\n")
    assert next(kept.texts("a.py", None, now)) == (HISTORY, f"a = {MADE - 1}\n")
