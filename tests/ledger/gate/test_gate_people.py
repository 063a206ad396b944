"""Where the gate leaves a call to a person: asked in the agent's dialog, or through a command."""

import pytest

from tests.gated import BLOCK, structured, verdicts


def test_a_person_is_asked_where_nobody_knows_the_tool(gated):
    session = gated()

    told = session.ask("mcp__tracker__close_everything", project="x")

    assert told["permissionDecision"] == "ask"
    assert structured(told)["code"] == "UNKNOWN_TOOL"
    assert session.code(session.ask("mcp__fs__write", path=".orchestration/config.yaml")) == "PROTECTED_PATH"


def test_where_there_is_no_dialog_an_approval_waits_and_lets_the_call_through_once(gated, cli, repo):
    session = gated()

    def ask():
        session.agent.calls += 1
        return session.agent.send(
            "PreToolUse",
            permission_mode="dontAsk",
            tool_name="mcp__tracker__close",
            tool_input={"id": 7},
            tool_use_id=f"toolu_{session.agent.calls}",
        )

    told = ask()
    assert (told["permissionDecision"], structured(told)["code"]) == ("deny", "APPROVAL_PENDING")
    approval = repo.events("gate.decided")[-1].data["approval_id"]
    assert cli("approve", approval).status == 0

    assert ask() == {}
    assert structured(ask())["code"] == "APPROVAL_PENDING"
    assert verdicts(repo)[1] == ("allow", "APPROVED")


@pytest.mark.parametrize("permission_mode", ["default", "dontAsk"])
def test_a_person_approves_each_selection_where_that_is_configured(gated, cli, repo, permission_mode):
    session = gated(f"{BLOCK}approve_selection: true\n")
    given = {"tool_name": "mcp__linetrail__select_active_intent", "tool_input": {"intent_id": "INT-001"}}

    told = session.agent.send("PreToolUse", tool_use_id="t1", permission_mode=permission_mode, **given)

    if permission_mode == "default":
        assert (told["permissionDecision"], session.code(told)) == ("ask", "SELECTION_TO_APPROVE")
    else:
        assert (told["permissionDecision"], session.code(told)) == ("deny", "APPROVAL_PENDING")
        cli("approve", repo.events("gate.decided")[-1].data["approval_id"])
        assert session.agent.send("PreToolUse", tool_use_id="t2", permission_mode=permission_mode, **given) == {}


def test_an_answer_that_is_not_in_the_ledger_was_given_by_nobody(gated, repo):
    session = gated()
    given = {"tool_name": "mcp__tracker__close", "tool_input": {"id": 7}, "permission_mode": "dontAsk"}
    session.agent.send("PreToolUse", tool_use_id="t1", **given)
    (card,) = (repo.path / ".orchestration/state/approvals").glob("A-*")
    card.write_text(card.read_text().replace('"pending"', '"approved"'))

    told = session.agent.send("PreToolUse", tool_use_id="t2", **given)

    assert told["permissionDecision"] == "deny"


def test_a_rejection_tells_the_agent_what_the_person_said(gated, cli, repo):
    session = gated("enforce: block\ncodes: {DANGEROUS_COMMAND: ask}\n")
    given = {"tool_name": "Bash", "tool_input": {"command": "git push"}, "permission_mode": "dontAsk"}
    session.agent.send("PreToolUse", tool_use_id="t1", **given)
    approval = repo.events("gate.decided")[-1].data["approval_id"]

    cli("reject", approval, "--reason", "we release on Mondays")

    told = session.agent.send("PreToolUse", tool_use_id="t2", **given)
    assert structured(told)["code"] == "REJECTED"
    assert "we release on Mondays" in told["permissionDecisionReason"]
