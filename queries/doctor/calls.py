"""Calls of tools as each agent would ask about them: what the probe sends to find out what the hook answers.

Ids and names are made up; the fields and their nesting are those of the agent. How an agent is asked about any tool
says, too, what its adapter takes a tool for that somebody saw in the ledger.
"""

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from linetrail.ledger.adapters import adapter
from linetrail.ledger.errors import PayloadError
from linetrail.ledger.event.signal import UNKNOWN, Tool

SESSION = "doctor"
FILE = "file.py"
_PATCH = f"*** Begin Patch\n*** Add File: {FILE}\n+1\n*** End Patch"

Fields = dict[str, Any]


def write(agent: str, folder: str) -> bytes:
    """Return what an agent asks before it writes a file in this folder."""
    tool, given = WRITES.get(agent, ("Write", {"file_path": "{path}", "content": "1\n"}))
    return _payload(agent, folder, tool, given)


def read(agent: str, folder: str) -> bytes | None:
    """Return what an agent asks before it reads a file; None where it does not ask."""
    if agent not in READS:
        return None
    tool, given = READS[agent]
    return _payload(agent, folder, tool, given)


def what_is(agent: str, tool: str) -> Tool | None:
    """Return how the adapter of an agent reads a call of a tool by this name; None where it cannot, or is not whole."""
    try:
        module = adapter(agent)
        return None if module is None else module.read(envelope(agent, os.sep, tool, {}), module.GATED[0]).tool
    except (PayloadError, ImportError):
        return None


def is_unknown(agent: str, tool: str) -> bool:
    """Tell whether nobody knows what a tool does: neither by its name, nor by how it is asked for."""
    found = what_is(agent, tool)
    return found is not None and found.operation == "other" and found.kind == UNKNOWN


def envelope(agent: str, folder: str, tool: str, given: Mapping[str, Any]) -> Fields:
    """Return a payload of an agent around the call of one tool."""
    return _ENVELOPES.get(agent, _like_claude)(folder, tool, dict(given))


def _payload(agent: str, folder: str, tool: str, given: Mapping[str, Any]) -> bytes:
    path = os.path.join(folder, FILE)
    placed = {key: path if value == "{path}" else value for key, value in given.items()}
    if agent == "kiro-cli" and "operations" in placed:
        placed["operations"] = [{"mode": "Line", "path": path}]
    return json.dumps(envelope(agent, folder, tool, placed)).encode()


def _like_claude(folder: str, tool: str, given: Fields) -> Fields:
    call = {"tool_name": tool, "tool_input": given, "tool_use_id": "toolu_doctor"}
    return {"session_id": SESSION, "cwd": folder, "hook_event_name": "PreToolUse", **call}


def _codex(folder: str, tool: str, given: Fields) -> Fields:
    told = {"transcript_path": None, "model": "model", "permission_mode": "default", "turn_id": "turn"}
    return _like_claude(folder, tool, given) | told


def _cursor(folder: str, tool: str, given: Fields) -> Fields:
    told = {"hook_event_name": "preToolUse", "conversation_id": SESSION, "generation_id": "turn", "model": "model"}
    return _like_claude(folder, tool, given) | told | {"cursor_version": "3.9.0", "workspace_roots": [folder]}


def _without_call(event: str) -> Callable[[str, str, Fields], Fields]:
    """Return the envelope of an agent that names no call."""

    def make(folder: str, tool: str, given: Fields) -> Fields:
        named = {"hook_event_name": event, "session_id": SESSION, "cwd": folder}
        return named | {"timestamp": "2026-01-05T09:00:00.000Z", "tool_name": tool, "tool_input": given}

    return make


def _vscode(folder: str, tool: str, given: Fields) -> Fields:
    return _like_claude(folder, tool, given) | {"tool_use_id": "call_doctor__vscode-1", "transcript_path": None}


def _opencode(folder: str, tool: str, given: Fields) -> Fields:
    context = {"directory": folder, "worktree": folder}
    call = {"tool": tool, "sessionID": SESSION, "callID": "call"}
    return {"hook": "tool.execute.before", "context": context, "input": call, "output": {"args": given}}


def _windsurf(_: str, tool: str, given: Fields) -> Fields:
    told = {"trajectory_id": SESSION, "execution_id": "turn", "timestamp": "2026-01-05T09:00:00Z"}
    return {"agent_action_name": tool, **told, "model_name": "model", "tool_info": given}


def _cline(folder: str, tool: str, given: Fields) -> Fields:
    told = {"clineVersion": "4.1.0", "hookName": "PreToolUse", "timestamp": "1767603600000", "taskId": SESSION}
    return told | {"workspaceRoots": [folder], "preToolUse": {"toolName": tool, "parameters": given}}


def _amp(folder: str, tool: str, given: Fields) -> Fields:
    call = {"toolUseID": "toolu_doctor", "tool": tool, "input": given}
    return {"event": "tool.call", "cwd": folder, "thread": {"id": SESSION}, **call}


def _droid(folder: str, tool: str, given: Fields) -> Fields:
    named = {"hookEventName": "PreToolUse", "sessionId": SESSION, "cwd": folder}
    return named | {"toolName": tool, "tool_name": tool, "tool_input": given}


_ENVELOPES: dict[str, Callable[[str, str, Fields], Fields]] = {
    "codex": _codex,
    "cursor": _cursor,
    "gemini-cli": _without_call("BeforeTool"),
    "copilot-cli": _without_call("PreToolUse"),
    "vscode-copilot": _vscode,
    "opencode": _opencode,
    "windsurf": _windsurf,
    "kiro-cli": _without_call("preToolUse"),
    "cline": _cline,
    "devin-cli": _without_call("PreToolUse"),
    "factory-droid": _droid,
    "amp": _amp,
}
# What is not here writes and reads as Claude Code does. `{path}` stands for the file.
_EDIT = {"old_string": "0", "new_string": "1"}
WRITES: dict[str, tuple[str, Fields]] = {
    "codex": ("apply_patch", {"command": _PATCH}),
    "gemini-cli": ("write_file", {"file_path": "{path}", "content": "1\n"}),
    "copilot-cli": ("Write", {"path": "{path}", "file_text": "1\n"}),
    "vscode-copilot": ("create_file", {"filePath": "{path}", "content": "1\n"}),
    "opencode": ("write", {"filePath": "{path}", "content": "1\n"}),
    "windsurf": ("pre_write_code", {"file_path": "{path}", "edits": [_EDIT]}),
    "kiro-cli": ("fs_write", {"command": "create", "path": "{path}", "file_text": "1\n"}),
    "continue-cli": ("Write", {"filepath": "{path}", "content": "1\n"}),
    "cline": ("write_to_file", {"path": FILE, "content": "1\n"}),
    "devin-cli": ("edit", {"file_path": "{path}", **_EDIT}),
    "factory-droid": ("Create", {"file_path": "{path}", "content": "1\n"}),
    "amp": ("create_file", {"path": "{path}", "content": "1\n"}),
}
# Agents that ask before a tool that only reads.
READS: dict[str, tuple[str, Fields]] = {
    "claude-code": ("Read", {"file_path": "{path}"}),
    "cursor": ("Read", {"file_path": "{path}"}),
    "gemini-cli": ("read_file", {"file_path": "{path}"}),
    "copilot-cli": ("Read", {"path": "{path}"}),
    "vscode-copilot": ("read_file", {"filePath": "{path}"}),
    "opencode": ("read", {"filePath": "{path}"}),
    "kiro-cli": ("fs_read", {"operations": []}),
    "continue-cli": ("Read", {"filepath": "{path}"}),
    "cline": ("read_file", {"path": FILE}),
    "factory-droid": ("Read", {"file_path": "{path}"}),
    "amp": ("Read", {"path": "{path}"}),
}
