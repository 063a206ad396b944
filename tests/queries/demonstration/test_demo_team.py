"""`linetrail demo --team`: a team in worktrees, one conflict, and every promise read back from the ledger."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from linetrail.ledger.repository import find
from linetrail.queries.demonstration import promises, team
from linetrail.queries.demonstration.promises import Facts
from linetrail.queries.demonstration.story import TEAM

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Play once, as somebody whom git does not know, and return the answer."""
    place = tmp_path_factory.mktemp("played")
    nobody = {"HOME": str(place), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    command = [Path(sys.executable).with_name("linetrail"), "demo", "--team", "--json"]
    done = subprocess.run(
        command, cwd=place, env=os.environ | nobody, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_every_promise_is_kept_and_all_that_can_be_is_an_event_of_the_ledger(played):
    known = {event.id for event in Facts(find(played["meta"]["folder"]), TEAM).events}

    assert [row["step"] for row in played["rows"] if not row["ok"]] == []
    assert len(played["rows"]) == len(team.PROMISES)
    assert {row["event_id"] for row in played["rows"]} - {None} <= known


def test_three_agents_worked_in_worktrees_of_their_own_and_all_of_it_landed(played):
    folder = played["meta"]["folder"]
    rows = team.sessions()
    found = Facts(find(folder), TEAM)
    branches = {event.session_id: event.vcs.branch for event in found.events if event.type == "mutation.observed"}

    assert [branches[rows[name]] for name in ("Builder of totals", "Builder of payment", "Tester")] == [
        "lt/INT-002",
        "lt/INT-003",
        "lt/INT-004",
    ]
    assert 'currency="EUR"' in Path(folder, "shop/pay/card.py").read_text()
    assert "test_empty" in Path(folder, "tests/test_cart.py").read_text()
    assert not Path(folder, "docs").exists()


@pytest.mark.parametrize(
    ("missing", "says"),
    [
        pytest.param("intent.created", "it plans three intents", id="a plan"),
        pytest.param("work.moved", "the first work lands", id="a landing"),
        pytest.param("decision.recorded", "who goes first is a decision", id="a decision"),
        pytest.param("gate.decided", "a tester changes tests alone", id="a refusal"),
    ],
)
def test_what_is_not_in_the_ledger_is_missing(played, missing, says):
    facts = Facts(find(played["meta"]["folder"]), TEAM)
    facts.events = [event for event in facts.events if event.type != missing]
    (promise,) = (one for one in team.PROMISES if one.says == says)

    rows = promises.kept(facts, [promise], team.CHECKS)

    assert not promises.all_kept(rows)
