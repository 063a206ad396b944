"""`linetrail gate reconcile`: what git has and no hook ever saw."""

import pytest

pytestmark = pytest.mark.slow


def rows(answer):
    return [(row["path"], row["op"], row["shows_agent"]) for row in answer.rows]


@pytest.fixture
def reconcile(cli):
    return lambda *args: cli("gate", "reconcile", *args, "--json")


def test_what_a_session_wrote_and_committed_is_reconciled(repo, agent, cli):
    session = agent()
    session.write("src/a.py", "one = 1\n")
    session.edit("src/a.py", "1", "2")
    repo.commit("by the agent")

    assert cli("gate", "reconcile").out == "every committed content was seen\n"


def test_what_nobody_saw_is_named_and_an_agent_s_commit_is_a_finding(repo, agent, reconcile):
    agent().write("src/a.py", "one = 1\n")
    repo.commit("seen")
    repo.commit("by hand", {"src/b.py": "two = 2\n"})
    assert reconcile().status == 0

    repo.commit("feat\n\nCo-Authored-By: Claude <noreply@anthropic.com>", {"src/a.py": "one = 11\n"})

    answer = reconcile()
    assert answer.status == 1
    assert rows(answer) == [("src/a.py", "modify", True), ("src/b.py", "add", False)]


def test_a_file_that_was_deleted_unseen_is_named_and_one_deleted_by_a_command_is_not(repo, agent, reconcile):
    session = agent()
    for name in ("kept.py", "gone.py"):
        session.write(name, f"name = {name!r}\n")
    repo.commit("both")
    session.bash("rm gone.py")
    repo.commit("one less")
    (repo.path / "kept.py").unlink()
    repo.commit("none left")

    assert rows(reconcile()) == [("kept.py", "delete", False)]


def test_a_range_says_which_commits(repo, agent, reconcile):
    agent()
    repo.commit("first", {"a.py": "1\n"})
    repo.commit("second", {"b é.py": "2\n"})

    assert rows(reconcile("HEAD~1..HEAD")) == [("b é.py", "add", False)]
    assert reconcile("nonsense..HEAD").status == 2


def test_what_the_ledger_itself_commits_is_left_out(repo, agent, cli, reconcile):
    agent().write("a.py", "1\n")
    cli("seal")
    repo.commit("with the ledger")

    assert rows(reconcile()) == []


def test_each_content_has_the_name_that_git_has_for_it(repo, agent, reconcile):
    agent()
    repo.commit("added", {"a.py": "1\n"})
    blob = repo.git("rev-parse", "HEAD:a.py").strip()
    (repo.path / "a.py").unlink()
    repo.commit("deleted")

    assert [(row["op"], row["blob"]) for row in reconcile().rows] == [("delete", None), ("add", blob)]
