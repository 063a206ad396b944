"""Write the payloads that an agent sends to a hook, and read the hook's answer as the agent does."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Protocol

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


class Dialect(Protocol):
    """What one kind of agent sends and understands; one object is one session."""

    # the agent, as `linetrail-hook AGENT` is told it
    agent: str

    # what this agent puts into the environment of its shell, and of the servers that it starts
    def environment(self) -> dict[str, str]: ...
    def server_environment(self) -> dict[str, str]: ...

    # what it sends along with each call of a tool of a server
    def meta(self) -> dict[str, Any] | None: ...

    # the session begins, a person asks, the session ends
    def opening(self) -> Payload: ...
    def asked(self, text: str) -> Payload: ...
    def closing(self) -> Payload: ...

    # before and after one call, the n-th of the session
    def before(self, deed: Deed, call: int) -> Payload: ...
    def after(self, deed: Deed, call: int, outcome: Outcome) -> Payload: ...

    # what the hook printed -> why the call must not run; None: it may
    def refusal(self, printed: bytes) -> str | None: ...


class ClaudeCode:
    """A session of Claude Code."""

    agent = "claude-code"
    _TOOLS: ClassVar = {READ: "Read", WRITE: "Write", EDIT: "Edit", SHELL: "Bash"}

    def __init__(self, session_id: str, root: str) -> None:
        """Set up the session without sending anything."""
        self._common = {"session_id": session_id, "cwd": root, "permission_mode": "default"}
        self._session, self._root = session_id, root

    def environment(self) -> dict[str, str]:
        return {"CLAUDE_CODE_SESSION_ID": self._session, "CLAUDE_PROJECT_DIR": self._root}

    def server_environment(self) -> dict[str, str]:
        return self.environment()

    def meta(self) -> dict[str, Any] | None:
        return None

    def opening(self) -> Payload:
        return self._event("SessionStart", source="startup", model="claude-opus-4-5")

    def asked(self, text: str) -> Payload:
        return self._event("UserPromptSubmit", prompt=text)

    def closing(self) -> Payload:
        return self._event("SessionEnd", reason="prompt_input_exit")

    def before(self, deed: Deed, call: int) -> Payload:
        return self._event("PreToolUse", **self._call(deed, call))

    def after(self, deed: Deed, call: int, outcome: Outcome) -> Payload:
        path = f"{self._root}/{deed.target}"
        told: Any = {
            READ: {"type": "text", "file": {"filePath": path, "content": outcome.text}},
            WRITE: {"type": "create", "filePath": path, "content": deed.new, "structuredPatch": []},
            EDIT: {"filePath": path, "oldString": deed.old, "newString": deed.new, "structuredPatch": []},
            SHELL: {"stdout": outcome.text, "stderr": "", "interrupted": False, "isImage": False},
            MCP: [{"type": "text", "text": outcome.text}],
        }[deed.kind]
        if deed.kind in (WRITE, EDIT):
            told |= {"originalFile": outcome.before, "userModified": False}
        return self._event("PostToolUse", **self._call(deed, call), tool_response=told)

    def refusal(self, printed: bytes) -> str | None:
        return _refusal(printed)

    def _call(self, deed: Deed, call: int) -> Payload:
        name = self._TOOLS.get(deed.kind) or f"mcp__{SERVER}__{deed.target}"
        return {
            "tool_name": name,
            "tool_input": self._arguments(deed),
            "tool_use_id": f"toolu_{self._session[:8]}_{call}",
        }

    def _arguments(self, deed: Deed) -> dict[str, Any]:
        path = {"file_path": f"{self._root}/{deed.target}"}
        return {
            READ: path,
            WRITE: {**path, "content": deed.new},
            EDIT: {**path, "old_string": deed.old, "new_string": deed.new},
            SHELL: {"command": deed.target},
            MCP: dict(deed.arguments),
        }[deed.kind]

    def _event(self, name: str, **fields: Any) -> Payload:
        return {**self._common, "hook_event_name": name, **fields}


class Codex:
    """A session of Codex: it reads files in its shell, and changes them by patches."""

    agent = "codex"

    def __init__(self, session_id: str, root: str) -> None:
        """Set up the session without sending anything."""
        self._session, self._root = session_id, root
        self._turn = 0

    def environment(self) -> dict[str, str]:
        return {"CODEX_THREAD_ID": self._session}

    def server_environment(self) -> dict[str, str]:
        return {}

    def meta(self) -> dict[str, Any] | None:
        return {"threadId": self._session}

    def opening(self) -> Payload:
        return self._event("SessionStart", source="startup")

    def asked(self, text: str) -> Payload:
        self._turn += 1
        return self._event("UserPromptSubmit", prompt=text)

    def closing(self) -> Payload:
        return self._event("SessionEnd", reason="other")

    def before(self, deed: Deed, call: int) -> Payload:
        return self._event("PreToolUse", **self._call(deed, call))

    def after(self, deed: Deed, call: int, outcome: Outcome) -> Payload:
        text = f"Success. Updated the following files:\nM {deed.target}\n" if deed.new else outcome.text
        told: Any = {"content": [{"type": "text", "text": text}]} if deed.kind == MCP else text
        return self._event("PostToolUse", **self._call(deed, call), tool_response=told)

    def refusal(self, printed: bytes) -> str | None:
        return _refusal(printed)

    def _call(self, deed: Deed, call: int) -> Payload:
        name, given = "Bash", {"command": deed.target}
        if deed.kind == READ:
            given = {"command": f"cat {deed.target}"}
        elif deed.kind in (WRITE, EDIT):
            name, given = "apply_patch", {"command": _patch(deed)}
        elif deed.kind == MCP:
            name, given = f"mcp__{SERVER}__{deed.target}", dict(deed.arguments)
        return {"tool_name": name, "tool_input": given, "tool_use_id": f"call_{self._session[:8]}_{call}"}

    def _event(self, name: str, **fields: Any) -> Payload:
        return {
            "session_id": self._session,
            "transcript_path": None,
            "cwd": self._root,
            "hook_event_name": name,
            "model": "gpt-5.1-codex",
            "permission_mode": "default",
            "turn_id": f"{self._session[:-4]}{self._turn:04d}",
            **fields,
        }


def _refusal(printed: bytes) -> str | None:
    """Read a denial, whose format both agents share."""
    told = json.loads(printed).get("hookSpecificOutput", {}) if printed else {}
    return str(told["permissionDecisionReason"]) if told.get("permissionDecision") == "deny" else None


def _patch(deed: Deed) -> str:
    """Return a change of whole lines as a patch for Codex."""
    if deed.kind == WRITE:
        body = [f"*** Add File: {deed.target}", *_marked("+", deed.new)]
    else:
        body = [f"*** Update File: {deed.target}", "@@", *_marked("-", deed.old), *_marked("+", deed.new)]
    return "\n".join(["*** Begin Patch", *body, "*** End Patch"])


def _marked(sign: str, text: str) -> list[str]:
    return [sign + line for line in text.splitlines()]


DIALECTS: dict[str, type[ClaudeCode] | type[Codex]] = {kind.agent: kind for kind in (ClaudeCode, Codex)}
