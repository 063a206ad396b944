"""A repository with sealed segments, to be put into an object store."""

import pytest

from linetrail.ledger.log import segments


@pytest.fixture
def sealed(repo, agent, cli):
    """Return the names of two segments; the repository has a commit with each."""
    for number in range(2):
        agent(f"session-{number}").write(f"a{number}.py", "x = 1\n")
        assert cli("seal", "--no-classify", "--no-leaks").status == 0
        repo.commit()
    return segments.names(str(repo.path / ".orchestration"))
