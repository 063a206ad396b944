"""What is odd about single agents: JSON inside strings, two dialects of one agent, edits that are told afterwards."""

import json

import pytest

from linetrail.ledger.adapters import claude_code, codex, copilot_cli, cursor, gemini_cli, vscode_copilot
from linetrail.ledger.event.signal import Answer, Edit, Proposal
from linetrail.ledger.hook.handshake import wish_of
from tests.ledger.adapters.dialect import patch

PATH = "src/billing/tax.py"


def from_codex(event="PreToolUse", tool="Bash", **fields):
    return codex.read({"hook_event_name": event, "session_id": "s", "tool_name": tool} | fields, None)


def from_cursor(event, **fields):
    return cursor.read(
        {"hook_event_name": event, "conversation_id": "c", "workspace_roots": ["/p", "/q"]} | fields, None
    )


def from_gemini(event="AfterTool", tool="write_file", **fields):
    return gemini_cli.read({"hook_event_name": event, "session_id": "s", "cwd": "/p", "tool_name": tool} | fields, None)


# Codex


@pytest.mark.parametrize("event", [None, "notify"])
def test_the_older_notify_of_codex_ends_a_turn(event):
    signal = codex.read({"type": "agent-turn-complete", "thread-id": "s", "turn-id": "t", "cwd": "/p"}, event)

    assert (signal.kind, signal.name, signal.session_id, signal.prompt_id) == ("stop", "agent-turn-complete", "s", "t")


def test_notify_hands_its_payload_over_as_an_argument(repo, hook):
    repo.start_ledger()
    payload = {"type": "agent-turn-complete", "thread-id": "s1", "turn-id": "t1", "cwd": str(repo.path)}

    done = hook(b"", "codex", options=("--event", "notify", json.dumps(payload)))

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (event,) = repo.events()
    assert (event.type, event.session_id, event.data["signal"]) == ("agent.signalled", "s1", "agent-turn-complete")


@pytest.mark.parametrize("model", ["gpt-model-x", "openai/gpt-model-x"])
def test_models_of_codex_are_named_with_their_provider(model):
    assert from_codex(model=model).model_id == "openai/gpt-model-x"


def test_only_what_a_command_did_not_print_itself_tells_its_exit_code():
    told = {"output": "x", "metadata": {"exit_code": 3, "duration_seconds": 0.25}}

    as_object = from_codex("PostToolUse", tool_response=told).result
    assert (as_object.exit_code, as_object.duration_ms) == (3, 250)
    assert from_codex("PostToolUse", tool_response=json.dumps(told)).result.exit_code is None
    assert from_codex("PostToolUse", "apply_patch", tool_response=json.dumps(told)).result.exit_code == 3


def test_a_patch_without_arguments_around_it_is_read_all_the_same():
    assert from_codex(tool="apply_patch", tool_input=patch(PATH, "x\n")).tool.targets == ((PATH, "write"),)


# Cursor


def test_paths_start_from_the_folder_of_the_command_or_from_the_first_of_the_workspace():
    assert from_cursor("stop").cwd == "/p"
    assert from_cursor("stop").roots == ("/p", "/q")
    assert from_cursor("beforeShellExecution", command="ls", cwd="/p/src").cwd == "/p/src"
    assert from_cursor("preToolUse", tool_name="Shell", tool_input={"command": "ls", "cwd": "src"}).cwd == "/p/src"


def test_folders_of_windows_are_spelled_as_windows_does():
    assert from_cursor("stop", workspace_roots=["/c:/Users/dev/project"]).cwd == "c:/Users/dev/project"


def test_arguments_and_output_that_are_json_in_strings_are_read():
    asked = from_cursor("preToolUse", tool_name="Write", tool_input=json.dumps({"filePath": PATH, "contents": "x"}))
    ended = from_cursor("postToolUse", tool_name="Shell", tool_output='{"output": "no", "exitCode": 3}', duration=12.5)

    assert asked.tool.targets == ((PATH, "write"),)
    assert asked.tool.proposal == Proposal("x")
    assert (ended.result.exit_code, ended.result.duration_ms) == (3, 12)


@pytest.mark.parametrize(
    ("edits", "operation", "proposal"),
    [
        ([{"old_string": "", "new_string": "x = 1\n"}], "write", Proposal("x = 1\n")),
        ([{"old_string": "a", "new_string": "b"}], "edit", Proposal(edits=(Edit("a", "b", every=False),))),
        ([{"old_string": "a"}], "edit", None),
        ("no list", "edit", None),
    ],
)
def test_an_edit_that_was_made_is_read_as_hunks_or_as_a_whole_file(edits, operation, proposal):
    tool = from_cursor("afterFileEdit", file_path=PATH, edits=edits).tool

    assert (tool.operation, tool.proposal) == (operation, proposal)
    assert [path for path, _ in tool.targets] == [PATH]


def test_a_tool_of_a_server_keeps_the_servers_name():
    ours = from_cursor("beforeMCPExecution", tool_name="select_active_intent", mcp_server_name="linetrail")
    theirs = from_cursor("beforeMCPExecution", tool_name="select_active_intent", mcp_server_name="tracker")

    assert wish_of(ours.tool).verb == "select_active_intent"
    assert wish_of(theirs.tool) is None


def test_a_failure_that_a_person_caused_is_told_as_one():
    result = from_cursor(
        "postToolUseFailure", tool_name="Shell", error_message="stopped", failure_type="error", is_interrupt=True
    ).result

    assert (result.error, result.interrupted) == ("stopped", True)


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ("preToolUse", '{"permission":"allow"}'),
        ("beforeReadFile", '{"permission":"allow"}'),
        ("subagentStart", '{"permission":"allow"}'),
        ("beforeSubmitPrompt", '{"continue":true}'),
        ("stop", "{}"),
        ("EventOfTheFuture", "{}"),
    ],
)
def test_cursor_is_always_answered(event, expected):
    assert cursor.reply(event, Answer()).stdout.decode() == expected


def test_a_person_is_asked_only_where_cursor_does_ask():
    question = Answer("ask", "a person decides")

    assert cursor.can_ask(from_cursor("beforeShellExecution", command="ls"))
    assert not cursor.can_ask(from_cursor("preToolUse", tool_name="Shell"))
    assert json.loads(cursor.reply("beforeShellExecution", question).stdout)["permission"] == "ask"
    assert json.loads(cursor.reply("preToolUse", question).stdout)["permission"] == "deny"


@pytest.mark.parametrize(("lent", "own"), [("PreToolUse", "preToolUse"), ("UserPromptSubmit", "beforeSubmitPrompt")])
def test_events_that_were_registered_for_claude_code_are_answered_as_cursors_own(lent, own):
    assert cursor.read({"tool_name": "Write"}, lent).name == own
    assert cursor.reply(lent, Answer()) == cursor.reply(own, Answer())


# Gemini CLI


@pytest.mark.parametrize(
    ("shown", "original", "is_new"),
    [
        ({"originalContent": "a\n", "newContent": "b\n"}, "a\n", False),
        ({"originalContent": None, "newContent": "b\n"}, None, True),
        ({"originalContent": "", "newContent": "b\n", "isNewFile": True}, None, True),
        ({"originalContent": "", "newContent": "b\n"}, "", False),
        ("a text to look at", None, False),
    ],
)
def test_an_edit_comes_with_the_text_before(shown, original, is_new):
    result = from_gemini(tool_response={"llmContent": "ok", "returnDisplay": shown}).result

    assert (result.original, result.known_new) == (original, is_new)


def test_a_call_that_failed_says_so():
    failed = from_gemini(tool_response={"llmContent": "no", "error": {"message": "no such file", "type": "x"}})

    assert (failed.kind, failed.result.error) == ("tool_failure", "no such file")


def test_the_last_exit_code_is_the_commands_own():
    text = "Output: Exit Code: 9\nExit Code: 7\nExit Code: 3\nProcess Group PGID: 12"

    assert from_gemini(tool="run_shell_command", tool_response={"llmContent": text}).result.exit_code == 3
    assert from_gemini(tool_response={"llmContent": text}).result.exit_code is None


def test_a_command_starts_in_the_folder_that_it_names():
    asked = from_gemini("BeforeTool", "run_shell_command", tool_input={"command": "ls", "dir_path": "src"})

    assert (asked.cwd, asked.roots) == ("/p/src", ("/p",))


def test_a_tool_of_a_server_may_be_called_like_one_of_geminis_own():
    tool = from_gemini("BeforeTool", "write_file", mcp_context={"server_name": "other"}, tool_input={}).tool

    assert (tool.operation, tool.kind) == ("mcp", "unknown")


# What is longer than an agent reads


@pytest.mark.parametrize(
    ("adapter", "event", "limit", "size"),
    [
        (claude_code, "SessionStart", 10_000, len),
        (cursor, "sessionStart", 10_000, len),
        (copilot_cli, "SessionStart", 10_240, lambda text: len(text.encode())),
    ],
)
@pytest.mark.parametrize("facts", ["x" * 20_000, "é" * 20_000, "😀" * 20_000])
def test_facts_are_cut_to_what_the_agent_reads_and_say_so(adapter, event, limit, size, facts):
    said = json.loads(adapter.reply(event, Answer(context=facts)).stdout)

    told = said.get("hookSpecificOutput", {}).get("additionalContext") or next(iter(said.values()))
    assert limit - 8 <= size(told) <= limit
    assert told.endswith("\n[…]")
    assert "\N{REPLACEMENT CHARACTER}" not in told


@pytest.mark.parametrize(
    ("adapter", "event", "expected"),
    [
        (codex, "SubagentStop", {"decision": "block", "reason": "open"}),
        (copilot_cli, "agentStop", {"decision": "block", "reason": "open"}),
        (vscode_copilot, "SubagentStop", {"decision": "block", "reason": "open"}),
        (
            vscode_copilot,
            "Stop",
            {"hookSpecificOutput": {"hookEventName": "Stop", "decision": "block", "reason": "open"}},
        ),
    ],
)
def test_an_agent_that_is_to_go_on_is_told_in_its_own_words(adapter, event, expected):
    assert json.loads(adapter.reply(event, Answer("deny", "open")).stdout) == expected
