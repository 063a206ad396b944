"""Copilot CLI and Copilot's cloud agent: payloads, answers, and all else that is known of them.

Contract: `content/copilot/reference/hooks-reference.md` in github/docs. Two dialects, chosen by how the event was
spelled where the hook was registered: camelCase, which does not name the event, and PascalCase, in which tools have
Claude Code's names but keep their own arguments. Any exit status but 0 denies a call, so there is none.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from linetrail.ledger.adapters.adapter import (
    answered,
    arguments,
    does,
    first_text,
    identifier,
    name,
    part,
    required,
    table,
    text,
    tool,
)
from linetrail.ledger.adapters.answers import KINDS, fitting_bytes, held_back
from linetrail.ledger.event.signal import Answer, Result, Said, Signal, Tool

if TYPE_CHECKING:  # no hook asks for it
    from linetrail.ledger.adapters.agent import Agent, Asked, Trust

NAME = "copilot-cli"
GATED = ("preToolUse", "PreToolUse")

# The facts of all hooks together.
MAX_FACTS = 10 * 1024
# By the PascalCase name; the other is the same with a small first letter, but for these.
_OTHER_NAMES = {"userPromptSubmitted": "UserPromptSubmit", "agentStop": "Stop"}
_TOLD = frozenset({"SessionStart", "PostToolUse", "SubagentStart"})
_STOPS = frozenset({"Stop", "SubagentStop"})
_TOOLS = table(
    write="create",
    edit="edit str_replace str_replace_editor",
    patch="apply_patch git_apply_patch",
    commands="bash powershell",
    read="view grep rg glob",
    reading="web_fetch web_search read_bash list_bash read_powershell list_powershell",
    meta="ask_user update_todo task skill report_intent task_complete stop_bash stop_powershell",
)
# What Copilot calls the tools whose names it translates.
_OWN_NAMES = {
    "Bash": "bash",
    "PowerShell": "powershell",
    "Powershell": "powershell",
    "Read": "view",
    "Write": "create",
    "Edit": "edit",
    "Grep": "grep",
    "Glob": "glob",
    "WebFetch": "web_fetch",
    "WebSearch": "web_search",
    "AskUserQuestion": "ask_user",
    "TodoWrite": "update_todo",
    "Agent": "task",
    "Task": "task",
    "Skill": "skill",
}
# Compiled where it is needed: a process reads one payload.
_EXIT_CODE = r"exit(?:ed with exit)? (?:code|status) (\d{1,3})>?\s*\Z"


def read(payload: Mapping[str, Any], event: str | None) -> Signal:
    """Read one payload of either dialect; the command line names the event where the payload does not."""
    told = required(event or text(payload, "hook_event_name", "hookEventName"), "event")
    kind = KINDS.get(_pascal(told), "other")
    called = text(payload, "tool_name", "toolName")
    if kind in ("pre_tool", "post_tool", "tool_failure"):
        called = required(called, "tool")
    call = _tool(called, payload) if called else None
    result = _result(payload, call) if call and kind in ("post_tool", "tool_failure") else None
    return Signal(
        kind="tool_failure" if result and result.error is not None else kind,
        name=told,
        session_id=identifier(payload, "session_id", "sessionId"),
        cwd=text(payload, "cwd"),
        transcript=text(payload, "transcript_path", "transcriptPath"),
        agent_id=identifier(payload, "agent_id", "agentId"),
        agent_type=name(payload, "agent_type", "agentType", "agent_name", "agentName"),
        text=first_text(payload, "prompt", "source", "reason", "trigger", "stop_reason", "stopReason", "message"),
        tool=call,
        result=result,
    )


def can_ask(_signal: Signal) -> bool:
    """Return whether a person would see a dialog: nobody can say, the cloud agent takes `ask` for a denial."""
    return False


def reply(event: str, answer: Answer) -> Said:
    """Return one flat object, the same in both dialects; silence means "go on"."""
    at = _pascal(event)
    if answer.verdict is not None:
        reason = answer.message or "refused"
        denial = {"permissionDecision": "deny", "permissionDecisionReason": reason}
        return held_back(reason) if at in _STOPS else answered(denial)
    facts = answer.context if at in _TOLD else None
    return answered({"additionalContext": fitting_bytes(facts, MAX_FACTS)}) if facts else Said()


def _pascal(event: str) -> str:
    return _OTHER_NAMES.get(event) or event[:1].upper() + event[1:]


def _tool(called: str, payload: Mapping[str, Any]) -> Tool:
    given = arguments(payload, "tool_input", "toolArgs")
    called = _OWN_NAMES.get(called, called)
    if called in ("edit", "create") and _is_patch(given):
        called = "apply_patch"  # which is translated to `Edit` or to `Write`, too
    if called == "bash" and (text(payload, "cwd") or "")[1:2] == ":":
        called = "powershell"  # the same
    # One tool for several things says in its arguments which; under the name of another these mean nothing.
    looks = called == "str_replace_editor" and given.get("command") == "view"
    known = does(_TOOLS, "view" if looks else called)
    return tool(called, known, given, command=given.get("command"))


def _is_patch(given: Mapping[str, Any]) -> bool:
    """Return whether a patch stands where the text and the path of one file would."""
    told = given.get("input", given.get("patch"))
    return "path" not in given and isinstance(told, str) and told.lstrip().startswith("***")


def _result(payload: Mapping[str, Any], call: Tool) -> Result:
    """Read how a call ended; a command tells its exit code at the end of its text."""
    result = part(payload, "tool_result", "toolResult")
    shown = first_text(result, "text_result_for_llm", "textResultForLlm")
    error = first_text(payload, "error") or first_text(part(payload, "error"), "message")
    if error is None and first_text(result, "result_type", "resultType") not in (None, "success"):
        error = shown or ""
    ending = (error if error is not None else shown) or ""
    found = re.search(_EXIT_CODE, ending[-200:]) if call.operation == "shell" else None
    return Result(output=result or error, error=error, exit_code=int(found[1]) if found else None)


def about() -> "Agent":
    from linetrail.ledger.adapters import agent

    return agent.Agent(
        name=NAME,
        title="Copilot CLI",
        layout=agent.LIST,
        file=".github/hooks/linetrail.json",
        user_file=".copilot/hooks/linetrail.json",
        skeleton={"version": 1},
        # Spelled so that the payload names its event, and so that VS Code knows them, too.
        events=agent.words(
            "SessionStart UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure SubagentStart "
            "SubagentStop PreCompact Stop SessionEnd"
        ),
        tool_events=agent.words("PreToolUse PostToolUse PostToolUseFailure"),
        gates=("PreToolUse",),
        rank=5,
        aliases=("github-copilot", "copilot"),
        handler=agent.COMMAND_HANDLER,
        command_key="bash",
        windows_key="powershell",
        timeout=("timeoutSec", agent.SECONDS),
        guarded=True,
        instructions=".github/copilot-instructions.md",
        others=(
            ".github/copilot/settings.json",
            ".github/copilot/settings.local.json",
            "~/.copilot/settings.json",
            "/etc/github-copilot/policy.d",
        ),
        protected=(".github/hooks", ".github/copilot"),
        home_signs=(".copilot",),
        moved=(".copilot", "COPILOT_HOME"),
        trust="Trust the folder when Copilot asks; with `-p` it has to be trusted before, or add `--trust-folder`.",
        limits=(
            "The cloud agent reads the file, too: without linetrail it goes on, or in block mode does nothing at all.",
            "A hook that takes too long lets the call through in every mode.",
            "What a person types cannot be answered with context: it is told at the start and after a tool.",
        ),
        marks=agent.Marks(
            inject=(agent.START, agent.RESULT),
            fails="open when late, closed when it crashes",
            evidence="documentation, types; run: 1.0.102",
        ),
        borrows=("claude-code",),
        sign=agent.Sign(transcript="/.copilot/", late_key="timestamp"),
        shell_variables=(("COPILOT_CLI", False),),
        program=agent.Program("copilot", "@github/copilot"),
        question=agent.Question(
            agent.UNNAMED,
            write=("Write", {"path": agent.FILE, "file_text": "1\n"}),
            read=("Read", {"path": agent.FILE}),
        ),
        denial=agent.Denial({"permissionDecision": "deny", "permissionDecisionReason": agent.TEXT}),
        switch_files=(
            "~/.copilot/settings.json",
            "~/.copilot/config.json",
            ".github/copilot/settings.json",
            ".github/copilot/settings.local.json",
            ".github/hooks/*.json",
            "/etc/github-copilot/policy.d/*.json",
        ),
        switches=(agent.Switch(("disableAllHooks",)),),
        trusts=_trusts,
        retention=agent.Retention(".copilot/session-state"),
        credit=agent.Credit(
            accounts=("copilot", "copilot-swe-agent", "github-copilot"),
            names=("(?:github )?copilot",),
            words=("copilot",),
            product="copilot",
        ),
    )


def _trusts(asked: "Asked") -> "Iterator[Trust]":
    """Ask for the folders that are trusted for good; one may be trusted for a session alone."""
    from linetrail.ledger.adapters import agent

    document = asked.json("~/.copilot/config.json")
    listed = [document.at(key) for key in ("trustedFolders", "trusted_folders")]
    trusted = [folder for folders in listed if isinstance(folders, list) for folder in folders]
    if any(folder in trusted for folder in asked.around):
        yield agent.Trust(given=True, message=f"{document.shown} says that this folder is trusted")
    elif document.exists:
        message = f"{document.shown} does not say that this folder is trusted{document.trouble}"
        advice = "start `copilot` here, and trust the folder for future sessions: `copilot -p` runs no hooks otherwise"
        yield agent.Trust(None, message, advice)
