"""Questions about commits are told which, as git writes it."""

import pytest

from linetrail.ledger.errors import UsageError
from linetrail.queries.ask.ask import ask
from tests.story import Story


@pytest.fixture
def three(repo):
    """Three commits, each with the work of a session of its own."""
    repo.start_ledger()
    story = Story()
    for number in range(3):
        story.tell("mutation.observed", session=f"s{number}", edits={f"{number}.py": f"one of {number}\n"})
    story.written(repo.path)
    return [repo.commit(f"work {number}", {f"{number}.py": f"one of {number}\n"}) for number in range(3)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("commits", "sessions"),
    [
        pytest.param(None, ["s0", "s1", "s2"], id="all"),
        pytest.param("HEAD~2..HEAD", ["s1", "s2"], id="a range"),
        pytest.param("HEAD~1..", ["s2"], id="a range up to HEAD"),
        pytest.param("main..main", [], id="an empty range"),
        pytest.param("HEAD~1", ["s1"], id="one commit"),
    ],
)
@pytest.mark.usefixtures("three")
def test_sessions_of_a_range(repo, commits, sessions):
    rows = ask(str(repo.path), "commit_sessions", range=commits).mappings()

    assert [row["session_id"] for row in rows] == sessions


@pytest.mark.slow
def test_sessions_of_one_commit_by_the_first_characters_of_its_id(repo, three):
    rows = list(ask(str(repo.path), "commit_sessions", commit=three[1][:9]).mappings())

    assert [(row["vcs_revision"], row["session_id"]) for row in rows] == [(three[1], "s1")]


@pytest.mark.slow
@pytest.mark.usefixtures("three")
def test_the_command_line_takes_a_range(cli):
    answer = cli("sql", "@commit_sessions", "-p", "range", "HEAD~1..HEAD", "--json")

    assert [row["session_id"] for row in answer.rows] == ["s2"]


@pytest.mark.daily(2)
@pytest.mark.parametrize("text", ["nowhere..HEAD", "", "--all", "HEAD...nowhere", "0123456789"])
@pytest.mark.usefixtures("three")
def test_what_git_does_not_know_is_refused(repo, text):
    with pytest.raises(UsageError, match="names no commits that git knows"):
        ask(str(repo.path), "commit_sessions", range=text)


@pytest.mark.usefixtures("three")
def test_a_range_that_is_no_range_ends_the_command_with_the_next_one(cli):
    answer = cli("sql", "@ambiguous", "-p", "range", "nowhere..HEAD")

    assert answer.status == 2
    assert "git log --oneline" in answer.err
