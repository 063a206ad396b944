"""What is odd about both Copilots: two dialects, names that are translated, several files in one call."""

import json

import pytest

from linetrail.ledger.adapters import copilot_cli, vscode_copilot
from linetrail.ledger.event.signal import Answer, Edit, Proposal
from linetrail.ledger.observe.states import proposed
from tests.ledger.adapters.dialect import patch

PATH = "src/billing/tax.py"


def from_copilot(tool, given, event="PreToolUse", **fields):
    payload = {"hook_event_name": event, "session_id": "s", "cwd": "/p", "tool_name": tool, "tool_input": given}
    return copilot_cli.read(payload | fields, None)


def from_vscode(tool, event="PreToolUse", **given):
    return vscode_copilot.read({"hookEventName": event, "cwd": "/p", "tool_name": tool, "tool_input": given}, None)


# Copilot CLI


@pytest.mark.parametrize(
    ("tool", "given", "expected"),
    [
        ("Edit", {"path": PATH, "old_str": "a", "new_str": "b"}, ("edit", "edit", ((PATH, "edit"),))),
        ("Edit", patch(PATH, "x\n"), ("apply_patch", "edit", ((PATH, "write"),))),
        ("Write", {"path": PATH, "file_text": "x"}, ("create", "write", ((PATH, "write"),))),
        ("Bash", {"command": "ls"}, ("bash", "shell", ())),
        ("linetrail-select_active_intent", {"intent_id": "INT-001"}, ("linetrail-select_active_intent", "mcp", ())),
        ("write_bash", {"sessionId": "1", "input": "rm x"}, ("write_bash", "other", ())),
    ],
)
def test_a_tool_of_copilot_has_one_name_in_both_dialects(tool, given, expected):
    read = from_copilot(tool, given).tool

    assert (read.name, read.operation, read.targets) == expected


@pytest.mark.parametrize(("tool", "kind"), [("str_replace_editor", "reading"), ("edit", "generative")])
def test_only_the_editor_that_also_shows_files_may_say_that_it_does(tool, kind):
    assert from_copilot(tool, {"command": "view", "path": PATH, "new_str": "x"}).tool.kind == kind


def test_a_command_on_windows_is_one_of_powershell():
    assert from_copilot("Bash", {"command": "Get-Content x"}, cwd="C:\\Users\\dev").tool.name == "powershell"


@pytest.mark.parametrize(
    ("fields", "kind", "code"),
    [
        (
            {"tool_result": {"result_type": "success", "text_result_for_llm": "x\n<exited with exit code 0>"}},
            "post_tool",
            0,
        ),
        ({"tool_result": {"result_type": "failure", "text_result_for_llm": "exit code 2"}}, "tool_failure", 2),
        ({"error": "exit status 1"}, "tool_failure", 1),
        ({"tool_result": {"result_type": "success", "text_result_for_llm": "exit code 2, it said"}}, "post_tool", None),
    ],
)
def test_a_command_of_copilot_tells_its_exit_code_at_the_end(fields, kind, code):
    signal = from_copilot("Bash", {"command": "x"}, "PostToolUse", **fields)

    assert (signal.kind, signal.result.exit_code) == (kind, code)


def test_an_error_beside_calls_is_no_call():
    signal = copilot_cli.read({"sessionId": "s", "error": {"message": "no"}, "errorContext": "system"}, "errorOccurred")

    assert (signal.kind, signal.tool) == ("other", None)


# Copilot in VS Code


def test_replacements_in_several_files_name_each_of_them():
    replacements = [{"filePath": path, "oldString": "a", "newString": "b"} for path in ("a.py", "b.py", "a.py")]

    tool = from_vscode("multi_replace_string_in_file", explanation="x", replacements=replacements).tool

    assert tool.targets == (("a.py", "edit"), ("b.py", "edit"))
    edit = Edit("a", "b", every=False)
    assert tool.proposal is None
    assert proposed(tool, "a.py") == Proposal(edits=(edit, edit))
    assert proposed(tool, "b.py") == Proposal(edits=(edit,))


def test_files_that_are_listed_are_targets():
    tool = from_vscode("editFiles", files=["a.py", {"path": "b.py"}, 7]).tool

    assert sorted(tool.targets) == [("a.py", "edit"), ("b.py", "edit")]


def test_events_that_were_registered_for_copilot_cli_are_answered_in_vs_codes_words():
    denied = json.loads(vscode_copilot.reply("preToolUse", Answer("deny", "no")).stdout)

    assert denied["hookSpecificOutput"]["hookEventName"] == "PreToolUse"
    assert vscode_copilot.read({"session_id": "s"}, "userPromptSubmitted").kind == "prompt"
