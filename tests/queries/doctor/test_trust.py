"""What the files of agents say of the trust that hooks need, in fake home folders; hostile ones stop nobody."""

import json
import os

import pytest

from linetrail.ledger.repository import find
from linetrail.queries.doctor.agents import trusts


@pytest.fixture
def gates(repo):
    """Return a function that gives what an agent's files say, as (opened, message)."""

    def ask(agent, places=()):
        found = trusts(agent, find(str(repo.path)), places)
        return [(gate.given, gate.message, gate.next) for gate in found]

    return ask


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


def test_an_agent_without_a_gate_of_its_own_has_none(gates):
    assert gates("windsurf") == []
    assert gates("nobody") == []


# Claude Code


def test_claude_code_was_never_started(gates):
    assert gates("claude-code") == []


@pytest.mark.parametrize(
    ("project", "opened"),
    [
        pytest.param({"hasTrustDialogAccepted": True}, True, id="accepted"),
        pytest.param({"hasTrustDialogAccepted": False}, None, id="not known: it is written late"),
        pytest.param({"hasTrustDialogAccepted": "yes"}, None, id="of another type"),
        pytest.param([], None, id="no object"),
    ],
)
def test_claude_code_keeps_the_answer_by_folder(home, repo, gates, project, opened):
    put(home / ".claude.json", {"projects": {str(repo.path): project}})

    ((found, message, following),) = gates("claude-code")

    assert found is opened
    assert message.startswith("~/.claude.json ")
    assert (following is None) == (opened is True)


def test_a_linked_worktree_goes_by_the_main_one(home, repo, tmp_path):
    repo.commit("first", {"a.py": "1\n"})
    repo.git("worktree", "add", "--quiet", str(tmp_path / "other"))
    put(home / ".claude.json", {"projects": {str(repo.path): {"hasTrustDialogAccepted": True}}})

    (gate,) = trusts("claude-code", find(str(tmp_path / "other")), [])

    assert gate.given is True


# Codex


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(None, "not marked as trusted", id="no file"),
        pytest.param("", "not marked as trusted", id="an empty file"),
        pytest.param('[projects."{root}"]\ntrust_level = "untrusted"\n', "marked as untrusted", id="untrusted"),
        pytest.param("[projects\n", "cannot be read", id="no TOML"),
        pytest.param("projects = 7\n", "not marked as trusted", id="of another type"),
        pytest.param('[projects."{root}"]\ntrust_level = 1\n', "not marked as trusted", id="a level of another type"),
    ],
)
def test_codex_loads_no_hooks_of_a_folder_that_is_not_trusted(home, repo, gates, text, said):
    if text is not None:
        put(home / ".codex" / "config.toml", text.format(root=repo.path))

    ((opened, message, following),) = gates("codex")

    assert opened is False
    assert said in message
    assert "codex" in following


def test_codex_runs_the_hooks_that_were_reviewed(home, repo, gates):
    hooks = str(repo.path / ".codex" / "hooks.json")
    places = [(hooks, "PreToolUse", 0, 0), (hooks, "PostToolUse", 1, 0), (hooks, "Stop", 0, 2)]
    states = f"""
        [projects."{repo.path}"]
        trust_level = "trusted"
        [hooks.state."{hooks}:pre_tool_use:0:0"]
        trusted_hash = "sha256:1"
        [hooks.state."{hooks}:post_tool_use:1:0"]
        trusted_hash = "sha256:2"
        enabled = false
        [hooks.state."{hooks}:stop:0:0"]
        trusted_hash = "sha256:3"
    """
    put(home / ".codex" / "config.toml", states)

    trusted, off, waiting = gates("codex", places)

    assert trusted[0] is True
    assert off[:2] == (False, "turned off in /hooks: PostToolUse")
    assert waiting[:2] == (False, "not reviewed yet, so they do not run: Stop")
    assert gates("codex", places[:1])[1][0] is True


def test_codex_may_live_somewhere_else(home, repo, gates, tmp_path, monkeypatch):
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "elsewhere"))
    put(tmp_path / "elsewhere" / "config.toml", f'[projects."{repo.path}"]\ntrust_level = "trusted"\n')

    assert gates("codex")[0][0] is True


# Gemini CLI


@pytest.mark.parametrize(
    ("enabled", "rules", "opened"),
    [
        pytest.param(False, None, True, id="folder trust is off"),
        pytest.param(True, None, False, id="asked for, and never answered"),
        pytest.param(True, {"{root}": "TRUST_FOLDER"}, True, id="trusted"),
        pytest.param(True, {"{above}": "TRUST_FOLDER"}, True, id="a folder above is trusted"),
        pytest.param(True, {"{above}/sibling": "TRUST_PARENT"}, True, id="trusted with its siblings"),
        pytest.param(True, {"{root}": "DO_NOT_TRUST", "{above}": "TRUST_FOLDER"}, False, id="its own rule counts"),
        pytest.param(True, {"{root}x": "TRUST_FOLDER"}, False, id="a name that begins alike"),
        pytest.param(None, {"{root}": "DO_NOT_TRUST"}, False, id="told no, and the switch is not written"),
        pytest.param(None, {"{root}": 7}, None, id="of another type"),
    ],
)
def test_gemini_trusts_folders(home, repo, gates, enabled, rules, opened):
    if enabled is not None:
        put(home / ".gemini" / "settings.json", {"security": {"folderTrust": {"enabled": enabled}}})
    if rules is not None:
        named = {path.format(root=repo.path, above=repo.path.parent): rule for path, rule in rules.items()}
        put(home / ".gemini" / "trustedFolders.json", named)

    ((found, _, _),) = gates("gemini-cli")

    assert found is opened


def test_gemini_was_never_started(gates):
    assert gates("gemini-cli") == []


# Copilot CLI


@pytest.mark.parametrize(
    ("config", "opened"),
    [
        pytest.param({"trustedFolders": ["{root}"]}, True, id="trusted"),
        pytest.param({"trusted_folders": ["{above}"]}, True, id="as older versions spell it, a folder above"),
        pytest.param({"trustedFolders": ["{root}/sub"]}, None, id="another folder: perhaps trusted for a session"),
        pytest.param({"trustedFolders": "{root}"}, None, id="of another type"),
    ],
)
def test_copilot_trusts_folders(home, repo, gates, config, opened):
    text = json.dumps(config).replace("{root}", str(repo.path)).replace("{above}", str(repo.path.parent))
    put(home / ".copilot" / "config.json", "// managed by Copilot\n" + text)

    ((found, _, _),) = gates("copilot-cli")

    assert found is opened


# Whatever somebody put there

NAMES = (".claude.json", ".codex/config.toml", ".gemini/trustedFolders.json", ".copilot/config.json")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "place",
    [
        pytest.param(lambda path: path.write_bytes(os.urandom(4096)), id="noise"),
        pytest.param(lambda path: path.write_bytes(b"[" * 5_000_000), id="huge"),
        pytest.param(lambda path: path.symlink_to(path.name), id="a loop"),
        pytest.param(lambda path: path.mkdir(), id="a folder"),
        pytest.param(os.mkfifo, id="a pipe"),
        pytest.param(lambda path: path.write_text('{"projects": [1]}'), id="other types"),
    ],
)
def test_nothing_in_the_home_folder_opens_a_gate_by_accident(home, gates, name, place):
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    place(path)

    for agent in ("claude-code", "codex", "gemini-cli", "copilot-cli"):
        assert not any(opened for opened, _, _ in gates(agent))
