"""Answers that are kept need no database, and are those that it would give."""

from datetime import timedelta
from pathlib import Path

import pytest

from linetrail.ledger.repository import find
from linetrail.projections.tables.answers import remembering
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.answers.status import OPEN_FOR, open_sessions
from tests.story import Story

MOMENTS = "select event_id, occurred_at, position, null as nothing, true as sure from events order by position"


@pytest.fixture
def repository(repo):
    """Return a repository in which an agent wrote a committed file."""
    repo.start_ledger()
    story = Story()
    story.tell("session.started", {"source": "startup"})
    story.tell("prompt.submitted", {"prompt_id": "p1", "excerpt": "write it"})
    story.tell("mutation.observed", {"via": "tool", "tool_call_id": "t1"}, edits={"a.py": "x = 1\n"})
    story.written(repo.path)
    repo.commit(files={"a.py": "x = 1\n"})
    return find(str(repo.path))


def kept(repository, sql=MOMENTS):
    with open_tables(repository) as tables, remembering(repository, tables):
        answer = tables.ask(sql)
        return answer, "connection" in vars(tables)


def files(repository):
    return list(Path(repository.folder, "cache", "answers").glob("*"))


@pytest.mark.in_turn
@pytest.mark.slow
@pytest.mark.parametrize("question", [["why", "a.py:1"], ["status"], ["audit"]], ids=lambda question: question[0])
@pytest.mark.usefixtures("repository")
def test_who_asks_again_waits_for_no_database(linetrail, question):
    first = linetrail(*question)

    again = linetrail(*question, env={"PYTHONPROFILEIMPORTTIME": "1"})

    assert again.stdout == first.stdout
    assert "duckdb" not in again.stderr
    assert "linetrail.projections.tables.answers" in again.stderr


def test_an_answer_comes_back_as_it_was(repository):
    first, opened = kept(repository)

    assert opened
    assert kept(repository) == (first, False)


@pytest.mark.parametrize(
    "left", [b"", b"{}", b"[[", b'[["a"],[0],[["no moment"]]]', b'[["a"],[7],[["b"]]]', b"[" * 200_000]
)
def test_what_cannot_be_read_is_asked_again(repository, left):
    first, _ = kept(repository)
    for file in files(repository):
        file.write_bytes(left)

    assert kept(repository) == (first, True)


def test_nothing_is_kept_of_values_that_a_file_would_change(repository):
    asked = "select [1, 2] as numbers, 0.1 as share"
    kept(repository, asked)

    assert not files(repository)


@pytest.mark.slow
def test_a_session_is_open_for_a_day_whatever_is_kept(repository):
    with open_tables(repository) as tables:
        last = tables.ask("select max(occurred_at) from events").rows[0][0]
        moments = [last + step for step in (timedelta(0), OPEN_FOR, OPEN_FOR + timedelta(microseconds=1))]
        fresh = [open_sessions(tables, moment) for moment in moments]
        with remembering(repository, tables):
            kept = [open_sessions(tables, moment) for moment in moments * 2]

    assert kept == fresh * 2
    assert [len(sessions) for sessions in fresh] == [1, 1, 0]
