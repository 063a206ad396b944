"""Devin CLI: payloads of Claude Code's shape, with tools of its own and another denial.

Contract: docs.devin.ai, CLI, lifecycle hooks. Not confirmed: session and folder in the payload, the arguments of
`edit`, the names of tools other than `exec` and `edit`, and that context is read as Claude Code reads it.
"""

from collections.abc import Mapping
from typing import Any

from linetrail.ledger.adapters import claude_shaped
from linetrail.ledger.adapters.claude_shaped import GATED
from linetrail.ledger.adapters.fields import answered
from linetrail.ledger.adapters.tools import table
from linetrail.ledger.event.signal import Answer, Said, Signal

__all__ = ["GATED", "NAME", "can_ask", "read", "reply"]

NAME = "devin-cli"

# Claude Code's names too: its hooks run here as they are, and matchers are written for them.
_TOOLS = table(
    write="write Write",
    edit="edit multi_edit Edit MultiEdit",
    patch="apply_patch",
    commands="exec Bash",
    read="read grep glob ls Read Grep Glob LS",
    reading="web_search webfetch",
    meta="todo_write",
)


def read(payload: Mapping[str, Any], event: str | None) -> Signal:
    """Read one payload; an event or a tool that is not known is kept as what it is."""
    return claude_shaped.read(payload, event, _TOOLS)


def can_ask(_signal: Signal) -> bool:
    """Tell whether the agent would show a person a dialog: it knows no such answer."""
    return False


def reply(event: str, answer: Answer) -> Said:
    """Return what the agent reads: a denial is a decision to block, silence means "go on"."""
    if answer.verdict is not None:
        return answered({"decision": "block", "reason": answer.message})
    return claude_shaped.reply(event, answer)
