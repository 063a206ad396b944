"""SQL that anybody may have written: answered where it only asks, refused and stopped otherwise."""

import json
import os
from pathlib import Path

import pytest

from linetrail.ledger.repository import find
from linetrail.queries import book, cell
from tests.story import Story


@pytest.fixture(autouse=True)
def _ledger(repo):
    repo.start_ledger()
    story = Story()
    story.tell("session.started", {"source": "startup"})
    story.tell("mutation.observed", intent="INT-1", edits={"a.py": "one\ntwo\n", "=b.py": "b\n"})
    story.written(repo.path)


def test_a_select_is_answered(cli):
    answer = cli("sql", "select path, lines_added from v_mutations order by path desc", "--json")

    assert answer.status == 0
    assert answer.rows == [{"path": "a.py", "lines_added": 2}, {"path": "=b.py", "lines_added": 1}]
    assert json.loads(answer.out)["meta"]["complete"] is True


@pytest.mark.parametrize(
    ("option", "printed"),
    [
        (None, "path   n\na.py   2\n=b.py  1\n"),
        ("--table", "path   n\na.py   2\n=b.py  1\n"),
        ("--csv", "path,n\na.py,2\n'=b.py,1\n"),
        ("--nl", '{"path":"a.py","n":2}\n{"path":"=b.py","n":1}\n'),
    ],
)
def test_an_answer_has_the_form_that_was_asked_for(cli, option, printed):
    query = "select path, lines_added as n from v_mutations order by n desc"

    assert cli("sql", query, *filter(None, [option])).out == printed


def test_parameters_are_values_and_never_sql(cli):
    hostile = "a.py' or 1=1 --"

    assert cli("sql", "select count(*) as n from v_mutations where path = $p", "-p", "p", hostile, "--json").rows == [
        {"n": 0}
    ]
    assert cli("sql", "@log", "-p", "path", hostile, "--json").rows == []


def test_a_question_is_asked_by_its_name(cli):
    assert [row["path"] for row in cli("sql", "@hot_files", "--json").rows] == ["=b.py", "a.py"]
    assert cli("sql", "@hot_files", "-p", "since", "1h", "--json").rows == []


def test_the_list_tells_what_may_be_asked(cli):
    rows = {row["name"]: row for row in cli("sql", "--list", "--json").rows}

    assert set(rows) == set(book.questions())
    assert rows["decisions_for"]["params"] == [
        {"name": "path", "meaning": "file, relative to the repository", "optional": False}
    ]
    assert all(row["question"].endswith("?") and row["columns"] for row in rows.values())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("@hot_file",), "no question is called hot_file; is it hot_files"),
        (("@hot_files", "-p", "sinse", "7d"), "@hot_files has no parameter sinse; it knows since"),
        (("@decisions_for",), "@decisions_for must be told -p path VALUE (file, relative to the repository)"),
        (("@hot_files", "-p", "since", "soon"), "'soon' is no moment"),
        (("select 1; select 2",), "one select at a time: found 2 statements"),
        (("",), "one select at a time: found 0 statements"),
        (("selec 1",), "syntax error"),
        (("select nothing from v_events",), '"nothing" not found'),
        (("select $x",), "parameters: x"),
        (("drop table events",), "only a select may be asked, this is drop"),
        ((), "give a query, @NAME or --list"),
    ],
)
def test_what_cannot_be_answered_is_explained(cli, arguments, message):
    answer = cli("sql", *arguments)

    assert answer.status == 2
    assert message in answer.err
    assert answer.out == ""


HOSTILE = [
    "insert into events select * from events",
    "create table t as select 1",
    "update events set path = null",
    "copy (select 1) to '{out}'",
    "copy events from '/etc/passwd'",
    "export database '{out}'",
    "attach '{out}' as x",
    "install httpfs",
    "load httpfs",
    "set enable_external_access = true",
    "set lock_configuration = false",
    "set memory_limit = '100GB'",
    "set allowed_paths = ['/etc/passwd']",
    "pragma enable_profiling = 'json'",
    "pragma disable_optimizer",
    "call pragma_version()",
    "use temp",
    "vacuum",
    "checkpoint",
    "begin",
    "explain analyze select 1",
    "prepare x as select 1",
    "execute x",
    "select * from read_text('/etc/passwd')",
    "select * from read_blob('/etc/*')",
    "select * from read_csv('/etc/passwd')",
    "select * from read_json('/etc/passwd')",
    "select * from read_ndjson_objects('{ledger}')",
    "select * from read_parquet('/tmp/*.parquet')",
    "select * from '/etc/passwd'",
    "select * from '{ledger}'",
    "select * from glob('/**')",
    "select * from sniff_csv('/etc/passwd')",
    "select * from read_csv('https://example.org/a.csv')",
    "select * from 's3://bucket/a.parquet'",
    "select * from query('copy (select 1) to ''{out}''')",
    "select * from query_table('/etc/passwd')",
    "select getenv('HOME')",
    "select * from duckdb_secrets()",
    "select * from repository",
    "select * from request",
    "select * from parts",
    "from sqlite_scan('{out}', 'x')",
]


@pytest.mark.parametrize("query", HOSTILE)
def test_a_query_reaches_nothing_but_the_tables(repo, tmp_path, query):
    out, ledger = tmp_path / "out", repo.path / ".orchestration" / "agent_trace.jsonl"
    before = ledger.read_bytes()

    with pytest.raises(cell.UsageError):
        cell.ask(find(str(repo.path)), query.format(out=out, ledger=ledger))

    assert not out.exists()
    assert ledger.read_bytes() == before


BOMBS = [
    "select len(range(500000000))",
    "select count(*) from range(1000000000000)",
    "select repeat('x', 2000000000)",
    "select list(a.range) from range(100000) a, range(100000) b",
    "with recursive t(x) as (select repeat('x', 1000) union all select x || x from t) select max(len(x)) from t",
    "select a.range, repeat('x', 10000) from range(100000) a",
]


@pytest.mark.parametrize("query", BOMBS)
def test_a_query_that_wants_too_much_is_stopped(repo, query):
    with pytest.raises(cell.StoppedError):
        cell.ask(find(str(repo.path)), query, seconds=3)


def test_a_stopped_query_is_a_refused_request(cli):
    answer = cli("sql", "select len(range(500000000))")

    assert answer.status == 1
    assert "memory" in answer.err
    assert "next: ask for less" in answer.err


def test_rows_beyond_the_limit_are_left_out_and_that_is_said(repo, cli):
    assert cell.ask(find(str(repo.path)), "from range(10)", max_rows=3) == (((("range",)), [(0,), (1,), (2,)]), False)
    answer = cli("sql", "from range(100001)", "--nl")
    assert answer.out.count("\n") == 100_000
    assert answer.err == "only the first 100,000 rows are shown\n"


def test_nothing_is_written_into_the_folder_where_one_stands(repo, linetrail, tmp_path):
    here = tmp_path / "here"
    here.mkdir()

    assert linetrail("-C", str(repo.path), "sql", "select 1", cwd=here).returncode == 0
    assert os.listdir(here) == []


def test_views_describe_themselves(cli):
    query = "select comment from duckdb_columns() where table_name = 'v_events' and column_name = 'position'"

    assert cli("sql", query, "--csv").out.splitlines()[1].startswith('"place in the order of all events')


def test_no_repository_and_no_ledger_are_told_apart(tmp_path, cli):
    bare = tmp_path / "bare"
    bare.mkdir()
    assert "no git repository" in cli("sql", "select 1", cwd=bare).err
    Path(bare, ".git").mkdir()
    Path(bare, ".git", "HEAD").write_text("ref: refs/heads/main\n")
    answer = cli("sql", "select 1", cwd=bare)
    assert (answer.status, "next: linetrail init" in answer.err) == (2, True)
