"""One thing under several names: tools and arguments that an agent spells otherwise in some versions or products."""

import json

import pytest

from linetrail.ledger.adapters.adapter import adapter
from linetrail.ledger.event.signal import Edit, Proposal
from linetrail.ledger.gate.inputs import problem
from tests.ledger.adapters.calls import cascade
from tests.ledger.adapters.dialect import BEFORE, patch
from tests.ledger.adapters.dialects import DIALECTS
from tests.ledger.adapters.recorded import PROJECT

PATH = "src/billing/tax.py"
WRITTEN = ((PATH, "write"),)
EDITED = ((PATH, "edit"),)
REPLACED = {"filePath": PATH, "oldString": "a", "newString": "b"}


def before(dialect, tool, given):
    spoken = DIALECTS[dialect]
    return adapter(spoken.agent).read(spoken.tool(BEFORE, tool, given), spoken.before)


@pytest.mark.parametrize(
    ("dialect", "tool", "given", "operation", "targets"),
    [
        ("codex", "functions.apply_patch", {"command": patch(PATH, "x\n")}, "edit", WRITTEN),
        ("cursor", "Grep", {"pattern": "x", "path": "src"}, "read", (("src", "read"),)),
        ("cursor", "Glob", {"glob_pattern": "*.py"}, "read", ()),
        ("copilot-cli", "git_apply_patch", patch(PATH, "x\n"), "edit", WRITTEN),
        ("copilot-cli", "str_replace", {"path": PATH, "old_str": "a", "new_str": "b"}, "edit", EDITED),
        ("copilot-cli-pascal", "Write", patch(PATH, "x\n"), "edit", WRITTEN),
        ("copilot-cli-pascal", "Write", '{"path": "src/bil', "write", ()),
        ("copilot-cli-pascal", "Edit", {"input": patch(PATH, "x\n")}, "edit", WRITTEN),
        ("vscode-copilot", "copilot_createFile", {"filePath": PATH, "content": "x"}, "write", WRITTEN),
        ("vscode-copilot", "copilot_replaceString", REPLACED, "edit", EDITED),
        ("vscode-copilot", "copilot_insertEdit", {"filePath": PATH, "code": "x"}, "edit", EDITED),
        ("vscode-copilot", "copilot_applyPatch", {"input": patch(PATH, "x\n")}, "edit", WRITTEN),
        ("vscode-copilot", "copilot_readFile", {"filePath": PATH}, "read", ((PATH, "read"),)),
        ("vscode-copilot", "delete_file", {"filePath": PATH}, "delete", ((PATH, "delete"),)),
        ("cline-vscode", "new_rule", {"path": PATH, "content": "x"}, "write", WRITTEN),
    ],
)
def test_a_file_is_changed_or_read_under_any_name(dialect, tool, given, operation, targets):
    call = before(dialect, tool, given).tool

    assert (call.operation, call.targets) == (operation, targets)


@pytest.mark.parametrize(
    ("dialect", "tool", "given", "folder"),
    [
        ("claude-code", "Monitor", {"description": "the log", "command": "ls -l", "timeout_ms": 1000}, PROJECT),
        ("codex", "functions.exec_command", {"command": "ls -l"}, PROJECT),
        ("codex", "exec_command", {"cmd": "ls -l", "workdir": "src"}, f"{PROJECT}/src"),
        ("codex", "shell_command", {"command": "ls -l", "workdir": PROJECT}, PROJECT),
        ("codex", "shell", {"command": ["ls", "-l"]}, PROJECT),
        ("cursor", "Shell", {"command": "ls -l", "working_directory": "/other"}, "/other"),
        ("copilot-cli-pascal", "PowerShell", {"command": "ls -l"}, PROJECT),
        ("amp", "shell_command", {"command": "ls -l", "workdir": "src"}, f"{PROJECT}/src"),
    ],
)
def test_a_command_is_run_under_any_name(dialect, tool, given, folder):
    signal = before(dialect, tool, given)

    assert (signal.tool.operation, signal.tool.command, signal.cwd) == ("shell", "ls -l", folder)


def test_a_command_of_codex_that_is_no_list_of_words_is_unknown():
    assert before("codex", "shell", {"command": ["ls", 1]}).tool.command is None
    assert before("codex", "exec_command", {"command": "ls", "cmd": "rm x"}).tool.command is None


def test_a_command_of_cascade_has_two_names():
    assert cascade("pre_run_command", command="ls", cwd="/p").tool.command == "ls"
    assert cascade("pre_run_command", command="ls", command_line="rm x").tool.command is None


@pytest.mark.parametrize(
    ("dialect", "tool", "kind"),
    [
        ("claude-code", "CronList", "reading"),
        ("claude-code", "ScheduleWakeup", "meta"),
        ("claude-code", "PushNotification", "meta"),
        ("claude-code", "ReportFindings", "meta"),
        ("copilot-cli", "report_intent", "meta"),
        ("copilot-cli", "task_complete", "meta"),
        ("copilot-cli", "read_bash", "reading"),
        ("copilot-cli", "write_bash", "unknown"),
        ("copilot-cli-pascal", "Skill", "meta"),
        ("gemini-cli", "read_mcp_resource", "reading"),
        ("gemini-cli", "invoke_agent", "meta"),
        ("gemini-cli", "complete_task", "meta"),
        ("gemini-cli", "tracker_update_task", "meta"),
        ("gemini-cli", "save_memory", "unknown"),
        ("vscode-copilot", "vscode_askQuestions", "meta"),
        ("vscode-copilot", "vscode_listCodeUsages", "reading"),
        ("cline-sdk", "spawn_agent", "meta"),
    ],
)
def test_what_only_steers_or_looks_is_no_unknown_tool(dialect, tool, kind):
    assert before(dialect, tool, {}).tool.kind == kind


def test_the_text_of_a_file_has_the_name_that_cursors_models_give_it():
    given = {"path": PATH, "contents": "x\n"}

    assert problem("Write", given) is None
    assert before("cursor", "Write", given).tool.proposal == Proposal("x\n")
    assert "name the same thing" in problem("Write", given | {"content": "y"})


def test_a_notebook_of_cursor_is_named_by_its_target():
    given = {"target_notebook": "n.ipynb", "cell_idx": 0, "old_string": "a", "new_string": "b"}

    call = before("cursor", "EditNotebook", given).tool

    assert (call.targets, call.proposal) == ((("n.ipynb", "edit"),), Proposal(edits=(Edit("a", "b", every=False),)))


def test_a_model_of_cursor_has_an_id_beside_its_older_name():
    payload = {"hook_event_name": "stop", "model": "model-x-thinking-max"}

    assert adapter("cursor").read(payload, None).model_id == "model-x-thinking-max"
    assert adapter("cursor").read(payload | {"model_id": "model-x"}, None).model_id == "model-x"


def test_two_tools_without_arguments_are_two_calls(repo, hook):
    repo.start_ledger()
    spoken = DIALECTS["copilot-cli"]

    for tool in ("list_bash", "list_powershell"):
        hook(spoken.tool(BEFORE, tool, {}), spoken.agent, options=spoken.options(spoken.before))

    assert [event.data["tool_name"] for event in repo.events("tool.requested")] == ["list_bash", "list_powershell"]


@pytest.mark.parametrize(
    ("dialect", "tool"),
    [
        ("codex", "apply_patch"),
        ("cursor", "ApplyPatch"),
        ("copilot-cli", "apply_patch"),
        ("copilot-cli-pascal", "Edit"),
        ("vscode-copilot", "apply_patch"),
        ("devin-cli", "apply_patch"),
        ("factory-droid", "ApplyPatch"),
    ],
)
def test_a_patch_stands_alone_or_among_arguments_that_may_be_text_themselves(dialect, tool):
    text = patch(PATH, "x\n")

    for given in (text, {"input": text}, json.dumps({"patch": text})):
        call = before(dialect, tool, given).tool
        assert (call.operation, call.targets, call.proposal) == ("edit", WRITTEN, Proposal("x\n"))


@pytest.mark.parametrize("dialect", ["claude-code", "codex", "cursor", "gemini-cli", "kiro-cli", "vscode-copilot"])
def test_arguments_that_are_no_object_are_kept_as_the_text_they_are(dialect):
    assert before(dialect, "ToolOfTheFuture", "x").tool.input == {"input": "x"}
    assert before(dialect, "ToolOfTheFuture", '{"a": 1}').tool.input == {"a": 1}
    assert (
        before(dialect, "ToolOfTheFuture", None).tool.input == before(dialect, "ToolOfTheFuture", "{}").tool.input == {}
    )


@pytest.mark.parametrize(
    ("told", "every"), [(True, True), ("true", True), (False, False), ("false", False), (None, False)]
)
def test_a_flag_may_be_text(told, every):
    given = {"file_path": PATH, "old_string": "a", "new_string": "b", "replace_all": told}

    assert before("claude-code", "Edit", given).tool.proposal == Proposal(edits=(Edit("a", "b", every),))


@pytest.mark.parametrize(
    ("dialect", "tool", "given"),
    [
        ("cursor", "Write", {"file_path": "/c:/project/src/a.py", "content": ""}),
        ("cursor", "Write", {"file_path": "src\\a.py", "content": ""}),
        ("vscode-copilot", "create_file", {"filePath": "/c:/project/src/a.py", "content": ""}),
        ("codex", "apply_patch", {"command": patch("src\\a.py", "")}),
        ("gemini-cli", "replace", {"file_path": "c:\\project\\.\\src\\a.py", "old_string": "a", "new_string": "b"}),
        ("cline-vscode", "write_to_file", {"path": "src\\a.py", "content": ""}),
    ],
)
@pytest.mark.parametrize("folder", ["/c:/project", "C:\\project", "c:/project/"])
def test_a_path_of_windows_is_one_of_the_project_however_it_is_spelled(repo, hook, dialect, tool, given, folder):
    repo.start_ledger()
    spoken = DIALECTS[dialect]
    roots = {"workspaceRoots": [folder]} if dialect == "cline-vscode" else {"workspace_roots": [folder]}

    hook(
        spoken.tool(BEFORE, tool, given) | roots | {"cwd": folder}, spoken.agent, options=spoken.options(spoken.before)
    )

    (requested,) = repo.events("tool.requested")
    assert [target["path"] for target in requested.data["targets"]] == ["src/a.py"]


@pytest.mark.parametrize(
    "path", ["..\\a.py", "C:\\other\\a.py", "/d:/project/a.py", "\\\\host\\share\\a.py", "\\C:\\project\\a.py"]
)
def test_a_path_of_windows_that_leads_elsewhere_is_outside(repo, hook, path):
    repo.start_ledger()
    given = {"file_path": path, "content": ""}

    hook(DIALECTS["claude-code"].tool(BEFORE, "Write", given) | {"cwd": "C:\\project"})

    (requested,) = repo.events("tool.requested")
    assert [target["path"] for target in requested.data["targets"]] == ["outside:a.py"]
