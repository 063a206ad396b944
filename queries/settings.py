"""Read an agent's settings file, and put our hooks into its text and take them out again.

The file belongs to a person. Whatever is not a plain file with strict JSON in it is left alone with a clear error;
in one that is, only the bytes of our own handlers ever change.
"""

import json
import os
import shlex
import stat
from collections.abc import Iterator
from typing import Any

from linetrail.ledger.errors import LinetrailError
from linetrail.queries.jsontext import Path, find, insert, parse, remove, replace

# agent -> its settings file in a project
FILES = {"claude-code": ".claude/settings.json"}
COMMAND = "linetrail-hook"
TIMEOUT_SECONDS = 5
NEW_FILE = "{}\n"
# Anchored: the agent would find `Write` in `TodoWrite`, too.
TOOLS = "^(Write|Edit|MultiEdit|NotebookEdit|Bash|mcp__.*)$"
# event -> which tools it is wanted for; None where the event knows no tool
EVENTS = {
    "SessionStart": None,
    "UserPromptSubmit": None,
    "PreToolUse": TOOLS,
    "PermissionRequest": TOOLS,
    "PermissionDenied": TOOLS,
    "PostToolUse": TOOLS,
    "PostToolUseFailure": TOOLS,
    "SubagentStart": None,
    "SubagentStop": None,
    "PreCompact": None,
    "Stop": None,
    "SessionEnd": None,
}

# A container we filled, by its path joined with "/" -> its text while it was empty; None: it was not there.
Record = dict[str, str | None]


class SettingsError(LinetrailError):
    """A settings file that cannot be edited safely; it was left as it is."""


def read(path: str) -> str | None:
    """Return the text of a settings file that may be edited; None when there is no file."""
    for link in (os.path.dirname(path), path):
        if os.path.islink(link):
            raise SettingsError(f"{link} is a symbolic link; linetrail edits plain files in the project only")
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise SettingsError(f"{path} is not a file")
        with open(path, encoding="utf-8", newline="") as file:
            text = file.read()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8: byte {error.start}") from None
    except OSError as error:
        raise SettingsError(f"cannot read {path}: {error.strerror}") from None
    if not os.access(path, os.W_OK):
        raise SettingsError(f"{path} is not writable")
    _check(path, text)
    return text


def _check(path: str, text: str) -> None:
    try:
        document = parse(text)
    except ValueError as error:
        raise SettingsError(f"{path} is not strict JSON (comments count as errors): {error}") from None
    if not isinstance(document, dict):
        raise SettingsError(f"{path} holds no JSON object")


def install(text: str, agent: str, hook: str) -> tuple[str, Record]:
    """Add the handlers that are missing, and point those of an older installation to this `hook`."""
    command = f"{shlex.quote(hook)} {agent}"
    record: Record = {}
    text = _provide(text, (), {}, record)
    text = _provide(text, ("hooks",), {}, record)
    for event, tools in EVENTS.items():
        known = [path for path, _ in handlers(text, agent, event)]
        for path in known:
            text = replace(text, (*path, "command"), json.dumps(command, ensure_ascii=False))
        if not known:
            text = _provide(text, ("hooks", event), [], record)
            text = insert(text, ("hooks", event), _group(tools, command))
    return text, record


def uninstall(text: str, agent: str, record: Record) -> str:
    """Remove our handlers, and what held nothing else; `record` says how it looked before they came."""
    if not any(True for event in EVENTS for _ in handlers(text, agent, event)):
        return text
    for event in EVENTS:
        known = [path for path, _ in handlers(text, agent, event)]
        for path in reversed(known):
            text = _remove_handler(text, path)
        if known:
            text = _withdraw(text, ("hooks", event), record)
    text = _withdraw(text, ("hooks",), record)
    return _withdraw(text, (), record)


def handlers(text: str, agent: str, event: str) -> Iterator[tuple[Path, str]]:
    """Yield where our handlers for an event are, and the command of each."""
    groups = find(text, ("hooks", event))
    for i, group in enumerate(_list(groups and groups.value)):
        for j, handler in enumerate(_list(group.get("hooks") if isinstance(group, dict) else None)):
            command = handler.get("command") if isinstance(handler, dict) else None
            if isinstance(command, str) and executable(command, agent):
                yield ("hooks", event, i, "hooks", j), command


def executable(command: str, agent: str) -> str | None:
    """Return the path of our hook if this is a command of ours for this agent.

    >>> executable("'/my tools/linetrail-hook' claude-code", "claude-code")
    '/my tools/linetrail-hook'
    """
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    ours = len(words) == 2 and os.path.basename(words[0]) == COMMAND and words[1] == agent
    return words[0] if ours else None


def _group(tools: str | None, command: str) -> dict[str, Any]:
    matcher = {} if tools is None else {"matcher": tools}
    return {**matcher, "hooks": [{"type": "command", "command": command, "timeout": TIMEOUT_SECONDS}]}


def _provide(text: str, path: Path, empty: dict[str, Any] | list[Any], record: Record) -> str:
    """Make sure that a container is at `path`, and record how it looks while nothing is in it."""
    name = "/".join(map(str, path))
    found = find(text, path)
    if found is None:
        record[name] = None
        return insert(text, path[:-1], empty, key=str(path[-1]))
    if not isinstance(found.value, type(empty)):
        raise SettingsError(f"`{name}` in the settings is not {'an object' if empty == {} else 'a list'}")
    if not found.value:
        record[name] = text[found.start : found.end]
    return text


def _withdraw(text: str, path: Path, record: Record) -> str:
    """Bring an empty container back to how it was; one that was not there goes."""
    found = find(text, path)
    if found is None or found.value:
        return text
    before = record.get("/".join(map(str, path)))
    if before is not None:
        return replace(text, path, before)
    return remove(text, path) if path else text


def _remove_handler(text: str, path: Path) -> str:
    """Remove one handler, and its group when it was the only one in it."""
    text = remove(text, path)
    rest = find(text, path[:-1])
    return text if rest is not None and rest.value else remove(text, path[:-2])


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
