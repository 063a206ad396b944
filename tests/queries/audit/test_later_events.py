"""After more events a rule is asked about their sessions alone, and answers what the whole ledger answers."""

from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from linetrail.ledger.repository import find
from linetrail.projections.tables.session_answers import LOCAL, SessionAnswers
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.arguments.moments import moment
from linetrail.queries.audit import rulebook
from tests.story import Story

CASES = Path(__file__).parents[2] / "rules"
RULES = [rule for rule in rulebook.rules().values() if rule.question is not None]
NOW = {"since": None}

pytestmark = pytest.mark.slow


def case(rule):
    return yaml.safe_load((CASES / rule.id / "case.yaml").read_text("utf-8"))["events"]


def asked(repo, rules):
    """Return what rules answer, what the whole ledger answers, and which were asked of less than the whole ledger."""
    repository = find(str(repo.path))
    with open_tables(repository) as tables, closing(SessionAnswers(repository, tables)) as answers:
        few = {rule.id for rule in rules if answers.asked(rule.question.sql, NOW) not in {tables, None}}
        found = {rule.id: answers.answer(rule.question.sql, NOW, rule.rows_of) for rule in rules}
        return found, {rule.id: tables.ask(rule.question.sql, NOW) for rule in rules}, few


def grown(repo, events, rules):
    """Let a ledger grow by a third of these events at a time, those that any session follows from first.

    Return which rules were asked of less than all of it.
    """
    repo.start_ledger()
    story = Story().told(events)
    told = sorted(story.events, key=lambda event: event.type in LOCAL)
    fewer = set()
    for first, last in pairwise(len(told) * at // 3 for at in range(4)):
        story.events = told[first:last]
        story.written(repo.path)
        found, expected, few = asked(repo, rules)
        assert found == expected
        fewer |= few
    return fewer


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_finds_in_its_growing_case_what_the_whole_ledger_holds(repo, rule):
    grown(repo, case(rule), [rule])


def test_rules_find_in_sessions_side_by_side_what_the_whole_ledger_holds(repo):
    events = [event for rule in RULES for event in case(rule)]
    sessions = ["s1", "s2", None]

    fewer = grown(repo, [event | {"session": sessions[at % 3]} for at, event in enumerate(events)], RULES)

    assert fewer == {rule.id for rule in RULES}


@pytest.fixture
def story(repo):
    """Return a ledger in which two agents wrote, and a rule was asked."""
    repo.start_ledger()
    story = Story()
    for session in ("s1", "s2"):
        story.tell("mutation.observed", {"via": "tool"}, edits={f"{session}.py": "x = 1\n"}, session=session)
    story.written(repo.path)
    asked(repo, RULES)
    return story


def test_one_more_event_of_a_session_is_all_that_is_asked_about(story, repo):
    story.tell("mutation.observed", {"via": "tool"}, edits={"b.py": "x = 2\n"}, session="s2")
    story.written(repo.path)

    found, expected, few = asked(repo, RULES)

    assert found == expected
    assert few == {rule.id for rule in RULES}
    assert len(found["LT003"].rows) == 3


def test_tables_that_stay_open_are_asked_about_later_events_again(story, repo):
    repository = find(str(repo.path))
    moments = [NOW, {"since": moment("2026-01-01")}]
    sql = rulebook.rules()["LT003"].question.sql
    for growth in range(2):
        with open_tables(repository) as tables:
            for since in moments:
                with closing(SessionAnswers(repository, tables)) as answers:
                    assert answers.answer(sql, since) == tables.ask(sql, since)
                    assert len(answers.answer(sql, since).rows) == 2 + growth
        story.tell("mutation.observed", {"via": "tool"}, edits={f"{growth}.py": "x = 2\n"}, session="s2")
        story.written(repo.path)


@pytest.mark.parametrize(
    ("kind", "data", "intent"),
    [
        pytest.param(
            "intent.created", {"intent_id": "INT-1", "after": {"id": "INT-1"}}, "INT-1", id="tells of an intent"
        ),
        pytest.param(
            "mutation.observed", {"via": "tool", "files": []}, "INT-1", id="is the first that names an intent"
        ),
    ],
)
def test_everything_is_asked_again_where_an_event(story, repo, kind, data, intent):
    story.tell(kind, data, intent=intent, session="s3")
    story.written(repo.path)

    found, expected, few = asked(repo, RULES)

    assert found == expected
    assert not few


def test_another_past_is_asked_about_as_a_whole(story, repo):
    ledger = repo.path / ".orchestration" / "agent_trace.jsonl"
    first = ledger.read_bytes().splitlines(keepends=True)[0]
    ledger.write_bytes(first)
    story.tell("mutation.observed", {"via": "tool"}, edits={"c.py": "x = 3\n"}, session="s3")
    story.tell("mutation.observed", {"via": "tool"}, edits={"d.py": "x = 3\n"}, session="s3")
    story.written(repo.path)

    found, expected, few = asked(repo, RULES)

    assert found == expected
    assert not few


def test_what_cannot_be_read_is_asked_again(story, repo):
    for file in (repo.path / ".orchestration" / "cache" / "sessions").iterdir():
        file.write_bytes(b"[" * 100_000)

    found, expected, few = asked(repo, RULES)

    assert found == expected
    assert not few
