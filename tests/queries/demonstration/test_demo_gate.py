"""`linetrail demo --gate`: two agents on one ledger, and every promise read back from it."""

import importlib.util
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from linetrail.queries.demonstration import play, promises, story
from linetrail.queries.demonstration.dialects import DIALECTS, Deed, Outcome

pytestmark = pytest.mark.in_turn

COMMANDS = pytest.param((), id="with commands")
TOOLS = pytest.param(
    ("--mcp",),
    id="with tools of the server",
    marks=pytest.mark.skipif(importlib.util.find_spec("mcp") is None, reason="needs the extra `mcp`"),
)


@pytest.fixture(scope="module", params=[COMMANDS, TOOLS])
def played(request, tmp_path_factory):
    """Play once, as a person would, and return what was printed and where."""
    place = tmp_path_factory.mktemp("played")
    command = [Path(sys.executable).with_name("linetrail"), "demo", "--gate", *request.param]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done, find(str(place / "linetrail-gate-demo"))


@pytest.fixture
def facts(played):
    return promises.Facts(played[1])


@pytest.mark.slow
def test_everything_that_was_promised_is_in_the_ledger(facts):
    rows = promises.kept(facts)

    assert [row for row in rows.mappings() if not row["ok"]] == []
    assert promises.all_kept(rows)
    assert len(rows.rows) == len(promises.PROMISES)


@pytest.mark.slow
def test_it_tells_what_was_asked_what_was_answered_and_what_is_recorded(played):
    out = played[0].stdout

    for code in ("NO_INTENT", "OUT_OF_SCOPE", "STALE_FILE"):
        assert f"gate       refused {code}: " in out
    assert "AST_REFACTOR  ok" in out
    assert out.count("  ok\n") == len(promises.PROMISES)
    for question in ("blame weather/units.py", "why weather/forecast.py:7", "audit", "verify"):
        assert f"$ linetrail {question}\n" in out
    assert out.endswith("promises kept, as the ledger has it\n")
    assert "next: cd linetrail-gate-demo" in played[0].stderr


@pytest.mark.slow
def test_refused_calls_changed_nothing(played):
    root = Path(played[1].root)

    assert (root / story.OLD).read_text() == story.FILES[story.OLD]
    assert "Builder" not in (root / story.PAGE).read_text()
    shared = (root / story.SHARED).read_text()
    assert "def fahrenheit" in shared
    assert "raise ValueError" in shared


@pytest.mark.slow
def test_both_sessions_are_open_at_once(facts):
    begun = [event.session_id for event in facts.events if event.type in ("session.started", "session.ended")]

    assert Counter(begun) == dict.fromkeys(promises.sessions().values(), 2)
    assert len(set(begun[:2])) == 2


@pytest.mark.slow
def test_every_event_has_the_session_of_one_of_them_or_of_nobody(facts):
    assert {event.session_id for event in facts.events} <= {*promises.sessions().values(), None}


@pytest.mark.slow
def test_what_an_agent_selects_and_records_is_its_session_s(played, facts):
    told = [facts.of(story.ARCHITECT, "decision.recorded"), facts.of(story.BUILDER, "lesson.recorded")]
    tools = {event.data["tool_name"] for event in facts.events if event.type == "tool.completed"}

    assert all(list(events) for events in told)
    assert ("mcp__linetrail__select_active_intent" in tools) == ("select_active_intent(INT-001" in played[0].stdout)
    assert {event.session_id for event in facts.events if event.type == "intent.selected"} == {
        *promises.sessions().values()
    }


@pytest.mark.independent
@pytest.mark.slow
@pytest.mark.parametrize(
    ("missing", "step"),
    [
        pytest.param(lambda event: event.data.get("code") == "NO_INTENT", "a destructive command", id="a refusal"),
        pytest.param(lambda event: event.type == "mutation.classified", "and proved to be one", id="a class"),
        pytest.param(lambda event: event.type == "lesson.recorded", "a lesson is recorded", id="a lesson"),
        pytest.param(lambda event: event.type == "intent.selected", "an intent is selected", id="a selection"),
        pytest.param(
            lambda event: event.type == "mutation.observed", "a refactor is recorded with intent", id="a change"
        ),
    ],
)
def test_what_is_not_in_the_ledger_is_missing(facts, missing, step):
    facts.events = [event for event in facts.events if not missing(event)]

    rows = promises.kept(facts)

    assert not promises.all_kept(rows)
    assert any(row["step"].startswith(step) and not row["ok"] for row in rows.mappings())


@pytest.mark.slow
def test_a_refused_call_that_came_to_its_end_is_no_refusal(facts):
    (denied,) = [
        event for event in facts.events if event.data.get("code") == "OUT_OF_SCOPE" and event.type[:4] == "gate"
    ]
    done = denied._replace(type="tool.completed", data={"tool_call_id": denied.data["tool_call_id"]})
    facts.events.append(done)

    (row,) = [row for row in promises.kept(facts).mappings() if row["code"] == "OUT_OF_SCOPE"]

    assert row["observed"] == "deny OUT_OF_SCOPE, done all the same"
    assert not row["ok"]


@pytest.mark.soak  # it is played twice above
def test_as_json_it_is_one_row_for_each_promise(linetrail, tmp_path):
    place = tmp_path / "place"
    place.mkdir()

    done = linetrail("demo", "--gate", "--json", "mine", cwd=place, env={"LINETRAIL_ENFORCE": "observe"})

    told = json.loads(done.stdout)
    assert done.returncode == 0
    assert told["meta"]["folder"] == str(place / "mine")
    assert tuple(told["rows"][0]) == promises.COLUMNS
    assert all(row["ok"] for row in told["rows"])
    events = {line.event.id for line in Ledger(find(str(place / "mine"))).read()}
    assert {row["event_id"] for row in told["rows"]} <= {*events, None}


def test_a_folder_with_something_in_it_is_left_alone(cli, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "notes").write_text("x")

    answer = cli("demo", "--gate", str(folder), cwd=tmp_path)

    assert answer.status == 2
    assert "not an empty folder" in answer.err
    assert os.listdir(folder) == ["notes"]


def test_tools_are_offered_for_the_gate_alone(cli, tmp_path):
    answer = cli("demo", "--mcp", cwd=tmp_path)

    assert answer.status == 2
    assert "--mcp is for --gate" in answer.err


@pytest.mark.slow
def test_where_an_agent_cannot_go_on_neither_waits_for_the_other(tmp_path):
    folder = str(tmp_path / "mine")
    play.set_the_scene(folder)
    (tmp_path / "mine" / story.SHARED).unlink()
    (tmp_path / "mine" / story.SHARED).mkdir()

    with pytest.raises(play.PlayError, match=r"the Builder stopped: .*Is a directory"):
        play.play(folder)


@pytest.mark.slow
@pytest.mark.parametrize("agent", sorted(DIALECTS))
def test_an_agent_reads_a_refusal_and_silence(agent):
    speaker = DIALECTS[agent]("s1", "/project")

    assert speaker.refusal(b"") is None
    assert speaker.refusal(b"{}") is None
    assert "a.py" in json.dumps(speaker.before(Deed("write", "a.py", "x\n"), 1)["tool_input"])
    assert speaker.after(Deed("edit", "a.py", "y\n", "x\n"), 1, Outcome("", "x\n"))["tool_response"]
