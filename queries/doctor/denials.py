"""Recognise what an agent would read as a denial, and what as leave to go on, from the vendors' contracts alone.

The adapters say it; this says, without them, whether the agent would hear it. An answer that is neither is wrong, too:
Codex runs the tool when one key is unknown, Copilot refuses it when an exit status is not 0.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

DENIED, LET_THROUGH = "denied", "let through"
# A process that ends with it has refused the call, where the agent reads nothing else.
REFUSED = 2


class Said(NamedTuple):
    """What a hook printed, and the status it ended with."""

    stdout: bytes
    stderr: bytes
    status: int


def meaning(agent: str, event: str, said: Said) -> str:
    """Return what an agent takes an answer for, in words: one of the two above, or what is wrong with it.

    >>> meaning("windsurf", "pre_write_code", Said(b"", b"Refused", 2))
    'denied'
    >>> meaning("codex", "PreToolUse", Said(b"", b"", 2))
    'it ended with 2'
    """
    if agent in _BY_STATUS:
        return _by_status(said)
    if said.status:
        return f"it ended with {said.status}"
    if not said.stdout:
        return LET_THROUGH if agent not in _MUST_ANSWER else "it said nothing, which the agent takes for a denial"
    return _by_words(agent, event, said.stdout)


def _by_words(agent: str, event: str, words: bytes) -> str:
    try:
        told = json.loads(words)
    except ValueError:
        told = None
    if not isinstance(told, dict):
        return "what it said is no JSON object"
    if _DENIALS.get(agent, _nested)(event, told):
        return DENIED
    passes = told in _PASSES.get(agent, ({},))
    return LET_THROUGH if passes else "the call was let through with an answer the agent may not read"


def _by_status(said: Said) -> str:
    if said.stdout:
        return "it printed something, which the agent does not read"
    if said.status == REFUSED and said.stderr.strip():
        return DENIED
    return f"it ended with {said.status}" if said.status else LET_THROUGH


def _nested(event: str, told: Mapping[str, Any]) -> bool:
    """Read the answer of Claude Code and those like it."""
    inner = told.get("hookSpecificOutput")
    known = isinstance(inner, dict) and inner.get("hookEventName") == event
    return known and isinstance(inner, dict) and _has(inner, permissionDecision="deny", permissionDecisionReason=None)


def _nested_alone(event: str, told: Mapping[str, Any]) -> bool:
    """Read the answer of Codex, which passes over one with a key it does not know."""
    inner = told.get("hookSpecificOutput")
    keys = {"hookEventName", "permissionDecision", "permissionDecisionReason"}
    return _nested(event, told) and set(told) == {"hookSpecificOutput"} and set(inner or ()) == keys


def _flat(**wanted: object) -> Callable[[str, Mapping[str, Any]], bool]:
    return lambda _, told: _has(told, **wanted)


def _has(told: Mapping[str, Any], **wanted: object) -> bool:
    """Tell whether these fields hold what is wanted; where that is None, any text that is not empty."""
    found = [(told.get(key), value) for key, value in wanted.items()]
    return all(one == value if value is not None else isinstance(one, str) and bool(one) for one, value in found)


_BY_STATUS = frozenset({"windsurf", "kiro-cli"})
# With nothing on stdout, and where failing is set to be closed, it refuses.
_MUST_ANSWER = frozenset({"cursor"})
_DENIALS: dict[str, Callable[[str, Mapping[str, Any]], bool]] = {
    "codex": _nested_alone,
    "cursor": _flat(permission="deny", agent_message=None),
    "gemini-cli": _flat(decision="deny", reason=None),
    "copilot-cli": _flat(permissionDecision="deny", permissionDecisionReason=None),
    "devin-cli": _flat(decision="block", reason=None),
    "cline": _flat(cancel=True, errorMessage=None),
    "opencode": _flat(verdict="deny", message=None),
    "amp": _flat(action="reject-and-continue", message=None),
}
_PASSES: dict[str, tuple[Mapping[str, Any], ...]] = {
    "cursor": ({}, {"permission": "allow"}),
    "cline": ({}, {"cancel": False}),
    "opencode": ({}, {"verdict": "pass"}),
    "amp": ({}, {"action": "allow"}),
}
