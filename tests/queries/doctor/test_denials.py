"""What an agent takes an answer for: the golden answers of every protocol, and answers that nobody would hear."""

import json
from pathlib import Path

import pytest

from linetrail.ledger.agents import AGENTS
from linetrail.queries.doctor.calls import DENIED, LET_THROUGH, Said, meaning

INDEX = json.loads((Path(__file__).parents[2] / "payloads" / "index.json").read_text())
ANSWERS = [
    (one["agent"].replace("cline-vscode", "cline"), one)
    for one in INDEX["responses"]
    if one["verdict"] in ("deny", "pass")
]
JSON_AGENTS = sorted(set(AGENTS) - {"windsurf", "kiro-cli"})


def said(stdout="", stderr="", status=0):
    return Said(stdout.encode(), stderr.encode(), status)


@pytest.mark.parametrize(
    ("agent", "one"), [pytest.param(*one, id=f"{one[0]}-{one[1]['event']}-{one[1]['verdict']}") for one in ANSWERS]
)
def test_the_golden_answers_mean_what_they_say(agent, one):
    wanted = {"deny": DENIED, "pass": LET_THROUGH}[one["verdict"]]

    assert meaning(agent, one["event"], said(one["stdout"], one["stderr"], one["exit"])) == wanted


def test_every_agent_that_denies_has_a_golden_answer():
    assert {agent for agent, one in ANSWERS if one["verdict"] == "deny"} >= set(AGENTS) - {"factory-droid"}


@pytest.mark.parametrize("agent", JSON_AGENTS)
@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(said(status=1), id="an exit status"),
        pytest.param(said(stderr="no", status=2), id="exit 2"),
        pytest.param(said("no"), id="no JSON"),
        pytest.param(said("[]"), id="no object"),
        pytest.param(said('{"permissionDecision": "allow"}'), id="an allow that nobody asked for"),
        pytest.param(said('{"hookSpecificOutput": []}'), id="of another type"),
    ],
)
def test_what_is_neither_is_wrong(agent, answer):
    assert meaning(agent, "PreToolUse", answer) not in (DENIED, LET_THROUGH)


def test_codex_passes_over_a_denial_with_a_key_it_does_not_know():
    inner = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}

    assert meaning("codex", "PreToolUse", said(json.dumps({"hookSpecificOutput": inner}))) == DENIED
    more = {"hookSpecificOutput": inner, "systemMessage": "no"}
    assert meaning("codex", "PreToolUse", said(json.dumps(more))) != DENIED
    assert meaning("claude-code", "PreToolUse", said(json.dumps(more))) == DENIED


@pytest.mark.parametrize("agent", ["windsurf", "kiro-cli"])
def test_where_a_status_says_it_the_reason_is_on_stderr(agent):
    assert meaning(agent, "e", said(stderr="no", status=2)) == DENIED
    assert meaning(agent, "e", said()) == LET_THROUGH
    for wrong in (said(status=2), said(status=1, stderr="no"), said("{}")):
        assert meaning(agent, "e", wrong) not in (DENIED, LET_THROUGH)


def test_silence_is_no_answer_to_cursor():
    assert "said nothing" in meaning("cursor", "preToolUse", said())
