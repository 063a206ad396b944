"""Amp: what our plugin there tells of its events.

Contract: the plugin API on ampcode.com, to whose events our plugin, `queries/setup/shims/amp.ts`, adds `event`
and `cwd`. The API is experimental; not confirmed: the arguments of its shell, and the names of tools that only read.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from linetrail.ledger.adapters.adapter import (
    answered,
    does,
    first_text,
    identifier,
    part,
    required,
    started,
    table,
    text,
    tool,
)
from linetrail.ledger.event.signal import Answer, Result, Said, Signal, Tool

if TYPE_CHECKING:  # no hook asks for it
    from linetrail.ledger.adapters.agent import Agent

NAME = "amp"
GATED = ("tool.call",)

_KINDS = {
    "session.start": "session_start",
    "agent.start": "prompt",
    "agent.end": "stop",
    "tool.call": "pre_tool",
    "tool.result": "post_tool",
}
TOOLS = table(
    write="create_file Write",
    edit="edit_file Edit undo_edit format_file",
    patch="apply_patch",
    commands="Bash shell_command",
    read="Read read_file Grep Glob glob list_directory finder look_at get_diagnostics",
    reading="oracle librarian web_search read_web_page read_mcp_resource read_thread find_thread todo_read mermaid",
    meta="todo_write Task skill handoff",
)


def read(payload: Mapping[str, Any], event: str | None) -> Signal:
    told = required(event or text(payload, "event"), "event")
    kind = _KINDS.get(told, "other")
    status = first_text(payload, "status")
    if kind == "post_tool" and status in ("error", "cancelled"):
        kind = "tool_failure"
    call = _tool(payload) if kind in ("pre_tool", "post_tool", "tool_failure") else None
    directory = text(payload, "cwd")
    return Signal(
        kind=kind,
        name=told,
        session_id=identifier(part(payload, "thread"), "id"),
        cwd=started(directory, first_text(call.input, "cwd", "workdir"))
        if call and call.operation == "shell"
        else directory,
        text=first_text(payload, "message") if kind == "prompt" else None,
        tool=call,
        result=_result(payload, status) if call and kind != "pre_tool" else None,
        roots=(directory,) if directory else (),
    )


def can_ask(_signal: Signal) -> bool:
    """Return whether a person would see a dialog: our plugin opens none."""
    return False


def reply(_event: str, answer: Answer) -> Said:
    """Return what our plugin hands on, or reads; silence means "go on"."""
    if answer.verdict is not None:
        return answered({"action": "reject-and-continue", "message": answer.message})
    return answered({"context": answer.context}) if answer.context else Said()


def _tool(payload: Mapping[str, Any]) -> Tool:
    called = required(text(payload, "tool"), "tool")
    arguments = part(payload, "input")
    return tool(
        called,
        does(TOOLS, called),
        arguments,
        call_id=identifier(payload, "toolUseID"),
        command=first_text(arguments, "cmd", "command"),
    )


def _result(payload: Mapping[str, Any], status: str | None) -> Result:
    return Result(
        output=payload.get("output"),
        error=first_text(payload, "error"),
        interrupted=True if status == "cancelled" else None,
    )


def about() -> "Agent":
    from linetrail.ledger.adapters import agent

    return agent.Agent(
        name=NAME,
        title="Amp",
        layout=agent.PLUGIN,
        file=".amp/plugins/linetrail.ts",
        user_file=".config/amp/plugins/linetrail.ts",
        events=agent.words("session.start agent.start tool.call tool.result agent.end"),
        tool_events=("tool.call", "tool.result"),
        gates=("tool.call",),
        rank=14,
        timeout=None,
        protected=(".amp",),
        signs=(".amp",),
        home_signs=(".config/amp",),
        trust="Start Amp with plugins turned on; they are experimental there.",
        limits=("The plugin interface is experimental, and no package of it could be read.",),
        marks=agent.Marks(
            inject=(agent.PROMPT, agent.RESULT), fails="open; closed in block mode", evidence="documentation"
        ),
        program=agent.Program("amp", "@sourcegraph/amp"),
        question=agent.Question(
            {
                "event": "tool.call",
                "cwd": agent.FOLDER,
                "thread": {"id": agent.SESSION},
                "toolUseID": "toolu_doctor",
                "tool": agent.TOOL,
                "input": agent.INPUT,
            },
            write=("create_file", {"path": agent.FILE, "content": "1\n"}),
            read=("Read", {"path": agent.FILE}),
        ),
        denial=agent.Denial({"action": "reject-and-continue", "message": agent.TEXT}, passes=({}, {"action": "allow"})),
        credit=agent.Credit(addresses=(r"[^@]+@ampcode\.com",), first_names=("amp",)),
    )
