"""`linetrail init --pre-commit`: git seals before a commit, and nothing of anybody else's hook is lost."""

import os
import subprocess

import pytest

from linetrail.ledger.event.event import Event, new_id, rfc3339
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find


def hook_of(repo):
    return repo.path / ".git" / "hooks" / "pre-commit"


@pytest.mark.slow
def test_events_travel_with_the_commit_they_led_to(repo, cli, agent):
    assert cli("init", "--agent", "none", "--pre-commit").status == 0
    session = agent()
    session.write("a.py", "x = 1\n")

    repo.commit("add a")

    assert ".orchestration/segments/" in repo.git("show", "--stat=200", "--format=", "HEAD")
    assert repo.git("status", "--porcelain") == ""


@pytest.mark.slow
def test_a_commit_of_named_paths_holds_nothing_else_and_the_next_one_takes_the_segments(repo, cli, agent):
    cli("init", "--agent", "none", "--pre-commit")
    repo.commit("set up")
    session = agent()
    session.write("a.py", "x = 1\n")
    session.write("b.py", "y = 1\n")
    repo.git("add", "a.py", "b.py")

    repo.git("commit", "--quiet", "--message", "a alone", "a.py")
    assert repo.git("show", "--name-only", "--format=", "HEAD").splitlines() == ["a.py"]
    repo.commit("the rest")

    assert repo.git("status", "--porcelain") == ""
    assert repo.git("log", "--diff-filter=D", "--format=%s") == ""
    assert ".orchestration/segments/" in repo.git("ls-files")


@pytest.mark.slow
@pytest.mark.parametrize(
    "there",
    [
        pytest.param("#!/bin/sh\necho mine >> mine.log\nexit 0\n", id="a hook that ends itself"),
        pytest.param("#!/usr/bin/env bash\nset -eu\ntrue\n", id="another shell"),
    ],
)
def test_the_hook_that_was_there_still_runs_and_undo_gives_it_back(repo, cli, there):
    hook_of(repo).parent.mkdir(exist_ok=True)
    hook_of(repo).write_text(there)
    hook_of(repo).chmod(0o755)

    cli("init", "--agent", "none", "--pre-commit")
    cli("init", "--agent", "none", "--pre-commit")
    assert hook_of(repo).read_text().count(">>> linetrail") == 1
    repo.commit("runs both")
    assert (repo.path / "mine.log").exists() == ("mine" in there)

    cli("init", "--undo")
    assert hook_of(repo).read_text() == there


def test_undo_removes_a_hook_that_was_made(repo, cli):
    cli("init", "--agent", "none", "--pre-commit")
    assert os.access(hook_of(repo), os.X_OK)

    assert cli("init", "--undo").status == 0

    assert not hook_of(repo).exists()


def test_a_hook_that_is_no_shell_script_is_left_alone_and_the_line_is_named(repo, cli):
    hook_of(repo).parent.mkdir(exist_ok=True)
    hook_of(repo).write_text("#!/usr/bin/env python3\n")

    answer = cli("init", "--agent", "none", "--pre-commit")

    assert answer.status == 2
    assert "seal --stage" in answer.err
    assert hook_of(repo).read_text() == "#!/usr/bin/env python3\n"


def test_a_hook_in_the_worktree_names_no_path_of_this_machine(repo, cli):
    (repo.path / ".hooks").mkdir()
    repo.git("config", "core.hooksPath", ".hooks")

    cli("init", "--agent", "none", "--pre-commit")

    text = (repo.path / ".hooks" / "pre-commit").read_text()
    assert "linetrail seal --stage" in text
    assert "/linetrail" not in text


def test_a_command_that_is_gone_stops_no_commit(repo, cli):
    cli("init", "--agent", "none", "--pre-commit")
    hook_of(repo).write_text(hook_of(repo).read_text().replace("/linetrail", "/nowhere/linetrail"))

    repo.commit("goes on")

    assert subprocess.run(["git", "log", "--oneline"], cwd=repo.path, capture_output=True, check=True).stdout


@pytest.mark.in_turn
@pytest.mark.slow
@pytest.mark.parametrize("how", ["linked worktree", "named in the command", "named in the environment"])
def test_wherever_git_says_the_repository_is_nothing_but_segments_is_staged(repo, cli, agent, tmp_path, how):
    cli("init", "--agent", "none", "--pre-commit")
    repo.commit("set up", {"a.py": "a = 1\n"})
    root, before, environment = repo.path, [], dict(os.environ)
    if how == "linked worktree":
        root = tmp_path / "side"
        repo.git("worktree", "add", "--quiet", "-b", "side", str(root))
    elif how == "named in the command":
        before = [f"--git-dir={root}/.git", f"--work-tree={root}"]
    else:
        environment |= {"GIT_DIR": ".git", "GIT_WORK_TREE": "."}
    (root / "b.py").write_text("b = 1\n")
    Ledger(find(str(root))).append(
        [Event(new_id(1), rfc3339(1), "session.ended", "s", None, "unknown", None, None, {})]
    )

    for command in (["add", "--all"], ["commit", "--quiet", "--message", "b"]):
        subprocess.run(["git", *before, *command], cwd=root, env=environment, check=True, capture_output=True)

    shown = repo.git("-C", str(root), "show", "--name-status", "--format=", "HEAD").splitlines()
    assert sorted(line.split("\t")[0] for line in shown) == ["A", "A"]
    assert [line for line in shown if "segments" not in line] == ["A\tb.py"]


@pytest.mark.slow
def test_staging_without_git_is_said_and_what_was_sealed_stays(repo, agent, cli, monkeypatch):
    agent().write("a.py", "one\n")
    monkeypatch.setenv("PATH", "")

    answer = cli("seal", "--stage")

    assert (answer.status, answer.err.splitlines()[-1].startswith("error: git does not run: ")) == (2, True), answer.err
    assert list((repo.path / ".orchestration" / "segments").iterdir())
