"""`linetrail demo`: a repository to look at, anywhere; and the script that makes it."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find

ROOT = Path(__file__).resolve().parents[3]


def members(path):
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def git(folder, *args):
    return subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "a new folder"


@pytest.mark.slow
def test_the_first_minute_shows_blame_and_why(cli, tmp_path, folder):
    answer = cli("demo", str(folder), cwd=tmp_path)

    assert answer.status == 0
    assert "$ linetrail blame billing/invoice.py" in answer.out
    assert "INT-001" in answer.out
    assert "next: cd " in answer.err


def test_the_ledger_is_whole_and_the_newest_change_is_not_committed(cli, tmp_path, folder):
    (row,) = cli("demo", str(folder), "--json", cwd=tmp_path).rows

    lines = list(Ledger(find(str(folder))).read())
    assert len(lines) == row["events"] > 100
    assert {line.event.type for line in lines} > {"intent.selected", "mutation.observed", "gate.decided", "tool.failed"}
    assert git(folder, "status", "--porcelain") == " M billing/vat.py\n"


@pytest.mark.slow
def test_there_is_something_to_see_of_tokens_decisions_and_lessons(cli, tmp_path, folder):
    cli("demo", str(folder), "--json", cwd=tmp_path)

    models = {row["model_id"] for row in cli("usage", "model", "--json", cwd=folder).rows if row["cost_microusd"]}
    assert models == {"anthropic/claude-sonnet-4-5", "anthropic/claude-opus-4-5", "openai/gpt-5-codex"}
    assert all(row["alternatives"] for row in cli("decisions", "--json", cwd=folder).rows)
    assert len(cli("lesson", "list", "--json", cwd=folder).rows) > 5
    assert cli("lesson", "rebuild", "--check", cwd=folder).status == 0
    assert "rejected: keep price as an alias" in cli("why", "billing/invoice.py:30", cwd=folder).out


@pytest.mark.slow
def test_every_question_of_an_audit_has_something_to_say(cli, tmp_path, folder):
    cli("demo", str(folder), "--json", cwd=tmp_path)

    for question in ("approval_answers", "conflicts", "denied_but_executed", "loops", "refactor_violations", "rework"):
        assert cli("sql", f"@{question}", "--json", cwd=folder).rows, question


@pytest.mark.slow
def test_the_program_in_it_passes_its_tests(cli, tmp_path, folder):
    cli("demo", str(folder), "--json", cwd=tmp_path)

    subprocess.run([sys.executable, "-B", "-m", "unittest"], cwd=folder, check=True, capture_output=True)


@pytest.mark.slow
def test_it_is_the_same_whatever_git_is_told_on_this_machine(cli, tmp_path, folder, home, monkeypatch):
    (home / ".gitconfig").write_text("[core]\n\tautocrlf = true\n[init]\n\tdefaultBranch = trunk\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))

    assert cli("demo", str(folder), "--json", cwd=tmp_path).status == 0

    monkeypatch.delenv("GIT_DIR")
    assert b"\r" not in (folder / "billing" / "money.py").read_bytes()
    assert git(folder, "branch", "--show-current") == "main\n"


def test_a_folder_with_something_in_it_is_left_alone(cli, tmp_path, folder):
    folder.mkdir()
    (folder / "mine").write_text("x")

    answer = cli("demo", str(folder), cwd=tmp_path)

    assert answer.status == 2
    assert "not an empty folder" in answer.err
    assert [path.name for path in folder.iterdir()] == ["mine"]


def test_without_a_name_it_goes_into_a_folder_of_its_own(cli, tmp_path):
    place = tmp_path / "place"
    place.mkdir()

    assert cli("demo", "--json", cwd=place).status == 0

    assert [path.name for path in place.iterdir()] == ["linetrail-demo"]


@pytest.mark.in_turn
@pytest.mark.slow
def test_the_script_makes_the_bundled_demo_byte_for_byte(tmp_path):
    out = tmp_path / "demo.zip"

    subprocess.run(
        [sys.executable, "-B", str(ROOT / "tools" / "make_demo.py"), str(out)], check=True, capture_output=True
    )

    assert members(out) == members(ROOT / "queries" / "demonstration" / "demo.zip")


@pytest.mark.slow
def test_a_second_run_shows_the_same_and_keeps_what_was_done_since(cli, tmp_path):
    first = cli("demo", str(tmp_path / "demo"))
    (tmp_path / "demo" / "notes.txt").write_text("mine")

    second = cli("demo", str(tmp_path / "demo"))

    assert (first.status, second.status) == (0, 0)
    assert second.out == first.out
    assert (tmp_path / "demo" / "notes.txt").read_text() == "mine"
