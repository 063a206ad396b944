"""Break the hook in every way there is (promise G1): in block mode a call is denied, in observe mode nothing is said.

Real processes of an installation of our own, which the tests may spoil. What no process of ours can answer, since it
is never started, `doctor` has to refuse: tests/queries/doctor/test_doctor.py.
"""

import contextlib
import fcntl
import json
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.adapters.adapter import adapter
from linetrail.ledger.agents import AGENTS, ONLY_TOLD
from linetrail.ledger.event.signal import Answer, Said
from linetrail.ledger.gate import policy
from linetrail.ledger.hook import entry
from tests.forks import PATIENT_SECONDS
from tests.ledger.hook.conftest import prepare

pytestmark = [pytest.mark.promise("G1"), pytest.mark.in_turn]
ROOT = Path(__file__).resolve().parents[3]
SEVERAL = ["adapters/claude_code.py", "hook/gatekeeper.py", "hook/loop.py", "gate/policy.py", "gate/refusals.py"]
MODES = ["observe", "block"]
# What is said, in one line, of an event that could not be stored anywhere.
UNSTORED = re.compile(rb"linetrail-hook: an event could not be recorded: [^\n]+\n")


@pytest.fixture(params=MODES)
def mode(request, repo):
    """Set a repository up whose intent allows the call, were it not for what is broken."""
    prepare(repo, request.param)
    return request.param


@pytest.fixture
def call(repo, bundled, start):
    """Return a function that lets the agent ask for a write; what is sent, and where, may be anything."""

    def run(payload=None, *, agent="claude-code", options=("--event", "PreToolUse"), cwd=None, **process):
        command = [sys.executable, "-S", "-c", start, agent, *options]
        given = {"input": write(repo) if payload is None else payload} if "stdin" not in process else {}
        return subprocess.run(
            command, cwd=cwd or repo.path, capture_output=True, check=False, timeout=PATIENT_SECONDS, **given, **process
        )

    return run


def write(repo, tool="Write"):
    return json.dumps(
        {
            "session_id": "session-1",
            "cwd": str(repo.path),
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": {"file_path": str(repo.path / "src" / "billing" / "total.py"), "content": "1\n"},
            "tool_use_id": "toolu_1",
        }
    ).encode()


def denied(done):
    """Tell whether Claude Code would read this as a denial; else nothing at all may have been said."""
    assert done.returncode == 0
    assert done.stderr == b"" or (UNSTORED.fullmatch(done.stderr) and not done.stdout)
    if not done.stdout:
        return False
    ((key, told),) = json.loads(done.stdout).items()
    assert (key, told["hookEventName"]) == ("hookSpecificOutput", "PreToolUse")
    assert set(told) == {"hookEventName", "permissionDecision", "permissionDecisionReason"}
    reason = told["permissionDecisionReason"].splitlines()
    assert reason[0].startswith("Refused (")
    assert json.loads(reason[-1])["error"] is True
    return told["permissionDecision"] == "deny"


@pytest.fixture
def holds(mode):
    """Return a function that checks an answer: a denial in block mode, silence in observe mode."""

    def check(done):
        assert denied(done) is (mode == "block")

    return check


def test_what_is_whole_denies_nothing_here(mode, call):
    assert not denied(call())


# The installation


@pytest.mark.parametrize("module", SEVERAL)
def test_a_module_that_is_no_python(spoil, call, holds, module):
    spoil(module, "def broken(:\n")

    holds(call())


@pytest.mark.daily(6)
@pytest.mark.parametrize("module", ["adapters/claude_code.py", "hook/recorder.py"])
def test_a_module_that_is_gone(spoil, call, holds, module):
    spoil(module)

    holds(call())


@pytest.mark.soak
@pytest.mark.parametrize(
    "module", sorted(str(path.relative_to(ROOT / "ledger")) for path in (ROOT / "ledger").rglob("*.py"))
)
@pytest.mark.parametrize("mode", ["block"], indirect=True)
def test_whatever_module_is_broken_a_call_is_denied_or_judged_as_ever(spoil, call, repo, mode, module):
    if module in ("__init__.py", "hook/__init__.py", "hook/entry.py"):
        pytest.skip("what cannot be started is for doctor to refuse")
    (repo.path / ".orchestration" / "state" / "selection" / "worktree.json").unlink()
    spoil(module, "raise RuntimeError('broken')\n")

    assert denied(call())


@pytest.mark.daily(1)
@pytest.mark.parametrize(
    "line",
    [
        pytest.param("raise RuntimeError", id="an exception"),
        pytest.param("raise SystemExit(1)", id="exit 1"),
        pytest.param("raise SystemExit(3)", id="exit 3"),
        pytest.param("raise SystemExit(127)", id="exit 127"),
        pytest.param("raise KeyboardInterrupt", id="an interrupt"),
        pytest.param("raise MemoryError", id="no memory"),
        pytest.param("import a_dependency_that_is_not_there", id="a missing dependency"),
    ],
)
def test_what_is_raised_at_work(spoil, call, holds, line):
    spoil("hook/recorder.py", more=f"\n\ndef situated(*_, **__):\n    {line}\n")

    holds(call())


@pytest.mark.slow
def test_what_hangs_at_work(spoil, call, holds):
    spoil("hook/loop.py", more="\n\nPATIENCE_SECONDS = 0.5\n")
    spoil("hook/recorder.py", more="\n\ndef situated(*_, **__):\n    import time\n    time.sleep(2)\n")

    holds(call())


@pytest.mark.daily(7)
@pytest.mark.parametrize("agent", AGENTS)
def test_where_nothing_can_be_loaded_each_agent_is_answered_in_its_own_protocol(spoil, call, repo, mode, agent):
    wanted = ", ".join(f"{agent}: block" for agent in sorted(ONLY_TOLD))
    repo.write(".orchestration/config.yaml", f"enforce: {mode}\nagents: {{{wanted}}}\n")
    module = adapter(agent)
    spoil("hook/loop.py")

    for event in module.GATED:
        done = call(agent=agent, options=("--event", event))
        said = Said(done.stdout, done.stderr, done.returncode)
        if mode == "block":
            assert said == module.reply(event, Answer("deny", entry.MESSAGE))
        else:
            assert (said.stderr, said.exit_code) == (b"", 0)
            assert (said.stdout == b"") is (module.reply(event, Answer()).stdout == b"")
            assert b"deny" not in said.stdout
    said = call(agent=agent, options=("--event", "AnEventThatStopsNothing"))
    assert (said.returncode, said.stderr) == (0, b"")


@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize("agent", sorted(ONLY_TOLD))
def test_where_nothing_can_be_loaded_no_run_is_ended_unless_that_is_wanted(spoil, call, agent):
    event = adapter(agent).GATED[0]
    spoil("hook/loop.py")

    done = call(agent=agent, options=("--event", event, "--enforce", "block"))

    assert Said(done.stdout, done.stderr, done.returncode) == adapter(agent).reply(event, Answer())


@pytest.mark.slow
def test_what_did_not_even_come_to_be_read_leaves_a_trace(repo, spoil, call, holds, mode):
    # far beyond any deadline of a hook, which has to cut it short; it looks twice
    spoil("hook/loop.py", more="\n\nREADING_SECONDS = 0.2\n")
    spoil("hook/payload.py", more="\n\ndef read(*_):\n    import time\n    time.sleep(99)\n")

    holds(call())

    (told,) = repo.events("payload.rejected")
    assert told.data["reason"] == "nothing was read: DeadlineError"
    assert [event.data["code"] for event in repo.events("gate.decided")] == (["TIMEOUT"] if mode == "block" else [])


@pytest.mark.daily(11)
@pytest.mark.parametrize("line", ["raise RuntimeError", "raise SystemExit(3)", "import not_there"])
def test_what_is_raised_while_loading(spoil, call, holds, line):
    spoil("hook/loop.py", line)

    holds(call())


@pytest.mark.daily(5)
def test_only_a_call_is_denied_never_another_event(spoil, call, mode):
    spoil("hook/loop.py")

    for event in ("SessionStart", "PostToolUse", "Stop"):
        assert not denied(call(options=("--event", event)))


@pytest.mark.daily(11)
@pytest.mark.parametrize(("told", "expected"), [("block", True), ("observe", False), ("warn", False), ("x", None)])
def test_what_the_environment_says_wins_to_the_end(spoil, call, mode, told, expected):
    spoil("hook/loop.py")

    done = call(env=os.environ | {"LINETRAIL_ENFORCE": told})

    assert denied(done) is (mode == "block" if expected is None else expected)


@pytest.mark.daily(11)
@pytest.mark.parametrize(
    ("local", "expected"), [("enforce: observe\n", False), ("lessons: true\n", None), ("enforce: block\n", True)]
)
def test_what_this_machine_says_wins_over_everybody(repo, spoil, call, mode, local, expected):
    repo.write(".orchestration/config.local.yaml", local)
    below = repo.write("src/billing/total.py", "1\n").parent
    spoil("hook/loop.py")

    assert denied(call(cwd=below)) is (mode == "block" if expected is None else expected)


@pytest.mark.daily(1)
def test_an_agent_that_went_elsewhere_is_still_in_its_project(repo, spoil, call, holds, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    payload = json.loads(write(repo)) | {"cwd": str(tmp_path / "elsewhere")}
    env = os.environ | {"CLAUDE_PROJECT_DIR": str(repo.path)}
    (repo.path / ".orchestration" / "state" / "selection" / "worktree.json").unlink()

    holds(call(json.dumps(payload).encode(), cwd=tmp_path / "elsewhere", env=env))
    spoil("hook/loop.py")
    holds(call(json.dumps(payload).encode(), cwd=tmp_path / "elsewhere", env=env))


def test_where_linetrail_is_not_set_up_nothing_is_said(spoil, call, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    spoil("hook/loop.py")

    assert not denied(call(cwd=tmp_path / "elsewhere"))


PIECES = st.sampled_from(
    [
        "enforce",
        "codes",
        ":",
        " ",
        "\t",
        "'",
        '"',
        "{",
        "}",
        ",",
        "# ",
        "observe",
        "block",
        "warn",
        "\n",
        "\r\n",
        "x",
        "ï",
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_the_last_line_of_defence_reads_the_mode_as_the_hook_does(text):
    assert entry.stated_mode(text.encode()) == policy.stated_mode(text.encode())


# What is sent


@pytest.mark.daily(6)
@pytest.mark.parametrize(
    "payload",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"{", id="half of it"),
        pytest.param(b"not JSON", id="no JSON"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b"{}", id="no tool"),
        pytest.param(b'{"tool_name": 1, "hook_event_name": "PreToolUse"}', id="a tool that is a number"),
        pytest.param(b"[" * 100_000, id="deep"),
        pytest.param(b"\xff\xfe\xff" * 9, id="no text"),
        pytest.param(b'{"a": "' + b"x" * 50_000_000 + b'"}', id="50 MB"),
    ],
)
def test_what_cannot_be_read(call, holds, payload):
    holds(call(payload))


@pytest.mark.daily(6)
@pytest.mark.parametrize("payload", [b"", b"{", b'{"tool_name": 1, "hook_event_name": "PreToolUse"}'])
def test_what_cannot_be_read_where_the_event_is_not_named(call, holds, payload):
    holds(call(payload, options=()))


def test_input_that_never_ends(call, holds):
    reading, writing = os.pipe()
    try:
        holds(call(stdin=reading))
    finally:
        os.close(writing)
        os.close(reading)


@pytest.mark.daily(3)
def test_no_input_at_all(call, holds):
    holds(call(stdin=None, preexec_fn=lambda: os.close(0)))


# What is around it


@contextlib.contextmanager
def lock(path):
    path.touch()
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.mark.daily(1)
def test_a_ledger_that_somebody_holds(repo, call, holds):
    with lock(repo.path / ".orchestration" / "agent_trace.jsonl"):
        holds(call())


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["block"], indirect=True)
def test_a_call_that_only_reads_goes_on_behind_a_lock(repo, call, mode):
    with lock(repo.path / ".orchestration" / "agent_trace.jsonl"):
        assert not denied(call(write(repo, "Read")))


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["warn"], indirect=True)
def test_where_refusals_are_only_told_a_fault_stops_nothing(repo, spoil, call, mode):
    assert not denied(call(b"{"))
    with lock(repo.path / ".orchestration" / "agent_trace.jsonl"):
        assert not denied(call())
    spoil("gate/policy.py")
    assert not denied(call())


@contextlib.contextmanager
def mounted(folder, *options):
    """Put a small file system with the same files in the place of a folder."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    shutil.copytree(folder, aside := folder.with_name("aside"))
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"needs leave to mount a file system: {done.stderr.strip()}")
    try:
        shutil.copytree(aside, folder, dirs_exist_ok=True)
        for option in options:
            subprocess.run(["mount", "-o", f"remount,{option}", str(folder)], check=True)
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_that_is_full(repo, call, holds):
    folder = repo.path / ".orchestration"
    with mounted(folder):
        with contextlib.suppress(OSError), (folder / "ballast").open("wb", buffering=0) as file:
            while file.write(b"x" * 4096):
                pass
        holds(call())


@pytest.mark.slow
def test_what_could_not_be_stored_is_told_by_the_next_event_that_can_be(repo, call):
    folder = repo.path / ".orchestration"
    repo.write(".orchestration/config.yaml", "enforce: observe\n")
    with mounted(folder):
        with contextlib.suppress(OSError), (folder / "ballast").open("wb", buffering=0) as file:
            while file.write(b"x" * 4096):
                pass
        for _ in range(2):
            lost = call()
            assert (lost.returncode, lost.stdout) == (0, b"")
            assert UNSTORED.fullmatch(lost.stderr)
        (folder / "ballast").unlink()
        assert call(write(repo, "Read")).stderr == b""
        assert call(write(repo, "Grep")).stderr == b""
        told = repo.events()

    (missed,) = [event for event in told if event.type == "ledger.missed"]
    assert missed.data["events"] == 2
    assert missed.data["since"] < missed.timestamp
    assert told[0] == missed


@pytest.mark.daily(5)
def test_a_folder_that_is_read_only(repo, call, holds):
    with mounted(repo.path / ".orchestration", "ro"):
        holds(call())


@pytest.mark.daily(4)
@pytest.mark.parametrize("name", ["agent_trace.jsonl/x", "state/files", "state/deliveries", "state/locks"])
def test_something_in_the_way(repo, call, holds, name):
    path = repo.path / ".orchestration" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"")

    holds(call())


@pytest.mark.daily(3)
def test_hardly_a_file_may_be_opened(call, holds):
    def few():
        resource.setrlimit(resource.RLIMIT_NOFILE, (5, 5))

    holds(call(preexec_fn=few))


@pytest.mark.daily(3)
def test_no_file_may_grow(call, holds):
    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    holds(call(preexec_fn=small))


@pytest.mark.slow
def test_a_working_directory_that_is_gone(repo, call, holds):
    gone = repo.path / "gone"
    gone.mkdir()

    def leave():
        os.chdir(gone)
        gone.rmdir()

    holds(call(b"", preexec_fn=leave, env=os.environ | {"CLAUDE_PROJECT_DIR": str(repo.path)}))


@pytest.mark.slow
def test_work_without_end_costs_what_follows_and_never_the_event(repo, spoil, call):
    repo.write(".orchestration/config.yaml", "enforce: observe\n")
    spoil("hook/changes.py", more="\n\ndef before_write(*_):\n    while True:\n        pass\n")

    done = call()

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (told,) = repo.events()
    assert (told.type, told.data["targets"][0]["path"]) == ("tool.requested", "src/billing/total.py")


def test_a_mistake_of_ours_costs_what_follows_and_never_the_event(repo, spoil, call):
    repo.write(".orchestration/config.yaml", "enforce: observe\n")
    spoil("hook/changes.py", more="\n\ndef before_write(*_):\n    raise RuntimeError('ours')\n")

    call()

    assert [event.type for event in repo.events()] == ["tool.requested", "payload.rejected"]
