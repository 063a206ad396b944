"""Codex: what its hook payloads mean.

Contract: `codex-rs/hooks/schema/generated` in openai/codex. Its schemas of answers are closed: with one key that is not
in them, or the verdict `ask`, or `allow`, the hook counts as failed and the tool runs.
"""

from collections.abc import Mapping
from typing import Any

from linetrail.ledger.adapters.answers import denied, held_back, informed
from linetrail.ledger.adapters.events import KINDS
from linetrail.ledger.adapters.fields import arguments, first_text, identifier, name, part, started, text, whole
from linetrail.ledger.adapters.tools import does, table, tool
from linetrail.ledger.errors import PayloadError
from linetrail.ledger.event.signal import GENERATIVE, Answer, Result, Said, Signal, Tool

NAME = "codex"
GATED = ("PreToolUse",)

_KINDS = {
    **KINDS,
    "Interrupt": "stop",
    # the older `notify`, whose one payload comes as an argument and in other words
    "agent-turn-complete": "stop",
}
# Names of commands but `Bash` are those that models call them by, with or without the prefix of all functions.
_FUNCTION = "functions."
_TOOLS = table(
    commands="Bash exec_command shell_command shell local_shell",
    patch="apply_patch",
    read="view_image list_dir read_file grep_files",
    reading="web_search tool_search list_mcp_resources list_mcp_resource_templates read_mcp_resource",
    meta="update_plan spawn_agent request_user_input",
)
# The events whose schemas know `additionalContext`, and those that know `decision`.
_TOLD = frozenset({"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"})
_STOPS = frozenset({"Stop", "SubagentStop"})


def read(payload: Mapping[str, Any], event: str | None) -> Signal:
    """Read one payload of a hook, or of `notify`, which names its event only in the payload."""
    told = (event if event != "notify" else None) or text(payload, "hook_event_name", "type")
    if told is None:
        raise PayloadError("the payload names no event")
    kind = _KINDS.get(told, "other")
    called = text(payload, "tool_name")
    if not called and kind in ("pre_tool", "post_tool"):
        raise PayloadError("the payload names no tool")
    call = _tool(called, payload) if called else None
    model, cwd = name(payload, "model"), text(payload, "cwd")
    return Signal(
        kind=kind,
        name=told,
        session_id=identifier(payload, "session_id", "thread-id"),
        cwd=started(cwd, first_text(call.input, "workdir")) if call and call.operation == "shell" else cwd,
        transcript=text(payload, "transcript_path"),
        model_id=model if model is None or "/" in model else f"openai/{model}",
        permission_mode=name(payload, "permission_mode"),
        prompt_id=identifier(payload, "turn_id", "turn-id"),
        agent_id=identifier(payload, "agent_id"),
        agent_type=name(payload, "agent_type"),
        text=first_text(payload, "prompt", "source", "reason", "trigger", "error"),
        tool=call,
        result=_result(payload, call) if call and kind == "post_tool" else None,
    )


def can_ask(_signal: Signal) -> bool:
    """Tell whether a person would see a dialog: never, no hook can open one."""
    return False


def reply(event: str, answer: Answer) -> Said:
    """Return what the schema of the event allows; silence means "go on"."""
    if answer.verdict is not None and event in GATED:
        return denied(event, answer.message)
    if answer.verdict is not None and event in _STOPS:
        return held_back(answer.message)
    return informed(event, answer.context) if answer.context and event in _TOLD else Said()


def _tool(called: str, payload: Mapping[str, Any]) -> Tool:
    known = does(_TOOLS, called.removeprefix(_FUNCTION))
    given = arguments(payload, "tool_input")
    return tool(called, known, given, call_id=identifier(payload, "tool_use_id"), command=_command(given))


def _command(given: Mapping[str, Any]) -> str | None:
    """Return a command, also one that is told word by word."""
    words = given.get("command")
    if isinstance(words, list) and words and all(isinstance(word, str) for word in words):
        import shlex  # older builds alone tell words

        return shlex.join(words)
    return first_text(given, "command", "cmd")


def _result(payload: Mapping[str, Any], call: Tool) -> Result:
    """Read how a call ended: text as a rule, which tells no exit code; an object in older builds.

    What a command printed is never taken for such an object.
    """
    response = payload.get("tool_response")
    is_object = isinstance(response, dict) or call.kind == GENERATIVE
    about = part(part(payload, "tool_response"), "metadata") if is_object else {}
    seconds = about.get("duration_seconds")
    return Result(
        output=response,
        duration_ms=whole(seconds * 1000) if isinstance(seconds, float) else None,
        exit_code=whole(about.get("exit_code")),
    )
