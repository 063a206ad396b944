"""Claude Code: what its hook payloads mean.

Contract: https://code.claude.com/docs/en/hooks and the types of @anthropic-ai/claude-agent-sdk 0.3.330. Fields
may be missing or of another type in any version; what cannot be read as documented is left out, never guessed.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from linetrail.ledger.errors import PayloadError
from linetrail.ledger.redact import excerpt
from linetrail.ledger.signal import Answer, Edit, Proposal, Result, Signal, Tool

NAME = "claude-code"
GATED = "PreToolUse"

_KINDS = {
    "SessionStart": "session_start",
    "SessionEnd": "session_end",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "pre_tool",
    "PostToolUse": "post_tool",
    "PostToolUseFailure": "tool_failure",
    "PermissionRequest": "permission_request",
    "PermissionDenied": "permission_denied",
    "Stop": "stop",
    "StopFailure": "stop",
}
# MultiEdit left the tool list; old versions and clones still send it.
_OPERATIONS = {
    "Write": "write",
    "Edit": "edit",
    "MultiEdit": "edit",
    "NotebookEdit": "edit",
    "Bash": "shell",
    "PowerShell": "shell",
    "Read": "read",
    "Grep": "read",
    "Glob": "read",
    "LS": "read",
    "NotebookRead": "read",
}
# What a tool that is neither of these does is not known; those of our own server are known by their names.
_KINDS_OF_TOOLS = {
    "reading": (
        "Read Grep Glob LS NotebookRead WebFetch WebSearch TodoRead BashOutput TaskOutput TaskGet TaskList LSP "
        "ToolSearch ListMcpResources ListMcpResourcesTool ReadMcpResource ReadMcpResourceTool AgentOutputTool"
    ),
    "meta": (
        "TodoWrite Task Agent TaskCreate TaskUpdate TaskStop KillShell KillBash EnterPlanMode ExitPlanMode Skill "
        "SlashCommand AskUserQuestion SendMessage StructuredOutput"
    ),
    "generative": "Write Edit MultiEdit NotebookEdit",
    "operational": "Bash PowerShell",
}
_KIND_OF_TOOL = {name: kind for kind, names in _KINDS_OF_TOOLS.items() for name in names.split()}
# Modes in which a dialog would be answered by nobody.
_NO_DIALOG = frozenset({"dontAsk", "bypassPermissions"})
# Every spelling of the key that names the file: clones send others than Claude Code does.
_PATH_KEYS = frozenset({"filepath", "notebookpath", "path"})
_MAX_ID = 256
_EXIT_CODE = re.compile(r"\AExit code (\d{1,3})\b")


def read(payload: Mapping[str, Any], event: str | None) -> Signal:
    """Read one payload; an event or a tool that is not known is kept as what it is."""
    name = event or _text(payload, "hook_event_name")
    if name is None:
        raise PayloadError("the payload names no event")
    session_id = _identifier(payload, "session_id")
    kind = _KINDS.get(name, "other")
    tool = _tool(payload) if "tool_name" in payload or kind in _TOOL_KINDS else None
    model = _text(payload, "model")
    return Signal(
        kind=kind,
        name=name,
        session_id=session_id,
        cwd=_text(payload, "cwd"),
        transcript=_text(payload, "transcript_path"),
        model_id=_model_id(model) if model else None,
        permission_mode=_name(payload, "permission_mode"),
        prompt_id=_identifier(payload, "prompt_id"),
        agent_id=_identifier(payload, "agent_id"),
        agent_type=_name(payload, "agent_type"),
        text=_first_text(payload, "prompt", "source", "reason", "trigger", "error", "stop_reason"),
        tool=tool,
        result=_result(payload) if kind in ("post_tool", "tool_failure") else None,
    )


def can_ask(signal: Signal) -> bool:
    """Tell whether the agent would show a person a dialog."""
    return signal.permission_mode not in _NO_DIALOG


def reply(event: str, answer: Answer) -> bytes:
    """Return what the agent reads on stdout: a denial is told in JSON, silence means "go on"; never `allow`."""
    told: dict[str, Any] = {}
    if answer.verdict is not None:
        told = {"permissionDecision": answer.verdict, "permissionDecisionReason": answer.message}
    elif answer.context is not None:
        told = {"additionalContext": answer.context}
    if not told:
        return b""
    document = {"hookSpecificOutput": {"hookEventName": event, **told}}
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


_TOOL_KINDS = frozenset({"pre_tool", "post_tool", "tool_failure"})


def _tool(payload: Mapping[str, Any]) -> Tool:
    name = _text(payload, "tool_name")
    if not name:
        raise PayloadError("the payload names no tool")
    given = payload.get("tool_input")
    arguments: dict[str, Any] = given if isinstance(given, dict) else {}
    operation = _OPERATIONS.get(name) or ("mcp" if name.startswith("mcp__") else "other")
    command = arguments.get("command") if operation == "shell" else None
    return Tool(
        call_id=_identifier(payload, "tool_use_id"),
        name=excerpt(name),
        operation=operation,
        targets=_targets(arguments, operation),
        command=command if isinstance(command, str) else None,
        input=arguments,
        proposal=_proposal(name, arguments),
        kind=_KIND_OF_TOOL.get(name, "unknown"),
    )


def _targets(arguments: Mapping[str, Any], operation: str) -> tuple[tuple[str, str], ...]:
    if operation in ("shell", "mcp"):
        return ()
    role = {"write": "write", "edit": "edit", "read": "read"}.get(operation, "other")
    named = (value for key, value in arguments.items() if key.replace("_", "").lower() in _PATH_KEYS)
    return tuple((path, role) for path in dict.fromkeys(value for value in named if isinstance(value, str) and value))


def _proposal(name: str, arguments: Mapping[str, Any]) -> Proposal | None:
    if name == "Write" and isinstance(arguments.get("content"), str):
        return Proposal(content=arguments["content"])
    if name == "Edit":
        edit = _edit(arguments)
        return edit and Proposal(edits=(edit,))
    if name == "MultiEdit" and isinstance(arguments.get("edits"), list):
        edits = [_edit(item) if isinstance(item, dict) else None for item in arguments["edits"]]
        return Proposal(edits=tuple(edit for edit in edits if edit)) if all(edits) else None
    return None


def _edit(arguments: Mapping[str, Any]) -> Edit | None:
    old, new = arguments.get("old_string"), arguments.get("new_string")
    if not isinstance(old, str) or not isinstance(new, str):
        return None
    return Edit(old, new, arguments.get("replace_all") is True)


def _result(payload: Mapping[str, Any]) -> Result:
    response = payload.get("tool_response")
    known: Mapping[str, Any] = response if isinstance(response, dict) else {}
    error = _text(payload, "error")
    original = known.get("originalFile", known.get("original_file"))
    interrupted = known.get("interrupted", payload.get("is_interrupt"))
    return Result(
        output=response if response is not None else error,
        error=error,
        duration_ms=_whole(payload.get("duration_ms")),
        exit_code=_exit_code(payload, known, error),
        interrupted=interrupted if isinstance(interrupted, bool) else None,
        original=original if isinstance(original, str) else None,
        known_new=known.get("type") == "create" and original is None,
        user_modified=known["userModified"] if isinstance(known.get("userModified"), bool) else None,
        staged=known.get("staged") is True,
    )


def _exit_code(payload: Mapping[str, Any], response: Mapping[str, Any], error: str | None) -> int | None:
    """Read the exit code of a command: told in the error when it failed, 0 when it succeeded in the foreground."""
    if _OPERATIONS.get(str(payload.get("tool_name"))) != "shell":
        return None
    if error is not None:
        found = _EXIT_CODE.match(error)
        return int(found.group(1)) if found else None
    told = "stdout" in response and not response.get("interrupted")
    return 0 if told and not response.get("backgroundTaskId") and not response.get("returnCodeInterpretation") else None


def _model_id(model: str) -> str:
    return model if "/" in model else f"anthropic/{model}"


def _whole(value: Any) -> int | None:
    """Durations come as numbers of any kind; the ledger holds whole milliseconds."""
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12 else None


def _text(payload: Mapping[str, Any], key: str) -> str | None:
    value = payload.get(key)
    if value is None or isinstance(value, str):
        return value or None
    raise PayloadError(f"{key} is a {type(value).__name__}, not text")


def _name(payload: Mapping[str, Any], key: str) -> str | None:
    """Read a word of the agent's that is stored as it is, however long, and whatever somebody put there."""
    value = _text(payload, key)
    return None if value is None else excerpt(value)


def _first_text(payload: Mapping[str, Any], *keys: str) -> str | None:
    return next((payload[key] for key in keys if isinstance(payload.get(key), str)), None)


def _identifier(payload: Mapping[str, Any], key: str) -> str | None:
    value = _text(payload, key)
    if value is not None and len(value) > _MAX_ID:
        raise PayloadError(f"{key} has {len(value)} characters, {_MAX_ID} are allowed")
    return value
