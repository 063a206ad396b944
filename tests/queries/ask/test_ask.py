"""What a notebook does: ask by name, or connect and write SQL."""

import pytest

from linetrail.ledger.errors import NoLedgerError, UsageError
from linetrail.queries.ask.ask import ask, connect
from tests.story import Story


@pytest.fixture
def _ledger(repo):
    repo.start_ledger()
    story = Story()
    story.tell("mutation.observed", intent="INT-1", edits={"a.py": "one\n"})
    story.written(repo.path)


@pytest.mark.slow
@pytest.mark.usefixtures("_ledger")
def test_a_question_is_asked_by_name(repo):
    answer = ask(str(repo.path), "hot_files", since="2026-01-01")

    assert [row["path"] for row in answer.mappings()] == ["a.py"]
    with pytest.raises(UsageError, match="must be told -p path VALUE"):
        ask(str(repo.path), "decisions_for")


@pytest.mark.usefixtures("_ledger")
def test_a_connection_has_every_view_and_outlives_what_made_it(repo):
    (repo.path / ".orchestration" / "cache").write_text("nothing can be kept here")

    connection = connect(repo.path)

    assert connection.sql("select path, contributor_type from v_mutations").fetchall() == [("a.py", "ai")]
    assert connection.execute("from v_line_hashes").fetchall()


def test_without_a_ledger_there_is_nothing_to_ask(repo):
    with pytest.raises(NoLedgerError):
        connect(repo.path)


@pytest.mark.parametrize(
    ("kind", "command_class", "act"),
    [
        pytest.param("generative", None, "mutating", id="what writes"),
        pytest.param("operational", "safe", "safe", id="a command that reads"),
        pytest.param("operational", "destructive", "destructive", id="a command that may write"),
        pytest.param("reading", None, "safe", id="a tool that reads"),
        pytest.param("meta", None, "meta", id="what steers"),
    ],
)
def test_a_verdict_from_before_acts_were_told_has_one_and_keeps_its_own_word(repo, kind, command_class, act):
    repo.start_ledger()
    story = Story()
    said = {"verdict": "allow", "code": "x", "reason": "y", "source": "linetrail", "kind": kind}
    story.tell("gate.decided", {**said, "command_class": command_class})
    story.written(repo.path)

    assert connect(repo.path).sql("select kind, act from v_verdicts").fetchall() == [(kind, act)]
