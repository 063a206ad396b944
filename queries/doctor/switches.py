"""Look for settings of agents that turn hooks, or refusals, off without a word.

One row for each switch, with the files it may stand in. A file that cannot be read turns nothing off as far as we know;
that it cannot be read is told.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from linetrail.ledger.gate.policy import MODES, VARIABLE
from linetrail.ledger.intents.selection import VARIABLES
from linetrail.ledger.repository import Repository
from linetrail.queries.doctor.health import ERROR, WARNING, Finding
from linetrail.queries.doctor.reading import Document, at, home, read_json, read_toml, shown

CHECK = "switches"
REMOVE = "remove it there"
ADMINISTRATOR = "ask your administrator"
# How deep settings are searched for variables that an agent sets for what it starts.
_DEEPEST = 6
_CLAUDE_MANAGED = ("/etc/claude-code", "/Library/Application Support/ClaudeCode")
_COPILOT_POLICY = "/etc/github-copilot/policy.d"
_CODE_USER = "Library/Application Support/Code/User" if sys.platform == "darwin" else ".config/Code/User"


class Switch(NamedTuple):
    """A value that turns hooks off where it stands under these keys."""

    keys: tuple[str, ...]
    value: object
    effect: str
    advice: str = REMOVE


_ALL_OFF = Switch(("disableAllHooks",), value=True, effect="turns every hook off")
_MANAGED_ONLY = Switch(("allowManagedHooksOnly",), value=True, effect="turns project hooks off", advice=ADMINISTRATOR)
_PLUGINS_ONLY = Switch(
    ("strictPluginOnlyCustomization",), value=True, effect="lets only plugins have hooks", advice=ADMINISTRATOR
)
# agent -> what turns its hooks off
SWITCHES: Mapping[str, tuple[Switch, ...]] = {
    "claude-code": (_ALL_OFF, _MANAGED_ONLY, _PLUGINS_ONLY),
    "continue-cli": (_ALL_OFF,),
    "codex": (
        Switch(("features", "hooks"), value=False, effect="turns every hook off"),
        Switch(("features", "codex_hooks"), value=False, effect="turns every hook off"),
        Switch(("allow_managed_hooks_only",), value=True, effect="turns project hooks off", advice=ADMINISTRATOR),
    ),
    "gemini-cli": (Switch(("hooksConfig", "enabled"), value=False, effect="turns every hook off"),),
    "copilot-cli": (_ALL_OFF,),
    "vscode-copilot": (
        Switch(("chat.useHooks",), value=False, effect="turns every hook off"),
        Switch(("chat.hookFilesLocations", ".github/hooks"), value=False, effect="lets VS Code skip our file"),
    ),
}


def files(agent: str, root: str) -> list[str]:
    """Return the files that an agent reads its settings from, as far as they can turn hooks off."""
    find = _FILES.get(agent)
    return list(find(root)) if find else []


def check(agent: str, repository: Repository, mode: str) -> Iterator[Finding]:
    """Yield what stands in an agent's settings that should not, where hooks are to do what `mode` says."""
    for path in files(agent, repository.root):
        document = read_toml(path) if path.endswith(".toml") else read_json(path)
        where = shown(path)
        if document.problem:
            message = f"{agent}: {where} {document.problem}, so nobody knows what it turns off"
            yield Finding(CHECK, WARNING, message, "repair the file, or move it away")
        for switch in SWITCHES.get(agent, ()):
            if at(document.values, *switch.keys) is switch.value:
                message = f"{'.'.join(switch.keys)} in {where} {switch.effect}"
                yield Finding(CHECK, ERROR, message, switch.advice)
        yield from _disabled(agent, document)
        yield from _variables(document, mode)


def _disabled(agent: str, document: Document) -> Iterator[Finding]:
    """Look for our hook in Gemini's list of those that are turned off by their name, or by their command."""
    names = at(document.values, "hooksConfig", "disabled") if agent == "gemini-cli" else None
    for name in names if isinstance(names, list) else []:
        if isinstance(name, str) and "linetrail" in name:
            message = f"hooksConfig.disabled in {shown(document.path)} turns {name!r} off"
            yield Finding(CHECK, ERROR, message, "/hooks enable in Gemini CLI")


def _variables(document: Document, mode: str) -> Iterator[Finding]:
    """Look at the variables that an agent sets for what it starts, hooks too."""
    where = shown(document.path)
    for environment in _environments(document.values, _DEEPEST):
        told = environment.get(VARIABLE)
        if told in MODES and MODES.index(told) < MODES.index(mode):
            yield Finding(CHECK, ERROR, f"{VARIABLE} is {told} in {where}, which wins over `{mode}`", REMOVE)
        for name in sorted(set(VARIABLES) & set(environment)):
            message = f"{name} is set in {where}, so an agent's shell cannot be told from a person's"
            yield Finding(CHECK, ERROR, message, REMOVE)


def _environments(value: Any, left: int) -> Iterator[Mapping[str, Any]]:
    """Yield every object named `env`, of the settings as a whole or of one hook."""
    if left == 0 or not isinstance(value, dict | list):
        return
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if key == "env" and isinstance(item, dict):
            yield item
        else:
            yield from _environments(item, left - 1)


def _in(folder: str) -> list[str]:
    """Return the settings in a folder that are read in the order of their names."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names if name.endswith(".json")]


def _claude_code(root: str) -> Iterator[str]:
    """Yield the settings that Claude Code merges, the managed ones last."""
    yield home(".claude", "settings.json")
    yield os.path.join(root, ".claude", "settings.json")
    yield os.path.join(root, ".claude", "settings.local.json")
    for folder in _CLAUDE_MANAGED:
        yield os.path.join(folder, "managed-settings.json")
        yield from _in(os.path.join(folder, "managed-settings.d"))


def _codex(root: str) -> Iterator[str]:
    yield home(".codex", "config.toml")
    yield os.path.join(root, ".codex", "config.toml")
    yield "/etc/codex/config.toml"
    yield "/etc/codex/requirements.toml"


def _gemini(root: str) -> Iterator[str]:
    yield home(".gemini", "settings.json")
    yield os.path.join(root, ".gemini", "settings.json")
    yield "/etc/gemini-cli/system-defaults.json"
    yield "/etc/gemini-cli/settings.json"
    yield "/Library/Application Support/GeminiCli/settings.json"


def _copilot(root: str) -> Iterator[str]:
    yield home(".copilot", "settings.json")
    yield home(".copilot", "config.json")
    yield os.path.join(root, ".github", "copilot", "settings.json")
    yield os.path.join(root, ".github", "copilot", "settings.local.json")
    yield from _in(os.path.join(root, ".github", "hooks"))
    yield from _in(_COPILOT_POLICY)


def _code(root: str) -> Iterator[str]:
    yield home(*_CODE_USER.split("/"), "settings.json")
    yield os.path.join(root, ".vscode", "settings.json")


def _continue(root: str) -> Iterator[str]:
    yield home(".continue", "settings.json")
    yield os.path.join(root, ".continue", "settings.json")
    yield os.path.join(root, ".continue", "settings.local.json")


def _cursor(root: str) -> Iterator[str]:
    yield home(".cursor", "hooks.json")
    yield os.path.join(root, ".cursor", "hooks.json")


_FILES: dict[str, Callable[[str], Iterator[str]]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "gemini-cli": _gemini,
    "copilot-cli": _copilot,
    "vscode-copilot": _code,
    "continue-cli": _continue,
    "cursor": _cursor,
}
