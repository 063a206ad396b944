"""What kind of signal an event is, by the names that Claude Code gave and several agents took over."""

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
