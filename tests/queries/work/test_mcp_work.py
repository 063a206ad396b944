"""The tools for several agents at work answer what their commands answer with --json, and are judged like these."""

import json

import pytest

from linetrail.ledger.adapters.adapter import COMMANDS

pytestmark = pytest.mark.slow

DONE = "def total(items):\n    return round(sum(items), 2)\n"


def rows(answer):
    assert answer.keys() >= {"schema_version", "meta", "rows"}, answer
    return answer["rows"]


def test_work_is_planned_begun_given_back_and_landed_by_tools(shop, speaker, cli):
    server = speaker()

    plan = server.call("plan_intents", intent_ids=["INT-001", "INT-002"], risk=0.5)
    (begun,) = rows(server.call("start_intent", intent_id="INT-001", session_handle="planner"))
    with open(f"{begun['worktree']}/src/cart/total.py", "w", encoding="utf-8") as file:
        file.write(DONE)
    working = {row["intent_id"]: row for row in rows(server.call("who_is_working"))}
    (given,) = rows(server.call("give_back", intent_id="INT-001"))
    (landed,) = rows(server.call("land_intents", check="grep -q round src/cart/total.py", seconds=60))

    assert plan == json.loads(cli("plan", "INT-001", "INT-002", "--risk", "0.5", "--json").out)
    assert working["INT-001"]["files"] == ["src/cart/total.py"]
    assert [change["path"] for change in given["files"]] == ["src/cart/total.py"]
    assert (landed["outcome"], landed["revision"]) == ("landed", shop.git("rev-parse", "HEAD").strip())
    moves = shop.events("work.moved")
    assert {(event.contributor, event.agent.name) for event in moves} == {("ai", "test-client")}
    assert moves[0].session_id == "planner"


def test_a_tool_says_what_its_command_would(shop, speaker):
    server = speaker()

    asked = {
        "give_back": {"intent_id": "INT-001"},
        "start_intent": {"intent_id": "INT-004"},
        "arbitrate_intents": {"one": "INT-001", "other": "INT-001"},
        "plan_intents": {"risk": 7},
        "land_intents": {"seconds": 0},
    }
    said = {tool: server.call(tool, **given) for tool, given in asked.items()}

    assert (said["give_back"]["code"], said["give_back"]["next"]) == ("WORK", "linetrail start INT-001")
    assert "INT-004 waits for INT-002" in said["start_intent"]["message"]
    assert "name two intents" in said["arbitrate_intents"]["message"]
    assert "'7' is no number from 0 to 1" in said["plan_intents"]["message"]
    assert said["land_intents"]["code"] == "INVALID_INPUT"
    assert shop.events("work.moved") == []


def test_what_only_a_person_may_no_tool_does_and_no_argument_is_an_option(shop, speaker):
    server = speaker()

    accepted = server.call("land_intents", accept=True)
    option = server.call("land_intents", intent_ids=["--accept"])
    strange = server.call("plan_intents", dot=True)

    assert accepted["code"] == "ONLY_A_PERSON"
    assert "would be read as an option" in option["message"]
    assert "there is no argument `dot`" in strange["message"]


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        pytest.param("start_intent", {"intent_id": "INT-001", "command": ["rm", "-rf", "src"]}, id="start a command"),
        pytest.param("land_intents", {"check": "rm -rf src"}, id="land with a check"),
        pytest.param("arbitrate_intents", {"one": "INT-001", "other": "INT-003"}, id="arbitrate"),
        pytest.param("plan_intents", {}, id="plan"),
        pytest.param("who_is_working", {}, id="workers"),
    ],
)
def test_a_call_is_judged_like_the_command_it_stands_for(shop, agent, tool, given):
    shop.write(".orchestration/config.yaml", "enforce: block\n")
    session = agent("session-1")
    words = " ".join(["linetrail", COMMANDS[tool], *given.get("intent_ids", ()), *map(str, given.get("command", ()))])

    with session.tool(f"mcp__linetrail__{tool}", given, {}):
        pass
    with session.tool("Bash", {"command": words}, {}):
        pass

    by_tool, by_command = shop.events("gate.decided")[-2:]
    assert (by_tool.data["verdict"], by_tool.data["code"]) == (by_command.data["verdict"], by_command.data["code"])
    assert (by_tool.data["verdict"] == "allow") == (tool in ("plan_intents", "who_is_working"))
