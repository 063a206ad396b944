"""Cline: what its hook payloads mean, of the extension and of the CLI, which tell the same in two dialects.

Contract: `hooks.proto` and `sdk/packages/shared/src/hooks` in cline/cline. Proto3 leaves out what is false, 0 or empty,
and writes arguments as text. There is no folder: relative paths start at the first root. A denial ends the whole run.
"""

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from linetrail.ledger.adapters.adapter import (
    MCP_TOOL,
    answered,
    does,
    first_text,
    identifier,
    mcp_name,
    part,
    proposal,
    required,
    table,
    text,
    tool,
    whole,
)
from linetrail.ledger.event.signal import Answer, Edit, Result, Said, Signal, Tool

if TYPE_CHECKING:  # no hook asks for it
    from linetrail.ledger.adapters.agent import Agent

NAME = "cline"
GATED = ("PreToolUse", "tool_call")

_NAMES = {
    "session_start": "TaskStart TaskResume agent_start agent_resume",
    "session_end": "SessionShutdown session_shutdown",
    "prompt": "UserPromptSubmit prompt_submit",
    "pre_tool": "PreToolUse tool_call",
    "post_tool": "PostToolUse tool_result",
    "compact": "PreCompact pre_compact",
    "stop": "TaskCancel TaskComplete TaskError agent_end agent_abort agent_error",
}
_KINDS = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_TOOLS = table(
    write="write_to_file new_rule",
    edit="replace_in_file editor",
    patch="apply_patch",
    commands="execute_command run_commands",
    read="read_file read_files list_files search_files search_codebase list_code_definition_names",
    reading="web_fetch web_search fetch_web_content access_mcp_resource load_mcp_documentation",
    meta=(
        "ask_followup_question ask_question attempt_completion submit_and_exit plan_mode_respond act_mode_respond "
        "focus_chain condense summarize_task new_task use_skill skills use_subagents spawn_agent"
    ),
)
_MCP = "use_mcp_tool"
# What the diff of `replace_in_file` consists of, now and in older versions.
_BLOCK = re.compile(r"^(?:-{3,}|<{3,}) SEARCH>?\n(.*?)^={3,}\n(.*)", re.MULTILINE | re.DOTALL)
_END = re.compile(r"^(?:\+{3,}|>{3,}) REPLACE>?$", re.MULTILINE)


def read(payload: Mapping[str, Any], event: str | None) -> Signal:
    told = required(event or text(payload, "hookName"), "event")
    kind = _KINDS.get(told, "other")
    call = _tool(payload, kind) if kind in ("pre_tool", "post_tool") else None
    if call and kind == "post_tool" and part(payload, "postToolUse").get("success") is not True:
        kind = "tool_failure"
    roots = _texts(payload.get("workspaceRoots"))
    model, parent = part(payload, "model"), identifier(payload, "parent_agent_id")
    names = [first_text(model, "provider"), first_text(model, "slug")]
    return Signal(
        kind=kind,
        name=told,
        session_id=identifier(part(payload, "sessionContext"), "rootSessionId") or identifier(payload, "taskId"),
        cwd=roots[0] if roots else None,
        model_id="/".join(filter(None, names)) or None,
        agent_id=identifier(payload, "agent_id") if parent else None,
        text=first_text(part(payload, "userPromptSubmit"), "prompt") or first_text(payload, "reason"),
        tool=call,
        result=_result(payload) if call and kind != "pre_tool" else None,
        roots=tuple(roots[1:]),
        agent_version=first_text(payload, "clineVersion"),
    )


def can_ask(_signal: Signal) -> bool:
    """Return whether the agent would show a person a dialog: it reads no answer that asks for one."""
    return False


def reply(_event: str, answer: Answer) -> Said:
    """Answer every event: whether the run is to end and why, or what the model is told with its next request."""
    if answer.verdict is not None:
        return answered({"cancel": True, "contextModification": "", "errorMessage": answer.message})
    if answer.context is not None:
        return answered({"cancel": False, "contextModification": answer.context, "errorMessage": ""})
    return answered({"cancel": False})


def _tool(payload: Mapping[str, Any], kind: str) -> Tool:
    """Read a call, from the block of the CLI where it is there: it has an id, and arguments that are not all text."""
    own, common = ("tool_call", "preToolUse") if kind == "pre_tool" else ("tool_result", "postToolUse")
    about, plain = part(payload, own), part(payload, common)
    called = required(text(about, "name") or text(plain, "toolName"), "tool")
    given = about.get("input") or plain.get("parameters")
    arguments = given if isinstance(given, dict) else {"input": given}
    if called == _MCP:
        remote = mcp_name(first_text(arguments, "server_name"), first_text(arguments, "tool_name"))
        return tool(remote, MCP_TOOL, part(arguments, "arguments"), call_id=identifier(about, "id"))
    blocks = [_BLOCK.search(part) for part in _END.split(str(arguments.get("diff", "")))[:-1]]
    found = tool(
        called,
        does(_TOOLS, called),
        arguments,
        call_id=identifier(about, "id"),
        command=_command(arguments),
        proposed=proposal(None, [block and Edit(block[1], block[2], every=False) for block in blocks]),
    )
    roots = _texts(payload.get("workspaceRoots"))
    return found._replace(targets=tuple((_placed(path, roots), role) for path, role in found.targets))


def _placed(path: str, roots: Sequence[str]) -> str:
    """Resolve `@root:path`, which names one of several roots by its folder."""
    hint, _, rest = path.removeprefix("@").partition(":")
    root = next((root for root in roots if path.startswith("@") and os.path.basename(root) == hint), None)
    return path if root is None else os.path.join(root, rest.strip())


def _command(arguments: Mapping[str, Any]) -> str | None:
    """Return all commands of a call, which come in several shapes; None where one of them cannot be read."""
    listed = arguments.get("commands", arguments)
    lines = [_line(item) for item in (listed if isinstance(listed, list) else [listed])]
    return "\n".join(lines) if lines and all(lines) else None


def _line(item: Any) -> str:
    if not isinstance(item, dict):
        return item if isinstance(item, str) else ""
    told, words = [item[key] for key in ("command", "cmd") if key in item], item.get("args", [])
    program = told[0] if len(told) == 1 and isinstance(told[0], str) else None
    if program is None or not isinstance(words, list) or len(_texts(words)) != len(words):
        return ""
    return shlex.join([program, *words]) if words else program


def _texts(given: Any) -> list[str]:
    return [item for item in given if isinstance(item, str) and item] if isinstance(given, list) else []


def _result(payload: Mapping[str, Any]) -> Result:
    about, plain = part(payload, "tool_result"), part(payload, "postToolUse")
    return Result(
        output=about.get("output", plain.get("result")),
        error=first_text(about, "error"),
        duration_ms=whole(about.get("durationMs", plain.get("executionTimeMs"))),
    )


def about() -> "Agent":
    from linetrail.ledger.adapters import agent

    return agent.Agent(
        name=NAME,
        title="Cline",
        layout=agent.SCRIPTS,
        file=".clinerules/hooks",
        user_file="Documents/Cline/Hooks",
        events=agent.words(
            "TaskStart TaskResume UserPromptSubmit PreToolUse PostToolUse PreCompact TaskCancel TaskComplete"
        ),
        tool_events=("PreToolUse", "PostToolUse"),
        gates=("PreToolUse",),
        rank=11,
        timeout=None,
        only_told=True,
        others=("~/.cline/hooks", ".cline/hooks"),
        protected=(".cline", ".clinerules"),
        signs=(".clinerules", ".cline"),
        home_signs=(".cline", "Documents/Cline"),
        trust="Turn hooks on in the settings of Cline; each script has to be executable.",
        limits=(
            "A refusal ends the whole run, so it is only told of; `agents: {cline: block}` in config.yaml wants it.",
            "Hooks are not called with the providers Claude Code and Codex.",
            "On the command line, 3.0.65 sends no prompt where there is no terminal.",
        ),
        marks=agent.Marks(
            deny="told of; where wanted, ends the run",
            inject=(agent.START, agent.PROMPT, agent.CALL, agent.RESULT),
            evidence="source; run: 3.0.65",
        ),
        shell_variables=(("CLINE_ACTIVE", False),),
        program=agent.Program("cline", "cline"),
        question=agent.Question(
            {
                "clineVersion": "4.1.0",
                "hookName": "PreToolUse",
                "timestamp": "1767603600000",
                "taskId": agent.SESSION,
                "workspaceRoots": [agent.FOLDER],
                "preToolUse": {"toolName": agent.TOOL, "parameters": agent.INPUT},
            },
            write=("write_to_file", {"path": "file.py", "content": "1\n"}),
            read=("read_file", {"path": "file.py"}),
        ),
        denial=agent.Denial({"cancel": True, "errorMessage": agent.TEXT}, passes=({}, {"cancel": False})),
        credit=agent.Credit(first_names=("cline",)),
    )
