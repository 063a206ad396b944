"""docs/seeds.md names no command, file or test that there is not."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from linetrail.ledger.errors import LinetrailError
from linetrail.queries.cli import main
from linetrail.queries.command_line import parser_of
from tests.conftest import command

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "seeds.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.partition("\n## ")[2].splitlines()
    if line.startswith("| ") and not line.startswith("| seed ")
]
# Commands that only read, and need nothing but a ledger.
READS = frozenset(
    {"ask", "audit", "blame", "classify", "explain", "lesson list", "log", "show", "sql", "stats", "status", "why"}
    | {f"intents {verb}" for verb in ("graph", "history", "lint", "list", "schema", "show")}
)


def span(cell):
    """Return what stands in a cell that is one piece of code."""
    (found,) = re.findall(r"`([^`]+)`", cell)
    return found


def built():
    return [row for row in ROWS if not row[2].startswith("not built: ")]


def test_every_cell_says_something_and_what_is_not_built_says_why():
    assert [row for row in ROWS if len(row) != 5 or not all(row)] == []
    assert [row for row in built() if "none" in row[3:]] == []
    assert {(*row[3:],) for row in ROWS if row not in built()} == {("none", "none")}


def test_every_command_is_one_that_linetrail_takes():
    lines = {span(row[3]) for row in built()} - {"linetrail --help"}

    assert [line for line in sorted(lines) if not is_taken(*shlex.split(line))] == []


def is_taken(program, command, *words):
    try:
        parser_of(command).parse_args([command, *words])
    except (LinetrailError, SystemExit):
        return False
    return program == "linetrail"


def test_every_file_is_there():
    assert [path for path in re.findall(r"\]\(([^)#]+)\)", PAGE) if not (ROOT / "docs" / path).exists()] == []


@pytest.mark.slow
def test_every_test_is_one_that_pytest_collects():
    named = sorted({span(row[4]) for row in built()})
    run = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "-m", "slow or not slow"]

    found = subprocess.run([*run, *named], cwd=ROOT, capture_output=True, text=True, check=False)

    collected = {re.sub(r"\[.*", "", line) for line in found.stdout.splitlines()}
    assert set(named) - collected == set(), found.stderr


@pytest.mark.soak  # each is a command of its own tests
def test_what_only_reads_answers_about_the_demonstration(tmp_path):
    shop = tmp_path / "shop"
    subprocess.run([command("linetrail"), "demo", shop], check=True, capture_output=True)
    lines = {span(row[3]) for row in built()}
    asked = sorted(line for line in lines if {" ".join(line.split()[1:at]) for at in (2, 3)} & READS)

    statuses = {line: main(["-C", str(shop), *shlex.split(line)[1:]]) for line in asked}

    assert {line: status for line, status in statuses.items() if status not in (0, 1)} == {}
