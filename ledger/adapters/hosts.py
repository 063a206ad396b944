"""Who really sent a payload: several agents also run the hooks that were installed for another one.

Several load the settings of Claude Code, and two read the same folder. What they send tells them apart, so that each is
recorded under its own name, and once.
"""

from collections.abc import Mapping
from typing import Any

from linetrail.ledger.agents import CALL_IDS, KEYS, LATE_KEYS, LENDERS, LOWER_TOOLS, NAMES_TRANSCRIPT, TRANSCRIPTS

# Tools that no other agent spells like this one.
_NUMBERED = frozenset({"bash", "task", "todowrite", "multiedit"})


def sender(agent: str, payload: Mapping[str, Any]) -> str:
    """Return the agent that sent this payload to a hook that was installed for `agent`.

    >>> sender("claude-code", {"session_id": "s", "cursor_version": "3.9.0"})
    'cursor'
    """
    if agent not in LENDERS:
        return agent
    return _marked(payload) or _named(agent, payload)


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
