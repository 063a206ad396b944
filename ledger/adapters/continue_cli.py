"""Continue CLI: payloads of Claude Code's shape with tools of its own.

Contract: `src/hooks/types.ts` and the tools of npm @continuedev/cli 1.5.47. No server stands in the names of MCP tools.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from linetrail.ledger.adapters import claude_code
from linetrail.ledger.adapters.adapter import own_tool, table
from linetrail.ledger.adapters.claude_code import GATED, reply
from linetrail.ledger.event.signal import Signal

if TYPE_CHECKING:  # no hook asks for it
    from linetrail.ledger.adapters.agent import Agent

__all__ = ["GATED", "NAME", "about", "can_ask", "read", "reply"]

NAME = "continue-cli"

_TOOLS = table(
    write="Write",
    edit="Edit MultiEdit edit",
    commands="Bash terminal local_shell_call",
    read="Read List Search Diff",
    reading="Fetch CheckBackgroundJob",
    meta="AskQuestion Checklist Exit ReportFailure Skills Status Subagent",
)


def read(payload: Mapping[str, Any], event: str | None) -> Signal:
    """Read one payload; a tool that is not built in is one of some server, and may be ours."""
    signal = claude_code.read_with(payload, event, _TOOLS)
    tool = signal.tool
    if tool is None or tool.name in _TOOLS or not own_tool(f"MCP:{tool.name}"):
        return signal
    return signal._replace(tool=tool._replace(name=f"MCP:{tool.name}", operation="mcp", targets=()))


def can_ask(_signal: Signal) -> bool:
    """Return whether the agent would show a person a dialog: it reads `ask`, and does nothing about it."""
    return False


def about() -> "Agent":
    from linetrail.ledger.adapters import agent

    return agent.Agent(
        name=NAME,
        title="Continue CLI",
        layout=agent.GROUPS,
        file=".continue/settings.json",
        user_file=".continue/settings.json",
        events=agent.words(
            "SessionStart UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure SubagentStart "
            "SubagentStop PreCompact Stop SessionEnd"
        ),
        tool_events=agent.words("PreToolUse PostToolUse PostToolUseFailure"),
        gates=("PreToolUse",),
        rank=10,
        aliases=("continue",),
        handler=agent.COMMAND_HANDLER,
        others=(".continue/settings.local.json", "~/.continue/settings.json"),
        mixed=(".continue/settings.json",),
        protected=(".continue",),
        signs=(".continue",),
        home_signs=(".continue",),
        trust="Start a new session of `cn`; the extensions of editors have no hooks.",
        limits=("Version 1.5.47 reads the entries and calls none: its code has no place that would.",),
        marks=agent.Marks(
            record="not by 1.5.47",
            deny="not by 1.5.47",
            inject=(agent.START, agent.PROMPT, agent.RESULT),
            evidence="source; run: 1.5.47",
        ),
        borrows=("claude-code",),
        sign=agent.Sign(transcript="/.continue/"),
        project_variables=("CONTINUE_PROJECT_DIR",),
        program=agent.Program("cn", "@continuedev/cli"),
        question=agent.Question(
            write=("Write", {"filepath": agent.FILE, "content": "1\n"}), read=("Read", {"filepath": agent.FILE})
        ),
        switch_files=("~/.continue/settings.json", ".continue/settings.json", ".continue/settings.local.json"),
        switches=(agent.Switch(("disableAllHooks",)),),
        retention=agent.Retention(".continue/sessions"),
    )
