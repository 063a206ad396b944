"""What a tool is told must be read in one way only: the input schemas."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.gate import inputs
from linetrail.ledger.gate.inputs import command_line, problem

PAYLOADS = Path(__file__).parents[2] / "payloads" / "claude-code"
SOUND = [
    ("Write", {"file_path": "/a.py", "content": ""}),
    ("Write", {"file_path": "/a.py", "content": "x", "note": ["whatever"]}),
    ("Edit", {"file_path": "/a.py", "old_string": "a", "new_string": "b"}),
    ("Edit", {"file_path": "/a.py", "old_string": "", "new_string": "b", "replace_all": "true"}),
    ("Edit", {"filePath": "/a.py", "oldString": "a", "newString": "b", "replaceAll": True}),
    ("MultiEdit", {"file_path": "/a.py", "edits": [{"old_string": "a", "new_string": "b"}]}),
    ("MultiEdit", {"file_path": "/a.py", "changes": [{"old_str": "a", "new_str": "b", "change_all": True}]}),
    ("Write", {"path": "/a.py", "file_text": "x"}),
    ("Bash", {"cmd": "ls"}),
    ("NotebookEdit", {"notebook_path": "/a.ipynb", "new_source": "x", "cell_id": None}),
    ("NotebookEdit", {"notebook_path": "/a.ipynb", "edit_mode": "delete", "cell_id": "c1"}),
    ("Bash", {"command": "ls", "timeout": 1000, "description": None, "run_in_background": False}),
    ("PowerShell", {"command": "Get-ChildItem"}),
    ("Read", {"file_path": "/a.py", "offset": "10", "limit": 20.0}),
    ("Agent", {"description": "look", "prompt": "look for it", "subagent_type": "Explore"}),
    ("Task", {"prompt": "look for it"}),
    ("TodoWrite", {"todos": [{"content": "x", "status": "pending", "activeForm": "doing x"}]}),
    ("select_active_intent", {"intent_id": "INT-001"}),
    ("mcp__linetrail__select_active_intent", {"intent_id": "INT-001", "expected_mutations": ["a.py"]}),
    ("mcp__plugin_x_linetrail__list_active_intents", {}),
    ("mcp__linetrail__get_active_intent", None),
    ("mcp__github__create_issue", {"intent_id": 7}),
    ("SomethingNew", None),
]
WRONG = {
    "no arguments": ("Write", None, "Write: the arguments must be an object, and are missing"),
    "a list": ("Bash", ["ls"], "Bash: the arguments must be an object, and are a list"),
    "a text": ("Edit", "a.py", "Edit: the arguments must be an object, and are text"),
    "no path": ("Write", {"content": "x"}, "`file_path` is missing; call it again with `file_path` as text"),
    "null for a path": ("Write", {"file_path": None, "content": "x"}, "`file_path` is missing"),
    "a list of paths": ("Write", {"file_path": ["/a.py"], "content": ""}, "`file_path` must be text, and is a list"),
    "two spellings": (
        "Write",
        {"file_path": "/a.py", "filePath": "/b.py", "content": ""},
        "`file_path` and `filePath` name the same thing; give `file_path` alone",
    ),
    "two capitals": ("Bash", {"command": "ls", "Command": "rm"}, "`command` and `Command` name the same thing"),
    "two names": (
        "Edit",
        {"file_path": "/a", "path": "/b", "old_string": "", "new_string": ""},
        "`file_path` and `path`",
    ),
    "four names": (
        "Read",
        {"file_path": "/a", "filePath": "/b", "File_Path": "/c", "FILE_PATH": "/d"},
        "`file_path` and `filePath` and `File_Path` name the same thing",
    ),
    "two spellings of the same path": ("Read", {"file_path": "/a", "filepath": "/a"}, "name the same thing"),
    "no content": ("Write", {"file_path": "/a.py"}, "`content` is missing"),
    "an object for the content": (
        "Write",
        {"file_path": "/a", "content": {}},
        "`content` must be text, and is an object",
    ),
    "no old text": ("Edit", {"file_path": "/a.py", "new_string": "x"}, "`old_string` is missing"),
    "a number for a flag": (
        "Edit",
        {"file_path": "/a", "old_string": "a", "new_string": "b", "replace_all": 1.5},
        "`replace_all` must be true or false, and is a number",
    ),
    "no edits": (
        "MultiEdit",
        {"file_path": "/a"},
        "`edits` is missing; call it again with `edits` as a list of objects",
    ),
    "a text among edits": (
        "MultiEdit",
        {"file_path": "/a", "edits": ["x"]},
        "`edits[0]` must be an object, and is text",
    ),
    "half an edit": (
        "MultiEdit",
        {"file_path": "/a", "edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "a"}]},
        "`edits[1].new_string` is missing",
    ),
    "an edit with two spellings": (
        "MultiEdit",
        {"file_path": "/a", "edits": [{"old_string": "a", "oldString": "c", "new_string": "b"}]},
        "`edits[0].old_string` and `edits[0].oldString` name the same thing",
    ),
    "a path too long": ("Write", {"file_path": "a" * 5000, "content": ""}, "has 5,000 characters, 4,096 are allowed"),
    "a command too long": ("Bash", {"command": "a" * (1024 * 1024 + 1)}, "characters, 1,048,576 are allowed"),
    "a list for a command": ("Bash", {"command": ["rm", "x"]}, "`command` must be text, and is a list"),
    "a word for a time": ("Bash", {"command": "ls", "timeout": "soon"}, "`timeout` must be a number, and is text"),
    "a number for an intent": ("mcp__x__select_active_intent", {"intent_id": 1}, "`intent_id` must be text"),
    "a number among paths": (
        "select_active_intent",
        {"intent_id": "INT-1", "expected_mutations": ["a.py", 2]},
        "`expected_mutations[1]` must be text, and is a number",
    ),
    "no intent": ("complete_intent", {}, "complete_intent: `intent_id` is missing"),
    "steering signs in a name": (
        "Write",
        {"file_path": "/a", "\x1bfile_path": "/b", "File_Path": "/c", "content": ""},
        "`file_path` and `File_Path` name the same thing",
    ),
}
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=12)
            | st.sampled_from(
                ["file_path", "filePath", "content", "command", "edits", "old_string", "todos", "intent_id"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(("tool", "arguments"), SOUND)
def test_what_agents_send_is_fine(tool, arguments):
    assert problem(tool, arguments) is None


@pytest.mark.parametrize(("tool", "arguments", "message"), WRONG.values(), ids=WRONG.keys())
def test_what_could_be_read_otherwise_is_named(tool, arguments, message):
    assert message in problem(tool, arguments)


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        pytest.param(
            "mcp__linetrail__start_intent",
            {"intentId": "INT-001", "command": ["make", "--all"], "seconds": 60.0, "session_handle": "s1"},
            ["start", "--seconds=60", "INT-001", "--", "make", "--all"],
            id="words of a command stand last",
        ),
        pytest.param(
            "mcp__linetrail__give_back",
            {"intent_id": "INT-001", "abandon": "true", "reason": None},
            ["give-back", "--abandon", "INT-001"],
            id="a flag as text",
        ),
    ],
)
def test_a_tool_of_ours_is_the_command_that_it_stands_for(tool, arguments, words):
    assert command_line(tool, arguments) == ["linetrail", *words]


def test_every_recorded_payload_is_fine():
    payloads = [json.loads(path.read_text("utf-8")) for path in sorted(PAYLOADS.glob("P*ToolUse-*.json"))]

    assert payloads
    assert [problem(payload["tool_name"], payload["tool_input"]) for payload in payloads] == [None] * len(payloads)


@pytest.mark.promise("G11")
@given(st.sampled_from([*inputs.TOOLS, *inputs.OURS]), anything)
def test_nothing_makes_it_raise(tool, arguments):
    answer = problem(tool, arguments)

    assert answer is None or (answer.isprintable() and len(answer) < 1000)
