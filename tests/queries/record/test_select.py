"""`linetrail select` and `linetrail intents`: which intent the next events carry."""

import itertools
import json

import pytest

REGISTRY = """\
active_intents:
  - id: INT-001
    name: Round totals
    status: IN_PROGRESS
    owned_scope: [src/**]
  - id: INT-002
    name: Export
    status: DONE
  - id: INT-003
    name: Cards
    status: BLOCKED
  - id: INT-004
    name: Later
"""


@pytest.fixture(autouse=True)
def _registry(repo):
    repo.start_ledger()
    repo.write(".orchestration/active_intents.yaml", REGISTRY)


@pytest.fixture
def prompt(repo, hook):
    """Return a function that lets a session prompt, and gives the intent its event carries."""

    numbers = itertools.count()

    def run(session):
        text = f"prompt number {next(numbers)}"
        hook({"session_id": session, "cwd": str(repo.path), "hook_event_name": "UserPromptSubmit", "prompt": text})
        return repo.events("prompt.submitted")[-1].intent_id

    return run


def test_the_next_events_carry_the_intent(cli, prompt):
    assert prompt("s1") is None

    assert cli("select", "INT-001").status == 0

    assert prompt("s1") == "INT-001"


def test_the_choice_is_in_the_ledger_with_what_was_chosen(repo, cli):
    cli("select", "INT-001")

    (event,) = repo.events("intent.selected")
    assert (event.intent_id, event.session_id, event.agent, event.contributor) == ("INT-001", None, None, "human")
    assert event.data == {
        "intent_id": "INT-001",
        "name": "Round totals",
        "status": "IN_PROGRESS",
        "scope": ["src/**"],
        "by": "command",
        "for_session": None,
    }


@pytest.mark.parametrize(("status", "after"), [("DRAFT", "IN_PROGRESS"), ("PENDING", "IN_PROGRESS")])
def test_a_draft_is_begun_with_as_it_is_selected(repo, cli, status, after):
    repo.write(".orchestration/active_intents.yaml", REGISTRY.replace("IN_PROGRESS", f"{status}  # soon", 1))

    assert cli("select", "INT-001", "--session", "s1").status == 0

    text = (repo.path / ".orchestration/active_intents.yaml").read_text()
    assert text == REGISTRY.replace("IN_PROGRESS", f"{after}  # soon", 1)
    (changed,) = [event for event in repo.events("intent.changed") if event.contributor == "human"]
    assert (changed.data["before"]["status"], changed.data["after"]["status"]) == ("DRAFT", "IN_PROGRESS")
    assert changed.data["reason"] == "it was selected"
    (selected,) = repo.events("intent.selected")
    assert (selected.data["status"], changed.seq < selected.seq) == ("IN_PROGRESS", True)


def test_a_draft_that_waits_for_others_stays_one_and_is_selected_all_the_same(repo, cli):
    waits = "status: DRAFT\n    dependencies: [INT-003]"
    repo.write(".orchestration/active_intents.yaml", REGISTRY.replace("status: IN_PROGRESS", waits, 1))

    answer = cli("select", "INT-001")

    assert answer.status == 0
    assert "note: INT-001 stays DRAFT: it depends on what is not done yet: INT-003 (BLOCKED)" in answer.err
    assert "INT-001 is selected" in answer.out


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_an_agent_is_told_what_its_intent_is_about_and_what_belongs_beside_it(repo, hook, cli, monkeypatch, name):
    for number in range(3):
        files = {"src/billing/total.py": f"CENT = {number}\n", "docs/[a] b.md": f"{number}\n", "x.py": "1\n"}
        repo.commit(str(number), files=files)
    about = "status: IN_PROGRESS\n    description: Cents <not> floats\n    references: [docs/money.md]"
    repo.write(".orchestration/active_intents.yaml", REGISTRY.replace("status: IN_PROGRESS", about, 1))
    repo.write(".orchestration/config.yaml", "enforce: block\n")
    told = {"session_id": "s1", "cwd": str(repo.path), "tool_name": "Bash", "tool_use_id": "t1"}
    told |= {"tool_input": {"command": "linetrail select INT-001"}}
    hook(told | {"hook_event_name": "PreToolUse"}, name)
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
    cli("select", "INT-001")

    said = json.loads(hook(told | {"hook_event_name": "PostToolUse", "tool_response": "ok"}, name).stdout)

    context = said["hookSpecificOutput"]["additionalContext"]
    assert "<description>Cents &lt;not&gt; floats</description>" in context
    assert "<reference>docs/money.md</reference>" in context
    assert "<file>docs/[a] b.md changed with it in 3 commits</file>" in context
    assert "x.py changed" not in context


def test_the_choice_can_be_read_by_a_program(cli):
    assert cli("select", "INT-001", "--json").rows == [
        {"intent_id": "INT-001", "name": "Round totals", "session_id": None}
    ]
    assert cli("select", "--clear", "--session", "s1", "--json").rows == [
        {"intent_id": None, "name": None, "session_id": "s1"}
    ]


def test_in_the_shell_of_an_agent_the_choice_is_for_its_session_alone(repo, cli, prompt, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")

    cli("select", "INT-001")

    (event,) = repo.events("intent.selected")
    assert (event.session_id, event.agent.name, event.contributor) == ("s1", "claude-code", "ai")
    assert (prompt("s1"), prompt("s2")) == ("INT-001", None)


def test_a_session_can_be_named(cli, prompt):
    cli("select", "INT-001")
    cli("select", "INT-004", "--session", "s1")

    assert (prompt("s1"), prompt("s2")) == ("INT-004", "INT-001")


def test_clearing_selects_none_and_says_what_it_was(repo, cli, prompt):
    cli("select", "INT-001")

    assert cli("select", "--clear").status == 0

    (event,) = repo.events("intent.cleared")
    assert (event.intent_id, event.data["intent_id"]) == ("INT-001", "INT-001")
    assert prompt("s1") is None


@pytest.mark.parametrize(
    ("intent_id", "message"),
    [
        pytest.param("INT-9", "Invalid intent_id format: 'INT-9'", id="unknown"),
        pytest.param("INT-009", "Intent 'INT-009' not found", id="not there"),
        pytest.param("INT-002", "Intent 'INT-002' has status 'DONE'", id="done"),
        pytest.param("INT-003", "Cannot activate blocked intents. Reason: none is given", id="blocked"),
    ],
)
def test_a_refusal_names_what_can_be_selected(repo, cli, intent_id, message):
    answer = cli("select", intent_id)

    assert answer.status == 1
    assert message in answer.err
    assert "INT-001" in answer.err
    assert repo.events("intent.selected") == []


def test_an_id_and_clear_contradict_each_other(cli):
    assert cli("select", "INT-001", "--clear").status == 2


def test_without_an_id_the_present_choice_is_told(cli):
    assert cli("select").out == "no intent is selected for this worktree\n"

    cli("select", "INT-001")

    assert cli("select").out == "INT-001 is selected for this worktree: Round totals\n"
    assert cli("select", "--json").rows == [{"intent_id": "INT-001", "name": "Round totals", "session_id": None}]


def test_one_intent_at_a_time_unless_it_is_left_on_purpose(repo, cli):
    cli("select", "INT-001")

    refused = cli("select", "INT-004")

    assert refused.status == 1
    assert "Intent 'INT-001' is already active" in refused.err
    assert cli("select", "INT-001").status == 0
    assert cli("select", "INT-004", "--switch").status == 0
    assert repo.events("intent.cleared")[-1].data["reason"] == "switched to INT-004"


def test_a_program_reads_why_a_choice_was_refused(cli):
    answer = cli("select", "INT-003", "--json")

    error = json.loads(answer.out)["meta"]["error"]
    assert (answer.status, error["code"], error["type"]) == (1, "INTENT_BLOCKED", "state_error")
    assert error["context"]["available_intents"] == ["INT-001", "INT-004"]


def test_an_agent_is_told_in_full_how_to_go_on(cli, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")

    answer = cli("select", "INT-003")

    assert answer.status == 1
    assert "Required action:" in answer.err


def test_a_person_approves_an_agent_s_choice_where_that_is_configured(repo, cli, monkeypatch):
    repo.write(".orchestration/config.yaml", "approve_selection: true\n")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
    assert "APPROVAL_PENDING" in cli("select", "INT-001").err
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID")
    (waiting,) = cli("approve", "--json").rows

    cli("approve", waiting["approval_id"])

    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")
    assert cli("select", "INT-001").status == 0
    assert repo.events("intent.selected")[-1].session_id == "s1"


def test_a_broken_registry_is_named_with_its_line(repo, cli):
    repo.write(".orchestration/active_intents.yaml", "active_intents:\n  - id: [\n")

    answer = cli("select", "INT-001")

    assert answer.status == 1
    assert "active_intents.yaml:3: not YAML" in answer.err


def test_without_a_ledger_the_next_command_is_init(cli, tmp_path, repo):
    (repo.path / ".orchestration").rename(tmp_path / "away")

    answer = cli("select", "INT-001")

    assert answer.status == 2
    assert "next: linetrail init" in answer.err


def test_the_list_marks_what_is_selected(cli):
    cli("select", "INT-001")

    assert cli("intents", "list").out.splitlines() == [
        "* INT-001  IN_PROGRESS  Round totals",
        "  INT-002  DONE         Export",
        "  INT-003  BLOCKED      Cards",
        "  INT-004  DRAFT        Later  (cannot be used: linetrail intents lint)",
    ]


def test_the_list_as_json_says_which_is_selected(cli):
    cli("select", "INT-001")

    first, *_ = cli("intents", "list", "--json").rows

    assert (
        first.items()
        >= {
            "intent_id": "INT-001",
            "name": "Round totals",
            "status": "IN_PROGRESS",
            "scope": ["src/**"],
            "line": 2,
            "selected": True,
        }.items()
    )


def test_one_intent_is_shown_in_full(cli):
    assert cli("intents", "show", "INT-001").out == "INT-001  Round totals\nstatus  IN_PROGRESS\nscope   src/**\n"


def test_an_unknown_intent_is_not_shown(cli):
    assert cli("intents", "show", "INT-9").status == 1
