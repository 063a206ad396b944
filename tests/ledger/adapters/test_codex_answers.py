"""Codex closes the schemas of its answers: what they do not know makes a hook fail, and the tool run.

The rules are those of `codex-rs/hooks/schema/generated/*.command.output.schema.json`, in words of our own.
"""

import json

import jsonschema
import pytest

from linetrail.ledger.adapters import codex
from linetrail.ledger.event.signal import Answer

TEXT = {"type": ["string", "null"]}
REASON = {"type": "string", "pattern": r"\S"}
# events that may be told facts, and what else stands beside these
TOLD = {
    "SessionStart": {},
    "SubagentStart": {},
    "UserPromptSubmit": {},
    "PostToolUse": {"updatedMCPToolOutput": {"type": "null"}},
    "PreToolUse": {
        "permissionDecision": {"enum": ["deny"]},
        "permissionDecisionReason": REASON,
        "updatedInput": False,  # with it comes `allow`, which is never said
    },
}
DECIDED = ("PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop")
EVENTS = (*TOLD, "Stop", "SubagentStop", "PreCompact", "PostCompact", "SessionEnd", "Interrupt")
VERDICTS = {"PreToolUse", "Stop", "SubagentStop"}


def schema(event):
    known = {"systemMessage": TEXT, "continue": {"const": True}, "suppressOutput": {"const": False}}
    if event in TOLD:
        names = {"hookEventName": {"const": event}, "additionalContext": TEXT} | TOLD[event]
        needs = {"permissionDecision": ["permissionDecisionReason"], "permissionDecisionReason": ["permissionDecision"]}
        nested = {"properties": names, "required": ["hookEventName"], "dependentRequired": needs}
        known["hookSpecificOutput"] = {"type": "object", "additionalProperties": False} | nested
    if event in DECIDED:
        known |= {"decision": {"const": "block"}, "reason": REASON}
    closed = {"type": "object", "additionalProperties": False, "properties": known}
    return closed | {"dependentRequired": {"decision": ["reason"]}}


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(Answer(), id="nothing"),
        pytest.param(Answer(context="Active intent: INT-001.\nOwned paths: src/**"), id="facts"),
        pytest.param(Answer("deny", "Refused\nWhy: out of scope"), id="a denial"),
        pytest.param(Answer("deny", ""), id="a denial without a reason"),
        pytest.param(Answer("ask", "a person is asked"), id="a question, which nobody would see"),
    ],
)
def test_an_answer_keeps_to_the_schema_of_its_event(event, answer):
    said = codex.reply(event, answer)

    assert (said.stderr, said.exit_code) == (b"", 0)
    if said.stdout:
        jsonschema.validate(json.loads(said.stdout), schema(event))
    assert bool(said.stdout) == bool(event in VERDICTS if answer.verdict else answer.context and event in TOLD)
