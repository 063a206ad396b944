"""`%load_ext linetrail` in a real shell of IPython, and frames of pandas, polars and Arrow."""

import pytest

import linetrail

pytestmark = pytest.mark.slow


@pytest.fixture
def shell(home):
    interactive = pytest.importorskip("IPython.core.interactiveshell", reason="needs ipython, of the extra dev")
    settings = pytest.importorskip("traitlets.config").Config(HistoryManager={"enabled": False})
    made = interactive.InteractiveShell(config=settings)
    made.run_line_magic("load_ext", "linetrail")
    return made


@pytest.fixture
def asked(repo, agent):
    repo.start_ledger()
    agent().prompt("hello")
    return str(repo.path)


def test_a_cell_is_one_query_about_a_repository(shell, asked):
    done = shell.run_cell(f"%%linetrail {asked}\nselect agent_name, prompts from v_sessions")

    assert [(row.agent_name, row.prompts) for row in done.result] == [("claude-code", 1)]


def test_a_cell_can_do_nothing_but_read(shell, asked):
    done = shell.run_cell(f"%%linetrail {asked}\nselect * from read_text('/etc/hostname')")

    assert isinstance(done.error_in_exec, linetrail.LinetrailError)


@pytest.mark.parametrize("frame", ["pandas", "polars", "pyarrow"])
def test_an_answer_and_sql_become_a_frame_by_one_call(frame, asked):
    pytest.importorskip(frame, reason=f"needs {frame}, of the extra dev")
    method = {"pandas": "df", "polars": "pl", "pyarrow": "arrow"}[frame]
    connection = linetrail.connect(asked)

    answer = getattr(linetrail.ask(connection, "sessions"), method)()
    query = getattr(linetrail.connect(asked).sql("select 1 as one"), "df" if frame == "pandas" else method)()

    assert type(answer).__module__.startswith(frame)
    names = answer.column_names if frame == "pyarrow" else answer.columns
    assert names[0] == "session_id"
    assert query is not None


def test_a_connection_answers_questions_as_the_repository_does(asked):
    assert linetrail.ask(linetrail.connect(asked), "sessions") == linetrail.ask(asked, "sessions")
