"""What rules answered is remembered, and only as long as it is what they would answer."""

from datetime import date

import pytest

from linetrail.ledger.repository import find
from linetrail.projections.tables.answers import remembering
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.audit import rulebook
from linetrail.queries.audit.audit import Asking, audit
from tests.story import Story

pytestmark = pytest.mark.slow


@pytest.fixture
def story(repo):
    """Return a ledger in which an agent wrote a file that its intent does not own."""
    repo.start_ledger()
    story = Story()
    scope = {"id": "INT-1", "name": "Rotate", "status": "IN_PROGRESS", "scope": ["src/**"]}
    story.tell("intent.created", {"intent_id": "INT-1", "after": scope}, intent="INT-1")
    story.tell("mutation.observed", {"via": "tool"}, intent="INT-1", edits={"docs/a.md": "a\n"})
    story.written(repo.path)
    return story


def test_what_is_remembered_is_what_the_tables_answer(story, repo):
    repository = find(str(repo.path))
    with open_tables(repository) as tables:
        asked = [rule.question.sql for rule in rulebook.rules().values() if rule.question is not None]
        with remembering(repository, tables):
            first = [tables.ask(sql, {"since": None}) for sql in asked]
            again = [tables.ask(sql, {"since": None}) for sql in asked]
        fresh = [tables.ask(sql, {"since": None}) for sql in asked]

    assert first == again == fresh
    assert any(table.rows for table in fresh)


def test_one_more_event_is_seen(story, repo, cli):
    before = {row["path"] for row in cli("audit", "--json", "LT001").rows}
    story.tell("mutation.observed", {"via": "tool"}, intent="INT-1", edits={"docs/b.md": "b\n"})
    story.written(repo.path)

    after = {row["path"] for row in cli("audit", "--json", "LT001").rows}

    assert (before, after) == ({"docs/a.md"}, {"docs/a.md", "docs/b.md"})


def test_another_moment_is_another_question(story, repo, cli):
    assert cli("audit", "--json", "LT001").rows
    assert not cli("audit", "--json", "LT001", "--since", "2999-01-01").rows


def test_rules_answer_alike_over_tables_that_are_held(story, repo):
    repository = find(str(repo.path))
    asked = [rule.question.sql for rule in rulebook.rules().values() if rule.question is not None]
    with open_tables(repository) as tables:
        alone = [tables.ask(sql, {"since": None}) for sql in asked]

    with open_tables(repository) as tables:
        audit(repository, tables, Asking(list(rulebook.rules().values()), None, "", date(2026, 1, 1)))
        together = [tables.ask(sql, {"since": None}) for sql in asked]

    assert together == alone
    assert any(table.rows for table in alone)
