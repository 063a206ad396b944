"""Settings that turn hooks or refusals off without a word are named with the file; hostile files turn nothing off."""

import json
import os

import pytest

from linetrail.ledger.gate.settings import BLOCK, OBSERVE
from linetrail.ledger.repository import find
from linetrail.queries.doctor import switches


@pytest.fixture
def check(repo):
    """Return a function that gives what is found in an agent's settings, as (level, message, next)."""

    def run(agent, mode=OBSERVE):
        found = switches.check(agent, find(str(repo.path)), mode)
        return [(finding.level, finding.message, finding.next) for finding in found]

    return run


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))


PROJECT = [
    ("claude-code", ".claude/settings.json", '{"disableAllHooks": true}', "disableAllHooks"),
    ("claude-code", ".claude/settings.local.json", '{"allowManagedHooksOnly": true}', "allowManagedHooksOnly"),
    ("claude-code", ".claude/settings.json", '{"strictPluginOnlyCustomization": true}', "strictPlugin"),
    ("continue-cli", ".continue/settings.local.json", '{"disableAllHooks": true}', "disableAllHooks"),
    ("codex", ".codex/config.toml", "[features]\nhooks = false\n", "features.hooks"),
    ("codex", ".codex/config.toml", "features = {codex_hooks = false}\n", "features.codex_hooks"),
    ("gemini-cli", ".gemini/settings.json", '{"hooksConfig": {"enabled": false}}', "hooksConfig.enabled"),
    (
        "gemini-cli",
        ".gemini/settings.json",
        '{"hooksConfig": {"disabled": ["x", "linetrail"]}}',
        "hooksConfig.disabled",
    ),
    ("copilot-cli", ".github/copilot/settings.local.json", '{"disableAllHooks": true}', "disableAllHooks"),
    ("copilot-cli", ".github/hooks/other.json", '{"version": 1, "disableAllHooks": true}', "disableAllHooks"),
    ("vscode-copilot", ".vscode/settings.json", '{"chat.useHooks": false, // no\n}', "chat.useHooks"),
    (
        "vscode-copilot",
        ".vscode/settings.json",
        '{"chat.hookFilesLocations": {".github/hooks": false}}',
        "chat.hookFilesLocations..github/hooks",
    ),
]


@pytest.mark.parametrize(("agent", "file", "text", "key"), PROJECT)
def test_a_switch_in_the_project_is_an_error(repo, check, agent, file, text, key):
    put(repo.path / file, text)

    ((level, message, following),) = check(agent)

    assert level == "error"
    assert message.startswith(key)
    assert str(repo.path / file) in message
    assert following


@pytest.mark.parametrize(
    ("agent", "file", "text"),
    [
        ("claude-code", ".claude/settings.json", '{"disableAllHooks": true}'),
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n"),
        ("gemini-cli", ".gemini/settings.json", '{"hooksConfig": {"enabled": false}}'),
        ("copilot-cli", ".copilot/config.json", '{"disableAllHooks": true}'),
        ("vscode-copilot", ".config/Code/User/settings.json", '{"chat.useHooks": false}'),
    ],
)
def test_a_switch_of_a_person_is_an_error_that_names_their_file(home, check, agent, file, text):
    put(home / file, text)

    ((level, message, _),) = check(agent)

    assert (level, f"~/{file}" in message) == ("error", True)


@pytest.mark.parametrize(("agent", "file", "text", "_"), PROJECT)
def test_a_value_of_another_type_turns_nothing_off(repo, check, agent, file, text, _):
    for old, new in (("true", '"true"'), ("false", "0"), ("linetrail", "lintrail")):
        text = text.replace(old, new)
    put(repo.path / file, text)

    assert check(agent) == []


@pytest.mark.parametrize(
    ("settings", "mode", "found"),
    [
        pytest.param({"env": {"LINETRAIL_ENFORCE": "observe"}}, BLOCK, 1, id="of all that is started"),
        pytest.param({"env": {"LINETRAIL_ENFORCE": "block"}}, BLOCK, 0, id="as strict"),
        pytest.param({"env": {"LINETRAIL_ENFORCE": "observe"}}, OBSERVE, 0, id="nothing is refused anyway"),
        pytest.param(
            {"hooks": {"e": [{"hooks": [{"env": {"LINETRAIL_ENFORCE": "warn"}}]}]}}, BLOCK, 1, id="of one hook"
        ),
        pytest.param({"env": {"CLAUDE_CODE_SESSION_ID": "x", "CURSOR_AGENT": ""}}, OBSERVE, 2, id="who an agent is"),
        pytest.param({"env": ["LINETRAIL_ENFORCE"]}, BLOCK, 0, id="of another type"),
    ],
)
def test_variables_that_loosen_are_errors(repo, check, settings, mode, found):
    put(repo.path / ".gemini" / "settings.json", settings)

    assert [level for level, _, _ in check("gemini-cli", mode)] == ["error"] * found


@pytest.mark.parametrize(
    "place",
    [
        pytest.param(lambda path: path.write_bytes(os.urandom(4096)), id="noise"),
        pytest.param(lambda path: path.write_bytes(b" " * 5_000_000), id="huge"),
        pytest.param(lambda path: path.symlink_to(path.name), id="a loop"),
        pytest.param(lambda path: path.mkdir(), id="a folder"),
        pytest.param(os.mkfifo, id="a pipe"),
    ],
)
@pytest.mark.parametrize(
    ("agent", "file"),
    [(agent, file) for agent, file, *_ in PROJECT if agent != "copilot-cli"] + [("cursor", ".cursor/hooks.json")],
)
def test_a_file_that_cannot_be_read_is_a_warning(repo, check, agent, file, place):
    path = repo.path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    place(path)

    ((level, message, _),) = check(agent)

    assert (level, str(path) in message) == ("warning", True)


def test_an_agent_without_switches_has_none(check):
    assert check("windsurf") == []
