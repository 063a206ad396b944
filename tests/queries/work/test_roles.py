"""A role says what a worker may change, in the place of what its intent owns, and the gate holds it to that."""

import pytest

from tests.conftest import ClaudeCode

TESTS, SOURCE, REGISTRY = "tests/test_total.py", "src/cart/total.py", ".orchestration/active_intents.yaml"


@pytest.fixture
def worker(shop, started):
    """Return a function that starts work in a role, and returns what the gate says to a call in its worktree."""
    shop.write(".orchestration/config.yaml", "enforce: block\n")

    def start(role):
        made, agent = started("INT-001", "--role", role)

        def verdict(tool, path=None, **given):
            about = {"file_path": str(made.path / path), "content": "x = 1\n"} if path else given
            call = {"tool_name": tool, "tool_input": about, "tool_use_id": f"toolu_{agent.calls}"}
            agent.calls += 1
            return agent.send("PreToolUse", **call)

        return made, verdict

    return start


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        pytest.param("architect", set(), id="an architect changes no file"),
        pytest.param("builder", {SOURCE}, id="a builder changes what the intent owns"),
        pytest.param("tester", {TESTS}, id="a tester changes tests"),
    ],
)
def test_each_role_may_change_its_own_files(worker, role, allowed):
    _, verdict = worker(role)

    told = {path: verdict("Write", path).get("permissionDecision") for path in (TESTS, SOURCE, "README.md", REGISTRY)}

    assert {path for path, said in told.items() if said is None} == allowed
    assert verdict("Read", SOURCE).get("permissionDecision") is None


@pytest.mark.in_turn
@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("role", "command", "allowed"),
    [
        pytest.param("tester", "pytest tests", True, id="a tester runs tests"),
        pytest.param("tester", "echo x > src/cart/total.py", False, id="a tester writes no source by a command"),
        pytest.param("architect", "git log --oneline", True, id="an architect reads"),
        pytest.param("architect", "pytest tests", False, id="an architect runs nothing that may write"),
        pytest.param("architect", "linetrail intents add --name Later --scope 'src/**'", True, id="it plans"),
        pytest.param("architect", "linetrail record-decision --title T --rationale R", True, id="it decides"),
        pytest.param("architect", "linetrail gate reset", False, id="it does not speak for a person"),
        pytest.param("architect", "linetrail intents update INT-002 approval none", False, id="nor when one is asked"),
        pytest.param("architect", "linetrail intents update INT-002 name Later", True, id="it words what is planned"),
        pytest.param("architect", "linetrail intents add --name N > x", False, id="nor writes on the way"),
        pytest.param("builder", "linetrail intents add --name Later --scope 'src/**'", False, id="a builder plans not"),
    ],
)
def test_each_role_may_run_its_own_commands(worker, role, command, allowed):
    _, verdict = worker(role)

    assert (verdict("Bash", command=command).get("permissionDecision") is None) == allowed


def test_a_refusal_says_which_role_it_is_that_may_not(worker):
    _, verdict = worker("tester")

    reason = verdict("Write", SOURCE)["permissionDecisionReason"]

    assert f"{SOURCE} is outside what the tester may change for INT-001" in reason
    assert "--switch" not in reason


@pytest.mark.slow
def test_an_architect_plans_for_everybody(shop, worker, cli, monkeypatch):
    made, _ = worker("architect")
    monkeypatch.setenv("CLAUDECODE", "1")

    assert cli("-C", str(made.path), "intents", "add", "--name", "Later", "--scope", "docs/**").status == 0

    assert "Later" in (shop.path / REGISTRY).read_text()
    refused = cli("-C", str(made.path), "intents", "update", "INT-002", "approval", "none")
    assert (refused.status, "for a person to do" in refused.err) == (1, True)


def test_work_keeps_its_role_until_another_is_given(shop, worker, cli):
    _, verdict = worker("tester")
    cli("start", "INT-001")
    assert verdict("Write", SOURCE).get("permissionDecision") == "deny"

    assert cli("start", "INT-001", "--role", "builder").status == 0

    assert verdict("Write", SOURCE).get("permissionDecision") is None
    assert [event.data.get("role") for event in shop.events("work.moved")] == ["tester", "tester", "builder"]
    assert "You are the builder" in (shop.path / ".git/linetrail/work/INT-001/brief.md").read_text()


@pytest.mark.slow
def test_what_is_given_back_is_held_against_the_role(shop, started, cli):
    _, agent = started("INT-001", "--role", "tester")
    agent.write(TESTS, "x = 1\n")
    agent.write(SOURCE, "x = 1\n")

    (row,) = cli("give-back", "INT-001", "--json").rows

    assert [(one["code"], one["path"]) for one in row["findings"]] == [("OUT_OF_SCOPE", SOURCE)]


@pytest.mark.slow
def test_what_a_tester_writes_is_no_finding_of_an_audit(worker, cli):
    made, _ = worker("tester")
    ClaudeCode(made, "session-INT-001", "claude-model-x").write(TESTS, "x = 1\n")

    found = cli("-C", str(made.path), "audit", "--json").rows

    assert "LT001" not in {row["rule"] for row in found}
