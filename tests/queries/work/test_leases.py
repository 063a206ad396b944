"""Leases that nobody asks for: who writes a file first in a worktree keeps other work in other worktrees from it."""

import json

import pytest

from linetrail.ledger.gate.leases import Lease, Leases
from linetrail.ledger.repository import find
from tests.conftest import ClaudeCode

pytestmark = pytest.mark.in_turn

TOTAL, ITEMS = "src/cart/total.py", "src/cart/items.py"


class Worker:
    """A session whose calls may be refused."""

    def __init__(self, made, agent):
        self.made, self.agent = made, agent

    def ask(self, tool, **given):
        self.agent.calls += 1
        self.call = {"tool_name": tool, "tool_input": given, "tool_use_id": f"toolu_{self.agent.calls}"}
        return self.agent.send("PreToolUse", **self.call)

    def write(self, path, content="x = 1\n"):
        """Write a file where the hook lets it, and return what the hook said."""
        said = self.ask("Write", file_path=str(self.made.path / path), content=content)
        if said.get("permissionDecision") is None:
            self.made.write(path, content)
            self.agent.send("PostToolUse", **self.call, tool_response={"filePath": path, "content": content})
        return said

    def may_write(self, path):
        return self.write(path).get("permissionDecision") is None

    def run(self, command, path, content):
        """Run a command that writes a file, where the hook lets it."""
        said = self.ask("Bash", command=command)
        if said.get("permissionDecision") is None:
            self.made.write(path, content)
            self.agent.send("PostToolUse", **self.call, tool_response={"stdout": "", "stderr": ""})
        return said


@pytest.fixture
def workers(shop, started):
    """Return two workers on intents whose scopes meet, behind a gate that blocks."""
    shop.write(".orchestration/config.yaml", "enforce: block\n")
    return [Worker(*started(intent_id)) for intent_id in ("INT-001", "INT-003")]


def told(answer):
    return json.loads(answer["permissionDecisionReason"].splitlines()[-1])


@pytest.mark.slow
def test_a_file_that_another_writes_elsewhere_is_refused_with_who_has_it_and_what_to_do(workers):
    one, other = workers
    assert one.may_write(TOTAL)

    refused = other.write(TOTAL)

    assert refused["permissionDecision"] == "deny"
    assert (told(refused)["code"], told(refused)["context"]["holder"]) == (
        "LEASE_HELD",
        {"session_id": "session-INT-001", "intent_id": "INT-001", "worktree": "INT-001"},
    )
    assert f"linetrail workers --break {TOTAL} --reason" in refused["permissionDecisionReason"]
    assert other.may_write(ITEMS)
    assert one.may_write(TOTAL)


@pytest.mark.slow
def test_workers_shows_leases_and_who_waits_for_one(workers, cli):
    one, other = workers
    one.write(TOTAL)
    other.write(TOTAL)

    rows = {row["intent_id"]: row for row in cli("workers", "--json").rows}

    assert (rows["INT-001"]["state"], rows["INT-001"]["leases"]) == ("running", [TOTAL])
    assert (rows["INT-003"]["state"], rows["INT-003"]["waits_for"]) == ("waiting", [f"lease {TOTAL} of INT-001"])
    assert f"has {TOTAL}" in cli("workers").out


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        pytest.param(None, id="the session ends"),
        pytest.param(("-C", "{worktree}", "seal"), id="the worktree is sealed"),
        pytest.param(("give-back", "INT-001"), id="the work is given back"),
        pytest.param(("give-back", "INT-001", "--abandon"), id="the work is given up"),
        pytest.param(("workers", "--break", TOTAL, "--reason", "urgent"), id="it is broken"),
    ],
)
def test_a_lease_ends_when(workers, cli, words):
    one, other = workers
    one.write(TOTAL)
    assert not other.may_write(TOTAL)

    if words is None:
        one.agent.send("SessionEnd", reason="exit")
    else:
        assert cli(*(word.format(worktree=one.made.path) for word in words)).status == 0

    assert other.may_write(TOTAL)
    assert not one.may_write(TOTAL)


@pytest.mark.slow
def test_a_lease_that_is_broken_is_an_event_with_a_reason(shop, workers, cli):
    workers[0].write(TOTAL)

    (row,) = cli("workers", "--break", TOTAL, "--reason", "the session hangs", "--json").rows

    (event,) = shop.events("lease.broken")
    assert (row["path"], row["session_id"]) == (TOTAL, "session-INT-001")
    assert (event.intent_id, event.data) == (
        "INT-001",
        {"path": TOTAL, "held_by": "session-INT-001", "worktree": "INT-001", "reason": "the session hangs"},
    )
    assert cli("verify").status == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(("--break", ITEMS, "--reason", "x"), f"nobody has a lease of {ITEMS}", id="nobody has it"),
        pytest.param(("--break", TOTAL), "--reason", id="no reason"),
        pytest.param(("--break", TOTAL, "--reason", " "), "--reason", id="an empty reason"),
        pytest.param(("--reason", "x"), "--break", id="no file"),
    ],
)
def test_what_breaks_nothing_is_refused(shop, workers, cli, words, said):
    workers[0].write(TOTAL)

    answer = cli("workers", *words)

    assert (answer.status, said in answer.err) == (2, True)
    assert not shop.events("lease.broken")


@pytest.mark.slow
def test_no_agent_breaks_a_lease(shop, workers, cli, monkeypatch):
    one, other = workers
    one.write(TOTAL)
    assert other.ask("Bash", command=f"linetrail workers --break {TOTAL} --reason x")["permissionDecision"] == "deny"
    assert other.ask("Bash", command="linetrail workers").get("permissionDecision") is None
    monkeypatch.setenv("CLAUDECODE", "1")

    assert cli("workers", "--break", TOTAL, "--reason", "x").status == 1
    assert not shop.events("lease.broken")


@pytest.mark.slow
def test_a_command_that_surely_writes_is_held_back_as_well(workers):
    one, other = workers
    assert one.run(f"echo 'y = 2' > {TOTAL}", TOTAL, "y = 2\n").get("permissionDecision") is None

    assert told(other.ask("Bash", command=f"echo x >> {TOTAL}"))["code"] == "LEASE_HELD"
    assert other.ask("Bash", command=f"cat {TOTAL}").get("permissionDecision") is None


@pytest.mark.slow
@pytest.mark.parametrize("path", ["src/cart/[id].tsx", "src/cart/🧾 a.py", "src/cart/-a b.py"])
def test_any_name_of_a_file_is_one(workers, path):
    one, other = workers
    assert one.may_write(path)

    assert not other.may_write(path)


@pytest.mark.slow
def test_what_a_command_changed_without_naming_it_is_recorded(workers):
    one, other = workers
    one.run("make all", TOTAL, "y = 2\n")
    assert not other.may_write(TOTAL)

    other.run("make all", TOTAL, "z = 3\n")

    (violation,) = other.made.events("gate.violation")
    assert (violation.data["code"], violation.data["path"]) == ("LEASE_HELD", TOTAL)


@pytest.mark.slow
def test_a_call_that_wrote_nothing_keeps_nothing(workers):
    one, other = workers
    one.ask("Write", file_path=str(one.made.path / TOTAL), content="x")
    assert not other.may_write(TOTAL)

    one.agent.send("PostToolUseFailure", **one.call, error="no such folder")

    assert other.may_write(TOTAL)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "said"),
    [pytest.param("warn", "LEASE_HELD", id="warn says it"), pytest.param("observe", None, id="observe records it")],
)
def test_where_nothing_is_blocked_the_write_goes_on(shop, started, mode, said):
    shop.write(".orchestration/config.yaml", f"enforce: {mode}\n")
    one, other = (Worker(*started(intent_id)) for intent_id in ("INT-001", "INT-003"))
    one.write(TOTAL)

    answer = other.write(TOTAL)

    assert (said or "") in answer.get("additionalContext", "")
    assert bool(answer) == bool(said)
    decided = other.made.events("gate.decided")[-1].data
    assert (decided["code"], decided["enforced"], decided["mode"]) == ("LEASE_HELD", False, mode)


@pytest.mark.parametrize(("mode", "is_stopped"), [("block", True), ("warn", False), ("observe", False)])
def test_a_lease_that_cannot_be_noted_stops_nobody_but_where_calls_are_blocked(shop, started, mode, is_stopped):
    shop.write(".orchestration/config.yaml", f"enforce: {mode}\n")
    one = Worker(*started("INT-001"))
    shop.write(".git/linetrail/leases", "no folder")

    assert one.may_write(TOTAL) != is_stopped

    assert len(one.made.events("mutation.observed")) == (0 if is_stopped else 1)


@pytest.mark.parametrize("intent_id", ["INT-001", "INT-003"])
def test_in_one_worktree_nobody_waits_for_a_session_that_was_left_behind(shop, cli, intent_id):
    shop.write(".orchestration/config.yaml", "enforce: block\n")
    one, other = (Worker(shop, ClaudeCode(shop, name, "claude-model-x")) for name in ("session-1", "session-2"))
    cli("select", "INT-001")
    assert one.may_write(ITEMS)

    cli("select", intent_id, "--switch")

    assert other.may_write(ITEMS)


SECOND = 1_000_000_000


@pytest.fixture
def lease(repo):
    """Return a function that makes a lease of one file, and leases at a second of a clock."""
    (repo.path.parent / "other").mkdir()
    places = {"one": str(repo.path), "other": str(repo.path.parent / "other")}

    def make(worktree, intent_id, session_id, at):
        return Lease("a.py", intent_id, session_id, places[worktree], at * SECOND, f"call-{at}")

    return make, lambda at: Leases(find(str(repo.path)), at * SECOND, 60)


@pytest.mark.parametrize(
    ("other", "is_bound"),
    [
        pytest.param(("other", "INT-002", "session-2"), True, id="other work in another worktree"),
        pytest.param(("one", "INT-002", "session-2"), False, id="other work in the same worktree"),
        pytest.param(("other", "INT-001", "session-2"), False, id="the same intent in another worktree"),
        pytest.param(("other", "INT-002", "session-1"), False, id="the same session in another worktree"),
    ],
)
def test_a_lease_binds(lease, other, is_bound):
    make, now = lease
    assert now(1).take([make("one", "INT-001", "session-1", 1)]) == {}

    assert bool(now(2).take([make(*other, 2)])) == is_bound


def test_silence_ends_a_lease_and_each_event_puts_that_off(lease):
    make, now = lease
    now(0).take([make("one", "INT-001", "session-1", 0)])
    wanted = [make("other", "INT-002", "session-2", 1)]

    now(50).hear("session-1")

    assert now(109).others(wanted)
    assert not now(110).others(wanted)


def test_a_clock_that_goes_back_ends_no_lease(lease):
    make, now = lease
    now(100).take([make("one", "INT-001", "session-1", 100)])
    now(50).take([make("one", "INT-001", "session-1", 50)._replace(path="b.py")])

    assert [one.path for one in now(51).all()] == ["a.py", "b.py"]


def test_a_session_that_starts_again_has_nothing_of_what_it_had(lease):
    make, now = lease
    now(0).take([make("one", "INT-001", "session-1", 0)])
    now(1).end("session-1")
    now(2).take([make("one", "INT-001", "session-1", 2)._replace(path="b.py")])

    assert [one.path for one in now(3).all()] == ["b.py"]


def test_what_is_damaged_or_of_a_worktree_that_is_gone_holds_nobody(lease, repo):
    make, now = lease
    now(0).take([make("other", "INT-001", "session-1", 0)])
    (repo.path.parent / "other").rmdir()
    assert now(1).all() == []

    for place in (repo.path / ".git/linetrail/leases").iterdir():
        place.write_text("{")

    assert now(1).take([make("one", "INT-002", "session-2", 1)]) == {}
    assert [one.intent_id for one in now(1).all()] == ["INT-002"]


def test_what_is_over_is_cleared_away(lease, repo):
    make, now = lease
    now(0).take([make("one", "INT-001", "session-1", 0)])

    now(100).sweep()

    assert [list((repo.path / ".git/linetrail" / name).iterdir()) for name in ("leases", "sessions")] == [[], []]
