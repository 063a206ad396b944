"""A write that was refused and ran all the same is nobody's innocent line: real hooks in block mode, a real git."""

import subprocess

import pytest

pytestmark = pytest.mark.slow

PATH = "src/auth/a.py"
CHANGE = f"sed -i s/1/2/ {PATH}"
QUIET = {"stdout": "", "stderr": "", "interrupted": False}


@pytest.fixture
def refused(gated, repo):
    """Return a session whose command on a file out of scope was refused, and ran all the same."""
    repo.write(PATH, "a = 1\nb = 3\n")
    session = gated()
    repo.commit("first")
    session.agent.prompt("bump it")
    session.select("INT-001")
    told = session.ask("Bash", command=CHANGE)
    assert session.code(told) == "OUT_OF_SCOPE"
    subprocess.run(CHANGE, shell=True, cwd=repo.path, check=True)
    return session


def kinds(cli, path=PATH):
    return [(row["contributor_type"], row["evidence"]) for row in cli("blame", path, "--json").rows]


def test_a_refused_command_that_reports_its_end_is_known_to_have_written(refused, repo, cli):
    refused.report(QUIET)
    repo.commit("second")

    assert kinds(cli) == [("ai", "observed"), ("human", "git")]
    (row, _) = cli("blame", PATH, "--json").rows
    assert (row["tool_call_id"], row["session_id"]) == (refused.call["tool_use_id"], "session-1")
    told = cli("why", f"{PATH}:1").out
    assert "refused  OUT_OF_SCOPE" in told
    assert "refused, and it happened all the same" in told


def test_what_stood_there_before_a_refused_command_ran_is_not_its_own(gated, repo, cli):
    repo.write(PATH, "a = 1\nb = 3\n")
    session = gated()
    repo.commit("first")
    session.select("INT-001")
    repo.write(PATH, "a = 1\nb = 4\n")
    session.ask("Bash", command=CHANGE)
    subprocess.run(CHANGE, shell=True, cwd=repo.path, check=True)
    session.report(QUIET)
    repo.commit("second")

    assert kinds(cli) == [("ai", "observed"), ("human", "git")]


def test_a_refused_command_that_says_nothing_leaves_its_file_in_doubt(refused, repo, cli):
    repo.commit("second")

    assert kinds(cli) == [("unknown", "refused"), ("human", "git")]
    assert "50% known" in cli("blame", PATH).out
    told = cli("why", f"{PATH}:1").out
    assert "OUT_OF_SCOPE: src/auth/a.py is outside the scope of INT-001" in told
    assert CHANGE in told
    (row,) = cli("why", f"{PATH}:1", "--json").rows
    assert (row["refused"]["reason_code"], row["refused"]["session_id"]) == ("OUT_OF_SCOPE", "session-1")
    assert cli("why", f"{PATH}:2", "--json").rows[0]["refused"] is None


def test_what_a_refused_command_left_is_in_doubt_before_it_is_committed(refused, cli):
    assert kinds(cli) == [("unknown", "refused"), ("human", "git")]
    assert CHANGE in cli("why", f"{PATH}:1").out


def test_a_change_that_a_later_hook_came_across_is_in_doubt_in_any_commit(refused, repo, cli):
    assert refused.ask("Bash", command="make everything") == {}
    repo.write(PATH, "a = 2\nb = 3\nc = 4\n")
    refused.report(QUIET)
    repo.commit("not yet", {PATH: "a = 1\nb = 3\nc = 4\n"})
    repo.commit("second", {PATH: "a = 2\nb = 3\nc = 4\n"})

    assert kinds(cli) == [("unknown", "refused"), ("human", "git"), ("ai", "observed")]


def test_reading_the_file_after_the_refusal_settles_nothing(refused, repo, cli):
    refused.read(PATH)
    repo.commit("second")

    assert kinds(cli) == [("unknown", "refused"), ("human", "git")]


def test_a_new_file_that_was_refused_is_in_doubt(gated, repo, cli):
    session = gated()
    repo.commit("first")
    session.select("INT-001")
    assert session.code(session.write("src/auth/new.py")) == "OUT_OF_SCOPE"
    repo.commit("second", {"src/auth/new.py": "x = 1\n"})

    assert kinds(cli, "src/auth/new.py") == [("unknown", "refused")]


def test_only_the_first_commit_after_a_refusal_is_in_doubt(gated, repo, cli):
    repo.write(PATH, "a = 1\nb = 3\n")
    session = gated()
    repo.commit("first")
    session.select("INT-001")
    session.ask("Bash", command=CHANGE)
    repo.commit("second", {PATH: "a = 1\nb = 4\n"})
    repo.commit("third", {PATH: "a = 5\nb = 4\n"})

    assert kinds(cli) == [("human", "git"), ("unknown", "refused")]


def test_what_was_committed_before_the_refusal_is_not_in_doubt(gated, repo, cli):
    session = gated()
    repo.commit("first", {PATH: "a = 1\n"})
    repo.git("checkout", "-q", "-b", "other")
    repo.commit("beside", {PATH: "a = 1\nb = 3\n", "src/auth/b.py": "c = 1\n"})
    session.select("INT-001")
    session.ask("Bash", command=CHANGE)

    assert kinds(cli) == [("human", "git"), ("human", "git")]
    assert kinds(cli, "src/auth/b.py") == [("human", "git")]


def test_a_refusal_after_which_a_write_was_let_through_doubts_nothing(refused, repo, cli, linetrail):
    repo.git("checkout", "--", PATH)
    assert linetrail("select", "INT-002", "--session", "session-1", "--switch").returncode == 0
    refused.write(PATH, "a = 7\nb = 3\n")
    repo.commit("second", {PATH: "a = 7\nb = 5\n"})

    assert [kind for kind, _ in kinds(cli)] == ["ai", "human"]


def test_a_refusal_that_was_only_noted_doubts_nothing(gated, repo, cli):
    session = gated("enforce: observe\n")
    repo.commit("first", {PATH: "a = 1\n"})
    session.select("INT-001")
    session.ask("Bash", command=CHANGE)
    repo.commit("second", {PATH: "a = 2\n"})

    assert kinds(cli) == [("human", "git")]
