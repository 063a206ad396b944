"""Claude Code: its payloads, its answers, and all else that is known of it. Others send and read the same shape.

Contract: https://code.claude.com/docs/en/hooks and the types of @anthropic-ai/claude-agent-sdk 0.3.330.
"""

import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from linetrail.ledger.adapters.adapter import (
    Table,
    answered,
    arguments,
    does,
    first_text,
    identifier,
    name,
    part,
    required,
    table,
    text,
    tool,
    whole,
)
from linetrail.ledger.adapters.answers import KINDS, fitting
from linetrail.ledger.event.signal import Answer, Result, Said, Signal, Tool

if TYPE_CHECKING:  # no hook asks for it
    from linetrail.ledger.adapters.agent import Agent, Asked, Trust

NAME = "claude-code"
GATED = ("PreToolUse",)
# Claude Code puts what is longer into a file, which its model may or may not read.
MAX_FACTS = 10_000
_WORDS = ("prompt", "source", "reason", "trigger", "error", "stop_reason")
_TOOL_KINDS = frozenset({"pre_tool", "post_tool", "tool_failure"})
# Compiled where it is needed: a process reads one payload, and most tell of no failure.
_EXIT_CODE = r"Exit code (\d{1,3})\b"

# MultiEdit left the tool list; old versions and clones still send it.
_TOOLS = table(
    write="Write",
    edit="Edit MultiEdit NotebookEdit",
    commands="Bash PowerShell Monitor",
    read="Read Grep Glob LS NotebookRead",
    reading=(
        "WebFetch WebSearch TodoRead BashOutput TaskOutput TaskGet TaskList LSP ToolSearch ListMcpResources "
        "ListMcpResourcesTool ReadMcpResource ReadMcpResourceTool AgentOutputTool CronList ReadNotifications"
    ),
    meta=(
        "TodoWrite Task Agent TaskCreate TaskUpdate TaskStop KillShell KillBash EnterPlanMode ExitPlanMode Skill "
        "SlashCommand AskUserQuestion SendMessage StructuredOutput ScheduleWakeup PushNotification ReportFindings"
    ),
)
# Modes in which a dialog would be answered by nobody.
_NO_DIALOG = frozenset({"dontAsk", "bypassPermissions"})


def read(payload: Mapping[str, Any], event: str | None) -> Signal:
    return read_with(payload, event, _TOOLS, "anthropic")


def read_with(payload: Mapping[str, Any], event: str | None, tools: Table, provider: str | None = None) -> Signal:
    """Read a payload of this shape; `tools` are its agent's, `provider` is whose models are named without saying so."""
    told = required(event or text(payload, "hook_event_name", "hookEventName"), "event")
    kind = KINDS.get(told, "other")
    called = text(payload, "tool_name", "toolName")
    if kind in _TOOL_KINDS:
        called = required(called, "tool")
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


def can_ask(signal: Signal) -> bool:
    """Return whether the agent would show a person a dialog."""
    return signal.permission_mode not in _NO_DIALOG


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


def about() -> "Agent":
    from linetrail.ledger.adapters import agent

    return agent.Agent(
        name=NAME,
        title="Claude Code",
        layout=agent.GROUPS,
        file=".claude/settings.json",
        user_file=".claude/settings.json",
        events=agent.words(
            "SessionStart UserPromptSubmit PreToolUse PermissionRequest PermissionDenied PostToolUse "
            "PostToolUseFailure SubagentStart SubagentStop PreCompact Stop SessionEnd"
        ),
        tool_events=agent.words("PreToolUse PermissionRequest PermissionDenied PostToolUse PostToolUseFailure"),
        gates=("PreToolUse",),
        rank=1,
        # Anchored: the agent would find `Write` in `TodoWrite`, too.
        tools="^(Write|Edit|MultiEdit|NotebookEdit|Bash|PowerShell|Monitor|mcp__.*)$",
        every_tool="*",
        handler=agent.COMMAND_HANDLER,
        fail_closed=("onFailure", "block"),
        instructions="CLAUDE.md",
        others=(
            ".claude/settings.local.json",
            "/etc/claude-code/managed-settings.json",
            "/Library/Application Support/ClaudeCode/managed-settings.json",
        ),
        mixed=(".claude/settings.json", ".claude/settings.local.json"),
        protected=(".claude",),
        worktrees=".claude/worktrees",
        signs=(".claude",),
        home_signs=(".claude",),
        moved=(".claude", "CLAUDE_CONFIG_DIR"),
        trust="Start `claude` in the project once and trust the folder; hooks fire in sessions that start after that.",
        limits=(
            "`allowManagedHooksOnly` in managed settings, and `disableAllHooks`, turn hooks off without a word.",
            "Before 2.1.295 a hook that cannot be started lets the call through in block mode, too.",
        ),
        marks=agent.Marks(
            ask=agent.YES,
            inject=(agent.START, agent.PROMPT, agent.CALL, agent.RESULT),
            fails="open; closed in block mode",
            evidence="types, documentation; run: 2.1.328",
        ),
        sign=agent.Sign(transcript="/.claude/"),
        names_transcript=True,
        project_variables=("CLAUDE_PROJECT_DIR",),
        shell_variables=(("CLAUDE_CODE_SESSION_ID", True), ("CLAUDECODE", False)),
        # Where it moves itself to.
        program=agent.Program("claude", "@anthropic-ai/claude-code", roots=("~/.claude/local/node_modules",)),
        package=agent.Package(
            ("~/.claude/settings.json", ".claude/settings.json", ".claude/settings.local.json"),
            ("enabledPlugins", agent.PACKAGE),
        ),
        unstarted="; Claude Code before 2.1.295, and most other agents, would let every call through",
        # Those that it merges, the managed ones last.
        switch_files=(
            "~/.claude/settings.json",
            ".claude/settings.json",
            ".claude/settings.local.json",
            "/etc/claude-code/managed-settings.json",
            "/etc/claude-code/managed-settings.d/*.json",
            "/Library/Application Support/ClaudeCode/managed-settings.json",
            "/Library/Application Support/ClaudeCode/managed-settings.d/*.json",
        ),
        switches=(
            agent.Switch(("disableAllHooks",)),
            agent.Switch(("allowManagedHooksOnly",), effect="turns project hooks off", advice=agent.ADMINISTRATOR),
            agent.Switch(
                ("strictPluginOnlyCustomization",), effect="lets only plugins have hooks", advice=agent.ADMINISTRATOR
            ),
        ),
        trusts=_trusts,
        # What it does where nobody says otherwise.
        retention=agent.Retention(
            ".claude",
            days=30,
            file="~/.claude/settings.json",
            keys=("cleanupPeriodDays",),
            advice='"cleanupPeriodDays": 365 in {}, and `linetrail import claude-code` before',
        ),
        credit=agent.Credit(
            addresses=(r"noreply@anthropic\.com",),
            bots=("claude",),
            names=("claude code",),
            first_names=("claude",),
            words=("claude",),
            trailers=("claude-session",),
        ),
    )


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


def _trusts(asked: "Asked") -> "Iterator[Trust]":
    """Look for the answer to the dialog; the file is written late, so that it never proves a `no`."""
    from linetrail.ledger.adapters import agent

    document = asked.json(os.path.join(os.environ.get("CLAUDE_CONFIG_DIR") or "~", ".claude.json"))
    if not document.exists:
        return
    if any(document.at("projects", root, "hasTrustDialogAccepted") is True for root in asked.spellings):
        yield agent.Trust(given=True, message=f"{document.shown} says that this folder is trusted")
        return
    message = f"{document.shown} does not say that this folder is trusted{document.trouble}"
    yield agent.Trust(None, message, "start `claude` here once, and trust the folder")
