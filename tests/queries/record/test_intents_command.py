"""`linetrail intents`: what is in the file, and changes of it that are events."""

import json

import pytest
import yaml

from linetrail.ledger.event.schema import problems
from linetrail.ledger.intents.intent import MAX_BYTES
from tests.registries import CAMEL, FIRST, SECOND


@pytest.fixture
def registry(repo):
    """Return a function that writes the registry, and one that reads it."""
    repo.start_ledger()

    def write(text=FIRST):
        repo.write(".orchestration/active_intents.yaml", text)

    write()
    return write


@pytest.fixture
def text(repo):
    return lambda: (repo.path / ".orchestration" / "active_intents.yaml").read_text(encoding="utf-8")


@pytest.fixture
def in_agent(monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")


def statuses(cli):
    return {row["intent_id"]: row["status"] for row in cli("intents", "list", "--json").rows}


def told(repo):
    return [(event.type, event.intent_id, event.contributor) for event in repo.events()]


# looking


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


# changing


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


# who did it


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


# history


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


@pytest.mark.daily(1)
@pytest.mark.parametrize("first", ["hook", "command"])
def test_a_change_by_an_editor_is_recorded_once_whoever_sees_it_first(repo, cli, agent, first):
    session = agent()
    cli("intents", "add", "INT-001", "--name", "One", "--scope", "a/**", "--constraint", "x")
    file = repo.path / ".orchestration" / "active_intents.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("name: One", "name: Two  # better"), encoding="utf-8")

    looks = {"hook": lambda: session.prompt("go on"), "command": lambda: cli("intents", "list")}
    looks.pop(first)()
    assert len(repo.events("intent.changed")) == 1
    looks.popitem()[1]()

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


def test_why_an_intent_is_open_again_is_in_its_history(cli, registry):
    registry(FIRST)

    assert cli("intents", "reopen", "INT-002", "--reason", "the store lost renewals").status == 0

    assert cli("intents", "history", "INT-002", "--json").rows[-1]["reason"] == "the store lost renewals"


def test_an_intent_that_was_done_and_is_open_again_is_told_by_lint(cli, registry, text):
    registry(FIRST)
    cli("intents", "reopen", "INT-002", "--reason", "the store lost renewals")
    cli("intents", "done", "INT-001", "--notes", "tried it")
    registry(text().replace('status: "DONE"', 'status: "IN_PROGRESS"', 1))

    rows = [row for row in cli("intents", "lint", "--json").rows if row["code"] == "REOPENED"]

    assert [(row["level"], row["intent_id"]) for row in rows] == [("warning", "INT-001"), ("warning", "INT-002")]
    assert rows[0]["message"].endswith("in an editor, or by git, and nobody said why")
    assert rows[1]["message"].endswith("the reason: the store lost renewals")


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


def test_what_was_edited_by_hand_is_read_for_hooks_by_the_command(repo, cli, registry):
    registry(FIRST)
    cli("intents", "lint")
    registry(FIRST.replace("Issue signed tickets", "Issue tickets"))

    cli("intents", "lint")

    assert "Issue tickets" in (repo.path / ".orchestration" / "state" / "policy.json").read_text()


def test_a_file_that_an_editor_changed_is_read_once_by_the_command_whoever_needs_it(cli, registry, monkeypatch):
    compose, composed = yaml.compose, []
    monkeypatch.setattr(yaml, "compose", lambda *given, **named: composed.append(1) or compose(*given, **named))
    cli("intents", "lint")
    composed.clear()

    registry(FIRST.replace("IN_PROGRESS", "DRAFT", 1) + "# by hand\n")
    cli("intents", "lint")

    assert len(composed) == 1
