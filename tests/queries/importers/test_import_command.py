"""`linetrail import claude-code`: damage, the command itself, and its size."""

import json
import os

import pytest

from linetrail.queries.commands.records import import_

pytestmark = pytest.mark.usefixtures("ledger")


def test_a_long_past_leaves_the_tables_that_the_first_question_about_lines_reads(repo, talk, imported, monkeypatch):
    monkeypatch.setattr(import_, "MANY", 1)
    session = talk()
    session.edit("a.py", "one\n", "one", "two")

    imported(session)

    made = {file.stem for file in repo.path.rglob("*.parquet")}
    assert made == {"events", "line_hashes", "mutation_files"}


def test_a_short_past_does_not_make_anybody_wait_for_tables(repo, talk, imported):
    session = talk()
    session.edit("a.py", "one\n", "one", "two")

    imported(session)

    assert not [*repo.path.rglob("*.parquet")]


# Damage


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        pytest.param(b'{"type": "user", "mess', "cut short", id="a last line that was never finished"),
        pytest.param(b'{"type": "user", "mess\n', "not JSON", id="a line that is cut in the middle of the file"),
        pytest.param(b'{"type": "us\xe9r"}\n', "invalid UTF-8", id="bytes of another encoding"),
        pytest.param(b"[1, 2]\n", "not an object", id="JSON of another kind"),
        pytest.param(b"[" * 100_000 + b"\n", "not JSON", id="nesting without end"),
        pytest.param(b'{"type": "user", "message": {}, "uuid": "u"}\n', "no session", id="a message of no session"),
        pytest.param(
            b'{"type": "user", "sessionId": "s", "message": 1}\n', "no message", id="a message of another type"
        ),
        pytest.param(b"x" * (17 << 20) + b"\n", "line too long", id="a line of 17 MB"),
    ],
)
def test_a_damaged_line_is_counted_and_the_rest_is_read(repo, talk, imported, damage, reason):
    session = talk()
    session.prompt("Before")
    session.lines.append(damage)
    if damage.endswith(b"\n"):
        session.prompt("After")

    (row,) = imported(session)

    assert row["reasons"] == {reason: 1}
    assert row["rejected"] == 1
    assert row["read"] == len(session.lines)
    expected = ["Before", "After"] if damage.endswith(b"\n") else ["Before"]
    assert [event.data["excerpt"] for event in repo.events("prompt.submitted")] == expected


def test_a_last_line_that_lacks_only_its_newline_is_read(repo, talk, imported):
    session = talk()
    session.prompt("Whole")
    session.lines[-1] = session.lines[-1].removesuffix(b"\n")

    imported(session)

    assert len(repo.events("prompt.submitted")) == 1


def test_records_of_the_future_are_counted_and_no_error(repo, talk, imported):
    session = talk()
    session.add("hologram", colour="blue")

    (row,) = imported(session)

    assert (row["rejected"], row["skipped"]) == (0, {"type hologram": 1})


def test_half_a_surrogate_pair_does_not_stop_the_import(repo, talk, imported):
    session = talk()
    session.prompt("placeholder")
    session.lines[-1] = session.lines[-1].replace(b"placeholder", b"odd \\ud800 sign")

    imported(session)

    assert repo.events("prompt.submitted")[0].data["excerpt"] == "odd ? sign"


@pytest.mark.independent
@pytest.mark.parametrize("value", [None, 7, "text", [], [1], {}, {"type": 5}, True])
@pytest.mark.parametrize("key", ["message", "toolUseResult", "timestamp", "uuid", "cwd", "type", "data", "sessionId"])
def test_a_field_of_another_type_stops_nothing(repo, talk, imported, key, value):
    session = talk()
    session.edit("a.py", "one\n", "one", "two", structuredPatch=value)
    for line in list(session.lines):
        session.lines.append(json.dumps(json.loads(line) | {key: value}).encode() + b"\n")
    session.prompt("After")

    imported(session)

    assert repo.events("prompt.submitted")[-1].data["excerpt"] == "After"


def test_an_event_that_was_never_written_whole_is_told_again(repo, long_session, imported):
    imported(long_session())
    whole = repo.lines()
    ledger = repo.path / ".orchestration" / "agent_trace.jsonl"
    ledger.write_bytes(b"".join(whole[:-1]) + whole[-1][:400])

    (row,) = imported(long_session())

    assert row["imported"] == 1
    assert repo.events()[-1].id == json.loads(whole[-1])["id"]


def test_a_ledger_from_the_future_is_left_alone(repo, cli, long_session, tmp_path):
    ledger = repo.path / ".orchestration" / "agent_trace.jsonl"
    ledger.write_bytes(b'{"v":99,"id":"x"}\n')

    answer = cli("import", "claude-code", str(long_session().save(tmp_path / "t.jsonl")))

    assert answer.status != 0
    assert "newer" in answer.err
    assert ledger.read_bytes() == b'{"v":99,"id":"x"}\n'


def test_a_folder_that_cannot_be_written_is_named(repo, cli, long_session, tmp_path):
    (repo.path / ".orchestration" / "state").write_text("in the way")

    answer = cli("import", "claude-code", str(long_session().save(tmp_path / "t.jsonl")))

    assert answer.status == 2
    assert "cannot write" in answer.err


def test_a_pipe_among_the_transcripts_is_passed_over(repo, cli, long_session, tmp_path):
    long_session().save(tmp_path / "mixed" / "t.jsonl")
    os.mkfifo(tmp_path / "mixed" / "pipe.jsonl")
    (tmp_path / "mixed" / "gone.jsonl").symlink_to(tmp_path / "nowhere")

    assert len(cli("import", "claude-code", str(tmp_path / "mixed"), "--json").rows) == 1


def test_secrets_do_not_reach_the_ledger(repo, talk, imported):
    secret = "ghp_" + "a1B2" * 9
    session = talk()
    session.prompt(f"use {secret}")
    session.bash(f"curl -H 'Authorization: Bearer {secret}' host", f"Exit code 1\nbad {secret}", failed=True)
    session.write("a.env", f"TOKEN={secret}\n")

    imported(session)

    assert secret.encode() not in b"".join(repo.lines())


def test_no_content_of_a_file_reaches_the_ledger(repo, talk, imported):
    session = talk()
    session.write("a.py", "a very particular line\n")

    imported(session)

    assert b"particular" not in b"".join(repo.lines())


# The command


def test_without_a_path_it_reads_the_sessions_of_this_repository(repo, cli, talk, home, tmp_path):
    (repo.path / "api").mkdir()
    ran = {
        "own": repo.path,
        "sub": repo.path / "api",
        "gone": tmp_path / f"{repo.path.name}.worktrees" / "vat",
        "sibling": tmp_path / "project-api-gone",
    }
    for one in [talk(name, cwd=str(cwd)) for name, cwd in ran.items()]:
        one.prompt("Hello")
        slug = "".join(sign if sign.isalnum() else "-" for sign in one.cwd)
        one.save(home / ".claude" / "projects" / slug / f"{one.session_id}.jsonl")

    rows = cli("import", "claude-code", "--json").rows

    assert {event.session_id for event in repo.events()} == {"own", "sub", "gone"}
    assert len(rows) == 3


def test_the_agents_own_folder_may_be_elsewhere(repo, cli, talk, monkeypatch, tmp_path):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "settings"))
    session = talk(cwd=str(repo.path))
    session.prompt("Hello")
    slug = "".join(sign if sign.isalnum() else "-" for sign in session.cwd)
    session.save(tmp_path / "settings" / "projects" / slug / "s.jsonl")

    assert cli("import", "claude-code").status == 0

    assert len(repo.events("prompt.submitted")) == 1


def test_nothing_to_read_is_said_and_no_error(cli):
    answer = cli("import", "claude-code")

    assert answer.status == 0
    assert "no transcripts in" in answer.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        pytest.param(["claude-code", "nowhere"], "no such file or folder", id="a path that is not there"),
        pytest.param(["sourcery", "."], "invalid choice", id="a source nobody knows"),
    ],
)
def test_a_wrong_call_is_explained(cli, args, message):
    answer = cli("import", *args)

    assert answer.status == 2
    assert message in answer.err


def test_without_a_ledger_it_says_how_to_start_one(repo, cli, talk, tmp_path):
    (repo.path / ".orchestration").rmdir()
    path = talk().save(tmp_path / "t.jsonl")

    answer = cli("import", "claude-code", str(path))

    assert answer.status == 2
    assert "linetrail init" in answer.err
    assert not (repo.path / ".orchestration").exists()


def test_people_are_told_what_was_left_out(cli, talk, tmp_path):
    session = talk()
    session.prompt("Hello")
    session.lines.append(b"{torn\n")
    path = session.save(tmp_path / "t.jsonl")

    answer = cli("import", "claude-code", str(path))

    assert answer.out.splitlines() == ["1 transcript, 2 lines: 2 events imported", "rejected: not JSON, 1"]
    assert answer.err == ""


# Size


@pytest.mark.slow
def test_a_line_of_fifty_megabytes_takes_no_memory(repo, talk, memory, tmp_path):
    session = talk()
    session.prompt("Before")
    session.lines.append(b'{"type": "user", "text": "' + b"x" * (50 << 20) + b'"}\n')
    session.prompt("After")

    told, megabytes = memory(session.save(tmp_path / "t.jsonl"))

    assert "rejected: line too long, 1" in told
    assert megabytes < 100
    assert len(repo.events("prompt.submitted")) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b'"' + "😀é".encode() * 2_500_000 + b'"', id="signs beyond the basic plane"),
        pytest.param(b"[" + b"{}," * 450_000 + b"0]", id="very many small objects"),
        pytest.param(b"[" + b'{"a":[]},' * 1_600_000 + b"0]", id="more values than memory"),
        pytest.param(b"[" + b"1.5," * 3_900_000 + b"0]", id="more numbers than memory"),
    ],
)
def test_no_line_takes_much_more_memory_than_its_size(repo, talk, memory, tmp_path, text):
    session = talk()
    session.lines.append(b'{"type": "user", "sessionId": "s", "odd": ' + text + b"}\n")
    session.prompt("After")

    _, megabytes = memory(session.save(tmp_path / "t.jsonl"))

    assert megabytes < 300
    assert len(repo.events("prompt.submitted")) == 1


@pytest.mark.slow
def test_large_contents_of_many_sessions_take_no_more_memory_than_one(repo, talk, memory, tmp_path):
    for number in range(12):
        session = talk(f"session-{number}")
        text = f"line of session {number}\n" * 200_000
        session.write(f"{number}.txt", text)
        session.edit(f"{number}.txt", text, "line", "Line")
        session.save(tmp_path / "large" / f"{number}.jsonl")

    _, megabytes = memory(tmp_path / "large")

    assert megabytes < 300
    assert len(repo.events("tool.completed")) == 24


@pytest.mark.slow
def test_many_transcripts_at_once_need_few_descriptors(repo, cli, talk, tmp_path):
    resource = pytest.importorskip("resource")
    for number in range(120):
        session = talk(f"session-{number}")
        session.prompt("Hello")
        session.now = session.now.replace(hour=20)
        session.prompt("Still here")
        session.save(tmp_path / "many" / f"{number}.jsonl")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    held = len(os.listdir("/dev/fd"))  # by this process of many tests
    resource.setrlimit(resource.RLIMIT_NOFILE, (held + 44, hard))
    try:
        answer = cli("import", "claude-code", str(tmp_path / "many"))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert answer.status == 0, answer.err
    assert len(repo.events("prompt.submitted")) == 240


def test_a_file_of_which_nothing_can_be_read_is_a_finding(repo, cli, tmp_path):
    (tmp_path / "notes.jsonl").write_text("these are\nno transcripts\n")

    answer = cli("import", "claude-code", str(tmp_path / "notes.jsonl"))

    assert answer.status == 1
    assert answer.out.splitlines() == ["1 transcript, 2 lines: 0 events imported", "rejected: not JSON, 2"]


def test_nothing_is_added_to_a_ledger_that_is_damaged_in_the_middle(repo, cli, long_session, imported, tmp_path):
    imported(long_session())
    ledger = repo.path / ".orchestration" / "agent_trace.jsonl"
    damaged = ledger.read_bytes().replace(b"Begin", b"BEGIN", 1)
    ledger.write_bytes(damaged)

    answer = cli("import", "claude-code", str(long_session().save(tmp_path / "again.jsonl")))

    assert answer.status == 3
    assert "offset" in answer.err
    assert ledger.read_bytes() == damaged
