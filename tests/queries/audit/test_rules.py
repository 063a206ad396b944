"""Every rule of the audit answers its case: a short ledger in `tests/rules/<id>/`, and what must be found in it."""

import re
import sqlite3
from pathlib import Path

import pytest
import yaml

from linetrail.ledger.repository import find
from linetrail.projections.tables import models
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import made_of, open_tables
from linetrail.queries.audit import rulebook
from linetrail.queries.audit.audit import Asking, audit
from linetrail.queries.audit.policy import Policy
from linetrail.queries.audit.policy_file import today
from linetrail.queries.render.text import text_table
from tests.queries.ask.test_portable import plain
from tests.story import Story

CASES = Path(__file__).parents[2] / "rules"
RULES = [rule for rule in rulebook.rules().values() if rule.question is not None]
# What other engines spell otherwise, or do not have.
NOT_PORTABLE = (
    r"\b(qualify|asof|exclude|unnest|struct|lambda|list_\w+|epoch_\w+|read_\w+|regexp_\w+|arg_max)\b|->|\[|::"
)

each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)


def statement(rule):
    return re.sub(r"--.*|'[^']*'", "", rule.question.sql)


@pytest.mark.slow
@each_rule
def test_a_rule_finds_what_its_case_holds(repo, golden, rule):
    repo.start_ledger()
    Story().told(yaml.safe_load((CASES / rule.id / "case.yaml").read_text("utf-8"))["events"]).written(repo.path)
    repository = find(str(repo.path))

    with open_tables(repository) as tables:
        answer = audit(repository, tables, Asking([rule], Policy(), "", today()))

    found = [
        (one.times, one.message, one.path, one.line, one.session_id, one.intent_id, one.fingerprint[:8])
        for one in answer.findings
    ]
    columns = ("times", "message", "path", "line", "session_id", "intent_id", "fingerprint")
    golden(CASES / rule.id / "answer.txt", text_table(Table(columns, found)) + "\n")
    assert found


@pytest.mark.in_turn
@pytest.mark.slow
@each_rule
def test_a_rule_is_answered_alike_by_another_engine(repo, rule):
    repo.start_ledger()
    Story().told(yaml.safe_load((CASES / rule.id / "case.yaml").read_text("utf-8"))["events"]).written(repo.path)

    with open_tables(find(str(repo.path))) as tables:
        expected = plain(tables.ask(rule.question.sql, {"since": None}).rows)
        database = in_sqlite(tables, set(re.findall(r"\bv_\w+", statement(rule))))
        answer = database.execute(rule.question.sql, {"since": None}).fetchall()

    assert answer == expected


def in_sqlite(tables, views):
    """Return a database of another engine that holds what these views show."""
    database = sqlite3.connect(":memory:")
    for view in views:
        table = tables.ask(f"from {view}")
        database.execute(f"create table {view} ({', '.join(table.columns)})")
        marks = ", ".join("?" * len(table.columns))
        database.executemany(f"insert into {view} values ({marks})", plain(table.rows))
    return database


@pytest.mark.slow
@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.rows_of], ids=lambda rule: rule.id)
def test_a_rule_finds_nothing_where_the_tables_that_its_rows_are_of_are_empty(repo, rule):
    repo.start_ledger()
    story = Story().told(yaml.safe_load((CASES / rule.id / "case.yaml").read_text("utf-8"))["events"])
    facts = [models.fact(name) for name in made_of(rule.rows_of) & {fact.name for fact in models.stored()}]
    types = frozenset().union(*(fact.types for fact in facts if fact.types))
    story.events = [event for event in story.events if event.type not in types]
    story.written(repo.path)

    with open_tables(find(str(repo.path))) as tables:
        assert tables.are_empty(rule.rows_of)
        assert not tables.ask(rule.question.sql, {"since": None}).rows


@pytest.mark.daily(2)
@each_rule
def test_a_rule_answers_with_what_every_rule_answers_with(repo, rule):
    repo.start_ledger()

    with open_tables(find(str(repo.path))) as tables:
        answer = tables.ask(rule.question.sql, {"since": None})

    assert answer.columns == rule.question.columns
    assert answer.columns[: len(rulebook.COLUMNS)] == rulebook.COLUMNS


@pytest.mark.daily(2)
@each_rule
def test_a_rule_says_all_that_a_reader_asks(rule):
    assert rule.level in rulebook.LEVELS
    assert all((rule.finds, rule.controls, rule.message, rule.remedy, rule.why, rule.example, rule.silent))
    assert set(re.findall(r"(?<!\{)\{(\w+)\}", rule.message + rule.remedy)) <= set(rule.question.columns)


@pytest.mark.daily(2)
@each_rule
def test_a_rule_asks_the_views_alone_and_in_sql_that_runs_elsewhere(rule):
    named = set(re.findall(r"(?<!distinct )\b(?:from|join) (\w+)", statement(rule)))
    inner = set(re.findall(r"^(\w+) as \(", statement(rule), re.MULTILINE))

    assert {name for name in named - inner if not name.startswith("v_")} == set()
    assert not re.search(NOT_PORTABLE, statement(rule))


def test_the_ids_have_no_gap():
    assert list(rulebook.rules()) == [f"LT{number:03}" for number in range(len(rulebook.rules()))]
