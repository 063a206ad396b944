"""Claude Code: what its hook payloads mean.

Contract: https://code.claude.com/docs/en/hooks and the types of @anthropic-ai/claude-agent-sdk 0.3.330.
"""

from collections.abc import Mapping
from typing import Any

from linetrail.ledger.adapters import claude_shaped
from linetrail.ledger.adapters.claude_shaped import GATED, reply
from linetrail.ledger.adapters.tools import table
from linetrail.ledger.event.signal import Signal

__all__ = ["GATED", "NAME", "can_ask", "read", "reply"]

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
    """Tell whether the agent would show a person a dialog."""
    return signal.permission_mode not in _NO_DIALOG
