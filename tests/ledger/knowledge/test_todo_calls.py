"""What is left to do is read from the tool that each agent has for it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.hook.loop import handle
from linetrail.ledger.knowledge.todo_calls import Change, Told, applied, change
from linetrail.ledger.knowledge.todos import parse
from tests.gated import REGISTRY

NOW = 1_767_603_600_000_000_000
MARKDOWN = "# Plan\n- [x] Round each line\n- [ ] Sum the lines\n* [~] Show it\n"
LEFT = [("Show it", "in_progress"), ("Sum the lines", "pending")]
ITEMS = [("Round each line", "completed"), ("Sum the lines", "pending"), ("Show it", "in_progress")]


def objects(word="content", active="in_progress", **more):
    statuses = {"in_progress": active}
    return [{word: text, "status": statuses.get(status, status), **more} for text, status in ITEMS]


CLAUDE = {"session_id": "s", "hook_event_name": "PostToolUse", "tool_use_id": "1"}
# agent -> the payload behind the call of its tool
CALLS = {
    "claude-code": CLAUDE | {"tool_name": "TodoWrite", "tool_input": {"todos": objects(activeForm="Doing")}},
    "codex": CLAUDE | {"tool_name": "update_plan", "tool_input": {"explanation": "x", "plan": objects("step")}},
    "cursor": {
        "hook_event_name": "postToolUse",
        "conversation_id": "s",
        "tool_use_id": "1",
        "tool_name": "TodoWrite",
        "tool_input": {"merge": False, "todos": [one | {"id": str(at)} for at, one in enumerate(objects())]},
    },
    "gemini-cli": {
        "hook_event_name": "AfterTool",
        "session_id": "s",
        "tool_name": "write_todos",
        "tool_input": {"todos": objects("description")},
        "tool_response": {"llmContent": "ok"},
    },
    "opencode": {
        "hook": "tool.execute.after",
        "input": {"tool": "todowrite", "sessionID": "s", "callID": "1", "args": {"todos": objects(priority="high")}},
    },
    "cline": {
        "hookName": "PostToolUse",
        "taskId": "s",
        "postToolUse": {
            "toolName": "read_file",
            "success": True,
            "parameters": {"path": "a.py", "task_progress": MARKDOWN},
        },
    },
    "copilot-cli": CLAUDE | {"tool_name": "TodoWrite", "tool_input": {"todos": MARKDOWN}},
    "continue-cli": CLAUDE | {"tool_name": "Checklist", "tool_input": {"checklist": MARKDOWN}},
    "factory-droid": CLAUDE
    | {
        "tool_name": "TodoWrite",
        "tool_input": {"todos": "1. [completed] Round each line\n2. [pending] Sum the lines\n3. [in_progress] Show it"},
    },
    "vscode-copilot": CLAUDE
    | {"tool_name": "manage_todo_list", "tool_input": {"todoList": objects("title", active="in-progress")}},
    "kiro-cli": {
        "hook_event_name": "postToolUse",
        "session_id": "s",
        "tool_name": "todo_list",
        "tool_input": {"command": "create", "tasks": objects("task_description")},
    },
}


@pytest.fixture
def told(repo):
    """Return a function that hands a payload to the hook, and returns what TODO.md says is open."""
    repo.start_ledger()
    repo.write(".orchestration/config.yaml", "enforce: warn\n")
    repo.write(".orchestration/active_intents.yaml", REGISTRY)
    file = repo.path / ".orchestration/TODO.md"

    def run(agent, payload):
        places = {"cwd": str(repo.path), "workspaceRoots": [str(repo.path)], "workspace_roots": [str(repo.path)]}
        payload = {**places, "directory": str(repo.path), **payload}
        handle(agent, json.dumps(payload).encode(), event=None, cwd=str(repo.path), now=lambda: NOW)
        sections = parse(file.read_bytes() if file.exists() else None)
        return [tuple(item) for section in sections for item in section.items if item.open]

    return run


@pytest.mark.parametrize("agent", CALLS)
def test_each_agent_leaves_its_list(told, agent):
    assert told(agent, CALLS[agent]) == LEFT


def task(name, call_id, response=None, **given):
    return CLAUDE | {"tool_name": name, "tool_use_id": call_id, "tool_input": given, "tool_response": response or {}}


def test_tasks_that_are_named_one_by_one_make_a_list(told):
    told("claude-code", task("TaskCreate", "a", {"task": {"id": "1", "subject": "Round"}}, subject="Round"))
    told("claude-code", task("TaskCreate", "b", {"task": {"id": "2", "subject": "Sum"}}, subject="Sum"))
    told("claude-code", task("TaskCreate", "c", {"task": {"id": "3", "subject": "Show"}}, subject="Show"))
    told("claude-code", task("TaskUpdate", "d", taskId="1", status="completed"))
    told("claude-code", task("TaskUpdate", "e", taskId="3", status="deleted"))

    assert told("claude-code", task("TaskUpdate", "f", taskId="2", status="in_progress")) == [("Sum", "in_progress")]


def test_a_subagent_has_a_list_of_its_own(told):
    assert told("claude-code", CALLS["claude-code"] | {"agent_id": "sub"}) == []


def test_items_are_merged_where_the_agent_says_so():
    whole = change("TodoWrite", {"todos": [{"id": "a", "content": "A"}, {"id": "b", "content": "B"}]}, None)
    some = change("TodoWrite", {"merge": True, "todos": [{"id": "b", "status": "completed"}]}, None)

    assert applied(applied({}, whole), some) == {"a": ["A", "pending"], "b": ["B", "completed"]}
    assert applied(applied({}, whole), change("TodoWrite", {"todos": []}, None)) == {}


@pytest.mark.parametrize(
    "given",
    [{"plan": "- [ ] prose of a plan"}, {"todos": None}, {"todos": 1}, {"prompt": "- [ ] x"}, {}],
    ids=json.dumps,
)
def test_what_is_no_list_changes_none(given):
    assert change("ExitPlanMode", given, None) is None


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.sampled_from([MARKDOWN, "#7", "deleted"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["id", "content", "status", "task", "subject", "merge"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.slow
@given(
    st.sampled_from(["TodoWrite", "TaskCreate", "TaskUpdate", "todo_list"]),
    st.dictionaries(
        st.sampled_from(["todos", "plan", "merge", "taskId", "subject", "status", "command", "completed_indices"]),
        anything,
        max_size=5,
    ),
    anything,
    anything,
)
def test_whatever_a_call_holds_a_list_of_texts_comes_out(name, given_input, output, known):
    made = change(name, given_input, output) or Change((Told("x", "y", None),))

    items = applied(known if isinstance(known, dict) else {}, made)

    assert all(isinstance(part, str) for key, item in items.items() for part in (key, *item))
