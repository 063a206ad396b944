"""`linetrail intents`: what is in the file, and who did what to it."""

import json

import pytest
import yaml

from linetrail.ledger.intents.intent import MAX_BYTES
from tests.registries import CAMEL, FIRST, SECOND


def told(repo):
    return [(event.type, event.intent_id, event.contributor) for event in repo.events()]


def test_intents_are_listed_by_status_in_either_vocabulary(cli, registry):
    registry(SECOND)

    assert [row["intent_id"] for row in cli("intents", "list", "--status", "PENDING", "--json").rows] == ["INT-002"]
    assert [row["intent_id"] for row in cli("intents", "list", "--status", "draft", "--json").rows] == ["INT-002"]
    assert "no intent is ABORTED" in cli("intents", "list", "--status", "ABORTED").out
    assert cli("intents", "list", "--status", "open").status == 2


def test_one_intent_is_shown_with_all_its_fields(cli, registry):
    (row,) = cli("intents", "show", "INT-003", "--json").rows
    page = cli("intents", "show", "INT-003").out

    assert row | {"line": 0, "updated_at": ""} == {
        "intent_id": "INT-003",
        "name": "Limit the rate",
        "status": "BLOCKED",
        "scope": ["src/web/limit.ts"],
        "line": 0,
        "selected": False,
        "description": None,
        "owner": None,
        "priority": None,
        "constraints": ["Answer 429"],
        "acceptance_criteria": ["Counters start anew in time"],
        "dependencies": ["INT-002"],
        "parent_intent": None,
        "references": [],
        "blocked_reason": "Waiting for the store in staging",
        "created_at": "2026-01-04T09:00:00Z",
        "updated_at": "",
        "forked_from": None,
        "merged_into": None,
        "flaws": [],
        "approval": None,
        "criteria": [
            {
                "criterion": "Counters start anew in time",
                "run": None,
                "passed": None,
                "checked_at": None,
                "exit_code": None,
                "excerpt": None,
                "changed_since": None,
            }
        ],
    }
    assert "Waiting for the store in staging" in page
    assert "Answer 429" in page


@pytest.mark.slow
def test_the_linter_ends_with_1_when_there_are_errors_and_0_when_there_are_warnings(cli, registry):
    assert cli("intents", "lint").status == 0

    registry(CAMEL)
    assert (cli("intents", "lint").status, len(cli("intents", "lint", "--json").rows)) == (0, 3)

    registry(FIRST.replace("BLOCKED", "WAITING"))
    answer = cli("intents", "lint", "--json")
    assert answer.status == 1
    assert [(row["level"], row["code"], row["intent_id"], row["field"], row["line"]) for row in answer.rows] == [
        ("error", "INVALID_STATUS", "INT-003", "status", 61)
    ]
    assert "active_intents.yaml:61: error: INVALID_STATUS INT-003: WAITING is no status" in cli("intents", "lint").out


@pytest.mark.daily(1)
@pytest.mark.parametrize(
    ("content", "code"),
    [
        pytest.param(None, "MISSING_ACTIVE_INTENTS", id="no file"),
        pytest.param(b"intents: [", "YAML_PARSE_ERROR", id="no YAML"),
        pytest.param(b"a" * (MAX_BYTES + 1), "FILE_TOO_LARGE", id="too large"),
        pytest.param(b"\xff\xfe", "YAML_PARSE_ERROR", id="no UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_is_a_finding(repo, cli, registry, content, code):
    path = repo.path / ".orchestration" / "active_intents.yaml"
    path.unlink()
    if content is not None:
        path.write_bytes(content)

    answer = cli("intents", "lint", "--json")

    assert (answer.status, [row["code"] for row in answer.rows]) == (1, [code])


def test_the_graph_shows_parts_below_what_they_are_part_of(cli, registry):
    registry(
        "intents:\n"
        "- {id: INT-001, status: DONE, scope: [a], name: Store}\n"
        "- {id: INT-002, status: DRAFT, scope: [b], name: Tickets, dependencies: [INT-001]}\n"
        "- {id: INT-003, status: DRAFT, scope: [c], name: Web, parent_intent: INT-002, forked_from: INT-001}\n"
        "- {id: INT-004, status: ABORTED, scope: [d], name: Old, parent_intent: INT-005, merged_into: INT-002}\n"
        "- {id: INT-005, status: DRAFT, scope: [d], name: Round, parent_intent: INT-004}\n"
    )

    assert cli("intents", "graph").out.splitlines() == [
        "INT-001  DONE     Store",
        "INT-002  DRAFT    Tickets  (waits for INT-001)",
        "   INT-003  DRAFT    Web  (split off INT-001)",
        "INT-004  ABORTED  Old  (merged into INT-002)",
        "   INT-005  DRAFT    Round",
    ]
    assert [tuple(row.values()) for row in cli("intents", "graph", "--json").rows] == [
        ("INT-002", "INT-001", "dependency"),
        ("INT-003", "INT-002", "parent"),
        ("INT-003", "INT-001", "fork"),
        ("INT-004", "INT-005", "parent"),
        ("INT-004", "INT-002", "merge"),
        ("INT-005", "INT-004", "parent"),
    ]


@pytest.mark.slow
def test_the_history_tells_who_changed_which_field_and_how(repo, cli, registry):
    registry(SECOND)
    cli("intents", "start", "INT-002")
    registry(
        (repo.path / ".orchestration/active_intents.yaml").read_text(encoding="utf-8").replace("100 req", "50 req")
    )

    rows = cli("intents", "history", "INT-002", "--json").rows

    assert [(row["event_type"], row["contributor_type"], row["by"]) for row in rows] == [
        ("intent.created", "unknown", "found"),
        ("intent.changed", "human", "command"),
        ("intent.changed", "unknown", "found"),
    ]
    assert [row["changes"] for row in rows[1:]] == [
        [{"field": "status", "before": "DRAFT", "after": "IN_PROGRESS"}],
        [{"field": "constraints", "before": ["100 requests in a minute"], "after": ["50 requests in a minute"]}],
    ]
    page = cli("intents", "history", "INT-002").out
    assert "changed  by a person, command\n  status  DRAFT → IN_PROGRESS" in page
    assert "constraints  - 100 requests in a minute" in page


@pytest.mark.slow
def test_the_history_as_of_a_moment_ends_there(repo, cli, registry):
    registry(SECOND)
    cli("intents", "start", "INT-002")
    event = repo.events("intent.changed")[0]
    cli("intents", "abort", "INT-002")

    then = cli("intents", "history", "INT-002", "--as-of", event.id, "--json").rows

    assert [row["event_type"] for row in then] == ["intent.created", "intent.changed"]
    assert json.loads(cli("show", "INT-002", "--as-of", event.id, "--json").out)["rows"][0]["status"] == "IN_PROGRESS"


@pytest.mark.slow
def test_an_intent_that_nobody_told_of_has_no_history(cli, registry):
    answer = cli("intents", "history", "INT-042")

    assert (answer.status, "tells of no intent INT-042" in answer.err) == (1, True)


def test_a_fresh_clone_repeats_nothing(repo, cli, registry):
    cli("intents", "list")
    before = len(repo.events())
    (repo.path / ".orchestration" / "state" / "registry.json").unlink()

    cli("intents", "list")
    registry(FIRST.replace("BLOCKED", "DRAFT"))
    (repo.path / ".orchestration" / "state" / "registry.json").unlink(missing_ok=True)
    cli("intents", "list")

    assert told(repo)[before:] == [("intent.changed", "INT-003", "unknown")]


@pytest.mark.slow
def test_what_only_looks_goes_on_where_nothing_can_be_recorded(repo, cli, registry, monkeypatch):
    (repo.path / ".orchestration" / "state").write_text("in the way", encoding="utf-8")

    assert cli("intents", "list").status == 0
    assert cli("intents", "start", "INT-003").status != 0


@pytest.mark.slow
def test_intents_are_listed_beside_a_damaged_ledger(repo, cli, registry):
    cli("intents", "list")
    tail = repo.path / ".orchestration" / "agent_trace.jsonl"
    tail.write_bytes(tail.read_bytes().replace(b"INT-001", b"INT-009", 1))
    (repo.path / ".orchestration" / "state" / "registry.json").unlink()

    # what was reopened is in the ledger, which lint asks
    assert (cli("intents", "list").status, cli("intents", "lint").status) == (0, 3)


@pytest.mark.slow
def test_a_registry_that_cannot_be_read_is_changed_by_nobody(cli, registry, text):
    registry("intents:\n- id: [\n")

    answer = cli("intents", "start", "INT-001")

    assert (answer.status, "active_intents.yaml:3: not YAML" in answer.err) == (1, True)
    assert "next: linetrail intents lint" in answer.err
    assert text() == "intents:\n- id: [\n"


@pytest.mark.slow
@pytest.mark.parametrize("first", ["hook", "command", "status"])
def test_a_change_by_an_editor_is_recorded_once_whoever_sees_it_first(repo, cli, agent, first):
    session = agent()
    cli("intents", "add", "INT-001", "--name", "One", "--scope", "a/**", "--constraint", "x")
    file = repo.path / ".orchestration" / "active_intents.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("name: One", "name: Two  # better"), encoding="utf-8")

    looks = {
        "hook": lambda: session.prompt("go on"),
        "command": lambda: cli("intents", "list"),
        "status": lambda: cli("status"),
    }
    cli("status", "--as-of", repo.events()[-1].id)
    assert repo.events("intent.changed") == []
    looks.pop(first)()
    assert len(repo.events("intent.changed")) == 1
    for look in looks.values():
        look()

    changes = [event for event in repo.events() if event.type.startswith("intent.")]
    assert [(event.type, event.data["by"], event.contributor) for event in changes] == [
        ("intent.created", "command", "human"),
        ("intent.changed", "found", "unknown"),
    ]
    assert (changes[1].data["before"]["name"], changes[1].data["after"]["name"]) == ("One", "Two")


@pytest.mark.daily(1)
@pytest.mark.parametrize("verb", [["intents", "show"], ["intents", "start"], ["intents", "history"], ["select"]])
def test_the_first_characters_of_an_id_do_where_they_name_one(repo, cli, verb):
    folder = repo.start_ledger()
    (folder / "active_intents.yaml").write_text(
        "active_intents:\n"
        "- {id: INT-001, name: One, status: DRAFT, owned_scope: [a.py]}\n"
        "- {id: INT-002, name: Two, status: DRAFT, owned_scope: [b.py]}\n"
        "- {id: EXT-9, name: Other, status: DRAFT, owned_scope: [c.py]}\n"
    )
    cli("intents", "list")

    several, one = cli(*verb, "INT"), cli(*verb, "ext")

    assert (several.status, one.status) == (2, 0)
    assert "INT is not unique, there is intent INT-001, intent INT-002" in several.err
    assert "Other" in one.out


def test_a_list_has_every_format(repo, cli):
    folder = repo.start_ledger()
    (folder / "active_intents.yaml").write_text("active_intents:\n- {id: INT-1, name: One, status: DRAFT}\n")

    assert cli("intents", "list", "--csv").out.startswith("intent_id,name,status,scope,line,selected,")
    assert json.loads(cli("intents", "list", "--nl").out)["name"] == "One"
    assert cli("intents", "list", "--table").out.startswith("intent_id  name  status")


@pytest.mark.slow
def test_why_an_intent_is_open_again_is_in_its_history(cli, registry):
    registry(FIRST)

    assert cli("intents", "reopen", "INT-002", "--reason", "the store lost renewals").status == 0

    assert cli("intents", "history", "INT-002", "--json").rows[-1]["reason"] == "the store lost renewals"


@pytest.mark.slow
def test_an_intent_that_was_done_and_is_open_again_is_told_by_lint(cli, registry, text):
    registry(FIRST)
    cli("intents", "reopen", "INT-002", "--reason", "the store lost renewals")
    cli("intents", "done", "INT-001", "--notes", "tried it")
    registry(text().replace('status: "DONE"', 'status: "IN_PROGRESS"', 1))

    rows = [row for row in cli("intents", "lint", "--json").rows if row["code"] == "REOPENED"]

    assert [(row["level"], row["intent_id"]) for row in rows] == [("warning", "INT-001"), ("warning", "INT-002")]
    assert rows[0]["message"].endswith("in an editor, or by git, and nobody said why")
    assert rows[1]["message"].endswith("the reason: the store lost renewals")


@pytest.mark.slow
def test_what_was_edited_by_hand_is_read_for_hooks_by_the_command(repo, cli, registry):
    registry(FIRST)
    cli("intents", "lint")
    registry(FIRST.replace("Issue signed tickets", "Issue tickets"))

    cli("intents", "lint")

    assert "Issue tickets" in (repo.path / ".orchestration" / "state" / "policy.json").read_text()


@pytest.mark.slow
def test_a_file_that_an_editor_changed_is_read_once_by_the_command_whoever_needs_it(cli, registry, monkeypatch):
    compose, composed = yaml.compose, []
    monkeypatch.setattr(yaml, "compose", lambda *given, **named: composed.append(1) or compose(*given, **named))
    cli("intents", "lint")
    composed.clear()

    registry(FIRST.replace("IN_PROGRESS", "DRAFT", 1) + "# by hand\n")
    cli("intents", "lint")

    assert len(composed) == 1
