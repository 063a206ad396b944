"""What follows from a session is there when it is over: nobody has to run a command for it."""

import json
import time

import pytest

from linetrail.ledger.hook.loop import handle
from linetrail.ledger.repository import find
from linetrail.queries.record import intent_map
from linetrail.queries.record.aftermath import work
from tests.gated import BLOCK

MAP = ".orchestration/intent_map.md"
SECONDS = 90


@pytest.fixture
def written(gated, repo):
    """Return a session that wrote a file for an intent."""
    session = gated()
    session.select("INT-001")
    session.write("src/billing/total.py", "def total():\n    return 1\n")
    return session


def classes(repo):
    return [event.data["mutation_class"] for event in repo.events("mutation.classified")]


@pytest.mark.slow
def test_the_map_follows_when_the_ledger_is_sealed(written, repo, cli):
    assert cli("seal").status == 0

    assert "`src/billing/total.py`" in (repo.path / MAP).read_text()
    assert cli("rebuild", "--check").status == 0


@pytest.mark.slow
def test_a_map_that_is_tracked_is_staged_with_the_segments(written, repo, cli):
    repo.write(MAP, "old\n")
    repo.commit("map")

    cli("seal", "--stage")

    assert MAP in repo.git("diff", "--cached", "--name-only").splitlines()


@pytest.mark.slow
def test_who_only_observes_gets_no_map_unless_there_is_one(gated, repo, cli):
    session = gated("enforce: observe\n")
    session.agent.write("a.py", "x = 1\n")

    cli("seal")
    assert not (repo.path / MAP).exists()

    repo.write(MAP, "old\n")
    cli("seal")
    assert "`a.py`" in (repo.path / MAP).read_text()


@pytest.mark.slow
def test_a_map_that_takes_too_long_keeps_nothing_from_being_sealed(written, repo, cli, monkeypatch):
    monkeypatch.setattr(intent_map, "rebuild", lambda *_, **__: time.sleep(30))
    monkeypatch.setattr("linetrail.queries.commands.records.seal.MAP_SECONDS", 0.05)

    answer = cli("seal")

    assert (answer.status, "sealed" in answer.out) == (0, True)
    assert "note: intent_map.md would have taken more than 0.05 s" in answer.err


@pytest.mark.slow
def test_all_that_follows_is_worked_out_in_one_go(written, repo):
    work(find(str(repo.path)))

    assert classes(repo) == ["INTENT_EVOLUTION"]
    assert "INTENT\\_EVOLUTION" in (repo.path / MAP).read_text()


@pytest.mark.parametrize(("setting", "calls"), [("", 1), ("after_session: false\n", 0)])
def test_it_is_started_when_a_session_ends_unless_somebody_forbids_it(gated, repo, setting, calls):
    gated(BLOCK + setting)
    started = []

    for event in ("Stop", "SessionEnd", "SessionEnd"):
        payload = {"session_id": "session-1", "cwd": str(repo.path), "hook_event_name": event, "reason": "exit"}
        handle(
            "claude-code",
            json.dumps(payload).encode(),
            event=None,
            cwd=str(repo.path),
            now=time.time_ns,
            after_session=started.append,
        )

    assert [repository.root for repository in started] == [str(repo.path)] * calls


def test_the_hook_of_an_ending_session_leaves_classes_and_map_behind(written, repo, hook):
    done = hook({"session_id": "session-1", "cwd": str(repo.path), "hook_event_name": "SessionEnd", "reason": "exit"})

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    end = time.monotonic() + SECONDS
    while not (repo.path / MAP).exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert "INTENT\\_EVOLUTION" in (repo.path / MAP).read_text()
    assert classes(repo) == ["INTENT_EVOLUTION"]
