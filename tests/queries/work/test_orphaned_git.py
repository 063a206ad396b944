"""A git that outlives the command that was killed: whoever runs the command again waits until that git is done."""

import stat
import subprocess
import sys
import time

import pytest

from linetrail.ledger.repository import find
from linetrail.queries.work import states, worktrees
from tests.conftest import command

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by a signal"),
    pytest.mark.in_turn,
]
TOTAL = "def total(items):\n    return round(sum(items), 2)\n"
# Holds the first git that is about to move a reference, until the test says so.
HOOK = """\
#!/bin/sh
test "$1" = prepared && grep -q " {reference}$" && mkdir {folder}/held || exit 0
until test -e {folder}/go; do sleep 0.02; done
"""


@pytest.fixture
def killed(shop, tmp_path):
    """Return a function that kills a command while its git is about to move a reference, and one that lets it."""

    def kill(reference, *words):
        hook = shop.path / ".git/hooks/reference-transaction"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(HOOK.format(reference=reference, folder=tmp_path))
        hook.chmod(hook.stat().st_mode | stat.S_IXUSR)
        process = subprocess.Popen([command("linetrail"), *words], cwd=shop.path)
        while not (tmp_path / "held").exists():
            assert process.poll() is None
            time.sleep(0.02)
        process.kill()
        process.wait()

    yield kill
    (tmp_path / "go").touch()


@pytest.fixture
def again(cli, tmp_path, monkeypatch):
    """Return a function that runs a command while the git of another is held, then when that is done."""

    def run(*words):
        with monkeypatch.context() as impatient:
            impatient.setattr(states, "LOCK_SECONDS", 0)
            early = cli(*words)
        (tmp_path / "go").touch()
        return early, cli(*words)

    return run


@pytest.mark.slow
def test_land_waits_for_the_merge_of_one_that_was_killed(shop, returned, killed, again):
    returned("INT-001", "src/cart/total.py", TOTAL)
    killed("refs/heads/main", "land")

    early, late = again("land", "--json")

    assert "locked by another process" in early.err
    assert [(row["outcome"], row["revision"]) for row in late.rows] == [("landed", shop.git("rev-parse", "HEAD"))]
    assert shop.git("status", "--porcelain", "--untracked-files=no") == ""


@pytest.mark.slow
def test_what_is_given_back_again_has_the_commit_of_one_that_was_killed(started, killed, again):
    made, _ = started("INT-001")
    made.write("src/cart/total.py", TOTAL)
    killed("refs/heads/lt/INT-001", "give-back", "INT-001")

    early, late = again("give-back", "INT-001", "--json")

    assert "locked by another process" in early.err
    assert (late.status, late.rows[0]["head"]) == (0, made.git("rev-parse", "HEAD"))


@pytest.mark.slow
def test_work_begins_in_a_worktree_that_is_whole(shop, killed, again):
    killed("HEAD", "start", "INT-001")

    early, late = again("start", "INT-001", "--json")

    assert "locked by another process" in early.err
    assert late.status == 0
    made = worktrees.worktree(find(str(shop.path)), "lt/INT-001")
    assert not worktrees.is_dirty(made)
