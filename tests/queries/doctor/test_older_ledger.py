"""An older ledger that stands where ours would is named, and the commands that are named bring it over."""

import subprocess

import pytest

from tests.queries.old_records import (
    SEED,
    SEED_COMMAND,
    SEED_FLAT,
    SPEC,
    line,
    received,
    text,
)

pytestmark = pytest.mark.in_turn


@pytest.fixture
def old_repo(repo):
    """Track an older ledger where the hooks of today write."""
    repo.commit(files={"a.py": "one\n", ".orchestration/agent_trace.jsonl": text(SPEC, SEED)})
    return repo


@pytest.fixture
def found(cli):
    """Return a function that runs doctor and returns what it says of older ledgers."""

    def ask():
        return [row for row in cli("doctor", "--json").rows if row["check"] == "old ledger"]

    return ask


def run(repo, cli, commands):
    """Run the commands that were recommended, as a person would paste them."""
    for command in commands.split(" && "):
        words = command.split(" ")
        if words[0] == "linetrail":
            assert cli(*words[1:]).status == 0
        else:
            subprocess.run(words, cwd=repo.path, check=True)


@pytest.mark.slow
@pytest.mark.promise("M2")
def test_doctor_names_a_tracked_ledger_in_our_place_and_the_commands_bring_it_over(old_repo, cli, hook, found):
    path = old_repo.path / ".orchestration" / "agent_trace.jsonl"
    cli("init", "--agent", "none")
    before = path.read_bytes()
    hook({"session_id": "s1", "cwd": str(old_repo.path), "hook_event_name": "UserPromptSubmit", "prompt": "hello"})
    assert path.read_bytes() == before

    (finding,) = found()
    assert (finding["level"], "tracked by git" in finding["message"]) == ("error", True)
    run(old_repo, cli, finding["next"])

    moved = old_repo.path / ".orchestration" / "agent_trace.old.jsonl"
    assert moved.read_bytes() == before
    assert received(old_repo.events("mutation.observed")) == before
    assert {event.type for event in old_repo.events()} >= {"prompt.submitted", "mutation.observed"}
    assert [(row["level"], row["next"]) for row in found()] == [("ok", None)]
    hook({"session_id": "s1", "cwd": str(old_repo.path), "hook_event_name": "UserPromptSubmit", "prompt": "again"})
    assert len(old_repo.events("prompt.submitted")) == 2
    assert cli("verify").status == 0


@pytest.mark.slow
def test_one_record_without_a_newline_is_not_taken_for_a_torn_line(repo, cli, hook):
    path = repo.write(".orchestration/agent_trace.jsonl", line(SPEC))

    hook({"session_id": "s1", "cwd": str(repo.path), "hook_event_name": "UserPromptSubmit", "prompt": "hello"})

    assert path.read_bytes() == line(SPEC)


def test_init_names_a_tracked_ledger_and_changes_nothing_in_it(old_repo, cli):
    answer = cli("init", "--agent", "none")

    assert answer.status == 0
    assert "is an older ledger" in answer.err
    assert "git mv .orchestration/agent_trace.jsonl" in answer.err
    assert old_repo.git("status", "--porcelain", ".orchestration/agent_trace.jsonl") == ""


@pytest.mark.daily(2)
@pytest.mark.parametrize("source", ["agent-trace", "claude-code"])
def test_an_import_into_a_place_that_is_taken_names_the_commands(old_repo, cli, source):
    answer = cli("import", source, ".orchestration/agent_trace.jsonl")

    assert answer.status == 2
    assert "git mv .orchestration/agent_trace.jsonl .orchestration/agent_trace.old.jsonl" in answer.err


@pytest.mark.slow
@pytest.mark.promise("M2")
def test_doctor_names_what_merging_did(old_repo, cli, found):
    path = ".orchestration/agent_trace.jsonl"
    old_repo.commit(files={".gitattributes": "*.md text\n*.jsonl merge=union\n"})
    old_repo.git("checkout", "-q", "-b", "topic")
    old_repo.commit(files={path: text(SPEC, SEED, SEED_FLAT)[:-1]})
    old_repo.git("checkout", "-q", "main")
    old_repo.commit(files={path: text(SPEC, SEED, SEED_COMMAND)})
    old_repo.git("merge", "-q", "topic")

    messages = {row["message"]: row["next"] for row in found()}

    assert any("union driver" in message for message in messages)
    assert "take merge=union for .orchestration/agent_trace.jsonl out of .gitattributes (line 2)" in messages.values()


@pytest.mark.slow
@pytest.mark.promise("M2")
def test_a_conflict_that_nobody_resolved_comes_over_with_both_sides(old_repo, cli, found):
    path = ".orchestration/agent_trace.jsonl"
    cli("init", "--agent", "none")
    old_repo.git("checkout", "-q", "-b", "topic")
    old_repo.commit(files={path: text(SPEC, SEED, SEED_FLAT)})
    old_repo.git("checkout", "-q", "main")
    old_repo.commit(files={path: text(SPEC, SEED, SEED_COMMAND)[:-1]})
    with pytest.raises(subprocess.CalledProcessError):
        old_repo.git("merge", "-q", "topic")

    first, *rest = found()
    assert any("git conflict markers in line 3" in row["message"] for row in rest)
    run(old_repo, cli, first["next"])

    assert len(old_repo.events("mutation.observed")) == 3
    assert received(old_repo.events()) == (old_repo.path / ".orchestration" / "agent_trace.old.jsonl").read_bytes()


@pytest.mark.slow
def test_doctor_counts_what_is_not_imported_yet(repo, cli, ledger, found):
    repo.commit(files={"agent_trace.jsonl": text(SPEC, SEED), ".agent-trace/traces.jsonl": text(SEED_FLAT)[:-1]})

    rows = found()

    assert [(row["level"], row["next"]) for row in rows] == [
        ("warning", "linetrail import agent-trace agent_trace.jsonl"),
        ("warning", "linetrail import agent-trace .agent-trace/traces.jsonl"),
        ("warning", None),
    ]
    assert "no newline at the end" in rows[2]["message"]


@pytest.mark.slow
def test_without_a_path_the_older_ledgers_of_the_repository_are_read(repo, cli, ledger):
    repo.commit(files={"agent_trace.jsonl": text(SPEC), "sub/.orchestration/agent_trace.jsonl": text(SEED)})

    answer = cli("import", "agent-trace", "--json")

    assert [row["imported"] for row in answer.rows] == [1, 1]
    assert cli("import", "agent-trace").out == "2 ledgers, 2 lines: 0 records imported\nrecorded already: 2 records\n"


@pytest.mark.slow
def test_a_tail_of_ours_that_git_tracks_is_an_error_with_the_way_out(repo, cli, hook, found):
    cli("init", "--agent", "none")
    hook({"session_id": "s1", "cwd": str(repo.path), "hook_event_name": "UserPromptSubmit", "prompt": "hello"})
    repo.git("add", "--force", ".orchestration/agent_trace.jsonl")
    repo.git("commit", "-q", "-m", "ledger")

    (finding,) = found()
    assert finding["level"] == "error"
    subprocess.run(finding["next"], shell=True, cwd=repo.path, check=True)

    assert found() == []
    assert repo.lines()
