"""What a dialect is: how an agent tells of a session, a prompt and a call. `PROJECT` stands for the repository."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tests.gated import BLOCK
from tests.ledger.adapters.recorded import PROJECT

Fields = dict[str, Any]
BEFORE, AFTER = "before", "after"
PROMPT = "round the totals"
# Refusals count for every agent, for one whose run they end as well.
EVERY_AGENT = BLOCK + "agents: {cline: block}\n"
BASE = {"session_id": "session-1", "cwd": PROJECT}


class Dialect(NamedTuple):
    """The words of one agent.

    `event` names the event in a payload; None: the command line does. `call` puts a tool's name and arguments into
    a payload, before or after the tool ran; `write` is a write of a whole file, `shell` a command, as its tools take
    them.
    """

    agent: str
    base: Fields
    event: str | None
    start: tuple[str, Fields] | None
    prompt: tuple[str, Fields] | None
    before: str
    after: str
    call: Callable[[str, str, Any], Fields]
    write: Callable[[str, str], tuple[str, Fields]]
    shell: Callable[[str], tuple[str, Fields]]

    def say(self, event: str, fields: Mapping[str, Any]) -> Fields:
        """Return the payload of an event."""
        named = {self.event: event} if self.event else {}
        return named | self.base | dict(fields)

    def tool(self, phase: str, name: str, given: Any) -> Fields:
        """Return the payload before or after a call."""
        return self.say(self.before if phase == BEFORE else self.after, self.call(phase, name, given))

    def options(self, event: str) -> tuple[str, ...]:
        """Return what the command line says beside the agent."""
        return () if self.event else ("--event", event)


def patch(path: str, content: str) -> str:
    """Return a patch that writes a new file."""
    lines = "".join(f"+{line}\n" for line in content.splitlines())
    return f"*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch"


def snake(response: str = "tool_response", *, identified: bool = True) -> Callable[[str, str, Any], Fields]:
    """Return how Claude Code and those who follow it tell of calls."""

    def call(phase: str, name: str, given: Any) -> Fields:
        told = {"tool_name": name, "tool_input": given} | ({"tool_use_id": "call-1"} if identified else {})
        return told | ({response: _done(response)} if phase == AFTER else {})

    return call


def _done(response: str) -> Any:
    return {"result_type": "success", "text_result_for_llm": "ok"} if response == "tool_result" else "ok"
