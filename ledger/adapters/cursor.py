"""Cursor: its payloads, its answers, and all else that is known of it.

Contract: https://cursor.com/docs/hooks and the hook engine of @cursor/sdk 1.0.18. Cursor has to be answered: what it
cannot read where it asks for permission is a denial. It also runs the hooks of Claude Code's settings, under its own
names for events and tools, and reads its own answers there (docs/reference/third-party-hooks).
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from linetrail.ledger.adapters import adapter
from linetrail.ledger.adapters.adapter import EDIT, MCP_TOOL, UNKNOWN_TOOL, WRITE, table, tool
from linetrail.ledger.adapters.answers import fitting
from linetrail.ledger.event.signal import Answer, Result, Said, Signal, Tool
from linetrail.ledger.repository import native

if TYPE_CHECKING:  # no hook asks for it
    from linetrail.ledger.adapters.agent import Agent

NAME = "cursor"
GATED = ("preToolUse", "beforeShellExecution", "beforeMCPExecution")

MAX_FACTS = 10_000  # longer ones are dropped
_BEFORE = (*GATED, "beforeReadFile", "beforeTabFileRead")
_AFTER = ("postToolUse", "afterShellExecution", "afterMCPExecution", "afterFileEdit", "afterTabFileEdit")
_KINDS = {
    **dict.fromkeys(_BEFORE, "pre_tool"),
    **dict.fromkeys(_AFTER, "post_tool"),
    "postToolUseFailure": "tool_failure",
    "sessionStart": "session_start",
    "sessionEnd": "session_end",
    "beforeSubmitPrompt": "prompt",
    "subagentStart": "subagent_start",
    "subagentStop": "subagent_stop",
    "preCompact": "compact",
    "stop": "stop",
}
_TOOLS = table(
    write="Write",
    edit="StrReplace Edit MultiEdit EditNotebook",
    patch="ApplyPatch",
    delete="Delete",
    commands="Shell",
    read="Read Grep Glob LS SemanticSearch",
    reading="WebSearch WebFetch ReadLints",
    meta="Task TodoWrite AskQuestion SwitchMode",
)
_TOLD = frozenset({"sessionStart", "beforeSubmitPrompt", "postToolUse"})
# Where Cursor asks for permission, and of these where the answer `ask` opens a dialog.
_ASKS, _DIALOGS = frozenset({*_BEFORE, "subagentStart"}), frozenset({"beforeShellExecution", "beforeMCPExecution"})


def read(payload: Mapping[str, Any], event: str | None) -> Signal:
    """Read one payload; paths start from the folder of the call, else from the first of the workspace."""
    told = adapter.required(_own_name(event) or adapter.text(payload, "hook_event_name"), "event")
    kind, roots = _KINDS.get(told, "other"), _roots(payload)
    call = _tool(told, payload) if kind in ("pre_tool", "post_tool", "tool_failure") else None
    start = native(adapter.text(payload, "cwd") or "") or next(iter(roots), None)
    place = adapter.text(call.input, "cwd", "working_directory") if call and call.operation == "shell" else None
    return Signal(
        kind=kind,
        name=told,
        session_id=adapter.identifier(payload, "session_id", "conversation_id"),
        cwd=adapter.started(start, place),
        roots=roots,
        transcript=adapter.text(payload, "transcript_path"),
        model_id=adapter.name(payload, "model_id", "model"),
        agent_version=adapter.name(payload, "cursor_version"),
        prompt_id=adapter.identifier(payload, "generation_id"),
        agent_id=adapter.identifier(payload, "subagent_id"),
        agent_type=adapter.name(payload, "subagent_type"),
        text=adapter.first_text(payload, "prompt", "composer_mode", "reason", "trigger", "status"),
        tool=call,
        result=_result(payload) if kind in ("post_tool", "tool_failure") else None,
    )


def can_ask(signal: Signal) -> bool:
    """Return whether the answer `ask` opens a dialog: not before tools in general, where it counts for nothing."""
    return signal.name in _DIALOGS


def reply(event: str, answer: Answer) -> Said:
    """Answer every event: a permission where Cursor asks for one, else an object that may be empty."""
    event = _own_name(event) or event
    told: dict[str, Any] = {"permission": "allow"} if event in _ASKS else {}
    if event == "beforeSubmitPrompt":
        told["continue"] = True
    if answer.verdict is not None and event in _ASKS:
        permission = "ask" if answer.verdict == "ask" and event in _DIALOGS else "deny"
        told = {"permission": permission, "user_message": answer.message, "agent_message": answer.message}
    elif answer.context and event in _TOLD:
        told["additional_context"] = fitting(answer.context, MAX_FACTS)
    return adapter.answered(told)


def _own_name(event: str | None) -> str | None:
    """Return Cursor's name of an event; Claude Code's settings may put another on the command line."""
    return "beforeSubmitPrompt" if event == "UserPromptSubmit" else event and event[:1].lower() + event[1:]


def _roots(payload: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the folders of the workspace; on Windows they come as `/c:/…`."""
    told = payload.get("workspace_roots")
    found = [root for root in told if isinstance(root, str) and root] if isinstance(told, list) else []
    return tuple(map(native, found))


def _tool(event: str, payload: Mapping[str, Any]) -> Tool:
    """Read the call of an event; those that are about one kind of tool say what it was given beside its name."""
    call_id = adapter.identifier(payload, "tool_use_id")
    if event in ("beforeShellExecution", "afterShellExecution"):
        arguments = {key: payload[key] for key in ("command", "cwd") if payload.get(key)}
        return tool("Shell", _TOOLS["Shell"], arguments, call_id=call_id, command=arguments.get("command"))
    if event in ("beforeReadFile", "beforeTabFileRead"):
        return tool("Read", _TOOLS["Read"], {"file_path": adapter.text(payload, "file_path")}, call_id=call_id)
    if event in ("afterFileEdit", "afterTabFileEdit"):
        return _edited(payload, call_id)
    called = adapter.required(adapter.text(payload, "tool_name"), "tool")
    if event in ("beforeMCPExecution", "afterMCPExecution"):
        called = ":".join(filter(None, ("MCP", adapter.text(payload, "mcp_server_name"), called)))
    does = _TOOLS.get(called) or (MCP_TOOL if called.startswith("MCP:") else UNKNOWN_TOOL)
    arguments = adapter.arguments(payload, "tool_input")
    return tool(called, does, arguments, call_id=call_id, command=arguments.get("command"))


def _edited(payload: Mapping[str, Any], call_id: str | None) -> Tool:
    """Read an edit that was made: hunks; a new file, and a long one, comes as one text that replaces nothing."""
    told = payload.get("edits")
    hunks = [item for item in told if isinstance(item, dict)] if isinstance(told, list) else []
    edits = [adapter.replacement(hunk.get("old_string"), hunk.get("new_string")) for hunk in hunks]
    content = edits[0].new if len(edits) == 1 and edits[0] and not edits[0].old else None
    arguments, known = {"file_path": adapter.text(payload, "file_path"), "edits": hunks}, WRITE if content else EDIT
    return tool("Write", known, arguments, call_id=call_id, proposed=adapter.proposal(content, edits))


def _result(payload: Mapping[str, Any]) -> Result:
    """Read how a call ended; the output of tools is JSON inside a string."""
    told = next((payload[key] for key in ("tool_output", "output", "result_json") if key in payload), None)
    error, interrupted = adapter.first_text(payload, "error_message"), payload.get("is_interrupt")
    return Result(
        output=told if told is not None else error,
        error=error,
        duration_ms=adapter.whole(payload.get("duration")),
        exit_code=adapter.whole(adapter.part(payload, "tool_output").get("exitCode")),
        interrupted=interrupted if isinstance(interrupted, bool) else None,
    )


def about() -> "Agent":
    from linetrail.ledger.adapters import agent

    return agent.Agent(
        name=NAME,
        title="Cursor",
        layout=agent.LIST,
        file=".cursor/hooks.json",
        user_file=".cursor/hooks.json",
        skeleton={"version": 1},
        events=agent.words(
            "sessionStart beforeSubmitPrompt preToolUse postToolUse postToolUseFailure subagentStart "
            "subagentStop preCompact stop sessionEnd"
        ),
        tool_events=agent.words("preToolUse postToolUse postToolUseFailure"),
        gates=("preToolUse",),
        rank=3,
        # cursor-agent skips a file with any other.
        known_events=frozenset(
            {*_KINDS, "afterAgentResponse", "afterAgentThought", "workspaceOpen"},
        ),
        fail_closed=("failClosed", True),
        others=("~/.cursor/hooks.json", "/etc/cursor/hooks.json", "/Library/Application Support/Cursor/hooks.json"),
        protected=(".cursor",),
        worktrees=".cursor/worktrees",
        signs=(".cursor",),
        home_signs=(".cursor",),
        trust="Trust the workspace; `cursor-agent` skips the whole file when one event name in it is unknown to it.",
        limits=(
            "`cursor-agent -p` sends no prompt and no stop event; cloud agents send no session start.",
            "Completions of Cursor Tab are not recorded.",
        ),
        marks=agent.Marks(
            inject=(agent.START, agent.PROMPT, agent.RESULT),
            fails="open; closed in block mode",
            evidence="source of the shipped engine",
        ),
        borrows=("claude-code",),
        borrows_where=", where third-party skills are on in its settings",
        sign=agent.Sign(key="cursor_version", transcript="/.cursor/"),
        project_variables=("CURSOR_PROJECT_DIR",),
        shell_variables=(("CURSOR_AGENT", False),),
        program=agent.Program("cursor-agent", others=("cursor",)),
        question=agent.Question(
            agent.ASKED
            | {
                "hook_event_name": "preToolUse",
                "conversation_id": agent.SESSION,
                "generation_id": "turn",
                "model": "model",
            }
            | {"cursor_version": "3.9.0", "workspace_roots": [agent.FOLDER]}
        ),
        # With nothing on stdout, and where failing is set to be closed, it refuses.
        denial=agent.Denial(
            {"permission": "deny", "agent_message": agent.TEXT}, passes=({}, {"permission": "allow"}), must_answer=True
        ),
        switch_files=("~/.cursor/hooks.json", ".cursor/hooks.json"),
        retention=agent.Retention(".cursor/projects"),
        credit=agent.Credit(
            addresses=(r"cursoragent@cursor\.com",),
            accounts=("cursoragent",),
            bots=("cursor",),
            names=("cursor(?: ?agent)?",),
            words=("cursor",),
            trailers=("cursor-session",),
        ),
    )
