"""What the payloads of Claude Code mean, held against the readings that the fixtures expect."""

import json

import pytest

from linetrail.ledger.adapters import claude_code
from linetrail.ledger.errors import PayloadError


def test_every_fixture_is_read_as_expected(shared):
    folder = shared / "fixtures" / "hooks"
    index = json.loads((folder / "index.json").read_text())
    cases = [case for case in index["fixtures"] if case["file"].startswith("claude-code/")]
    assert len(cases) > 20

    for case in cases:
        expected = case["expect"]
        signal = claude_code.read(json.loads((folder / case["file"]).read_text()), None)
        assert signal.kind == expected["kind"], case["file"]
        assert bool(signal.session_id) == expected["has_session"], case["file"]
        if "op" in expected:
            assert signal.tool.operation == expected["op"], case["file"]
        assert [path for path, _ in signal.tool.targets] == expected["paths"] if "paths" in expected else True


def call(name="Edit", **fields):
    payload = {"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": name, "tool_use_id": "t"}
    return claude_code.read(payload | fields, None)


@pytest.mark.parametrize("value", [7, ["x"], {"a": 1}, True])
def test_a_session_id_of_another_type_is_refused(value):
    with pytest.raises(PayloadError, match="session_id is a"):
        claude_code.read({"hook_event_name": "Stop", "session_id": value}, None)


@pytest.mark.parametrize("given", [None, "text", [1], {}, {"file_path": 7}, {"file_path": ""}])
def test_tool_input_of_any_shape_names_no_file(given):
    assert call(tool_input=given).tool.targets == ()


def test_every_spelling_of_the_path_is_a_target():
    given = {"file_path": "a", "filePath": "b", "FilePath": "c", "path": "a"}

    assert [path for path, _ in call(tool_input=given).tool.targets] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({"tool_response": {"stdout": "", "interrupted": False}}, 0, id="succeeded"),
        pytest.param({"hook_event_name": "PostToolUseFailure", "error": "Exit code 127\nx"}, 127, id="failed"),
        pytest.param({"hook_event_name": "PostToolUseFailure", "error": "Killed"}, None, id="failed, no code told"),
        pytest.param({"tool_response": {"stdout": "", "backgroundTaskId": "b1"}}, None, id="still running"),
        pytest.param({"tool_response": "text"}, None, id="nothing told"),
    ],
)
def test_the_exit_code_of_a_command_is_what_was_told(fields, expected):
    assert call("Bash", tool_input={"command": "x"}, **fields).result.exit_code == expected


@pytest.mark.parametrize(
    ("model", "expected"),
    [("claude-x", "anthropic/claude-x"), ("bedrock/claude-x", "bedrock/claude-x"), (None, None)],
)
def test_a_model_is_named_with_its_provider(model, expected):
    fields = {} if model is None else {"model": model}

    assert claude_code.read({"hook_event_name": "SessionStart"} | fields, None).model_id == expected


def test_durations_are_whole_milliseconds():
    assert call(duration_ms=12.7, tool_input={}).result.duration_ms == 12


def test_a_create_without_a_text_before_is_known_to_be_new():
    assert call("Write", tool_input={}, tool_response={"type": "create", "originalFile": None}).result.known_new


def test_an_unknown_tool_with_a_path_is_kept_as_what_it_is():
    tool = call("FutureWriter", tool_input={"file_path": "a"}).tool

    assert (tool.operation, tool.targets) == ("other", (("a", "other"),))
