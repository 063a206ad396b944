"""Write the payloads that an agent sends to a hook, and read the hook's answer as the agent does."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

READ, WRITE, EDIT, SHELL, MCP = "read", "write", "edit", "shell", "mcp"
# The server of ours, as agents know it.
SERVER = "linetrail"
Payload = dict[str, Any]


class Deed(NamedTuple):
    """One call of a tool, before it is put into an agent's format.

    `target` is a path, a command or the name of a tool of ours. `new` is what a file will be, or with `old` what
    stands there instead of it.
    """

    kind: str
    target: str
    new: str = ""
    old: str = ""
    arguments: Mapping[str, Any] = {}


class Outcome(NamedTuple):
    """The result of a tool, and the content of the file before."""

    text: str
    before: str | None = None


class Dialect:
    """What one kind of agent sends and understands; one object is one session."""

    # the agent, as `linetrail-hook AGENT` is told it
    agent: ClassVar[str]
    # why it says that a session starts and ends
    started: ClassVar[Payload] = {"source": "startup"}
    ended: ClassVar[Payload] = {"reason": "other"}

    def __init__(self, session_id: str, root: str) -> None:
        """Set up the session without sending anything."""
        self.session, self.root = session_id, root

    def environment(self) -> dict[str, str]:
        """Return what this agent puts into the environment of its shell."""
        raise NotImplementedError

    def server_environment(self) -> dict[str, str]:
        """Return what it puts into the environment of the servers that it starts."""
        return {}

    def meta(self) -> dict[str, Any] | None:
        """Return what it sends along with each call of a tool of a server."""
        return None

    def opening(self) -> Payload:
        return self.event("SessionStart", **self.started)

    def asked(self, text: str) -> Payload:
        return self.event("UserPromptSubmit", prompt=text)

    def closing(self) -> Payload:
        return self.event("SessionEnd", **self.ended)

    def before(self, deed: Deed, call: int) -> Payload:
        """Return what is sent before one call, the n-th of the session."""
        return self.event("PreToolUse", **self.call(deed, call))

    def after(self, deed: Deed, call: int, outcome: Outcome) -> Payload:
        return self.event("PostToolUse", **self.call(deed, call), tool_response=self.response(deed, outcome))

    def refusal(self, printed: bytes) -> str | None:
        """Return why a call must not run, from what the hook printed; both agents read the same format."""
        told = json.loads(printed).get("hookSpecificOutput", {}) if printed else {}
        return str(told["permissionDecisionReason"]) if told.get("permissionDecision") == "deny" else None

    def event(self, name: str, **fields: Any) -> Payload:
        raise NotImplementedError

    def call(self, deed: Deed, call: int) -> Payload:
        raise NotImplementedError

    def response(self, deed: Deed, outcome: Outcome) -> Any:
        raise NotImplementedError


class ClaudeCode(Dialect):
    """A session of Claude Code."""

    agent = "claude-code"
    started: ClassVar = {"source": "startup", "model": "claude-opus-4-5"}
    ended: ClassVar = {"reason": "prompt_input_exit"}
    _TOOLS: ClassVar = {READ: "Read", WRITE: "Write", EDIT: "Edit", SHELL: "Bash"}

    def environment(self) -> dict[str, str]:
        return {"CLAUDE_CODE_SESSION_ID": self.session, "CLAUDE_PROJECT_DIR": self.root}

    def server_environment(self) -> dict[str, str]:
        return self.environment()

    def event(self, name: str, **fields: Any) -> Payload:
        common = {"session_id": self.session, "cwd": self.root, "permission_mode": "default"}
        return {**common, "hook_event_name": name, **fields}

    def call(self, deed: Deed, call: int) -> Payload:
        path = {"file_path": f"{self.root}/{deed.target}"}
        given = {
            READ: path,
            WRITE: {**path, "content": deed.new},
            EDIT: {**path, "old_string": deed.old, "new_string": deed.new},
            SHELL: {"command": deed.target},
            MCP: dict(deed.arguments),
        }[deed.kind]
        name = self._TOOLS.get(deed.kind) or f"mcp__{SERVER}__{deed.target}"
        return {"tool_name": name, "tool_input": given, "tool_use_id": f"toolu_{self.session[:8]}_{call}"}

    def response(self, deed: Deed, outcome: Outcome) -> Any:
        path = f"{self.root}/{deed.target}"
        told: Any = {
            READ: {"type": "text", "file": {"filePath": path, "content": outcome.text}},
            WRITE: {"type": "create", "filePath": path, "content": deed.new, "structuredPatch": []},
            EDIT: {"filePath": path, "oldString": deed.old, "newString": deed.new, "structuredPatch": []},
            SHELL: {"stdout": outcome.text, "stderr": "", "interrupted": False, "isImage": False},
            MCP: [{"type": "text", "text": outcome.text}],
        }[deed.kind]
        if deed.kind in (WRITE, EDIT):
            told |= {"originalFile": outcome.before, "userModified": False}
        return told


class Codex(Dialect):
    """A session of Codex: it reads files in its shell, and changes them by patches."""

    agent = "codex"
    _turn = 0

    def environment(self) -> dict[str, str]:
        return {"CODEX_THREAD_ID": self.session}

    def meta(self) -> dict[str, Any] | None:
        return {"threadId": self.session}

    def asked(self, text: str) -> Payload:
        self._turn += 1
        return super().asked(text)

    def event(self, name: str, **fields: Any) -> Payload:
        return {
            "session_id": self.session,
            "transcript_path": None,
            "cwd": self.root,
            "hook_event_name": name,
            "model": "gpt-5.1-codex",
            "permission_mode": "default",
            "turn_id": f"{self.session[:-4]}{self._turn:04d}",
            **fields,
        }

    def call(self, deed: Deed, call: int) -> Payload:
        name, given = "Bash", {"command": deed.target}
        if deed.kind == READ:
            given = {"command": f"cat {deed.target}"}
        elif deed.kind in (WRITE, EDIT):
            name, given = "apply_patch", {"command": _patch(deed)}
        elif deed.kind == MCP:
            name, given = f"mcp__{SERVER}__{deed.target}", dict(deed.arguments)
        return {"tool_name": name, "tool_input": given, "tool_use_id": f"call_{self.session[:8]}_{call}"}

    def response(self, deed: Deed, outcome: Outcome) -> Any:
        text = f"Success. Updated the following files:\nM {deed.target}\n" if deed.new else outcome.text
        return {"content": [{"type": "text", "text": text}]} if deed.kind == MCP else text


def _patch(deed: Deed) -> str:
    """Return a change of whole lines as a patch for Codex."""
    if deed.kind == WRITE:
        body = [f"*** Add File: {deed.target}", *_marked("+", deed.new)]
    else:
        body = [f"*** Update File: {deed.target}", "@@", *_marked("-", deed.old), *_marked("+", deed.new)]
    return "\n".join(["*** Begin Patch", *body, "*** End Patch"])


def _marked(sign: str, text: str) -> list[str]:
    return [sign + line for line in text.splitlines()]


DIALECTS: dict[str, type[Dialect]] = {kind.agent: kind for kind in (ClaudeCode, Codex)}
