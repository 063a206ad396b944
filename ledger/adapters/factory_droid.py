"""Factory Droid: payloads of Claude Code's shape, some of whose fields are in camel case.

Contract: docs.factory.ai, hooks reference; mixed case and patches as text are as others observed them. Not confirmed:
that `ask` opens a dialog in every mode, and the arguments of `Edit`.
"""

from collections.abc import Mapping
from typing import Any

from linetrail.ledger.adapters import claude_shaped
from linetrail.ledger.adapters.claude_shaped import GATED, reply
from linetrail.ledger.adapters.tools import table
from linetrail.ledger.event.signal import Signal

__all__ = ["GATED", "NAME", "can_ask", "read", "reply"]

NAME = "factory-droid"

_TOOLS = table(
    write="Create Write",
    edit="Edit MultiEdit",
    patch="ApplyPatch",
    commands="Execute Bash",
    read="Read LS Grep Glob",
    reading="FetchUrl WebSearch",
    meta="TodoWrite Task AskUser ExitSpecMode",
)


def read(payload: Mapping[str, Any], event: str | None) -> Signal:
    """Read one payload; an event or a tool that is not known is kept as what it is."""
    return claude_shaped.read(payload, event, _TOOLS)


def can_ask(signal: Signal) -> bool:
    """Tell whether the agent would show a person a dialog; in the other modes that is not certain."""
    return signal.permission_mode == "default"
