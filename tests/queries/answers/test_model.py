"""`linetrail ask --model CMD`: a command writes the SQL, the sandbox runs it, and nothing recorded is handed to it."""

import json
import shlex
import sys

import pytest

import linetrail
from tests.story import Story

pytestmark = pytest.mark.in_turn

SECRET = "rounding the totals of the quarter"


@pytest.fixture(autouse=True)
def _ledger(repo):
    repo.start_ledger()
    story = Story()
    story.tell("prompt.submitted", {"excerpt": SECRET, "length": len(SECRET)})
    story.tell("mutation.observed", intent="INT-1", edits={"a.py": "one\ntwo\n", "b.py": "b\n"})
    story.written(repo.path)


@pytest.fixture
def model(tmp_path):
    """Return a function that makes a model: a command that keeps what it is asked, and says its answers."""
    folder = tmp_path / "a model"
    folder.mkdir()

    def made(*answers, status=0):
        script = folder / "model.py"
        script.write_text(
            "import pathlib, sys\n"
            "here = pathlib.Path(__file__).parent\n"
            "asked = len(list(here.glob('asked*')))\n"
            "(here / f'asked{asked}').write_bytes(sys.stdin.buffer.read())\n"
            f"print({answers!r}[asked])\n"
            f"sys.exit({status})\n"
        )
        return shlex.join([sys.executable, str(script)])

    made.asked = lambda: [path.read_text("utf-8") for path in sorted(folder.glob("asked*"))]
    return made


@pytest.mark.slow
def test_python_asks_a_model_as_the_command_does(repo, model):
    asked = "which files changed?"
    given = model("select path from v_mutations order by path", "CANNOT: nobody knows")

    assert [row.path for row in linetrail.ask(repo.path, asked, model=given)] == ["a.py", "b.py"]
    with pytest.raises(linetrail.UnansweredError, match="nobody knows"):
        linetrail.ask(repo.path, asked, model=given)


@pytest.mark.slow
def test_the_select_of_a_model_is_answered_with_its_sql(cli, model):
    command = model("Here it is:\n```sql\nselect path, lines_added from v_mutations order by path\n```\nDone.")

    answer = cli("ask", "which files changed?", "--model", command)

    assert answer.out == "path  lines_added\na.py            2\nb.py            1\n"
    assert "select path, lines_added from v_mutations order by path" in answer.err
    assert answer.status == 0


@pytest.mark.slow
def test_a_model_is_told_question_views_and_book_and_nothing_that_was_recorded(cli, model):
    command = model("select 1 as n")

    cli("ask", "which files changed?", "--model", command, "--json")

    [asked] = model.asked()
    assert asked.endswith("# The question\nwhich files changed?")
    assert "  lines_added: new lines of substance; null when not known" in asked
    assert "@hot_files: Which files do agents change most?" in asked
    assert [word for word in (SECRET, "a.py", "INT-1") if word in asked] == []


@pytest.mark.slow
def test_programs_are_told_the_model_and_its_sql(cli, model):
    command = model("select count(*) as n from v_prompts")

    answer = cli("ask", "how many prompts?", "--model", command, "--json")

    meta = json.loads(answer.out)["meta"]
    assert answer.rows == [{"n": 1}]
    assert (meta["model"], meta["sql"]) == (command, "select count(*) as n from v_prompts")


@pytest.mark.slow
def test_without_the_flag_no_command_is_run(cli, model):
    model("select 1 as n")

    cli("ask", "which files changed?")

    assert model.asked() == []


@pytest.mark.slow
def test_a_select_that_is_refused_is_handed_back_once(cli, model):
    command = model("select file from v_mutations", "select path from v_mutations order by path limit 1")

    answer = cli("ask", "which files changed?", "--model", command, "--json")

    assert answer.rows == [{"path": "a.py"}]
    assert "# What the engine said of it\nno column is called file there" in model.asked()[1]


@pytest.mark.slow
def test_what_fails_on_recorded_values_does_not_quote_them_to_the_model(cli, model):
    command = model("select cast(prompt_excerpt as integer) as n from v_prompts", "select 1 as n")

    cli("ask", "which prompts?", "--model", command)

    assert model.asked()[1].endswith("It failed on the values that it met.")
    assert SECRET not in model.asked()[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "written",
    [
        pytest.param("copy (select 1) to 'stolen.csv'", id="a copy to a file"),
        pytest.param("select * from read_csv('/etc/passwd')", id="a file"),
        pytest.param("select 1; select 2", id="two statements"),
    ],
)
def test_a_model_can_do_no_more_than_anybody_in_the_sandbox(cli, model, repo, written):
    answer = cli("ask", "which files changed?", "--model", model(written, written))

    assert (answer.status, answer.out) == (1, "")
    assert "the SQL of the model cannot be run" in answer.err
    assert not (repo.path / "stolen.csv").exists()


def test_a_model_may_say_that_it_cannot_answer(cli, model):
    answer = cli("ask", "what is the weather?", "--model", model("CANNOT: no view has the weather"))

    assert (answer.status, answer.out) == (1, "")
    assert answer.err.startswith("cannot answer that: the model says: no view has the weather")


def test_the_sql_of_a_model_is_shown_and_not_run_on_demand(cli, model):
    answer = cli("ask", "which files changed?", "--model", model("select nothing from nowhere"), "--sql")

    assert (answer.status, answer.out) == (0, "select nothing from nowhere\n")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        pytest.param("no-such-model-here", "the model cannot be run", id="no such command"),
        pytest.param("'", "is no command", id="an open quote"),
        pytest.param(" ", "is the command of a model", id="nothing"),
    ],
)
def test_what_is_no_command_is_said(cli, command, said):
    answer = cli("ask", "which files changed?", "--model", command)

    assert answer.status == 2
    assert said in answer.err


@pytest.mark.parametrize(
    ("answers", "status", "said"),
    [
        pytest.param(("select 1",), 3, "the model ended with status 3", id="it fails"),
        pytest.param(("",), 0, "the model said nothing", id="it says nothing"),
    ],
)
def test_a_model_that_gives_no_sql_is_an_error(cli, model, answers, status, said):
    answer = cli("ask", "which files changed?", "--model", model(*answers, status=status))

    assert answer.status == 1
    assert said in answer.err
