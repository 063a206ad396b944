"""`linetrail fleet sql --engine spark`: the same text over the same files is answered as by DuckDB."""

import json
import shutil

import pytest

from linetrail.queries.fleet.engines import spark as engine
from linetrail.queries.fleet.questions import of_organisation
from tests.fleet.__main__ import Plan, write

pytestmark = [
    pytest.mark.slow,
    pytest.mark.spark,
    pytest.mark.skipif(shutil.which("java") is None, reason="needs a Java runtime"),
    # the gateway to Java leaves its sockets to the end of the process
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.in_turn,
]
pytest.importorskip("pyspark", reason="needs the extra spark")

QUESTIONS = ("activity", "class_mix", "gate_violations", "integrity", "log", "rework", "timeline")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Return the URL of a store that three repositories pushed to, with its tables, and what is true of them."""
    from linetrail.queries.cli import main

    out = tmp_path_factory.mktemp("fleet")
    truth = write(Plan(out, repositories=3, events=400, kinds=6))
    url = (out / "store").as_uri()
    assert main(["fleet", "build", url]) == 0
    for setting in ("spark.sql.adaptive.enabled", "spark.sql.codegen.wholeStage"):
        engine.session().conf.set(setting, "false")
    return url, truth["total"]["store"]


def by_both(cli, url, *asked):
    answers = [cli("fleet", "sql", url, *asked, "--engine", name, "--json") for name in ("duckdb", "spark")]
    assert [answer.status for answer in answers] == [0, 0], answers[-1].err
    return [json.loads(answer.out)["rows"] for answer in answers]


@pytest.mark.parametrize("name", [*QUESTIONS, *of_organisation()])
def test_a_question_is_answered_alike(cli, store, name):
    by_duckdb, by_spark = by_both(cli, store[0], f"@{name}")

    assert by_spark == by_duckdb


def test_spark_finds_what_is_there(cli, store):
    url, truth = store
    sql = """
        select count(*) as events, count(distinct repo_id) as repos, sum(tokens) as tokens
        from v_events left join v_token_usage using (repo_id, event_id)
    """

    by_duckdb, by_spark = by_both(cli, url, sql)

    assert by_spark == by_duckdb == [{"events": truth["events"], "repos": 3, "tokens": sum(truth["model_id"].values())}]


def test_parameters_are_told_as_to_duckdb(cli, store):
    sql = "select event_type, count(*) as n, '$kind' as said from v_events where event_type = $kind group by event_type"

    by_duckdb, by_spark = by_both(cli, store[0], sql, "-p", "kind", "prompt.submitted")

    assert by_spark == by_duckdb
    assert by_spark[0]["said"] == "$kind"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("drop view v_events", "only a select"),
        ("select 1; select 2", "one select at a time"),
        ("select * from nowhere", "nowhere"),
        ("select * from parquet.`/etc/hosts`", "`"),
        ("select nothing from v_events", "nothing"),
        ("select reflect('java.lang.System', 'getenv', 'PATH')", "reflect"),
        ("select `TRY_REFLECT`/**/('java.lang.System', 'getenv', 'PATH')", "TRY_REFLECT"),
        ("select java_method('java.lang.System', 'getProperty', 'user.home')", "java_method"),
        ("select input_file_name() from v_events", "input_file_name"),
        (r"select '\' as a, ' as b --'", "beyond the tables"),
    ],
)
def test_what_is_no_question_is_refused(cli, store, sql, said):
    answer = cli("fleet", "sql", store[0], sql, "--engine", "spark")

    assert answer.status == 2
    assert said in answer.err


def test_a_plan_is_told(cli, store):
    answer = cli("fleet", "sql", store[0], "select count(*) from v_events", "--engine", "spark", "--explain")

    assert "Physical Plan" in answer.out
