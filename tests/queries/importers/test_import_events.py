"""`linetrail import claude-code`: what becomes an event, and what it says."""

import pytest

from linetrail.ledger.event.schema import problems
from linetrail.ledger.files import digest

pytestmark = pytest.mark.usefixtures("ledger")


def hashed(text):
    return None if text is None else digest(text.encode())


# What becomes an event


def test_what_a_session_used_is_told_before_the_next_session_begins(repo, talk, imported):
    first, second = talk("first"), talk("second", after=3600)
    for session in (first, second):
        session.prompt("hello")
        session.answer({"type": "text", "text": "hello"})

    imported(first, second)

    assert [event.session_id for event in repo.events("usage.recorded", "session.started")] == [
        "first",
        "first",
        "second",
        "second",
    ]


def test_a_session_becomes_what_its_hooks_would_have_told(repo, talk, imported):
    session = talk()
    session.prompt("Add a total", permissionMode="acceptEdits")
    session.write("src/total.py", "def total():\n    return 0\n")
    session.bash("pytest -q", "1 passed")

    imported(session)

    assert [event.type for event in repo.events()] == [
        "session.started",
        "prompt.submitted",
        "tool.requested",
        "mutation.observed",
        "tool.completed",
        "usage.recorded",
        "tool.requested",
        "tool.completed",
        "usage.recorded",
    ]
    assert not [problem for line in repo.lines() for problem in problems(line)]


def test_every_event_names_its_session_its_agent_and_its_branch(repo, talk, imported):
    session = talk("session-9")
    session.prompt("Hello")
    session.bash("ls")

    imported(session)

    requested = repo.events("tool.requested")[0]
    assert requested.session_id == "session-9"
    assert requested.agent == ("claude-code", "2.1.45", "anthropic/claude-model-x")
    assert requested.vcs == ("git", None, "main", None)
    assert requested.contributor == "ai"
    assert repo.events("prompt.submitted")[0].contributor == "human"


def test_a_tool_call_points_to_its_prompt(repo, talk, imported):
    session = talk()
    session.prompt("Look around", permissionMode="plan")
    session.bash("ls")

    imported(session)

    prompt, requested = repo.events("prompt.submitted")[0], repo.events("tool.requested")[0]
    assert requested.data["prompt_id"] == prompt.data["prompt_id"]
    assert requested.data["permission_mode"] == "plan"


def test_the_permission_mode_may_come_as_a_record_of_its_own(repo, talk, imported):
    session = talk()
    session.prompt("Hello")
    session.lines.append(b'{"type": "permission-mode", "permissionMode": "auto", "sessionId": "session-1"}\n')
    session.bash("ls")

    imported(session)

    assert repo.events("tool.requested")[0].data["permission_mode"] == "auto"


def test_a_failed_command_tells_its_exit_code(repo, talk, imported):
    session = talk()
    session.bash("false", "Exit code 3\nno such target", failed=True)

    imported(session)

    data = repo.events("tool.failed")[0].data
    assert (data["exit_code"], data["error"]) == (3, "Exit code 3 no such target")


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"isMeta": True}, id="what the client explains to the agent"),
        pytest.param({"isCompactSummary": True, "isVisibleInTranscriptOnly": True}, id="summary of a compaction"),
        pytest.param({"isSidechain": True, "agentId": "a1"}, id="an agent speaking to a subagent"),
        pytest.param({"origin": {"kind": "task-notification"}}, id="a task in the background"),
        pytest.param({"text": "<local-command-stdout>bye</local-command-stdout>"}, id="output of a local command"),
        pytest.param({"text": "<command-name>/clear</command-name>"}, id="a local command"),
        pytest.param({"text": "[Request interrupted by user]"}, id="an interruption"),
    ],
)
def test_only_what_a_person_typed_is_a_prompt(repo, talk, imported, fields):
    session = talk()
    session.prompt(fields.pop("text", "Carry on"), **fields)

    imported(session)

    assert not repo.events("prompt.submitted")


@pytest.mark.parametrize(
    ("content", "typed"),
    [
        pytest.param("Add a total", "Add a total", id="plain text"),
        pytest.param([{"type": "text", "text": "See"}, {"type": "image", "source": {}}], "See", id="with a picture"),
        pytest.param(
            "<command-message>fix is running</command-message>\n<command-name>/fix</command-name>\n"
            "<command-args>the total</command-args>",
            "/fix the total",
            id="a command of the project",
        ),
    ],
)
def test_a_prompt_is_kept_as_excerpt_and_commitment(repo, talk, imported, content, typed):
    session = talk()
    session.prompt(content)

    imported(session)

    data = repo.events("prompt.submitted")[0].data
    assert (data["excerpt"], data["length"]) == (typed, len(typed))
    assert data["commitment"] != hashed(typed)


def test_a_prompt_typed_while_the_agent_worked_is_one_too(repo, talk, imported):
    session = talk()
    session.add("attachment", attachment={"type": "queued_command", "prompt": "And a test", "commandMode": "prompt"})

    imported(session)

    assert repo.events("prompt.submitted")[0].data["excerpt"] == "And a test"


def test_leaving_ends_the_session(repo, talk, imported):
    session = talk()
    session.prompt("Hello")
    session.prompt("<command-name>/exit</command-name>\n<command-message>exit</command-message>")

    imported(session)

    assert [event.data["reason"] for event in repo.events("session.ended")] == ["prompt_input_exit"]


def test_why_a_session_began_is_told_by_its_hook(repo, talk, imported):
    session = talk()
    session.add("progress", data={"type": "hook_progress", "hookName": "SessionStart:resume"})

    imported(session)

    data = repo.events("session.started")[0].data
    assert (data["source"], data["transcript"], data["cwd"]) == ("resume", "0.jsonl", ".")


# Tokens


def test_the_last_report_on_an_answer_has_its_tokens(repo, talk, imported):
    session = talk()
    for tokens in (1, 7, 40):
        session.answer(message="msg_1", tokens=tokens)
    session.answer(message="msg_2", tokens=5)

    imported(session)

    usage = [event.data for event in repo.events("usage.recorded")]
    assert [(one["usage_key"], one["output_tokens"]) for one in usage] == [
        ("msg_1:req_msg_1", 40),
        ("msg_2:req_msg_2", 5),
    ]
    assert usage[0]["model_id"] == "anthropic/claude-model-x"


def test_what_is_no_count_of_tokens_is_not_known(repo, talk, imported):
    session = talk()
    usage = {"input_tokens": -1, "output_tokens": 2.5, "cache_read_input_tokens": 10**30}
    session.add("assistant", message={"id": "m", "model": "x", "role": "assistant", "content": [], "usage": usage})

    imported(session)

    data = repo.events("usage.recorded")[0].data
    assert [data[kind] for kind in ("input_tokens", "output_tokens", "cache_read_input_tokens")] == [None] * 3


# Subagents


def test_a_subagent_that_reports_as_progress_speaks_for_its_session(repo, talk, imported):
    session = talk()
    task = session.call("Task", {"prompt": "Look", "subagent_type": "Explore"})
    use = {
        "type": "tool_use",
        "id": "toolu_of_the_subagent_01",
        "name": "Read",
        "input": {"file_path": session.place("a.py")},
    }
    said = {
        "id": "msg_sub",
        "model": "claude-small",
        "role": "assistant",
        "content": [use],
        "usage": {"output_tokens": 2},
    }
    for kind, message in (
        ("user", {"role": "user", "content": "Look"}),
        ("assistant", said),
        ("user", {"role": "user", "content": [{"type": "tool_result", "tool_use_id": use["id"], "content": "one"}]}),
    ):
        inner = {"type": kind, "message": message, "uuid": f"of-the-subagent-{len(session.lines)}", "requestId": "r"}
        session.add(
            "progress", parentToolUseID=task, data={"type": "agent_progress", "agentId": "a1", "message": inner}
        )

    imported(session)

    requested = repo.events("tool.requested")[1]
    assert (requested.session_id, requested.agent.model_id) == ("session-1", "anthropic/claude-small")
    assert (requested.data["agent_id"], requested.data["agent_type"]) == ("a1", "Explore")
    assert repo.events("tool.completed")[0].data["agent_id"] == "a1"
    assert not repo.events("prompt.submitted")
    assert "msg_sub:r" in {event.data["usage_key"] for event in repo.events("usage.recorded")}


def test_a_subagent_with_a_file_of_its_own_speaks_for_its_session(repo, cli, talk, tmp_path):
    session, sub = talk(), talk()
    session.prompt("Look")
    sub.calls = 10
    sub.call("Grep", {"pattern": "x"}, isSidechain=True, agentId="a7")
    folder = tmp_path / "projects"
    session.save(folder / "session-1.jsonl")
    sub.save(folder / "session-1" / "subagents" / "agent-a7.jsonl")

    rows = cli("import", "claude-code", str(folder), "--json").rows

    assert len(rows) == 2
    assert [event.data["agent_id"] for event in repo.events("tool.requested")] == ["a7"]
    assert len(repo.events("session.started")) == 1


def test_a_sidechain_without_a_name_is_still_not_the_main_agent(repo, talk, imported):
    session = talk()
    session.call("Grep", {"pattern": "x"}, isSidechain=True)

    imported(session)

    assert repo.events("tool.requested")[0].data["agent_id"] == "sidechain"
