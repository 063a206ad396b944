"""What several agents say and read in the words of Claude Code: names of events, nested answers, facts that fit."""

from linetrail.ledger.adapters.adapter import answered
from linetrail.ledger.event.signal import Said

_CUT = "\n[…]"
# name of an event -> the kind of signal that it is
KINDS = {
    "SessionStart": "session_start",
    "SessionEnd": "session_end",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "pre_tool",
    "PostToolUse": "post_tool",
    "PostToolUseFailure": "tool_failure",
    "PermissionRequest": "permission_request",
    "PermissionDenied": "permission_denied",
    "SubagentStart": "subagent_start",
    "SubagentStop": "subagent_stop",
    "PreCompact": "compact",
    "PostCompact": "compact",
    "Stop": "stop",
    "StopFailure": "stop",
}


def denied(event: str, message: str | None, **more: str | None) -> Said:
    """Refuse a call; the reason is never empty, since an empty one is no denial to some."""
    reason = message or "refused"
    return answered(
        {
            "hookSpecificOutput": {
                "hookEventName": event,
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
                **more,
            }
        }
    )


def informed(event: str, facts: str) -> Said:
    """Return facts that the agent adds to its context."""
    return answered({"hookSpecificOutput": {"hookEventName": event, "additionalContext": facts}})


def held_back(message: str | None) -> Said:
    """Keep an agent that is about to stop from stopping; the reason is its next prompt."""
    return answered({"decision": "block", "reason": message or "refused"})


def fitting(facts: str, limit: int) -> str:
    r"""Cut facts to a number of characters, with a mark where they were cut: an agent drops what is longer.

    >>> fitting("abcdefgh", 7)
    'abc\n[…]'
    """
    return facts if len(facts) <= limit else facts[: limit - len(_CUT)] + _CUT


def fitting_bytes(facts: str, limit: int) -> str:
    r"""Cut facts to a number of bytes in UTF-8, never inside a character.

    >>> fitting_bytes("ééééé", 9)
    'é\n[…]'
    """
    content = facts.encode(errors="replace")
    if len(content) <= limit:
        return facts
    return content[: limit - len(_CUT.encode())].decode(errors="ignore") + _CUT
