"""Checking out an intent: who may, and what each refusal says."""

import pytest

from linetrail.ledger.gate.policy import Policy, compile_intents
from linetrail.ledger.gate.settings import Settings
from linetrail.ledger.hook.handshake import Wish, completion_objection, from_tool, from_words, objection
from linetrail.ledger.intents.intent import Intent

OPEN = Intent("INT-001", "Round totals", "IN_PROGRESS", ("src/**",), 1, criteria=("tests pass",))
BLOCKED = Intent("INT-003", "Cards", "BLOCKED", ("src/cards/**",), 9, blocked_reason="no contract yet")
DONE = Intent("INT-002", "Export", "DONE", ("src/export/**",), 5)
FLAWED = Intent("INT-005", "Odd", "DRAFT", (), 12, flaws=("EMPTY_SCOPE: it owns no file",))
POLICY = Policy(Settings(mode="block"), None, compile_intents((OPEN, DONE, BLOCKED, FLAWED)), None, "sha256:0")


def refused(intent_id, current=None, policy=POLICY, **wish):
    found = objection(policy, Wish("select_active_intent", intent_id, **wish), current)
    return None if found is None else (found.code, found.reason)


@pytest.mark.parametrize(
    ("intent_id", "code", "said"),
    [
        pytest.param("INT-999", "INTENT_NOT_FOUND", "Available intents: INT-001", id="not there"),
        pytest.param("int-1", "INVALID_INTENT_ID", "Expected format: INT-XXX", id="no id"),
        pytest.param("INT-003", "INTENT_BLOCKED", "Reason: no contract yet", id="blocked"),
        pytest.param("INT-002", "INTENT_CLOSED", "has status 'DONE'", id="done"),
        pytest.param("INT-005", "INTENT_FLAWED", "it owns no file", id="with a mistake in it"),
        pytest.param("", "INVALID_INTENT_ID", "''", id="none named"),
    ],
)
def test_an_intent_that_cannot_be_worked_on_is_refused_with_the_reason(intent_id, code, said):
    found = refused(intent_id)

    assert found[0] == code
    assert said in found[1]


def test_where_nothing_is_refused_a_mistake_in_an_intent_keeps_nobody_from_selecting_it():
    assert refused("INT-005", policy=POLICY._replace(settings=Settings())) is None


def test_an_open_intent_is_selected_once_and_again():
    assert refused("INT-001") is None
    assert refused("INT-001", current="INT-001") is None


def test_a_second_intent_waits_until_the_first_is_cleared_or_left_on_purpose():
    other = OPEN._replace(id="INT-007")
    policy = POLICY._replace(intents=compile_intents((OPEN, other)))

    assert refused("INT-007", "INT-001", policy) == (
        "INTENT_ALREADY_ACTIVE",
        "Intent 'INT-001' is already active in this session. Clear the current intent before selecting a new one",
    )
    assert refused("INT-007", "INT-001", policy, switch=True) is None


def test_a_registry_that_is_not_there_or_cannot_be_read_is_named():
    missing = POLICY._replace(intents=compile_intents(()), registry_digest=None)
    torn = POLICY._replace(
        intents=compile_intents(()), registry_error="active_intents.yaml:12: not YAML: unexpected end"
    )

    assert refused("INT-001", policy=missing)[0] == "REGISTRY_UNREADABLE"
    assert refused("INT-001", policy=torn)[0] == "REGISTRY_MALFORMED"
    assert ":12:" in refused("INT-001", policy=torn)[1]


@pytest.mark.parametrize(
    ("intent_id", "notes", "current", "code"),
    [
        pytest.param("INT-001", "42 tests pass", "INT-001", None, id="with evidence"),
        pytest.param("INT-001", None, "INT-001", "NOTES_MISSING", id="without evidence"),
        pytest.param("INT-001", "done", "INT-009", "INTENT_NOT_ACTIVE", id="while another is selected"),
        pytest.param("INT-002", "done", None, "INTENT_CLOSED", id="done already"),
        pytest.param("INT-999", "done", None, "INTENT_NOT_FOUND", id="unknown"),
    ],
)
def test_an_intent_is_completed_by_who_works_on_it_and_with_evidence(intent_id, notes, current, code):
    found = completion_objection(POLICY, Wish("complete_intent", intent_id, notes), current)

    assert (found and found.code) == code


@pytest.mark.parametrize(
    ("words", "verb"),
    [
        (["linetrail", "select", "INT-001"], "select_active_intent"),
        (["/opt/bin/linetrail", "select", "INT-001", "--switch"], "select_active_intent"),
        (["git", "linetrail", "select", "INT-001"], "select_active_intent"),
        (["linetrail", "select", "--clear"], "clear_active_intent"),
        (["linetrail", "select"], "get_active_intent"),
        (["linetrail", "intents", "list"], "list_active_intents"),
        (["linetrail", "intents", "done", "INT-001", "--notes", "ok"], "complete_intent"),
        (["linetrail", "intents", "add", "INT-009"], None),
        (["linetrail", "select", "INT-001", "--session", "other"], None),
        (["linetrail", "-C", "elsewhere", "select", "INT-001"], None),
        (["linetrail", "select", "INT-001", "INT-002"], None),
        (["not-linetrail", "select", "INT-001"], None),
        (["git", "select", "INT-001"], None),
        ([], None),
    ],
)
def test_a_command_line_is_read_as_a_wish_only_where_it_is_one(words, verb):
    found = from_words(words)

    assert (found and found.verb) == verb


def test_a_tool_of_any_server_is_read_as_a_wish_and_nothing_else_is():
    asked = {"intent_id": "INT-001", "reasoning": "rounding", "expected_mutations": ["src/a.py", 7]}

    assert from_tool("mcp__ledger__select_active_intent", asked) == Wish(
        "select_active_intent", "INT-001", "rounding", ("src/a.py",)
    )
    assert from_tool("mcp__ledger__select_active_intent", {"intent_id": 7}).intent_id is None
    assert from_tool("mcp__linetrail__clear", {}).verb == "clear_active_intent"
    assert from_tool("mcp__cache__clear", {}) is None
    assert from_tool("mcp__ledger__delete_everything", asked) is None
    assert from_tool("select_active_intent", asked) is None
