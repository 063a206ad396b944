"""What the hooks recorded is found in the commits that hold it, however history was made."""

import time

import pytest

from linetrail.queries.ask.ask import ask

pytestmark = pytest.mark.slow

CONTENT = "def total(items):\n    return sum(item.price for item in items)\n"


@pytest.fixture
def sessions(repo):
    """Return a function that says which sessions are in the commits of a range, and how that is known."""
    repo.now = int(time.time())  # hooks look at the real clock

    def found(commits: str | None = None):
        rows = ask(str(repo.path), "commit_sessions", range=commits).mappings()
        return [(row["subject"], row["session_id"], row["match_method"]) for row in rows]

    return found


def test_a_session_that_commits_its_own_work(repo, agent, sessions):
    repo.commit("begin", {"README": "read me\n"})
    one = agent("one")
    one.write("total.py", CONTENT)
    one.bash("git add total.py && git commit -qm work")

    assert sessions() == [("work", "one", "observed")]


def test_a_person_who_commits_what_a_session_wrote(repo, agent, sessions):
    repo.commit("begin", {"README": "read me\n"})
    agent("one").write("total.py", CONTENT)
    repo.commit("work", {"README": "read me too\n"})

    assert sessions("HEAD~1..HEAD") == [("work", "one", "content")]


def test_a_person_who_edits_before_the_commit(repo, agent, sessions):
    repo.commit("begin", {"README": "read me\n"})
    agent("one").write("total.py", CONTENT)
    repo.commit("work", {"total.py": CONTENT.replace("total", "in_total")})

    assert sessions() == [("work", "one", "parent and path")]


def test_an_amended_commit_still_holds_the_session(repo, agent, sessions):
    repo.commit("begin", {"README": "read me\n"})
    one = agent("one")
    one.write("total.py", CONTENT)
    one.bash("git add total.py && git commit -qm work")
    repo.write("README", "read me too\n")
    repo.git("commit", "-qa", "--amend", "-m", "amended")

    assert sessions("HEAD~1..HEAD") == [("amended", "one", "content")]


def test_a_squashed_branch_holds_all_its_sessions(repo, agent, sessions):
    repo.commit("begin", {"README": "read me\n"})
    repo.git("checkout", "-q", "-b", "side")
    for name in ("one", "two"):
        session = agent(name)
        session.write(f"{name}.py", CONTENT)
        session.bash(f"git add {name}.py && git commit -qm {name}")
    repo.git("checkout", "-q", "main")
    repo.commit("meanwhile", {"other": "other\n"})
    repo.git("merge", "-q", "--squash", "side")
    repo.git("commit", "-qm", "squashed")

    assert sessions("HEAD~1..HEAD") == [("squashed", "one", "content"), ("squashed", "two", "content")]


def test_commits_that_a_session_merely_fetched_are_not_its_own(repo, agent, sessions, tmp_path):
    repo.commit("begin", {"README": "read me\n"})
    repo.git("clone", "-q", str(repo.path), str(tmp_path / "other"))
    repo.git("-C", str(tmp_path / "other"), "commit", "-q", "--allow-empty", "-m", "empty")
    (tmp_path / "other" / "theirs.py").write_text(CONTENT)
    repo.git("-C", str(tmp_path / "other"), "add", "theirs.py")
    repo.git("-C", str(tmp_path / "other"), "commit", "-q", "-m", "theirs")
    one = agent("one")
    one.write("mine.py", CONTENT)
    one.bash(f"git pull -q {tmp_path / 'other'} main")

    assert sessions() == []
