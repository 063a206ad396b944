"""A mutation repairs something when tests failed before the session had changed anything, and then passed."""

import pytest

from linetrail.ledger.repository import find
from linetrail.projections.tables.tables import open_tables
from tests.story import Story

EDIT = "edit"


@pytest.fixture
def repaired(repo):
    """Return a function that plays a session and tells which of its edits are repairs, counted from 1.

    A word is an edit of the program, or of the file behind a colon; anything else is a command with how it ended.
    """
    repo.start_ledger()

    def play(*acts, exit_code=1):
        story, edits = Story(), []
        for at, act in enumerate(acts):
            if isinstance(act, str):
                path = act.partition(":")[2] or "src/a.py"
                edits.append(story.tell("mutation.observed", {}, edits={path: f"x = {at}\n"}).id)
                continue
            command, passed = act
            call = {"tool_call_id": f"t{at}", "tool_name": "Bash", "operation": "shell"}
            story.tell("tool.requested", call | {"command": command})
            code = 0 if passed else exit_code
            story.tell("tool.completed" if passed else "tool.failed", call | {"exit_code": code})
        story.written(repo.path)
        with open_tables(find(str(repo.path))) as tables:
            found = {mutation_id for (mutation_id,) in tables.ask("select mutation_id from v_repairs").rows}
        return [at for at, mutation_id in enumerate(edits, 1) if mutation_id in found]

    return play


FAIL, PASS = ("pytest -q", False), ("pytest -q", True)


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("acts", "repairs"),
    [
        pytest.param([FAIL, EDIT, PASS], [1], id="failed, changed, passed"),
        pytest.param([FAIL, EDIT, FAIL, EDIT, PASS], [1, 2], id="in two attempts"),
        pytest.param([FAIL, EDIT, PASS, EDIT], [1], id="what comes after it passed is something else"),
        pytest.param([FAIL, EDIT], [], id="it never passed"),
        pytest.param([EDIT, PASS], [], id="it never failed"),
        pytest.param([EDIT, FAIL, EDIT, PASS], [], id="the session broke it itself"),
        pytest.param([PASS, EDIT, FAIL, EDIT, PASS], [], id="it passed before the session changed it"),
        pytest.param([EDIT, PASS, FAIL, EDIT, PASS], [2], id="something else broke it after it had passed"),
        pytest.param([FAIL, EDIT, ("pytest -q tests", True)], [], id="other tests passed"),
        pytest.param([FAIL, "edit:tests/test_a.py", PASS], [], id="the tests were changed instead"),
        pytest.param([FAIL, "edit:tests/test_a.py", EDIT, PASS], [2], id="the tests were changed, too"),
    ],
)
def test_a_repair_lies_between_a_failure_and_a_success(repaired, acts, repairs):
    assert repaired(*acts) == repairs


@pytest.mark.daily(2)
@pytest.mark.parametrize(
    ("command", "counts"),
    [
        ("pytest", True),
        ("python -m pytest tests -x", True),
        ("cd sub && PYTHONPATH=. uv run pytest -q", True),
        ("npm test", True),
        ("npm run test:unit", True),
        ("npx vitest run", True),
        ("go test ./...", True),
        ("cargo test --all", True),
        ("make test", True),
        ("./gradlew test", True),
        ("pytest -q 2>&1", True),
        # the status is that of something else
        ("pytest -q | tail -3", False),
        ("pytest -q || true", False),
        ("pytest -q; echo done", False),
        ("make", False),
        ("git commit -m 'test'", False),
        ("ls tests", False),
    ],
)
def test_only_commands_whose_status_is_that_of_tests_count(repaired, command, counts):
    assert repaired((command, False), EDIT, (command, True)) == ([1] if counts else [])


@pytest.mark.daily(2)
@pytest.mark.parametrize("exit_code", [127, 130])
def test_a_run_that_did_not_happen_is_no_failure(repaired, exit_code):
    assert repaired(FAIL, EDIT, PASS, exit_code=exit_code) == []
