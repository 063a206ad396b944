"""SQL that anybody may have written: answered where it only asks, refused and stopped otherwise."""

import json
import os
from pathlib import Path

import pytest

from linetrail.ledger.repository import find
from linetrail.queries.ask import question_files
from linetrail.queries.sandbox import sandbox
from tests.story import Story


@pytest.fixture(autouse=True)
def _ledger(repo):
    repo.start_ledger()
    story = Story()
    story.tell("session.started", {"source": "startup"})
    story.tell("mutation.observed", intent="INT-1", edits={"a.py": "one\ntwo\n", "=b.py": "b\n"})
    story.written(repo.path)


@pytest.mark.slow
def test_a_select_is_answered(cli):
    answer = cli("sql", "select path, lines_added from v_mutations order by path desc", "--json")

    assert answer.status == 0
    assert answer.rows == [{"path": "a.py", "lines_added": 2}, {"path": "=b.py", "lines_added": 1}]
    assert json.loads(answer.out)["meta"]["complete"] is True


@pytest.mark.slow
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


@pytest.mark.slow
def test_parameters_are_values_and_never_sql(cli):
    hostile = "a.py' or 1=1 --"

    assert cli("sql", "select count(*) as n from v_mutations where path = $p", "-p", "p", hostile, "--json").rows == [
        {"n": 0}
    ]
    assert cli("sql", "@log", "-p", "path", hostile, "--json").rows == []


@pytest.mark.slow
def test_a_question_is_asked_by_its_name(cli):
    assert [row["path"] for row in cli("sql", "@hot_files", "--json").rows] == ["=b.py", "a.py"]
    assert cli("sql", "@hot_files", "-p", "since", "1h", "--json").rows == []


@pytest.mark.slow
def test_a_path_is_understood_from_where_one_stands(repo, cli):
    repo.write("sub/c.py", "c\n")
    repo.commit("files", {"a.py": "one\ntwo\n"})
    wanted = cli("sql", "@line_owner", "-p", "path", "a.py", "-p", "line", "1", "--json").rows

    assert len(wanted) == 1
    assert cli("sql", "@line_owner", "-p", "path", "./a.py", "-p", "line", "1", "--json").rows == wanted
    below = cli("-C", "sub", "sql", "@line_owner", "-p", "path", "../a.py", "-p", "line", "1", "--json")
    assert below.rows == wanted
    outside = cli("sql", "@line_owner", "-p", "path", "../a.py", "-p", "line", "1")
    assert (outside.status, "outside the repository" in outside.err) == (2, True)


@pytest.mark.slow
def test_the_list_tells_what_may_be_asked(cli):
    rows = {row["name"]: row for row in cli("sql", "--list", "--json").rows}

    assert set(rows) == set(question_files.questions())
    assert rows["decisions_for"]["params"] == [
        {"name": "path", "meaning": "file, relative to the repository", "optional": False},
        {"name": "line", "meaning": "a line of it at HEAD: only the decisions about this line", "optional": True},
    ]
    assert all(row["question"].endswith("?") and row["columns"] for row in rows.values())


@pytest.mark.in_turn
@pytest.mark.daily(1)
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
        (("select nothing from v_events",), "no column is called nothing there"),
        (("select $x",), "parameters: x"),
        (("drop table events",), "only a select may be asked, this is drop\n"),
        (("explain select 1",), "only a select may be asked, this is explain; ask with --explain\n"),
        ((), "give one of: a query, @NAME, - for stdin, --file FILE, --list"),
        (("select 1", "--file", "q.sql"), "give one of: a query"),
        (("--file", "none.sql"), "cannot read none.sql: No such file or directory"),
        (("select $a", "-p", "a", "1", "-p", "a", "2"), "-p a is given twice: '1' and '2'"),
        (("select cast($n as integer)", "-p", "n", "x"), "next: what -p gives is text"),
        (("select pth from v_mutations",), "no column is called pth there; is it path"),
        (("select nothing from v_mutations m",), "next: linetrail sql 'describe v_mutations'"),
        (("from v_mutation",), "no table is called v_mutation; is it v_mutations"),
        (("from mutation",), "no table is called mutation; is it v_mutation"),
        (("from mutations_of_mine",), "next: linetrail sql 'show tables'"),
        (("select 1 --" + "x" * 300_000,), "the query has 300,011 characters, it may have 262,144"),
        (("select '\x1b'",), "a sign that belongs in no text, U+001B, at 9"),
    ],
)
def test_what_cannot_be_answered_is_explained(cli, arguments, message):
    answer = cli("sql", *arguments)

    assert answer.status == 2
    assert message in answer.err
    assert answer.out == ""


@pytest.mark.slow
def test_a_moment_with_a_time_zone_is_told_in_utc_or_refused_where_the_engine_cannot(cli):
    answer = cli("sql", "select now()")

    assert answer.out.rstrip().endswith("Z") if answer.status == 0 else "next: cast it" in answer.err


@pytest.mark.slow
def test_a_query_comes_from_a_file_or_from_stdin(repo, linetrail, cli):
    (repo.path / "q.sql").write_text("-- which files?\nselect path from v_mutations where path = $p;\n", "utf-8")

    assert cli("sql", "--file", "q.sql", "-p", "p", "a.py", "--json").rows == [{"path": "a.py"}]
    assert linetrail("sql", "-", "--csv", stdin="select 1 as one").stdout == "one\n1\n"
    assert linetrail("-C", str(repo.path), "sql", "--file", "q.sql", "-p", "p", "x", "--nl", cwd="/").stdout == ""


@pytest.mark.slow
def test_a_query_that_is_no_text_is_refused(repo, cli):
    (repo.path / "q.sql").write_bytes(b"select '\xff'")

    assert "q.sql is not UTF-8: byte 9" in cli("sql", "--file", "q.sql").err


@pytest.mark.slow
def test_a_query_is_explained_and_not_answered(cli):
    answer = cli("sql", "--explain", "select path from v_mutations where path = $p", "-p", "p", "a.py")

    assert answer.status == 0
    assert "projection" in answer.out.lower()
    assert "lines_added" not in answer.out
    assert cli("sql", "--explain", "drop view v_events").status == 2


@pytest.mark.slow
def test_parameters_are_told_as_they_were_understood(cli):
    answer = cli(
        "sql", "select $since as since, typeof($n) as kind", "-p", "since", "2026-01-05", "-p", "n", "1", "--json"
    )

    assert json.loads(answer.out)["meta"]["parameters"] == {"n": "1", "since": "2026-01-05T00:00:00.000000Z"}
    assert answer.rows == [{"since": "2026-01-05T00:00:00.000000Z", "kind": "VARCHAR"}]


@pytest.mark.slow
def test_columns_of_one_name_are_told_apart(cli):
    assert cli("sql", "select 1 as a, 2 as a, 3 as a_1", "--json").rows == [{"a": 1, "a_1": 2, "a_1_1": 3}]


@pytest.mark.slow
def test_what_the_engine_repeats_of_a_query_does_nothing_to_a_terminal(cli):
    answer = cli("sql", "select cast(chr(27) || repeat('[31m', 100000) as integer)")

    assert "\x1b" not in answer.err
    assert len(answer.err) < 3_000


@pytest.mark.slow
def test_the_list_for_people_is_by_topic(cli):
    lines = cli("sql", "--list").out.splitlines()

    headings = [line for line in lines[:-1] if line and not line.startswith(" ")]
    assert headings == [topic for topic in question_files.TOPICS if topic in headings]
    assert any(line.startswith("  @decisions_for ") and line.endswith("(path, line?)") for line in lines)
    assert lines[-1] == "linetrail sql @NAME -p KEY VALUE; what has a ? may be left out"


@pytest.mark.slow
def test_every_question_has_a_topic_of_the_list():
    assert {question.topic for question in question_files.questions().values()} <= set(question_files.TOPICS)


@pytest.mark.slow
def test_a_computed_table_is_there_when_a_query_names_it(repo, cli):
    repo.commit(files={"a.py": "one\ntwo\n"})

    assert cli("sql", "select count(*) as n from v_blame_lines where path = 'a.py'", "--json").rows == [{"n": 2}]
    hidden = cli("sql", "select count(*) from query_table('v_blame' || '_lines')")
    assert "blame_lines is not worked out" in hidden.err


@pytest.mark.slow
def test_a_stopped_query_is_a_refused_request(cli):
    answer = cli("sql", "select len(range(500000000))")

    assert answer.status == 1
    assert "memory" in answer.err
    assert "next: ask for less" in answer.err


@pytest.mark.slow
def test_rows_beyond_the_limit_are_left_out_and_that_is_said(repo, cli):
    assert sandbox.ask(find(str(repo.path)), "from range(10)", max_rows=3) == (
        ((("range",)), [(0,), (1,), (2,)]),
        False,
    )
    answer = cli("sql", "from range(100001)", "--nl")
    assert answer.out.count("\n") == 100_000
    assert answer.err == "only the first 100,000 rows are shown\n"


@pytest.mark.slow
def test_nothing_is_written_into_the_folder_where_one_stands(repo, linetrail, tmp_path):
    here = tmp_path / "here"
    here.mkdir()

    assert linetrail("-C", str(repo.path), "sql", "select 1", cwd=here).returncode == 0
    assert os.listdir(here) == []


@pytest.mark.slow
def test_views_describe_themselves(cli):
    query = "select comment from duckdb_columns() where table_name = 'v_events' and column_name = 'position'"

    assert cli("sql", query, "--csv").out.splitlines()[1].startswith('"place in the order of all events')


@pytest.mark.slow
def test_no_repository_and_no_ledger_are_told_apart(tmp_path, cli):
    bare = tmp_path / "bare"
    bare.mkdir()
    assert "no git repository" in cli("sql", "select 1", cwd=bare).err
    Path(bare, ".git").mkdir()
    Path(bare, ".git", "HEAD").write_text("ref: refs/heads/main\n")
    answer = cli("sql", "select 1", cwd=bare)
    assert (answer.status, "next: linetrail init" in answer.err) == (2, True)
