"""What a command does without a working directory, or without one of its standard streams."""

import shlex
import subprocess

import pytest

from tests.conftest import command
from tests.story import Story

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]

STATUS = {
    "status": 0,
    "blame a.py": 0,
    "why a.py:1": 0,
    "log": 0,
    "sql 'select 1'": 0,
    "audit": 0,
    "init --agent none --no-input": 0,
    "import claude-code nothing": 2,
    "check-path --pairs -": 0,
    "mcp": 0,
}


@pytest.fixture
def shell(repo):
    """Return a function that hands a line to a shell in a repository; `linetrail` is ours."""
    repo.start_ledger()
    repo.commit("first", {"a.py": "a = 1\n"})
    Story().written(repo.path)

    def run(line):
        line = line.replace("linetrail", shlex.quote(command("linetrail")), 1)
        return subprocess.run(["/bin/sh", "-c", line], cwd=repo.path, capture_output=True, text=True, check=False)

    return run


@pytest.mark.parametrize("asked", STATUS)
def test_in_a_deleted_folder_a_command_says_so(shell, repo, asked):
    (repo.path / "gone").mkdir()

    found = shell(f"cd gone && rmdir ../gone && linetrail {asked} </dev/null")

    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr == (
        f"error: the folder that you are in was deleted: {repo.path}/gone\n"
        "next: cd to a folder that is there, or `linetrail -C DIR …`\n"
    )


def test_in_a_deleted_folder_another_one_can_be_named(shell, repo):
    (repo.path / "gone").mkdir()

    found = shell(f"cd gone && rmdir ../gone && linetrail -C {repo.path} blame a.py")

    assert found.returncode == 0, found.stderr
    assert "a = 1" in found.stdout


@pytest.mark.independent
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&-"])
@pytest.mark.parametrize("asked", STATUS)
def test_a_closed_stream_changes_no_status_and_is_nobodys_error(shell, asked, closed):
    found = shell(f"linetrail {asked} </dev/null {closed}")

    assert found.returncode == STATUS[asked], found.stderr
    assert "internal" not in found.stdout + found.stderr


def test_without_stdout_no_file_takes_its_number(shell, repo):
    before = sorted(file.read_bytes() for file in repo.path.rglob(".orchestration/*.jsonl"))

    shell("linetrail seal >&- 2>&-")

    sealed = sorted((repo.path / ".orchestration/segments").glob("*.jsonl"))
    assert b"".join(before) == b"".join(file.read_bytes().partition(b"\n")[2] for file in sealed)


def test_where_stderr_refuses_the_status_still_tells(shell):
    assert shell("linetrail blame nothing.py 2>/dev/full").returncode == 2
