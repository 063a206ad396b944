"""OpenCode, and Kilo Code, which is built on it: what our plugin there tells of its hooks.

Contract: the types of npm @opencode-ai/plugin 1.18.33 in an envelope of ours, `{hook, context, input, output}`;
`queries/setup/shims/opencode.ts` sends it and carries the answer out. A call that fails is never told of.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from linetrail.ledger.adapters.adapter import (
    answered,
    does,
    first_text,
    identifier,
    part,
    required,
    started,
    table,
    text,
    tool,
    whole,
)
from linetrail.ledger.event.signal import Answer, Result, Said, Signal, Tool

if TYPE_CHECKING:  # no hook asks for it
    from linetrail.ledger.adapters.agent import Agent

NAME = "opencode"
GATED = ("tool.execute.before",)

_KINDS = {
    "session.created": "session_start",
    "session.deleted": "session_end",
    "session.idle": "stop",
    "session.compacted": "compact",
    "chat.message": "prompt",
    "tool.execute.before": "pre_tool",
    "tool.execute.after": "post_tool",
}
# A subagent has a session of its own, below the one that a person started; nobody but an agent speaks to it.
_KINDS_BELOW = {"session_start": "subagent_start", "session_end": "other", "stop": "subagent_stop", "prompt": "other"}
# `batch` is not here: what it runs is never told of.
TOOLS = table(
    write="write",
    edit="edit multiedit",
    patch="apply_patch patch",
    commands="bash shell",
    read="read grep glob list",
    reading="webfetch websearch codesearch lsp todoread",
    meta="todowrite task question skill plan_enter plan_exit",
)


def read(payload: Mapping[str, Any], event: str | None) -> Signal:
    """Read one payload; of a bus event, its type is the name."""
    told = event or text(payload, "hook")
    given, context = part(payload, "input"), part(payload, "context")
    bus = part(given, "event")
    told = required(text(bus, "type") if told == "event" else told, "event")
    about = part(bus, "properties")
    session = part(about, "info")
    output = part(payload, "output")
    own = identifier(given, "sessionID") or identifier(about, "sessionID") or identifier(session, "id")
    parent = identifier(context, "parent")
    kind = _KINDS.get(told, "other")
    kind = _KINDS_BELOW.get(kind, kind) if parent else kind
    call = _tool(given, output) if kind in ("pre_tool", "post_tool") else None
    directory = text(session, "directory") or text(context, "directory")
    worktree = text(context, "worktree")
    return Signal(
        kind=kind,
        name=told,
        session_id=parent or own,
        cwd=started(directory, first_text(call.input, "workdir")) if call and call.operation == "shell" else directory,
        model_id=first_text(context, "model"),
        prompt_id=identifier(given, "messageID"),
        agent_id=own if parent else None,
        text=_prompt(output) if kind == "prompt" else None,
        tool=call,
        result=_result(output) if kind == "post_tool" else None,
        roots=tuple(dict.fromkeys(root for root in (directory, worktree) if root)),
        agent_version=first_text(session, "version"),
        parent_session_id=identifier(session, "parentID"),
    )


def can_ask(_signal: Signal) -> bool:
    """Return whether a person would see a dialog: a plugin cannot open one."""
    return False


def reply(_event: str, answer: Answer) -> Said:
    """Return what our plugin reads; silence means "go on"."""
    if answer.verdict is not None:
        return answered({"verdict": "deny", "message": answer.message})
    return answered({"context": answer.context}) if answer.context else Said()


def _tool(given: Mapping[str, Any], output: Mapping[str, Any]) -> Tool:
    called = required(text(given, "tool"), "tool")
    arguments = part(given, "args") or part(output, "args")
    return tool(
        called,
        does(TOOLS, called),
        arguments,
        call_id=identifier(given, "callID"),
        command=arguments.get("command"),
    )


def _prompt(output: Mapping[str, Any]) -> str | None:
    parts = output.get("parts")
    found = [item for item in parts if isinstance(item, dict)] if isinstance(parts, list) else []
    texts = [item["text"] for item in found if isinstance(item.get("text"), str) and item.get("synthetic") is not True]
    return "\n".join(texts) or None


def _result(output: Mapping[str, Any]) -> Result:
    about = part(output, "metadata")
    before = part(about, "filediff").get("before")
    return Result(
        output=output.get("output"),
        exit_code=whole(about.get("exit")),
        original=before if isinstance(before, str) else None,
        known_new=about.get("exists") is False,
    )


def about() -> "Agent":
    from linetrail.ledger.adapters import agent

    return agent.Agent(
        name=NAME,
        title="OpenCode, Kilo Code",
        layout=agent.PLUGIN,
        file=".opencode/plugins/linetrail.ts",
        user_file=".config/opencode/plugins/linetrail.ts",
        events=agent.words(
            "session.created chat.message tool.execute.before tool.execute.after session.compacted "
            "session.idle session.deleted"
        ),
        tool_events=("tool.execute.before", "tool.execute.after"),
        gates=("tool.execute.before",),
        rank=7,
        timeout=None,
        others=("opencode.json", "~/.config/opencode/opencode.json"),
        protected=(".opencode", "opencode.json", "opencode.jsonc"),
        signs=(".opencode", "opencode.json", "opencode.jsonc"),
        home_signs=(".config/opencode",),
        trust="Start a new session: plugins are loaded when OpenCode starts.",
        limits=("The plugin interface is being replaced; it was written for version 1.18.",),
        marks=agent.Marks(
            inject=(agent.START, agent.RESULT), fails="open; closed in block mode", evidence="types; run: 1.18.33"
        ),
        shell_variables=(("OPENCODE", False),),
        program=agent.Program("opencode", "opencode-ai"),
        question=agent.Question(
            {
                "hook": "tool.execute.before",
                "context": {"directory": agent.FOLDER, "worktree": agent.FOLDER},
                "input": {"tool": agent.TOOL, "sessionID": agent.SESSION, "callID": "call"},
                "output": {"args": agent.INPUT},
            },
            write=("write", {"filePath": agent.FILE, "content": "1\n"}),
            read=("read", {"filePath": agent.FILE}),
        ),
        denial=agent.Denial({"verdict": "deny", "message": agent.TEXT}, passes=({}, {"verdict": "pass"})),
        retention=agent.Retention(".local/share/opencode"),
        credit=agent.Credit(addresses=(r"[^@]+@opencode\.ai",), names=("opencode",)),
    )
