"""`linetrail since`: what changed of the files that a session knows, and by whom."""

import pytest


@pytest.fixture
def reader(repo, agent):
    """Return a session that has read a file."""
    repo.commit(files={"a.py": "def one():\n    return 1\n\n\ndef two():\n    return 2\n", "b.py": "x = 1\n"})
    session = agent("reader")
    with session.tool("Read", {"file_path": str(repo.path / "a.py")}, {}):
        pass
    return session


def changes(cli):
    return [
        (row["path"], row["changed_by"], tuple(row["definitions"])) for row in cli("since", "reader", "--json").rows
    ]


@pytest.mark.slow
def test_nothing_changed(reader, cli):
    assert changes(cli) == []
    assert "was changed by anybody else" in cli("since", "reader").out


def test_a_session_that_nobody_recorded_is_not_said_to_know_of_all(reader, cli):
    answer = cli("since", "nobody")

    assert (answer.status, answer.out) == (2, "")
    assert "no session is recorded that begins with nobody" in answer.err


@pytest.mark.slow
def test_another_session_and_the_definition_that_it_changed(reader, agent, cli):
    agent("writer").edit("a.py", "return 2", "return 3")

    assert changes(cli) == [("a.py", "writer", ("two",))]
    assert "a.py: two  by claude-code writer" in cli("since", "reader").out


@pytest.mark.slow
def test_what_the_session_changed_itself_and_files_it_never_saw_are_left_out(reader, agent, cli):
    reader.edit("a.py", "return 2", "return 3")
    agent("writer").write("b.py", "x = 2\n")

    assert changes(cli) == []


@pytest.mark.slow
def test_what_was_read_again_is_known(repo, reader, agent, cli):
    agent("writer").edit("a.py", "return 2", "return 3")
    with reader.tool("Read", {"file_path": str(repo.path / "a.py")}, {}):
        pass

    assert changes(cli) == []


@pytest.mark.slow
def test_a_change_that_no_hook_saw_is_nobodys(repo, reader, agent, cli):
    reader.edit("a.py", "return 2", "return 3")
    repo.write("a.py", "def one():\n    return 1\n")

    assert changes(cli) == [("a.py", "nobody we saw", ())]


@pytest.mark.slow
def test_a_session_has_to_be_named_outside_of_the_shell_of_an_agent(reader, cli, monkeypatch):
    assert cli("since").status == 2
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "reader")
    assert cli("since").status == 0
