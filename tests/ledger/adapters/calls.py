"""Single calls as single agents tell of them."""

from linetrail.ledger.adapters import cline, factory_droid, kiro_cli, opencode, windsurf


def cascade(event, **about):
    return windsurf.read({"agent_action_name": event, "trajectory_id": "t", "tool_info": about}, None)


def kiro(tool, event="preToolUse", response=None, **given):
    payload = {"hook_event_name": event, "cwd": "/p", "tool_name": tool, "tool_input": given}
    return kiro_cli.read(payload | ({"tool_response": response} if response else {}), None)


def droid(tool, given, event="PreToolUse", **fields):
    return factory_droid.read({"hookEventName": event, "toolName": tool, "tool_input": given} | fields, None)


def from_cline(tool, given, roots=("/a/front", "/a/back")):
    call = {"toolName": tool, "parameters": given}
    return cline.read(
        {"hookName": "PreToolUse", "taskId": "1", "workspaceRoots": list(roots), "preToolUse": call}, None
    )


def from_opencode(tool, output=None, phase="before", **given):
    about = {"tool": tool, "sessionID": "s", "callID": "c"}
    envelope = {"hook": f"tool.execute.{phase}", "context": {"directory": "/p", "worktree": "/"}}
    told = {"args": given} if phase == "before" else output
    return opencode.read(envelope | {"input": about | {"args": given}, "output": told}, None)
