"""`linetrail intents`: changes of the file that are events, and those that are refused."""

import pytest

from linetrail.ledger.event.schema import problems
from tests.registries import FIRST, SECOND


def statuses(cli):
    return {row["intent_id"]: row["status"] for row in cli("intents", "list", "--json").rows}


def told(repo):
    return [(event.type, event.intent_id, event.contributor) for event in repo.events()]


@pytest.mark.slow
def test_a_new_intent_gets_the_next_number_and_says_what_it_was_given(cli, registry, text):
    given = ["--name", "Sign mails", "--scope", "src/mail/**", "tests/mail/**", "--constraint", "No keys in logs"]
    given += [
        "--criterion",
        "A mail is signed",
        "--depends-on",
        "INT-001",
        "--parent",
        "INT-001",
        "--owner",
        "mail-team",
    ]

    answer = cli("intents", "add", *given, "--priority", "high", "--description", "So that nobody forges them")

    assert (answer.status, answer.out) == (0, "INT-004 is DRAFT: Sign mails\n")
    (row,) = cli("intents", "show", "INT-004", "--json").rows
    assert (row["scope"], row["constraints"]) == (["src/mail/**", "tests/mail/**"], ["No keys in logs"])
    assert (row["acceptance_criteria"], row["dependencies"]) == (["A mail is signed"], ["INT-001"])
    assert (row["parent_intent"], row["owner"], row["priority"]) == ("INT-001", "mail-team", "HIGH")
    assert row["created_at"] == row["updated_at"] is not None
    assert cli("intents", "lint").status == 0
    assert text().startswith(FIRST[: FIRST.index("# About this file")])


@pytest.mark.slow
def test_a_number_is_not_given_twice_also_when_its_intent_is_gone(cli, registry):
    registry(SECOND)
    cli("intents", "add", "--name", "Three", "--scope", "c/**")
    registry(SECOND)

    assert cli("intents", "add", "--name", "Four", "--scope", "d/**").out == "INT-004 is DRAFT: Four\n"


@pytest.mark.slow
def test_an_intent_goes_from_draft_to_done(repo, cli, registry, text):
    registry(SECOND)

    assert cli("intents", "start", "INT-002").out == "INT-002 is IN_PROGRESS: Limit the rate\n"
    assert "--reason" in cli("intents", "block", "INT-002").err
    assert cli("intents", "start", "INT-002").status == 0
    assert cli("intents", "block", "INT-002", "--reason", "no store: yet").status == 0
    assert 'blocked_reason: "no store: yet"' in text()
    assert cli("intents", "start", "INT-002").status == 0
    assert "blocked_reason: null" in text()
    assert cli("intents", "done", "INT-002", "--notes", "429 was seen").status == 0
    assert 'status: "COMPLETED"\n' in text()
    assert cli("intents", "reopen", "INT-002").status == 0
    assert cli("intents", "abort", "INT-002", "--reason", "another way was found").status == 0

    assert statuses(cli) == {"INT-001": "IN_PROGRESS", "INT-002": "ABORTED"}
    assert told(repo)[:2] == [("intent.created", "INT-001", "unknown"), ("intent.created", "INT-002", "unknown")]
    assert [kind for kind, _, who in told(repo)[2:] if who == "human"] == [
        *["intent.changed"] * 5,
        "intent.completed",
        "intent.changed",
        "intent.changed",
    ]
    assert [problems(line) for line in repo.lines()] == [[]] * 10
    assert repo.events("intent.completed")[0].data["verification_notes"] == "429 was seen"
    assert cli("intents", "history", "INT-002", "--json").rows[-1]["reason"] == "another way was found"


@pytest.mark.in_turn
@pytest.mark.daily(1)
@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        pytest.param(
            ["start", "INT-001"], "INT-001 is already IN_PROGRESS", "intents done INT-001", id="started twice"
        ),
        pytest.param(["start", "INT-002"], "INT-002 is DONE; start is for", "intents reopen INT-002", id="done"),
        pytest.param(["done", "INT-003"], "INT-003 is BLOCKED; done is for", "intents start INT-003", id="blocked"),
        pytest.param(["reopen", "INT-001"], "INT-001 is already IN_PROGRESS", "intents done INT-001", id="not closed"),
        pytest.param(["abort", "INT-002"], "INT-002 is DONE", "intents reopen INT-002", id="given up when done"),
        pytest.param(["start", "INT-9"], "no intent INT-9", "intents list", id="unknown"),
        pytest.param(["done", "INT-001"], "A forged ticket is refused", "--notes", id="done without notes"),
        pytest.param(["done", "INT-001", "--notes", " "], "acceptance criteria", "--notes", id="empty notes"),
        pytest.param(
            ["add", "INT-001", "--name", "x", "--scope", "x"], "INT-001 is here already", "show", id="id twice"
        ),
        pytest.param(["add", "X-1", "--name", "x", "--scope", "x"], "INVALID_ID_FORMAT", None, id="no id"),
        pytest.param(["add", "--name", "x", "--scope", "../x"], "INVALID_GLOB", None, id="no pattern"),
        pytest.param(
            ["add", "--name", "x", "--scope", "x", "--depends-on", "INT-9"],
            "INVALID_DEPENDENCY",
            None,
            id="no dependency",
        ),
        pytest.param(["fork", "INT-9", "--name", "x"], "no intent INT-9", "intents list", id="fork of nothing"),
        pytest.param(
            ["merge", "INT-001", "--into", "INT-001"], "cannot be merged into itself", "list", id="into itself"
        ),
        pytest.param(
            ["merge", "INT-001", "--into", "INT-002"], "INT-002 is DONE", "reopen INT-002", id="into a done one"
        ),
    ],
)
def test_a_refusal_names_the_state_and_the_next_command_and_changes_nothing(cli, registry, text, words, message, hint):
    answer = cli("intents", *words)

    assert answer.status == 1
    assert message in answer.err
    assert hint is None or hint in answer.err
    assert text() == FIRST


@pytest.mark.slow
def test_what_depends_on_others_waits_for_them_unless_it_is_forced(cli, registry):
    registry(FIRST.replace('"DONE"', '"DRAFT"').replace('"BLOCKED"', '"DRAFT"'))

    answer = cli("intents", "start", "INT-003")

    assert (answer.status, "INT-002 (DRAFT)" in answer.err) == (1, True)
    assert cli("intents", "start", "INT-003", "--force").status == 0


@pytest.mark.slow
def test_a_fork_begins_with_what_its_origin_has(cli, registry):
    assert cli("intents", "fork", "INT-001", "--name", "Other tickets", "--constraint", "No cookies").status == 0

    (row,) = cli("intents", "show", "INT-004", "--json").rows
    assert (row["forked_from"], row["status"], row["name"]) == ("INT-001", "DRAFT", "Other tickets")
    assert row["scope"] == ["src/tickets/**", "src/web/tickets.ts", "docs/tickets.md"]
    assert row["constraints"][-1] == "No cookies"
    assert (
        cli("intents", "fork", "INT-001", "--id", "INT-042", "--name", "x", "--json").rows[0]["intent_id"] == "INT-042"
    )


@pytest.mark.slow
def test_what_is_merged_goes_on_in_another(cli, registry):
    registry(
        "intents:\n"
        "- {id: INT-001, status: IN_PROGRESS, scope: [a, b], name: One, dependencies: [INT-002]}\n"
        "- {id: INT-002, status: DRAFT, scope: [b, c], name: Two, constraints: [x, {type: file_size, max_lines: 9}]}\n"
        "- {id: INT-003, status: DONE, scope: [d], name: Three, acceptance_criteria: [y]}\n"
    )

    assert cli("intents", "merge", "INT-002", "INT-003", "--into", "INT-001").status == 0

    one, two, three = cli("intents", "list", "--json").rows
    assert (one["scope"], one["dependencies"]) == (["a", "b", "c", "d"], [])
    assert (one["constraints"], one["acceptance_criteria"]) == (["x", {"type": "file_size", "max_lines": 9}], ["y"])
    assert (two["status"], two["merged_into"]) == ("ABORTED", "INT-001")
    assert (three["status"], three["merged_into"]) == ("DONE", "INT-001")
    assert cli("intents", "lint").status == 0
    assert cli("intents", "reopen", "INT-002").status == 0
    assert cli("intents", "show", "INT-002", "--json").rows[0]["merged_into"] is None


@pytest.mark.slow
def test_what_is_done_is_selected_no_longer(repo, cli, registry):
    cli("select", "INT-001")

    cli("intents", "done", "INT-001", "--notes", "seen")

    assert [event.data["reason"] for event in repo.events("intent.cleared")] == ["INT-001 is DONE"]
    assert [row["selected"] for row in cli("intents", "list", "--json").rows] == [False] * 3


@pytest.mark.slow
def test_an_agent_is_named_in_what_it_changes(repo, cli, registry, in_agent):
    cli("intents", "done", "INT-001", "--notes", "token ghp_0123456789abcdefghijklmnopqrstuvwxyz was used")

    event = repo.events("intent.completed")[0]
    assert (event.contributor, event.agent.name, event.session_id) == ("ai", "claude-code", "s1")
    assert "ghp_0123" not in event.data["verification_notes"]


@pytest.mark.daily(1)
@pytest.mark.parametrize(
    "words",
    [
        ["add", "--name", "x", "--scope", "**"],
        ["start", "INT-003"],
        ["block", "INT-001", "--reason", "x"],
        ["abort", "INT-001"],
        ["reopen", "INT-002"],
        ["fork", "INT-001", "--name", "x"],
        ["merge", "INT-003", "--into", "INT-001"],
    ],
    ids=lambda words: words[0],
)
def test_an_agent_widens_nothing_where_the_gate_blocks(cli, registry, text, in_agent, monkeypatch, words):
    monkeypatch.setenv("LINETRAIL_ENFORCE", "block")

    answer = cli("intents", *words)

    assert answer.status == 1
    assert "for a person to do" in answer.err
    assert text() == FIRST
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID")
    assert cli("intents", *words).status == 0


@pytest.mark.slow
def test_an_agent_may_say_that_its_own_intent_is_done_where_the_gate_blocks(cli, registry, in_agent, monkeypatch):
    monkeypatch.setenv("LINETRAIL_ENFORCE", "block")
    assert cli("intents", "done", "INT-001", "--notes", "all seen").status == 1
    assert cli("select", "INT-001").status == 0

    assert cli("intents", "done", "INT-001", "--notes", "all seen").status == 0


def test_an_intent_for_which_nothing_was_done_is_removed_and_the_rest_stays_as_it_was(repo, cli, registry, text):
    registry(FIRST)
    before = text()
    cli("intents", "add", "--name", "A mistake", "--scope", "x/**")

    said = cli("intents", "remove", "INT-004", "--reason", "written down twice")

    assert said.out == "INT-004 is removed: A mistake\n"
    assert [*filter(None, text().splitlines())] == [*filter(None, before.splitlines())]
    last = repo.events("intent.changed")[-1]
    assert (last.intent_id, last.data["after"], last.data["reason"]) == ("INT-004", None, "written down twice")


def test_an_intent_to_which_events_point_is_not_removed(repo, cli, registry, text):
    registry(FIRST)
    cli("select", "INT-001")
    before = text()

    said = cli("intents", "remove", "INT-001")

    assert said.status != 0
    assert "1 event of the ledger is for INT-001" in said.err
    assert "next: linetrail intents abort INT-001" in said.err
    assert text() == before


def test_an_intent_that_others_wait_for_is_not_removed(cli, registry, text):
    registry(FIRST)
    before = text()

    said = cli("intents", "remove", "INT-002")

    assert said.status != 0
    assert "INVALID_DEPENDENCY" in said.err
    assert text() == before


@pytest.mark.slow
def test_a_field_is_put_and_lists_are_added_to(repo, cli, registry, text):
    registry(FIRST)
    cli("intents", "lint")

    assert cli("intents", "update", "INT-001", "owner", "Ana: lead", "--reason", "she asked").status == 0
    assert cli("intents", "update", "INT-001", "approval", "destructive").status == 0
    scope = ("--add", "src/new/**", "--remove", "docs/tickets.md")
    assert cli("intents", "update", "INT-001", "ownedScope", *scope).status == 0
    assert cli("intents", "update", "INT-001", "owner", "").status == 0

    (row,) = cli("intents", "show", "INT-001", "--json").rows
    assert (row["owner"], row["approval"]) == (None, "destructive")
    assert row["scope"] == ["src/tickets/**", "src/web/tickets.ts", "src/new/**"]
    assert "# What may be written (globs)" in text()
    changed = [event.data for event in repo.events("intent.changed") if event.contributor == "human"]
    assert len(changed) == 4
    assert (changed[0]["after"]["owner"], changed[0]["reason"]) == ("Ana: lead", "she asked")


@pytest.mark.in_turn
@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["status", "DONE"], 2, "start, done, block, abort and reopen change it"),
        (["nonsense", "x"], 2, "nonsense is no field"),
        (["owned_scope", "x"], 2, "say what changes with --add and --remove"),
        (["owner"], 2, "owner is a text"),
        (["owned_scope", "--remove", "gone/**"], 1, "has no 'gone/**'"),
        (["owned_scope", "--add", "../x"], 1, "INVALID_GLOB"),
        (["priority", "SOON"], 1, "INVALID_PRIORITY"),
        (["approval", "some"], 1, "INVALID_APPROVAL"),
    ],
)
def test_a_field_is_not_put_that_cannot_be(cli, registry, text, words, status, said):
    before = text()

    answer = cli("intents", "update", "INT-001", *words)

    assert answer.status == status
    assert said in answer.err
    assert text() == before


def test_what_was_given_up_is_archived_and_can_be_read_there(repo, cli, registry, text):
    assert cli("intents", "archive", "INT-003").status == 1
    cli("intents", "abort", "INT-003")

    assert cli("intents", "archive", "INT-003").out.startswith("INT-003 is archived: ")

    assert "INT-003" not in text()
    (row,) = cli("intents", "list", "--archived", "--json").rows
    assert (row["intent_id"], row["status"], row["constraints"]) == ("INT-003", "ABORTED", ["Answer 429"])
    gone = repo.events("intent.changed")[-1].data
    assert (gone.get("after"), gone["reason"]) == (None, "it was archived")
    assert cli("intents", "list", "--archived", "--status", "DONE").out.startswith("no intent is DONE in")


def test_what_others_wait_for_is_not_archived(repo, cli, registry, text):
    before = text()

    assert "INVALID_DEPENDENCY" in cli("intents", "archive", "INT-002").err
    assert text() == before
    assert cli("intents", "list", "--archived", "--json").rows == []
