"""`linetrail import codex`: rollouts as the agent writes them, made up line by line."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.queries.changes import hashed, states

pytestmark = [pytest.mark.usefixtures("ledger"), pytest.mark.in_turn]
SESSION = "019a9f00-1111-7222-8333-444455556666"
BEGINNING = datetime(2026, 1, 5, 10, 0, tzinfo=UTC)


class Rollout:
    """One session; each record is a second after the one before."""

    def __init__(self, cwd: str, session_id: str = SESSION, **head) -> None:
        self.now = BEGINNING
        self.lines: list[bytes] = []
        self.calls = 0
        self.session_id = session_id
        meta = {"id": session_id, "timestamp": self.time(), "cwd": cwd, "originator": "codex_cli_rs"}
        self.add("session_meta", meta | {"cli_version": "0.169.0", "source": "cli", "model_provider": "openai"} | head)
        context = {"cwd": cwd, "approval_policy": "on-request", "sandbox_policy": {"type": "read-only"}}
        self.add("turn_context", context | {"model": "gpt-model-x", "turn_id": "turn-1", "summary": "auto"})

    def time(self) -> str:
        return self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def add(self, kind: str, payload: dict) -> None:
        self.now += timedelta(seconds=1)
        self.lines.append(json.dumps({"timestamp": self.time(), "type": kind, "payload": payload}).encode() + b"\n")

    def item(self, kind: str, **fields) -> None:
        self.add("response_item", {"type": kind, **fields})

    def event(self, kind: str, **fields) -> None:
        self.add("event_msg", {"type": kind, **fields})

    def prompt(self, text: str) -> None:
        content = [{"type": "input_text", "text": f"<environment_context>\n{text}"}]
        self.item("message", role="user", content=content)
        self.event("user_message", message=text, images=[])

    def call_id(self) -> str:
        self.calls += 1
        return f"call_{self.session_id[:8]}_{self.calls:012d}"

    def patch(self, text: str, *, changes: dict | None = None, failed: bool = False) -> str:
        call_id = self.call_id()
        whole = f"*** Begin Patch\n{text}*** End Patch"
        self.item("custom_tool_call", status="completed", call_id=call_id, name="apply_patch", input=whole)
        if changes is not None:
            told = {"stdout": "Success.", "stderr": "", "success": not failed, "changes": changes}
            self.event("patch_apply_end", call_id=call_id, turn_id="turn-1", **told)
        output = {"output": "Success.", "metadata": {"exit_code": int(failed), "duration_seconds": 0.5}}
        self.item("custom_tool_call_output", call_id=call_id, output=json.dumps(output))
        return call_id

    def shell(self, command: object, output: str = "Exit code: 0\nWall time: 0.1 seconds\nOutput:\n", name="shell"):
        call_id = self.call_id()
        given = {"cmd": command} if name == "exec_command" else {"command": command}
        self.item("function_call", name=name, arguments=json.dumps(given), call_id=call_id)
        self.item("function_call_output", call_id=call_id, output=output)
        return call_id

    def tokens(self, given: int, cached: int, output: int, total: int) -> None:
        last = {"input_tokens": given, "cached_input_tokens": cached, "output_tokens": output}
        info = {"total_token_usage": {"total_tokens": total}, "last_token_usage": last}
        self.event("token_count", info=info, rate_limits=None)

    def save(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(self.lines))
        return path


@pytest.fixture
def rollout(repo):
    return lambda **head: Rollout(str(repo.path), **head)


@pytest.fixture
def imported(cli, tmp_path):
    """Return a function that saves rollouts, imports them and returns the rows."""

    def run(*rollouts, options=()):
        folder = tmp_path / "sessions" / "2026" / "01" / "05"
        paths = [str(one.save(folder / f"rollout-{at}.jsonl")) for at, one in enumerate(rollouts)]
        answer = cli("import", "codex", *paths, "--json", *options)
        assert answer.status == 0, answer.err
        return answer.rows

    return run


def test_a_session_becomes_the_events_that_its_hooks_would_have_given(repo, rollout, imported):
    session = rollout(git={"commit_hash": "0" * 40, "branch": "main"})
    session.prompt("Add tax")
    session.patch("*** Add File: tax.py\n+RATE = 1\n")
    session.shell(["bash", "-lc", "make"], "Exit code: 2\nWall time: 1 seconds\nOutput:\nno rule")
    session.tokens(100, 40, 7, 107)

    (row,) = imported(session)

    told = [(event.type, event.data.get("operation")) for event in repo.events()]
    assert told == [
        ("session.started", None),
        ("prompt.submitted", None),
        ("tool.requested", "edit"),
        ("mutation.observed", None),
        ("tool.completed", "edit"),
        ("tool.requested", "shell"),
        ("tool.failed", "shell"),
        ("usage.recorded", None),
    ]
    assert (row["imported"], row["duplicates"], row["rejected"]) == (len(told), 0, 0)
    assert states(repo) == [("tax.py", None, hashed("RATE = 1\n"))]
    event = repo.events("tool.requested")[1]
    assert (event.data["command"], event.data["permission_mode"]) == ("make", "on-request")
    assert (event.agent.name, event.agent.version, event.agent.model_id) == ("codex", "0.169.0", "openai/gpt-model-x")
    assert (event.session_id, event.vcs.branch) == (SESSION, "main")
    assert repo.events("tool.failed")[0].data["exit_code"] == 2
    usage = repo.events("usage.recorded")[0].data
    assert (usage["input_tokens"], usage["cache_read_input_tokens"], usage["output_tokens"]) == (60, 40, 7)
    assert repo.events("prompt.submitted")[0].data["excerpt"] == "Add tax"
    assert repo.events("mutation.observed")[0].data["via"] == "import"


# What a patch did


def test_a_patch_is_done_on_what_the_session_left(repo, rollout, imported):
    session = rollout()
    session.patch("*** Add File: a.py\n+one\n+two\n")
    session.patch("*** Update File: a.py\n@@\n one\n-two\n+2\n")
    session.patch("*** Update File: a.py\n*** Move to: b.py\n@@\n-one\n+1\n")
    session.patch("*** Delete File: b.py\n")

    imported(session)

    texts = [None, "one\ntwo\n", "one\n2\n", "1\n2\n", None]
    paths = ["a.py", "a.py", "b.py", "b.py"]
    assert states(repo) == [
        (path, hashed(before), hashed(after)) for path, before, after in zip(paths, texts, texts[1:], strict=False)
    ]
    made = repo.events("mutation.observed")
    assert [event.data.get("basis") for event in made] == [None, "replayed", "replayed", "replayed"]
    assert (made[2].data["files"][0]["op"], made[2].data["files"][0]["from_path"]) == ("rename", "a.py")
    assert made[3].data["files"][0]["op"] == "delete"


def test_a_patch_is_done_on_the_commit_that_the_session_began_on(repo, rollout, imported):
    repo.commit("first", {"a.py": "one\ntwo\n"})
    revision = repo.git("rev-parse", "HEAD")
    repo.commit("later", {"a.py": "something else\n"})
    session = rollout(git={"commit_hash": revision})
    session.patch("*** Update File: a.py\n@@\n-two\n+2\n")

    imported(session)

    assert states(repo) == [("a.py", hashed("one\ntwo\n"), hashed("one\n2\n"))]
    assert repo.events("mutation.observed")[0].data["basis"] == "commit"


def test_a_patch_is_done_on_an_older_commit_where_it_fits_one(repo, rollout, imported):
    repo.commit("first", {"a.py": "one\ntwo\n"})
    session = rollout()
    session.patch("*** Update File: a.py\n@@\n-two\n+2\n")

    imported(session)

    assert states(repo) == [("a.py", hashed("one\ntwo\n"), hashed("one\n2\n"))]
    assert repo.events("mutation.observed")[0].data["basis"] == "history"


def test_a_patch_that_fits_nothing_known_is_counted_and_not_guessed(repo, rollout, imported):
    repo.commit("first", {"a.py": "other\n"})
    session = rollout()
    session.patch("*** Update File: a.py\n@@\n-two\n+2\n")

    (row,) = imported(session)

    assert states(repo) == []
    assert row["skipped"]["content not recorded"] == 1
    assert [event.type for event in repo.events()][-1] == "tool.completed"


def test_a_commit_after_a_change_is_not_what_it_was_done_on(repo, rollout, imported):
    repo.now += 10 * 366 * 86_400
    repo.commit("years later", {"a.py": "one\ntwo\n"})
    session = rollout()
    session.patch("*** Update File: a.py\n@@\n-two\n+2\n")

    imported(session)

    assert states(repo) == []


def test_the_end_of_a_patch_knows_more_than_its_call(repo, rollout, imported):
    repo.commit("first", {"a.py": "x\ny\nx\n", "b.py": "gone\n"})
    session = rollout()
    place = f"{repo.path}/a.py"
    session.patch(
        "*** Update File: a.py\n@@\n-x\n+z\n*** Delete File: b.py\n",
        changes={
            place: {"type": "update", "unified_diff": "@@ -3 +3 @@\n-x\n+z\n", "move_path": None},
            f"{repo.path}/b.py": {"type": "delete", "content": "gone\n"},
        },
    )

    imported(session)

    assert states(repo) == [("a.py", hashed("x\ny\nx\n"), hashed("x\ny\nz\n")), ("b.py", hashed("gone\n"), None)]


def test_a_patch_that_failed_changed_nothing(repo, rollout, imported):
    session = rollout()
    session.patch("*** Add File: a.py\n+one\n", failed=True)

    imported(session)

    assert states(repo) == []
    assert [event.type for event in repo.events()][-1] == "tool.failed"


@pytest.mark.parametrize(
    "call",
    [
        pytest.param(("shell", ["apply_patch", "PATCH"]), id="as words of a command"),
        pytest.param(("shell", ["bash", "-lc", "apply_patch <<'EOF'\nPATCH\nEOF"]), id="in a shell's command"),
        pytest.param(("exec_command", "apply_patch <<'EOF'\nPATCH\nEOF"), id="in one text"),
    ],
)
def test_older_versions_patched_through_the_shell(repo, rollout, imported, call):
    name, command = call
    patch = "*** Begin Patch\n*** Add File: a.py\n+one\n*** End Patch"
    given = [word.replace("PATCH", patch) for word in command] if isinstance(command, list) else command
    session = rollout()
    session.shell(given if isinstance(given, list) else given.replace("PATCH", patch), name=name)

    imported(session)

    assert states(repo) == [("a.py", None, hashed("one\n"))]


def test_a_rollout_of_the_first_form_is_read(repo, cli, tmp_path):
    lines = [
        {"id": SESSION, "timestamp": "2025-07-01T10:00:00.000Z", "instructions": None, "git": {"branch": "main"}},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>x"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Begin"}]},
        {"type": "local_shell_call", "call_id": "call_1", "status": "completed", "action": {"command": ["ls"]}},
        {"type": "function_call_output", "call_id": "call_1", "output": '{"output": "", "metadata": {"exit_code": 0}}'},
        {"type": "function_call", "name": "shell", "call_id": "call_2", "arguments": json.dumps({"command": PATCHING})},
        {"type": "function_call_output", "call_id": "call_2", "output": "done"},
    ]
    path = tmp_path / "rollout-old.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    repo.commit("known", {"src/a.py": ""})

    answer = cli("import", "codex", str(path), "--json")

    assert answer.rows[0]["rejected"] == 0
    assert [event.data["excerpt"] for event in repo.events("prompt.submitted")] == ["Begin"]
    assert repo.events("tool.requested")[0].timestamp == "2025-07-01T10:00:00.000000Z"
    assert states(repo)[0][0] == "src/a.py"


PATCHING = ["apply_patch", "*** Begin Patch\n*** Add File: src/a.py\n+one\n*** End Patch"]


# Once


def test_a_second_import_brings_nothing_new(repo, rollout, imported):
    session = rollout()
    session.prompt("Go")
    session.patch("*** Add File: a.py\n+one\n")
    session.tokens(1, 0, 1, 2)
    session.tokens(1, 0, 1, 2)
    first = imported(session)
    before = repo.lines()

    second = imported(session)

    assert first[0]["imported"] == len(before)
    assert (second[0]["imported"], second[0]["duplicates"]) == (0, len(before))
    assert repo.lines() == before
    assert len(repo.events("usage.recorded")) == 1


def test_a_rollout_that_grew_adds_what_is_new(repo, rollout, imported):
    session = rollout()
    session.patch("*** Add File: a.py\n+one\n")
    imported(session)
    before = repo.lines()
    session.patch("*** Update File: a.py\n@@\n-one\n+1\n")

    imported(session)

    assert repo.lines()[: len(before)] == before
    assert [after for _, _, after in states(repo)] == [hashed("one\n"), hashed("1\n")]


def test_a_forked_session_does_not_tell_the_calls_of_the_other_again(repo, rollout, imported):
    session = rollout()
    session.patch("*** Add File: a.py\n+one\n")
    other = rollout(session_id="019a9f00-9999-7222-8333-444455556666", forked_from_id=SESSION)
    other.lines += session.lines[2:]

    imported(session, other)

    assert len(repo.events("tool.requested")) == 1
    assert len(states(repo)) == 1


def test_what_the_hooks_recorded_is_not_told_again(repo, rollout, imported, hook):
    session = rollout()
    call_id = session.patch("*** Add File: a.py\n+one\n")
    common = {"session_id": SESSION, "cwd": str(repo.path), "model": "gpt-model-x", "turn_id": "turn-1"}
    call = {"tool_name": "apply_patch", "tool_use_id": call_id, "tool_input": {"command": "*** Begin Patch\n*** Add"}}
    call["tool_input"]["command"] = "*** Begin Patch\n*** Add File: a.py\n+one\n*** End Patch"
    hook(common | call | {"hook_event_name": "PreToolUse"}, agent="codex")
    repo.write("a.py", "one\n")
    hook(common | call | {"hook_event_name": "PostToolUse", "tool_response": "Success."}, agent="codex")
    before = [event.id for event in repo.events() if event.type.startswith(("tool.", "mutation."))]
    assert len(before) == 3

    (row,) = imported(session)

    assert [event.id for event in repo.events() if event.type.startswith(("tool.", "mutation."))] == before
    assert row["duplicates"] >= 3


# Where


def test_the_sessions_of_this_repository_are_found_where_codex_keeps_them(repo, rollout, cli, tmp_path, monkeypatch):
    home = tmp_path / "codex"
    monkeypatch.setenv("CODEX_HOME", str(home))
    ours, archived, other = rollout(), rollout(session_id="019a9f00-2222"), Rollout(str(tmp_path), "019a9f00-3333")
    for one in (ours, archived, other):
        one.prompt("Go")
    ours.save(home / "sessions" / "2026" / "01" / "05" / "rollout-a.jsonl")
    archived.save(home / "archived_sessions" / "rollout-b.jsonl")
    other.save(home / "sessions" / "2026" / "01" / "05" / "rollout-c.jsonl")

    answer = cli("import", "codex", "--json")

    assert len(answer.rows) == 2
    assert {event.session_id for event in repo.events("prompt.submitted")} == {ours.session_id, archived.session_id}


def test_no_sessions_are_no_error(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "none"))

    answer = cli("import", "codex")

    assert answer.status == 0
    assert "no sessions of this repository" in answer.err


def test_a_session_of_another_repository_is_counted_and_left_out(repo, imported, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    session = Rollout(str(other))
    repo.git("init", "-q", str(other))
    session.prompt("Go")

    (row,) = imported(session)

    assert row["skipped"] == {"other repository": 1}
    assert repo.events() == []


@pytest.mark.parametrize(
    ("content", "status", "rejected"),
    [
        pytest.param(b"", 0, {}, id="nothing"),
        pytest.param(b'{"timestamp": "2026-01', 1, {"cut short": 1}, id="half a line"),
        pytest.param(b"\xff\xfe\n", 1, {"invalid UTF-8": 1}, id="no text"),
    ],
)
def test_a_file_without_a_session_is_called_that_and_its_damage_told(cli, tmp_path, content, status, rejected):
    path = tmp_path / "rollout.jsonl"
    path.write_bytes(content)

    answer = cli("import", "codex", str(path), "--json")

    ((reasons, skipped),) = [(row["reasons"], row["skipped"]) for row in answer.rows]
    assert (answer.status, reasons, skipped) == (status, rejected, {"no session in it": 1})


def test_a_compressed_rollout_that_cannot_be_read_says_what_to_do(cli, rollout, tmp_path):
    whole, torn = rollout().save(tmp_path / "rollout-a.jsonl"), tmp_path / "rollout-b.jsonl.zst"
    torn.write_bytes(b"\x28\xb5\x2f\xfd torn")

    answer = cli("import", "codex", str(tmp_path), "--json")

    reasons = {row["path"]: list(row["reasons"]) for row in answer.rows}
    assert reasons[str(whole)] == []
    assert "compressed" in reasons[str(torn)][0]


def test_thoughts_are_recorded_where_somebody_asked_for_them(repo, rollout, imported):
    session = rollout()
    session.item("reasoning", summary=[{"type": "summary_text", "text": "Tax first"}], encrypted_content="gAAA")
    imported(session)
    assert repo.events("thought.recorded") == []

    imported(session, options=["--thoughts"])

    assert [event.data["excerpt"] for event in repo.events("thought.recorded")] == ["Tax first"]


def test_secrets_do_not_reach_the_ledger(repo, rollout, imported):
    secret = "ghp_" + "a1B2" * 9
    session = rollout()
    session.prompt(f"use {secret}")
    session.shell(["bash", "-lc", f"curl -H 'Authorization: Bearer {secret}' host"], f"Exit code: 1\nOutput:\n{secret}")
    session.patch(f"*** Add File: a.env\n+TOKEN={secret}\n")

    imported(session)

    assert secret.encode() not in b"".join(repo.lines())


@pytest.mark.slow
def test_what_a_change_started_from_decides_how_sure_it_is(repo, rollout, imported, cli):
    repo.commit("first", {"a.py": "one\n"})
    revision = repo.git("rev-parse", "HEAD")
    repo.commit("second", {"b.py": "one\n"})
    session = rollout(git={"commit_hash": revision})
    session.patch("*** Update File: a.py\n@@\n-one\n+1\n")
    session.patch("*** Update File: b.py\n@@\n-one\n+1\n")
    session.patch("*** Add File: c.py\n+1\n")

    imported(session)
    repo.write("b.py", "1\n")

    rows = cli("sql", "--json", "select path, match_method, confidence from v_mutations order by path").rows
    assert [(row["path"], row["match_method"], float(row["confidence"])) for row in rows] == [
        ("a.py", "transcript and git", 0.81),
        ("b.py", "transcript and git", 0.63),
        ("c.py", "transcript", 0.9),
    ]
    (line,) = cli("blame", "--json", "b.py").rows
    assert (line["agent_name"], line["evidence"], line["confidence"]) == ("codex", "transcript", 0.63)
