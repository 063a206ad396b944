"""One module per agent, with all that is known of it. Only the one that is needed is imported."""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from linetrail.ledger.agents import AGENTS
from linetrail.ledger.event.signal import Answer, Said, Signal

if TYPE_CHECKING:  # no hook asks for it
    from linetrail.ledger.adapters.agent import Agent


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


def adapter(agent: str) -> Adapter | None:
    """Return the module for an agent, or None when there is none."""
    module = AGENTS.get(agent)
    return None if module is None else cast("Adapter", import_module(f"linetrail.ledger.adapters.{module}"))
