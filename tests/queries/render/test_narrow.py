"""In a terminal of 80 columns no number is cut, no path loses its end, and what has no room is named."""

import contextlib
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.projections.tables.table import Table
from linetrail.queries.render.text import columns, text_table

pytestmark = pytest.mark.in_turn

LONG = "frontend/src/components/remediation/prompt-generator.test.ts"


def on_terminal(folder, *arguments):
    """Run a command whose output is a terminal of 80 columns, and return what it shows."""
    ours, theirs = os.openpty()
    command = [str(Path(sys.executable).with_name("linetrail")), *arguments]
    env = os.environ | {"COLUMNS": "80", "NO_COLOR": "1", "LINETRAIL_PAGER": "cat"}
    with subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=theirs) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # how Linux says that the other end is closed
            while chunk := os.read(ours, 4096):
                shown += chunk
        process.wait()
    os.close(ours)
    return shown.decode().splitlines()


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("narrow")
    command = str(Path(sys.executable).with_name("linetrail"))
    subprocess.run([command, "demo"], cwd=folder, check=True, capture_output=True)
    return folder / "linetrail-demo"


@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=12), st.integers(20, 100))
def test_no_number_is_ever_cut(numbers, width):
    names = tuple(f"number_{at}_of_them" for at in range(len(numbers)))

    shown = text_table(Table(names, [tuple(numbers)]), width=width).split("\n")

    whole = [line for line in shown if line.split() and all(word.isdigit() for word in line.split())]
    assert whole
    assert {int(word) for line in whole for word in line.split()} <= set(numbers)


def test_a_path_loses_its_beginning_and_amounts_nothing():
    table = Table(("path", "cost", "what"), [(LONG, "$1,234.50", "a sentence that goes on and on " * 3)])

    _, row = text_table(table, width=60).splitlines()

    assert row.startswith("…ompt-generator.test.ts  $1,234.50  a sentence")
    assert row.endswith("…")
    assert columns(row) == 60


def test_columns_without_room_are_left_out_from_the_right_and_named():
    row = (LONG, *range(10**9, 10**9 + 5), datetime.fromisoformat("2026-01-05T09:00:00.123456"))
    shown = text_table(Table(("path", "a", "b", "c", "d", "e", "last_at"), [row]), width=80).splitlines()

    assert shown[0].split() == ["path", "a", "b", "c", "d", "e"]
    assert shown[1] == "…t-generator.test.ts  1000000000  1000000001  1000000002  1000000003  1000000004"
    assert shown[2] == "no room in 80 columns for last_at: see --json"


def test_what_is_dispensable_is_left_out_first():
    table = Table(("id", "detail", "total"), [(1, 10**30, 10**30)])

    assert text_table(table, width=40, dispensable=["detail"]).splitlines()[0].split() == ["id", "total"]


def test_a_long_heading_is_broken_where_its_words_meet():
    shown = text_table(Table(("cache_creation_input_tokens", "b"), [(1, 2), (3, 4)]), width=14).splitlines()

    assert shown == ["     cache_", "  creation_", "     input_", "     tokens  b", "          1  2", "          3  4"]


def test_a_moment_is_told_to_the_second_where_room_is_scarce():
    table = Table(("at",), [(datetime.fromisoformat("2026-01-05T09:00:00.123456"),), ("2026-01-05T09:00:00.123456Z",)])

    assert text_table(table, width=80).splitlines()[1:] == ["2026-01-05 09:00:00"] * 2


def test_where_nobody_looks_at_a_terminal_everything_is_there():
    table = Table(("path", "at"), [(LONG * 3, datetime.fromisoformat("2026-01-05T09:00"))])

    assert text_table(table).splitlines()[1] == f"{LONG * 3}  2026-01-05T09:00:00.000000Z"


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("status",),
        ("log",),
        ("usage",),
        ("usage", "session", "--breakdown"),
        ("stats",),
        ("intents", "list"),
        ("decisions",),
        ("explain",),
        ("audit",),
        ("sql", "--list"),
        ("sql", "@hot_files"),
        ("sql", "@log"),
        ("sql", "@integrity"),
        ("sql", "@cost_by", "-p", "dim", "model"),
        ("ask", "tax changes"),
        ("gate", "status"),
        ("why", "billing/invoice.py:30"),
        ("rebuild",),
        ("verify",),
    ],
    ids=" ".join,
)
def test_what_a_command_prints_fits(demo, command):
    lines = on_terminal(demo, *command)

    assert lines
    assert [line for line in lines if columns(line) > 80] == []
