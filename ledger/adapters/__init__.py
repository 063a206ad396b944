"""One module per agent, with all that is known of it. Only the one that is needed is imported.

Several agents also run the hooks that were installed for another one: they load the settings of Claude Code, or read
the same folder. What they send tells them apart, so that each is recorded under its own name, and once.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from linetrail.ledger.agents import (
    AGENTS,
    CALL_IDS,
    KEYS,
    LATE_KEYS,
    LENDERS,
    LOWER_TOOLS,
    NAMES_TRANSCRIPT,
    TRANSCRIPTS,
)
from linetrail.ledger.event.signal import Answer, Said, Signal

if TYPE_CHECKING:  # no hook asks for it
    from linetrail.ledger.adapters.agent import Agent

# Tools that no other agent spells like this one.
_NUMBERED = frozenset({"bash", "task", "todowrite", "multiedit"})


class Adapter(Protocol):
    """What a module in this folder offers."""

    # the product's name as stored in `agent.name`
    NAME: str

    # the events at which a call can still be stopped; the first stands for one that cannot be told
    GATED: tuple[str, ...]

    # the payload as the agent sent it, and the event's name where the command line gave one -> what it says;
    # PayloadError when it cannot be used
    def read(self, payload: Mapping[str, Any], event: str | None) -> Signal: ...

    # whether a person would see a dialog if the answer to this signal were `ask`
    def can_ask(self, signal: Signal) -> bool: ...

    # the event's name, and what the agent is to be told -> what it reads; an empty answer means: go on
    def reply(self, event: str, answer: Answer) -> Said: ...

    # what else is known of it: for `init`, `doctor` and the documentation
    def about(self) -> "Agent": ...


def sender(agent: str, payload: Mapping[str, Any]) -> str:
    """Return the agent that sent this payload to a hook that was installed for `agent`.

    >>> sender("claude-code", {"session_id": "s", "cursor_version": "3.9.0"})
    'cursor'
    """
    if agent not in LENDERS:
        return agent
    return _marked(payload) or _named(agent, payload)


def adapter(agent: str) -> Adapter | None:
    """Return the module for an agent, or None when there is none."""
    module = AGENTS.get(agent)
    return None if module is None else cast("Adapter", import_module(f"linetrail.ledger.adapters.{module}"))


def _marked(payload: Mapping[str, Any]) -> str | None:
    """Return who left a mark that nobody else leaves."""
    for key, name in KEYS.items():
        if key in payload:
            return name
    call_id = _text(payload, "tool_use_id") or _text(payload, "toolUseId")
    transcript = (_text(payload, "transcript_path") or _text(payload, "transcriptPath")).replace("\\", "/")
    for marks, text in ((CALL_IDS, call_id), (TRANSCRIPTS, transcript)):
        found = next((name for mark, name in marks.items() if mark in text), None)
        if found is not None:
            return found
    return None


def _named(agent: str, payload: Mapping[str, Any]) -> str:
    """Return who sends what is there where the agent itself would have named a transcript."""
    if agent not in NAMES_TRANSCRIPT or _text(payload, "transcript_path"):
        return agent
    for key, name in LATE_KEYS.items():
        if key in payload:
            return name
    tool = _text(payload, "tool_name")
    # An agent that names its transcript numbers its calls, too, however somebody spells its tools.
    numbered = _text(payload, "tool_use_id") or tool in _NUMBERED
    in_lower_case = tool[:1].islower() and not tool.startswith("mcp__") and not numbered
    return next(iter(LOWER_TOOLS), agent) if in_lower_case else agent


def _text(payload: Mapping[str, Any], key: str) -> str:
    value = payload.get(key)
    return value if isinstance(value, str) else ""
