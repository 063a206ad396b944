"""Claude Code: its payloads, its answers, and all else that is known of it.

Contract: https://code.claude.com/docs/en/hooks and the types of @anthropic-ai/claude-agent-sdk 0.3.330.
"""

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from linetrail.ledger.adapters import claude_shaped
from linetrail.ledger.adapters.claude_shaped import GATED, reply
from linetrail.ledger.adapters.tools import table
from linetrail.ledger.event.signal import Signal

if TYPE_CHECKING:  # no hook asks for it
    from linetrail.ledger.adapters.agent import Agent, Asked, Trust

__all__ = ["GATED", "NAME", "about", "can_ask", "read", "reply"]

NAME = "claude-code"

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
    """Read one payload; an event or a tool that is not known is kept as what it is."""
    return claude_shaped.read(payload, event, _TOOLS, "anthropic")


def can_ask(signal: Signal) -> bool:
    """Return whether the agent would show a person a dialog."""
    return signal.permission_mode not in _NO_DIALOG


def about() -> "Agent":
    """Return what else is known: where its hooks go, what they may do, what it leaves behind."""
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
