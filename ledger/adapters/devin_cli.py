"""Devin CLI: payloads of Claude Code's shape, with tools of its own and another denial.

Contract: docs.devin.ai, CLI, lifecycle hooks. Not confirmed: session and folder in the payload, the arguments of
`edit`, the names of tools other than `exec` and `edit`, and that context is read as Claude Code reads it.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from linetrail.ledger.adapters import claude_code
from linetrail.ledger.adapters.adapter import answered, table
from linetrail.ledger.adapters.claude_code import GATED
from linetrail.ledger.event.signal import Answer, Said, Signal

if TYPE_CHECKING:  # no hook asks for it
    from linetrail.ledger.adapters.agent import Agent

__all__ = ["GATED", "NAME", "about", "can_ask", "read", "reply"]

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
    return claude_code.read_with(payload, event, _TOOLS)


def can_ask(_signal: Signal) -> bool:
    """Return whether the agent would show a person a dialog: it knows no such answer."""
    return False


def reply(event: str, answer: Answer) -> Said:
    """Return what the agent reads: a denial is a decision to block, silence means "go on"."""
    if answer.verdict is not None:
        return answered({"decision": "block", "reason": answer.message})
    return claude_code.reply(event, answer)


def about() -> "Agent":
    from linetrail.ledger.adapters import agent

    return agent.Agent(
        name=NAME,
        title="Devin CLI",
        layout=agent.GROUPS,
        file=".devin/hooks.v1.json",
        user_file=".config/devin/config.json",
        root=(),
        user_root=("hooks",),
        events=agent.words("SessionStart UserPromptSubmit PreToolUse PermissionRequest PostToolUse Stop SessionEnd"),
        tool_events=agent.words("PreToolUse PermissionRequest PostToolUse"),
        gates=("PreToolUse",),
        rank=12,
        aliases=("devin",),
        handler=agent.COMMAND_HANDLER,
        guarded=True,
        others=(".devin/config.json", ".devin/config.local.json", "~/.config/devin/config.json"),
        protected=(".devin",),
        signs=(".devin",),
        home_signs=(".config/devin",),
        trust="Start a new session of `devin` in the project.",
        limits=(
            "Parts of the payload are derived from what is documented of Claude Code.",
            "That context is taken at other moments than after a tool is not confirmed.",
        ),
        marks=agent.Marks(inject=(agent.RESULT,), evidence="documentation, partly derived"),
        borrows=("claude-code",),
        sign=agent.Sign(lower_tools=True),
        project_variables=("DEVIN_PROJECT_DIR",),
        program=agent.Program("devin"),
        question=agent.Question(
            agent.UNNAMED, write=("edit", {"file_path": agent.FILE, "old_string": "0", "new_string": "1"}), read=None
        ),
        denial=agent.Denial({"decision": "block", "reason": agent.TEXT}),
        credit=agent.Credit(
            addresses=(r"[^@]+@(?:cognition|devin)\.ai",),
            bots=("devin-ai-integration",),
            first_names=("devin",),
            words=("devin",),
        ),
    )
