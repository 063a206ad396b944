"""What is promised of each agent in docs/agents.md: no more than its adapter does."""

import re

import pytest

from linetrail.ledger.adapters.adapter import adapter
from linetrail.ledger.adapters.agent import CALL, PROMPT, RESULT, START
from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.ledger.agents import AGENTS
from linetrail.ledger.errors import PayloadError
from linetrail.ledger.event.signal import Answer
from linetrail.queries.setup.instructions import EVERY_FILE
from tools import make_agents as table

MOMENTS = {
    START: {"SessionStart", "sessionStart", "session.created", "session.start", "agentSpawn", "TaskStart"},
    PROMPT: {
        "UserPromptSubmit",
        "beforeSubmitPrompt",
        "BeforeAgent",
        "chat.message",
        "userPromptSubmit",
        "agent.start",
    },
    RESULT: {"PostToolUse", "postToolUse", "AfterTool", "tool.execute.after", "post_write_code", "tool.result"},
}
# Known to one of two agents that share a file.
NOT_HEARD = {("vscode-copilot", "PostToolUseFailure"), ("vscode-copilot", "SessionEnd")}


@pytest.fixture(params=CATALOGUE.values(), ids=list(CATALOGUE))
def row(request):
    return request.param


def test_the_page_says_what_the_catalogue_says():
    assert table.PAGE.read_text("utf-8") == table.page(), "write it: just agents"


def test_the_readme_names_every_agent():
    readme = table.README.read_text("utf-8")

    assert readme == table.readme(), "write it: just agents"
    assert [row.title for row in CATALOGUE.values() if re.split(r",| \(", row.title)[0] not in readme] == []


def test_a_hook_knows_of_all_agents_what_their_modules_say():
    assert table.INDEX.read_text("utf-8") == table.index(), "write it: just agents"
    assert table.ENTRY.read_text("utf-8") == table.entry(), "write it: just agents"


def test_every_agent_of_the_command_line_is_in_the_catalogue():
    assert set(CATALOGUE) == set(AGENTS)


def test_a_call_is_stopped_at_events_that_are_heard_and_that_the_adapter_can_answer(row):
    assert row.gates
    assert {*row.gates} <= {*row.tool_events} <= {*row.events}
    assert {*row.gates} <= {*adapter(row.name).GATED}


def test_every_event_that_is_installed_is_one_that_the_adapter_knows(row):
    for event in row.events:
        assert kind(row.name, event) != "other" or (row.name, event) in NOT_HEARD


def test_facts_are_promised_only_where_the_adapter_tells_them(row):
    moments = MOMENTS | {CALL: row.gates}
    for moment in row.marks.inject:
        assert any(tells(row.name, event) for event in row.events if event in moments[moment]), moment


def test_a_denial_has_a_form_in_every_agent(row):
    for event in row.gates:
        said = adapter(row.name).reply(event, Answer("deny", "because of 1"))
        assert b"because of 1" in said.stdout + said.stderr


def test_no_agent_is_told_its_order_of_steps_in_a_file_that_undo_does_not_know(row):
    assert row.instructions in EVERY_FILE


def test_what_a_person_has_to_do_is_said(row):
    assert row.trust.endswith(".")
    assert all(limit.endswith(".") for limit in row.limits)


def kind(agent, event):
    """Return what an event is to the adapter; a call of which nothing is known is one all the same."""
    try:
        return adapter(agent).read({"tool_name": "x", "hook": event, "event": {"type": event}}, event).kind
    except PayloadError:
        return "refused"


def tells(agent, event):
    said = adapter(agent).reply(event, Answer(context="a fact"))
    return b"a fact" in said.stdout
