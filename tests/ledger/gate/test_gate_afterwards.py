"""What a call did is held against what was decided, and counts for the calls after it."""

import time

import pytest

from linetrail.ledger.gate import breaker
from linetrail.ledger.repository import find

DAY_NS = 24 * 3600 * 1_000_000_000


def test_a_command_that_strays_is_told_afterwards(gated, repo):
    session = gated()
    session.select("INT-001")
    session.ask("Bash", command="make everything")
    repo.write("src/auth/generated.py", "x = 1\n")

    told = session.report({"stdout": "", "stderr": "", "interrupted": False})

    (violation,) = repo.events("gate.violation")
    assert (violation.data["code"], violation.data["path"]) == ("OUT_OF_SCOPE", "src/auth/generated.py")
    assert "src/auth/generated.py was changed, and is outside the scope of INT-001" in told["additionalContext"]


def test_a_file_that_strayed_away_is_told_as_well(gated, repo):
    repo.commit(files={"src/auth/rates.py": "a = 1\nb = 2\n"})
    session = gated()
    session.select("INT-001")
    session.ask("Bash", command="make everything")
    repo.write("src/billing/rates.py", "a = 1\nb = 2\n")
    (repo.path / "src/auth/rates.py").unlink()

    session.report({"stdout": "", "stderr": "", "interrupted": False})

    told = [(event.data["code"], event.data["path"]) for event in repo.events("gate.violation")]
    assert told == [("OUT_OF_SCOPE", "src/auth/rates.py")]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["warn", "observe"])
def test_a_write_out_of_scope_that_nothing_stopped_is_told_as_a_command_s_is(gated, repo, cli, mode):
    session = gated(f"enforce: {mode}\n")
    session.select("INT-001")
    session.write("src/billing/a.py")
    session.write("src/auth/a.py")
    session.agent.bash("mkdir -p src/auth && echo x > src/auth/b.py")

    rows = cli("sql", "@gate_violations", "--json").rows
    assert [(row["tool_name"], row["path"], row["code"], row["verdict"]) for row in rows] == [
        ("Write", "src/auth/a.py", "OUT_OF_SCOPE", "deny"),
        ("Bash", "src/auth/b.py", "OUT_OF_SCOPE", "deny"),
    ]


@pytest.mark.promise("G8")
@pytest.mark.parametrize("config", ["enforce: observe\n", None], ids=["weakened", "deleted"])
def test_settings_that_a_call_weakened_do_not_count_until_a_person_says_so(gated, repo, cli, config):
    session = gated()
    session.select("INT-001")
    session.ask("Bash", command="make everything")
    file = repo.path / ".orchestration/config.yaml"
    file.unlink()
    if config is not None:
        file.write_text(config)

    told = session.report({"stdout": "", "stderr": "", "interrupted": False})

    assert "GATE_CHANGED" in told["additionalContext"]
    assert session.code(session.write("src/auth/a.py")) == "OUT_OF_SCOPE"
    assert "pinned" in cli("gate", "status").out
    assert cli("gate", "reset").status == 0
    assert session.ask("Write", file_path=str(repo.path / "src/auth/a.py"), content="x") == {}


def test_no_lesson_names_a_folder_of_this_machine(gated, repo):
    session = gated()
    session.write(".claude/settings.json")
    session.ask("Write", file_path="/etc/passwd", content="x")
    session.ask("Bash", command="git push --force")

    text = (repo.path / ".orchestration/AGENT.md").read_text()
    assert str(repo.path) not in text
    assert "/etc" not in text
    assert "git push: a call was refused" in text


def test_what_another_session_completes_meanwhile_is_nobody_s_violation(gated, repo, cli, monkeypatch):
    session = gated()
    session.select("INT-001")
    session.ask("Bash", command="make test")

    assert cli("intents", "done", "INT-002", "--notes", "checked").status == 0

    assert session.report({"stdout": "", "stderr": "", "interrupted": False}) == {}
    assert session.write("src/billing/a.py") == {}


def test_permissions_that_the_agent_keeps_in_its_own_settings_are_no_violation(gated, repo):
    session = gated()
    session.select("INT-001")
    session.ask("Bash", command="make test")
    repo.write(".claude/settings.local.json", '{"permissions": {"allow": ["Bash(make test)"]}}')
    assert session.report({"stdout": "", "stderr": "", "interrupted": False}) == {}

    session.ask("Bash", command="make test")
    repo.write(".claude/settings.local.json", '{"disableAllHooks": true}')
    told = session.report({"stdout": "", "stderr": "", "interrupted": False})

    assert "GATE_CHANGED" in told["additionalContext"]


def test_an_intent_that_was_selected_behind_the_gate_stops_the_session(gated, repo, cli):
    session = gated()
    session.select("INT-001")
    session.ask("Bash", command="make everything")

    assert cli("select", "INT-002", "--session", "session-1", "--switch").status == 0

    session.report({"stdout": "", "stderr": "", "interrupted": False})
    assert repo.events("gate.violation")[-1].data["reason"] == "INT-002 was selected in this session while Bash ran"
    assert session.code(session.write("src/auth/a.py")) == "CIRCUIT_OPEN"


def test_a_registry_that_a_call_changed_stops_the_session(gated, repo):
    session = gated()
    session.select("INT-001")
    session.ask("Bash", command="make everything")
    registry = repo.path / ".orchestration/active_intents.yaml"
    registry.write_text(registry.read_text().replace("src/billing/**", '"**"'))

    session.report({"stdout": "", "stderr": "", "interrupted": False})

    assert repo.events("gate.violation")[-1].data["code"] == "GATE_CHANGED"
    assert session.code(session.write("src/auth/a.py")) == "CIRCUIT_OPEN"
    assert breaker.standing(find(str(repo.path)), ["session:session-1"], time.time_ns() + DAY_NS).state == "open"


def test_what_was_exempted_behind_the_gate_is_not_written(gated, repo):
    session = gated()
    session.select("INT-001")
    session.ask("Bash", command="make everything")
    repo.write(".orchestration/.intentignore", "*\n")
    session.report({"stdout": "", "stderr": "", "interrupted": False})

    assert session.code(session.write("src/auth/a.py")) == "CIRCUIT_OPEN"


def test_a_call_that_ran_although_it_was_denied_is_told_and_opens_the_breaker(gated, repo):
    session = gated()
    session.select("INT-001")
    refused = session.ask("Write", file_path=str(repo.path / "src/auth/a.py"), content="x\n")
    repo.write("src/auth/a.py", "x\n")

    session.report({"type": "create", "filePath": "src/auth/a.py", "content": "x\n", "originalFile": None})

    assert refused["permissionDecision"] == "deny"
    (violation,) = repo.events("gate.violation")
    assert violation.data["code"] == "DENIED_BUT_EXECUTED"
    assert violation.data["decided_event_id"] == repo.events("gate.decided")[-1].id
    assert session.code(session.write("src/billing/b.py")) == "CIRCUIT_OPEN"


def test_five_refusals_in_a_row_open_the_breaker_and_a_person_closes_it(gated, cli):
    session = gated()
    session.select("INT-001")
    for _ in range(5):
        assert session.code(session.write("src/auth/a.py")) == "OUT_OF_SCOPE"

    assert session.code(session.write("src/billing/a.py")) == "CIRCUIT_OPEN"
    assert session.ask("Bash", command="ls") == {}
    assert cli("gate", "reset").status == 0
    assert session.write("src/billing/a.py") == {}


def test_refusals_for_want_of_an_intent_are_over_when_one_is_selected(gated, cli):
    session = gated()
    for _ in range(5):
        assert session.code(session.write("src/billing/a.py")) == "NO_INTENT"
    assert session.code(session.write("src/billing/a.py")) == "NO_INTENT"

    assert cli("select", "INT-001").status == 0

    assert session.write("src/billing/a.py") == {}


def test_what_one_session_fails_at_stops_no_other(gated):
    session = gated()
    session.select("INT-001")
    for _ in range(5):
        session.write("src/auth/a.py")
    assert session.code(session.write("src/billing/a.py")) == "CIRCUIT_OPEN"

    another = gated(session="session-2")
    another.select("INT-001")

    assert another.write("src/billing/b.py") == {}


def test_a_gate_that_one_session_changed_stops_every_session_with_that_intent(gated, repo):
    session = gated()
    session.select("INT-001")
    session.ask("Bash", command="make everything")
    repo.write(".orchestration/.intentignore", "*\n")
    session.report({"stdout": "", "stderr": "", "interrupted": False})

    another = gated(session="session-2")
    another.select("INT-001")

    assert another.code(another.write("src/billing/b.py")) == "CIRCUIT_OPEN"


@pytest.mark.slow
def test_reading_neither_opens_the_breaker_nor_closes_it(gated):
    session = gated()
    session.select("INT-001")
    for _ in range(6):
        session.ask("Bash", command="grep -c zzz README.md")
        session.report(event="PostToolUseFailure", error="Exit code 1")
    assert session.write("src/billing/a.py") == {}

    for _ in range(5):
        session.write("src/auth/a.py")
        session.ask("Bash", command="ls")
        session.report({"stdout": "", "stderr": "", "interrupted": False})

    assert session.code(session.write("src/billing/b.py")) == "CIRCUIT_OPEN"


def test_a_call_that_was_never_judged_is_told(gated, repo):
    session = gated()
    session.select("INT-001")
    repo.write("src/billing/a.py", "x = 1\n")

    session.agent.send(
        "PostToolUse",
        tool_name="Write",
        tool_input={"file_path": str(repo.path / "src/billing/a.py"), "content": "x = 1\n"},
        tool_use_id="never-asked",
        tool_response={"type": "create", "content": "x = 1\n", "originalFile": None},
    )

    assert [event.data["code"] for event in repo.events("gate.violation")] == ["UNJUDGED"]


@pytest.mark.promise("G7")
def test_a_folder_that_was_swapped_after_the_judgement_is_told(gated, repo, tmp_path):
    repo.write("src/billing/deep/a.py", "x\n")
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    session = gated()
    session.select("INT-001")
    session.ask("Write", file_path=str(repo.path / "src/billing/deep/b.py"), content="y\n")
    (repo.path / "src/billing/deep").rename(repo.path / "src/billing/old")
    (repo.path / "src/billing/deep").symlink_to(outside)
    (outside / "b.py").write_text("y\n")

    session.report({"type": "create", "content": "y\n", "originalFile": None})

    assert "PLACE_SWAPPED" in [event.data["code"] for event in repo.events("gate.violation")]


@pytest.mark.promise("G8")
@pytest.mark.parametrize("path", [".cursor/hooks.json", ".gemini/settings.json", ".opencode/plugins/linetrail.ts"])
def test_hooks_of_any_agent_that_a_call_changed_are_a_violation(gated, repo, path):
    repo.write(path, '{"hooks": {}}')
    session = gated()
    session.select("INT-001")
    session.ask("Bash", command="make everything")
    repo.write(path, '{"hooks": {"all": []}}')

    told = session.report({"stdout": "", "stderr": "", "interrupted": False})

    assert "GATE_CHANGED" in told["additionalContext"]
    assert f"{path} changed" in told["additionalContext"]
