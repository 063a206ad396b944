"""`linetrail import copilot-cli`: the events of sessions as the agent keeps them."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from tests.queries.changes import hashed, states

pytestmark = pytest.mark.usefixtures("ledger")
SESSION = "b7f4a2d0-0000-4000-8000-0000000000d1"


class Session:
    """One session; each event is a second after the one before."""

    def __init__(self, cwd: str) -> None:
        self.now = datetime(2026, 1, 5, 10, 0, tzinfo=UTC)
        self.lines: list[bytes] = []
        context = {"cwd": cwd, "gitRoot": cwd, "branch": "main"}
        start = {"sessionId": SESSION, "version": 1, "producer": "copilot-agent", "copilotVersion": "1.0.102"}
        self.add("session.start", start | {"selectedModel": "model-x", "context": context})

    def add(self, kind: str, data: dict) -> None:
        self.now += timedelta(seconds=1)
        stamp = self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        event = {"type": kind, "data": data, "id": f"event-{len(self.lines):030d}", "timestamp": stamp}
        self.lines.append(json.dumps(event | {"parentId": None}).encode() + b"\n")

    def call(self, name: str, given: object, told: str = "ok", *, success: bool = True) -> None:
        call_id = f"call_{len(self.lines):024d}"
        self.add("tool.execution_start", {"toolCallId": call_id, "toolName": name, "arguments": given})
        result = {"result": {"content": told, "detailedContent": told}} if success else {"error": {"message": told}}
        self.add("tool.execution_complete", {"toolCallId": call_id, "success": success, **result})

    def save(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(self.lines))
        return path


@pytest.fixture
def imported(cli, tmp_path):
    """Return a function that saves a session, imports it and returns the rows."""

    def run(session):
        path = session.save(tmp_path / "session-state" / SESSION / "events.jsonl")
        answer = cli("import", "copilot-cli", str(path), "--json")
        assert answer.status == 0, answer.err
        return answer.rows

    return run


def test_a_session_becomes_the_events_that_its_hooks_would_have_given(repo, imported):
    session = Session(str(repo.path))
    session.add("user.message", {"content": "Add tax", "transformedContent": "…", "attachments": []})
    session.call("create", {"path": f"{repo.path}/a.py", "file_text": "one\ntwo\n"})
    session.call("edit", {"path": f"{repo.path}/a.py", "old_str": "two", "new_str": "2"})
    session.call("apply_patch", "*** Begin Patch\n*** Update File: a.py\n@@\n-one\n+1\n*** End Patch")
    session.call("bash", {"command": "make"}, "no rule\n<exited with exit code 2>")
    session.call("edit", {"path": "a.py", "old_str": "x", "new_str": "y"}, "no match", success=False)
    usage = {"inputTokens": 100, "outputTokens": 7, "cacheReadTokens": 40, "cacheWriteTokens": 3}
    session.add("session.shutdown", {"sessionStartTime": 1, "modelMetrics": {"model-x": {"usage": usage}}})

    first, second = imported(session), imported(session)

    assert [event.type for event in repo.events()] == [
        "session.started",
        "prompt.submitted",
        *["tool.requested", "mutation.observed", "tool.completed"] * 3,
        "tool.requested",
        "tool.completed",
        "tool.requested",
        "tool.failed",
        "usage.recorded",
        "session.ended",
    ]
    texts = [None, "one\ntwo\n", "one\n2\n", "1\n2\n"]
    assert [after for _, _, after in states(repo)] == [hashed(text) for text in texts[1:]]
    assert repo.events("tool.completed")[3].data["exit_code"] == 2
    assert {(event.session_id, event.agent.name) for event in repo.events()} == {(SESSION, "copilot-cli")}
    told = repo.events("usage.recorded")[0].data
    assert (told["input_tokens"], told["cache_read_input_tokens"], told["output_tokens"]) == (60, 40, 7)
    assert first[0]["imported"] == len(repo.events())
    assert second[0]["imported"] == 0


def test_what_the_hooks_recorded_is_not_told_again(repo, imported, hook):
    given = {"path": f"{repo.path}/a.py", "file_text": "one\n"}
    common = {"sessionId": SESSION, "cwd": str(repo.path), "toolName": "create", "toolArgs": given}
    hook(common, agent="copilot-cli", options=("--event", "preToolUse"))
    repo.write("a.py", "one\n")
    result = {"toolResult": {"resultType": "success", "textResultForLlm": "ok"}}
    hook(common | result, agent="copilot-cli", options=("--event", "postToolUse"))
    before = [event.id for event in repo.events() if event.type.startswith(("tool.", "mutation."))]
    session = Session(str(repo.path))
    session.now = datetime.fromisoformat(repo.events("tool.requested")[0].timestamp)
    session.call("create", given)

    imported(session)

    assert [event.id for event in repo.events() if event.type.startswith(("tool.", "mutation."))] == before
    assert len(before) == 3


def test_the_sessions_of_this_repository_are_found_where_copilot_keeps_them(repo, cli, tmp_path, monkeypatch):
    monkeypatch.setenv("COPILOT_HOME", str(tmp_path))
    ours, other = Session(str(repo.path)), Session(str(tmp_path))
    for session, name in ((ours, SESSION), (other, "other")):
        session.add("user.message", {"content": f"in {name}"})
        session.save(tmp_path / "session-state" / name / "events.jsonl")

    cli("import", "copilot-cli")

    assert [event.data["excerpt"] for event in repo.events("prompt.submitted")] == [f"in {SESSION}"]
