"""The dialects of agents that are no clones, and of some that are; Cascade's events name the tool, so it has none."""

from typing import Any

from tests.ledger.adapters.dialect import AFTER, BASE, BEFORE, PROMPT, Dialect, Fields, patch, snake
from tests.ledger.adapters.recorded import PROJECT


def _opencode(phase: str, name: str, given: Any) -> Fields:
    about = {"tool": name, "sessionID": "session-1", "callID": "call-1"}
    if phase == BEFORE:
        return {"input": about, "output": {"args": given}}
    return {"input": about | {"args": given}, "output": {"title": "", "output": "ok", "metadata": {}}}


def _amp(phase: str, name: str, given: Any) -> Fields:
    done = {"status": "done", "output": "ok"} if phase == AFTER else {}
    return {"toolUseID": "call-1", "tool": name, "input": given} | done


def _kiro(phase: str, name: str, given: Any) -> Fields:
    response = {"tool_response": {"success": True, "result": [""]}} if phase == AFTER else {}
    return {"tool_name": name, "tool_input": given} | response


def _droid(phase: str, name: str, given: Any) -> Fields:
    response = {"tool_response": "ok"} if phase == AFTER else {}
    return {"toolName": name, "tool_input": given} | response


def _extension(phase: str, name: str, given: Any) -> Fields:
    call = {"toolName": name, "parameters": given}
    if phase == BEFORE:
        return {"preToolUse": call}
    return {"postToolUse": call | {"result": "ok", "success": True, "executionTimeMs": "12"}}


def _sdk(phase: str, name: str, given: Any) -> Fields:
    call = {"id": "call-1", "name": name, "input": given}
    if phase == BEFORE:
        return {"iteration": 1, "tool_call": call} | _extension(phase, name, {})
    return {"iteration": 1, "tool_result": call | {"output": "ok", "durationMs": 12}} | _extension(phase, name, {})


_SESSION = {"type": "session.created", "properties": {"info": {"id": "session-1", "version": "1.18.33"}}}
_CLINE = {"clineVersion": "4.1.10", "taskId": "session-1", "workspaceRoots": [PROJECT], "userId": "user-1"}
OTHERS = {
    "opencode": Dialect(
        agent="opencode",
        base={"context": {"directory": PROJECT, "worktree": PROJECT}},
        event="hook",
        start=("event", {"input": {"event": _SESSION}}),
        prompt=(
            "chat.message",
            {"input": {"sessionID": "session-1"}, "output": {"parts": [{"type": "text", "text": PROMPT}]}},
        ),
        before="tool.execute.before",
        after="tool.execute.after",
        call=_opencode,
        write=lambda path, content: ("write", {"filePath": path, "content": content}),
        shell=lambda command: ("bash", {"command": command, "description": "Run it"}),
    ),
    "amp": Dialect(
        agent="amp",
        base={"cwd": PROJECT, "thread": {"id": "session-1"}},
        event="event",
        start=("session.start", {}),
        prompt=("agent.start", {"message": PROMPT}),
        before="tool.call",
        after="tool.result",
        call=_amp,
        write=lambda path, content: ("create_file", {"path": path, "content": content}),
        shell=lambda command: ("Bash", {"cmd": command}),
    ),
    "kiro-cli": Dialect(
        agent="kiro-cli",
        base=BASE,
        event="hook_event_name",
        start=("agentSpawn", {}),
        prompt=("userPromptSubmit", {"prompt": PROMPT}),
        before="preToolUse",
        after="postToolUse",
        call=_kiro,
        write=lambda path, content: ("fs_write", {"command": "create", "path": path, "file_text": content}),
        shell=lambda command: ("execute_bash", {"command": command}),
    ),
    "continue-cli": Dialect(
        agent="continue-cli",
        base=BASE | {"transcript_path": "/home/dev/.continue/sessions/session-1.json"},
        event="hook_event_name",
        start=("SessionStart", {"source": "startup"}),
        prompt=("UserPromptSubmit", {"prompt": PROMPT}),
        before="PreToolUse",
        after="PostToolUse",
        call=snake(),
        write=lambda path, content: ("Write", {"filepath": path, "content": content}),
        shell=lambda command: ("Bash", {"command": command}),
    ),
    "devin-cli": Dialect(
        agent="devin-cli",
        base=BASE,
        event="hook_event_name",
        start=("SessionStart", {}),
        prompt=("UserPromptSubmit", {"prompt": PROMPT}),
        before="PreToolUse",
        after="PostToolUse",
        call=snake(identified=False),
        write=lambda path, content: ("write", {"file_path": path, "content": content}),
        shell=lambda command: ("exec", {"command": command, "shell_id": "main"}),
    ),
    "factory-droid": Dialect(
        agent="factory-droid",
        base={"sessionId": "session-1", "cwd": PROJECT, "permissionMode": "default"},
        event="hookEventName",
        start=("SessionStart", {"source": "startup"}),
        prompt=("UserPromptSubmit", {"prompt": PROMPT}),
        before="PreToolUse",
        after="PostToolUse",
        call=_droid,
        write=lambda path, content: ("ApplyPatch", {"patch": patch(path, content)}),
        shell=lambda command: ("Execute", {"command": command}),
    ),
    "cline-vscode": Dialect(
        agent="cline",
        base=_CLINE | {"timestamp": "1795251600000", "model": {"provider": "anthropic", "slug": "model-x"}},
        event="hookName",
        start=("TaskStart", {"taskStart": {"taskMetadata": {"initialTask": PROMPT}}}),
        prompt=("UserPromptSubmit", {"userPromptSubmit": {"prompt": PROMPT}}),
        before="PreToolUse",
        after="PostToolUse",
        call=_extension,
        write=lambda path, content: ("write_to_file", {"path": path, "content": content}),
        shell=lambda command: ("execute_command", {"command": command, "requires_approval": "false"}),
    ),
    "cline-sdk": Dialect(
        agent="cline",
        base=_CLINE
        | {"agent_id": "agent-1", "parent_agent_id": None, "sessionContext": {"rootSessionId": "session-1"}},
        event="hookName",
        start=("agent_start", {"taskStart": {"taskMetadata": {}}}),
        prompt=("prompt_submit", {"userPromptSubmit": {"prompt": PROMPT, "attachments": []}}),
        before="tool_call",
        after="tool_result",
        call=_sdk,
        write=lambda path, content: ("apply_patch", {"input": patch(path, content)}),
        shell=lambda command: ("run_commands", {"commands": [command]}),
    ),
}
