"""One module per agent. Only the one that is needed is imported; nothing registers itself."""

import importlib
from collections.abc import Mapping
from typing import Any, Protocol, cast

from linetrail.ledger.event.signal import Answer, Said, Signal

# agent as named on the command line -> module in this folder
AGENTS = {
    "claude-code": "claude_code",
    "codex": "codex",
    "cursor": "cursor",
    "gemini-cli": "gemini_cli",
    "copilot-cli": "copilot_cli",
    "vscode-copilot": "vscode_copilot",
    "opencode": "opencode",
    "windsurf": "windsurf",
    "kiro-cli": "kiro_cli",
    "continue-cli": "continue_cli",
    "cline": "cline",
    "devin-cli": "devin_cli",
    "factory-droid": "factory_droid",
    "amp": "amp",
}


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


def adapter(agent: str) -> Adapter | None:
    """Return the module for an agent, or None when there is none."""
    module = AGENTS.get(agent)
    return None if module is None else cast("Adapter", importlib.import_module(f"linetrail.ledger.adapters.{module}"))
