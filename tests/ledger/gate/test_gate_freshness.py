"""What an agent has not seen, or another is about to write, is not written over."""

import os

import pytest


def test_a_refused_write_leaves_no_trace_on_the_file_s_memory(gated, repo):
    first, second = gated(), gated(session="session-2")
    first.write("src/billing/total.py")

    second.select("INT-001")

    assert second.write("src/billing/total.py") == {}


def test_a_file_that_changed_since_it_was_read_is_not_written_over(gated, repo):
    repo.write("src/billing/total.py", "a = 1\n")
    session = gated()
    session.select("INT-001")
    session.read("src/billing/total.py")
    repo.write("src/billing/total.py", "a = 2\n")

    told = session.write("src/billing/total.py", "a = 3\n")

    assert session.code(told) == "STALE_FILE"
    (paths,) = [event.data["paths"] for event in repo.events("gate.decided") if event.data["code"] == "STALE_FILE"]
    assert paths[0]["expected_hash"] != paths[0]["found_hash"]
    assert {paths[0]["expected_hash"], paths[0]["found_hash"]} <= set(told["permissionDecisionReason"].split()) | {
        word.rstrip(".,") for word in told["permissionDecisionReason"].split()
    }
    session.read("src/billing/total.py")
    assert session.write("src/billing/total.py", "a = 3\n") == {}


@pytest.mark.promise("G6")
@pytest.mark.parametrize(
    ("change", "stale"),
    [
        pytest.param(lambda file: file.write_text("a = 2\n"), True, id="same size, other content"),
        pytest.param(lambda file: os.utime(file, (1, 1)), False, id="another time stamp alone"),
        pytest.param(lambda file: (file.unlink(), file.write_text("a = 1\n")), False, id="another file, same content"),
        pytest.param(
            lambda file: (file.write_text("b"), file.write_text("a = 1\n")), False, id="changed and changed back"
        ),
        pytest.param(lambda file: file.unlink(), True, id="deleted"),
    ],
)
def test_only_the_content_says_whether_a_file_is_stale(gated, repo, change, stale):
    file = repo.write("src/billing/total.py", "a = 1\n")
    session = gated()
    session.select("INT-001")
    session.read("src/billing/total.py")

    change(file)

    assert (session.code(session.write("src/billing/total.py", "a = 3\n")) == "STALE_FILE") == stale


def test_of_two_agents_on_one_file_the_second_waits_and_reads_again(gated, repo):
    repo.write("src/billing/total.py", "a = 1\n")
    first, second = gated(), gated(session="session-2")
    for session in (first, second):
        session.select("INT-001")
        session.read("src/billing/total.py")
    file = str(repo.path / "src/billing/total.py")
    assert first.ask("Write", file_path=file, content="a = 2\n") == {}

    assert second.code(second.ask("Write", file_path=file, content="a = 3\n")) == "FILE_BUSY"
    repo.write("src/billing/total.py", "a = 2\n")
    first.report({"type": "update", "filePath": file, "content": "a = 2\n", "originalFile": "a = 1\n"})
    assert second.code(second.ask("Write", file_path=file, content="a = 3\n")) == "STALE_FILE"
    second.read("src/billing/total.py")
    assert second.ask("Write", file_path=file, content="a = 3\n") == {}


def test_what_an_agent_reserved_is_free_when_its_turn_ends(gated, repo):
    first, second = gated(), gated(session="session-2")
    for session in (first, second):
        session.select("INT-001")
    file = str(repo.path / "src/billing/total.py")
    first.ask("Write", file_path=file, content="a = 2\n")

    first.agent.send("Stop", stop_hook_active=False)

    assert second.ask("Write", file_path=file, content="a = 3\n") == {}


def test_a_call_that_a_person_denied_in_the_dialog_keeps_no_file(gated, repo):
    first, second = gated(), gated(session="session-2")
    for session in (first, second):
        session.select("INT-001")
    file = str(repo.path / "src/billing/total.py")
    first.ask("Write", file_path=file, content="a = 2\n")

    first.agent.send("PermissionDenied", **first.call, reason="not like this")

    assert second.ask("Write", file_path=file, content="a = 3\n") == {}


@pytest.mark.parametrize(
    ("command", "reads"),
    [
        ("cat src/billing/a.py", True),
        ("cd src/billing && sed -n '1,80p' a.py", True),
        ("nl -ba src/billing/a.py | head -40", True),
        ("head -n 20 README.md src/billing/a.py", True),
        ("wc -l src/billing/a.py", False),
        ("cat src/billing/a.py | wc -l", False),
        ("sed -n 1p README.md; ls src/billing/a.py", False),
        ("cat src/billing/a.py > /dev/null", False),
    ],
)
def test_who_reads_by_a_command_knows_what_it_showed(gated, repo, command, reads):
    repo.write("README.md", "x\n")
    session = gated()
    session.select("INT-001")
    session.write("src/billing/a.py", "a = 1\n")
    repo.write("src/billing/a.py", "a = 2\n")
    assert session.code(session.write("src/billing/a.py", "a = 3\n")) == "STALE_FILE"

    assert session.ask("Bash", command=command) == {}
    session.report({"stdout": "a = 2", "stderr": "", "interrupted": False})

    assert session.code(session.write("src/billing/a.py", "a = 3\n")) == (None if reads else "STALE_FILE")


def test_who_moved_a_file_away_knows_that_there_is_none(gated, repo):
    session = gated()
    session.select("INT-001")
    session.write("src/billing/a.py", "a = 1\nb = 2\n")

    session.ask("Bash", command="mv src/billing/a.py src/billing/b.py")
    (repo.path / "src/billing/a.py").rename(repo.path / "src/billing/b.py")
    session.report({"stdout": "", "stderr": "", "interrupted": False})

    assert session.write("src/billing/a.py") == {}
    assert session.write("src/billing/b.py") == {}
