"""`linetrail init`: what it adds, that it adds nothing twice, and that --undo takes exactly that away."""

import json
import os
import pty
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.ledger.gate import policy
from linetrail.ledger.gate.settings import Settings
from linetrail.ledger.repository import find
from tests.queries.trees import tree

TOOLS = CATALOGUE["claude-code"].tools
IGNORED = ("agent_trace.jsonl", "objects/x", "cache/x", "state/x", "spool/x", "quarantine/x", "config.local.yaml")


@pytest.fixture
def settings(repo):
    return repo.path / ".claude" / "settings.json"


@pytest.fixture
def config(repo):
    """Return a function that writes a settings file of ours, as a person did."""

    def write(text, name="config.yaml"):
        return repo.write(f".orchestration/{name}", text.encode("latin-1") if text == "\xff" else text)

    return write


def test_the_folder_is_private_and_its_files_are_valid(repo, cli):
    assert cli("init", "--agent", "none").status == 0

    folder = repo.path / ".orchestration"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert sorted(path.name for path in folder.iterdir()) == [
        ".gitattributes",
        ".gitignore",
        "active_intents.yaml",
        "config.yaml",
    ]
    assert cli("intents", "list", "--json").rows == []


def test_git_ignores_what_belongs_to_this_machine_and_nothing_else(repo, cli):
    cli("init", "--agent", "none")

    for name in IGNORED:
        assert repo.git("check-ignore", f".orchestration/{name}")
    assert repo.git("status", "--porcelain", "--untracked-files=all").splitlines() == [
        "?? .orchestration/.gitattributes",
        "?? .orchestration/.gitignore",
        "?? .orchestration/active_intents.yaml",
        "?? .orchestration/config.yaml",
    ]


def test_git_is_configured_as_before(repo, cli):
    before = repo.git("config", "--list", "--show-origin"), tree(repo.path / ".git" / "hooks")

    cli("init", "--agent", "claude-code")

    assert (repo.git("config", "--list", "--show-origin"), tree(repo.path / ".git" / "hooks")) == before


def test_no_agent_is_installed_without_being_named(repo, cli, settings):
    assert cli("init").status == 0
    assert cli("init", "--no-input").status == 0

    assert not settings.exists()


def test_what_comes_next_names_the_agents_seen_here(home, cli):
    assert "next: linetrail init --agent NAME; " in cli("init", "--no-input").err
    (home / ".codex").mkdir()
    (home / ".cursor").mkdir()

    assert "next: linetrail init --agent codex --agent cursor; " in cli("init", "--no-input").err


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "installed"), [("", True), ("y", True), ("n", False)])
def test_at_a_terminal_the_agents_seen_here_are_offered(repo, home, settings, answer, installed):
    (home / ".claude").mkdir()
    terminal, stdin = pty.openpty()
    os.write(terminal, f"{answer}\n".encode())

    command = [Path(sys.executable).with_name("linetrail"), "init"]
    subprocess.run(command, cwd=repo.path, stdin=stdin, stderr=stdin, stdout=subprocess.DEVNULL, check=True)

    assert settings.exists() is installed


def test_the_installed_command_is_one_that_runs(repo, cli, settings):
    cli("init", "--agent", "claude-code")

    (handler,) = json.loads(settings.read_text())["hooks"]["SessionStart"][0]["hooks"]
    payload = {"session_id": "s", "cwd": str(repo.path), "hook_event_name": "SessionStart", "source": "startup"}
    done = subprocess.run(
        handler["command"], shell=True, input=json.dumps(payload), text=True, check=True, capture_output=True
    )
    assert done.stdout == ""
    assert [event.type for event in repo.events()] == ["session.started"]
    executable, agent = shlex.split(handler["command"])
    assert os.path.isabs(executable)
    assert agent == "claude-code"


def test_running_twice_adds_nothing(repo, cli):
    cli("init", "--agent", "claude-code")
    before = tree(repo.path)

    again = cli("init", "--agent", "claude-code", "--json")

    assert tree(repo.path) == before
    assert {row["action"] for row in again.rows} == {"keep"}


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(None, id="no settings file"),
        pytest.param("{}", id="an empty object"),
        pytest.param('{\r\n\t"model": "x",\r\n\t"hooks": {"Stop": []}\r\n}', id="tabs and CRLF"),
        pytest.param('{"permissions": {"allow": ["Bash(ls:*)"]}}', id="one line"),
    ],
)
def test_undo_leaves_every_file_as_it_was(repo, cli, settings, content):
    if content is not None:
        settings.parent.mkdir()
        settings.write_bytes(content.encode())
        settings.chmod(0o640)
    before = tree(repo.path)

    cli("init", "--agent", "claude-code")
    assert tree(repo.path) != before
    assert cli("init", "--undo").status == 0

    assert tree(repo.path) == before


def test_undo_after_two_runs_takes_back_both(repo, cli, settings):
    settings.parent.mkdir()
    settings.write_text('{"hooks": {}}')
    before = tree(repo.path)

    cli("init")
    cli("init", "--agent", "claude-code")
    cli("init", "--agent", "claude-code")
    cli("init", "--undo")

    assert tree(repo.path) == before


def test_undo_keeps_the_ledger_and_what_git_must_not_see_of_it(repo, cli, hook, settings):
    cli("init", "--agent", "claude-code")
    hook({"session_id": "s", "cwd": str(repo.path), "hook_event_name": "SessionStart", "source": "startup"})
    lines = repo.lines()

    assert cli("init", "--undo").status == 0

    assert lines
    assert repo.lines() == lines
    assert repo.git("check-ignore", ".orchestration/agent_trace.jsonl")
    assert not settings.exists()


def test_undo_keeps_what_a_person_changed(repo, cli):
    cli("init", "--agent", "none")
    registry = repo.path / ".orchestration" / "active_intents.yaml"
    registry.write_text("active_intents: [{id: INT-1}]\n")

    cli("init", "--undo")

    assert [path.name for path in registry.parent.iterdir()] == ["active_intents.yaml"]


def test_undo_in_a_clone_needs_no_record(repo, cli, settings):
    cli("init", "--agent", "claude-code")
    (repo.path / ".orchestration" / "state" / "init.json").unlink()

    cli("init", "--undo")

    assert json.loads(settings.read_text()) == {}


def test_undo_with_nothing_to_undo_says_so(cli):
    answer = cli("init", "--undo")

    assert (answer.status, answer.out, answer.err) == (0, "nothing to undo\n", "")


def test_a_dry_run_says_what_would_be_done_and_does_nothing(repo, cli):
    answer = cli("init", "--agent", "claude-code", "--dry-run", "--json")

    assert tree(repo.path) == {}
    created = [row["path"] for row in answer.rows if row["action"] == "create"]
    cli("init", "--agent", "claude-code")
    assert sorted(path.rstrip("/") for path in created) == sorted(set(tree(repo.path)) - {".orchestration/state"})


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("", id="empty"),
        pytest.param('{"a": 1, // why\n}', id="comments"),
        pytest.param("[]", id="not an object"),
        pytest.param('{"hooks": "none"}', id="hooks of another shape"),
    ],
)
def test_a_settings_file_that_cannot_be_edited_stops_everything(repo, cli, settings, content):
    settings.parent.mkdir()
    settings.write_text(content)
    before = tree(repo.path)

    answer = cli("init", "--agent", "claude-code")

    assert answer.status == 2
    assert "settings" in answer.err
    assert tree(repo.path) == before


def test_a_linked_settings_file_is_not_followed(repo, cli, settings, tmp_path):
    (tmp_path / "shared.json").write_text("{}")
    settings.parent.mkdir()
    settings.symlink_to(tmp_path / "shared.json")

    answer = cli("init", "--agent", "claude-code")

    assert answer.status == 2
    assert "symbolic link" in answer.err
    assert (tmp_path / "shared.json").read_text() == "{}"


def test_a_file_in_the_place_of_the_folder_is_named(repo, cli):
    (repo.path / ".orchestration").write_text("mine")

    answer = cli("init")

    assert answer.status == 2
    assert ".orchestration is in the way" in answer.err
    assert "next: look at what it is" in answer.err


def test_a_second_agent_updates_how_it_was_before(repo, cli):
    assert "created .orchestration/state/init.json" in cli("init", "--agent", "cursor").out

    assert "updated .orchestration/state/init.json" in cli("init", "--agent", "windsurf").out


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_repository_is_a_clear_error(repo, cli):
    repo.path.chmod(0o500)
    try:
        answer = cli("init")
    finally:
        repo.path.chmod(0o700)

    assert answer.status == 2
    assert "cannot create" in answer.err
    assert "next: see what keeps you from writing there" in answer.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_of_settings_that_may_not_be_written_stops_everything(repo, cli):
    cli("init", "--agent", "claude-code")
    before, folder = tree(repo.path), repo.path / ".claude"
    folder.chmod(0o555)
    try:
        answer = cli("init", "--enforce", "block")
    finally:
        folder.chmod(0o755)

    assert (answer.status, tree(repo.path)) == (2, before)
    assert f"{folder} is not writable" in answer.err


def test_an_agent_that_is_not_supported_names_those_that_are(repo, cli):
    answer = cli("init", "--agent", "nonsense")

    assert answer.status == 2
    assert "supported: claude-code, codex, " in answer.err
    assert tree(repo.path) == {}


@pytest.mark.parametrize("mode", ["observe", "warn", "block"])
def test_a_new_installation_gets_the_mode_it_was_told(repo, cli, settings, mode):
    assert cli("init", "--agent", "claude-code", "--enforce", mode).status == 0

    assert policy.of(find(str(repo.path))).settings == Settings(mode=mode)
    (group,) = json.loads(settings.read_text())["hooks"]["PreToolUse"]
    assert group["matcher"] == (TOOLS if mode == "observe" else "*")
    assert group["hooks"][0].get("onFailure") == ("block" if mode == "block" else None)


def test_without_a_mode_the_one_that_is_there_stays(repo, cli, config, settings):
    cli("init", "--agent", "claude-code", "--enforce", "block")
    before = tree(repo.path)

    again = cli("init", "--agent", "claude-code", "--json")

    assert {row["action"] for row in again.rows} == {"keep"}
    assert tree(repo.path) == before


def test_a_mode_changes_the_hooks_that_are_here_without_naming_their_agent(repo, cli, settings):
    cli("init", "--agent", "claude-code")
    observing = settings.read_bytes()

    cli("init", "--enforce", "block")
    assert json.loads(settings.read_text())["hooks"]["PreToolUse"][0]["matcher"] == "*"
    cli("init", "--enforce", "observe")

    assert settings.read_bytes() == observing


def test_of_the_settings_of_a_person_only_the_mode_changes(repo, cli, config):
    text = "# ours\r\nenforce: observe  # for now\r\nlessons: false\r\n"
    config(text)

    cli("init", "--enforce", "block")

    path = repo.path / ".orchestration" / "config.yaml"
    assert path.read_bytes().decode() == text.replace("observe", "block")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("enforce: [", "config.yaml:2: not YAML", id="not YAML"),
        pytest.param("enforced: block", "config.yaml:1: there is no setting", id="unknown"),
        pytest.param("\xff", "not UTF-8", id="bytes"),
    ],
)
def test_settings_that_cannot_be_read_stop_everything(repo, cli, config, text, message):
    config(text)
    before = tree(repo.path)

    answer = cli("init", "--agent", "claude-code", "--enforce", "block")

    assert (answer.status, tree(repo.path)) == (2, before)
    assert message in answer.err


@pytest.mark.parametrize("name", ["config.yaml", "config.local.yaml"])
@pytest.mark.parametrize("text", ["enforce: block\n", "codes:\n  OUT_OF_SCOPE: warn\n"])
def test_hooks_are_ready_for_the_strictest_that_somebody_wants(repo, cli, config, settings, name, text):
    config(text, name)

    cli("init", "--agent", "claude-code")

    (group,) = json.loads(settings.read_text())["hooks"]["PreToolUse"]
    assert group["matcher"] == "*"
    assert ("onFailure" in group["hooks"][0]) is ("block" in text)


def test_a_mode_of_this_machine_that_wins_is_told(cli, config):
    config("enforce: observe\n", "config.local.yaml")

    assert "config.local.yaml says `enforce: observe`, which wins" in cli("init", "--enforce", "block").err


def test_agents_are_told_the_order_of_steps_while_it_is_asked_of_them(repo, cli):
    instructions = repo.write("CLAUDE.md", "# Ours\r\n\r\nBe kind.")

    cli("init", "--agent", "claude-code", "--enforce", "block")
    assert "linetrail select" in instructions.read_text()
    cli("init", "--enforce", "observe")

    assert instructions.read_bytes() == b"# Ours\r\n\r\nBe kind."


@pytest.mark.daily(16)
@pytest.mark.parametrize("before", [None, "enforce: warn\n", "lessons: false # no\n"])
@pytest.mark.parametrize("modes", [["block"], ["warn", "block"], ["block", "observe"]], ids=" then ".join)
def test_undo_after_any_modes_leaves_every_file_as_it_was(repo, cli, config, settings, before, modes):
    settings.parent.mkdir()
    settings.write_text('{"hooks": {"PreToolUse": [ ]}}')
    if before is not None:
        config(before)
        cli("init", "--agent", "none")
        (repo.path / ".orchestration" / "config.yaml").write_text(before)
    files = {name: content for name, content in tree(repo.path).items() if before is not None or "orch" not in name}

    for mode in modes:
        cli("init", "--agent", "claude-code", "--enforce", mode)
    cli("init", "--undo")

    left = tree(repo.path)
    assert left[".claude/settings.json"] == files[".claude/settings.json"]
    path = ".orchestration/config.yaml"
    assert left.get(path) == files.get(path)


def test_undo_keeps_settings_that_a_person_changed_since(repo, cli, config):
    path = config("enforce: observe\n")
    cli("init", "--enforce", "block")
    path.write_text("enforce: block\nlessons: false\n")

    cli("init", "--undo")

    assert path.read_text() == "enforce: block\nlessons: false\n"


@pytest.mark.parametrize(
    ("current", "arguments"),
    [
        pytest.param("block", ["--enforce", "warn"], id="block to warn"),
        pytest.param("block", ["--enforce", "observe"], id="block to observe"),
        pytest.param("warn", ["--enforce", "observe"], id="warn to observe"),
        pytest.param("block", ["--undo"], id="undoing block"),
        pytest.param("warn", ["--undo"], id="undoing warn"),
    ],
)
def test_an_agent_may_not_loosen_what_holds(repo, cli, monkeypatch, current, arguments):
    cli("init", "--agent", "claude-code", "--enforce", current)
    before = tree(repo.path)
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s-1")

    answer = cli("init", *arguments)

    assert (answer.status, tree(repo.path)) == (1, before)
    assert f"session s-1), which may not loosen `{current}`" in answer.err
    assert "next: ask a person" in answer.err


def test_an_agent_may_not_loosen_what_the_environment_hides(repo, cli, config, monkeypatch):
    config("enforce: block\nbroken")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s-1")
    monkeypatch.setenv("LINETRAIL_ENFORCE", "observe")

    assert cli("init", "--undo").status == 1


def test_an_agent_may_make_it_stricter_and_undo_what_only_observes(repo, cli, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s-1")

    assert cli("init", "--enforce", "observe").status == 0
    assert cli("init", "--undo").status == 0
    assert cli("init", "--enforce", "block").status == 0


def test_outside_of_a_repository_the_next_command_is_git_init(cli, tmp_path):
    folder = tmp_path / "plain"
    folder.mkdir()

    answer = cli("init", cwd=folder)

    assert answer.status == 2
    assert "next: git init" in answer.err


def test_from_a_folder_below_the_root_is_found(repo, cli):
    below = repo.write("src/deep/file.py", "").parent

    cli("init", "--agent", "claude-code", cwd=below)

    assert (repo.path / ".claude" / "settings.json").exists()
    assert tree(below) == {"file.py": (b"", 0o644)}


def test_a_worktree_gets_hooks_of_its_own(repo, cli, tmp_path):
    repo.commit(files={"a.py": "1\n"})
    other = tmp_path / "other tree"
    repo.git("worktree", "add", "--quiet", "-b", "other", str(other))

    cli("init", "--agent", "claude-code", cwd=other)

    assert (other / ".claude" / "settings.json").exists()
    assert not (repo.path / ".claude").exists()


@pytest.mark.parametrize("name", ["with space", "quo\"te's", "grün 🌿", "-dash"])
def test_any_name_of_the_folder_works(cli, tmp_path, name):
    folder = tmp_path / name
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)

    assert cli("init", "--agent", "claude-code", cwd=folder).status == 0
    assert cli("init", "--undo", cwd=folder).status == 0

    assert tree(folder) == {}


def test_whoever_blocks_is_told_which_agent_is_only_told(repo, cli):
    answer = cli("init", "--agent", "cline", "--enforce", "block")

    assert "note: cline is only told of refusals, since one ends its whole run" in answer.err
    config = repo.path / ".orchestration/config.yaml"
    config.write_text(config.read_text() + "agents: {cline: block}\n")
    assert "only told" not in cli("init", "--agent", "cline", "--enforce", "block").err
    assert "only told" not in cli("init", "--agent", "cursor", "--enforce", "block").err
