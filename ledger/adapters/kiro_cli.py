"""Kiro CLI, and Amazon Q CLI before it: what their hook payloads mean; they read an exit status and plain text.

Contract: kiro.dev/docs/cli/hooks, and `docs/hooks.md` and the tools of aws/amazon-q-developer-cli. A call has no id,
and older versions send no session.
"""

from collections.abc import Mapping
from typing import Any

from linetrail.ledger.adapters.fields import arguments, first_text, identifier, part, refused, text, whole
from linetrail.ledger.adapters.tools import EDIT, WRITE, Does, does, table, tool
from linetrail.ledger.errors import PayloadError
from linetrail.ledger.event.signal import Answer, Result, Said, Signal, Tool

NAME = "kiro-cli"
GATED = ("preToolUse",)

_KINDS = {
    "agentSpawn": "session_start",
    "userPromptSubmit": "prompt",
    "preToolUse": "pre_tool",
    "postToolUse": "post_tool",
    "stop": "stop",
}
_TOLD = frozenset({"agentSpawn", "userPromptSubmit"})
_WRITES = ("fs_write", "fsWrite", "write")
_TOOLS = table(
    commands="execute_bash executeBash execute_cmd executeCmd shell",
    read="fs_read fsRead read imageRead ls glob grep",
    reading="web_search web_fetch introspect",
    meta="thinking todo todo_list delegate use_subagent subagent",
)


def read(payload: Mapping[str, Any], event: str | None) -> Signal:
    """Read one payload; an event or a tool that is not known is kept as what it is."""
    told = event or text(payload, "hook_event_name")
    if told is None:
        raise PayloadError("the payload names no event")
    kind = _KINDS.get(told, "other")
    response = part(payload, "tool_response")
    if kind == "post_tool" and response.get("success") is False:
        kind = "tool_failure"
    call = _tool(payload) if kind in ("pre_tool", "post_tool", "tool_failure") else None
    return Signal(
        kind=kind,
        name=told,
        session_id=identifier(payload, "session_id"),
        cwd=text(payload, "cwd"),
        text=first_text(payload, "prompt"),
        tool=call,
        result=_result(response, call) if call and kind != "pre_tool" else None,
    )


def can_ask(_signal: Signal) -> bool:
    """Tell whether the agent would show a person a dialog: it reads no answer that asks for one."""
    return False


def reply(event: str, answer: Answer) -> Said:
    """Refuse by the exit status, with the reason on stderr; tell facts where plain text is taken into the context."""
    if answer.verdict is not None:
        return refused(answer.message)
    told = event in _TOLD and answer.context
    return Said(f"{told}\n".encode(errors="replace")) if told else Said()


def _tool(payload: Mapping[str, Any]) -> Tool:
    called = text(payload, "tool_name")
    if not called:
        raise PayloadError("the payload names no tool")
    given = arguments(payload, "tool_input")
    return tool(called, _does(called, given), given, command=given.get("command"))


def _does(called: str, given: Mapping[str, Any]) -> Does:
    if called in _WRITES:
        return WRITE if given.get("command") == "create" else EDIT
    return does(_TOOLS, called)


def _result(response: Mapping[str, Any], call: Tool) -> Result:
    """Read how a call ended; a command tells its exit status among what it printed, as text."""
    blocks = response.get("result", response.get("error"))
    first = blocks[0] if isinstance(blocks, list) and blocks else blocks
    printed = first if isinstance(first, dict) else {}
    return Result(
        output=blocks,
        error=first if "error" in response and isinstance(first, str) else None,
        exit_code=whole(printed.get("exit_status")) if call.operation == "shell" else None,
    )
