"""`linetrail import claude-code`: in the order in which it happened, and once."""

import json
import os
import shutil
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linetrail.ledger.files import digest
from tests.examples import examples

pytestmark = [pytest.mark.usefixtures("ledger"), pytest.mark.in_turn]


def files(events):
    """Return the one file of each mutation, with who is said to have made it."""
    return [(event.contributor, event.data["via"], event.data["files"][0]) for event in events]


def hashed(text):
    return None if text is None else digest(text.encode())


# Order


def test_sessions_interleave_as_they_happened(repo, talk, imported):
    early, late = talk("early"), talk("late")
    for number in range(3):
        early.now = late.now
        early.prompt(f"early {number}")
        late.now = early.now
        late.prompt(f"late {number}")

    imported(late, early)

    assert [event.data["excerpt"] for event in repo.events("prompt.submitted")] == [
        f"{who} {number}" for number in range(3) for who in ("early", "late")
    ]


def test_a_clock_that_goes_back_does_not_disturb_the_order_of_a_file(repo, talk, imported):
    session = talk()
    for number in range(4):
        session.prompt(f"prompt {number}", timestamp=f"2026-01-05T10:00:0{9 - number}.000Z")

    imported(session)

    assert [event.data["excerpt"] for event in repo.events("prompt.submitted")] == [f"prompt {n}" for n in range(4)]


# Once


def test_a_second_import_brings_nothing_new(repo, long_session, imported):
    first = imported(long_session())
    before = repo.lines()

    second = imported(long_session())

    assert second[0]["imported"] == 0
    assert second[0]["duplicates"] == first[0]["imported"] == len(before)
    assert repo.lines() == before


@pytest.mark.slow
@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pieces=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=4))
def test_however_a_transcript_is_spread_over_files_the_events_are_the_same(
    repo, cli, long_session, tmp_path_factory, pieces
):
    session = long_session()
    whole, spread = tmp_path_factory.mktemp("whole"), tmp_path_factory.mktemp("spread")
    session.save(whole / "all.jsonl")
    count = len(session.lines)
    cut = len(session.lines) // 2
    ranges = [(0, cut + 1), (cut, count), *((min(a, b), max(a, b)) for a, b in pieces)]
    for at, (start, stop) in enumerate(ranges):
        session.save(spread / f"{at}.jsonl", session.lines[start:stop])

    def events_of(folder):
        ledger = repo.path / ".orchestration" / "agent_trace.jsonl"
        ledger.unlink(missing_ok=True)
        shutil.rmtree(repo.path / ".git" / "linetrail" / "tails", ignore_errors=True)
        assert cli("import", "claude-code", str(folder)).status == 0
        told = [event._replace(prev=None) for event in repo.events()]
        for event in told:
            event.data.pop("transcript", None)
        return told

    assert events_of(spread) == events_of(whole)


@pytest.mark.slow
def test_what_one_import_tells_twice_is_not_called_recorded(repo, cli, long_session, tmp_path):
    repo.start_ledger()
    session = long_session()
    for copy in ("a.jsonl", "b.jsonl"):
        session.save(tmp_path / "copies" / copy)

    told = cli("import", "claude-code", str(tmp_path / "copies"), "--dry-run").out

    assert "recorded already" not in told
    first, second = cli("import", "claude-code", str(tmp_path / "copies"), "--json").rows
    assert f"told more than once by what was read: {second['repeated']} events" in told
    assert (first["repeated"], second["imported"]) == (0, 0)
    assert first["imported"] == len(repo.events())
    assert second["repeated"] == second["duplicates"] > 0
    again = cli("import", "claude-code", str(tmp_path / "copies")).out
    assert "recorded already" in again
    assert "told more than once" not in again


def test_a_transcript_that_grew_adds_what_is_new(repo, cli, long_session, tmp_path):
    session = long_session()
    path = session.save(tmp_path / "t.jsonl", session.lines[:5])
    cli("import", "claude-code", str(path))
    before = repo.lines()

    session.save(path)
    cli("import", "claude-code", str(path))

    assert repo.lines()[: len(before)] == before
    assert len({event.id for event in repo.events()}) == len(repo.events())
    assert [entry["after_hash"] for _, _, entry in files(repo.events("mutation.observed"))][-1] == hashed("y\n")


def test_what_the_hooks_recorded_is_not_told_again(repo, hook, talk, imported):
    session = talk(cwd=str(repo.path))
    session.now = session.now.replace(year=2020)
    prompt = {
        "session_id": "session-1",
        "cwd": str(repo.path),
        "hook_event_name": "UserPromptSubmit",
        "prompt": "Add it",
    }
    hook(prompt)
    recorded = repo.events("prompt.submitted")[0]
    session.prompt("Add it", timestamp=recorded.timestamp)
    session.write("a.py", "one\n")
    call = {
        "session_id": "session-1",
        "cwd": str(repo.path),
        "tool_name": "Write",
        "tool_use_id": f"toolu_session-1_{session.calls:06d}_full",
        "tool_input": {"file_path": session.place("a.py"), "content": "one\n"},
    }
    hook(call | {"hook_event_name": "PreToolUse"})
    repo.write("a.py", "one\n")
    hook(call | {"hook_event_name": "PostToolUse", "tool_response": {"filePath": session.place("a.py")}})

    imported(session)

    counted = [len(repo.events(kind)) for kind in ("prompt.submitted", "tool.requested", "tool.completed")]
    assert counted == [1, 1, 1]
    assert [event.data["via"] for event in repo.events("mutation.observed")] == ["tool"]


@pytest.mark.parametrize(("minutes", "prompts"), [(-2, 2), (-1, 1), (1, 1), (2, 2)])
def test_a_prompt_that_a_hook_recorded_in_the_minute_beside_is_not_told_again(
    repo, talk, agent, imported, minutes, prompts
):
    agent("session-1").prompt("Add it")
    recorded = datetime.fromisoformat(repo.events("prompt.submitted")[0].timestamp)
    session = talk("session-1")
    session.prompt("Add it", timestamp=(recorded + timedelta(minutes=minutes)).isoformat())

    imported(session)

    assert len(repo.events("prompt.submitted")) == prompts


def test_a_copy_that_a_fork_made_belongs_to_the_session_it_was_copied_from(repo, talk, imported):
    origin, fork = talk("origin"), talk("fork", after=60)
    origin.prompt("Begin")
    name = json.loads(origin.lines[0])["uuid"]
    copied = json.loads(origin.lines[0])["timestamp"]
    fork.prompt("Begin", timestamp=copied, forkedFrom={"sessionId": "origin", "messageUuid": name})
    fork.prompt("Differently")

    imported(fork, origin)

    assert [(event.session_id, event.data["excerpt"]) for event in repo.events("prompt.submitted")] == [
        ("origin", "Begin"),
        ("fork", "Differently"),
    ]


@pytest.mark.slow
def test_a_dry_run_writes_nothing(repo, long_session, imported):
    session = long_session()

    (row,) = imported(session, options=["--dry-run"])

    assert row["imported"] > 0
    assert os.listdir(repo.path / ".orchestration") == []
