"""The packages in plugins/ are made from one source, are what their agents read, and never stop one by accident."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest
import yaml

from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.queries.command_line import COMMANDS
from linetrail.queries.setup import entries
from linetrail.queries.setup.preamble import TEXT
from tests.conftest import command
from tests.gated import BLOCK, REGISTRY

ROOT = Path(__file__).resolve().parent.parent
PLUGINS = ROOT / "plugins"
# Written by hand, and for an editor: docs/editors.md.
EDITOR = "vscode"
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
AGENTS = ("claude-code", "codex", "gemini-cli")
# What the agents ask of these files, held against their own schemas and readers in SchemaStore 3b6446ad, gemini-cli
# 5411f113 and the loader of openai/codex. A closed object is one where a key more voids the file.
TEXTS = {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1}
WORDS = {"type": "string", "minLength": 1}
NAMED = {"type": "object", "required": ["name"], "properties": {"name": WORDS}}
SEMANTIC = {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"}
KEBAB = {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"}
SERVER = {
    "type": "object",
    "required": ["command"],
    "properties": {"command": WORDS, "args": TEXTS},
    "additionalProperties": False,
}
SERVERS = {"type": "object", "required": ["linetrail"], "additionalProperties": SERVER}
MANIFEST = {
    "name": KEBAB,
    "version": SEMANTIC,
    "description": WORDS,
    "author": NAMED,
    "license": WORDS,
    "keywords": TEXTS,
}
INTERFACE = ("displayName", "shortDescription", "longDescription", "developerName", "category")
PROMPTS = {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "string", "maxLength": 128}}


def closed(properties, *optional):
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def hooks(events, handler):
    group = closed({"matcher": WORDS, "hooks": {"type": "array", "minItems": 1, "items": handler}}, "matcher")
    events = {"type": "object", "propertyNames": {"enum": events}, "additionalProperties": {"items": group}}
    return closed({"hooks": events})


HANDLER = {"type": {"const": "command"}, "command": WORDS, "timeout": {"type": "integer", "minimum": 1}}
# The events of the project's own hooks are a part of these.
CLAUDE_EVENTS = [
    *("PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest", "PermissionDenied", "Notification"),
    *("UserPromptSubmit", "SessionStart", "SessionEnd", "Stop", "StopFailure", "SubagentStart", "SubagentStop"),
    *("PreCompact", "PostCompact"),
]
CODEX_EVENTS = [
    *("SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse"),
    *("PreCompact", "PostCompact", "SubagentStart", "SubagentStop", "Stop", "Interrupt"),
]
GEMINI_EVENTS = [
    *("BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection"),
    *("SessionStart", "SessionEnd", "Notification", "PreCompress"),
]
SCHEMAS = {
    "claude-code/.claude-plugin/plugin.json": closed(MANIFEST),
    "claude-code/.mcp.json": closed({"mcpServers": SERVERS}),
    "claude-code/hooks/hooks.json": hooks(CLAUDE_EVENTS, closed(HANDLER)),
    "codex/.codex-plugin/plugin.json": closed(
        {
            **MANIFEST,
            "interface": closed(
                {**dict.fromkeys(INTERFACE, WORDS), "capabilities": TEXTS, "defaultPrompt": PROMPTS},
            ),
        }
    ),
    "codex/.mcp.json": closed({"mcpServers": SERVERS}),
    "codex/hooks/hooks.json": hooks(CODEX_EVENTS, closed({**HANDLER, "commandWindows": WORDS})),
    "gemini-cli/gemini-extension.json": closed(
        {"name": KEBAB, "version": SEMANTIC, "description": WORDS, "contextFileName": WORDS, "mcpServers": SERVERS}
    ),
    "gemini-cli/hooks/hooks.json": hooks(GEMINI_EVENTS, closed({**HANDLER, "name": WORDS})),
    ".claude-plugin/marketplace.json": closed(
        {
            "name": KEBAB,
            "description": WORDS,
            "owner": NAMED,
            "plugins": {
                "items": closed(
                    {
                        "name": KEBAB,
                        "description": WORDS,
                        "version": SEMANTIC,
                        "source": {"type": "string", "pattern": r"^\./"},
                    }
                )
            },
        }
    ),
    ".agents/plugins/marketplace.json": closed(
        {
            "name": KEBAB,
            "interface": closed({"displayName": WORDS}),
            "plugins": {
                "items": closed(
                    {
                        "name": KEBAB,
                        "source": closed({"source": {"const": "local"}, "path": {"pattern": r"^\./[^/.]"}}),
                        "policy": closed(
                            {
                                "installation": {"enum": ["NOT_AVAILABLE", "AVAILABLE", "INSTALLED_BY_DEFAULT"]},
                                "authentication": {"enum": ["ON_INSTALL", "ON_USE"]},
                            }
                        ),
                        "category": WORDS,
                    }
                )
            },
        }
    ),
}


def tree(folder):
    files = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    return {path.as_posix(): file.read_bytes() for path, file in files.items() if path.parts[0] != EDITOR}


def document(path):
    return json.loads((PLUGINS / path).read_text("utf-8"))


def commands(agent):
    """Return the command of each event, in the package of an agent."""
    events = document(f"{agent}/hooks/hooks.json")["hooks"]
    return {event: group["hooks"][0]["command"] for event, (group,) in events.items()}


def sh(text, payload, folder, path):
    """Run a command as an agent does, with nothing but these folders to find programs in."""
    return subprocess.run(
        [shutil.which("sh"), "-c", text],
        cwd=folder,
        env={**os.environ, "PATH": path},
        input=json.dumps(payload).encode(),
        capture_output=True,
        check=False,
        timeout=30,
    )


@pytest.fixture
def installed():
    """Return a search path that has linetrail."""
    return os.pathsep.join([os.path.dirname(command("linetrail-hook")), os.environ["PATH"]])


def test_the_packages_are_what_the_script_makes(tmp_path):
    script = ROOT / "tools" / "make_plugins.py"
    subprocess.run([sys.executable, "-B", script, tmp_path], check=True, capture_output=True)

    assert tree(PLUGINS) == tree(tmp_path), "make them anew: python tools/make_plugins.py"


def test_an_option_is_no_folder(tmp_path):
    script = ROOT / "tools" / "make_plugins.py"
    subprocess.run([sys.executable, "-B", script, "--help"], cwd=tmp_path, check=True, capture_output=True)

    assert not tree(tmp_path)


@pytest.mark.daily(4)
@pytest.mark.parametrize("path", sorted(SCHEMAS))
def test_a_file_has_what_its_agent_asks_for(path):
    jsonschema.validate(document(path), SCHEMAS[path])


def test_every_document_is_held_against_something():
    assert {path for path in tree(PLUGINS) if path.endswith(".json")} == set(SCHEMAS)


@pytest.mark.parametrize("agent", AGENTS)
def test_a_package_hears_every_event_that_an_installation_hears(agent):
    assert list(commands(agent)) == list(CATALOGUE[agent].events)


@pytest.mark.parametrize(
    "manifest",
    ["claude-code/.claude-plugin/plugin.json", "codex/.codex-plugin/plugin.json", "gemini-cli/gemini-extension.json"],
)
def test_a_package_has_the_version_of_the_project(manifest):
    assert document(manifest)["version"] == VERSION


def test_the_lists_lead_to_the_packages():
    (claude,) = document(".claude-plugin/marketplace.json")["plugins"]
    (codex,) = document(".agents/plugins/marketplace.json")["plugins"]

    assert document(f"{claude['source']}/.claude-plugin/plugin.json")["name"] == claude["name"]
    assert document(f"{codex['source']['path']}/.codex-plugin/plugin.json")["name"] == codex["name"]


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_the_skill_tells_the_order_of_steps(agent):
    _, head, body = (PLUGINS / agent / "skills" / "linetrail" / "SKILL.md").read_text("utf-8").split("---\n", 2)
    known = yaml.safe_load(head)

    assert known["name"] == "linetrail"
    assert len(known["description"]) <= 1024
    assert TEXT in body
    assert set(re.findall(r"`linetrail ([a-z-]+)", body)) <= set(COMMANDS)


def test_gemini_cli_is_told_the_order_of_steps_where_it_looks_for_it():
    extension = document("gemini-cli/gemini-extension.json")

    assert TEXT in (PLUGINS / "gemini-cli" / extension["contextFileName"]).read_text("utf-8")


def test_the_commands_of_codex_stay_as_they_were_trusted():
    assert commands("codex")["PreToolUse"] == (
        "command -v linetrail-hook >/dev/null 2>&1 || exit 0; linetrail-hook codex --event PreToolUse || exit 0"
    ), "with another text, every person has to review the hooks again before one is called"


@pytest.mark.in_turn
@pytest.mark.daily(4)
@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(
    "hook",
    [
        pytest.param(None, id="not installed"),
        pytest.param("#!/nowhere/python\n", id="its interpreter is gone"),
        pytest.param("#!/bin/sh\necho no module >&2; exit 2\n", id="it ends with what agents read as a refusal"),
    ],
)
def test_where_the_hook_is_missing_or_broken_the_agent_goes_on(repo, tmp_path, agent, hook):
    repo.start_ledger()
    repo.write(".orchestration/config.yaml", BLOCK)
    folder = tmp_path / "bin"
    folder.mkdir()
    if hook is not None:
        (folder / "linetrail-hook").write_text(hook)
        (folder / "linetrail-hook").chmod(0o755)

    for text in commands(agent).values():
        done = sh(text, {}, repo.path, str(folder))

        assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.slow
@pytest.mark.parametrize("agent", AGENTS)
def test_where_it_is_there_each_repository_says_how_strict_it_is(repo, installed, agent):
    row = CATALOGUE[agent]
    event = row.gates[0]
    tool = {"tool_name": "run_shell_command" if agent == "gemini-cli" else "Bash", "tool_use_id": "call_1"}
    payload = {"session_id": "s1", "cwd": str(repo.path), "hook_event_name": event, "turn_id": "t1", "model": "m"}
    payload |= {**tool, "tool_input": {"command": "rm a.py"}, "permission_mode": "default"}
    text = commands(agent)[event]

    assert sh(text, payload, repo.path, installed).stdout == b""
    assert not (repo.path / ".orchestration").exists()

    repo.start_ledger()
    assert sh(text, payload, repo.path, installed).stdout == b""
    assert repo.events("tool.requested")

    repo.write(".orchestration/active_intents.yaml", REGISTRY)
    repo.write(".orchestration/config.yaml", BLOCK)
    done = sh(text, payload, repo.path, installed)
    assert done.returncode == 0
    assert b"NO_INTENT" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("agent", AGENTS)
def test_beside_the_hooks_of_a_project_everything_is_recorded_once(repo, installed, agent):
    repo.start_ledger()
    row = CATALOGUE[agent]
    text, _ = entries.install(entries.new_file(row), row, command("linetrail-hook"))
    ours = {event: group["hooks"][0]["command"] for event, (group,) in json.loads(text)["hooks"].items()}
    tool = {"tool_name": "run_shell_command" if agent == "gemini-cli" else "Bash", "tool_input": {"command": "ls"}}
    common = {"session_id": "s1", "cwd": str(repo.path), "turn_id": "t1", "model": "m", "permission_mode": "default"}

    for event in ("SessionStart", *row.gates):
        called = {**common, "hook_event_name": event, "source": "startup", "prompt": "round the totals", **tool}
        for once in (ours[event], commands(agent)[event]):
            assert sh(once, called, repo.path, installed).returncode == 0

    assert [event.type for event in repo.events()] == ["session.started", "tool.requested"]
