"""Sessions of Claude Code: the payloads that its hooks send, handed to the function that our own hook calls."""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from linetrail.ledger.hook.loop import handle

# A file system's clock may be as far behind; no agent starts a command sooner after the one before.
BREATH_SECONDS = 0.055

Deliver = Callable[[bytes, str], None]


def in_process(payload: bytes, cwd: str) -> None:
    """Deliver a payload without a process of its own."""
    handle("claude-code", payload, event=None, cwd=cwd, now=time.time_ns)


class Call:
    """A tool call on its way."""

    def __init__(self, session: "Session", cwd: str, fields: Mapping[str, Any]) -> None:
        """Run the pre hook."""
        self._session, self._cwd, self._fields = session, cwd, fields
        session.send("PreToolUse", cwd, fields)

    def done(self, response: Mapping[str, Any]) -> None:
        """Run the post hook."""
        self._session.send("PostToolUse", self._cwd, {**self._fields, "tool_response": response, "duration_ms": 12})


class Session:
    """One conversation; a subagent speaks in the name of the session that sent it."""

    def __init__(self, number: int, root: str, deliver: Deliver, name: str | None = None) -> None:
        """Start the session, with a model of its own."""
        self.name = name or f"session-{number + 1}"
        self.author = f"ai:{self.name}"
        self._deliver, self._calls = deliver, 0
        self.subagent: str | None = None
        self.send("SessionStart", root, {"source": "startup", "model": f"claude-model-{number + 1}"})
        self.send("UserPromptSubmit", root, {"prompt": "do what has to be done"})

    def send(self, event: str, cwd: str, fields: Mapping[str, Any]) -> None:
        """Hand one payload to the hook."""
        payload: dict[str, Any] = {
            "session_id": self.name,
            "transcript_path": f"/home/dev/.claude/projects/-home-dev-project/{self.name}.jsonl",
            "cwd": cwd,
            "permission_mode": "acceptEdits",
            "hook_event_name": event,
        }
        if self.subagent is not None:
            payload |= {"agent_id": self.subagent, "agent_type": "general-purpose"}
        self._deliver(json.dumps(payload | dict(fields)).encode(), cwd)

    def call(self, tool: str, given: Mapping[str, Any], cwd: str) -> Call:
        """Begin a tool call."""
        self._calls += 1
        if tool == "Bash":
            time.sleep(BREATH_SECONDS)
        call_id = f"toolu_{self.name}_{self._calls:04}"
        return Call(self, cwd, {"tool_name": tool, "tool_input": given, "tool_use_id": call_id})
