"""`linetrail approve`, `reject` and `gate`: a person answers, and lets those go on who had to stop."""

import time

import pytest

from linetrail.ledger.errors import StorageError
from linetrail.ledger.gate import approvals, breaker
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find

ACTION = "git push --force \x1b[31m"


@pytest.fixture
def repository(repo):
    repo.start_ledger()
    return find(str(repo.path))


@pytest.fixture
def ask(repository):
    """Return a function that asks for an approval, so many seconds ago."""

    def run(key="key", ago=0, seconds=300, action=ACTION):
        return approvals.request(
            repository,
            key,
            session_id="s1",
            intent_id="INT-001",
            tool_name="Bash",
            tool_call_id="toolu_1",
            code="DANGEROUS_COMMAND",
            action=action,
            reason="it rewrites what others have",
            now_ns=time.time_ns() - ago * 1_000_000_000,
            seconds=seconds,
        )

    return run


def take(repository):
    return approvals.take(repository, "key", time.time_ns())


def test_an_approval_is_an_event_and_lets_one_call_through(repo, repository, cli, ask):
    asked = ask()

    answer = cli("approve", asked.id)

    assert (answer.status, answer.err) == (0, "")
    assert answer.out.startswith(f"{asked.id} is approved: Bash: git push --force")
    (event,) = repo.events()
    assert (event.type, event.session_id, event.intent_id) == ("approval.decided", "s1", "INT-001")
    assert (event.contributor, event.agent) == ("human", None)
    assert event.data == {
        "approval_id": asked.id,
        "approved": True,
        "tool_name": "Bash",
        "code": "DANGEROUS_COMMAND",
        "action": asked.action,
        "reason": None,
        "person": "Author <author@example.org>",
        "extent": "once",
    }
    assert [take(repository).state, take(repository)] == ["approved", None]


def test_a_rejection_is_an_event_with_the_words_of_the_person(repo, repository, cli, ask):
    asked = ask()

    assert cli("reject", asked.id, "--reason", "not on a Friday").status == 0

    (event,) = repo.events("approval.decided")
    assert (event.data["approved"], event.data["reason"]) == (False, "not on a Friday")
    assert (take(repository).state, take(repository).words) == ("rejected", "not on a Friday")


@pytest.mark.parametrize("command", ["approve", "reject"])
def test_without_an_id_what_waits_is_listed(cli, ask, command):
    asked = ask(ago=95)

    assert [line.split() for line in cli(command).out.splitlines()] == [
        ["id", "asked", "expires_in", "intent_id", "action"],
        [asked.id, "95", "s", "3", "min", "INT-001", "Bash:", "git", "push", "--force", "�[31m"],
    ]
    (row,) = cli(command, "--json").rows
    assert (row["approval_id"], row["state"], row["intent_id"]) == (asked.id, "pending", "INT-001")


def test_a_tool_that_the_action_names_is_not_named_twice(cli, ask):
    ask(action="Bash git push")

    assert cli("approve").out.splitlines()[1].endswith("INT-001    Bash git push")


def test_without_anything_that_waits_the_list_says_so(cli, repository):
    assert cli("approve").out == "nothing waits for an answer\n"
    assert cli("approve", "--json").rows == []


def test_an_answer_can_be_read_by_a_program(cli, ask):
    (row,) = cli("approve", ask().id, "--json").rows

    assert (row["state"], row["words"], row["action"]) == ("approved", None, "git push --force \x1b[31m")


@pytest.mark.parametrize("command", ["approve", "reject"])
def test_an_agent_cannot_answer_and_may_look(repo, repository, cli, ask, monkeypatch, command):
    asked = ask()
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")

    answer = cli(command, asked.id)

    assert answer.status == 1
    assert f"only a person can {command} a request" in answer.err
    assert repo.events() == []
    assert take(repository) is None
    assert asked.id in cli(command).out


def test_an_unknown_id_is_refused_with_what_waits(repo, cli, ask):
    asked = ask()

    answer = cli("approve", "A-2222")

    assert answer.status == 1
    assert f"no request A-2222 is known; waiting: {asked.id}" in answer.err
    assert "next: linetrail approve" in answer.err
    assert repo.events() == []


def test_an_expired_request_is_refused(repo, cli, ask):
    asked = ask(ago=400)

    answer = cli("approve", asked.id)

    assert (answer.status, repo.events()) == (1, [])
    assert f"{asked.id} expired at" in answer.err


def test_what_the_ledger_refuses_was_not_answered(repository, cli, ask, monkeypatch):
    asked = ask()

    def fail(*_):
        raise StorageError("disk full")

    monkeypatch.setattr(Ledger, "append", fail)

    assert cli("approve", asked.id).status == 2
    assert take(repository) is None
    assert [one.id for one in approvals.pending(repository, time.time_ns())] == [asked.id]


@pytest.fixture
def stopped(repository):
    keys = [breaker.session("s1"), breaker.intent("INT-001")]
    breaker.trip(repository, keys, "denied, and executed all the same", time.time_ns())
    return repository


def test_the_status_tells_who_has_to_stop_and_what_waits(cli, stopped, ask):
    asked = ask()

    page = cli("gate", "status").out

    assert "session:s1      open" in page
    assert "intent:INT-001  open" in page
    assert asked.id in page
    rows = cli("gate", "status", "--json").rows
    assert [(row["kind"], row["name"], row["state"]) for row in rows] == [
        ("breaker", "intent:INT-001", "open"),
        ("breaker", "session:s1", "open"),
        ("approval", asked.id, "pending"),
    ]


def test_the_status_of_a_quiet_day(cli, repository):
    assert cli("gate", "status").out == "mode: observe (config.yaml)\nnobody has to stop\nnothing waits for an answer\n"


@pytest.mark.parametrize(
    ("options", "left"),
    [
        pytest.param((), [], id="everybody"),
        pytest.param(("--session", "s1"), ["intent:INT-001"], id="one session"),
        pytest.param(("--intent", "INT-001"), ["session:s1"], id="one intent"),
        pytest.param(("--intent", "INT-001", "--session", "s1"), [], id="both"),
        pytest.param(("--session", "s2"), ["intent:INT-001", "session:s1"], id="somebody else"),
    ],
)
def test_a_person_lets_them_go_on(cli, stopped, options, left):
    assert cli("gate", "reset", *options).status == 0

    assert [row["name"] for row in cli("gate", "status", "--json").rows] == left


def test_an_agent_cannot_let_itself_go_on(cli, stopped, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")

    answer = cli("gate", "reset")

    assert (answer.status, len(cli("gate", "status", "--json").rows)) == (1, 2)
    assert "only a person can let an agent go on" in answer.err
