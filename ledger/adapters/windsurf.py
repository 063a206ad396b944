"""Windsurf's agent Cascade: what its hook payloads mean; it reads nothing but an exit status and stderr.

Contract: docs.windsurf.com, Cascade hooks. An event names the tool, a call has no id, and only what comes before a
call can stop it. Whether an edit replaces every occurrence is not told.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from linetrail.ledger.adapters.adapter import (
    MCP_TOOL,
    does,
    first_text,
    identifier,
    mcp_name,
    part,
    refused,
    required,
    table,
    text,
    tool,
)
from linetrail.ledger.event.signal import Answer, Result, Said, Signal, Tool

if TYPE_CHECKING:  # no hook asks for it
    from linetrail.ledger.adapters.agent import Agent

NAME = "windsurf"
GATED = ("pre_write_code", "pre_run_command", "pre_mcp_tool_use", "pre_read_code")

_KINDS = {
    "pre_user_prompt": "prompt",
    "post_cascade_response": "stop",
    "post_cascade_response_with_transcript": "stop",
    "post_setup_worktree": "other",
}
_PHASES = {"pre_": "pre_tool", "post_": "post_tool"}
_TOOLS = table(edit="write_code", commands="run_command", read="read_code")
_MCP = "mcp_tool_use"
_UNKNOWN_MODEL = "Unknown"


def read(payload: Mapping[str, Any], event: str | None) -> Signal:
    """Read one payload; what comes before or after a call of a tool that is not known is a call of that tool."""
    told = required(event or text(payload, "agent_action_name"), "event")
    phase = next((prefix for prefix in _PHASES if told.startswith(prefix) and told not in _KINDS), None)
    about = part(payload, "tool_info")
    kind = _KINDS.get(told, "other") if phase is None else _PHASES[phase]
    model = first_text(payload, "model_name")
    return Signal(
        kind=kind,
        name=told,
        session_id=identifier(payload, "trajectory_id"),
        cwd=first_text(about, "cwd") or text(payload, "cwd"),
        transcript=first_text(about, "transcript_path"),
        model_id=None if model == _UNKNOWN_MODEL else model,
        prompt_id=identifier(payload, "execution_id"),
        text=first_text(about, "user_prompt") if kind == "prompt" else None,
        tool=None if phase is None else _tool(told.removeprefix(phase), about),
        result=Result(output=about.get("mcp_result")) if kind == "post_tool" else None,
    )


def can_ask(_signal: Signal) -> bool:
    """Return whether the agent would show a person a dialog: it reads no answer that asks for one."""
    return False


def reply(_event: str, answer: Answer) -> Said:
    """Refuse by the exit status, with the reason on stderr; there is no other way to say anything."""
    return Said() if answer.verdict is None else refused(answer.message)


def _tool(action: str, about: dict[str, Any]) -> Tool:
    if action == _MCP:
        called = mcp_name(text(about, "mcp_server_name"), text(about, "mcp_tool_name"))
        return tool(called, MCP_TOOL, part(about, "mcp_tool_arguments"))
    return tool(action, does(_TOOLS, action), about, command=first_text(about, "command_line", "command"))


def about() -> "Agent":
    from linetrail.ledger.adapters import agent

    return agent.Agent(
        name=NAME,
        title="Windsurf (Cascade)",
        layout=agent.LIST,
        file=".windsurf/hooks.json",
        user_file=".codeium/windsurf/hooks.json",
        events=agent.words(
            "pre_user_prompt post_read_code pre_write_code post_write_code pre_run_command post_run_command "
            "pre_mcp_tool_use post_mcp_tool_use post_cascade_response"
        ),
        tool_events=agent.words(
            "post_read_code pre_write_code post_write_code pre_run_command post_run_command "
            "pre_mcp_tool_use post_mcp_tool_use"
        ),
        gates=("pre_write_code", "pre_run_command", "pre_mcp_tool_use"),
        rank=8,
        handler={"show_output": True},
        windows_key="powershell",
        timeout=None,
        others=("~/.codeium/windsurf/hooks.json", "/etc/windsurf/hooks.json"),
        protected=(".windsurf",),
        signs=(".windsurf", ".windsurfrules"),
        home_signs=(".codeium/windsurf",),
        trust="Reload the window: hooks are read when it opens.",
        limits=("Nothing can be told to the model but the reason of a refusal.", "There is no start of a session."),
        marks=agent.Marks(evidence="documentation"),
        question=agent.Question(
            {
                "agent_action_name": agent.TOOL,
                "trajectory_id": agent.SESSION,
                "execution_id": "turn",
                "timestamp": "2026-01-05T09:00:00Z",
                "model_name": "model",
                "tool_info": agent.INPUT,
            },
            write=("pre_write_code", {"file_path": agent.FILE, "edits": [{"old_string": "0", "new_string": "1"}]}),
            read=None,
        ),
        denial=agent.Denial(answer=None),
        retention=agent.Retention(".windsurf/transcripts"),
        credit=agent.Credit(names=("windsurf",)),
    )
