"""What payloads mean that are shaped like those of Claude Code, which several agents send under names of their own.

Fields may be missing, spelled in another case, or of another type in any version; what cannot be read as documented is
left out, never guessed. An agent of this shape is a table of its tools and what differs.
"""

import re
from collections.abc import Mapping
from typing import Any

from linetrail.ledger.adapters.answers import KINDS, fitting
from linetrail.ledger.adapters.fields import answered, arguments, first_text, identifier, name, part, text, whole
from linetrail.ledger.adapters.tools import Table, does, tool
from linetrail.ledger.errors import PayloadError
from linetrail.ledger.event.signal import Answer, Result, Said, Signal, Tool

GATED = ("PreToolUse",)
# Claude Code puts what is longer into a file, which its model may or may not read.
MAX_FACTS = 10_000

_WORDS = ("prompt", "source", "reason", "trigger", "error", "stop_reason")
_TOOL_KINDS = frozenset({"pre_tool", "post_tool", "tool_failure"})
# Compiled where it is needed: a process reads one payload, and most tell of no failure.
_EXIT_CODE = r"Exit code (\d{1,3})\b"


def read(payload: Mapping[str, Any], event: str | None, tools: Table, provider: str | None = None) -> Signal:
    """Read one payload; `provider` is whose models are named without saying so."""
    told = event or text(payload, "hook_event_name", "hookEventName")
    if told is None:
        raise PayloadError("the payload names no event")
    kind = KINDS.get(told, "other")
    called = text(payload, "tool_name", "toolName")
    if not called and kind in _TOOL_KINDS:
        raise PayloadError("the payload names no tool")
    call = _tool(called, payload, tools) if called else None
    response = part(payload, "tool_response", "toolResponse")
    if kind == "post_tool" and response.get("success") is False:
        kind = "tool_failure"
    model = text(payload, "model")
    return Signal(
        kind=kind,
        name=told,
        session_id=identifier(payload, "session_id", "sessionId"),
        cwd=text(payload, "cwd"),
        transcript=text(payload, "transcript_path", "transcriptPath"),
        model_id=f"{provider}/{model}" if model and provider and "/" not in model else model,
        permission_mode=name(payload, "permission_mode", "permissionMode"),
        prompt_id=identifier(payload, "prompt_id"),
        agent_id=identifier(payload, "agent_id"),
        agent_type=name(payload, "agent_type"),
        text=first_text(payload, *_WORDS, *(("event",) if kind == "other" else ())),
        path=text(payload, "file_path") if kind == "other" else None,
        tool=call,
        result=_result(payload, response, call) if call and kind in ("post_tool", "tool_failure") else None,
    )


def reply(event: str, answer: Answer) -> Said:
    """Return what the agent reads: a denial is told in JSON, silence means "go on"; never `allow`."""
    told: dict[str, Any] = {}
    if answer.verdict is not None and event in GATED:
        told = {"permissionDecision": answer.verdict, "permissionDecisionReason": answer.message}
    elif answer.verdict is not None:
        return answered({"decision": "block", "reason": answer.message})
    elif answer.context is not None:
        told = {"additionalContext": fitting(answer.context, MAX_FACTS)}
    return answered({"hookSpecificOutput": {"hookEventName": event, **told}}) if told else Said()


def _tool(called: str, payload: Mapping[str, Any], tools: Table) -> Tool:
    known = does(tools, called)
    given = arguments(payload, "tool_input", "toolInput")
    call_id = identifier(payload, "tool_use_id", "toolUseId")
    return tool(called, known, given, call_id=call_id, command=given.get("command"))


def _result(payload: Mapping[str, Any], response: Mapping[str, Any], call: Tool) -> Result:
    told = payload.get("tool_response", payload.get("toolResponse"))
    error = text(payload, "error") or first_text(response, "error")
    original = response.get("originalFile", response.get("original_file"))
    interrupted = response.get("interrupted", payload.get("is_interrupt"))
    return Result(
        output=told if told is not None else error,
        error=error,
        duration_ms=whole(payload.get("duration_ms")),
        exit_code=_exit_code(response, error) if call.operation == "shell" else None,
        interrupted=interrupted if isinstance(interrupted, bool) else None,
        original=original if isinstance(original, str) else None,
        known_new=response.get("type") == "create" and original is None,
        user_modified=response["userModified"] if isinstance(response.get("userModified"), bool) else None,
        staged=response.get("staged") is True,
    )


def _exit_code(response: Mapping[str, Any], error: str | None) -> int | None:
    """Read the exit code of a command: told in the error when it failed, 0 when it succeeded in the foreground."""
    if error is not None:
        found = re.match(_EXIT_CODE, error)
        return int(found.group(1)) if found else None
    told = "stdout" in response and not response.get("interrupted")
    return 0 if told and not response.get("backgroundTaskId") and not response.get("returnCodeInterpretation") else None
