"""Who really sent a payload: several agents also run the hooks that were installed for another one.

Cursor, Copilot CLI, VS Code, Continue and Devin load Claude Code's settings, and Copilot CLI and VS Code read the same
folder. What they send tells them apart, so that each is recorded under its own name, and once.
"""

from collections.abc import Mapping
from typing import Any

# Agents whose hooks others run, too.
LENT = frozenset({"claude-code", "copilot-cli"})
# Agents that run hooks of others: one event may come twice, told in two ways.
BORROWERS = frozenset({"cursor", "copilot-cli", "vscode-copilot", "continue-cli", "devin-cli"})
_TRANSCRIPTS = {
    "/.claude/": "claude-code",
    "/GitHub.copilot-chat/": "vscode-copilot",
    "/.copilot/": "copilot-cli",
    "/.continue/": "continue-cli",
    "/.cursor/": "cursor",
}


def sender(agent: str, payload: Mapping[str, Any]) -> str:
    """Return the agent that sent this payload to a hook that was installed for `agent`.

    >>> sender("claude-code", {"session_id": "s", "cursor_version": "3.9.0"})
    'cursor'
    """
    if agent not in LENT:
        return agent
    return _marked(payload) or _named(agent, payload)


def _marked(payload: Mapping[str, Any]) -> str | None:
    """Return who left a mark that nobody else leaves."""
    if "cursor_version" in payload:
        return "cursor"
    if "__vscode-" in (_text(payload, "tool_use_id") or _text(payload, "toolUseId")):
        return "vscode-copilot"
    transcript = (_text(payload, "transcript_path") or _text(payload, "transcriptPath")).replace("\\", "/")
    return next((name for folder, name in _TRANSCRIPTS.items() if folder in transcript), None)


def _named(agent: str, payload: Mapping[str, Any]) -> str:
    """Tell by what is there: Claude Code always names its transcript and never the time."""
    if agent != "claude-code" or _text(payload, "transcript_path"):
        return agent
    if "timestamp" in payload:
        return "copilot-cli"
    # Devin's tools are spelled in lower case.
    tool = _text(payload, "tool_name")
    return "devin-cli" if tool[:1].islower() and not tool.startswith("mcp__") else agent


def _text(payload: Mapping[str, Any], key: str) -> str:
    value = payload.get(key)
    return value if isinstance(value, str) else ""
