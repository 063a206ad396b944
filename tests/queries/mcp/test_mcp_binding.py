"""Which session a selection is for: real hooks around real calls, of every agent that tells of them in its own way."""

import json
from collections.abc import Callable
from typing import NamedTuple

import pytest

from tests.gated import BLOCK, REGISTRY

pytestmark = pytest.mark.in_turn

SELECT = "select_active_intent"


class Dialect(NamedTuple):
    """How an agent tells of a call: its name, what its client calls itself, and the payload of each of its hooks."""

    agent: str
    client: str
    before: Callable
    after: Callable


def claude_shaped(name, **more):
    """Return the two payloads that most agents send, with the name that the agent gives the tool."""

    def payload(event, session, tool, given, root, **fields):
        called = {"tool_name": name.format(tool), "tool_input": given, **more}
        return {"hook_event_name": event, "session_id": session, "cwd": root, **called, **fields}

    return (
        lambda *call: payload("PreToolUse", *call),
        lambda said, *call: payload("PostToolUse", *call, tool_response=[{"type": "text", "text": said}]),
    )


def gemini(event, session, tool, given, root, **fields):
    called = {"tool_name": f"mcp_linetrail_{tool}", "tool_input": given}
    return {"hook_event_name": event, "session_id": session, "cwd": root, **called, **fields}


def cursor(event, session, tool, given, root, **fields):
    called = {"tool_name": tool, "tool_input": json.dumps(given), "mcp_server_name": "linetrail"}
    about = {"conversation_id": session, "cursor_version": "3.9.0", "workspace_roots": [root]}
    return {"hook_event_name": event, **about, **called, **fields}


def cursor_s_own(event, session, tool, given, root, **fields):
    called = {"tool_name": f"MCP:{tool}", "tool_input": given, "tool_use_id": f"tool_{session}", "cwd": root}
    about = {"conversation_id": session, "cursor_version": "3.9.0", "workspace_roots": [root]}
    return {"hook_event_name": event, **about, **called, **fields}


def windsurf(event, session, tool, given, _root, **fields):
    called = {"mcp_server_name": "linetrail", "mcp_tool_name": tool, "mcp_tool_arguments": given, **fields}
    return {"agent_action_name": event, "trajectory_id": session, "execution_id": "e1", "tool_info": called}


def opencode(event, session, tool, given, root, **fields):
    call = {"tool": f"linetrail_{tool}", "sessionID": session, "callID": "call_1"}
    return {
        "hook": event,
        "context": {"directory": root, "worktree": root},
        "input": call | ({"args": given} if event.endswith("after") else {}),
        "output": fields or {"args": given},
    }


DIALECTS = (
    Dialect("claude-code", "claude-code", *claude_shaped("mcp__linetrail__{}", tool_use_id="toolu_1")),
    Dialect("claude-code", "claude-code", *claude_shaped("mcp__plugin_linetrail_linetrail__{}", tool_use_id="toolu_1")),
    Dialect("codex", "codex-mcp-client", *claude_shaped("mcp__linetrail__{}", tool_use_id="call_1", turn_id="t1")),
    Dialect("vscode-copilot", "Visual Studio Code", *claude_shaped("mcp_linetrail_{}", tool_use_id="c__vscode-1")),
    Dialect("continue-cli", "continue-client", *claude_shaped("mcp__linetrail__{}")),
    Dialect("kiro-cli", "Q DEV CLI", *claude_shaped("@linetrail/{}")),
    Dialect(
        "gemini-cli",
        "gemini-cli-mcp-client",
        lambda *call: gemini("BeforeTool", *call),
        lambda said, *call: gemini("AfterTool", *call, tool_response={"llmContent": said, "returnDisplay": said}),
    ),
    Dialect(
        "cursor",
        "cursor-vscode",
        lambda *call: cursor("beforeMCPExecution", *call),
        lambda said, *call: cursor(
            "afterMCPExecution", *call, result_json=json.dumps({"content": [{"type": "text", "text": said}]})
        ),
    ),
    Dialect(
        "cursor",
        "cursor-vscode",
        lambda *call: cursor_s_own("preToolUse", *call),
        lambda said, *call: cursor_s_own("postToolUse", *call, tool_output=said),
    ),
    Dialect(
        "windsurf",
        "windsurf-client",
        lambda *call: windsurf("pre_mcp_tool_use", *call),
        lambda said, *call: windsurf("post_mcp_tool_use", *call, mcp_result=said),
    ),
    Dialect(
        "opencode",
        "opencode",
        lambda *call: opencode("tool.execute.before", *call),
        lambda said, *call: opencode("tool.execute.after", *call, output=said, title="", metadata={}),
    ),
)


def kiro_s(payload):
    """Kiro spells its events with a small letter, and what a tool answered in its own way."""
    said = payload.pop("tool_response", None)
    event = payload["hook_event_name"]
    answered = {} if said is None else {"tool_response": {"success": True, "result": [said[0]["text"]]}}
    return payload | {"hook_event_name": event[0].lower() + event[1:]} | answered


@pytest.fixture(autouse=True)
def _registry(repo):
    repo.write(".orchestration/active_intents.yaml", REGISTRY)


@pytest.fixture
def around(repo, hook, speaker):
    """Return a function that calls a tool as an agent with hooks does, and returns what the tool said."""
    servers = {}

    def call(dialect, session, tool, server=None, **given):
        server = server or servers.setdefault(dialect, speaker(name=dialect.client))
        tell = kiro_s if dialect.agent == "kiro-cli" else dict
        about = (session, tool, given, str(repo.path))
        # Windsurf says nothing of where it is.
        before = hook(tell(dialect.before(*about)), dialect.agent)
        assert (before.returncode, before.stderr) == (0, "")
        said = server.call(tool, **given)
        after = hook(tell(dialect.after(json.dumps(said, separators=(",", ":")), *about)), dialect.agent)
        assert (after.returncode, after.stderr) == (0, "")
        return said

    return call


def chosen(repo):
    return [
        (event.type.removeprefix("intent."), event.intent_id, event.session_id, event.data["by"])
        for event in repo.events("intent.selected", "intent.cleared")
    ]


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.agent)
def test_the_hook_binds_what_the_tool_asks_for_and_it_is_recorded_once(repo, around, dialect):
    said = around(dialect, "session-a", SELECT, intent_id="INT-001", reasoning="rounding")

    assert (said["recorded_by"], said["session_id"]) == ("hook", "session-a")
    assert chosen(repo) == [("selected", "INT-001", "session-a", "tool")]
    (event,) = repo.events("intent.selected")
    assert (event.agent.name, event.contributor, event.data["reasoning"]) == (dialect.agent, "ai", "rounding")

    done = around(dialect, "session-a", "complete_intent", intent_id="INT-001", verification_notes="ok")
    assert done["status"] == "DONE"
    assert chosen(repo)[1:] == [("cleared", "INT-001", "session-a", "tool")]
    assert [one.data["verification_notes"] for one in repo.events("intent.completed")] == ["ok"]
    # What our own tools do to the registry is no change of files that somebody made behind them.
    assert repo.events("mutation.observed") == []


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS[:1] + DIALECTS[6:8], ids=lambda dialect: dialect.agent)
def test_a_refusal_of_the_tool_binds_nothing(repo, around, dialect):
    said = around(dialect, "session-a", SELECT, intent_id="INT-003")

    assert said["code"] == "INTENT_BLOCKED"
    assert chosen(repo) == []


@pytest.mark.slow
def test_sessions_in_parallel_have_an_intent_each(repo, around, speaker):
    claude, gemini_cli = DIALECTS[0], DIALECTS[6]

    around(claude, "session-a", SELECT, intent_id="INT-001")
    around(gemini_cli, "session-b", SELECT, intent_id="INT-002")

    assert around(claude, "session-a", "get_active_intent")["intent_id"] == "INT-001"
    assert around(gemini_cli, "session-b", "get_active_intent")["intent_id"] == "INT-002"
    assert speaker().call("get_active_intent")["intent_id"] is None


@pytest.mark.slow
def test_calls_that_cross_are_left_to_their_hooks(repo, hook, speaker):
    dialect, server = DIALECTS[0], speaker(name="claude-code")
    calls = [(session, SELECT, {"intent_id": "INT-001"}, str(repo.path)) for session in ("session-a", "session-b")]

    for call in calls:
        hook(dialect.before(*call))
    said = [server.call(SELECT, intent_id="INT-001") for _ in calls]
    unclear = [hook(dialect.before(call[0], "get_active_intent", {}, call[3])) and None for call in calls]
    answer = server.call("get_active_intent")
    assert chosen(repo) == []
    for call, text in zip(calls, said, strict=True):
        hook(dialect.after(json.dumps(text), *call))

    assert {(one["recorded_by"], one["session_id"]) for one in said} == {("hook", None)}
    assert (answer["code"], unclear) == ("SESSION_UNCLEAR", [None, None])
    assert chosen(repo) == [("selected", "INT-001", session, "tool") for session in ("session-a", "session-b")]


@pytest.mark.slow
def test_a_session_that_the_environment_names_is_believed_where_no_hook_listens(repo, speaker):
    server = speaker(name="claude-code", env={"CLAUDE_CODE_SESSION_ID": "session-a"})

    said = server.call(SELECT, intent_id="INT-001", session_handle="another")

    assert (said["recorded_by"], said["session_id"]) == ("server", "session-a")
    assert chosen(repo) == [("selected", "INT-001", "session-a", "server")]
    assert repo.events("intent.selected")[0].agent.name == "claude-code"


@pytest.mark.slow
def test_a_hook_that_only_hears_the_end_records_nothing_again(repo, hook, speaker):
    dialect, call = DIALECTS[0], ("session-a", SELECT, {"intent_id": "INT-001"}, str(repo.path))
    server = speaker(name="claude-code", env={"CLAUDE_CODE_SESSION_ID": "session-a"})

    said = server.call(SELECT, intent_id="INT-001")
    hook(dialect.after(json.dumps(said), *call))

    assert chosen(repo) == [("selected", "INT-001", "session-a", "server")]


@pytest.mark.slow
def test_the_hook_is_believed_before_the_environment(repo, around, speaker):
    server = speaker(name="claude-code", env={"CLAUDE_CODE_SESSION_ID": "before-the-clear"})

    said = around(DIALECTS[0], "after-the-clear", SELECT, server, intent_id="INT-001")

    assert said["session_id"] == "after-the-clear"
    assert chosen(repo) == [("selected", "INT-001", "after-the-clear", "tool")]


@pytest.mark.slow
def test_the_environment_of_another_agent_says_nothing(repo, speaker):
    server = speaker(name="gemini-cli-mcp-client", env={"CLAUDE_CODE_SESSION_ID": "session-a"})

    assert server.call(SELECT, intent_id="INT-001")["selected_for"] == "worktree"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("client", "meta"),
    [
        pytest.param("codex-mcp-client", {"threadId": "session-a"}, id="Codex"),
        pytest.param(
            "codex-mcp-client", {"x-codex-turn-metadata": {"session_id": "session-a", "turn_id": "t"}}, id="its turn"
        ),
        pytest.param("codex-mcp-client", {"x-codex-turn-metadata": '{"session_id":"session-a"}'}, id="as text"),
        pytest.param("Visual Studio Code", {"vscode.conversationId": "session-a"}, id="VS Code"),
    ],
)
def test_a_session_that_the_client_sends_along_is_believed(repo, speaker, client, meta):
    server = speaker(name=client, revision="2025-06-18" if "threadId" in meta else "2026-07-28")

    server.call(SELECT, meta, intent_id="INT-001")

    assert chosen(repo) == [("selected", "INT-001", "session-a", "server")]
    assert server.call("get_active_intent", meta)["intent_id"] == "INT-001"
    assert server.call("get_active_intent")["intent_id"] is None


@pytest.mark.slow
def test_what_a_client_sends_along_may_be_anything(speaker):
    server = speaker(name="codex-mcp-client")

    for told in (7, None, "", "x" * 300, {"id": "session-a"}, ["session-a"], {"session_id": 7}):
        meta = {"threadId": told, "x-codex-turn-metadata": told, "vscode.conversationId": told}
        assert server.call(SELECT, meta, intent_id="INT-001")["selected_for"] == "worktree"
    for told in ("[" * 5000, "not json"):
        meta = {"threadId": "session-a", "x-codex-turn-metadata": told}
        assert server.call(SELECT, meta, intent_id="INT-001")["session_id"] == "session-a"


@pytest.mark.slow
def test_a_call_that_the_gate_refused_is_nobody_s(repo, hook, speaker):
    repo.write(".orchestration/config.yaml", BLOCK)
    dialect = DIALECTS[0]
    refused = hook(dialect.before("session-a", SELECT, {"intent_id": "INT-003"}, str(repo.path)))

    said = speaker(name="claude-code").call(SELECT, intent_id="INT-003")
    other = speaker(name="claude-code").call(SELECT, intent_id="INT-001")

    assert "INTENT_BLOCKED" in refused.stdout
    assert said["code"] == "INTENT_BLOCKED"
    assert (other["recorded_by"], other["session_id"]) == ("server", None)


@pytest.mark.slow
def test_where_the_gate_only_observes_the_tool_itself_waits_for_a_person(repo, around, cli):
    repo.write(".orchestration/config.yaml", "approve_selection: true\n")

    asked = around(DIALECTS[0], "session-a", SELECT, intent_id="INT-001")
    cli("approve", cli("approve", "--json").rows[0]["approval_id"])
    again = DIALECTS[0]._replace(**dict(zip(("before", "after"), claude_shaped("mcp__linetrail__{}"), strict=True)))
    said = around(again, "session-a", SELECT, intent_id="INT-001")

    assert asked["code"] == "APPROVAL_PENDING"
    assert said["recorded_by"] == "hook"
    assert chosen(repo) == [("selected", "INT-001", "session-a", "tool")]


@pytest.mark.slow
def test_the_whole_handshake_lets_the_session_write_where_the_gate_blocks(repo, hook, around):
    repo.write(".orchestration/config.yaml", BLOCK)
    path = str(repo.path / "src/billing/a.py")
    write = {
        "hook_event_name": "PreToolUse",
        "session_id": "session-a",
        "cwd": str(repo.path),
        "tool_name": "Write",
        "tool_input": {"file_path": path, "content": "x = 1\n"},
    }

    before = hook(write | {"tool_use_id": "w1"})
    around(DIALECTS[0], "session-a", SELECT, intent_id="INT-001")
    after = hook(write | {"tool_use_id": "w2"})
    other = hook(write | {"tool_use_id": "w3", "session_id": "session-b"})

    assert "NO_INTENT" in before.stdout
    assert after.stdout == ""
    assert "NO_INTENT" in other.stdout


def test_a_tool_of_another_server_binds_nothing(repo, hook):
    before, after = claude_shaped("mcp__tracker__{}", tool_use_id="toolu_9")
    call = ("session-a", SELECT, {"intent_id": "INT-001"}, str(repo.path))

    hook(before(*call))
    hook(after('{"intent_id":"INT-001"}', *call))

    assert chosen(repo) == []
