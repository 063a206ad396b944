"""What the gate teaches: lessons from refusals and failures, what is left to do, and both at the next start."""

import pytest

from tests.gated import REGISTRY, Session


@pytest.fixture
def session(repo, agent):
    repo.write(".orchestration/config.yaml", "enforce: block\n")
    repo.write(".orchestration/active_intents.yaml", REGISTRY)
    return Session(agent())


def fail(session, command, error):
    """Run a command that ends with an error."""
    session.ask("Bash", command=command)
    session.report(event="PostToolUseFailure", error=error)


def test_a_refusal_is_a_lesson_once_however_often_it_comes(session, repo):
    session.select("INT-001")

    for _ in range(3):
        session.write("src/auth/session.py")

    lessons = repo.events("lesson.recorded")
    assert {(event.data["lesson_id"], event.data["source"], event.data["code"]) for event in lessons} == {
        (lessons[0].data["lesson_id"], "denial", "OUT_OF_SCOPE")
    }
    text = (repo.path / ".orchestration/AGENT.md").read_text()
    assert sum(line.startswith("- **") for line in text.splitlines()) == 1
    assert "3 times" in text


def test_a_failed_check_is_a_lesson_that_the_next_session_is_told(session, repo, agent):
    session.select("INT-001")
    fail(session, "pytest -q tests/billing", "Exit code 1\nFAILED tests/billing/test_total.py::test_cents - 0.1 + 0.2")

    other = Session(agent("session-2"))
    told = other.select("INT-001")

    (event,) = repo.events("lesson.recorded")
    assert event.data["source"] == "verification"
    assert event.data["title"] in told["additionalContext"]
    (shown,) = repo.events("lessons.shown")
    assert (shown.session_id, shown.data["intent_id"]) == ("session-2", "INT-001")
    assert shown.data["lesson_ids"] == [event.data["lesson_id"]]


def test_a_secret_in_a_failed_command_is_in_no_file(session, repo):
    session.select("INT-001")
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    fail(session, f"deploy --token {secret}", f"Exit code 3\nno such token: {secret}")

    assert not [file for file in repo.path.rglob("*") if file.is_file() and secret.encode() in file.read_bytes()]


def test_lessons_can_be_switched_off(session, repo):
    repo.write(".orchestration/config.yaml", "enforce: block\nlessons: false\n")
    session.select("INT-001")

    session.write("src/auth/session.py")

    assert repo.events("lesson.recorded") == []
    assert not (repo.path / ".orchestration/AGENT.md").exists()


def test_where_linetrail_observes_no_tracked_file_is_touched(session, repo):
    repo.write(".orchestration/config.yaml", "enforce: observe\n")
    session.select("INT-001")

    session.write("src/auth/session.py")
    session.ask("TodoWrite", todos=[{"content": "round", "status": "pending", "activeForm": "rounding"}])
    session.report("ok")

    assert {file.name for file in (repo.path / ".orchestration").glob("*.md")} == set()


def test_what_is_left_to_do_is_told_at_the_next_start(session, repo, agent):
    session.select("INT-001")
    todos = [
        {"content": "Round each line", "status": "completed", "activeForm": "Rounding"},
        {"content": "Sum the rounded lines", "status": "pending", "activeForm": "Summing"},
    ]
    session.ask("TodoWrite", todos=todos)
    session.report("ok")

    told = agent("session-2", model=None).send("SessionStart", source="startup", model="m")

    assert "Sum the rounded lines" in told["additionalContext"]
    assert "Round each line" not in told["additionalContext"]


def test_the_context_names_the_last_changes_of_the_same_intent(session, repo, agent):
    session.select("INT-001")
    session.write("src/billing/total.py")

    told = Session(agent("session-2")).select("INT-001")

    assert "add src/billing/total.py" in told["additionalContext"]
