"""What git answers, and what it says where it refuses to."""

import pytest

from linetrail.ledger.errors import GitError
from linetrail.ledger.repository import find
from linetrail.projections.git.plumbing import answer


def test_a_refusal_of_git_has_none_of_its_advice_on_our_own_settings(repo):
    repo.commit("begin", {"a.py": "x = 1\n"})

    with pytest.raises(GitError, match="failed in") as refused:
        answer(find(str(repo.path)), "log", "HEAD", "nowhere")

    assert "nowhere" in str(refused.value)
    assert "graft" not in str(refused.value)
