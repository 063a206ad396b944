"""What is odd about single agents: several spellings of one tool, calls without a folder, a denial by exit status."""

import json

import pytest

from linetrail.ledger.adapters import (
    amp,
    continue_cli,
    devin_cli,
    factory_droid,
    kiro_cli,
    opencode,
    windsurf,
)
from linetrail.ledger.event.signal import Answer, Edit, Proposal
from linetrail.ledger.hook.handshake import wish_of
from tests.gated import BLOCK, REGISTRY
from tests.ledger.adapters.calls import cascade, droid, from_cline, from_opencode, kiro
from tests.ledger.adapters.dialect import patch

PATH = "src/billing/tax.py"


# Cascade


def test_a_model_that_cascade_does_not_know_is_none():
    payload = {"agent_action_name": "post_cascade_response", "tool_info": {}}

    assert windsurf.read(payload | {"model_name": "Unknown"}, None).model_id is None
    assert windsurf.read(payload | {"model_name": "model-x"}, None).model_id == "model-x"


def test_each_edit_of_cascade_is_part_of_the_proposal_and_a_new_file_is_an_edit_of_nothing():
    edits = [{"old_string": "a", "new_string": "b"}, {"old_string": "", "new_string": "c"}]

    tool = cascade("pre_write_code", file_path=PATH, edits=edits).tool

    assert tool.proposal == Proposal(edits=(Edit("a", "b", every=False), Edit("", "c", every=False)))
    assert (tool.operation, tool.targets) == ("edit", ((PATH, "edit"),))


def test_a_command_of_cascade_starts_in_a_folder_of_its_own():
    signal = cascade("pre_run_command", command_line="make", cwd="/p/src")

    assert (signal.tool.command, signal.cwd) == ("make", "/p/src")


def test_an_action_of_the_future_is_a_call_that_names_its_file():
    tool = cascade("pre_delete_code", file_path=PATH).tool

    assert (tool.name, tool.operation, tool.kind, tool.targets) == (
        "delete_code",
        "other",
        "unknown",
        ((PATH, "other"),),
    )
    assert cascade("post_setup_worktree").kind == "other"


@pytest.mark.parametrize("agent", ["windsurf", "kiro-cli"])
def test_a_denial_by_exit_status_reaches_the_agent_and_nothing_else_is_said(repo, hook, agent):
    repo.commit(files={PATH: "x\n"})
    repo.write(".orchestration/config.yaml", BLOCK)
    repo.write(".orchestration/active_intents.yaml", REGISTRY)
    before, after = (
        {
            "windsurf": {
                "agent_action_name": f"{phase}_write_code",
                "trajectory_id": "t",
                "tool_info": {"file_path": str(repo.path / PATH), "edits": [{"old_string": "x", "new_string": "y"}]},
            },
            "kiro-cli": {
                "hook_event_name": f"{phase}ToolUse",
                "cwd": str(repo.path),
                "tool_name": "fs_write",
                "tool_input": {"command": "create", "path": PATH, "file_text": "y\n"},
            },
        }[agent]
        for phase in ("pre", "post")
    )

    refused, told = hook(before, agent), hook(after, agent)

    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("Refused (NO_INTENT)")
    assert refused.stderr.endswith("\n")
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")


# Kiro


@pytest.mark.parametrize(
    ("tool", "given", "operation", "proposal"),
    [
        pytest.param("fs_write", {"command": "create", "file_text": "x"}, "write", Proposal("x"), id="create"),
        pytest.param("write", {"command": "create", "content": "x"}, "write", Proposal("x"), id="create, newer"),
        pytest.param(
            "fs_write",
            {"command": "str_replace", "old_str": "a", "new_str": "b"},
            "edit",
            Proposal(edits=(Edit("a", "b", every=False),)),
            id="replace",
        ),
        pytest.param(
            "fsWrite",
            {"command": "strReplace", "oldStr": "a", "newStr": "b", "replaceAll": True},
            "edit",
            Proposal(edits=(Edit("a", "b", every=True),)),
            id="replace, newer",
        ),
        pytest.param("fs_write", {"command": "insert", "insert_line": 3, "new_str": "b"}, "edit", None, id="insert"),
        pytest.param("fs_write", {"command": "append", "new_str": "b"}, "edit", None, id="append"),
    ],
)
def test_kiro_writes_in_several_ways(tool, given, operation, proposal):
    found = kiro(tool, path=PATH, **given).tool

    assert (found.operation, found.kind, found.proposal) == (operation, "generative", proposal)
    assert found.targets == ((PATH, operation),)


def test_how_a_command_of_kiro_ended_is_among_what_it_printed():
    done = {"success": True, "result": [{"exit_status": "3", "stdout": "", "stderr": "no"}]}

    signal = kiro("execute_bash", "postToolUse", done, command="make")

    assert (signal.kind, signal.tool.command, signal.result.exit_code) == ("post_tool", "make", 3)


def test_a_call_of_kiro_that_failed_says_why():
    signal = kiro("fs_write", "postToolUse", {"success": False, "error": ["no such file"]}, command="create", path=PATH)

    assert (signal.kind, signal.result.error) == ("tool_failure", "no such file")


def test_kiro_is_told_facts_where_it_takes_them_and_nowhere_else():
    assert kiro_cli.reply("agentSpawn", Answer(context="INT-001")).stdout == b"INT-001\n"
    assert kiro_cli.reply("postToolUse", Answer(context="INT-001")) == kiro_cli.reply("postToolUse", Answer())


# Clones of Claude Code


def test_a_failure_of_devin_is_told_in_the_response():
    payload = {"hook_event_name": "PostToolUse", "tool_name": "exec", "tool_input": {"command": "make"}}
    response = {"success": False, "output": "", "error": "Exit code 2"}

    signal = devin_cli.read(payload | {"tool_response": response}, None)

    assert (signal.kind, signal.result.error, signal.result.exit_code) == ("tool_failure", "Exit code 2", 2)


def test_droid_is_understood_in_both_spellings():
    snake = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Create", "transcript_path": "/t"}
    camel = {"hookEventName": "PreToolUse", "sessionId": "s", "toolName": "Create", "transcriptPath": "/t"}
    given = {"tool_input": {"file_path": PATH, "content": "x"}}

    assert factory_droid.read(snake | given, None) == factory_droid.read(camel | given, None)


@pytest.mark.parametrize("given", [patch(PATH, "x\n"), {"patch": patch(PATH, "x\n")}, {"input": patch(PATH, "x\n")}])
def test_droid_may_send_a_patch_as_it_is(given):
    assert droid("ApplyPatch", given).tool.targets == ((PATH, "write"),)


def test_droid_edits_with_words_of_its_own():
    given = {"file_path": PATH, "changes": [{"old_str": "a", "new_str": "b", "change_all": True}]}

    assert droid("MultiEdit", given).tool.proposal == Proposal(edits=(Edit("a", "b", every=True),))


@pytest.mark.parametrize(("mode", "asks"), [("default", True), ("auto-high", False), (None, False)])
def test_droid_is_asked_where_a_person_is_there_for_certain(mode, asks):
    assert factory_droid.can_ask(droid("Create", {}, permissionMode=mode)) is asks


def test_what_an_edit_means_is_unknown_where_it_is_said_in_two_ways():
    given = {"file_path": PATH, "old_string": "a", "oldStr": "b", "new_string": "c"}

    assert droid("Edit", given).tool.proposal is None


# Tools of servers


@pytest.mark.parametrize(
    ("signal", "name"),
    [
        pytest.param(
            cascade(
                "pre_mcp_tool_use",
                mcp_server_name="linetrail",
                mcp_tool_name="select_active_intent",
                mcp_tool_arguments={"intent_id": "INT-001"},
            ),
            "mcp__linetrail__select_active_intent",
            id="windsurf",
        ),
        pytest.param(
            kiro("@linetrail/select_active_intent", intent_id="INT-001"),
            "@linetrail/select_active_intent",
            id="kiro-cli",
        ),
        pytest.param(
            from_cline(
                "use_mcp_tool",
                {
                    "server_name": "linetrail",
                    "tool_name": "select_active_intent",
                    "arguments": json.dumps({"intent_id": "INT-001"}),
                },
            ),
            "mcp__linetrail__select_active_intent",
            id="cline",
        ),
        pytest.param(
            from_opencode("linetrail_select_active_intent", intent_id="INT-001"),
            "linetrail_select_active_intent",
            id="opencode",
        ),
        pytest.param(
            continue_cli.read(
                {
                    "hook_event_name": "PreToolUse",
                    "tool_name": "select_active_intent",
                    "tool_input": {"intent_id": "INT-001"},
                },
                None,
            ),
            "MCP:select_active_intent",
            id="continue-cli",
        ),
    ],
)
def test_a_selection_is_known_under_every_name(signal, name):
    assert (signal.tool.name, signal.tool.operation, signal.tool.targets) == (name, "mcp", ())
    assert (wish_of(signal.tool).verb, wish_of(signal.tool).intent_id) == ("select_active_intent", "INT-001")


# Plugins


def test_a_command_of_opencode_starts_where_it_says_and_ends_with_a_status():
    done = {"output": "no", "metadata": {"exit": 2}}

    signal = from_opencode("bash", done, "after", command="make", workdir="src")

    assert (signal.cwd, signal.roots, signal.result.exit_code) == ("/p/src", ("/p", "/"), 2)


def test_a_session_of_opencode_tells_where_it_is():
    about = {"type": "session.created", "properties": {"info": {"id": "s", "directory": "/q", "version": "1.18.33"}}}
    signal = opencode.read({"hook": "event", "context": {"directory": "/p"}, "input": {"event": about}}, "event")

    assert (signal.kind, signal.name, signal.session_id) == ("session_start", "session.created", "s")
    assert (signal.cwd, signal.agent_version) == ("/q", "1.18.33")


@pytest.mark.parametrize(
    ("hook", "given", "kind"),
    [
        ("event", {"event": {"type": "session.created", "properties": {"info": {"id": "c"}}}}, "subagent_start"),
        ("event", {"event": {"type": "session.idle", "properties": {"sessionID": "c"}}}, "subagent_stop"),
        ("event", {"event": {"type": "session.deleted", "properties": {"info": {"id": "c"}}}}, "other"),
        ("chat.message", {"sessionID": "c"}, "other"),
        ("tool.execute.before", {"sessionID": "c", "tool": "read"}, "pre_tool"),
    ],
)
def test_a_subagent_of_opencode_works_in_the_session_that_a_person_started(hook, given, kind):
    signal = opencode.read({"hook": hook, "context": {"directory": "/p", "parent": "s"}, "input": given}, None)

    assert (signal.kind, signal.session_id, signal.agent_id) == (kind, "s", "c")


@pytest.mark.parametrize(
    ("status", "kind"), [("done", "post_tool"), ("error", "tool_failure"), ("cancelled", "tool_failure")]
)
def test_how_a_call_of_amp_ended_is_told_by_its_status(status, kind):
    call = {"event": "tool.result", "toolUseID": "c", "tool": "Bash", "input": {"cmd": "make", "cwd": "/p"}}

    signal = amp.read(call | {"status": status, "error": "no"}, None)

    assert (signal.kind, signal.cwd, signal.tool.command) == (kind, "/p", "make")
    assert signal.result.interrupted is (True if status == "cancelled" else None)
