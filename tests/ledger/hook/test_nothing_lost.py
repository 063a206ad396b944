"""What an agent was answered for is in the ledger with its content, on a busy machine too (promises I3, C2).

Each crowd of hooks is real processes that start at once, beside loops that keep both cores busy.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from linetrail.ledger.hook.loop import finish, handle
from linetrail.ledger.repository import find
from tests.gated import REGISTRY

HOOK = [str(Path(sys.executable).with_name("linetrail-hook")), "claude-code"]


@contextlib.contextmanager
def busy(loops):
    """Keep the cores busy with work of others."""
    running = [subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


@pytest.fixture(params=["observe", "warn", "block"])
def mode(request, repo):
    """Set a repository up in this mode, with an intent that is selected."""
    repo.commit(files={"src/billing/a.py": "a = 1\n"})
    repo.write(".orchestration/config.yaml", f"enforce: {request.param}\n")
    repo.write(".orchestration/active_intents.yaml", REGISTRY)
    repo.write(".orchestration/state/selection/worktree.json", '{"intent_id": "INT-001"}')
    return request.param


def payloads(repo, size, number):
    """Yield prompts, writes and commands in turn, each with a content that no other has."""
    for at in range(size):
        name = f"{number}-{at}"
        base = {"session_id": f"s{at % 4}", "cwd": str(repo.path)}
        call = {"hook_event_name": "PreToolUse", "tool_use_id": f"t{name}"}
        if at % 3 == 0:
            yield name, base | {"hook_event_name": "UserPromptSubmit", "prompt": f"ask {name}", "prompt_id": name}
        elif at % 3 == 1:
            path = str(repo.path / f"src/billing/{name}.py")
            yield name, base | call | {"tool_name": "Write", "tool_input": {"file_path": path, "content": "x\n"}}
        else:
            yield name, base | call | {"tool_name": "Bash", "tool_input": {"command": f"make {name}"}}


def content(event):
    """Return the name that a payload was given, out of what was recorded of it."""
    if event.type == "prompt.submitted":
        return event.data["excerpt"].removeprefix("ask ")
    if event.data["command"]:
        return event.data["command"].removeprefix("make ")
    return Path(event.data["targets"][0]["path"]).stem


@pytest.mark.promise("C2")
@pytest.mark.parametrize(
    ("size", "rounds"),
    [
        pytest.param(24, 1, id="24 hooks"),
        pytest.param(64, 20, id="64 hooks, 20 rounds", marks=pytest.mark.slow),
    ],
)
def test_of_hooks_that_start_at_once_on_a_busy_machine_none_loses_its_event(repo, mode, size, rounds):
    sent = []

    with busy(2):
        for number in range(rounds):
            running = []
            for name, payload in payloads(repo, size, number):
                sent.append(name)
                process = subprocess.Popen(HOOK, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=repo.path)
                process.stdin.write(json.dumps(payload).encode())
                process.stdin.flush()
                running.append(process)
            for process in running:
                process.communicate()
                assert process.returncode == 0

    finish(find(str(repo.path)))
    told = [content(event) for event in repo.events("prompt.submitted", "tool.requested")]
    assert Counter(told) == Counter(sent)
    assert not repo.events("payload.rejected")


def test_what_a_hook_had_read_when_it_was_killed_is_recorded_by_the_next_one(repo, hook, tmp_path):
    repo.commit(files={"a.py": "a = 1\n"})
    repo.start_ledger()
    slow = tmp_path / "bin"
    slow.mkdir()
    (slow / "git").write_text("#!/bin/sh\nsleep 60\n")
    (slow / "git").chmod(0o755)
    base = {"session_id": "s1", "cwd": str(repo.path), "tool_use_id": "t1"}
    call = base | {"tool_name": "Bash", "tool_input": {"command": "echo 2 > a.py"}}
    hook(call | {"hook_event_name": "PreToolUse"})
    repo.write("a.py", "a = 2\n")
    env = os.environ | {"PATH": f"{slow}:{os.environ['PATH']}"}
    process = subprocess.Popen(HOOK, stdin=subprocess.PIPE, cwd=repo.path, env=env, start_new_session=True)
    process.stdin.write(json.dumps(call | {"hook_event_name": "PostToolUse", "tool_response": {"stdout": ""}}).encode())
    process.stdin.close()
    unfinished = repo.path / ".orchestration/state/unfinished"
    while not (unfinished.is_dir() and any(name.suffix == ".json" for name in unfinished.iterdir())):
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()

    hook({"session_id": "s1", "cwd": str(repo.path), "hook_event_name": "Stop"})

    assert [event.type for event in repo.events()] == [
        "tool.requested",
        "agent.signalled",
        "mutation.observed",
        "tool.completed",
    ]
    (changed,) = repo.events("mutation.observed")
    assert (changed.data["via"], changed.data["files"][0]["path"]) == ("shell", "a.py")
    assert not any(unfinished.iterdir())


def test_the_end_of_a_call_that_nobody_heard_of_names_its_files(repo, agent):
    claude = agent(model=None)
    call = {"tool_name": "Read", "tool_input": {"file_path": str(repo.path / "a.py")}}

    claude.send("PostToolUse", **call, tool_use_id="t1", tool_response={})
    claude.send("PreToolUse", **call, tool_use_id="t2")
    claude.send("PostToolUse", **call, tool_use_id="t2", tool_response={})

    alone, told = repo.events("tool.completed")
    assert alone.data["targets"] == [{"path": "a.py", "role": "read"}]
    assert "targets" not in told.data


def test_the_same_call_again_is_answered_by_the_mode_of_now(repo, agent, monkeypatch):
    agent(model=None)
    monkeypatch.setenv("LINETRAIL_ENFORCE", "block")
    repo.write(".orchestration/active_intents.yaml", REGISTRY)
    path = str(repo.path / "src/billing/a.py")
    payload = {"session_id": "s1", "cwd": str(repo.path), "hook_event_name": "PreToolUse", "tool_name": "Write"}
    text = json.dumps(payload | {"tool_input": {"file_path": path, "content": "x\n"}}).encode()

    def ask():
        return handle("claude-code", text, event=None, cwd=str(repo.path), now=time.time_ns)

    refused = ask()
    monkeypatch.setenv("LINETRAIL_ENFORCE", "observe")
    (repo.path / ".orchestration/active_intents.yaml").unlink()
    observed = ask()

    assert b'"deny"' in refused.stdout
    assert observed.stdout == b""
    assert len(repo.events("tool.requested")) == 2
