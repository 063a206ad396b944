"""`linetrail import gemini-cli`: chats as the agent keeps them, in both of their forms, and its log of prompts."""

import hashlib
import json
from datetime import UTC, datetime, timedelta

import pytest

from tests.queries.changes import hashed, states

pytestmark = [pytest.mark.usefixtures("ledger"), pytest.mark.in_turn]
SESSION = "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d"
BEGINNING = datetime(2026, 1, 5, 10, 0, tzinfo=UTC)


class Chat:
    """One session; each message is a second after the one before."""

    def __init__(self, root: str, session_id: str = SESSION, **head) -> None:
        self.now = BEGINNING
        self.session_id = session_id
        hashed = hashlib.sha256(root.encode()).hexdigest()
        self.head = {"sessionId": session_id, "projectHash": hashed, "startTime": self.time(), **head}
        self.messages: list[dict] = []
        self.calls = 0

    def time(self) -> str:
        return self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def say(self, kind: str, content: object = "", **fields) -> dict:
        self.now += timedelta(seconds=1)
        name = f"{self.session_id}-message-{len(self.messages):04d}"
        self.messages.append({"id": name, "timestamp": self.time(), "type": kind, "content": content, **fields})
        return self.messages[-1]

    def prompt(self, text: str) -> None:
        self.say("user", [{"text": text}])

    def call(self, name: str, given: dict, shown: object = "", *, status: str = "success", result: object = None):
        self.calls += 1
        call_id = f"{name}-{self.session_id[:8]}-{self.calls:06d}"
        call = {"id": call_id, "name": name, "args": given, "status": status, "timestamp": self.time()}
        told = result or [{"functionResponse": {"id": call_id, "name": name, "response": {"output": "done"}}}]
        tokens = {"input": 100, "output": 5, "cached": 30, "thoughts": 2, "tool": 0, "total": 107}
        more = {"toolCalls": [call | {"result": told, "resultDisplay": shown}], "model": "gemini-x", "tokens": tokens}
        self.say("gemini", **more, thoughts=[{"subject": "Plan", "description": "first", "timestamp": self.time()}])

    def write(self, path: str, content: str, original: str | None = None) -> None:
        shown = {"fileDiff": "", "fileName": path, "filePath": path, "originalContent": original, "newContent": content}
        self.call("write_file", {"file_path": path, "content": content}, shown | {"isNewFile": original is None})

    def replace(self, path: str, old: str, new: str) -> None:
        self.call("replace", {"file_path": path, "old_string": old, "new_string": new})

    def save_json(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**self.head, "lastUpdated": self.time(), "messages": self.messages}, indent=2))
        return path

    def save_lines(self, path):
        """Save in the newer form: every message once when it begins, and again when it is whole."""
        path.parent.mkdir(parents=True, exist_ok=True)
        lines: list[dict] = [self.head]
        for message in self.messages:
            begun = [call | {"status": "executing"} for call in message.get("toolCalls", [])]
            if begun:
                lines.append({**message, "toolCalls": begun, "tokens": None})
            lines += [message, {"$set": {"lastUpdated": message["timestamp"]}}]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path


@pytest.fixture
def chat(repo):
    return lambda **head: Chat(str(repo.path), **head)


@pytest.fixture(params=["json", "jsonl"])
def imported(cli, tmp_path, request):
    """Return a function that saves chats in one of the two forms, imports them and returns the rows."""

    def run(*chats, options=()):
        folder = tmp_path / "project" / "chats"
        paths = []
        for at, one in enumerate(chats):
            save = one.save_json if request.param == "json" else one.save_lines
            paths.append(str(save(folder / f"session-{at}.{request.param}")))
        answer = cli("import", "gemini-cli", *paths, "--json", *options)
        assert answer.status == 0, answer.err
        return answer.rows

    return run


def test_a_chat_becomes_the_events_that_its_hooks_would_have_given(repo, chat, imported):
    session = chat()
    session.prompt("Add tax")
    session.write(f"{repo.path}/tax.py", "RATE = 1\n")
    session.call("run_shell_command", {"command": "make"}, "no rule", status="error", result="no rule")

    (row,) = imported(session)

    told = [(event.type, event.data.get("operation")) for event in repo.events()]
    assert told == [
        ("session.started", None),
        ("prompt.submitted", None),
        ("tool.requested", "write"),
        ("mutation.observed", None),
        ("tool.completed", "write"),
        ("usage.recorded", None),
        ("tool.requested", "shell"),
        ("tool.failed", "shell"),
        ("usage.recorded", None),
    ]
    assert (row["imported"], row["rejected"]) == (len(told), 0)
    assert states(repo) == [("tax.py", None, hashed("RATE = 1\n"))]
    asked = repo.events("tool.requested")
    assert asked[0].data["targets"] == [{"path": "tax.py", "role": "write"}]
    assert (asked[1].data["command"], asked[1].agent.name) == ("make", "gemini-cli")
    assert {event.session_id for event in repo.events()} == {SESSION}
    usage = repo.events("usage.recorded")[0].data
    assert (usage["input_tokens"], usage["cache_read_input_tokens"], usage["output_tokens"]) == (70, 30, 7)
    assert repo.events("prompt.submitted")[0].timestamp == "2026-01-05T10:00:01.000000Z"


def test_an_edit_is_done_on_what_the_session_left(repo, chat, imported):
    session = chat()
    path = f"{repo.path}/a.py"
    session.write(path, "one\ntwo\n")
    session.replace(path, "two", "2")
    session.write(path, "all new\n", "one\n2\n")

    imported(session)

    assert states(repo) == [
        ("a.py", None, hashed("one\ntwo\n")),
        ("a.py", hashed("one\ntwo\n"), hashed("one\n2\n")),
        ("a.py", hashed("one\n2\n"), hashed("all new\n")),
    ]


def test_a_second_import_brings_nothing_new(repo, chat, imported):
    session = chat()
    session.prompt("Go")
    session.write(f"{repo.path}/a.py", "one\n")
    session.call("read_file", {"file_path": "a.py"})
    session.call("read_file", {"file_path": "a.py"})
    first = imported(session)
    before = repo.lines()

    second = imported(session)

    assert first[0]["imported"] == len(before)
    assert (second[0]["imported"], second[0]["duplicates"]) == (0, len(before))


def test_a_call_that_never_ended_is_not_told(repo, chat, imported):
    session = chat()
    session.call("run_shell_command", {"command": "sleep"}, status="executing")

    imported(session)

    assert repo.events("tool.requested") == []


def test_a_chat_of_a_subagent_says_nothing_in_a_persons_name(repo, chat, imported):
    session = chat(kind="subagent")
    session.prompt("Look for tax")
    session.call("read_file", {"file_path": "a.py"})

    imported(session)

    assert repo.events("prompt.submitted") == []
    assert len(repo.events("tool.requested")) == 1


@pytest.mark.slow
def test_a_subagents_calls_are_of_the_session_that_called_it(repo, chat, cli, tmp_path):
    session = chat(session_id="codebase-investigator-1", kind="subagent")
    session.call("read_file", {"file_path": "a.py"})
    path = session.save_lines(tmp_path / "chats" / SESSION / "codebase-investigator-1.jsonl")

    cli("import", "gemini-cli", str(path))

    (asked,) = repo.events("tool.requested")
    assert (asked.session_id, asked.data["agent_id"]) == (SESSION, "codebase-investigator-1")


def test_thoughts_are_recorded_where_somebody_asked_for_them(repo, chat, imported):
    session = chat()
    session.call("read_file", {"file_path": "a.py"})

    imported(session, options=["--thoughts"])

    assert [event.data["excerpt"] for event in repo.events("thought.recorded")] == ["Plan first"]


def test_what_was_taken_back_was_done_all_the_same(repo, chat, cli, tmp_path):
    session = chat()
    session.call("read_file", {"file_path": "a.py"})
    path = session.save_lines(tmp_path / "session-1.jsonl")
    with path.open("a") as file:
        file.write(json.dumps({"$rewindTo": session.messages[0]["id"]}) + "\n")
        file.write(json.dumps({"$set": {"messages": session.messages}}) + "\n")

    answer = cli("import", "gemini-cli", str(path), "--json")

    assert len(repo.events("tool.requested")) == 1
    assert answer.rows[0]["skipped"]["taken back"] == 1


def test_what_the_hooks_recorded_is_not_told_again(repo, chat, imported, hook):
    given = {"file_path": f"{repo.path}/a.py", "content": "one\n"}
    common = {"session_id": SESSION, "cwd": str(repo.path), "tool_name": "write_file", "tool_input": given}
    hook(common | {"hook_event_name": "BeforeTool"}, agent="gemini-cli")
    repo.write("a.py", "one\n")
    hook(common | {"hook_event_name": "AfterTool", "tool_response": {"llmContent": "ok"}}, agent="gemini-cli")
    recorded = [event for event in repo.events() if event.type.startswith(("tool.", "mutation."))]
    assert len(recorded) == 3
    session = chat()
    session.now = datetime.fromisoformat(recorded[0].timestamp)
    session.write(given["file_path"], "one\n")
    session.replace(given["file_path"], "one", "1")

    imported(session)

    told = [event for event in repo.events() if event.type.startswith(("tool.", "mutation."))]
    assert [event.id for event in told[:3]] == [event.id for event in recorded]
    assert [event.type for event in told[3:]] == ["tool.requested", "mutation.observed", "tool.completed"]
    assert states(repo)[-1] == ("a.py", hashed("one\n"), hashed("1\n"))


def test_the_chats_of_this_repository_are_found_where_gemini_keeps_them(repo, chat, cli, tmp_path, monkeypatch):
    monkeypatch.setenv("GEMINI_CLI_HOME", str(tmp_path))
    projects = tmp_path / ".gemini" / "tmp"
    by_mark, by_hash, other = chat(), chat(session_id="by-hash-000000000000000"), chat(session_id="other")
    for one in (by_mark, by_hash, other):
        one.prompt("Go")
    by_mark.save_lines(projects / "work" / "chats" / "session-a.jsonl")
    (projects / "work" / ".project_root").write_text(str(repo.path))
    by_hash.save_json(projects / by_hash.head["projectHash"] / "chats" / "session-b.json")
    other.save_json(projects / "other" / "chats" / "session-c.json")
    (projects / "other" / ".project_root").write_text(str(tmp_path))

    cli("import", "gemini-cli")

    assert {event.session_id for event in repo.events("prompt.submitted")} == {SESSION, by_hash.session_id}


def test_the_log_has_the_prompts_of_chats_that_are_gone(repo, chat, cli, tmp_path):
    kept = chat()
    kept.prompt("kept")
    project = tmp_path / kept.head["projectHash"]
    kept.save_json(project / "chats" / "session-a.json")
    entries = [
        {"sessionId": SESSION, "messageId": 0, "timestamp": kept.time(), "type": "user", "message": "kept"},
        {"sessionId": "gone", "messageId": 0, "timestamp": "2026-01-02T10:00:00Z", "type": "user", "message": "gone"},
        {"sessionId": "gone", "messageId": 1, "timestamp": "2026-01-02T10:00:09Z", "type": "user", "message": "/quit"},
    ]
    (project / "logs.json").write_text(json.dumps(entries))

    cli("import", "gemini-cli", str(project))

    told = {(event.session_id, event.data["excerpt"]) for event in repo.events("prompt.submitted")}
    assert told == {(SESSION, "kept"), ("gone", "gone")}
