"""Copilot in VS Code: its payloads, its answers, and all else that is known of it.

Contract: `docs/agent-customization/hooks.md` in microsoft/vscode-docs (Preview). Earlier builds spell the base fields
in camelCase. It also runs hooks that were installed for Claude Code and for Copilot CLI, and ignores their matchers.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from linetrail.ledger.adapters.adapter import (
    MCP_TOOL,
    PATH_KEYS,
    UNKNOWN_TOOL,
    answered,
    arguments,
    first_text,
    identifier,
    name,
    paths,
    proposal,
    replacement,
    required,
    table,
    text,
    tool,
)
from linetrail.ledger.adapters.answers import KINDS, denied, held_back, informed
from linetrail.ledger.event.signal import Answer, Edit, Proposal, Result, Said, Signal, Tool
from linetrail.ledger.repository import native

if TYPE_CHECKING:  # no hook asks for it
    from linetrail.ledger.adapters.agent import Agent

NAME = "vscode-copilot"
GATED = ("PreToolUse",)

# Names of Copilot CLI, which VS Code translates where it registers them, and the command line may still say.
_LENT = {"userPromptSubmitted": "UserPromptSubmit", "agentStop": "Stop"}
# The second names of some are those of the documentation's examples, the third are those of the extension.
_TOOLS = table(
    write="create_file createFile copilot_createFile create_new_jupyter_notebook",
    edit=(
        "replace_string_in_file multi_replace_string_in_file insert_edit_into_file edit_notebook_file edit_files "
        "editFiles copilot_replaceString copilot_multiReplaceString copilot_insertEdit copilot_editNotebook"
    ),
    patch="apply_patch copilot_applyPatch",
    delete="deleteFile delete_file",
    commands="run_in_terminal runTerminalCommand",
    read=(
        "read_file list_dir file_search grep_search semantic_search copilot_getNotebookSummary view_image "
        "copilot_readFile copilot_listDirectory copilot_findFiles copilot_findTextInFiles copilot_searchCodebase"
    ),
    reading=(
        "get_errors get_changed_files get_terminal_output fetch_webpage github_repo test_failure list_code_usages "
        "vscode_listCodeUsages"
    ),
    meta="manage_todo_list runSubagent vscode_askQuestions",
)
_TOLD = frozenset({"SessionStart", "PreToolUse", "PostToolUse", "SubagentStart"})


def read(payload: Mapping[str, Any], event: str | None) -> Signal:
    """Read one payload, with base fields in either spelling."""
    told = required(_own_name(event) or text(payload, "hook_event_name", "hookEventName"), "event")
    kind = KINDS.get(told, "other")
    called = text(payload, "tool_name", "toolName")
    if kind in ("pre_tool", "post_tool"):
        called = required(called, "tool")
    call = _tool(called, payload) if called else None
    return Signal(
        kind=kind,
        name=told,
        session_id=identifier(payload, "session_id", "sessionId"),
        cwd=text(payload, "cwd"),
        transcript=text(payload, "transcript_path", "transcriptPath"),
        agent_id=identifier(payload, "agent_id", "agentId"),
        agent_type=name(payload, "agent_type", "agentType"),
        text=first_text(payload, "prompt", "source", "trigger"),
        tool=call,
        # It is text, and says nothing of exit codes or of what was there before.
        result=Result(payload.get("tool_response", payload.get("toolResponse"))) if kind == "post_tool" else None,
    )


def can_ask(_signal: Signal) -> bool:
    """Return whether a person would see a dialog: an editor has one in front of it."""
    return True


def reply(event: str, answer: Answer) -> Said:
    """Return what the agent reads; a reason is shown to the person alone, so the model is told it as a fact."""
    event = _own_name(event) or event
    if answer.verdict == "ask":
        told = {"permissionDecision": "ask", "permissionDecisionReason": answer.message}
        return answered({"hookSpecificOutput": {"hookEventName": event, **told}})
    if answer.verdict is not None:
        return _denied(event, answer.message or "refused")
    return informed(event, answer.context) if answer.context and event in _TOLD else Said()


def _denied(event: str, reason: str) -> Said:
    if event == "Stop":
        told = {"hookEventName": event, "decision": "block", "reason": reason}
        return answered({"hookSpecificOutput": told})
    return held_back(reason) if event == "SubagentStop" else denied(event, reason, additionalContext=reason)


def _own_name(event: str | None) -> str | None:
    return None if event is None else _LENT.get(event) or event[:1].upper() + event[1:]


def _tool(called: str, payload: Mapping[str, Any]) -> Tool:
    does = _TOOLS.get(called) or (MCP_TOOL if called.startswith("mcp_") else UNKNOWN_TOOL)
    given = arguments(payload, "tool_input", "toolInput")
    named = [] if does.operation in ("shell", "mcp") else list(_named(given))
    several = _proposals(given)
    call = tool(
        called,
        does,
        given,
        call_id=identifier(payload, "tool_use_id", "toolUseId"),
        command=given.get("command"),
        named=named,
        proposed=several[0][1] if len(several) == len(set(named)) == 1 else None,
    )
    return call._replace(proposals=several) if len(set(named)) > 1 else call


def _proposals(given: Mapping[str, Any]) -> tuple[tuple[str, Proposal], ...]:
    """Return what replacements in several files mean to do to each, where every one of a file is known."""
    edits: dict[str, list[Edit | None]] = {}
    listed = given.get("replacements")
    for item in listed if isinstance(listed, list) else ():
        if isinstance(item, dict) and isinstance(item.get("filePath"), str):
            edits.setdefault(native(item["filePath"]), []).append(
                replacement(item.get("oldString"), item.get("newString"))
            )
    told = [(path, proposal(None, found)) for path, found in edits.items()]
    return tuple((path, proposed) for path, proposed in told if proposed is not None)


def _named(given: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files that a call names in lists: replacements in several files, or the files alone."""
    for key in ("replacements", "files"):
        listed = given.get(key)
        for item in listed if isinstance(listed, list) else ():
            if isinstance(item, dict):
                yield from paths(item, PATH_KEYS)
            elif isinstance(item, str) and item:
                yield item


def about() -> "Agent":
    from linetrail.ledger.adapters import agent, copilot_cli

    # It reads the same file, and calls the same entries.
    lender = copilot_cli.about()
    return lender._replace(
        name=NAME,
        title="VS Code Copilot",
        rank=6,
        aliases=("visual studio code", "visual-studio-code", "vscode"),
        called=lender.name,
        others=("~/.copilot/hooks",),
        protected=(".vscode",),
        signs=(".github/copilot-instructions.md", ".github/chatmodes", ".github/prompts"),
        home_signs=(
            ".config/Code/User/globalStorage/github.copilot-chat",
            "Library/Application Support/Code/User/globalStorage/github.copilot-chat",
            ".vscode-server/data/User/globalStorage/github.copilot-chat",
        ),
        moved=None,
        trust="Trust the workspace, and leave `.github/hooks` in the setting `chat.hookFilesLocations`.",
        limits=(
            "One file serves Copilot CLI and VS Code; which of them called is told from the payload.",
            "Hooks are a preview there; an organisation may have turned them off, and matchers are ignored.",
        ),
        marks=agent.Marks(
            ask=agent.YES,
            inject=(agent.START, agent.CALL, agent.RESULT),
            evidence="documentation, recordings of others",
        ),
        borrows=("claude-code", lender.name),
        sign=agent.Sign(call_id="__vscode-", transcript="/GitHub.copilot-chat/"),
        shell_variables=(),
        mcp_sessions=(("vscode.conversationId",),),
        program=None,
        question=agent.Question(
            agent.ASKED | {"tool_use_id": "call_doctor__vscode-1", "transcript_path": None},
            write=("create_file", {"filePath": agent.FILE, "content": "1\n"}),
            read=("read_file", {"filePath": agent.FILE}),
        ),
        denial=agent.Denial(),
        switch_files=(
            "~/.config/Code/User/settings.json",
            "~/Library/Application Support/Code/User/settings.json",
            ".vscode/settings.json",
        ),
        switches=(
            agent.Switch(("chat.useHooks",), value=False),
            agent.Switch(
                ("chat.hookFilesLocations", ".github/hooks"), value=False, effect="lets VS Code skip our file"
            ),
        ),
        trusts=None,
        retention=None,
        credit=agent.Credit(),
    )
