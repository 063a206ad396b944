"""Calls of agents that give them no ids: what was asked for, what became of it, and what it changed share one name."""

import json
import time

import pytest

from linetrail.ledger.hook.loop import handle

WRITE = "write_file"


@pytest.fixture
def gemini(repo):
    """Return a function that sends what Gemini CLI sends at an event of a tool, one second after the other."""
    repo.start_ledger()
    moment = iter(range(1_795_251_600, 1_795_351_600))

    def send(event, tool, given, **fields):
        payload = {"session_id": "s1", "cwd": str(repo.path), "hook_event_name": event, "tool_name": tool}
        payload |= {"timestamp": str(next(moment)), "tool_input": given, **fields}
        said = handle("gemini-cli", json.dumps(payload).encode(), event=None, cwd=str(repo.path), now=time.time_ns)
        return said.stdout

    return send


def named(repo, *types):
    return [event.data["tool_call_id"] for event in repo.events(*types)]


def test_a_call_has_one_name_from_the_request_to_what_it_changed(gemini, repo):
    given = {"file_path": "src/a.py", "content": "x = 1\n"}

    gemini("BeforeTool", WRITE, given)
    repo.write("src/a.py", "x = 1\n")
    gemini("AfterTool", WRITE, given, tool_response={"llmContent": "ok"})

    (call,) = set(named(repo, "tool.requested", "tool.completed", "mutation.observed"))
    assert call.startswith("derived-")


def test_equal_calls_one_after_the_other_are_told_apart(gemini, repo):
    for _ in range(3):
        gemini("BeforeTool", "run_shell_command", {"command": "make"})
        gemini("AfterTool", "run_shell_command", {"command": "make"}, tool_response={"llmContent": "ok"})

    asked, ended = named(repo, "tool.requested"), named(repo, "tool.completed")
    assert asked == ended
    assert len(set(asked)) == 3


@pytest.mark.parametrize("agent", ["copilot-cli", "kiro-cli", "devin-cli"])
def test_a_call_that_starts_again_at_once_is_told_again(repo, agent):
    repo.start_ledger()
    name, before, after = ("execute_bash", "preToolUse", "postToolUse")
    if agent != "kiro-cli":
        name, before, after = "Bash", "PreToolUse", "PostToolUse"
    told = {"session_id": "s1", "cwd": str(repo.path), "tool_name": name, "tool_input": {"command": "make"}}

    for event in (before, before, after, after) * 3:
        payload = json.dumps(told | {"hook_event_name": event}).encode()
        handle(agent, payload, event=None, cwd=str(repo.path), now=time.time_ns)

    assert len(named(repo, "tool.requested")) == len(set(named(repo, "tool.completed"))) == 3


def test_equal_calls_at_once_are_each_ended(gemini, repo):
    for event in ("BeforeTool", "BeforeTool", "AfterTool", "AfterTool"):
        gemini(event, "run_shell_command", {"command": "make"})

    assert sorted(named(repo, "tool.requested")) == sorted(named(repo, "tool.completed"))
    assert len(set(named(repo, "tool.requested"))) == 2


def test_what_a_session_did_not_ask_for_has_a_name_of_its_own(gemini, repo):
    gemini("AfterTool", "run_shell_command", {"command": "make"})

    (ended,) = named(repo, "tool.completed")
    assert ended.startswith("derived-")


@pytest.mark.slow
def test_many_calls_that_never_end_are_forgotten(gemini, repo):
    for _ in range(30):
        gemini("BeforeTool", "run_shell_command", {"command": "make"})

    (file,) = (repo.path / ".orchestration/state/open").iterdir()
    assert len(json.loads(file.read_text())["calls"]) == 20
