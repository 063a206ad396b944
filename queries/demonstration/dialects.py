"""How an agent tells a hook what it is about to do and what became of it, and how it reads the answer."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Protocol

READ, WRITE, EDIT, SHELL, MCP = "read", "write", "edit", "shell", "mcp"
# The server of ours, as agents know it.
SERVER = "linetrail"
Payload = dict[str, Any]


class Deed(NamedTuple):
    """One call of a tool, before an agent puts it into its own words.

    `target` is a path, a command or the name of a tool of ours. `new` is what a file will be, or with `old` what
    stands there instead of it.
    """

    kind: str
    target: str
    new: str = ""
    old: str = ""
    arguments: Mapping[str, Any] = {}


class Outcome(NamedTuple):
    """What a tool gave back, and what a file held before."""

    text: str
    before: str | None = None


class Dialect(Protocol):
    """What one kind of agent sends and understands; one object is one session."""

    # the agent, as `linetrail-hook AGENT` is told it
    agent: str

    # what this agent puts into the environment of the commands and servers that it starts
    def environment(self) -> dict[str, str]: ...

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
        """Begin nothing yet."""
        self._common = {"session_id": session_id, "cwd": root, "permission_mode": "default"}
        self._session, self._root = session_id, root

    def environment(self) -> dict[str, str]:
        return {"CLAUDE_CODE_SESSION_ID": self._session, "CLAUDE_PROJECT_DIR": self._root}

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
        told = json.loads(printed).get("hookSpecificOutput", {}) if printed else {}
        return str(told["permissionDecisionReason"]) if told.get("permissionDecision") == "deny" else None

    def _call(self, deed: Deed, call: int) -> Payload:
        name = self._TOOLS.get(deed.kind) or f"mcp__{SERVER}__{deed.target}"
        return {
            "tool_name": name,
            "tool_input": _arguments(deed, self._root),
            "tool_use_id": f"toolu_{self._session[:8]}_{call}",
        }

    def _event(self, name: str, **fields: Any) -> Payload:
        return {**self._common, "hook_event_name": name, **fields}


class GeminiCli:
    """A session of Gemini CLI, whose calls have no ids."""

    agent = "gemini-cli"
    _TOOLS: ClassVar = {READ: "read_file", WRITE: "write_file", EDIT: "replace", SHELL: "run_shell_command"}

    def __init__(self, session_id: str, root: str) -> None:
        """Begin nothing yet."""
        self._session, self._root = session_id, root

    def environment(self) -> dict[str, str]:
        return {"GEMINI_CLI": "1"}

    def opening(self) -> Payload:
        return self._event("SessionStart", source="startup")

    def asked(self, text: str) -> Payload:
        return self._event("BeforeAgent", prompt=text)

    def closing(self) -> Payload:
        return self._event("SessionEnd", reason="exit")

    def before(self, deed: Deed, call: int) -> Payload:  # noqa: ARG002  other agents number their calls
        return self._event("BeforeTool", **self._call(deed))

    def after(self, deed: Deed, call: int, outcome: Outcome) -> Payload:  # noqa: ARG002  the same
        shown: Any = outcome.text
        if deed.kind in (WRITE, EDIT):
            new = deed.new if outcome.before is None else outcome.before.replace(deed.old, deed.new)
            path = f"{self._root}/{deed.target}"
            shown = {"filePath": path, "originalContent": outcome.before, "newContent": new}
        told = {"llmContent": outcome.text or "done", "returnDisplay": shown}
        return self._event("AfterTool", **self._call(deed), tool_response=told)

    def refusal(self, printed: bytes) -> str | None:
        told = json.loads(printed) if printed else {}
        return str(told["reason"]) if told.get("decision") in ("deny", "block") else None

    def _call(self, deed: Deed) -> Payload:
        fields: Payload = {"tool_name": self._TOOLS.get(deed.kind), "tool_input": _arguments(deed, self._root)}
        if deed.kind != MCP:
            return fields
        context = {"server_name": SERVER, "tool_name": deed.target, "command": SERVER, "args": ["mcp"]}
        return fields | {"tool_name": f"mcp_{SERVER}_{deed.target}", "mcp_context": context}

    def _event(self, name: str, **fields: Any) -> Payload:
        return {"session_id": self._session, "cwd": self._root, "hook_event_name": name, **fields}


def _arguments(deed: Deed, root: str) -> dict[str, Any]:
    """Return the arguments of a call, which these agents name alike."""
    path = {"file_path": f"{root}/{deed.target}"}
    return {
        READ: path,
        WRITE: {**path, "content": deed.new},
        EDIT: {**path, "old_string": deed.old, "new_string": deed.new},
        SHELL: {"command": deed.target},
        MCP: dict(deed.arguments),
    }[deed.kind]


DIALECTS: dict[str, type[ClaudeCode] | type[GeminiCli]] = {kind.agent: kind for kind in (ClaudeCode, GeminiCli)}
