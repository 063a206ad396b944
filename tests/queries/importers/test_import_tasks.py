"""`linetrail import cline` and `roo`: tasks as these extensions keep them, in several versions."""

import itertools
import json
from datetime import datetime

import pytest

from tests.queries.changes import hashed, states

pytestmark = pytest.mark.usefixtures("ledger")
BEGINNING = 1_767_607_200_000  # 2026-01-05T10:00:00Z
TASK = "1767607200000"


class Task:
    """One task; each message is a second after the one before. Calls are blocks, or tags where `tags` is set."""

    def __init__(self, cwd: str, *, tags: bool = False, times: bool = True) -> None:
        self.tags, self.times = tags, times
        self.now = BEGINNING
        self.said: list[dict] = []
        self.shown: list[dict] = []
        self.calls = 0
        self.environment = f"<environment_details>\n# Current Working Directory ({cwd}) Files\na.py\n"

    def show(self, say: str, text: str, **fields) -> None:
        self.now += 1000
        message = {"ts": self.now, "type": "say", "say": say, "text": text}
        self.shown.append(message | {"conversationHistoryIndex": len(self.said) - 1} | fields)

    def say(self, role: str, content: object) -> None:
        self.now += 1000
        model = {"modelInfo": {"modelId": "model-x", "providerId": "anthropic", "mode": "act"}}
        message = {"role": role, "content": content} | ({"ts": self.now} if self.times else {})
        self.said.append(message | (model if role == "assistant" else {}))

    def prompt(self, text: str) -> None:
        self.show("user_feedback" if self.said else "task", text)
        tag = "feedback" if self.said else "task"
        content = [{"type": "text", "text": f"<{tag}>\n{text}\n</{tag}>"}, {"type": "text", "text": self.environment}]
        self.say("user", content)

    def call(self, name: str, given: dict, told: str) -> None:
        self.calls += 1
        self.show("api_req_started", json.dumps({"request": "…", "tokensIn": 10, "tokensOut": 2, "cacheReads": 7}))
        if self.tags:
            body = "".join(f"<{key}>{value}</{key}>\n" for key, value in given.items())
            self.say("assistant", [{"type": "text", "text": f"I will.\n\n<{name}>\n{body}</{name}>"}])
            result = [{"type": "text", "text": f"[{name} for 'it'] Result:"}, {"type": "text", "text": told}]
        else:
            call_id = f"toolu_{self.calls:024d}"
            block = {"type": "tool_use", "id": call_id, "name": name, "input": given}
            self.say("assistant", [{"type": "text", "text": "I will."}, block])
            result = [{"type": "tool_result", "tool_use_id": call_id, "content": [{"type": "text", "text": told}]}]
        self.show("tool", json.dumps({"tool": "editedExistingFile", "path": "a.py"}))
        self.say("user", [*result, {"type": "text", "text": self.environment}])

    def write(self, path: str, content: str, final: str | None = None, *, by_user: bool = False) -> None:
        self.call(
            "write_to_file",
            {"path": path, "content": f"\n{content}\n" if self.tags else content},
            saved(path, final, by_user),
        )

    def replace(self, path: str, old: str, new: str, final: str | None = None) -> None:
        diff = f"------- SEARCH\n{old}\n=======\n{new}\n+++++++ REPLACE"
        self.call("replace_in_file", {"path": path, "diff": diff}, saved(path, final))

    def save(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "api_conversation_history.json").write_text(json.dumps(self.said))
        (folder / "ui_messages.json").write_text(json.dumps(self.shown))
        return folder


def saved(path, final, by_user=False):
    """Return what the extension answers to a call that wrote."""
    whole = "" if final is None else f'<final_file_content path="{path}">\n{final}\n</final_file_content>\n\n'
    changes = "The user made the following updates to your content:\n\n-x\n\n" if by_user else ""
    return f"{changes}The content was successfully saved to {path}.\n\n{whole}IMPORTANT: …"


@pytest.fixture(
    params=[
        pytest.param({}, id="blocks"),
        pytest.param({"tags": True}, id="tags"),
        pytest.param({"tags": True, "times": False}, id="tags without times"),
    ]
)
def task(repo, request):
    return Task(str(repo.path), **request.param)


@pytest.fixture
def imported(cli, tmp_path):
    """Return a function that saves a task, imports it and returns the rows."""

    def run(task, agent="cline", options=()):
        answer = cli("import", agent, str(task.save(tmp_path / "tasks" / TASK)), "--json", *options)
        assert answer.status == 0, answer.err
        return answer.rows

    return run


@pytest.mark.parametrize("agent", ["cline", "roo"])
def test_a_task_becomes_the_events_that_its_hooks_would_have_given(repo, task, imported, agent):
    task.prompt("Add tax")
    task.write("tax.py", "RATE = 1", "RATE = 1\n")
    task.call("execute_command", {"command": "make"}, "Command executed.\nOutput:\nok")

    (row,) = imported(task, agent)

    told = [(event.type, event.data.get("operation")) for event in repo.events() if event.type != "usage.recorded"]
    assert told == [
        ("session.started", None),
        ("prompt.submitted", None),
        ("tool.requested", "write"),
        ("mutation.observed", None),
        ("tool.completed", "write"),
        ("tool.requested", "shell"),
        ("tool.completed", "shell"),
    ]
    assert row["rejected"] == 0
    assert states(repo) == [("tax.py", None, hashed("RATE = 1\n"))]
    assert repo.events("prompt.submitted")[0].data["excerpt"] == "Add tax"
    assert repo.events("tool.requested")[1].data["command"] == "make"
    assert {(event.session_id, event.agent.name) for event in repo.events() if event.agent} == {(TASK, agent)}
    assert repo.events("tool.completed")[0].agent.model_id == "anthropic/model-x"
    usage = [event.data for event in repo.events("usage.recorded")]
    assert [(one["input_tokens"], one["cache_read_input_tokens"]) for one in usage] == [(10, 7), (10, 7)]


def test_messages_happened_when_the_editor_showed_them(repo, task, imported):
    task.prompt("Go")
    task.write("a.py", "one", "one\n")
    task.write("b.py", "two", "two\n")

    imported(task)

    stamps = [event.timestamp for event in repo.events()]
    assert stamps == sorted(stamps)
    assert "2026-01-05T10:00:01" <= stamps[0] < stamps[-1] <= "2026-01-05T10:00:15"


def test_an_edit_is_done_on_what_the_task_left(repo, task, imported):
    task.prompt("Go")
    task.write("a.py", "one\ntwo", "one\ntwo\n")
    task.replace("a.py", "two", "2")
    task.replace("a.py", "one", "1", "1\n2\n# formatted\n")

    imported(task)

    texts = [None, "one\ntwo\n", "one\n2\n", "1\n2\n# formatted\n"]
    assert states(repo) == [("a.py", hashed(before), hashed(after)) for before, after in itertools.pairwise(texts)]


def test_what_a_person_changed_before_saving_is_told(repo, task, imported):
    task.prompt("Go")
    task.write("a.py", "one", "one\nby hand\n", by_user=True)

    imported(task)

    assert repo.events("mutation.observed")[0].data["user_modified"] is True


@pytest.mark.parametrize("told", ["The user denied this operation.", "<error>\nno match\n</error>"])
def test_a_call_that_came_to_nothing_changed_nothing(repo, task, imported, told):
    task.prompt("Go")
    task.call("write_to_file", {"path": "a.py", "content": "one"}, told)

    imported(task)

    assert states(repo) == []
    assert len(repo.events("tool.failed")) == 1


def test_a_second_import_brings_nothing_new(repo, task, imported):
    task.prompt("Go")
    task.write("a.py", "one", "one\n")
    task.prompt("Go on")
    first = imported(task)
    before = repo.lines()

    second = imported(task)

    assert first[0]["imported"] == len(before)
    assert (second[0]["imported"], second[0]["duplicates"]) == (0, len(before))


def test_the_edits_of_roo_are_understood(repo, imported):
    task = Task(str(repo.path))
    task.prompt("Go")
    task.write("a.py", "a\nb\nc\n")
    diff = "<<<<<<< SEARCH\n:start_line:2\n-------\nb\n=======\nB\n>>>>>>> REPLACE"
    task.call("apply_diff", {"path": "a.py", "diff": diff}, "<file_write_result>ok</file_write_result>")
    task.call("insert_content", {"path": "a.py", "line": "1", "content": "first"}, "ok")
    task.call("search_and_replace", {"path": "a.py", "search": "c", "replace": "C"}, "ok")
    task.call("edit_file", {"file_path": "a.py", "old_string": "a\n", "new_string": "A\n"}, "ok")
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-B\n+b\n*** End Patch"
    task.call("apply_patch", {"patch": patch}, "ok")

    imported(task, "roo")

    texts = ["a\nb\nc\n", "a\nB\nc\n", "first\na\nB\nc\n", "first\na\nB\nC\n", "first\nA\nB\nC\n", "first\nA\nb\nC\n"]
    assert [after for _, _, after in states(repo)] == [hashed(text) for text in texts]


def test_a_text_that_is_written_may_hold_any_tag(repo, imported):
    task = Task(str(repo.path), tags=True)
    content = "<content>\n<path>x</path>\n</content>"
    task.prompt("Go")
    task.write("a.xml", content, f"{content}\n")

    imported(task)

    assert states(repo) == [("a.xml", None, hashed(f"{content}\n"))]


@pytest.mark.parametrize(
    ("agent", "folder"), [("cline", "saoudrizwan.claude-dev"), ("roo", "rooveterinaryinc.roo-cline")]
)
def test_the_tasks_of_this_repository_are_found_where_the_editor_keeps_them(
    repo, cli, tmp_path, monkeypatch, agent, folder
):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    tasks = tmp_path / "Code" / "User" / "globalStorage" / folder / "tasks"
    ours, other = Task(str(repo.path)), Task(str(tmp_path))
    for task, name in ((ours, TASK), (other, "1767607200001")):
        task.prompt("Go")
        task.save(tasks / name)

    cli("import", agent)

    assert {event.session_id for event in repo.events("prompt.submitted")} == {TASK}


def test_a_task_that_lost_a_file_is_read_as_far_as_it_goes(repo, cli, tmp_path):
    task = Task(str(repo.path))
    task.prompt("Go")
    task.write("a.py", "one", "one\n")
    folder = task.save(tmp_path / "tasks" / TASK)
    (folder / "ui_messages.json").unlink()

    cli("import", "cline", str(folder))

    assert states(repo) == [("a.py", None, hashed("one\n"))]
    assert repo.events("prompt.submitted") == []


def test_what_the_hooks_recorded_is_not_told_again(repo, imported, hook):
    given = {"path": "a.py", "content": "one\n"}
    common = {"clineVersion": "4.1.10", "taskId": TASK, "workspaceRoots": [str(repo.path)]}
    hook(
        common | {"hookName": "PreToolUse", "preToolUse": {"toolName": "write_to_file", "parameters": given}},
        agent="cline",
    )
    repo.write("a.py", "one\n")
    ended = {"toolName": "write_to_file", "parameters": given, "result": "ok", "success": True}
    hook(common | {"hookName": "PostToolUse", "postToolUse": ended}, agent="cline")
    recorded = [event for event in repo.events() if event.type.startswith(("tool.", "mutation."))]
    assert [event.type for event in recorded] == ["tool.requested", "mutation.observed", "tool.completed"]
    task = Task(str(repo.path))
    task.now = int(datetime.fromisoformat(recorded[0].timestamp).timestamp() * 1000)
    task.prompt("Go")
    task.write("a.py", "one\n", "one\n")
    task.replace("a.py", "one", "1")

    imported(task)

    told = [event for event in repo.events() if event.type.startswith(("tool.", "mutation."))]
    assert [event.id for event in told[:3]] == [event.id for event in recorded]
    assert [event.type for event in told[3:]] == ["tool.requested", "mutation.observed", "tool.completed"]
    assert states(repo)[-1] == ("a.py", hashed("one\n"), hashed("1\n"))
