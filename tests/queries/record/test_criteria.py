"""Acceptance criteria that a command decides: run on request, bounded in time, recorded."""

import json
import pathlib
import time

import pytest

from linetrail.ledger.event.schema import problems

REGISTRY = """\
active_intents:
  - id: INT-001
    name: Round totals
    status: IN_PROGRESS
    owned_scope: [src/**]
    acceptance_criteria:
      - {text: Totals are right, run: "test -f src/ok && echo fine"}
      - {run: "exit 0"}
"""
MIXED = REGISTRY + "      - The docs say so\n"


@pytest.fixture
def registry(repo):
    """Return a function that writes the registry."""
    repo.start_ledger()

    def write(text=REGISTRY):
        repo.write(".orchestration/active_intents.yaml", text)

    write()
    return write


def checked(repo):
    return [
        (event.data["criterion"], event.data["passed"], event.data["by"]) for event in repo.events("criterion.checked")
    ]


def test_done_runs_the_checks_and_is_refused_where_one_fails(repo, cli, registry):
    refused = cli("intents", "done", "INT-001")

    assert refused.status == 1
    assert "INT-001 is not done, Totals are right: ended with 1 (1 of 2 failed)" in refused.err
    assert "next: linetrail intents check INT-001" in refused.err
    assert repo.events("intent.completed") == []

    repo.write("src/ok", "")
    assert cli("intents", "done", "INT-001").status == 0

    assert len(repo.events("intent.completed")) == 1
    assert checked(repo) == [
        ("Totals are right", False, "done"),
        ("exit 0", True, "done"),
        ("Totals are right", True, "done"),
        ("exit 0", True, "done"),
    ]
    (event,) = repo.events("criterion.checked")[2:3]
    assert (event.intent_id, event.contributor, event.data["exit_code"], event.data["excerpt"]) == (
        "INT-001",
        "human",
        0,
        "fine",
    )
    assert [problem for line in repo.lines() for problem in problems(line)] == []


@pytest.mark.slow
def test_notes_are_asked_for_the_criteria_that_no_command_decides_and_before_anything_runs(repo, cli, registry):
    registry(MIXED)
    repo.write("src/ok", "")

    refused = cli("intents", "done", "INT-001")

    assert refused.status == 1
    assert "no notes say how they are met: The docs say so\n" in refused.err
    assert checked(repo) == []
    assert cli("intents", "done", "INT-001", "--notes", "read them").status == 0


def test_a_person_may_complete_what_fails_and_that_is_on_record(repo, cli, registry, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
    assert "only a person can complete" in cli("intents", "done", "INT-001", "--force").err
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID")

    assert cli("intents", "done", "INT-001", "--force").status == 0

    assert checked(repo)[0] == ("Totals are right", False, "done")
    assert len(repo.events("intent.completed")) == 1


@pytest.mark.slow
def test_how_far_each_criterion_is_shows_in_show_and_status(repo, cli, registry):
    registry(MIXED)
    assert "Totals are right  (not run yet)" in cli("intents", "show", "INT-001").out

    answer = cli("intents", "check", "INT-001")

    assert (answer.status, answer.out) == (1, "INT-001: 1 of 2 checks passed\n")
    assert "FAILED  Totals are right: ended with 1" in answer.err
    page = cli("intents", "show", "INT-001").out
    assert "Totals are right  (failed " in page
    assert "exit 0  (passed " in page
    assert "The docs say so\n" in page
    (row,) = cli("intents", "show", "INT-001", "--json").rows
    assert [(one["criterion"], one["run"] is None, one["passed"]) for one in row["criteria"]] == [
        ("Totals are right", False, False),
        ("exit 0", False, True),
        ("The docs say so", True, None),
    ]
    (status,) = cli("status", "--json").rows
    assert status["intents"][0]["criteria"] == {"total": 3, "checked": 2, "passed": 1}
    assert "1 of 2 checks passed" in cli("status").out


@pytest.mark.slow
def test_work_that_goes_on_after_a_check_is_said(repo, cli, registry, agent):
    registry(REGISTRY.replace("test -f src/ok && echo fine", "true"))
    cli("select", "INT-001", "--session", "session-1")
    cli("intents", "check", "INT-001")
    assert "changed since" not in cli("intents", "show", "INT-001").out

    agent("session-1").write("src/total.py", "CENT = 1\n")

    assert "Totals are right  (passed " in cli("intents", "show", "INT-001").out
    assert "files changed since)" in cli("intents", "show", "INT-001").out


def test_a_check_that_hangs_is_ended_with_all_that_it_started(repo, cli, registry):
    registry(REGISTRY.replace('run: "exit 0"', 'run: "sleep 600 & echo $! > pid; wait", seconds: 1'))
    begun = time.monotonic()

    answer = cli("intents", "check", "INT-001")

    assert time.monotonic() - begun < 60
    assert "did not end within 1 s" in answer.err
    event = repo.events("criterion.checked")[-1]
    assert (event.data["passed"], event.data["exit_code"], event.data["timed_out"]) == (False, None, True)
    about = pathlib.Path(f"/proc/{(repo.path / 'pid').read_text().strip()}/stat")
    assert not about.exists() or about.read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.mark.parametrize(
    ("run", "excerpt"),
    [
        pytest.param("printf 'a\\377\\000b'; exit 3", "a\ufffd\x00b", id="bytes that are no text"),
        pytest.param("echo ghp_" + "a1B2" * 9 + "; exit 1", None, id="a secret"),
        pytest.param("head -c 3000000 /dev/zero | tr '\\0' x; exit 1", "x" * 200, id="more than anybody reads"),
        pytest.param("no-such-program-at-all", None, id="no such program"),
    ],
)
def test_whatever_a_check_says_is_bounded_and_holds_no_secret(repo, cli, registry, run, excerpt):
    registry(REGISTRY.replace('"exit 0"', json.dumps(run)))

    assert cli("intents", "check", "INT-001").status == 1

    event = repo.events("criterion.checked")[-1]
    assert "a1B2a1B2" not in json.dumps(event.data)
    assert len(event.data["excerpt"]) <= 200
    assert excerpt is None or event.data["excerpt"] == excerpt
    assert [problem for line in repo.lines() for problem in problems(line)] == []


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{text: x}", "has its command in `run`"),
        ('{run: ""}', "has its command in `run`"),
        ("{run: [a]}", "has its command in `run`"),
        ("{run: x, seconds: 0}", "a whole number from 1 to 3,600"),
        ("{run: x, seconds: soon}", "a whole number from 1 to 3,600"),
        ("{run: x, text: [y]}", "is text"),
        ("[x]", "expected text"),
    ],
)
def test_a_criterion_that_cannot_be_run_is_told_by_lint(repo, cli, registry, written, said):
    registry(REGISTRY.replace('{run: "exit 0"}', written))

    rows = [row for row in cli("intents", "lint", "--json").rows if row["level"] == "error"]

    assert [(row["intent_id"], row["line"]) for row in rows] == [("INT-001", 8)]
    assert said in rows[0]["message"]


@pytest.mark.slow
def test_a_fork_takes_the_checks_along_and_its_history_tells_them(repo, cli, registry):
    cli("intents", "fork", "INT-001", "--name", "Round prices")

    assert cli("intents", "check", "INT-002").out == "INT-002: 1 of 2 checks passed\n"
    changes = cli("intents", "history", "INT-002", "--json").rows[0]["changes"]
    assert any(change["field"] == "checks" and len(change["after"]) == 2 for change in changes)


@pytest.mark.in_turn
@pytest.mark.slow
def test_a_build_server_runs_them_on_request(repo, cli, registry, agent):
    repo.commit("begin")
    cli("select", "INT-001", "--session", "session-1")
    agent("session-1").write("src/total.py", "CENT = 1\n")
    cli("seal")
    cli("rebuild")  # `seal` gives the map up where a machine is busy
    repo.commit("work")

    assert cli("ci", "--fail-on", "none").status == 0
    assert checked(repo) == []
    failed = cli("ci", "--criteria", "--fail-on", "none")
    repo.write("src/ok", "")

    assert failed.status == 1
    assert "FAILED       criteria: INT-001 Totals are right: ended with 1" in failed.out
    assert "fix: linetrail intents check INT-001" in failed.out
    assert cli("ci", "--criteria", "--fail-on", "none").status == 0
    assert {by for _, _, by in checked(repo)} == {"ci"}
