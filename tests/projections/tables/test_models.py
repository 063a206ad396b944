"""The SQL files keep their own rules: what a row is, what they read, what they may use."""

import re

import pytest

from linetrail.ledger.repository import find
from linetrail.projections.tables import models
from linetrail.projections.tables.tables import NAMES, open_tables
from linetrail.queries.ask.ask import connect
from tests.conftest import ROOT

EVERY_MODEL = (*models.facts(), *models.derived(), *models.views(), *models.checks())
TABLES = {model.name for model in (*models.facts(), *models.derived())} | set(NAMES)
# What other engines spell otherwise, or do not have.
NOT_PORTABLE = r"\b(qualify|asof|exclude|unnest|struct|lambda|list_\w+|epoch_\w+|read_\w+)\b|->|\[|::"

each_model = pytest.mark.parametrize("model", EVERY_MODEL, ids=lambda model: model.name)
each_view = pytest.mark.parametrize("view", models.views(), ids=lambda view: view.name)


@pytest.fixture
def empty(repo):
    repo.start_ledger()
    return find(str(repo.path))


def read_tables(sql: str) -> set[str]:
    statement = re.sub(r"--.*", "", sql)
    return set(re.findall(r"\b(?:from|join) (\w+)", statement)) & TABLES


@each_model
def test_a_model_reads_the_tables_that_it_says(model):
    assert read_tables(model.sql) == model.needs


@each_model
def test_a_model_says_what_a_row_is(model):
    begins = "" if model in models.checks() else "one row is one "

    assert model.about.startswith(begins)
    assert model.about


@each_model
def test_a_model_is_one_statement_in_lower_case(model):
    statement = re.sub(r"--.*|'[^']*'|\$\w+", "", model.sql)

    assert ";" not in statement
    assert statement == statement.lower()


def test_what_is_gathered_from_many_rows_has_an_order():
    gathers = r"\b(?:string_agg|array_agg|list)\((?:[^()]|\([^()]*\))*\)"
    every = [sql for room in ("projections", "queries") for sql in (ROOT / room).rglob("*.sql")]
    found = [(path.name, call) for path in every for call in re.findall(gathers, path.read_text("utf-8"))]

    assert found
    assert [(name, call) for name, call in found if "order by" not in call] == []


@each_view
def test_a_view_runs_elsewhere_too(view):
    assert not re.search(NOT_PORTABLE, re.sub(r"--.*|'[^']*'", "", view.sql))


@pytest.mark.slow
def test_every_column_of_a_view_is_described(empty):
    rows = (
        connect(empty.root)
        .execute("select table_name, column_name, comment from duckdb_columns() where starts_with(table_name, 'v_')")
        .fetchall()
    )

    assert [(table, column) for table, column, comment in rows if not comment] == []
    assert {table for table, _, _ in rows} == {view.name for view in models.views()}


def test_every_fact_and_derived_table_that_people_may_rely_on_has_a_view():
    inner = {"ledger", "prompt_submissions", "session_marks", "tool_requests", "tool_outcomes", "intent_marks"}
    inner |= {"approval_answers", "decision_records", "lesson_records", "usage_records", "commit_observations"}
    inner |= {"mutations", "recovery_point_records"}

    assert TABLES - inner == {need for view in models.views() for need in view.needs}


@pytest.mark.slow
def test_the_promised_tables_are_there(empty):
    promised = (
        "events sessions prompts tool_calls mutations mutation_files line_hashes intents intent_history decisions"
    )
    with open_tables(empty) as tables:
        for name in [*promised.split(), "token_usage", "verdicts", "commits"]:
            assert tables.ask(f"select count(*) from {name}").rows == [(0,)]


def test_another_text_makes_another_version():
    first, *rest = models.facts()

    assert models.digest([first._replace(sql=first.sql + " "), *rest]) != models.digest(models.facts())


def test_the_order_follows_the_needs():
    for folder in (models.facts(), models.derived(), models.views()):
        before: set[str] = set()
        for model in folder:
            assert model.needs & {other.name for other in folder} <= before
            before.add(model.name)
