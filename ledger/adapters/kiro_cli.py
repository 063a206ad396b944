"""Kiro CLI, and Amazon Q CLI before it: what their hook payloads mean; they read an exit status and plain text.

Contract: kiro.dev/docs/cli/hooks, and `docs/hooks.md` and the tools of aws/amazon-q-developer-cli. A call has no id,
and older versions send no session.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from linetrail.ledger.adapters.adapter import (
    EDIT,
    WRITE,
    Does,
    arguments,
    does,
    first_text,
    identifier,
    part,
    refused,
    required,
    table,
    text,
    tool,
    whole,
)
from linetrail.ledger.event.signal import Answer, Result, Said, Signal, Tool

if TYPE_CHECKING:  # no hook asks for it
    from linetrail.ledger.adapters.agent import Agent

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
    told = required(event or text(payload, "hook_event_name"), "event")
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
    """Return whether the agent would show a person a dialog: it reads no answer that asks for one."""
    return False


def reply(event: str, answer: Answer) -> Said:
    """Refuse by the exit status, with the reason on stderr; tell facts where plain text is taken into the context."""
    if answer.verdict is not None:
        return refused(answer.message)
    told = event in _TOLD and answer.context
    return Said(f"{told}\n".encode(errors="replace")) if told else Said()


def _tool(payload: Mapping[str, Any]) -> Tool:
    called = required(text(payload, "tool_name"), "tool")
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


def about() -> "Agent":
    from linetrail.ledger.adapters import agent

    return agent.Agent(
        name=NAME,
        title="Kiro CLI, Amazon Q",
        layout=agent.LIST,
        file=".kiro/agents/*.json",
        user_file=".kiro/agents/*.json",
        # Without `tools` an agent has none.
        skeleton={"name": "linetrail", "description": "The usual tools, with the hooks of linetrail", "tools": ["*"]},
        events=agent.words("agentSpawn userPromptSubmit preToolUse postToolUse stop"),
        tool_events=("preToolUse", "postToolUse"),
        gates=("preToolUse",),
        rank=9,
        aliases=("kiro", "q-dev-cli"),
        timeout=("timeout_ms", agent.SECONDS * 1000),
        protected=(".kiro",),
        signs=(".kiro",),
        home_signs=(".kiro",),
        trust="Hooks belong to an agent definition: start `kiro-cli chat --agent NAME` with one that has them.",
        limits=(
            "The built-in default agent has no file, so its sessions are not recorded.",
            "Where there is no definition, `linetrail.json` is made: an agent with the usual tools.",
        ),
        marks=agent.Marks(inject=(agent.START, agent.PROMPT), evidence="documentation"),
        program=agent.Program("kiro-cli", others=("q",)),
        question=agent.Question(
            agent.UNNAMED | {"hook_event_name": "preToolUse"},
            write=("fs_write", {"command": "create", "path": agent.FILE, "file_text": "1\n"}),
            read=("fs_read", {"operations": [{"mode": "Line", "path": agent.FILE}]}),
        ),
        denial=agent.Denial(answer=None),
        credit=agent.Credit(first_names=("kiro",)),
    )
