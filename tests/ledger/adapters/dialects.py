"""How each agent would say the same things: a session starts, a person asks, a file is written.

A dialect builds payloads as its agent sends them, so that one test tells one story to every adapter. `PROJECT` in them
stands for the repository.
"""

from typing import Any

from tests.ledger.adapters.dialect import AFTER, BASE, BEFORE, PROMPT, Dialect, Fields, patch, snake
from tests.ledger.adapters.other_dialects import OTHERS
from tests.ledger.adapters.recorded import PROJECT

__all__ = ["AFTER", "BEFORE", "DIALECTS"]


def _camel(phase: str, name: str, given: Any) -> Fields:
    result = {"toolResult": {"resultType": "success", "textResultForLlm": "ok"}} if phase == AFTER else {}
    return {"toolName": name, "toolArgs": given} | result


def _gemini(phase: str, name: str, given: Any) -> Fields:
    response = {"tool_response": {"llmContent": "ok", "returnDisplay": "ok"}} if phase == AFTER else {}
    return {"tool_name": name, "tool_input": given} | response


def _cursor(phase: str, name: str, given: Any) -> Fields:
    told = {"tool_name": name, "tool_input": given, "tool_use_id": "tool-1", "cwd": PROJECT}
    return told | ({"tool_output": '{"status": "success"}', "duration": 12} if phase == AFTER else {})


TRANSCRIPTS = "/home/dev"
_CURSOR = {
    "conversation_id": "session-1",
    "session_id": "session-1",
    "generation_id": "generation-1",
    "model": "model-x",
    "cursor_version": "3.9.0",
    "workspace_roots": [PROJECT],
    "user_email": "dev@example.com",
    "transcript_path": None,
}
DIALECTS = {
    "claude-code": Dialect(
        agent="claude-code",
        base=BASE | {"transcript_path": f"{TRANSCRIPTS}/.claude/projects/p/session-1.jsonl"},
        event="hook_event_name",
        start=("SessionStart", {"source": "startup", "model": "model-x"}),
        prompt=("UserPromptSubmit", {"prompt": PROMPT}),
        before="PreToolUse",
        after="PostToolUse",
        call=snake(),
        write=lambda path, content: ("Write", {"file_path": path, "content": content}),
        shell=lambda command: ("Bash", {"command": command}),
    ),
    "codex": Dialect(
        agent="codex",
        base=BASE | {"transcript_path": None, "model": "model-x", "permission_mode": "default", "turn_id": "turn-1"},
        event="hook_event_name",
        start=("SessionStart", {"source": "startup"}),
        prompt=("UserPromptSubmit", {"prompt": PROMPT}),
        before="PreToolUse",
        after="PostToolUse",
        call=snake(),
        write=lambda path, content: ("apply_patch", {"command": patch(path, content)}),
        shell=lambda command: ("Bash", {"command": command}),
    ),
    "cursor": Dialect(
        agent="cursor",
        base=_CURSOR,
        event="hook_event_name",
        start=("sessionStart", {"is_background_agent": False, "composer_mode": "agent"}),
        prompt=("beforeSubmitPrompt", {"prompt": PROMPT, "attachments": []}),
        before="preToolUse",
        after="postToolUse",
        call=_cursor,
        write=lambda path, content: ("Write", {"file_path": path, "content": content}),
        shell=lambda command: ("Shell", {"command": command, "cwd": PROJECT}),
    ),
    "gemini-cli": Dialect(
        agent="gemini-cli",
        base=BASE | {"transcript_path": "", "timestamp": "2026-11-21T09:00:00.000Z"},
        event="hook_event_name",
        start=("SessionStart", {"source": "startup"}),
        prompt=("BeforeAgent", {"prompt": PROMPT}),
        before="BeforeTool",
        after="AfterTool",
        call=_gemini,
        write=lambda path, content: ("write_file", {"file_path": path, "content": content}),
        shell=lambda command: ("run_shell_command", {"command": command}),
    ),
    "copilot-cli": Dialect(
        agent="copilot-cli",
        base={"sessionId": "session-1", "timestamp": 1795251600000, "cwd": PROJECT},
        event=None,
        start=("sessionStart", {"source": "new"}),
        prompt=("userPromptSubmitted", {"prompt": PROMPT}),
        before="preToolUse",
        after="postToolUse",
        call=_camel,
        write=lambda path, content: ("create", {"path": path, "file_text": content}),
        shell=lambda command: ("bash", {"command": command, "description": "Run it"}),
    ),
    "copilot-cli-pascal": Dialect(
        agent="copilot-cli",
        base=BASE | {"timestamp": "2026-11-21T09:00:00.000Z"},
        event="hook_event_name",
        start=("SessionStart", {"source": "new"}),
        prompt=("UserPromptSubmit", {"prompt": PROMPT}),
        before="PreToolUse",
        after="PostToolUse",
        call=snake("tool_result", identified=False),
        write=lambda path, content: ("Write", {"path": path, "file_text": content}),
        shell=lambda command: ("Bash", {"command": command}),
    ),
    "vscode-copilot": Dialect(
        agent="vscode-copilot",
        base=BASE
        | {
            "timestamp": "2026-11-21T09:00:00.000Z",
            "transcript_path": f"{TRANSCRIPTS}/workspaceStorage/0/GitHub.copilot-chat/transcripts/session-1.jsonl",
        },
        event="hook_event_name",
        start=("SessionStart", {"source": "new"}),
        prompt=("UserPromptSubmit", {"prompt": PROMPT}),
        before="PreToolUse",
        after="PostToolUse",
        call=snake(),
        write=lambda path, content: ("create_file", {"filePath": path, "content": content}),
        shell=lambda command: ("run_in_terminal", {"command": command, "explanation": "Run it"}),
    ),
    **OTHERS,
}
