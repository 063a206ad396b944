"""The questions are answered alike by DuckDB and by other engines, with the same text over the same views."""

import contextlib
import shutil
import sqlite3
from datetime import date, datetime
from decimal import Decimal
from typing import NamedTuple

import pytest

from linetrail.ledger.repository import Repository, find
from linetrail.projections.tables import models
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.ask import question_files
from linetrail.queries.ask.ask import understood
from linetrail.queries.audit.rulebook import rules
from linetrail.queries.fleet.engines import spark as engine
from tests.conftest import Repo
from tests.queries import rich

pytestmark = pytest.mark.in_turn

PROMISED = """
line_owner line_conversation node_history file_share node_dependents changes out_of_scope_writes
mutations_without_intent unapproved_destructive denied_but_executed rejections shell_side_writes
unobserved_changes done_intents_touched bypass_sessions approvals protected_path_writes
self_rule_edits mcp_inventory integrity coverage hot_files conflicts stale_writes survival rework
human_override class_mix refactor_violations intent_lead_time intent_cost cost_by tool_failures
loops decisions_for thin_decisions lessons untested_mutations commit_sessions ambiguous stack_owners
delegation context_effect redactions owner_exposure lines_by changes_by count_by
acceptance first_override sessions activity
"""
NAMES = PROMISED.split()
# What the questions that must be told something are told.
TOLD = {
    "line_owner": {"path": "src/parse.py", "line": "2"},
    "line_conversation": {"path": "src/parse.py", "line": "2"},
    "file_share": {"path": "src/parse.py"},
    "node_history": {"node": "src/parse.py:lines"},
    "node_dependents": {"node": "src/parse.py:parse"},
    "stack_owners": {"frames": "src/parse.py:2\nother.py:1", "until": "2026-02-01"},
    "decisions_for": {"path": "src/parse.py"},
    "cost_by": {"dim": "day"},
    "acceptance": {"by": "month"},
    "first_override": {"by": "agent"},
    "lines_by": {"by": "author"},
    "changes_by": {"by": "folder"},
    "count_by": {"kind": "change", "by": "agent", "text": "parse"},
}
# The demo's own files, where it matters.
TOLD_OF_DEMO = TOLD | {
    "line_owner": {"path": "README.md", "line": "1"},
    "line_conversation": {"path": "README.md", "line": "1"},
    "file_share": {"path": "README.md"},
}


@pytest.fixture(scope="module")
def pinned():
    """Pin what git would look up, for fixtures that live longer than a test."""
    with pytest.MonkeyPatch.context() as patch:
        for role in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{role}_NAME", "Author")
            patch.setenv(f"GIT_{role}_EMAIL", "author@example.org")
        patch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
        yield


class World(NamedTuple):
    """A repository and its tables."""

    repository: Repository
    tables: Tables

    def asked(self, name, told):
        """Return the text of a question, and its parameters as DuckDB is told them."""
        question = question_files.find(name)
        return question.sql, understood(question_files.bound(question, told), self.repository)

    def rows(self, name, told):
        """Return what DuckDB answers."""
        return plain(self.tables.ask(*self.asked(name, told)).rows)


@contextlib.contextmanager
def world(path):
    repository = find(str(path))
    with open_tables(repository) as tables:
        yield World(repository, tables)


@pytest.fixture(scope="module")
def story(pinned, tmp_path_factory):
    repo = Repo(tmp_path_factory.mktemp("rich") / "project")
    rich.tell(repo)
    with world(repo.path) as told:
        yield told


@pytest.fixture(scope="module")
def demo(pinned, tmp_path_factory):
    from linetrail.queries.cli import main

    folder = tmp_path_factory.mktemp("demo") / "demo"
    assert main(["demo", str(folder)]) == 0
    with world(folder) as told:
        yield told


@pytest.fixture(scope="module")
def story_in_sqlite(story):
    return in_sqlite(story.tables)


@pytest.fixture(scope="module")
def demo_in_sqlite(demo):
    return in_sqlite(demo.tables)


def in_sqlite(tables):
    """Return a database of another engine that holds what every view shows."""
    database = sqlite3.connect(":memory:")
    for view in models.views():
        table = tables.ask(f"from {view.name}")
        database.execute(f"create table {view.name} ({', '.join(table.columns)})")
        marks = ", ".join("?" * len(table.columns))
        database.executemany(f"insert into {view.name} values ({marks})", plain(table.rows))
    return database


def plain(rows):
    """Return rows as engines without these types hold them: times and days as text, truth as 1 and 0."""
    return [tuple(map(plain_value, row)) for row in rows]


def plain_value(value):
    match value:
        case bool():
            return int(value)
        case datetime():
            return value.replace(tzinfo=None).isoformat(" ", "microseconds")
        case date():
            return value.isoformat()
        case Decimal() | float():
            return round(float(value), 6)
        case _:
            return value


def answered(database, sql, given):
    """Return what another engine answers, told plain values."""
    told = {parameter: plain_value(value) for parameter, value in given.items()}
    return plain(database.execute(sql, told).fetchall())


def test_every_promised_question_is_there():
    assert len(NAMES) == 52
    assert set(NAMES) <= set(question_files.questions())


@pytest.mark.independent
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("since", [None, "2026-01-05T09:20:00Z"], ids=["of all times", "since then"])
def test_another_engine_answers_alike(story, story_in_sqlite, name, since):
    told = TOLD.get(name, {})
    if since is not None:
        if "since" not in {parameter.name for parameter in question_files.find(name).parameters}:
            pytest.skip("asks about all times")
        told = told | {"since": since}

    rows = story.rows(name, told)

    assert answered(story_in_sqlite, *story.asked(name, told)) == rows
    assert rows or since, "nothing is proved by an empty answer"


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_another_engine_answers_alike_about_the_demo(demo, demo_in_sqlite, name):
    told = TOLD_OF_DEMO.get(name, {})

    assert answered(demo_in_sqlite, *demo.asked(name, told)) == demo.rows(name, told)


needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="needs a Java runtime")
# What the tables of one ledger have besides, and a store does not.
WIDE = {"HUGEINT": "bigint"}


@pytest.fixture(scope="module")
def spark(story):
    """Return the session, of which all views are known; small tables are quicker without what helps with large ones."""
    pytest.importorskip("pyspark", reason="needs the extra spark")
    session = engine.session()
    for setting in ("spark.sql.adaptive.enabled", "spark.sql.codegen.wholeStage"):
        session.conf.set(setting, "false")
    for view in models.views():
        story.tables.show([view.name])
        relation = story.tables.connection.table(view.name)
        kinds = [engine.TYPES.get(str(kind), WIDE.get(str(kind), "string")) for kind in relation.types]
        schema = ", ".join(f"`{column}` {kind}" for column, kind in zip(relation.columns, kinds, strict=True))
        rows = [tuple(map(spark_value, row)) for row in relation.fetchall()]
        session.createDataFrame(rows, schema).createOrReplaceTempView(view.name)
    return session


def spark_value(value):
    return float(value) if isinstance(value, Decimal) else value


def answered_by_spark(spark, sql, given):
    """Return what Spark answers, in its spelling."""
    return plain(map(tuple, spark.sql(engine.spelled(sql), args=given).collect()))


@pytest.mark.daily(0, 16)  # the questions of a store are all asked in fleet/test_spark.py
@pytest.mark.spark
@needs_java
@pytest.mark.parametrize("name", NAMES)
def test_spark_answers_alike(story, spark, name):
    told = TOLD.get(name, {})

    assert answered_by_spark(spark, *story.asked(name, told)) == story.rows(name, told)


@pytest.mark.daily(0, 5)
@pytest.mark.spark
@needs_java
@pytest.mark.parametrize("rule", [rule for rule in rules().values() if rule.question], ids=lambda rule: rule.id)
def test_spark_finds_what_an_audit_finds(story, spark, rule):
    sql, given = rule.question.sql, {"since": None}

    assert answered_by_spark(spark, sql, given) == plain(story.tables.ask(sql, given).rows)
