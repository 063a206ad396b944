"""Continue CLI: payloads of Claude Code's shape with tools of its own.

Contract: `src/hooks/types.ts` and the tools of npm @continuedev/cli 1.5.47. No server stands in the names of MCP tools.
"""

from collections.abc import Mapping
from typing import Any

from linetrail.ledger.adapters import claude_shaped
from linetrail.ledger.adapters.claude_shaped import GATED, reply
from linetrail.ledger.adapters.tools import table
from linetrail.ledger.event.mcp_names import own_tool
from linetrail.ledger.event.signal import Signal

__all__ = ["GATED", "NAME", "can_ask", "read", "reply"]

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
    signal = claude_shaped.read(payload, event, _TOOLS)
    tool = signal.tool
    if tool is None or tool.name in _TOOLS or not own_tool(f"MCP:{tool.name}"):
        return signal
    return signal._replace(tool=tool._replace(name=f"MCP:{tool.name}", operation="mcp", targets=()))


def can_ask(_signal: Signal) -> bool:
    """Tell whether the agent would show a person a dialog: it reads `ask`, and does nothing about it."""
    return False
