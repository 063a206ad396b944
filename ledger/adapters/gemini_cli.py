"""Gemini CLI: its payloads, its answers, and all else that is known of it.

Contract: `packages/core/src/hooks/types.ts` in google-gemini/gemini-cli. Calls have no ids. An exit status of 2 is a
denial, whatever it was meant to be.
"""

import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from linetrail.ledger.adapters.adapter import (
    MCP_TOOL,
    UNKNOWN_TOOL,
    answered,
    arguments,
    first_text,
    identifier,
    name,
    part,
    required,
    started,
    table,
    text,
    tool,
)
from linetrail.ledger.adapters.answers import informed
from linetrail.ledger.event.signal import Answer, Result, Said, Signal, Tool

if TYPE_CHECKING:  # no hook asks for it
    from linetrail.ledger.adapters.agent import Agent, Asked, Trust

NAME = "gemini-cli"
GATED = ("BeforeTool",)

_KINDS = {
    "SessionStart": "session_start",
    "SessionEnd": "session_end",
    "BeforeAgent": "prompt",
    "BeforeTool": "pre_tool",
    "AfterTool": "post_tool",
    "PreCompress": "compact",
    "AfterAgent": "stop",
}
_TOOLS = table(
    write="write_file",
    edit="replace",
    commands="run_shell_command",
    read="read_file read_many_files list_directory glob grep_search search_file_content",
    reading=(
        "google_web_search web_fetch get_internal_docs codebase_investigator cli_help read_mcp_resource "
        "list_mcp_resources"
    ),
    meta=(
        "write_todos ask_user enter_plan_mode exit_plan_mode update_topic activate_skill complete_task invoke_agent "
        "tracker_create_task tracker_update_task tracker_get_task tracker_list_tasks tracker_add_dependency "
        "tracker_visualize"
    ),
)
_TOLD = frozenset({"SessionStart", "BeforeAgent", "AfterTool"})
# Patterns are compiled where they are needed: a process reads one payload.
# What hooks said at the start of a session, put in front of the first prompt by `gemini -p`.
_CONTEXT = r"\A(?:<hook_context>[\s\S]*?</hook_context>\s*)+"
# Told among the last lines of what the model is shown of a command that failed.
_EXIT_CODE = r"(?m)^Exit Code: (\d{1,3})$(?![\s\S]*^Exit Code: )"
_LAST_LINES = 200


def read(payload: Mapping[str, Any], event: str | None) -> Signal:
    """Read one payload; a command starts in the folder that it names."""
    told = required(event or text(payload, "hook_event_name"), "event")
    kind = _KINDS.get(told, "other")
    call = _tool(payload) if kind in ("pre_tool", "post_tool") else None
    result = _result(payload, call) if call and kind == "post_tool" else None
    cwd = text(payload, "cwd")
    place = text(call.input, "dir_path") if call and call.operation == "shell" else None
    model = name(part(payload, "llm_request"), "model")
    return Signal(
        kind="tool_failure" if result and result.error is not None else kind,
        name=told,
        session_id=identifier(payload, "session_id"),
        cwd=started(cwd, place),
        roots=(cwd,) if cwd and place else (),
        transcript=text(payload, "transcript_path"),
        model_id=model if model is None or "/" in model else f"google/{model}",
        text=_without_context(first_text(payload, "prompt", "source", "reason", "trigger", "message")),
        tool=call,
        result=result,
    )


def _without_context(told: str | None) -> str | None:
    return re.sub(_CONTEXT, "", told) or None if told and told.startswith("<hook_context>") else told or None


def can_ask(_signal: Signal) -> bool:
    """Return whether a person would see a dialog: never, hooks deny or let pass."""
    return False


def reply(event: str, answer: Answer) -> Said:
    """Return what the agent reads: a decision at the top, facts where they are read; silence means "go on"."""
    if answer.verdict is not None:
        return answered({"decision": "deny", "reason": answer.message or "refused"})
    return informed(event, answer.context) if answer.context and event in _TOLD else Said()


def _tool(payload: Mapping[str, Any]) -> Tool:
    """Read a call; the name of a tool of a server is not enough to tell the server, its context is."""
    called = required(text(payload, "tool_name"), "tool")
    is_remote = called.startswith("mcp_") or bool(part(payload, "mcp_context"))
    does = MCP_TOOL if is_remote else _TOOLS.get(called, UNKNOWN_TOOL)
    given = arguments(payload, "tool_input")
    return tool(called, does, given, command=given.get("command"))


def _result(payload: Mapping[str, Any], call: Tool) -> Result:
    """Read how a call ended; edits come with the text before and after."""
    response = part(payload, "tool_response")
    shown = part(response, "returnDisplay")
    error = first_text(part(response, "error"), "message") or first_text(response, "error")
    original = first_text(shown, "originalContent")
    is_new = shown.get("isNewFile") is True or (shown.get("originalContent", "") is None and "newContent" in shown)
    return Result(
        output=payload.get("tool_response"),
        error=error,
        exit_code=_exit_code(response) if call.operation == "shell" else None,
        original=None if is_new else original,
        known_new=is_new,
    )


def _exit_code(response: Mapping[str, Any]) -> int | None:
    found = re.search(_EXIT_CODE, (first_text(response, "llmContent") or "")[-_LAST_LINES:])
    return int(found[1]) if found else None


def about() -> "Agent":
    from linetrail.ledger.adapters import agent

    return agent.Agent(
        name=NAME,
        title="Gemini CLI",
        layout=agent.GROUPS,
        file=".gemini/settings.json",
        user_file=".gemini/settings.json",
        events=agent.words("SessionStart BeforeAgent BeforeTool AfterTool PreCompress AfterAgent SessionEnd"),
        tool_events=("BeforeTool", "AfterTool"),
        gates=("BeforeTool",),
        rank=4,
        tools="^(write_file|replace|run_shell_command|mcp_.*)$",
        every_tool="*",
        handler=agent.COMMAND_HANDLER | {"name": "linetrail"},
        timeout=("timeout", agent.SECONDS * 1000),
        guarded=True,
        instructions="GEMINI.md",
        others=("~/.gemini/settings.json", "/etc/gemini-cli/settings.json"),
        mixed=(".gemini/settings.json",),
        protected=(".gemini",),
        signs=(".gemini",),
        home_signs=(".gemini",),
        trust="Trust the folder when Gemini CLI asks; an untrusted folder turns every hook off, the user's own, too.",
        limits=("Calls have no identifier, so the two halves of one are joined by what they were asked to do.",),
        marks=agent.Marks(
            inject=(agent.START, agent.PROMPT, agent.RESULT),
            fails="open when late, closed when it crashes",
            evidence="source; run: 0.61.0",
        ),
        project_variables=("GEMINI_PROJECT_DIR",),
        shell_variables=(("GEMINI_CLI", False),),
        program=agent.Program("gemini", "@google/gemini-cli"),
        package=agent.Package(("~/.gemini/extensions/linetrail/gemini-extension.json",), ("name",), "linetrail"),
        question=agent.Question(
            agent.UNNAMED | {"hook_event_name": "BeforeTool"},
            write=("write_file", agent.WRITE_ARGUMENTS),
            read=("read_file", {"file_path": agent.FILE}),
        ),
        denial=agent.Denial({"decision": "deny", "reason": agent.TEXT}),
        switch_files=(
            "~/.gemini/settings.json",
            ".gemini/settings.json",
            "/etc/gemini-cli/system-defaults.json",
            "/etc/gemini-cli/settings.json",
            "/Library/Application Support/GeminiCli/settings.json",
        ),
        switches=(
            agent.Switch(("hooksConfig", "enabled"), value=False),
            # By their names, or by their commands.
            agent.Switch(("hooksConfig", "disabled"), agent.LISTED, "turns {} off", "/hooks enable in Gemini CLI"),
        ),
        trusts=_trusts,
        retention=agent.Retention(
            ".gemini",
            days=30,
            file="~/.gemini/settings.json",
            keys=("general", "sessionRetention", "maxAge"),
            limited=("general", "sessionRetention", "enabled"),
            advice='"general": {{"sessionRetention": {{"maxAge": "365d"}}}} in {}',
        ),
        credit=agent.Credit(accounts=("gemini-cli",), first_names=("(?:google )?gemini",), words=("gemini",)),
    )


def _trusts(asked: "Asked") -> "Iterator[Trust]":
    """Ask whether folders are trusted one by one at all, then whether this one is; its own rule covers those in it."""
    from linetrail.ledger.adapters import agent

    enabled = None
    for path in (os.path.join(asked.root, ".gemini", "settings.json"), "~/.gemini/settings.json"):
        told = asked.json(path).at("security", "folderTrust", "enabled")
        enabled = told if isinstance(told, bool) else enabled
    if enabled is False:
        yield agent.Trust(given=True, message="folder trust is off, so that every folder counts as trusted")
        return
    document = asked.json(os.environ.get("GEMINI_CLI_TRUSTED_FOLDERS_PATH") or "~/.gemini/trustedFolders.json")
    rules = document.values
    covered = {path for path, rule in rules.items() if rule == "TRUST_FOLDER"}
    covered |= {os.path.dirname(path) for path, rule in rules.items() if rule == "TRUST_PARENT"}
    advice = "start `gemini` here, and choose in /permissions that the folder is trusted"
    if any(rules.get(root) == "DO_NOT_TRUST" for root in asked.spellings):
        message = f"{document.shown} says not to trust this folder: no hook runs in it"
        yield agent.Trust(given=False, message=message, next=advice)
    elif covered & {*asked.around}:
        yield agent.Trust(given=True, message=f"{document.shown} says that this folder is trusted")
    elif enabled or document.exists:
        message = f"{document.shown} does not say that this folder is trusted{document.trouble}"
        yield agent.Trust(False if enabled else None, message, advice)
