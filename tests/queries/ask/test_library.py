"""`import linetrail`: what a script or a notebook asks with, and what that costs a hook."""

import subprocess
import sys
from datetime import datetime

import duckdb
import pytest

import linetrail
from linetrail.queries.answers.blame import Row
from tests.story import Story


@pytest.fixture
def project(repo):
    repo.commit(files={"a.py": "one\ntwo\n", "class.py": "three\n"})
    repo.start_ledger()
    story = Story()
    story.tell("session.started", {"source": "startup"})
    story.tell("mutation.observed", intent="INT-1", edits={"a.py": "one\ntwo\n"})
    story.written(repo.path)
    return repo.path


@pytest.mark.slow
def test_a_question_is_answered_with_rows_that_have_names(project):
    rows = linetrail.ask(project, "hot_files", since="2026-01-01")

    assert [(row.path, row.lines_added) for row in rows] == [("a.py", 2)]
    assert rows.mappings()[0]["path"] == "a.py"
    assert linetrail.ask(project, "hot_files", since="1h") == []
    assert "path" in linetrail.ask(project, "hot_files", since="1h").columns


@pytest.mark.slow
def test_no_bar_stands_among_the_answers_of_a_program_that_is_no_file(project):
    program = f"""
from linetrail.ledger.repository import find
from linetrail.projections.tables.tables import open_tables
with open_tables(find({str(project)!r})) as tables:
    print(tables.connection.execute("select current_setting('enable_progress_bar')").fetchall())
"""
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "[(False,)]\n"


@pytest.mark.slow
def test_a_column_that_is_a_word_of_python_has_an_underscore(project):
    assert linetrail.ask(project, "log")[0].class_ is None


@pytest.mark.slow
def test_who_wrote_each_line(project):
    lines = linetrail.blame(project, "a.py")

    assert [(line.line_no, line.text, line.contributor_type, line.intent_id) for line in lines] == [
        (1, "one", "ai", "INT-1"),
        (2, "two", "ai", "INT-1"),
    ]
    assert linetrail.blame(str(project), str(project / "class.py"), rev="HEAD")[0].evidence == "git"
    assert linetrail.blame(project, "a.py", as_of="2026-01-01")[0].contributor_type == "human"


@pytest.mark.slow
def test_lines_have_the_fields_of_the_contract(project, cli):
    [first, _] = cli("blame", "a.py", "--json", cwd=project).rows

    assert linetrail.blame(project, "a.py").mappings()[0] == first
    assert linetrail.Line._fields == ("line_no", "text", *Row.__annotations__["by"]._fields)


@pytest.mark.slow
def test_what_happened_is_listed_newest_first(project):
    events = linetrail.log(project, type="mutation.observed")

    assert [(event.type, event.path) for event in events] == [("mutation.observed", "a.py")]
    assert isinstance(events[0].timestamp, datetime)
    assert [event.seq for event in linetrail.log(project)] == [2, 1]
    assert [event.seq for event in linetrail.log(project, path="a.py")] == [2]
    assert [row.model_id for row in linetrail.ask(project, "file_share", path="a.py")]


def test_questions_say_what_they_may_be_told():
    question = linetrail.questions()["decisions_for"]

    assert (question.parameters[0].name, question.parameters[0].optional) == ("path", False)


def test_errors_are_those_of_the_commands(project, tmp_path):
    with pytest.raises(linetrail.UsageError, match="no question is called hot_file"):
        linetrail.ask(project, "hot_file")
    with pytest.raises(linetrail.TargetError, match=r"no file b\.py"):
        linetrail.blame(project, "b.py")
    (tmp_path / "bare").mkdir()
    with pytest.raises(linetrail.NotARepositoryError):
        linetrail.connect(tmp_path / "bare")
    with pytest.raises(AttributeError, match="no attribute 'conect'"):
        linetrail.conect  # noqa: B018  it is there or not
    assert issubclass(linetrail.NoLedgerError, linetrail.LinetrailError)


def test_everything_that_is_offered_is_there():
    assert all(getattr(linetrail, name) for name in dir(linetrail))
    assert set(linetrail.__all__) < set(dir(linetrail))


@pytest.mark.slow
def test_a_connection_is_one_of_duckdb(project):
    connection = linetrail.connect(project)

    assert isinstance(connection, duckdb.DuckDBPyConnection)
    assert connection.sql("select path from v_mutations").fetchall() == [("a.py",)]
    assert connection.execute("select path from v_mutations where path = $p", {"p": "a.py"}).fetchall() == [("a.py",)]
    assert "mutation_id" in connection.view("v_mutations").columns
    assert connection.cursor().execute("select count(*) from v_sessions").fetchall() == [(1,)]


@pytest.mark.slow
def test_answers_are_tables_of_arrow(project):
    table = linetrail.connect(project).arrow("select path from v_mutations where path = $p", {"p": "a.py"})

    assert table.to_pylist() == [{"path": "a.py"}]
    assert linetrail.ask(project, "hot_files").arrow().column("path").to_pylist() == ["a.py"]
    assert linetrail.ask(project, "hot_files", since="1d").arrow().num_rows == 0


@pytest.mark.slow
def test_a_table_that_takes_work_is_there_when_it_is_named(project):
    with linetrail.connect(project) as connection:
        assert connection.sql("select count(*) from v_blame_lines").fetchall() == [(3,)]
        assert connection.table("v_blame_lines").columns[0] == "path"
    with pytest.raises(duckdb.ConnectionException):
        connection.sql("select 1")


@pytest.mark.slow
def test_a_connection_lists_every_table_and_says_what_columns_mean(project):
    connection = linetrail.connect(project)
    names = {name for (name,) in connection.sql("show tables").fetchall()}
    about = "select comment from duckdb_columns() where table_name = 'v_blame_lines' and column_name = 'path'"

    assert {"v_blame_lines", "v_events"} < names
    assert connection.execute(about).fetchall() == [("file, relative to the repository",)]
    assert connection.sql("select count(*) from v_blame_lines").fetchall() == [(3,)]
    assert connection.execute(about).fetchall() == [("file, relative to the repository",)]


@pytest.mark.slow
def test_everything_is_worked_out_at_once_for_tools_that_know_no_names(project):
    connection = linetrail.connect(project, lazy=False)

    assert connection.sql("select count(*) from query_table('v_blame' || '_lines')").fetchall() == [(3,)]


@pytest.mark.slow
def test_an_answer_that_is_not_read_to_its_end_is_in_nobodys_way(project):
    connection = linetrail.connect(project)
    unread = connection.execute("from range(100000)")

    assert unread.fetchone() == (0,)
    assert connection.cursor().execute("select count(*) from v_blame_lines").fetchall() == [(3,)]
    assert unread.fetchone() == (1,)


@pytest.mark.slow
def test_variables_of_the_caller_are_tables(project):
    connection = linetrail.connect(project)
    mine = connection.sql("select 'a.py' as path, 7 as weight")

    assert connection.sql("select weight from v_mutations join mine using (path)").fetchall() == [(7,)]
    assert mine.columns == ["path", "weight"]


@pytest.mark.slow
def test_connections_are_apart_and_what_is_made_in_one_stays_there(project):
    before, now = linetrail.connect(project, as_of="2026-01-01"), linetrail.connect(project)
    now.execute("create table v_mine as select 1")

    assert now.sql("select count(*) from v_events").fetchall() == [(2,)]
    assert before.sql("select count(*) from v_events").fetchall() == [(0,)]
    assert "v_mine" not in {name for (name,) in before.sql("show tables").fetchall()}


def test_the_package_alone_imports_nothing():
    program = "import sys; before = set(sys.modules); import linetrail; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["linetrail"]
