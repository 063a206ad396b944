"""Turn the YAML of ``config.yaml`` into settings, with the line of every mistake.

No hook comes here unless a file was changed. What is not known is an error: a setting that is silently ignored is one
that somebody relies on.
"""

from collections.abc import Callable, Mapping
from typing import Any

import yaml

from linetrail.ledger.agents import ONLY_TOLD
from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.gate.refusals import ADVICE
from linetrail.ledger.gate.settings import ASK, BLOCK, FINAL, MODES, WARN, Settings
from linetrail.ledger.intents.registry import MisreadError, compose, is_null
from linetrail.ledger.paths.globs import ScopeError, compile_scope
from linetrail.ledger.paths.paths import (
    HARD_LINKED,
    INVALID_PATH,
    NOT_A_FILE,
    OUTSIDE,
    PROTECTED,
    SPECIAL_FILE,
    UNRESOLVABLE,
)

CODES = frozenset(ADVICE) | {INVALID_PATH, OUTSIDE, PROTECTED, NOT_A_FILE, SPECIAL_FILE, HARD_LINKED, UNRESOLVABLE}
# What is allowed under these codes a person may want to be asked about.
ALLOWED = frozenset({"IN_SCOPE", "INTENT_OPEN"})
MAX_SECONDS = 7 * 24 * 3600
_SWITCH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class SettingsError(LinetrailError):
    """A settings file that cannot be read, or says something that is no setting."""

    hint = "repair the file; docs/gate.md names all settings"


def parse(content: bytes, name: str, base: Settings) -> Settings:
    """Return the settings of one file over those of `base`; `name` is the file that stands in every message."""
    try:
        root = compose(content)
    except MisreadError as error:
        raise SettingsError(f"{name}:{error.line}: {error}") from None
    if root is None or is_null(root):
        return base
    changes: dict[str, Any] = {}
    for key, node in _members(root, name).items():
        if key not in _READERS:
            raise SettingsError(f"{_at(node, name)}: there is no setting {key!r}; there are {', '.join(_READERS)}")
        changes |= _READERS[key](node, name)
    for merged in ("codes", "agents"):
        changes[merged] = {**getattr(base, merged), **changes.get(merged, {})}
    return base._replace(**changes)


def _mode(node: yaml.Node, name: str) -> dict[str, Any]:
    return {"mode": _one_of(node, name, MODES)}


def _codes(node: yaml.Node, name: str) -> dict[str, Any]:
    chosen = _members(node, name)
    for code, value in chosen.items():
        if code in ALLOWED:
            _one_of(value, name, (ASK,))
        elif code not in CODES:
            raise SettingsError(f"{_at(value, name)}: there is no code {code!r}; docs/gate.md lists them")
        if code == PROTECTED and _text(value, name) != BLOCK:
            raise SettingsError(f"{_at(value, name)}: {code} can only be block: what guards the gate is not loosened")
        if code in FINAL and _text(value, name) == ASK:
            raise SettingsError(f"{_at(value, name)}: no answer of a person lifts {code}; write block, warn or observe")
    return {"codes": {code: _one_of(value, name, (*MODES, ASK)) for code, value in chosen.items()}}


def _agents(node: yaml.Node, name: str) -> dict[str, Any]:
    chosen = _members(node, name)
    for agent, value in chosen.items():
        if agent not in ONLY_TOLD:
            known = ", ".join(ONLY_TOLD)
            raise SettingsError(f"{_at(value, name)}: {agent!r} is no agent that a refusal ends; there is only {known}")
    return {"agents": {agent: _one_of(value, name, (WARN, BLOCK)) for agent, value in chosen.items()}}


def _tools(node: yaml.Node, name: str) -> dict[str, Any]:
    return _section({"safe": _names("safe_tools"), "writing": _names("writing_tools")})(node, name)


def _commands(node: yaml.Node, name: str) -> dict[str, Any]:
    from linetrail.ledger.shell.commands import judge, stated

    if not isinstance(node, yaml.SequenceNode):
        raise SettingsError(f'{_at(node, name)}: expected a list of `{{match: "make lint", is: reads}}`')
    found: dict[str, list[str]] = {"reads": [], "runs": []}
    for item in node.value:
        members = _members(item, name)
        if set(members) != {"match", "is"}:
            raise SettingsError(
                f'{_at(item, name)}: expected `match` and `is`, as in {{match: "make lint", is: reads}}'
            )
        kind = _one_of(members["is"], name, tuple(found))
        command = _text(members["match"], name)
        at = _at(members["match"], name)
        if stated(command) is None:
            raise SettingsError(f"{at}: {command!r} is not one plain command, without quotes, expansions and paths up")
        judged = judge(command)
        if judged.cls == "dangerous":
            raise SettingsError(f"{at}: {command!r} cannot be stated to {kind[:-1]}: {judged.reason}")
        if kind == "runs" and " " in command.strip():
            raise SettingsError(f"{at}: {command!r} is not the name of a program")
        found[kind].append(" ".join(command.split()))
    return {"reading_commands": found["reads"], "own_programs": found["runs"]}


def _workers(node: yaml.Node, name: str) -> dict[str, Any]:
    import shlex

    members = _members(node, name)
    seconds = members.pop("seconds", None)
    found = {worker: _text(value, name) for worker, value in members.items()}
    for worker, command in found.items():
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise SettingsError(f"{_at(members[worker], name)}: {command!r} is no command line: {error}") from None
        if not words:
            raise SettingsError(f'{_at(members[worker], name)}: expected a command line, as in "claude -p {{brief}}"')
    limit = {} if seconds is None else _whole("worker_seconds", 1, MAX_SECONDS)(seconds, name)
    return {"workers": found} | limit


def _names(field: str) -> "Reader":
    def read(node: yaml.Node, name: str) -> dict[str, Any]:
        if not isinstance(node, yaml.SequenceNode):
            raise SettingsError(f"{_at(node, name)}: expected a list of names")
        return {field: [_text(item, name) for item in node.value]}

    return read


def _patterns(node: yaml.Node, name: str) -> dict[str, Any]:
    found = _names("approve_paths")(node, name)
    try:
        compile_scope(found["approve_paths"])
    except ScopeError as error:
        raise SettingsError(f"{_at(node, name)}: {error}") from None
    return found


def _switch(field: str) -> "Reader":
    return lambda node, name: {field: _SWITCH[_one_of(node, name, tuple(_SWITCH))]}


def _whole(field: str, least: int, most: int) -> "Reader":
    def read(node: yaml.Node, name: str) -> dict[str, Any]:
        text = _text(node, name)
        if not (text.isascii() and text.isdigit() and len(text) < 9 and least <= int(text) <= most):
            raise SettingsError(f"{_at(node, name)}: expected a whole number from {least} to {most}, not {text!r}")
        return {field: int(text)}

    return read


def _section(readers: "Mapping[str, Reader]") -> "Reader":
    def read(node: yaml.Node, name: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in _members(node, name).items():
            if key not in readers:
                raise SettingsError(f"{_at(value, name)}: there is no setting {key!r} here, only {', '.join(readers)}")
            found |= readers[key](value, name)
        return found

    return read


Reader = Callable[[yaml.Node, str], dict[str, Any]]
_READERS: dict[str, Reader] = {
    "enforce": _mode,
    "codes": _codes,
    "agents": _agents,
    "tools": _tools,
    "commands": _commands,
    "approve_selection": _switch("approve_selection"),
    "approvals": _section(
        {
            "seconds": _whole("approval_seconds", 1, MAX_SECONDS),
            "paths": _patterns,
            "commands": _names("approve_commands"),
        }
    ),
    "lease_seconds": _whole("lease_seconds", 1, 3600),
    "leases": _section({"silence_seconds": _whole("silence_seconds", 1, MAX_SECONDS)}),
    "breaker": _section(
        {
            "threshold": _whole("breaker_threshold", 1, 1000),
            "window_seconds": _whole("breaker_window_seconds", 1, MAX_SECONDS),
            "cooldown_seconds": _whole("breaker_cooldown_seconds", 1, MAX_SECONDS),
        }
    ),
    "context": _section({"max_tokens": _whole("context_tokens", 50, 4000)}),
    "lessons": _switch("lessons"),
    "workers": _workers,
    "after_session": _switch("after_session"),
    "leaks": lambda node, name: {"leaks": _one_of(node, name, ("off", "warn", "refuse"))},
    "thoughts": lambda node, name: {"thoughts": _one_of(node, name, ("off", "record"))},
}
# What may stand at the top of a file.
KEYS = tuple(_READERS)


def _members(node: yaml.Node, name: str) -> dict[str, yaml.Node]:
    if is_null(node):
        return {}
    if not isinstance(node, yaml.MappingNode):
        raise SettingsError(f"{_at(node, name)}: expected `key: value`")
    members: dict[str, yaml.Node] = {}
    for key, value in node.value:
        text = _text(key, name)
        if text in members:
            raise SettingsError(f"{_at(key, name)}: {text!r} is here twice")
        members[text] = value
    return members


def _one_of(node: yaml.Node, name: str, words: tuple[str, ...]) -> str:
    text = _text(node, name)
    if text not in words:
        raise SettingsError(f"{_at(node, name)}: expected one of {', '.join(words)}, not {text!r}")
    return text


def _text(node: yaml.Node, name: str) -> str:
    if not isinstance(node, yaml.ScalarNode):
        raise SettingsError(f"{_at(node, name)}: expected a word")
    return str(node.value)


def _at(node: yaml.Node, name: str) -> str:
    return f"{name}:{1 + (node.start_mark.line if node.start_mark else 0)}"
