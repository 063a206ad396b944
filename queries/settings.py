"""Read an agent's settings file, and put our hooks into its text and take them out again.

The file belongs to a person. Whatever is not a plain file with strict JSON in it is left alone with a clear error;
in one that is, only the bytes of our own handlers ever change.
"""

import itertools
import json
import os
import shlex
import stat
from collections.abc import Iterator, Sequence
from typing import Any

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.policy import BLOCK, OBSERVE
from linetrail.queries.jsontext import Path, find, insert, parse, remove, replace

# agent -> its settings file in a project
FILES = {"claude-code": ".claude/settings.json"}
COMMAND = "linetrail-hook"
TIMEOUT_SECONDS = 5
NEW_FILE = "{}\n"
# Anchored: the agent would find `Write` in `TodoWrite`, too.
TOOLS = "^(Write|Edit|MultiEdit|NotebookEdit|Bash|mcp__.*)$"
# What is judged is every tool: one that is not known may write, and what was read decides what is stale.
EVERY_TOOL = "*"
# The event at which a call can still be stopped.
GATE = "PreToolUse"
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


def install(text: str, agent: str, hook: str, mode: str = OBSERVE) -> tuple[str, Record]:
    """Add the handlers that are missing, and let those of an earlier run call this `hook` as this `mode` needs it."""
    record: Record = {}
    text = _provide(text, (), {}, record)
    text = _provide(text, ("hooks",), {}, record)
    for event, tools in EVENTS.items():
        handler = _handler(agent, hook, event, mode)
        matcher = EVERY_TOOL if tools is not None and mode != OBSERVE else tools
        text = _leave_shared_groups(text, agent, event, matcher)
        known = [path for path, _ in handlers(text, agent, event)]
        for path in known:
            text = _update(text, path, matcher, handler)
        if not known:
            text = _provide(text, ("hooks", event), [], record)
            text = insert(text, ("hooks", event), _group(matcher, handler))
    return text, record


def uninstall(text: str, agent: str, record: Record) -> str:
    """Remove our handlers, and what held nothing else; `record` says how it looked before they came."""
    if not _has_handlers(text, agent):
        return text
    for event in EVENTS:
        known = [path for path, _ in handlers(text, agent, event)]
        for path in reversed(known):
            text = _remove_handler(text, path)
        if known:
            text = _withdraw(text, ("hooks", event), record)
    text = _withdraw(text, ("hooks",), record)
    return _withdraw(text, (), record)


def is_installed(root: str, agent: str) -> bool:
    """Tell whether a handler of ours is in the settings of this project."""
    text = read(os.path.join(root, FILES[agent])) or NEW_FILE
    return _has_handlers(text, agent)


def handlers(text: str, agent: str, event: str) -> Iterator[tuple[Path, str]]:
    """Yield where our handlers for an event are, and the command of each."""
    groups = find(text, ("hooks", event))
    for i, group in enumerate(_list(groups and groups.value)):
        for j, handler in enumerate(_list(group.get("hooks") if isinstance(group, dict) else None)):
            if _is_ours(handler, agent):
                yield ("hooks", event, i, "hooks", j), handler["command"]


def _has_handlers(text: str, agent: str) -> bool:
    return any(True for event in EVENTS for _ in handlers(text, agent, event))


def executable(command: str, agent: str) -> str | None:
    """Return the path of our hook if this is a command of ours for this agent.

    >>> executable("'/my tools/linetrail-hook' claude-code --event Stop", "claude-code")
    '/my tools/linetrail-hook'
    """
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    ours = words[1:2] == [agent] and os.path.basename(words[0]) == COMMAND
    return words[0] if ours and (len(words) == 2 or _names_event(words)) else None


def floor(root: str, agent: str) -> str:
    """Return the mode that the installed hooks of a project hold to where no settings state one."""
    try:
        text = read(os.path.join(root, FILES[agent]))
    except SettingsError:
        return OBSERVE
    told = [stated_floor(command) for _, command in handlers(text or NEW_FILE, agent, GATE)]
    return next((mode for mode in told if mode is not None), OBSERVE)


def stated_floor(command: str) -> str | None:
    """Return the mode that a command of ours names."""
    return next((mode for flag, mode in itertools.pairwise(shlex.split(command)) if flag == "--enforce"), None)


def names_event(command: str) -> bool:
    """Tell whether a command of ours names its event, so that a call can be judged whose payload cannot be read."""
    return _names_event(shlex.split(command))


def _names_event(words: Sequence[str]) -> bool:
    return words[2:3] == ["--event"] and (len(words) == 4 or (len(words) == 6 and words[4] == "--enforce"))


def _handler(agent: str, hook: str, event: str, mode: str) -> dict[str, Any]:
    """Return our handler. One that judges names its event: a payload that cannot be read is refused all the same."""
    # What is asked for stands here, too: settings that are gone, or cannot be read, loosen nothing.
    command = f"{shlex.quote(hook)} {agent}" + (f" --event {event} --enforce {mode}" if mode != OBSERVE else "")
    handler = {"type": "command", "command": command, "timeout": TIMEOUT_SECONDS}
    return handler | {"onFailure": "block"} if mode == BLOCK and event == GATE else handler


def _group(matcher: str | None, handler: dict[str, Any]) -> dict[str, Any]:
    return {**({} if matcher is None else {"matcher": matcher}), "hooks": [handler]}


def _leave_shared_groups(text: str, agent: str, event: str, matcher: str | None) -> str:
    """Take our handlers out of groups that a person put others in, where ours are to be called for other tools."""
    for path, command in reversed(list(handlers(text, agent, event))):
        shared = not all(_is_ours(handler, agent) for handler in _list(_value(text, path[:-1])))
        if shared and _is_our_matcher(text, path, command) and _matcher(text, path) != matcher:
            text = remove(text, path)
    return text


def _update(text: str, path: Path, matcher: str | None, handler: dict[str, Any]) -> str:
    """Let a handler of ours be as it is wanted; a matcher that a person wrote, and a timeout, stay."""
    if matcher is not None and _is_our_matcher(text, path, _value(text, (*path, "command"))):
        text = replace(text, (*path[:-2], "matcher"), json.dumps(matcher))
    text = replace(text, (*path, "command"), json.dumps(handler["command"], ensure_ascii=False))
    wanted, found = handler.get("onFailure"), find(text, (*path, "onFailure"))
    if wanted is not None:
        raw = json.dumps(wanted)
        return replace(text, (*path, "onFailure"), raw) if found else insert(text, path, wanted, key="onFailure")
    return remove(text, (*path, "onFailure")) if found and found.value == "block" else text


def _is_our_matcher(text: str, path: Path, command: str) -> bool:
    """Tell whether the matcher around a handler is ours: a `*` beside a command that only observes is a person's."""
    matcher = _matcher(text, path)
    return matcher == TOOLS or (matcher == EVERY_TOOL and names_event(command))


def _matcher(text: str, path: Path) -> Any:
    return _value(text, (*path[:-2], "matcher"))


def _is_ours(handler: Any, agent: str) -> bool:
    command = handler.get("command") if isinstance(handler, dict) else None
    return isinstance(command, str) and executable(command, agent) is not None


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


def _value(text: str, path: Path) -> Any:
    found = find(text, path)
    return found and found.value


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
