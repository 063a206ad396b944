"""`linetrail init --user`: hooks in the settings of a person, for every repository, and nothing else changed."""

import json
import shutil

import pytest

from linetrail.ledger.adapters.catalogue import CATALOGUE
from tests.queries.trees import tree

NAMES = list(CATALOGUE)


@pytest.mark.parametrize("agent", NAMES)
def test_only_the_home_folder_changes_and_undoing_leaves_no_trace(repo, cli, home, agent):
    answer = cli("init", "--agent", agent, "--user")

    assert answer.status == 0, answer.err
    assert tree(repo.path) == {}
    assert not (repo.path / ".orchestration").exists()
    assert tree(home)
    assert cli("init", "--undo", "--user").status == 0
    assert tree(home) == {}


@pytest.mark.slow
def test_all_of_them_twice_are_all_of_them_once(cli, home):
    everyone = [word for name in NAMES for word in ("--agent", name)]
    cli("init", *everyone, "--user")
    before = tree(home)

    again = cli("init", *everyone, "--user", "--json")

    assert {row["action"] for row in again.rows} == {"keep"}
    assert tree(home) == before
    cli("init", "--undo", "--user")
    assert tree(home) == {}


def test_what_a_person_wrote_comes_back_byte_for_byte(cli, home):
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(b'{\r\n\t"model": "x"}')
    before = tree(home)

    cli("init", "--agent", "claude-code", "--user")
    assert "linetrail-hook" in path.read_text()
    cli("init", "--undo", "--user")

    assert tree(home) == before


def test_it_says_whom_it_concerns(cli):
    answer = cli("init", "--agent", "codex", "--user")

    assert "in every repository of yours; where there is no ledger they do nothing" in answer.err
    assert "created ~/.codex/hooks.json" in answer.out


def test_no_repository_is_needed(cli, home, tmp_path):
    plain = tmp_path / "plain"
    plain.mkdir()

    assert cli("init", "--agent", "cursor", "--user", cwd=plain).status == 0
    assert cli("init", "--undo", "--user", cwd=plain).status == 0

    assert tree(home) == {}


def test_every_tool_is_heard_and_each_repository_says_how_strict_it_is(cli, home):
    cli("init", "--agent", "claude-code", "--user")

    (group,) = json.loads((home / ".claude" / "settings.json").read_text())["hooks"]["PreToolUse"]
    assert group["matcher"] == "*"
    assert "--event PreToolUse" in group["hooks"][0]["command"]
    assert "--enforce" not in group["hooks"][0]["command"]
    assert "onFailure" not in group["hooks"][0]


@pytest.mark.parametrize("flag", [["--enforce", "block"], ["--pre-commit"]])
def test_what_is_for_one_repository_is_refused(cli, home, flag):
    answer = cli("init", "--agent", "claude-code", "--user", *flag)

    assert (answer.status, tree(home)) == (2, {})


def test_an_agent_has_to_be_named(cli):
    answer = cli("init", "--user")

    assert answer.status == 2
    assert "--user needs an agent" in answer.err


@pytest.mark.parametrize(
    ("variable", "agent", "file"),
    [
        ("CODEX_HOME", "codex", "hooks.json"),
        ("CLAUDE_CONFIG_DIR", "claude-code", "settings.json"),
        ("COPILOT_HOME", "copilot-cli", "hooks/linetrail.json"),
        ("XDG_CONFIG_HOME", "devin-cli", "devin/config.json"),
    ],
)
def test_a_folder_that_was_moved_is_found(cli, tmp_path, monkeypatch, variable, agent, file):
    moved = tmp_path / "moved away"
    moved.mkdir()
    monkeypatch.setenv(variable, str(moved))

    assert cli("init", "--agent", agent, "--user").status == 0
    assert (moved / file).exists()
    assert cli("init", "--undo", "--user").status == 0

    assert tree(moved) == {}


def test_an_agent_may_not_take_away_what_holds_it(cli, home, monkeypatch):
    cli("init", "--agent", "claude-code", "--user")
    cli("init", "--agent", "none", "--enforce", "block")
    before = tree(home)
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s-1")

    answer = cli("init", "--undo", "--user")

    assert (answer.status, tree(home)) == (1, before)


def test_a_lost_record_leaves_the_person_what_is_theirs(cli, home):
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"model": "x"}')
    cli("init", "--agent", "claude-code", "--user")
    shutil.rmtree(home / ".local")

    cli("init", "--undo", "--user")

    assert tree(home)[".claude/settings.json"][0] == b'{"model": "x"}'


def test_a_home_folder_that_is_not_there_yet_is_made_once(cli, home):
    home.rmdir()

    answer = cli("init", "--agent", "cursor", "--user")

    assert answer.status == 0, answer.err
    assert "created ~/  (how it was before)" in answer.out
    assert (home / ".cursor/hooks.json").exists()
    assert cli("init", "--undo", "--user").status == 0
    assert not home.exists()
