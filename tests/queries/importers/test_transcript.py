"""`linetrail transcript` and `why --transcript`: what was said, from the agent's own files, which may be gone."""

import json
import time

import pytest

from linetrail.queries.render.text import columns
from tests.queries.importers import test_import_codex as codex
from tests.queries.importers import test_import_copilot as copilot
from tests.queries.importers import test_import_cursor as cursor
from tests.queries.importers import test_import_gemini as gemini
from tests.queries.importers import test_import_opencode as opencode
from tests.queries.importers import test_import_tasks as tasks

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def transcript(repo, home):
    """Return a function that writes the transcript of a session where Claude Code keeps it."""
    slug = "".join(sign if sign.isalnum() else "-" for sign in str(repo.path))

    def keep(lines, name="session-1"):
        file = home / ".claude" / "projects" / slug / f"{name}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"".join(lines))
        return file

    return keep


def record(repo, kind, content, *, at, session="session-1", **more):
    moment = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1_767_603_600 + at))
    fields = {"type": kind, "uuid": f"{session}-{at}", "sessionId": session, "timestamp": moment}
    fields |= {"cwd": str(repo.path), "message": {"role": kind, "content": content}}
    return json.dumps(fields | more).encode() + b"\n"


def told(repo, **more):
    """Return the records of a session in which an agent writes a file."""
    given = {"file_path": str(repo.path / "a.py"), "content": "one\n"}
    return [
        record(repo, "user", "Round the totals", at=0, **more),
        record(repo, "assistant", [{"type": "thinking", "thinking": "Half up, I think."}], at=1, **more),
        record(repo, "assistant", [{"type": "text", "text": "I write a.py now."}], at=2, **more),
        record(
            repo,
            "assistant",
            [{"type": "tool_use", "id": "toolu_session-1_1", "name": "Write", "input": given}],
            at=3,
            **more,
        ),
        record(
            repo,
            "user",
            [{"type": "tool_result", "tool_use_id": "toolu_session-1_1", "content": "File created"}],
            at=4,
            **more,
        ),
        record(repo, "user", "Thanks", at=60, **more),
        record(repo, "assistant", "Gladly.", at=61, **more),
    ]


@pytest.fixture
def session(agent):
    """Record the session of which the transcript tells."""
    recorded = agent("session-1")
    recorded.prompt("Round the totals")
    recorded.write("a.py", "one\n")
    return recorded


def test_a_conversation_is_told_turn_by_turn_with_where_it_stands(repo, cli, session, transcript):
    file = transcript(told(repo))

    answer = cli("transcript", "sess", "--json")

    assert [(row["turn"], row["kind"], row["line"]) for row in answer.rows] == [
        (1, "prompt", 1),
        (1, "thought", 2),
        (1, "answer", 3),
        (1, "call", 4),
        (1, "result", 5),
        (2, "prompt", 6),
        (2, "answer", 7),
    ]
    assert answer.rows[3]["address"] == f"{file.as_uri()}#L4"
    assert file.read_bytes()[answer.rows[3]["offset"] :].startswith(told(repo)[3])
    assert answer.rows[3]["tool_call_id"] == "toolu_session-1_1"
    assert json.loads(answer.out)["meta"]["session_id"] == "session-1"


def test_the_page_fits_eighty_columns_but_for_addresses(repo, cli, session, transcript):
    long = "\n".join(["A sentence that goes on and on, about totals and cents, " * 6] * 9)
    transcript([*told(repo), record(repo, "assistant", long, at=62)])

    page = cli("transcript", "session-1").out

    lines = [line for line in page.splitlines() if not line.startswith("  file://")]
    assert max(map(columns, lines)) <= 80
    assert "turn 2  2026-01-05 09:01:00" in page
    assert "more lines (--full)" in page
    assert "(--full)" not in cli("transcript", "session-1", "--full").out


@pytest.mark.slow
def test_one_turn_or_what_stands_around_an_event_is_told(repo, cli, session, transcript):
    transcript(told(repo))
    (event,) = repo.events("mutation.observed")

    assert [row["text"] for row in cli("transcript", "session-1", "--around", "2", "--json").rows] == [
        "Thanks",
        "Gladly.",
    ]
    found = cli("transcript", "session-1", "--around", event.id, "--json").rows
    assert [row["kind"] for row in found] == ["prompt", "thought", "answer", "call", "result"]
    assert cli("transcript", "session-1", "--around", "nothing").status == 2


@pytest.mark.slow
def test_why_shows_the_conversation_around_a_line(repo, cli, session, transcript):
    file = transcript(told(repo))

    page = cli("why", "a.py:1", "--transcript").out

    assert "Round the totals" in page
    assert "I write a.py now." in page
    assert f"{file.as_uri()}#L4" in page
    assert "\n>     4 Write        a.py\n" in page
    assert "Gladly." not in page
    (row,) = cli("why", "a.py:1", "--transcript", "--json").rows
    assert [one["kind"] for one in row["transcript"]] == ["prompt", "thought", "answer", "call", "result"]
    assert "transcript" not in cli("why", "a.py:1", "--json").rows[0]


@pytest.mark.slow
def test_a_transcript_that_is_gone_is_said_to_be(repo, cli, session, transcript):
    transcript(told(repo)).unlink()

    gone = cli("transcript", "session-1")
    assert (gone.status, gone.out) == (2, "")
    assert "is gone" in gone.err
    assert "next: linetrail show session-1" in gone.err
    page = cli("why", "a.py:1", "--transcript")
    assert page.status == 0
    assert "gone" in page.out
    assert cli("why", "a.py:1", "--transcript", "--json").rows[0]["transcript"] is None


def test_a_copy_can_be_named(repo, cli, session, transcript, tmp_path):
    transcript(told(repo)).rename(tmp_path / "copy.jsonl")

    assert len(cli("transcript", "session-1", str(tmp_path / "copy.jsonl"), "--json").rows) == 7


def test_a_session_that_nobody_recorded_is_an_error(cli, session):
    answer = cli("transcript", "other")

    assert answer.status == 2
    assert "no session is recorded that begins with other" in answer.err


@pytest.mark.slow
def test_nothing_that_was_said_is_kept(repo, cli, session, transcript):
    transcript(told(repo))
    assert "Half up, I think." in cli("transcript", "session-1").out
    assert "Half up, I think." in cli("why", "a.py:1", "--transcript").out

    kept = [file for file in repo.path.rglob("*") if file.is_file()]
    assert kept
    assert not [file for file in kept if b"Half up, I think." in file.read_bytes()]


@pytest.mark.slow
def test_secrets_are_taken_out(repo, cli, session, transcript):
    transcript([record(repo, "user", f"Use {SECRET}", at=0), record(repo, "assistant", f"{SECRET} it is", at=1)])

    for options in ([], ["--full"], ["--json"]):
        answer = cli("transcript", "session-1", *options)
        assert SECRET not in answer.out
        assert "[redacted:" in answer.out


@pytest.mark.slow
def test_hostile_and_damaged_files_do_no_harm(repo, cli, session, transcript):
    transcript(
        [
            record(repo, "user", "\x1b[2J\x1b]0;title\x07 \u202edne", at=0),
            b'{"type": "assistant", "sessionId": "session-1"\n',
            b"\xff\xfe\n",
            record(repo, "assistant", "half \ud800 of it", at=1),
            record(repo, "assistant", "x" * 300_000, at=2),
            record(repo, "assistant", "last", at=3)[:-30],
        ]
    )

    for options in ([], ["--full"], ["--json"]):
        answer = cli("transcript", "session-1", *options)
        assert answer.status == 0, answer.err
        assert not {"\x1b", "\x07", "\u202e"} & set(answer.out)
        assert len(answer.out) < 200_000
    assert "not read: 3 lines" in cli("transcript", "session-1").out
    rows = cli("transcript", "session-1", "--json").rows
    assert [(row["length"], row["is_cut"]) for row in rows[1:]] == [(12, False), (300_000, True)]


def rollout(root, folder):
    """Return a session of Codex in a file, and its id."""
    session = codex.Rollout(root)
    session.prompt("Round the totals")
    session.item("message", role="assistant", content=[{"type": "output_text", "text": "I will."}])
    session.patch("*** Add File: a.py\n+one\n")
    return session.save(folder / "sessions" / f"rollout-{codex.SESSION}.jsonl"), codex.SESSION


def chat(root, folder):
    """Return the same of Gemini CLI, in the newer form, which has each message several times."""
    session = gemini.Chat(root)
    session.prompt("Round the totals")
    session.say("gemini", "I will.")
    session.write(f"{root}/a.py", "one\n")
    return session.save_lines(folder / "chats" / "session-1.jsonl"), gemini.SESSION


def events(root, folder):
    """Return the same of Copilot CLI."""
    session = copilot.Session(root)
    session.add("user.message", {"content": "Round the totals"})
    session.add("assistant.message", {"content": "I will."})
    session.call("create", {"path": f"{root}/a.py", "file_text": "one\n"})
    return session.save(folder / copilot.SESSION / "events.jsonl"), copilot.SESSION


def task(root, folder):
    """Return the same of Cline, whose calls are tags in what it says."""
    session = tasks.Task(root, tags=True)
    session.prompt("Round the totals")
    session.write("a.py", "one\n")
    return session.save(folder / "tasks" / tasks.TASK), tasks.TASK


def export(root, folder):
    """Return the same of OpenCode."""
    session = opencode.Session(root)
    session.prompt("Round the totals")
    session.say("assistant", {"type": "text", "text": "I will."})
    session.call("write", {"filePath": f"{root}/a.py", "content": "one\n"})
    return session.save(folder / "export.json"), opencode.SESSION


def rows(root, folder):
    """Return the same of Cursor, in its database."""
    session = cursor.Database(folder / "globalStorage" / "state.vscdb", root, journal="delete")
    session.prompt("Round the totals")
    session.bubble(2, text="I will.")
    session.write(f"{root}/a.py", "", "one\n")
    session.db.close()
    return session.path, cursor.COMPOSER


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent_name", "make"),
    [
        ("codex", rollout),
        ("gemini-cli", chat),
        ("copilot-cli", events),
        ("cline", task),
        ("cursor", rows),
        ("opencode", export),
    ],
)
def test_the_files_of_every_agent_that_can_be_imported_are_read(repo, cli, tmp_path, agent_name, make):
    repo.start_ledger()
    path, session_id = make(str(repo.path), tmp_path / "kept")
    assert cli("import", agent_name, str(path)).status == 0

    answer = cli("transcript", session_id, str(path), "--json")

    assert answer.status == 0, answer.err
    said = [(row["kind"], row["text"]) for row in answer.rows if row["kind"] != "thought"]
    assert said[:3] == [("prompt", "Round the totals"), ("answer", "I will."), ("call", "a.py")]
    assert {row["path"].startswith(str(path)) for row in answer.rows} == {True}
    assert cli("transcript", session_id).status == 2


def test_a_session_of_codex_is_found_where_codex_keeps_it(repo, cli, tmp_path, monkeypatch):
    repo.start_ledger()
    path, session_id = rollout(str(repo.path), tmp_path / "codex")
    cli("import", "codex", str(path))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))

    assert cli("transcript", session_id, "--json").rows[0]["address"] == f"{path.as_uri()}#L4"


@pytest.mark.slow
def test_a_checkpoint_of_entire_tells_what_the_agent_has_deleted(repo, cli, session):
    blob = repo.git("hash-object", "-w", "--stdin", stdin=b"".join(told(repo)).decode())
    tree = repo.git("mktree", stdin=f"100644 blob {blob}\tfull.jsonl\n")
    repo.git("update-ref", "refs/heads/entire/checkpoints/v1", repo.git("commit-tree", tree, "-m", "Checkpoint"))

    found = cli("transcript", "session-1", "--json").rows

    assert [row["line"] for row in found] == [1, 2, 3, 4, 5, 6, 7]
    assert {row["address"] for row in found} == {"entire/checkpoints/v1:full.jsonl"}
    assert repo.git("show", found[0]["address"]).encode() == b"".join(told(repo)).strip()
