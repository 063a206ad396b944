"""`linetrail import cursor`: rows of the database as Cursor writes them, while it runs, and transcripts."""

import json
import os
import sqlite3
from contextlib import closing

import pytest

from linetrail.ledger.files import digest
from linetrail.queries.importers.histories import cursor_rows
from tests.queries.changes import hashed, states

pytestmark = pytest.mark.usefixtures("ledger")
COMPOSER = "724686cd-875e-47da-a90b-dbc3e523efb8"
SECRET = "eyJhbGciOiJIUzI1NiJ9.planted-" + "0" * 40


class Database:
    """``state.vscdb`` with one conversation; each bubble is a second after the one before."""

    def __init__(self, path, root: str, *, journal: str = "wal") -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.execute(f"pragma journal_mode={journal}")
        for table in ("ItemTable", "cursorDiskKV"):
            self.db.execute(f"create table {table} (key text unique on conflict replace, value blob)")
        self.db.execute("insert into ItemTable values ('cursorAuth/accessToken', ?)", (SECRET,))
        self.db.execute("insert into cursorDiskKV values ('cursorAuth/refreshToken', ?)", (SECRET,))
        self.headers: list[dict] = []
        self.composer = {
            "_v": 10,
            "composerId": COMPOSER,
            "createdAt": 1_767_607_200_000,
            "modelConfig": {"modelName": "model-x"},
            "workspaceIdentifier": {"uri": {"fsPath": root}},
            "speculativeSummarizationEncryptionKey": SECRET,
        }

    def put(self, key: str, value: object) -> None:
        self.db.execute("insert into cursorDiskKV values (?, ?)", (key, value))

    def bubble(self, kind: int, **fields) -> None:
        name = f"00000000-0000-4000-8000-{len(self.headers):012d}"
        at = f"2026-01-05T10:00:{len(self.headers):02d}.000Z"
        bubble = {"_v": 3, "type": kind, "bubbleId": name, "text": "", "createdAt": at} | fields
        self.headers.append({"bubbleId": name, "type": kind})
        self.put(f"bubbleId:{COMPOSER}:{name}", json.dumps(bubble))
        composer = self.composer | {"fullConversationHeadersOnly": self.headers}
        self.put(f"composerData:{COMPOSER}", json.dumps(composer).encode())

    def prompt(self, text: str) -> None:
        self.bubble(1, text=text)

    def call(
        self, name: str, params: dict, result: object, *, status: str = "completed", raw: dict | None = None, **more
    ):
        call_id = f"tool_{len(self.headers):08d}-0000-4000-8000-000000000000"
        data = {"tool": 1, "toolCallId": call_id, "name": name, "status": status, "params": json.dumps(params)}
        data |= {"rawArgs": json.dumps(raw or {}), "result": json.dumps(result)} | more
        usage = {"tokenCount": {"inputTokens": 50, "outputTokens": 8}, "modelInfo": {"modelName": "model-y"}}
        self.bubble(2, toolFormerData=data, thinking={"text": "Tax first"}, **usage)

    def write(self, path: str, before: str, after: str) -> None:
        names = {}
        for side, text in (("before", before), ("after", after)):
            name = "composer.content." + digest(text.encode()).removeprefix("sha256:")
            self.put(name, text)
            names[f"{side}ContentId"] = name
        self.call("edit_file_v2", {"relativeWorkspacePath": path}, names)


@pytest.fixture
def database(repo, tmp_path):
    made = []

    def make(**options):
        made.append(Database(tmp_path / "globalStorage" / "state.vscdb", str(repo.path), **options))
        return made[-1]

    yield make
    for one in made:
        one.db.close()


@pytest.fixture
def imported(cli):
    """Return a function that imports a database and returns the rows."""

    def run(database, options=(), status=0):
        answer = cli("import", "cursor", str(database.path), "--json", *options)
        assert answer.status == status, answer.err
        return answer.rows

    return run


def test_a_conversation_becomes_the_events_that_its_hooks_would_have_given(repo, database, imported):
    talk = database()
    talk.prompt("Add tax")
    talk.write(f"{repo.path}/tax.py", "", "RATE = 1\n")
    talk.call("run_terminal_command_v2", {"command": "make"}, {"output": "ok", "exitCode": 2})
    talk.call("read_file_v2", {"targetFile": "a.py"}, {}, status="error")

    (row,) = imported(talk)

    told = [(event.type, event.data.get("operation")) for event in repo.events() if event.type != "usage.recorded"]
    assert told == [
        ("session.started", None),
        ("prompt.submitted", None),
        ("tool.requested", "write" if told[2][1] == "write" else "edit"),
        ("mutation.observed", None),
        ("tool.completed", told[2][1]),
        ("tool.requested", "shell"),
        ("tool.completed", "shell"),
        ("tool.requested", "read"),
        ("tool.failed", "read"),
    ]
    assert row["rejected"] == 0
    assert states(repo) == [("tax.py", None, hashed("RATE = 1\n"))]
    assert repo.events("tool.completed")[1].data["exit_code"] == 2
    assert repo.events("tool.requested")[1].data["command"] == "make"
    assert {(event.session_id, event.agent.name) for event in repo.events() if event.agent} == {(COMPOSER, "cursor")}
    usage = repo.events("usage.recorded")[0]
    assert (usage.data["input_tokens"], usage.data["output_tokens"], usage.data["model_id"]) == (50, 8, "model-y")
    assert repo.events("prompt.submitted")[0].timestamp == "2026-01-05T10:00:00.000000Z"


def test_every_form_of_an_edit_is_understood(repo, database, imported):
    talk = database()
    talk.write("a.py", "", "a\nb\nc\n")
    chunk = {"diffString": " a\n-b\n+B", "oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2}
    talk.call("edit_file", {"relativeWorkspacePath": "a.py"}, {"diff": {"chunks": [chunk]}})
    raw = {"file_path": "a.py", "old_string": "c\n", "new_string": "C\n"}
    talk.call("search_replace", {"relativeWorkspacePath": "a.py"}, {}, raw=raw)
    talk.call("write", {"relativeWorkspacePath": "a.py"}, {}, raw={"file_path": "a.py", "contents": "all\n"})
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-all\n+ALL\n*** End Patch"
    talk.call("apply_patch", {"patch": patch}, {})
    talk.call("delete_file", {"relativeWorkspacePath": "a.py"}, {})

    imported(talk)

    texts = ["a\nb\nc\n", "a\nB\nc\n", "a\nB\nC\n", "all\n", "ALL\n", None]
    assert [after for _, _, after in states(repo)] == [hashed(text) for text in texts]


def test_an_edit_that_a_person_rejected_changed_nothing(repo, database, imported):
    talk = database()
    review = {"reviewData": {"selectedOption": "reject"}}
    talk.call("write", {"relativeWorkspacePath": "a.py"}, {}, raw={"contents": "x\n"}, additionalData=review)

    (row,) = imported(talk)

    assert states(repo) == []
    assert row["skipped"]["edit that a person rejected"] == 1


def test_a_second_import_brings_nothing_new(repo, database, imported):
    talk = database()
    talk.prompt("Go")
    talk.write("a.py", "", "one\n")
    first = imported(talk)
    before = repo.lines()
    second = imported(talk)
    talk.write("a.py", "one\n", "two\n")

    third = imported(talk)

    assert first[0]["imported"] == len(before)
    assert (second[0]["imported"], second[0]["duplicates"]) == (0, len(before))
    assert third[0]["imported"] == 4
    assert states(repo)[-1] == ("a.py", hashed("one\n"), hashed("two\n"))


# The database of a program that runs


def test_what_is_only_in_the_write_ahead_log_is_read(repo, database, imported):
    talk = database(journal="wal")
    talk.db.execute("pragma wal_autocheckpoint=0")
    talk.prompt("Only in the log")
    assert os.path.getsize(f"{talk.path}-wal") > 0

    imported(talk)

    assert [event.data["excerpt"] for event in repo.events("prompt.submitted")] == ["Only in the log"]


def test_what_is_not_committed_is_not_read_and_what_is_written_meanwhile_does_not_wait(repo, database, imported):
    talk = database(journal="wal")
    talk.prompt("Committed")
    talk.db.execute("begin immediate")
    talk.put(f"bubbleId:{COMPOSER}:00000000-0000-4000-8000-000000000000", '{"type": 1, "text": "Half"}')

    imported(talk)
    talk.db.execute("commit")

    assert [event.data["excerpt"] for event in repo.events("prompt.submitted")] == ["Committed"]


def test_a_locked_database_says_what_to_do_and_the_others_are_read(repo, database, cli, tmp_path, monkeypatch):
    monkeypatch.setattr(cursor_rows, "WAIT_SECONDS", 0.05)
    talk = database(journal="delete")
    talk.prompt("Readable")
    locked = Database(tmp_path / "locked" / "state.vscdb", str(repo.path), journal="delete")
    locked.db.execute("begin exclusive")

    answer = cli("import", "cursor", str(locked.path), str(talk.path), "--json")
    locked.db.close()

    assert answer.status == 0
    assert [list(row["reasons"]) for row in answer.rows] == [["locked: close Cursor, or try again later"], []]
    assert len(repo.events("prompt.submitted")) == 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"", "no conversations", id="an empty file"),
        pytest.param(b"no database at all" * 100, "not a database", id="another file"),
        pytest.param(b"SQLite format 3\0" + b"\xff" * 4096, "cannot be read", id="a head and rubbish"),
    ],
)
def test_a_damaged_database_is_told_as_it_is(cli, tmp_path, content, reason):
    path = tmp_path / "state.vscdb"
    path.write_bytes(content)

    answer = cli("import", "cursor", str(path), "--json")

    assert answer.status == 1
    assert reason in next(iter(answer.rows[0]["reasons"]))
    assert path.read_bytes() == content


def test_a_torn_database_gives_an_error_and_no_traceback(repo, database, cli, tmp_path):
    talk = database(journal="delete")
    for number in range(60):
        talk.prompt(f"prompt {number} " + "x" * 400)
    talk.db.close()
    torn = tmp_path / "torn" / "state.vscdb"
    torn.parent.mkdir()
    torn.write_bytes(talk.path.read_bytes()[: talk.path.stat().st_size // 2])

    answer = cli("import", "cursor", str(torn), "--json")

    assert answer.status in (0, 1)
    assert "internal" not in answer.err


# Tokens


def test_tokens_are_neither_read_nor_copied_nor_stored(repo, database, imported, tmp_path):
    talk = database()
    talk.prompt("Go")
    talk.write("a.py", "", "one\n")

    rows = cursor_rows.Rows(str(talk.path), str(tmp_path))

    copies = [path.read_bytes() for path in tmp_path.iterdir() if path.is_file()]
    composer = rows.document(f"composerData:{COMPOSER}")
    assert copies
    assert not any(b"accessToken" in copy or b"refreshToken" in copy for copy in copies)
    assert composer["composerId"] == COMPOSER
    imported(talk)
    assert SECRET.encode() not in b"".join(repo.lines())
    assert list(talk.path.parent.glob("*")) == [
        path for path in talk.path.parent.glob("*") if "state.vscdb" in path.name
    ]


def test_the_table_of_tokens_is_refused_to_whoever_reads_here(database):
    talk = database()
    talk.prompt("Go")

    with closing(cursor_rows.opened(str(talk.path))) as source:
        assert source.execute("select count(key) from cursorDiskKV").fetchone() == (3,)
        for statement in (
            "select value from ItemTable",
            "delete from cursorDiskKV",
            "attach 'x' as y",
            "pragma user_version=7",
        ):
            with pytest.raises(sqlite3.Error):
                source.execute(statement).fetchall()


# Where


def test_a_conversation_is_placed_by_the_files_that_it_touched(repo, database, imported):
    repo.commit("known", {"src/a.py": "one\n"})
    talk = database()
    del talk.composer["workspaceIdentifier"]
    talk.write("/machines/laptop/shop/src/a.py", "one\n", "two\n")

    imported(talk)

    assert states(repo) == [("src/a.py", hashed("one\n"), hashed("two\n"))]


def test_a_conversation_that_touched_nothing_of_ours_is_left_out(repo, database, imported):
    repo.commit("known", {"src/a.py": "one\n"})
    talk = database()
    del talk.composer["workspaceIdentifier"]
    talk.write("/machines/laptop/other/b.py", "one\n", "two\n")

    (row,) = imported(talk)

    assert row["skipped"] == {"other repository": 1}
    assert repo.events() == []


def test_the_database_and_transcripts_are_found_where_cursor_keeps_them(repo, tmp_path, cli, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("HOME", str(tmp_path))
    talk = Database(tmp_path / "config" / "Cursor" / "User" / "globalStorage" / "state.vscdb", str(repo.path))
    talk.prompt("In the database")
    slug = str(repo.path).strip("/").replace("/", "-").replace("_", "-")
    for name in ("from-the-command-line", COMPOSER):
        folder = tmp_path / ".cursor" / "projects" / slug / "agent-transcripts" / name
        folder.mkdir(parents=True)
        said = [
            {"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>\nTyped\n</user_query>"}]}},
            {
                "role": "assistant",
                "message": {"content": [{"type": "tool_use", "name": "Shell", "input": {"command": "ls"}}]},
            },
        ]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in said))

    first = cli("import", "cursor", "--json")
    second = cli("import", "cursor", "--json")
    talk.db.close()

    told = {(event.session_id, event.data["excerpt"]) for event in repo.events("prompt.submitted")}
    assert told == {(COMPOSER, "In the database"), ("from-the-command-line", "Typed")}
    assert repo.events("tool.requested")[0].data["command"] == "ls"
    assert sum(row["imported"] for row in first.rows) == len(repo.events())
    assert sum(row["imported"] for row in second.rows) == 0
