"""Claude Code: what its hook payloads mean.

Contract: https://code.claude.com/docs/en/hooks and the types of @anthropic-ai/claude-agent-sdk 0.3.330. Fields
may be missing or of another type in any version; what cannot be read as documented is left out, never guessed.
"""

import re
from collections.abc import Mapping
from typing import Any

from linetrail.ledger.adapters.fields import (
    answered,
    first_text,
    identifier,
    name,
    paths,
    proposal,
    replacement,
    targets,
    text,
    whole,
)
from linetrail.ledger.errors import PayloadError
from linetrail.ledger.redact import excerpt
from linetrail.ledger.signal import Answer, Edit, Proposal, Result, Said, Signal, Tool

NAME = "claude-code"
GATED = ("PreToolUse",)

_KINDS = {
    "SessionStart": "session_start",
    "SessionEnd": "session_end",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "pre_tool",
    "PostToolUse": "post_tool",
    "PostToolUseFailure": "tool_failure",
    "PermissionRequest": "permission_request",
    "PermissionDenied": "permission_denied",
    "SubagentStart": "subagent_start",
    "SubagentStop": "subagent_stop",
    "PreCompact": "compact",
    "PostCompact": "compact",
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
# The key that names the file, in every spelling: clones send others than Claude Code does.
_PATH_KEYS = ("filepath", "notebookpath", "path")
_EXIT_CODE = re.compile(r"\AExit code (\d{1,3})\b")


def read(payload: Mapping[str, Any], event: str | None) -> Signal:
    """Read one payload; an event or a tool that is not known is kept as what it is."""
    told = event or text(payload, "hook_event_name")
    if told is None:
        raise PayloadError("the payload names no event")
    session_id = identifier(payload, "session_id")
    kind = _KINDS.get(told, "other")
    tool = _tool(payload) if "tool_name" in payload or kind in _TOOL_KINDS else None
    model = text(payload, "model")
    return Signal(
        kind=kind,
        name=told,
        session_id=session_id,
        cwd=text(payload, "cwd"),
        transcript=text(payload, "transcript_path"),
        model_id=_model_id(model) if model else None,
        permission_mode=name(payload, "permission_mode"),
        prompt_id=identifier(payload, "prompt_id"),
        agent_id=identifier(payload, "agent_id"),
        agent_type=name(payload, "agent_type"),
        text=first_text(payload, "prompt", "source", "reason", "trigger", "error", "stop_reason"),
        tool=tool,
        result=_result(payload) if kind in ("post_tool", "tool_failure") else None,
    )


def can_ask(signal: Signal) -> bool:
    """Tell whether the agent would show a person a dialog."""
    return signal.permission_mode not in _NO_DIALOG


def reply(event: str, answer: Answer) -> Said:
    """Return what the agent reads: a denial is told in JSON, silence means "go on"; never `allow`."""
    told: dict[str, Any] = {}
    if answer.verdict is not None:
        told = {"permissionDecision": answer.verdict, "permissionDecisionReason": answer.message}
    elif answer.context is not None:
        told = {"additionalContext": answer.context}
    return answered({"hookSpecificOutput": {"hookEventName": event, **told}}) if told else Said()


_TOOL_KINDS = frozenset({"pre_tool", "post_tool", "tool_failure"})


def _tool(payload: Mapping[str, Any]) -> Tool:
    called = text(payload, "tool_name")
    if not called:
        raise PayloadError("the payload names no tool")
    given = payload.get("tool_input")
    arguments: dict[str, Any] = given if isinstance(given, dict) else {}
    operation = _OPERATIONS.get(called) or ("mcp" if called.startswith("mcp__") else "other")
    command = arguments.get("command") if operation == "shell" else None
    named = () if operation in ("shell", "mcp") else paths(arguments, _PATH_KEYS)
    return Tool(
        call_id=identifier(payload, "tool_use_id"),
        name=excerpt(called),
        operation=operation,
        targets=targets(named, operation),
        command=command if isinstance(command, str) else None,
        input=arguments,
        proposal=_proposal(called, arguments),
        kind=_KIND_OF_TOOL.get(called, "unknown"),
    )


def _proposal(called: str, arguments: Mapping[str, Any]) -> Proposal | None:
    edits = arguments.get("edits") if called == "MultiEdit" else [arguments] if called == "Edit" else None
    if isinstance(edits, list):
        return proposal(None, [_edit(item) for item in edits])
    return proposal(arguments.get("content")) if called == "Write" else None


def _edit(given: Any) -> Edit | None:
    if not isinstance(given, dict):
        return None
    return replacement(given.get("old_string"), given.get("new_string"), given.get("replace_all"))


def _result(payload: Mapping[str, Any]) -> Result:
    response = payload.get("tool_response")
    known: Mapping[str, Any] = response if isinstance(response, dict) else {}
    error = text(payload, "error")
    original = known.get("originalFile", known.get("original_file"))
    interrupted = known.get("interrupted", payload.get("is_interrupt"))
    return Result(
        output=response if response is not None else error,
        error=error,
        duration_ms=whole(payload.get("duration_ms")),
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
