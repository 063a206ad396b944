"""What an agent was answered for is in the ledger with its content, on a busy machine too (promises I3, C2).

Each crowd of hooks is real processes that start at once, beside loops that keep both cores busy.
"""

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from linetrail.ledger import files
from linetrail.ledger.errors import LockTimeoutError
from linetrail.ledger.event.signal import Signal
from linetrail.ledger.hook import loop
from linetrail.ledger.hook.deadline import NO_LIMITS, Limits
from linetrail.ledger.hook.deliveries import MAX_TRIES, Job, left_behind, taken_on
from linetrail.ledger.hook.loop import finish, handle
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.redact.redactor import Redactor
from linetrail.ledger.repository import find
from tests.gated import REGISTRY

pytestmark = pytest.mark.in_turn

# A round takes some seconds on two cores; `LINETRAIL_ROUNDS=8` tries as many in `just slow` and in `just soak`.
ROUNDS = os.environ.get("LINETRAIL_ROUNDS")
HOOKS = 64
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


# what warns lets the hooks run as what observes does
@pytest.fixture(params=["observe", pytest.param("warn", marks=pytest.mark.soak), "block"])
def mode(request, repo):
    """Set a repository up in this mode, with an intent that is selected."""
    repo.commit(files={"src/billing/a.py": "a = 1\n"})
    repo.write(".orchestration/config.yaml", f"enforce: {request.param}\n")
    repo.write(".orchestration/active_intents.yaml", REGISTRY)
    repo.write(".orchestration/state/selection/worktree.json", '{"intent_id": "INT-001"}')
    return request.param


def payloads(repo, number):
    """Yield prompts, writes and commands in turn, each with a content that no other has."""
    for at in range(HOOKS):
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
    "rounds",
    [
        pytest.param(int(ROUNDS or 1), id="a round", marks=pytest.mark.slow),
        pytest.param(int(ROUNDS or 1000), id="many rounds", marks=pytest.mark.soak),
    ],
)
def test_of_hooks_that_start_at_once_on_a_busy_machine_none_loses_its_event(repo, mode, rounds):
    sent, said = [], b""

    with busy(2):
        for number in range(rounds):
            running = []
            for name, payload in payloads(repo, number):
                sent.append(name)
                installed = ["--event", payload["hook_event_name"], "--enforce", mode]
                hook = [*HOOK, *installed] if mode == "block" else HOOK
                process = subprocess.Popen(hook, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=repo.path)
                process.stdin.write(json.dumps(payload).encode())
                process.stdin.flush()
                running.append(process)
            for process in running:
                said += process.communicate()[0]
                assert process.returncode == 0

    repository = find(str(repo.path))
    finish(repository)
    Ledger(repository).append([])  # whoever waited too long for the ledger has left its event in the spool
    told = [content(event) for event in repo.events("prompt.submitted", "tool.requested")]
    assert Counter(told) == Counter(sent)
    assert not repo.events("payload.rejected")
    assert said.count(b"TIMEOUT") == 0


@pytest.mark.parametrize("argument", ["PROCESSOR_SECONDS", "PATIENCE_SECONDS"])
def test_what_arrives_when_the_time_is_up_is_recorded_with_its_content(repo, monkeypatch, argument):
    repo.start_ledger()
    prompt = {"session_id": "s1", "cwd": str(repo.path), "hook_event_name": "UserPromptSubmit", "prompt": "ask late"}
    reading, writing = os.pipe()
    monkeypatch.setattr(loop, argument, 0.0)
    monkeypatch.setattr(sys, "argv", ["linetrail-hook", "claude-code"])
    writer = threading.Timer(0.2, lambda: os.write(writing, json.dumps(prompt).encode()) and os.close(writing))

    with os.fdopen(reading) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        writer.start()
        status = loop.main()

    writer.join()
    assert status == 0
    assert [content(event) for event in repo.events("prompt.submitted")] == ["late"]
    assert not repo.events("payload.rejected")


def test_whoever_waits_for_a_lock_leaves_the_processor_to_others(tmp_path, monkeypatch):
    path, asked, ask = str(tmp_path / "lock"), [], files.try_lock
    monkeypatch.setattr(files, "try_lock", lambda fd, **how: asked.append(fd) or ask(fd, **how))

    with (
        files.locked_path(path, 1.0, "it"),
        pytest.raises(LockTimeoutError),
        files.locked_path(path, 1.0, "it"),
    ):
        pass

    assert len(asked) < 100


@pytest.mark.slow
@pytest.mark.parametrize("by", ["the next hook", "a command"])
def test_what_a_hook_had_read_when_it_was_killed_is_recorded_by(repo, hook, linetrail, tmp_path, by):
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

    if by == "a command":
        linetrail("status")
    else:
        hook({"session_id": "s1", "cwd": str(repo.path), "hook_event_name": "Stop"})

    told = [event.type for event in repo.events() if event.type != "agent.signalled"]
    assert told == ["tool.requested", "mutation.observed", "tool.completed"]
    (changed,) = repo.events("mutation.observed")
    assert (changed.data["via"], changed.data["files"][0]["path"]) == ("shell", "a.py")
    assert not any(unfinished.iterdir())


def test_a_rest_that_fails_is_tried_so_often_by_hooks_and_then_by_commands(repo, hook):
    repo.start_ledger()
    hook({"session_id": "s1", "cwd": str(repo.path), "hook_event_name": "Stop"})
    (event,) = repo.events()
    repository, stop = find(str(repo.path)), Signal("stop", "Stop", "s1", str(repo.path))
    with taken_on(repository, Job("claude-code", stop, 0, "key", "observe", event), Redactor(None)):
        pass  # as a hook that was killed

    def tries(limits):
        finish(repository, limits)
        return [job.tries for _, job in left_behind(repository)]

    no_timer_takes_this = Limits(clock=math.inf)
    assert [tries(no_timer_takes_this) for _ in range(MAX_TRIES + 1)] == [[1], [MAX_TRIES], [MAX_TRIES]]
    assert tries(NO_LIMITS) == []


def test_the_end_of_a_call_that_nobody_heard_of_names_its_files(repo, agent):
    claude = agent(model=None)
    call = {"tool_name": "Read", "tool_input": {"file_path": str(repo.path / "a.py")}}

    claude.send("PostToolUse", **call, tool_use_id="t1", tool_response={})
    claude.send("PreToolUse", **call, tool_use_id="t2")
    claude.send("PostToolUse", **call, tool_use_id="t2", tool_response={})

    alone, told = repo.events("tool.completed")
    assert alone.data["targets"] == [{"path": "a.py", "role": "read"}]
    assert "targets" not in told.data


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["observe", "block"])
def test_a_registry_too_large_to_be_read_within_a_call_costs_no_content(repo, hook, linetrail, mode):
    repo.start_ledger()
    repo.write(".orchestration/config.yaml", f"enforce: {mode}\n")
    entry = "  - {{id: INT-{0:04}, name: Work {0}, status: DRAFT, owned_scope: [src/p{0}/**], constraints: [{1}]}}\n"
    repo.write(
        ".orchestration/active_intents.yaml",
        "active_intents:\n" + "".join(entry.format(number, "keep " * 400) for number in range(1, 200)),
    )
    path = str(repo.path / "src/p1/a.py")
    call = {"session_id": "s1", "cwd": str(repo.path), "hook_event_name": "PreToolUse", "tool_name": "Write"}
    call |= {"tool_input": {"file_path": path, "content": "x\n"}}

    before = hook(call | {"tool_use_id": "t1"})
    linetrail("intents", "lint")
    after = hook(call | {"tool_use_id": "t2"})

    assert ["REGISTRY_MALFORMED" in before.stdout, "NO_INTENT" in after.stdout] == [mode == "block"] * 2
    assert "linetrail intents lint" in before.stdout or mode != "block"
    told = repo.events("tool.requested")
    assert [event.data["targets"][0]["path"] for event in told] == ["src/p1/a.py"] * 2
    assert not repo.events("payload.rejected")


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


@pytest.fixture
def worktree(repo):
    """Make a worktree as agents do for a subagent, of a repository that blocks."""
    repo.commit(
        files={
            "src/billing/a.py": "a = 1\n",
            ".orchestration/config.yaml": "enforce: block\n",
            ".orchestration/active_intents.yaml": REGISTRY,
        }
    )
    repo.git("worktree", "add", "--quiet", ".claude/worktrees/one", "-b", "one")
    repo.write(".orchestration/state/selection/worktree.json", '{"intent_id": "INT-001"}')
    return repo.path / ".claude/worktrees/one"


def ask(cwd, path, session="s1"):
    """Return whether a write of this file may go on."""
    call = {"session_id": session, "cwd": str(cwd), "hook_event_name": "PreToolUse", "tool_name": "Write"}
    text = json.dumps(call | {"tool_input": {"file_path": str(path), "content": "x\n"}}).encode()
    return not handle("claude-code", text, event=None, cwd=str(cwd), now=time.time_ns).stdout


def test_a_subagent_in_its_worktree_works_under_the_selection_of_its_session(repo, worktree):
    assert ask(worktree, worktree / "src/billing/b.py")
    assert not ask(worktree, worktree / "src/auth/b.py")


def test_a_file_of_a_worktree_is_judged_by_its_own_root_wherever_the_agent_works(repo, worktree):
    assert ask(repo.path, worktree / "src/billing/new/b.py")
    assert not ask(repo.path, worktree / "src/auth/b.py")
    assert not ask(repo.path, worktree / ".git")


def test_a_folder_that_git_does_not_know_as_a_worktree_has_no_root_of_its_own(repo, worktree):
    forged = repo.path / ".claude/worktrees/two"
    repo.write(".claude/worktrees/two/.git", f"gitdir: {repo.path / '.git/worktrees/one'}\n")

    assert not ask(repo.path, forged / "src/billing/b.py")


def test_a_session_that_another_one_started_goes_on_with_its_intent(repo, worktree, hook):
    repo.write(".orchestration/state/selection/worktree.json", '{"intent_id": null}')
    main = {"session_id": "s1", "cwd": str(repo.path)}
    select = {"tool_name": "mcp__linetrail__select_active_intent", "tool_input": {"intent_id": "INT-001"}}
    for event in ("PreToolUse", "PostToolUse"):
        hook(main | select | {"hook_event_name": event, "tool_use_id": "t1", "tool_response": []})

    assert ask(worktree, worktree / "src/billing/b.py", session="s1")
    assert not ask(worktree, worktree / "src/billing/c.py", session="s2")
