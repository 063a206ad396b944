"""`linetrail check-staged`: held against the selected intent is what git would commit, and nothing else."""

import os
import subprocess

import pytest

from tests.conftest import command
from tests.queries.conftest import INTENTS


@pytest.fixture
def work(repo, cli):
    """Make a repository in which an intent is selected that owns src."""
    repo.start_ledger()
    repo.commit("begin", {".orchestration/active_intents.yaml": INTENTS})
    assert cli("select", "INT-001").status == 0
    return repo


def stage(repo, *paths):
    for path in paths:
        repo.write(path, "x\n")
        repo.git("add", "--force", "--", path)


def test_files_in_scope_pass(work, cli):
    stage(work, "src/a.py", ".orchestration/config.yaml")
    work.write("elsewhere.py", "not staged\n")

    assert cli("check-staged").status == 0


def test_a_file_outside_is_named_with_the_scope_and_what_to_do(work, cli):
    stage(work, "src/a.py", "lib/b.py")

    answer = cli("check-staged")

    assert answer.status == 1
    assert "lib/b.py" in answer.out
    assert "scope: src/**" in answer.out
    assert "next: git restore --staged" in answer.err


def test_what_needs_no_intent_passes(work, cli):
    work.write(".orchestration/.intentignore", "docs/\n")
    stage(work, "docs/a.md")

    assert cli("check-staged").status == 0


def test_a_rename_out_of_the_scope_is_seen_with_its_name(work, cli):
    work.commit("a file", {"src/a.py": "one\ntwo\nthree\n"})
    work.git("mv", "src/a.py", "a.py")

    assert [row["path"] for row in cli("check-staged", "--json").rows] == ["a.py"]


def test_a_hostile_name_stays_on_its_line(work, cli):
    stage(work, "lib/\x1b[31m\nb.py")

    answer = cli("check-staged")

    assert answer.status == 1
    assert "\x1b" not in answer.out


def test_nobody_is_held_against_no_intent_unless_that_is_asked_for(work, cli):
    cli("select", "--clear")
    stage(work, "lib/b.py")

    assert cli("check-staged").status == 0
    assert cli("check-staged", "--require").status == 1


def test_an_intent_that_is_gone_is_no_scope(work, cli):
    assert cli("check-staged", "--intent", "INT-999").status == 1


@pytest.mark.slow
def test_a_commit_of_single_files_is_looked_at_as_it_will_be(work):
    hook = work.path / ".git" / "hooks" / "pre-commit"
    hook.write_text(f"#!/bin/sh\nexec '{command('linetrail')}' check-staged\n")
    hook.chmod(0o755)
    stage(work, "src/a.py")
    work.git("commit", "--quiet", "--message", "in scope")
    work.write("src/a.py", "y\n")
    work.write("lib/b.py", "x\n")
    work.git("add", "--intent-to-add", "lib/b.py")

    kept = subprocess.run(["git", "commit", "-qm", "one", "src/a.py"], cwd=work.path, check=False, env=os.environ)
    refused = subprocess.run(["git", "commit", "-qm", "two", "lib/b.py"], cwd=work.path, check=False, env=os.environ)

    assert (kept.returncode, refused.returncode) == (0, 1)
