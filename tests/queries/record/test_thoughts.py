"""What agents thought is recorded where a person asked for it, once, in excerpts, and nowhere else."""

import hashlib
import json
import os

import pytest

from linetrail.ledger.event.commitments import salted
from linetrail.ledger.redact.redactor import private_folder
from linetrail.ledger.repository import find
from linetrail.queries.record.aftermath import work
from tests.queries.conftest import Transcript

SECRET = "ghp_" + "a1B2c3D4e" * 4
THOUGHT = "Rounding late is safer, because sums of rounded amounts drift. " * 5


def thinking(text, **more):
    return {"type": "thinking", "thinking": text, "signature": "c2ln"} | more


@pytest.fixture
def session(talk):
    told = talk()
    told.prompt("Round totals")
    told.answer(thinking(THOUGHT), {"type": "text", "text": "Done."})
    told.answer({"type": "redacted_thinking", "data": "eA=="}, thinking("   "), thinking(None))
    return told


def test_nothing_is_recorded_unless_somebody_asks(repo, ledger, imported, session):
    imported(session)

    assert not repo.events("thought.recorded")
    assert THOUGHT.encode()[:30] not in b"".join(repo.lines())


def test_an_excerpt_a_length_and_a_commitment_are_recorded_once(repo, ledger, imported, session):
    imported(session)

    imported(session, options=["--thoughts"])
    imported(session, options=["--thoughts"])

    (event,) = repo.events("thought.recorded")
    assert event.session_id == "session-1"
    assert (event.contributor, event.agent.name) == ("ai", "claude-code")
    assert (len(event.data["excerpt"]), event.data["length"]) == (200, len(THOUGHT))
    assert event.data["prompt_id"] == repo.events("prompt.submitted")[0].data["prompt_id"]
    folder = private_folder(find(str(repo.path)))
    assert salted(folder, "session-1")[event.id]
    assert hashlib.sha256(THOUGHT.encode()).hexdigest().encode() not in b"".join(repo.lines())


@pytest.mark.slow
def test_secrets_and_hostile_signs_stay_out(repo, ledger, imported, talk, cli):
    told = talk()
    told.prompt("x")
    told.answer(thinking(f"the token {SECRET} \x1b[31m\u202e"))
    imported(told, options=["--thoughts"])

    assert SECRET.encode() not in b"".join(repo.lines())
    assert "\x1b" not in cli("show", "session-1").out


@pytest.mark.slow
def test_the_settings_ask_for_it_and_sealing_reads_what_is_new(repo, agent, cli, session, home):
    repo.write(".orchestration/config.yaml", "thoughts: record\n")
    agent("session-1")
    session.cwd = str(repo.path)
    told = Transcript("session-1", str(repo.path), 0)
    told.prompt("Round totals")
    told.answer(thinking(THOUGHT))
    folder = home / ".claude" / "projects" / "".join(c if c.isalnum() else "-" for c in os.path.realpath(repo.path))
    told.save(folder / "session-1.jsonl")
    unknown = Transcript("session-2", str(repo.path), 60)
    unknown.prompt("another")
    unknown.answer(thinking("of a session that the ledger does not have"))
    unknown.save(folder / "session-2.jsonl")

    assert cli("seal").status == 0
    told.answer(thinking("A second thought"))
    told.save(folder / "session-1.jsonl")
    assert cli("seal").status == 0
    assert cli("seal").out == "nothing to seal\n"

    assert [event.data["excerpt"][:8] for event in repo.events("thought.recorded")] == ["Rounding", "A second"]
    assert {event.type for event in repo.events()} == {"session.started", "thought.recorded"}


@pytest.mark.slow
def test_the_whole_of_a_thought_is_read_on_this_machine_until_it_is_erased(repo, ledger, imported, session, cli):
    imported(session, options=["--thoughts"])
    (event,) = repo.events("thought.recorded")

    assert cli("show", event.id, "--json").rows[0]["text"] == THOUGHT
    kept = [file for file in (repo.path / ".orchestration/objects").rglob("*") if file.is_file()]
    assert not [file for file in kept if THOUGHT.encode()[:30] in file.read_bytes()]

    assert cli("erase", event.data["commitment"], "--reason", "private").status == 0
    imported(session, options=["--thoughts"])

    assert "text" not in cli("show", event.id, "--json").rows[0]
    assert [file.stat().st_size for file in kept if event.data["commitment"][9:] in str(file)] == [0]


@pytest.mark.slow
def test_thoughts_are_read_when_a_session_ends(repo, agent, home):
    repo.write(".orchestration/config.yaml", "thoughts: record\n")
    agent("session-1")
    told = Transcript("session-1", str(repo.path), 0)
    told.prompt("Round totals")
    told.answer(thinking(THOUGHT))
    name = "".join(c if c.isalnum() else "-" for c in os.path.realpath(repo.path))
    told.save(home / ".claude" / "projects" / name / "session-1.jsonl")

    work(find(str(repo.path)))

    assert [event.data["length"] for event in repo.events("thought.recorded")] == [len(THOUGHT)]


@pytest.mark.slow
def test_a_thought_is_shown_with_its_session_and_in_the_tables(repo, ledger, imported, session, cli):
    imported(session, options=["--thoughts"])

    (row,) = cli("sql", "select session_id, thought_length from v_thoughts", "--json").rows
    (shown,) = cli("show", "session-1", "--json").rows

    assert row == {"session_id": "session-1", "thought_length": len(THOUGHT)}
    assert shown["thoughts"][0]["thought_excerpt"].startswith("Rounding late")


@pytest.mark.slow
def test_the_thought_behind_a_line_is_shown_in_full(repo, ledger, imported, talk, cli):
    told = talk(cwd=str(repo.path))
    told.prompt("Round totals")
    told.answer(thinking(THOUGHT))
    told.write("a.py", "total = round(sum)\n")
    told.answer(thinking("An afterthought"))
    imported(told, options=["--thoughts"])
    repo.write("a.py", "total = round(sum)\n")

    assert 'thought  "Rounding late is safer' in cli("why", "a.py:1", "--full").out
    assert "Rounding late" not in cli("why", "a.py:1").out
    (row,) = cli("why", "a.py:1", "--json").rows
    assert [thought["thought_length"] for thought in row["thoughts"]] == [len(THOUGHT)]


def test_erasing_a_session_takes_the_salts_of_its_thoughts(repo, ledger, imported, session, cli):
    imported(session, options=["--thoughts"])
    (event,) = repo.events("thought.recorded")

    assert cli("erase", event.id).status == 0

    assert salted(private_folder(find(str(repo.path))), "session-1")[event.id] is False


@pytest.mark.in_turn
@pytest.mark.slow
def test_a_setting_that_is_none_is_an_error(repo, ledger, cli):
    repo.write(".orchestration/config.yaml", "thoughts: all\n")

    assert "expected one of off, record" in cli("doctor").out + cli("doctor").err


def test_only_transcripts_have_thoughts(repo, ledger, cli):
    assert cli("import", "gitai-notes", "--thoughts").status == 2


@pytest.mark.in_turn
@pytest.mark.slow
def test_a_transcript_that_cannot_be_read_keeps_nothing_from_being_sealed(repo, agent, cli, home):
    repo.write(".orchestration/config.yaml", "thoughts: record\n")
    agent("session-1")
    folder = home / ".claude" / "projects" / "".join(c if c.isalnum() else "-" for c in os.path.realpath(repo.path))
    folder.mkdir(parents=True)
    (folder / "bad.jsonl").write_bytes(b"\xff\xfe{\n" + json.dumps({"cwd": str(repo.path)}).encode() + b"\n")

    assert cli("seal").status == 0
