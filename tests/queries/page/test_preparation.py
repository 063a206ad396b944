"""Work is done by a process of its own, and how far it has come is told here."""

import contextlib
import os
from pathlib import Path

import pytest

from linetrail.projections.tables import progress
from linetrail.queries.page import preparation

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """Let the other process find what is to be done, which is in this file."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))


def count(file, steps):
    with progress.working("counting", steps, "steps") as advance:
        for name in progress.each(["first", "second"], "naming", "names"):
            Path(file).write_text(f"{os.getpid()} {name}")
        advance(steps)


def fail(file):
    with progress.working("failing", 1, "steps"):
        raise ValueError(file)


def heard(work, *given):
    """Return what a listener here is told of work."""
    told = []

    @contextlib.contextmanager
    def listener(*about):
        told.append(about)
        yield lambda amount: told.append((about[0], amount))
        told.append((about[0], "ended"))

    with progress.listening(listener):
        preparation.run(work, *given)
    return told


def test_another_process_does_the_work_and_tells_how_far_it_is(tmp_path):
    told = heard(count, str(tmp_path / "made"), 7)

    process, name = (tmp_path / "made").read_text().split()
    assert (int(process) != os.getpid(), name) == (True, "second")
    assert told == [
        ("counting", 7, "steps"),
        ("naming", 2, "names"),
        ("naming", 1),
        ("naming", 1),
        ("naming", "ended"),
        ("counting", 7),
        ("counting", "ended"),
    ]


def test_work_that_fails_is_left_to_whoever_needs_it(tmp_path):
    assert heard(fail, str(tmp_path)) == [("failing", 1, "steps"), ("failing", "ended")]


def test_what_lies_in_the_working_directory_is_not_run(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit('run')")
    monkeypatch.chdir(tmp_path)

    assert heard(count, str(tmp_path / "made"), 1)[0] == ("counting", 1, "steps")
