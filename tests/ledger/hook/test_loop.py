"""The way of a payload through the house: how many files somebody has to open who follows one call."""

import json
import os
import sys
import time
from pathlib import Path

import pytest

from linetrail.ledger.gate import policy
from linetrail.ledger.hook.loop import handle
from tests.gated import REGISTRY

ROOT = str(Path(__file__).resolve().parents[3])


@pytest.fixture
def entered(repo):
    """Return a function that hands over a payload under `block`, and returns the product files that it went through."""
    repo.commit(files={"src/billing/a.py": "a = 1\n"})
    repo.write(".orchestration/config.yaml", "enforce: block\n")
    repo.write(".orchestration/active_intents.yaml", REGISTRY)
    repo.write(".orchestration/state/selection/worktree.json", '{"intent_id": "INT-001"}')

    def send(call_id, event, tool, given):
        call = {"tool_name": tool, "tool_input": given, "tool_use_id": call_id, "tool_response": {}}
        payload = {"session_id": "s1", "cwd": str(repo.path), "hook_event_name": event} | call
        return handle("claude-code", json.dumps(payload).encode(), event=None, cwd=str(repo.path), now=time.time_ns)

    def count(event, tool, given, also=repr):
        send("first", event, tool, given)  # what is loaded or compiled once is no part of the way
        if event == "PostToolUse":
            send("second", "PreToolUse", tool, given)
        files = set()

        def note(frame, what, _):
            name = os.path.realpath(frame.f_code.co_filename)
            if what == "call" and name.startswith(os.path.join(ROOT, "ledger")):
                files.add(os.path.relpath(name, ROOT))
                also(frame)

        before = sys.getprofile()
        sys.setprofile(note)
        try:
            said = send("second", event, tool, given)
        finally:
            sys.setprofile(before)
        assert said.stdout == b""
        return sorted(files)

    return count


@pytest.mark.slow
@pytest.mark.parametrize(
    ("event", "tool", "given", "most"),
    [
        ("PreToolUse", "Write", {"file_path": "src/billing/b.py", "content": "b = 1\n"}, 30),
        ("PostToolUse", "Write", {"file_path": "src/billing/b.py", "content": "b = 1\n"}, 30),
        ("PreToolUse", "Bash", {"command": "git log --oneline"}, 38),
        ("PostToolUse", "Bash", {"command": "git log --oneline"}, 28),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_call_goes_through_few_files(entered, event, tool, given, most):
    """These numbers only shrink."""
    files = entered(event, tool, given)

    assert len(files) <= most, "\n".join(files)


@pytest.mark.slow
def test_the_mode_of_a_call_is_read_once(entered):
    read = []

    def note(frame):
        if frame.f_code.co_name == "_read" and frame.f_globals["__name__"] == policy.__name__:
            read.append(frame.f_locals["path"])

    entered("PreToolUse", "Write", {"file_path": "src/billing/b.py", "content": "b = 1\n"}, also=note)

    assert len(read) == len(set(read)) == 5


OUTSIDE = {"file_path": "src/auth/b.py", "content": "b = 1\n"}


@pytest.mark.daily(1)
@pytest.mark.parametrize(
    ("event", "tool", "given", "said"),
    [
        pytest.param("PreToolUse", "Write", {"file_path": "src/billing/b.py", "content": "b = 1\n"}, "", id="allowed"),
        pytest.param("PreToolUse", "Write", OUTSIDE, "INT-7", id="refused"),
        pytest.param("PreToolUse", "Bash", {"command": "linetrail select INT-9999"}, "not found", id="unknown"),
        pytest.param("SessionStart", "", {}, "INT-001", id="begun"),
    ],
)
def test_a_call_takes_no_more_steps_however_many_intents_there_are(repo, event, tool, given, said):
    repo.commit(files={"src/billing/a.py": "a = 1\n", ".orchestration/config.yaml": "enforce: block\n"})
    repo.write(".orchestration/state/selection/worktree.json", '{"intent_id": "INT-001"}')

    def steps(intents):
        others = "".join(
            f"  - {{id: INT-{at}, name: Other, status: DRAFT, owned_scope: [src/{at if at > 7 else 'auth'}/**]}}\n"
            for at in range(7, intents)
        )
        repo.write(".orchestration/active_intents.yaml", REGISTRY.replace("[src/auth/**]", "[src/cards/**]") + others)
        count = 0

        def note(_, what, __):
            nonlocal count
            count += what == "call"

        for at in range(2):  # what is loaded or compiled once is no part of the way
            call = {"tool_name": tool, "tool_input": given, "tool_use_id": f"{intents}-{at}", "source": "startup"}
            payload = {"session_id": f"s{intents}", "cwd": str(repo.path), "hook_event_name": event} | call
            raw, count = json.dumps(payload).encode(), 0
            before = sys.getprofile()
            sys.setprofile(note)
            try:
                told = handle("claude-code", raw, event=None, cwd=str(repo.path), now=time.time_ns)
            finally:
                sys.setprofile(before)
        assert said in told.stdout.decode()
        return count

    assert steps(1_000) <= 1.2 * steps(100)
