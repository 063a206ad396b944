"""Where a command starts, and which file a dialog or an event is about, stands in the ledger."""

import pytest

COMMAND = {"tool_name": "Bash", "tool_input": {"command": "ls"}}


@pytest.mark.parametrize(
    ("folder", "told"),
    [
        pytest.param("{root}", None, id="the root is not told"),
        pytest.param("{root}/src", "src", id="a folder in the repository"),
        pytest.param("{root}/src/..", None, id="the root by another way"),
        pytest.param("{root}/gone", "gone", id="a folder that is gone"),
        pytest.param("/home/somebody/elsewhere", "outside:elsewhere", id="a folder elsewhere, by its name alone"),
    ],
)
def test_a_command_tells_where_it_starts(repo, agent, folder, told):
    repo.write("src/a.py", "")
    repo.commit("start")
    claude = agent()

    claude.send("PreToolUse", tool_use_id="1", cwd=folder.format(root=repo.path), **COMMAND)

    (event,) = repo.events("tool.requested")
    assert event.data.get("cwd") == told


@pytest.mark.slow
def test_a_folder_is_asked_for_in_sql(repo, agent, cli):
    repo.write("src/a.py", "")
    agent().send("PreToolUse", tool_use_id="1", cwd=str(repo.path / "src"), **COMMAND)

    (row,) = cli("sql", "select command, cwd from v_tool_calls", "--json").rows

    assert row == {"command": "ls", "cwd": "src"}


@pytest.mark.slow
def test_a_dialog_tells_which_file_it_is_about(repo, agent, cli):
    given = {"file_path": str(repo.path / "src/a.py"), "content": "x = 1\n"}

    agent().send("PermissionRequest", tool_name="Write", tool_input=given, permission_suggestions=[])

    (event,) = repo.events("gate.decided")
    assert (event.data["verdict"], event.data["paths"]) == ("ask", [{"path": "src/a.py"}])
    (row,) = cli("sql", "select path from v_judged_paths", "--json").rows
    assert row == {"path": "src/a.py"}


@pytest.mark.slow
def test_a_file_that_changed_is_told_with_what_happened_to_it(repo, hook, cli):
    repo.start_ledger()
    repo.commit("start", {".envrc": "A=1\n"})
    payload = {"session_id": "s", "cwd": str(repo.path), "hook_event_name": "FileChanged", "event": "change"}

    hook(payload | {"file_path": str(repo.path / ".envrc")})

    (event,) = repo.events("agent.signalled")
    assert (event.data["signal"], event.data["detail"], event.data["path"]) == ("FileChanged", "change", ".envrc")
    assert [row["type"] for row in cli("log", "--path", ".envrc", "--json").rows] == ["agent.signalled"]
