"""Agents that run hooks which were installed for others: each is told by its own name, and once."""

import json
import time

import pytest

from linetrail.ledger.hook.loop import handle
from linetrail.ledger.hook.payload import sender

PROJECT = "/home/dev/project"
# folder of payloads -> the agent that sends them, and the agents whose hooks it runs
BORROWED = {
    "cursor": ("cursor", ["claude-code"]),
    "vscode-copilot": ("vscode-copilot", ["claude-code", "copilot-cli"]),
    "copilot-cli-pascal": ("copilot-cli", ["claude-code"]),
    "continue-cli": ("continue-cli", ["claude-code"]),
    "devin-cli": ("devin-cli", ["claude-code"]),
    "claude-code": ("claude-code", ["claude-code"]),
    "copilot-cli": ("copilot-cli", ["copilot-cli"]),
}


def payloads(shared, folder):
    return sorted((shared / "fixtures" / "hooks" / folder).glob("*.json"))


@pytest.mark.parametrize("folder", BORROWED)
def test_a_payload_tells_who_sent_it(shared, folder):
    agent, lenders = BORROWED[folder]

    for file in payloads(shared, folder):
        fields = json.loads(file.read_bytes())
        if folder == "continue-cli" and "transcript_path" not in fields:
            continue  # nothing in it is Continue's alone; its session start has told who it is
        assert {sender(lender, fields) for lender in lenders} == {agent}, file.name


def test_tools_in_lower_case_are_not_those_of_claude_code():
    for tool, agent in (("write", "devin-cli"), ("Write", "claude-code"), ("mcp__tracker__add", "claude-code")):
        assert sender("claude-code", {"session_id": "s", "tool_name": tool}) == agent
    for tool in ("bash", "Bash", "write", "edit"):
        assert sender("claude-code", {"session_id": "s", "tool_name": tool, "tool_use_id": "t1"}) == "claude-code"
    assert sender("claude-code", {"session_id": "s", "tool_name": "bash"}) == "claude-code"


def test_what_was_installed_for_an_agent_that_lends_to_nobody_is_its_own():
    assert sender("gemini-cli", {"cursor_version": "3.9.0"}) == "gemini-cli"
    assert sender("claude-code", {"tool_use_id": 5, "transcript_path": ["x"]}) == "claude-code"


@pytest.mark.parametrize("folder", [name for name, (agent, by) in BORROWED.items() if by != [agent]])
def test_an_event_that_fires_through_two_settings_files_is_recorded_once(repo, shared, folder):
    repo.start_ledger()
    agent, lenders = BORROWED[folder]

    for file in payloads(shared, folder):
        payload = file.read_text().replace(PROJECT, str(repo.path)).encode()
        answers = {
            handle(installed, payload, event=None, cwd=str(repo.path), now=time.time_ns)
            for installed in (agent, *lenders, agent)
        }
        assert len(answers) == 1

    names = {event.agent.name for event in repo.events() if event.agent}
    assert names <= {agent}
    told = [(event.type, event.session_id, json.dumps(event.data, sort_keys=True)) for event in repo.events()]
    assert told
    assert len(told) == len(set(told))


def test_events_that_say_nothing_but_their_names_are_told_apart_by_them(repo):
    repo.start_ledger()
    told = {"session_id": "s", "generation_id": "g", "cwd": str(repo.path), "cursor_version": "3.9.0"}

    for name in ("afterAgentResponse", "afterAgentThought", "afterAgentThought"):
        payload = json.dumps(told | {"hook_event_name": name}).encode()
        handle("cursor", payload, event=None, cwd=str(repo.path), now=time.time_ns)

    assert [event.data["signal"] for event in repo.events("agent.signalled")] == [
        "afterAgentResponse",
        "afterAgentThought",
    ]


def test_both_dialects_of_copilot_tell_of_the_same_event_once(repo):
    repo.start_ledger()
    given = {"command": "git status --short"}
    camel = {
        "sessionId": "s1",
        "timestamp": 1795251600000,
        "cwd": str(repo.path),
        "toolName": "bash",
        "toolArgs": given,
    }
    pascal = {
        "hook_event_name": "PreToolUse",
        "session_id": "s1",
        "timestamp": "2026-11-21T09:00:00.000Z",
        "cwd": str(repo.path),
        "tool_name": "Bash",
        "tool_input": given,
    }

    for installed, event, payload in (("copilot-cli", "preToolUse", camel), ("claude-code", None, pascal)):
        handle(installed, json.dumps(payload).encode(), event=event, cwd=str(repo.path), now=time.time_ns)

    assert len(repo.events("tool.requested")) == 1


def test_a_command_that_is_asked_for_again_later_is_another_call(repo):
    repo.start_ledger()
    clock = iter([1_795_251_600_000_000_000, 1_795_251_700_000_000_000])
    fields = {"hook_event_name": "PreToolUse", "session_id": "s1", "timestamp": "t", "cwd": str(repo.path)}
    payload = json.dumps(fields | {"tool_name": "Bash", "tool_input": {"command": "make"}}).encode()

    for _ in range(2):
        handle("copilot-cli", payload, event=None, cwd=str(repo.path), now=lambda: next(clock))

    asked = repo.events("tool.requested")
    assert len({event.data["tool_call_id"] for event in asked}) == 2


def test_earlier_builds_of_vs_code_are_known_by_their_other_spelling(repo):
    repo.start_ledger()
    repo.write(".orchestration/config.yaml", "enforce: block\n")
    call = {"toolName": "create_file", "toolInput": {"filePath": "a.py", "content": "x"}, "toolUseId": "c__vscode-1"}
    base = {"hookEventName": "PreToolUse", "sessionId": "s", "cwd": str(repo.path), "timestamp": "2026-11-21T09:00:00Z"}

    said = handle("claude-code", json.dumps(base | call).encode(), event=None, cwd=str(repo.path), now=time.time_ns)

    assert json.loads(said.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert {event.agent.name for event in repo.events() if event.agent} == {"vscode-copilot"}


def test_a_command_that_a_turn_runs_again_is_another_call(repo):
    repo.start_ledger()
    told = {"hook_event_name": "beforeShellExecution", "session_id": "s", "generation_id": "g", "cwd": str(repo.path)}
    payload = json.dumps(told | {"command": "make test", "cursor_version": "3.9.0"}).encode()

    for second in (0, 1, 9):
        handle("cursor", payload, event=None, cwd=str(repo.path), now=lambda at=second: time.time_ns() + at * 10**9)

    assert len(repo.events("tool.requested")) == 2
