"""Views leave as CSV that spreadsheets open as text and numbers, and other programs as RFC 4180 has it."""

import csv
import io

import pytest

from linetrail.projections.tables import models
from tests.story import Story

pytestmark = pytest.mark.in_turn


@pytest.fixture
def told(repo):
    """Write two decisions, one of which tries to be a formula, a second row and something a terminal obeys."""
    repo.start_ledger()
    story = Story()
    story.tell("decision.recorded", {"decision_id": "D-1", "title": "plain, with a comma", "status": "accepted"})
    hostile = '=HYPERLINK("http://x")\r\n"quoted"\x1b[31m'
    story.tell("decision.recorded", {"decision_id": "D-2", "title": hostile, "rationale": "é", "status": "accepted"})
    story.written(repo.path)


def rows(text):
    """Read CSV as the standard says."""
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def test_one_view_goes_to_stdout(told, cli):
    answer = cli("export", "csv", "--table", "v_decisions")

    assert (answer.status, answer.err) == (0, "")
    assert [row["decision_id"] for row in rows(answer.out)] == ["D-1", "D-2"]
    assert [row["rationale"] for row in rows(answer.out)] == ["", "é"]


def test_lines_end_as_the_standard_says(told, cli, tmp_path):
    cli("export", "csv", "--table", "v_sessions", "--out", str(tmp_path / "out.csv"))

    content = (tmp_path / "out.csv").read_bytes()

    assert content.endswith(b"\r\n")
    assert content.count(b"\n") == content.count(b"\r\n") == 2


def test_no_cell_is_a_formula_or_steers_a_terminal(told, cli):
    _, hostile = rows(cli("export", "csv", "--table", "v_decisions").out)

    assert hostile["title"].startswith("'=HYPERLINK")
    assert "\x1b" not in hostile["title"]
    assert '"quoted"' in hostile["title"]


@pytest.mark.slow
def test_a_folder_gets_a_file_for_each_view(told, cli, tmp_path):
    answer = cli("export", "csv", "--out", str(tmp_path / "all"))

    names = {view.name for view in models.views()}
    assert answer.err == f"{len(names)} views written to {tmp_path}/all\n"
    assert {path.name for path in (tmp_path / "all").iterdir()} == {f"{name}.csv" for name in names}
    assert len(rows((tmp_path / "all" / "v_events.csv").read_text(encoding="utf-8"))) == 2


def test_a_file_has_its_rows_counted(told, cli, tmp_path):
    answer = cli("export", "csv", "--table", "v_decisions", "--out", str(tmp_path / "out.csv"))

    assert answer.err == f"2 rows written to {tmp_path}/out.csv\n"


def test_exporting_again_gives_the_same_bytes(told, cli):
    first = cli("export", "csv", "--table", "v_events").out

    assert first == cli("export", "csv", "--table", "v_events").out


@pytest.mark.slow
def test_a_dry_run_writes_nothing(told, cli, tmp_path):
    answer = cli("export", "csv", "--out", str(tmp_path / "no"), "--dry-run")

    assert "views would be written to" in answer.err
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "csv has a file for each view: name a folder with --out, or one view with --table"),
        (["--table", "v_mutation"], "no view is called v_mutation; is it v_mutations or"),
        (["--table", "v_x; drop"], "no view is called v_x; drop"),
    ],
)
def test_what_is_missing_or_wrong_is_said(told, cli, options, said):
    answer = cli("export", "csv", *options)

    assert answer.status == 2
    assert answer.err.startswith(f"error: {said}")


def test_a_place_that_cannot_be_written_is_said(told, cli, tmp_path):
    answer = cli("export", "csv", "--table", "v_events", "--out", str(tmp_path / "no" / "such" / "folder.csv"))

    assert answer.status == 2
    assert answer.err.startswith("error: cannot write ")
