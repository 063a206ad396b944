"""`linetrail import opencode`: the events of sessions that were exported."""

import json

import pytest

from tests.queries.changes import hashed, states

pytestmark = pytest.mark.usefixtures("ledger")
SESSION = "ses_33c1ef6dcffejADgxp8843cqwQ"
BEGUN_MS = 1_767_603_600_000  # 2026-01-05 09:00:00 UTC


class Session:
    """One session as `opencode export` writes it; each message is a second after the one before."""

    def __init__(self, root: str, **info: object) -> None:
        self.root = root
        times = {"time": {"created": BEGUN_MS, "updated": BEGUN_MS}}
        self.info = {"id": SESSION, "slug": "crisp-cabin", "directory": root, "version": "1.2.21"} | times | info
        self.messages: list[dict] = []

    def say(self, role: str, *parts: dict, **info: object) -> None:
        at = BEGUN_MS + 1000 * (len(self.messages) + 1)
        names = {"id": f"msg_{len(self.messages):026d}", "sessionID": self.info["id"]}
        about = {"role": role, "time": {"created": at, "completed": at + 900}} | names
        if role == "assistant":
            tokens = {"input": 100, "output": 7, "reasoning": 2, "cache": {"read": 40, "write": 3}}
            about |= {"modelID": "model-x", "providerID": "openai", "tokens": tokens}
        numbered = [{"id": f"prt_{at}{number:013d}", **part} for number, part in enumerate(parts)]
        self.messages.append({"info": about | info, "parts": numbered})

    def prompt(self, text: str) -> None:
        self.say("user", {"type": "text", "text": text}, {"type": "text", "text": "a file", "synthetic": True})

    def call(self, tool: str, given: dict, call_id: str | None = None, **state: object) -> None:
        at = BEGUN_MS + 1000 * (len(self.messages) + 1)
        done = {"status": "completed", "input": given, "output": "ok", "time": {"start": at + 100, "end": at + 200}}
        name = call_id or f"call_{len(self.messages):024d}"
        self.say("assistant", {"type": "tool", "tool": tool, "callID": name, "state": done | state})

    def patch(self, path: str, before: str, after: str, kind: str = "update", **shown: object) -> None:
        one = {"filePath": f"{self.root}/{path}", "type": kind, "before": before, "after": after} | shown
        text = f"*** Begin Patch\n*** Update File: {self.root}/{path}\n*** End Patch"
        self.call("apply_patch", {"patchText": text}, metadata={"files": [one]})

    def text(self) -> str:
        return json.dumps({"info": self.info, "messages": self.messages}, indent=2)

    def save(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text())
        return path


@pytest.fixture
def imported(cli, tmp_path):
    """Return a function that exports a session, imports it and returns the row."""

    def run(session, name="export.json"):
        answer = cli("import", "opencode", str(session.save(tmp_path / name)), "--json")
        assert answer.status == 0, answer.err
        return answer.rows[0]

    return run


def test_a_session_becomes_the_events_that_its_hooks_would_have_given(repo, imported):
    session = Session(str(repo.path))
    session.prompt("Add tax")
    session.patch("a.py", "", "one\n", "add")
    session.patch("a.py", "one\n", "1\n")
    session.call("edit", {"filePath": f"{repo.path}/a.py", "oldString": "1", "newString": "2"})
    session.call("write", {"filePath": f"{repo.path}/b.py", "content": "b\n"}, metadata={"exists": False})
    session.patch("a.py", "2\n", "2\n", "move", movePath=f"{repo.path}/c.py")
    session.patch("b.py", "b\n", "", "delete")
    session.call("bash", {"command": "make"}, metadata={"exit": 2})
    session.call("read", {"filePath": f"{repo.path}/x.py"}, status="error", error="File not found")

    first, second = imported(session), imported(session)

    assert states(repo) == [
        ("a.py", None, hashed("one\n")),
        ("a.py", hashed("one\n"), hashed("1\n")),
        ("a.py", hashed("1\n"), hashed("2\n")),
        ("b.py", None, hashed("b\n")),
        ("c.py", hashed("2\n"), hashed("2\n")),
        ("b.py", hashed("b\n"), None),
    ]
    assert [event.data["excerpt"] for event in repo.events("prompt.submitted")] == ["Add tax"]
    assert repo.events("tool.completed")[-1].data["exit_code"] == 2
    assert repo.events("tool.failed")[0].data["error"] == "File not found"
    agents = {(event.session_id, event.agent.name) for event in repo.events()}
    assert agents == {(SESSION, "opencode")}
    assert {event.agent.model_id for event in repo.events("usage.recorded")} == {"openai/model-x"}
    told = repo.events("usage.recorded")[0].data
    assert (told["input_tokens"], told["output_tokens"], told["cache_read_input_tokens"]) == (100, 9, 40)
    assert first["imported"] == len(repo.events())
    assert second["imported"] == 0


def test_a_subagent_is_told_under_the_session_above_it_as_by_its_hooks(repo, imported):
    session = Session(str(repo.path), id="ses_32bf85450ffeB9giIqmdbDOsnL", parentID=SESSION)
    session.prompt("Review it")
    session.patch("a.py", "", "one\n", "add")

    imported(session)

    assert {event.session_id for event in repo.events()} == {SESSION}
    assert repo.events("mutation.observed")[0].data["agent_id"] == session.info["id"]
    assert repo.events("prompt.submitted") == []


def test_names_that_were_taken_for_secrets_do_not_make_one_of_many(repo, imported):
    for number, path in enumerate(("a.py", "b.py")):
        session = Session(str(repo.path), id="REDACTED", parentID="REDACTED", slug=f"cabin-{number}")
        for text in ("one\n", "two\n"):
            given = {"filePath": f"{repo.path}/{path}", "content": text}
            session.call("write", given, "REDACTED", metadata={"exists": False})
        imported(session, f"{number}.json")

    assert [change[2] for change in states(repo)] == [hashed("one\n"), hashed("two\n")] * 2
    assert len({event.session_id for event in repo.events()}) == 2
    assert len({event.data["tool_call_id"] for event in repo.events("tool.requested")}) == 4


def test_a_call_that_still_runs_is_told_when_it_has_ended(repo, imported):
    given = {"filePath": f"{repo.path}/a.py", "content": "one\n"}
    running, ended = Session(str(repo.path)), Session(str(repo.path))
    running.call("write", given, status="running", output=None)
    ended.call("write", given, metadata={"exists": False})

    assert imported(running)["skipped"] == {"call that did not end": 1}
    imported(ended)

    assert len(repo.events("tool.requested")) == len(repo.events("mutation.observed")) == 1


def test_what_the_hooks_recorded_is_not_told_again(repo, imported, hook):
    session = Session(str(repo.path))
    session.call("write", {"filePath": f"{repo.path}/a.py", "content": "one\n"}, metadata={"exists": False})
    part = session.messages[0]["parts"][0]
    asked = {"tool": "write", "sessionID": SESSION, "callID": part["callID"], "args": part["state"]["input"]}
    place = {"directory": str(repo.path), "worktree": str(repo.path)}
    hook({"hook": "tool.execute.before", "context": place, "input": asked, "output": {}}, agent="opencode")
    repo.write("a.py", "one\n")
    hook({"hook": "tool.execute.after", "context": place, "input": asked, "output": {"output": "ok"}}, agent="opencode")
    before = [event.id for event in repo.events() if event.type.startswith(("tool.", "mutation."))]

    imported(session)

    assert [event.id for event in repo.events() if event.type.startswith(("tool.", "mutation."))] == before
    assert len(before) == 3
