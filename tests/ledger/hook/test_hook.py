"""`linetrail-hook` as an agent runs it: a payload on stdin, silence, exit status 0, and the truth in the ledger."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from linetrail.ledger.event.schema import problems
from linetrail.ledger.hook.payload import decode
from tests.forks import PATIENT_SECONDS
from tests.gated import BLOCK, REGISTRY

PAYLOADS = Path(__file__).parents[2] / "payloads" / "claude-code"


def payload(repo, event, **fields):
    return {"session_id": "s1", "cwd": str(repo.path), "hook_event_name": event} | fields


def silent(done):
    return (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("event", "fields", "expected"),
    [
        ("SessionStart", {"source": "startup", "model": "m"}, "session.started"),
        ("SessionEnd", {"reason": "clear"}, "session.ended"),
        ("UserPromptSubmit", {"prompt": "round the totals"}, "prompt.submitted"),
        ("PreToolUse", {"tool_name": "Read", "tool_input": {"file_path": "a"}}, "tool.requested"),
        ("PostToolUse", {"tool_name": "Read", "tool_input": {"file_path": "a"}}, "tool.completed"),
        ("PostToolUseFailure", {"tool_name": "Bash", "tool_input": {}, "error": "Exit code 2\nno"}, "tool.failed"),
        ("PermissionRequest", {"tool_name": "Bash", "tool_input": {"command": "ls"}}, "gate.decided"),
        ("PermissionDenied", {"tool_name": "Bash", "tool_input": {}, "reason": "no"}, "gate.decided"),
        ("Stop", {"stop_hook_active": False}, "agent.signalled"),
        ("SubagentStart", {"agent_id": "a1", "agent_type": "general"}, "agent.signalled"),
        ("SubagentStop", {"agent_id": "a1", "agent_type": "general"}, "agent.signalled"),
        ("PreCompact", {"trigger": "auto"}, "agent.signalled"),
        ("SomethingOfTheFuture", {"x": {"y": [1.5]}}, "agent.signalled"),
    ],
)
def test_each_event_is_recorded_in_silence(repo, hook, event, fields, expected):
    repo.start_ledger()

    done = hook(payload(repo, event, **fields))

    assert silent(done)
    (line,) = repo.lines()
    assert [event.type for event in repo.events()] == [expected]
    assert problems(line) == []


def test_every_recorded_payload_of_the_fixtures_is_read(repo, hook, shared):
    repo.start_ledger()
    folder = shared / "fixtures" / "hooks" / "claude-code"
    files = sorted(folder.glob("*.json"))

    for file in files:
        text = file.read_text().replace("/home/dev/project", str(repo.path))
        assert silent(hook(text.encode())), file.name

    assert repo.events("payload.rejected") == []
    assert len({event.id for event in repo.events()}) == len(repo.events()) >= len(files)
    for line in repo.lines():
        assert problems(line) == []


def test_no_bad_payload_disturbs_the_agent(repo, hook, shared):
    repo.start_ledger()
    index = json.loads((shared / "fixtures" / "hooks" / "index.json").read_text())

    for case in index["bad"]:
        content = (shared / "fixtures" / "hooks" / case["file"]).read_bytes()
        before = len(repo.lines())
        assert silent(hook(content)), case["file"]
        assert len(repo.lines()) > before, f"{case['file']} left no trace"
    for line in repo.lines():
        assert problems(line) == []


@pytest.mark.daily(11)
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"", "not JSON", id="nothing"),
        pytest.param(b'"text"', "a JSON str, not an object", id="a scalar"),
        pytest.param(b'{"hook_event_name": "Stop"} {}', "not JSON", id="two objects"),
        pytest.param(b'{"session_id": "s"}', "names no event", id="no event"),
        pytest.param(b'{"hook_event_name": "Stop", "session_id": 7}', "session_id is a int", id="a number for text"),
        pytest.param(
            b'{"hook_event_name":"Stop","session_id":"' + b"x" * 300 + b'"}', "300 characters", id="a huge id"
        ),
        pytest.param(b'{"hook_event_name": "Stop", "x": ' + b"[" * 20_000, "not JSON", id="a deep nest"),
        pytest.param(b'{"hook_event_name": "PreToolUse"}', "names no tool", id="no tool"),
    ],
)
def test_a_payload_that_cannot_be_used_leaves_its_hash_and_the_reason(repo, hook, content, reason):
    repo.start_ledger()

    assert silent(hook(content))

    (event,) = repo.events()
    assert event.type == "payload.rejected"
    assert reason in event.data["reason"]
    assert event.data["size"] == len(content)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b'\xef\xbb\xbf{"a": 1}', id="UTF-8 with byte order mark"),
        pytest.param('{"a": 1}'.encode("utf-16-le"), id="UTF-16 without one"),
        pytest.param('{"a": 1}'.encode("utf-16"), id="UTF-16 with one"),
    ],
)
def test_payloads_are_read_in_the_encodings_agents_use(content):
    assert decode(content) == {"a": 1}


def test_raw_control_characters_in_strings_are_read():
    assert decode(b'{"a": "one\ntwo"}') == {"a": "one\ntwo"}


def test_without_a_ledger_nothing_is_written(repo, hook):
    assert silent(hook(payload(repo, "Stop")))

    assert os.listdir(repo.path) == [".git"]


def test_without_a_repository_nothing_is_written(hook, tmp_path):
    (tmp_path / "plain").mkdir()

    assert silent(hook({"hook_event_name": "Stop", "cwd": str(tmp_path / "plain")}, cwd=tmp_path / "plain"))

    assert os.listdir(tmp_path / "plain") == []


def test_without_git_the_hook_still_records(repo, hook, tmp_path):
    repo.commit("start", {"a.py": "a = 1\n"})
    repo.start_ledger()
    empty = tmp_path / "bin"
    empty.mkdir()
    given = {"file_path": str(repo.path / "a.py"), "old_string": "1", "new_string": "2"}
    call = {"tool_name": "Edit", "tool_input": given, "tool_use_id": "t"}

    hook(payload(repo, "PreToolUse", **call), env={"PATH": str(empty)})
    repo.write("a.py", "a = 2\n")
    hook(payload(repo, "PostToolUse", **call, tool_response={}), env={"PATH": str(empty)})

    assert [event.data["via"] for event in repo.events("mutation.observed")] == ["unseen", "tool"]


def test_an_unknown_agent_is_told_so_without_a_denial(repo, hook):
    repo.start_ledger()

    done = hook(payload(repo, "Stop"), agent="no-such-agent")

    assert (done.returncode, done.stdout) == (0, "")
    assert "usage: linetrail-hook AGENT" in done.stderr


def test_the_event_may_be_named_on_the_command_line(repo, hook):
    repo.start_ledger()

    hook({"session_id": "s", "cwd": str(repo.path)}, options=("--event", "Stop"))

    assert repo.events()[0].data["signal"] == "Stop"


def test_the_repository_is_that_of_the_payload_and_not_of_the_process(repo, hook, tmp_path):
    repo.start_ledger()
    (repo.path / "deep" / "er").mkdir(parents=True)

    hook(payload(repo, "Stop", cwd=str(repo.path / "deep" / "er")), cwd=tmp_path)

    assert len(repo.lines()) == 1


@pytest.mark.promise("I3")
def test_a_payload_delivered_twice_is_recorded_once(repo, hook):
    repo.start_ledger()
    call = payload(repo, "PreToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_use_id="t1")

    hook(call)
    hook(call)

    assert len(repo.lines()) == 1


@pytest.mark.slow
def test_two_hooks_started_at_once_judge_and_report_a_call_once(repo, hook):
    repo.start_ledger()
    repo.write(".orchestration/config.yaml", BLOCK)
    repo.write(".orchestration/active_intents.yaml", REGISTRY)
    select = {"tool_name": "mcp__linetrail__select_active_intent", "tool_input": {"intent_id": "INT-001"}}
    for event in ("PreToolUse", "PostToolUse"):
        hook(payload(repo, event, tool_use_id="t0", tool_response=[], **select))
    command = [str(Path(sys.executable).with_name("linetrail-hook")), "claude-code"]
    said = []

    for number in range(4):
        given = {"file_path": str(repo.path / f"src/billing/{number}.py"), "content": "x = 1\n"}
        call = {"tool_name": "Write", "tool_input": given, "tool_use_id": f"t{number + 1}"}
        for event, fields in (("PreToolUse", {}), ("PostToolUse", {"tool_response": {"originalFile": None}})):
            content = json.dumps(payload(repo, event, **call, **fields)).encode()
            running = [
                subprocess.Popen([*command, *named], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=repo.path)
                for named in ((), ("--event", event))
            ]
            for process in running:
                process.stdin.write(content)
                process.stdin.close()
            for process in running:
                with process:
                    said.append(process.stdout.read())
            repo.write(f"src/billing/{number}.py", "x = 1\n")

    told = [
        event.type for event in repo.events("tool.requested", "gate.decided", "mutation.observed", "tool.completed")
    ]
    assert set(said) == {b""}
    assert Counter(told[3:]) == dict.fromkeys(told[3:], 4)
    assert not repo.events("gate.violation", "payload.rejected")


@pytest.mark.daily(11)
@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"])
def test_a_payload_whose_event_one_of_two_hooks_names_is_recorded_once(repo, hook, event):
    repo.start_ledger()
    call = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "toolu_1", "tool_response": "a"}
    sent = payload(repo, event, prompt="round the totals", source="startup", **call)

    hook(sent)
    hook(sent, options=("--event", event))

    assert len(repo.events()) == 1


@pytest.mark.promise("I3")
def test_a_payload_delivered_by_many_at_once_is_recorded_once(repo, hook, linetrail):
    repo.start_ledger()
    content = json.dumps(payload(repo, "UserPromptSubmit", prompt="hello", prompt_id="p1")).encode()
    command = [str(Path(sys.executable).with_name("linetrail-hook")), "claude-code"]

    running = [subprocess.Popen(command, stdin=subprocess.PIPE, cwd=repo.path) for _ in range(8)]
    for process in running:
        process.stdin.write(content)
        process.stdin.close()
    statuses = [process.wait() for process in running]

    assert statuses == [0] * 8
    assert len(repo.lines()) == 1


def test_an_equal_payload_without_an_id_is_a_new_event_a_moment_later(repo, agent, monkeypatch):
    claude = agent(model=None)
    claude.send("Stop")
    claude.send("Stop")
    monkeypatch.setattr("linetrail.ledger.hook.deliveries.ECHO_NS", 0)
    claude.send("Stop")

    assert len(repo.events()) == 2


def test_the_model_told_at_the_start_is_on_every_event_of_the_session(repo, agent):
    repo.commit("start", {"a.py": "a = 1\n"})

    agent(model="claude-model-x").edit("a.py", "1", "2")

    assert {(event.agent.name, event.agent.model_id) for event in repo.events()} == {
        ("claude-code", "anthropic/claude-model-x")
    }


def test_a_damaged_ledger_sends_events_to_the_spool(repo, hook):
    ledger = repo.start_ledger() / "agent_trace.jsonl"
    ledger.write_bytes(b"garbage\n")

    assert silent(hook(payload(repo, "Stop")))

    assert ledger.read_bytes() == b"garbage\n"
    assert len(list((repo.path / ".orchestration" / "spool").iterdir())) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_disturbs_nobody(repo, hook):
    folder = repo.start_ledger()
    folder.chmod(0o500)

    done = hook(payload(repo, "Stop"))

    assert (done.returncode, done.stdout) == (0, "")
    assert len(done.stderr.splitlines()) == 1


def test_a_folder_that_cannot_be_written_disturbs_nobody(repo, hook):
    (repo.start_ledger() / "state").write_text("in the way")
    (repo.path / ".orchestration" / "spool").write_text("in the way")
    (repo.path / ".orchestration" / "agent_trace.jsonl").mkdir()

    done = hook(payload(repo, "Stop"))

    assert (done.returncode, done.stdout) == (0, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("linetrail-hook: an event could not be recorded: ")


def test_a_pipe_that_is_never_closed_is_read_until_the_payload_is_there(repo):
    repo.start_ledger()
    command = [str(Path(sys.executable).with_name("linetrail-hook")), "claude-code"]

    with subprocess.Popen(command, stdin=subprocess.PIPE, cwd=repo.path) as process:
        process.stdin.write(json.dumps(payload(repo, "Stop")).encode())
        process.stdin.flush()
        status = process.wait(timeout=PATIENT_SECONDS)

    assert status == 0
    assert [event.type for event in repo.events()] == ["agent.signalled"]


def test_closed_outputs_disturb_nobody(repo):
    repo.start_ledger()
    command = str(Path(sys.executable).with_name("linetrail-hook"))

    done = subprocess.run(
        f"{command} claude-code >&- 2>&-",
        shell=True,
        cwd=repo.path,
        input=json.dumps(payload(repo, "Stop")).encode(),
        check=False,
    )

    assert done.returncode == 0
    assert len(repo.lines()) == 1


def test_a_hanging_git_is_cut_off_and_costs_no_event(repo, hook, tmp_path):
    repo.start_ledger()
    slow = tmp_path / "bin"
    slow.mkdir()
    (slow / "git").write_text(f"#!{shutil.which('sh')}\nsleep 60\n")
    (slow / "git").chmod(0o755)
    begin = time.monotonic()

    done = hook(
        payload(repo, "PreToolUse", tool_name="Bash", tool_input={"command": "ls"}),
        env={"PATH": f"{slow}:{os.environ['PATH']}"},
        seconds=1.5,
    )

    assert silent(done)
    assert time.monotonic() - begin < 50
    assert [(event.type, event.data["command"]) for event in repo.events()] == [("tool.requested", "ls")]


def test_the_intent_that_is_selected_is_on_the_events(repo, agent):
    claude = agent()
    from linetrail.ledger.intents import selection
    from linetrail.ledger.repository import find

    selection.write(find(str(repo.path)), "INT-001", session_id="session-1")
    claude.prompt("hello")

    assert repo.events("prompt.submitted")[0].intent_id == "INT-001"


def test_a_session_that_starts_deletes_what_nobody_will_ask_for(repo, agent):
    claude = agent()
    claude.prompt("round the totals")
    kept = list((repo.path / ".orchestration/state/deliveries").iterdir())
    for file in kept[1:]:
        os.utime(file, (0, 0))

    agent("session-2")

    assert len(kept) > 1
    assert [file for file in kept if file.exists()] == kept[:1]


def test_times_are_utc_in_any_time_zone(repo, hook):
    repo.start_ledger()

    hook(payload(repo, "Stop"), env={"TZ": "Pacific/Kiritimati"})

    stamp = repo.events()[0].timestamp
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", stamp)
    assert abs(time.mktime(time.strptime(stamp[:19], "%Y-%m-%dT%H:%M:%S")) - time.mktime(time.gmtime())) < 3600


@pytest.mark.daily(11)
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("C:\\Users\\dev\\project\\src\\a.py", "src/a.py", id="below the agent's directory"),
        pytest.param("c:/users/dev/PROJECT/src/a.py", "src/a.py", id="other case and slashes"),
        pytest.param("C:\\Users\\dev\\projects\\a.py", "outside:a.py", id="a sibling with the same beginning"),
        pytest.param("C:\\Users\\dev\\project\\..\\a.py", "outside:a.py", id="out of it again"),
        pytest.param("D:\\a.py", "outside:a.py", id="another drive"),
    ],
)
def test_paths_of_windows_are_read_relative_to_the_agent_s_directory(repo, hook, path, expected):
    repo.start_ledger()
    given = {"file_path": path, "content": "x"}

    hook(payload(repo, "PreToolUse", cwd="C:\\Users\\dev\\project", tool_name="Write", tool_input=given))

    assert repo.events()[0].data["targets"] == [{"path": expected, "role": "write"}]


def test_half_a_character_at_the_end_of_a_text_costs_that_character_alone(repo, hook):
    repo.start_ledger()
    sent = (
        rb'{"hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{},"error":"cut \ud83d","cwd":"%s"}'
    )

    assert silent(hook(sent % os.fsencode(repo.path)))

    assert repo.events("tool.failed")[0].data["error"] == "cut \N{REPLACEMENT CHARACTER}"


def test_a_branch_whose_name_is_not_unicode_costs_no_event(repo, hook):
    repo.start_ledger()
    (repo.path / ".git" / "HEAD").write_bytes(b"ref: refs/heads/caf\xe9\n")

    assert silent(hook(payload(repo, "Stop")))

    assert repo.events("agent.signalled")[0].vcs.branch == r'"caf\351"'


@pytest.mark.parametrize("content", [b"--output=found", b"ref: ../../secret", b"no id"])
def test_what_stands_in_head_is_stored_only_where_it_is_a_revision(repo, hook, content):
    repo.start_ledger()
    repo.path.with_name("secret").write_text("words\n")
    (repo.path / "secret").write_text("words\n")
    (repo.path / ".git" / "HEAD").write_bytes(content + b"\n")

    assert silent(hook(payload(repo, "Stop")))

    assert repo.events("agent.signalled")[0].vcs.revision is None


def test_what_is_remembered_of_a_call_is_no_option_for_git(repo, agent):
    repo.commit("start", {"a": "1\n"})
    claude = agent()
    with claude.tool("Bash", {"command": "x"}, {"stdout": ""}):
        for file in (repo.path / ".orchestration" / "state" / "calls").iterdir():
            file.write_text(json.dumps({"revision": f"--output={repo.path}/planted", "at": 0, "noted": True}))

    assert not (repo.path / "planted").exists()


@pytest.mark.daily(11)
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"[" * 100_000, id="a deep nest"),
        pytest.param(b'{"path": "a", "recorded": 5}', id="a field missing"),
        pytest.param(
            b'{"path":"a","recorded":5,"noted":[],"size":"x","mtime_ns":0,"noted_ns":0,"pending":7}', id="wrong types"
        ),
        pytest.param(
            b'{"path":"a","recorded":null,"noted":"","size":0,"mtime_ns":0,"noted_ns":0,"pending":{"t":{}}}',
            id="an empty call",
        ),
    ],
)
def test_a_damaged_memory_of_a_file_is_as_good_as_none(repo, agent, content):
    claude = agent()
    claude.write("a", "1\n")
    for file in (repo.path / ".orchestration" / "state" / "files").iterdir():
        file.write_bytes(content)

    claude.edit("a", "1", "2")

    assert [event.contributor for event in repo.events("mutation.observed")][-1] == "ai"
    assert repo.events("payload.rejected") == []


def test_a_fault_of_our_own_leaves_a_trace(repo, hook):
    repo.start_ledger()
    (repo.path / ".orchestration" / "state" / "files").mkdir(parents=True)
    sent = payload(repo, "PreToolUse", tool_name="Write", tool_input={"file_path": "a" * 70_000}, tool_use_id="t")

    assert silent(hook(sent))

    assert len(repo.lines()) == 1


def test_contents_that_cannot_be_kept_cost_no_event(repo, agent):
    claude = agent()
    (repo.path / ".orchestration" / "objects").write_text("a file where a folder should be")

    claude.write("a", "1\n")

    assert [event.type for event in repo.events()][-2:] == ["mutation.observed", "tool.completed"]


def test_a_git_that_fails_at_once_costs_no_event(repo, agent):
    repo.commit("start", {"a": "1\n"})
    claude = agent()
    (repo.path / ".git" / "config").write_text("[[[")

    claude.edit("a", "1", "2")

    assert repo.events("payload.rejected") == []


def test_modules_of_a_foreign_python_path_are_not_run(repo, hook, tmp_path):
    repo.start_ledger()
    for name in ("json", "event", "hashlib"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(2)\n")

    done = hook(payload(repo, "Stop"), env={"PYTHONPATH": str(tmp_path)})

    assert silent(done)
    assert [event.type for event in repo.events()] == ["agent.signalled"]


def test_a_submodule_without_a_ledger_is_recorded_in_the_repository_around_it(repo, hook, tmp_path):
    repo.start_ledger()
    inner = type(repo)(repo.path / "vendored")

    hook(payload(repo, "Stop", cwd=str(inner.path)))

    assert len(repo.lines()) == 1
    assert inner.lines() == []


def test_of_an_event_of_the_future_it_is_kept_what_was_told_with_it(repo, hook):
    repo.start_ledger()
    payload = {"session_id": "s", "cwd": str(repo.path), "hook_event_name": "ModelDreamt", "dream": {"of": "sheep"}}

    assert silent(hook(json.dumps(payload).encode()))

    (event,) = repo.events("agent.signalled")
    assert event.data["signal"] == "ModelDreamt"
    assert event.data["fields"] == ["cwd", "dream", "hook_event_name", "session_id"]
    assert "sheep" not in repo.lines()[-1].decode()


@pytest.mark.parametrize("dirty", [False, True], ids=["all committed", "a change that is not"])
def test_a_session_that_starts_says_whether_anything_is_not_committed(repo, agent, dirty):
    (repo.path / ".git" / "info" / "exclude").write_text(".orchestration/\n")
    repo.commit("start", {"a.py": "one\n"})
    if dirty:
        repo.write("a.py", "two\n")

    agent()

    assert repo.events("session.started")[0].vcs.dirty is dirty
