"""Histories of any agent that are damaged, made up, or very large: an error for each file, and the rest goes on."""

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linetrail.ledger.adapters.adapter import MAX_ID
from linetrail.ledger.event.schema import problems
from linetrail.queries.importers.histories import documents
from linetrail.queries.importers.histories.calls import name_of
from linetrail.queries.importers.transcript import Counts
from tests.examples import examples
from tests.queries.importers.test_import_codex import Rollout
from tests.queries.importers.test_import_copilot import Session
from tests.queries.importers.test_import_cursor import COMPOSER, Database
from tests.queries.importers.test_import_gemini import Chat
from tests.queries.importers.test_import_opencode import Session as Export
from tests.queries.importers.test_import_tasks import TASK, Task

pytestmark = [pytest.mark.usefixtures("ledger"), pytest.mark.in_turn]
ODD = st.sampled_from(
    [
        None,
        True,
        7,
        -1,
        2**70,
        1.5,
        "",
        "text",
        "x" * 300,
        "\ud800",
        "..",
        "/",
        "\0",
        [],
        [1],
        [{}],
        {},
        {"a": {"b": []}},
    ]
)


def codex(root):
    session = Rollout(root)
    session.prompt("Go")
    session.patch("*** Add File: a.py\n+one\n")
    session.patch(
        "*** Update File: a.py\n@@\n-one\n+1\n", changes={"a.py": {"type": "update", "unified_diff": "@@ -1 +1 @@"}}
    )
    session.shell(["bash", "-lc", "make"])
    session.tokens(1, 0, 1, 2)
    session.item("reasoning", summary=[{"type": "summary_text", "text": "Hm"}])
    return [json.loads(line) for line in session.lines]


def gemini(root):
    session = Chat(root)
    session.prompt("Go")
    session.write(f"{root}/a.py", "one\n")
    session.replace(f"{root}/a.py", "one", "1")
    session.call("run_shell_command", {"command": "make"})
    return [session.head, *session.messages, {"$rewindTo": "x"}, {"$set": {"messages": session.messages}}]


def copilot(root):
    session = Session(root)
    session.add("user.message", {"content": "Go"})
    session.call("create", {"path": "a.py", "file_text": "one\n"})
    session.call("edit", {"path": "a.py", "old_str": "one", "new_str": "1"})
    session.call("bash", {"command": "make"})
    session.add("session.shutdown", {"modelMetrics": {"m": {"usage": {"inputTokens": 1, "outputTokens": 2}}}})
    return [json.loads(line) for line in session.lines]


def task(root, *, tags):
    session = Task(root, tags=tags)
    session.prompt("Go")
    session.write("a.py", "one", "one\n")
    session.replace("a.py", "one", "1")
    session.call("execute_command", {"command": "make"}, "ok")
    return {"said": session.said, "shown": session.shown}


def save_lines(folder, records, name):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(b"".join(json.dumps(one).encode() + b"\n" for one in records))
    return path


def save_task(folder, records):
    folder = folder / "tasks" / TASK
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "api_conversation_history.json").write_text(json.dumps(records.get("said")))
    (folder / "ui_messages.json").write_text(json.dumps(records.get("shown")))
    return folder


def opencode(root):
    session = Export(root)
    session.prompt("Go")
    session.patch("a.py", "", "one\n", "add")
    session.call("edit", {"filePath": f"{root}/a.py", "oldString": "one", "newString": "1"})
    session.call("bash", {"command": "make"}, metadata={"exit": 2})
    return [session.info, *session.messages]


def save_export(folder, records):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "export.json"
    path.write_text(json.dumps({"info": records[0], "messages": records[1:]}))
    return path


def save_chat(folder, records):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "session-1.json"
    path.write_text(json.dumps({**(records[0] if isinstance(records[0], dict) else {}), "messages": records[1:]}))
    return path


# agent, what it would have written, and how that is saved
KINDS = {
    "codex": ("codex", codex, lambda folder, records: save_lines(folder, records, "rollout-1.jsonl")),
    "copilot-cli": ("copilot-cli", copilot, lambda folder, records: save_lines(folder, records, "events.jsonl")),
    "gemini-cli lines": ("gemini-cli", gemini, lambda folder, records: save_lines(folder, records, "session-1.jsonl")),
    "gemini-cli document": ("gemini-cli", gemini, save_chat),
    "opencode": ("opencode", opencode, save_export),
    "cline blocks": ("cline", lambda root: task(root, tags=False), save_task),
    "roo tags": ("roo", lambda root: task(root, tags=True), save_task),
}
each_kind = pytest.mark.parametrize("kind", KINDS)
few = settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def places(value, path=()):
    """Yield the way to every value inside of one."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield (*path, key)
        yield from places(one, (*path, key))


def changed(value, path, odd):
    """Return a copy with another value in one place."""
    made = copy.deepcopy(value)
    holder = made
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = odd
    return made


def read_all(repo, cli, agent, path):
    """Import, and check that what is recorded is as the contract of events says."""
    answer = cli("import", agent, str(path), "--thoughts", "--json")
    assert answer.status in (0, 1), answer.err
    assert "internal" not in answer.err
    assert [problem for line in repo.lines() for problem in problems(line)] == []


@each_kind
@few
@given(data=st.data())
def test_a_value_of_another_type_stops_nothing(repo, cli, tmp_path_factory, kind, data):
    agent, make, save = KINDS[kind]
    records = make(str(repo.path))
    path = data.draw(st.sampled_from(list(places(records))))
    odd = data.draw(ODD)

    read_all(repo, cli, agent, save(tmp_path_factory.mktemp("odd"), changed(records, path, odd)))


@each_kind
@few
@given(data=st.data())
def test_a_file_that_is_cut_or_changed_anywhere_stops_nothing(repo, cli, tmp_path_factory, kind, data):
    agent, make, save = KINDS[kind]
    saved = save(tmp_path_factory.mktemp("cut"), make(str(repo.path)))
    for file in [saved] if saved.is_file() else sorted(saved.iterdir()):
        content = file.read_bytes()
        at = data.draw(st.integers(0, len(content)))
        file.write_bytes(
            content[:at] + data.draw(st.sampled_from([b"", b"\xff\xfe\0", b"\n{", b'"', content[at + 7 :]]))
        )

    read_all(repo, cli, agent, saved)


@few
@given(data=st.data())
def test_odd_rows_of_a_database_stop_nothing(repo, cli, tmp_path_factory, data):
    talk = Database(tmp_path_factory.mktemp("rows") / "state.vscdb", str(repo.path))
    talk.prompt("Go")
    talk.write("a.py", "", "one\n")
    talk.call("search_replace", {"relativeWorkspacePath": "a.py"}, {}, raw={"old_string": "one", "new_string": "1"})
    rows = talk.db.execute("select key, value from cursorDiskKV where key like '%Id:%' or key like 'composerData:%'")
    key, value = data.draw(st.sampled_from(sorted(rows.fetchall(), key=str)))
    record = json.loads(value)
    path = data.draw(st.sampled_from(list(places(record))))
    talk.put(key, json.dumps(changed(record, path, data.draw(ODD))))
    talk.put(f"bubbleId:{COMPOSER}:odd", data.draw(st.sampled_from([None, b"\xff", "{", 7])))
    talk.db.close()

    read_all(repo, cli, "cursor", talk.path)


@pytest.mark.daily(3)
@each_kind
def test_no_other_file_of_the_same_name_is_an_error(repo, cli, tmp_path, kind):
    agent, _, save = KINDS[kind]
    good = save(tmp_path / "good", KINDS[kind][1](str(repo.path)))
    for number, content in enumerate((b"", b"null", b"[" * 100_000, b"\0" * 5000, b"[1, 2]", b'{"messages": 7}')):
        folder = tmp_path / str(number)
        bad = save(folder, KINDS[kind][1](str(repo.path)))
        for file in [bad] if bad.is_file() else bad.iterdir():
            file.write_bytes(content)

    answer = cli("import", agent, str(tmp_path), "--json")

    assert answer.status == 0
    assert "internal" not in answer.err
    assert sum(row["imported"] for row in answer.rows if str(good) in row["path"]) > 5


# Size


@pytest.mark.slow
@given(
    st.lists(
        st.recursive(
            st.none() | st.text(max_size=8), lambda inner: st.dictionaries(st.text(max_size=4), inner), max_leaves=5
        )
    ),
    st.integers(1, 40),
    st.sampled_from([None, "messages"]),
)
def test_the_objects_of_a_list_come_as_they_are_however_a_file_is_read(tmp_path_factory, values, size, member):
    path = tmp_path_factory.mktemp("list") / "document.json"
    whole = values if member is None else {"a": "messages", "b": [{"x": 1}], member: values, "z": [{}]}
    path.write_text(json.dumps(whole, indent=size % 3))
    counts = Counts(str(path))

    documents.CHUNK, kept = size, documents.CHUNK
    try:
        found = [one.load() for one in documents.objects(str(path), counts, 0, lambda _: None, member=member)]
    finally:
        documents.CHUNK = kept

    assert found == [value for value in values if isinstance(value, dict)]
    assert not counts.rejected


@pytest.mark.slow
def test_a_record_that_is_too_long_is_counted_and_the_rest_is_read(tmp_path):
    path = tmp_path / "document.json"
    path.write_text(json.dumps([{"a": "x" * (17 << 20)}, {"b": 1}]))
    counts = Counts(str(path))

    found = [one.load() for one in documents.objects(str(path), counts, 0, lambda _: None)]

    assert (found, counts.rejected) == ([{"b": 1}], {"record too long": 1})


SIZES = {"codex": 60, "gemini-cli document": 60, "cline blocks": 60}


@pytest.mark.parametrize(
    ("value", "kept"), [("", False), ("a", True), ("a" * MAX_ID, True), ("a" * (MAX_ID + 1), False), (7, False)]
)
def test_an_id_that_can_be_kept_is_a_text_of_some_length(value, kept):
    assert name_of(value) == (value if kept else None)


def test_reasons_that_a_file_makes_up_are_few_and_short():
    counts = Counts("a")
    for number in range(60):
        counts.skip(f"type {number:02} {'x' * 300}")

    assert counts.skipped.pop("other") == 10
    assert [len(reason) for reason in counts.skipped] == [100] * 50


@pytest.mark.slow
@pytest.mark.parametrize("kind", SIZES)
def test_memory_does_not_grow_with_a_history(repo, memory, tmp_path, kind):
    agent, make, save = KINDS[kind]
    records = make(str(repo.path))
    filling = "y" * 900_000
    if isinstance(records, dict):
        more = [
            {"role": "assistant", "content": [{"type": "text", "text": filling}], "ts": 1} for _ in range(SIZES[kind])
        ]
        records["said"] += more
    elif kind == "codex":
        item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": filling}]}
        line = {"timestamp": "2026-01-05T11:00:00Z", "type": "response_item", "payload": item}
        records += [line] * SIZES[kind]
    else:
        records = records[:-2] + [
            {"id": f"more-{n}", "timestamp": "2026-01-05T11:00:00Z", "type": "gemini", "content": filling}
            for n in range(SIZES[kind])
        ]
    path = save(tmp_path / "large", records)

    _, megabytes = memory(path, agent)

    assert megabytes < 120
    assert repo.events("mutation.observed")
