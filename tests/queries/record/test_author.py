"""Who works at a command line: the variables of the shell tell the agent, its hooks the session and the model."""

import pytest

REGISTRY = """\
active_intents:
  - {id: INT-001, name: Round totals, status: IN_PROGRESS, owned_scope: [src/**]}
"""


@pytest.fixture(autouse=True)
def _registry(repo):
    repo.start_ledger()
    repo.write(".orchestration/active_intents.yaml", REGISTRY)


def shell_call(repo, command, event="BeforeTool", session="session-a", **fields):
    """Return what Gemini CLI, which gives its shells no session, tells its hooks of a command."""
    called = {"tool_name": "run_shell_command", "tool_input": {"command": command}, **fields}
    return {"hook_event_name": event, "session_id": session, "cwd": str(repo.path), **called}


@pytest.mark.parametrize(
    ("variable", "value", "agent", "session"),
    [
        ("CLAUDE_CODE_SESSION_ID", "s1", "claude-code", "s1"),
        ("CLAUDECODE", "1", "claude-code", None),
        ("CODEX_THREAD_ID", "s1", "codex", "s1"),
        ("CURSOR_AGENT", "1", "cursor", None),
        ("GEMINI_CLI", "1", "gemini-cli", None),
        ("OPENCODE", "1", "opencode", None),
    ],
)
def test_the_shell_of_an_agent_is_the_agent(repo, cli, monkeypatch, variable, value, agent, session):
    monkeypatch.setenv(variable, value)

    assert cli("select", "INT-001").status == 0
    assert cli("lesson", "add", "Run the tests first.").status == 0
    assert cli("record-decision", "--title", "Round half to even").status == 0

    told = repo.events("intent.selected", "lesson.recorded", "decision.recorded")
    assert [(event.contributor, event.agent.name, event.session_id) for event in told] == [("ai", agent, session)] * 3


@pytest.mark.parametrize("value", ["", "0", "false"])
def test_a_variable_that_says_no_is_a_person_s(repo, cli, monkeypatch, value):
    monkeypatch.setenv("GEMINI_CLI", value)

    cli("select", "INT-001")

    (event,) = repo.events("intent.selected")
    assert (event.contributor, event.agent) == ("human", None)


@pytest.mark.parametrize("variable", ["CODEX_THREAD_ID", "GEMINI_CLI"])
def test_what_is_a_person_s_business_no_agent_does(cli, monkeypatch, variable):
    cli("init", "--agent", "none", "--enforce", "block")
    monkeypatch.setenv(variable, "1")

    refused = [cli("approve", "A-1234"), cli("init", "--enforce", "observe"), cli("intents", "abort", "INT-001")]
    refused += [cli("lesson", "forget", "L-1"), cli("gate", "reset")]

    assert [answer.status for answer in refused] == [1] * 5
    assert "$GEMINI_CLI" in refused[0].err or "codex, session 1" in refused[0].err


def test_the_hooks_of_a_session_name_its_model(repo, agent, cli, monkeypatch):
    agent("s1", model="claude-model-x").prompt("go on")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "s1")

    cli("select", "INT-001")

    (event,) = repo.events("intent.selected")
    assert (event.agent.name, event.agent.model_id) == ("claude-code", "anthropic/claude-model-x")


def test_a_hook_that_heard_the_command_tells_its_session(repo, hook, linetrail):
    command = "linetrail select INT-001"

    hook(shell_call(repo, command), "gemini-cli")
    linetrail("select", "INT-001", env={"GEMINI_CLI": "1"})
    hook(shell_call(repo, command, "AfterTool", tool_response={"llmContent": "ok"}), "gemini-cli")

    (event,) = repo.events("intent.selected")
    assert (event.session_id, event.agent.name, event.data["for_session"]) == ("session-a", "gemini-cli", "session-a")


def test_of_two_sessions_that_call_at_once_neither_is_taken_for_the_other(repo, hook, linetrail):
    for session in ("session-a", "session-b"):
        hook(shell_call(repo, "linetrail lesson add x", session=session), "gemini-cli")

    linetrail("lesson", "add", "x", env={"GEMINI_CLI": "1"})

    (event,) = repo.events("lesson.recorded")
    assert (event.session_id, event.agent.name) == (None, "gemini-cli")
