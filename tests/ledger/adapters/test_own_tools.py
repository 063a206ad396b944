"""Our own tools under the names that agents give them, and others that are only called alike."""

import pytest

from linetrail.ledger.adapters.adapter import own_tool
from linetrail.ledger.gate.inputs import problem
from linetrail.ledger.hook.handshake import from_tool


@pytest.mark.parametrize(
    "name",
    [
        "mcp__linetrail__select_active_intent",
        "mcp__ledger__select_active_intent",
        "mcp__plugin_linetrail_linetrail__select_active_intent",
        "mcp_linetrail_select_active_intent",
        "MCP:select_active_intent",
        "MCP:linetrail:select_active_intent",
        "MCP:linetrail__select_active_intent",
        "@linetrail/select_active_intent",
        "linetrail/select_active_intent",
        "linetrail_select_active_intent",
        "linetrail-select_active_intent",
        "linetrail__select_active_intent",
        "ledger___select_active_intent",
    ],
)
def test_every_agent_s_spelling_of_a_tool_of_ours_is_a_wish(name):
    wish = from_tool(name, {"intent_id": "INT-001", "reasoning": "rounding", "switch": True})

    assert wish.verb == "select_active_intent"
    assert (wish.intent_id, wish.reasoning, wish.switch) == ("INT-001", "rounding", True)
    assert problem(name, {"intent_id": 1}) == "select_active_intent: `intent_id` must be text, and is a number"


@pytest.mark.parametrize(
    "name",
    [
        "select_active_intent",
        "mcp__tracker__select_active_intent",
        "mcp__linetrail_evil__select_active_intent",
        "mcp__not_linetrail__select_active_intent",
        "mcp__plugin_linetrail_tracker__select_active_intent",
        "mcp__linetrail__select_active_intent__x",
        "mcp__linetrail__delete_everything",
        "mcp_tracker_select_active_intent",
        "MCP:tracker:select_active_intent",
        "MCP:why",
        "MCP:clear",
        "@tracker/select_active_intent",
        "xlinetrail_select_active_intent",
        "linetrail.select_active_intent",
        "linetrail_select_active_intent\n",
        "",
    ],
)
def test_a_tool_that_is_only_called_like_one_of_ours_is_none(name):
    assert own_tool(name) is None
    assert from_tool(name, {"intent_id": "INT-001"}) is None
