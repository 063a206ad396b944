"""Factory Droid: payloads of Claude Code's shape, some of whose fields are in camel case.

Contract: docs.factory.ai, hooks reference; mixed case and patches as text are as others observed them. Not confirmed:
that `ask` opens a dialog in every mode, and the arguments of `Edit`.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from linetrail.ledger.adapters import claude_code
from linetrail.ledger.adapters.adapter import table
from linetrail.ledger.adapters.claude_code import GATED, reply
from linetrail.ledger.event.signal import Signal

if TYPE_CHECKING:  # no hook asks for it
    from linetrail.ledger.adapters.agent import Agent

__all__ = ["GATED", "NAME", "about", "can_ask", "read", "reply"]

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
    return claude_code.read_with(payload, event, _TOOLS)


def can_ask(signal: Signal) -> bool:
    """Return whether the agent would show a person a dialog; in the other modes that is not certain."""
    return signal.permission_mode == "default"


def about() -> "Agent":
    from linetrail.ledger.adapters import agent

    return agent.Agent(
        name=NAME,
        title="Factory Droid",
        layout=agent.GROUPS,
        file=".factory/settings.json",
        user_file=".factory/settings.json",
        events=agent.words(
            "SessionStart UserPromptSubmit PreToolUse PostToolUse SubagentStop PreCompact Stop SessionEnd"
        ),
        tool_events=("PreToolUse", "PostToolUse"),
        gates=("PreToolUse",),
        rank=13,
        aliases=("factory", "droid"),
        handler=agent.COMMAND_HANDLER,
        others=(".factory/hooks.json", ".factory/settings.local.json", "~/.factory/settings.json"),
        mixed=(".factory/settings.json",),
        protected=(".factory",),
        signs=(".factory",),
        home_signs=(".factory",),
        trust="Review the hooks in `/hooks` of Droid, and start a new session.",
        limits=(
            "Hooks in settings.json count only where there is no .factory/hooks.json, which some versions do not read.",
        ),
        marks=agent.Marks(
            ask="in its default mode",
            inject=(agent.START, agent.PROMPT, agent.RESULT),
            evidence="documentation, observed by others",
        ),
        project_variables=("FACTORY_PROJECT_DIR",),
        program=agent.Program("droid"),
        question=agent.Question(
            {
                "hookEventName": "PreToolUse",
                "sessionId": agent.SESSION,
                "cwd": agent.FOLDER,
                "toolName": agent.TOOL,
                "tool_name": agent.TOOL,
                "tool_input": agent.INPUT,
            },
            write=("Create", agent.WRITE_ARGUMENTS),
        ),
        credit=agent.Credit(accounts=("factory-droid",), names=("factory droid",)),
    )
