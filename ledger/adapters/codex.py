"""Codex: its payloads, its answers, and all else that is known of it.

Contract: `codex-rs/hooks/schema/generated` in openai/codex. Its schemas of answers are closed: with one key that is not
in them, or the verdict `ask`, or `allow`, the hook counts as failed and the tool runs.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from linetrail.ledger.adapters.adapter import (
    arguments,
    does,
    first_text,
    identifier,
    name,
    part,
    required,
    started,
    table,
    text,
    tool,
    whole,
)
from linetrail.ledger.adapters.answers import KINDS, denied, held_back, informed
from linetrail.ledger.event.signal import GENERATIVE, Answer, Result, Said, Signal, Tool

if TYPE_CHECKING:  # no hook asks for it
    from linetrail.ledger.adapters.agent import Agent, Asked, Document, Trust

NAME = "codex"
GATED = ("PreToolUse",)

_KINDS = {
    **KINDS,
    "Interrupt": "stop",
    # the older `notify`, whose one payload comes as an argument and in other words
    "agent-turn-complete": "stop",
}
# Names of commands but `Bash` are those that models call them by, with or without the prefix of all functions.
_FUNCTION = "functions."
_TOOLS = table(
    commands="Bash exec_command shell_command shell local_shell",
    patch="apply_patch",
    read="view_image list_dir read_file grep_files",
    reading="web_search tool_search list_mcp_resources list_mcp_resource_templates read_mcp_resource",
    meta="update_plan spawn_agent request_user_input",
)
# The events whose schemas know `additionalContext`, and those that know `decision`.
_TOLD = frozenset({"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"})
_STOPS = frozenset({"Stop", "SubagentStop"})


def read(payload: Mapping[str, Any], event: str | None) -> Signal:
    """Read one payload of a hook, or of `notify`, which names its event only in the payload."""
    told = required((event if event != "notify" else None) or text(payload, "hook_event_name", "type"), "event")
    kind = _KINDS.get(told, "other")
    called = text(payload, "tool_name")
    if kind in ("pre_tool", "post_tool"):
        called = required(called, "tool")
    call = _tool(called, payload) if called else None
    model, cwd = name(payload, "model"), text(payload, "cwd")
    return Signal(
        kind=kind,
        name=told,
        session_id=identifier(payload, "session_id", "thread-id"),
        cwd=started(cwd, first_text(call.input, "workdir")) if call and call.operation == "shell" else cwd,
        transcript=text(payload, "transcript_path"),
        model_id=model if model is None or "/" in model else f"openai/{model}",
        permission_mode=name(payload, "permission_mode"),
        prompt_id=identifier(payload, "turn_id", "turn-id"),
        agent_id=identifier(payload, "agent_id"),
        agent_type=name(payload, "agent_type"),
        text=first_text(payload, "prompt", "source", "reason", "trigger", "error"),
        tool=call,
        result=_result(payload, call) if call and kind == "post_tool" else None,
    )


def can_ask(_signal: Signal) -> bool:
    """Return whether a person would see a dialog: never, no hook can open one."""
    return False


def reply(event: str, answer: Answer) -> Said:
    """Return what the schema of the event allows; silence means "go on"."""
    if answer.verdict is not None and event in GATED:
        return denied(event, answer.message)
    if answer.verdict is not None and event in _STOPS:
        return held_back(answer.message)
    return informed(event, answer.context) if answer.context and event in _TOLD else Said()


def _tool(called: str, payload: Mapping[str, Any]) -> Tool:
    known = does(_TOOLS, called.removeprefix(_FUNCTION))
    given = arguments(payload, "tool_input")
    return tool(called, known, given, call_id=identifier(payload, "tool_use_id"), command=_command(given))


def _command(given: Mapping[str, Any]) -> str | None:
    """Return a command, also one that is told word by word."""
    words = given.get("command")
    if isinstance(words, list) and words and all(isinstance(word, str) for word in words):
        import shlex  # older builds alone tell words

        return shlex.join(words)
    return first_text(given, "command", "cmd")


def _result(payload: Mapping[str, Any], call: Tool) -> Result:
    """Read how a call ended: text as a rule, which tells no exit code; an object in older builds.

    What a command printed is never taken for such an object.
    """
    response = payload.get("tool_response")
    is_object = isinstance(response, dict) or call.kind == GENERATIVE
    about = part(part(payload, "tool_response"), "metadata") if is_object else {}
    seconds = about.get("duration_seconds")
    return Result(
        output=response,
        duration_ms=whole(seconds * 1000) if isinstance(seconds, float) else None,
        exit_code=whole(about.get("exit_code")),
    )


def about() -> "Agent":
    from linetrail.ledger.adapters import agent

    return agent.Agent(
        name=NAME,
        title="Codex CLI",
        layout=agent.GROUPS,
        file=".codex/hooks.json",
        user_file=".codex/hooks.json",
        events=agent.words(
            "SessionStart UserPromptSubmit PreToolUse PermissionRequest PostToolUse SubagentStart "
            "SubagentStop PreCompact Stop SessionEnd"
        ),
        tool_events=agent.words("PreToolUse PermissionRequest PostToolUse"),
        gates=("PreToolUse",),
        rank=2,
        closed=("description", "hooks"),
        handler=agent.COMMAND_HANDLER,
        windows_key="commandWindows",
        # What is more is cut at the end of a session, with a warning whenever Codex starts.
        timeout=("timeout", 3),
        frozen=True,
        others=(".codex/config.toml", "~/.codex/config.toml", "~/.codex/hooks.json", "/etc/codex/requirements.toml"),
        protected=(".codex",),
        worktrees=".codex/worktrees",
        signs=(".codex",),
        home_signs=(".codex",),
        moved=(".codex", "CODEX_HOME"),
        trust="Trust the project, then trust each hook in `/hooks` of Codex; `codex exec` calls none that was not.",
        limits=(
            "A changed entry is not called until it is trusted again, so linetrail never rewrites one.",
            "A hook that crashes, or takes too long, lets the call through in every mode.",
            "`allow_managed_hooks_only` in requirements.toml, and `hooks = false` under `[features]`, turn hooks off.",
        ),
        marks=agent.Marks(
            inject=(agent.START, agent.PROMPT, agent.CALL, agent.RESULT), evidence="schemas; run: 0.169.0"
        ),
        shell_variables=(("CODEX_THREAD_ID", True),),
        mcp_sessions=(("threadId",), ("x-codex-turn-metadata", "session_id")),
        program=agent.Program("codex", "@openai/codex"),
        package=agent.Package(("~/.codex/config.toml",), ("plugins", agent.PACKAGE, "enabled")),
        question=agent.Question(
            agent.ASKED | {"transcript_path": None, "model": "model", "permission_mode": "default", "turn_id": "turn"},
            write=("apply_patch", {"command": "*** Begin Patch\n*** Add File: file.py\n+1\n*** End Patch"}),
            read=None,
        ),
        denial=agent.Denial(closed=True),
        switch_files=(
            "~/.codex/config.toml",
            ".codex/config.toml",
            "/etc/codex/config.toml",
            "/etc/codex/requirements.toml",
        ),
        switches=(
            agent.Switch(("features", "hooks"), value=False),
            agent.Switch(("features", "codex_hooks"), value=False),
            agent.Switch(("allow_managed_hooks_only",), effect="turns project hooks off", advice=agent.ADMINISTRATOR),
        ),
        trusts=_trusts,
        retention=agent.Retention(".codex/sessions"),
        credit=agent.Credit(
            addresses=(r"(?:codex|noreply)@openai\.com",),
            accounts=("openai-codex", "chatgpt-codex-connector"),
            names=("(?:openai )?codex",),
            words=("codex",),
            trailers=("codex-session",),
        ),
    )


def _trusts(asked: "Asked") -> "Iterator[Trust]":
    """Ask whether the project is trusted, then whether each of our hooks was reviewed."""
    from linetrail.ledger.adapters import agent

    document = asked.toml("~/.codex/config.toml")
    told = [document.at("projects", root, "trust_level") for root in asked.spellings]
    inside = os.path.join(asked.root, "")
    if asked.places and not any(path.startswith(inside) for path, *_ in asked.places):
        yield from _reviews(document, asked.places)  # a person's own need no trust in the folder
        return
    if "trusted" not in told:
        said = "is marked as untrusted" if "untrusted" in told else f"is not marked as trusted{document.trouble}"
        advice = "start `codex` here, and trust the folder when it asks (`codex exec --trust` does the same)"
        yield agent.Trust(
            given=False, message=f"this folder {said} in {document.shown}: no hook of it runs", next=advice
        )
        return
    yield agent.Trust(given=True, message=f"this folder is trusted in {document.shown}")
    yield from _reviews(document, asked.places)


def _reviews(document: "Document", places: Sequence[tuple[str, str, int, int]]) -> "Iterator[Trust]":
    """Count the hooks that a person reviewed; whether one was changed since is known to Codex alone."""
    from linetrail.ledger.adapters import agent

    states = [(event, _state(document, path, event, f"{group}:{at}")) for path, event, group, at in places]
    off = sorted({event for event, state in states if state and state.get("enabled") is False})
    waiting = sorted({event for event, state in states if not state or not isinstance(state.get("trusted_hash"), str)})
    if off:
        message = f"turned off in /hooks: {', '.join(off)}"
        yield agent.Trust(given=False, message=message, next="open /hooks in Codex, and turn them on")
    if waiting:
        message = f"not reviewed yet, so they do not run: {', '.join(waiting)}"
        yield agent.Trust(given=False, message=message, next="open /hooks in Codex, look at them, and trust them")
    if states and not off and not waiting:
        message = f"{len(states)} hooks were reviewed; /hooks in Codex shows one that was changed since"
        yield agent.Trust(given=True, message=message)


def _state(document: "Document", path: str, event: str, at: str) -> dict[str, object] | None:
    """Return what Codex keeps of one hook, by the place where the hook stands."""
    import re  # `doctor` alone asks

    name = f"{re.sub('(?<=[a-z])(?=[A-Z])', '_', event).lower()}:{at}"
    found = (document.at("hooks", "state", f"{file}:{name}") for file in {path, os.path.realpath(path)})
    return next((state for state in found if isinstance(state, dict)), None)
