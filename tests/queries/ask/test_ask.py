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
