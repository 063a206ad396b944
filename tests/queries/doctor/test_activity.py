"""What doctor tells of the end of the ledger: when agents were heard, how long they waited, and what nobody knew."""

import pytest

from linetrail.ledger.repository import find
from linetrail.queries.doctor import activity
from tests.story import Story


@pytest.fixture
def told(repo):
    """Return a function that writes a story, and then gives what was heard."""
    repo.start_ledger()

    def hear(story):
        story.written(repo.path)
        return activity.hear(find(str(repo.path)))

    return hear


def lines(findings):
    return [(finding.check, finding.level, finding.message) for finding in findings]


def test_nothing_is_heard_without_a_ledger(repo):
    assert activity.hear(find(str(repo.path))) == {}


def test_each_agent_has_its_own_pace(told):
    story = Story()
    for microseconds in (30_000, 10_000, 20_000, 40_500):
        story.call("Write", "write", "a.py", hook_us=microseconds)
    story.call("Write", "write", "a.py", hook_us=None)
    story.tell("tool.requested", {"tool_name": "apply_patch", "operation": "edit", "hook_us": 7_000}, agent="codex")

    assert lines(activity.pace(told(story))) == [
        ("pace", "ok", "claude-code: p50 20.0 ms, p95 40.5 ms in the hook of the last 4 calls; the agent waits 5 s"),
        ("pace", "ok", "codex: p50 7.0 ms, p95 7.0 ms in the hook of the last 1 call; the agent waits 3 s"),
    ]


def test_a_hook_that_is_nearly_too_slow_is_a_warning(told):
    story = Story()
    call = {"tool_name": "pre_write_code", "operation": "edit", "hook_us": 600_000}
    story.tell("tool.requested", call, agent="windsurf")

    ((_, level, message),) = lines(activity.pace(told(story)))

    assert level == "warning"
    assert message.endswith("it gives up after 2.5 s, the agent states no limit")


def test_only_the_last_calls_count(told):
    story = Story()
    for at in range(activity.CALLS + 5):
        story.tell("tool.requested", {"tool_name": "Write", "operation": "write", "hook_us": 9 if at < 5 else 1})

    assert set(told(story)["claude-code"].paces) == {1}


def test_tools_and_events_that_nobody_knew_are_counted(told):
    story = Story()
    for tool in ("frobnicate", "TodoWrite", "frobnicate", "Conjure"):
        story.call(tool, "other")
    for signal in ("PreCompact", "SolarFlare"):
        story.tell("agent.signalled", {"signal": signal, "detail": None})

    tools, events = activity.strangers(told(story))

    assert (tools.check, tools.level) == ("unknown tools", "warning")
    assert tools.message.endswith(": frobnicate (2), Conjure (1)")
    assert "config.yaml" in tools.next
    assert lines([events]) == [("unknown events", "ok", "claude-code: recorded as they came: SolarFlare (1)")]


def test_a_product_that_nobody_knows_is_told_of_all_the_same(told):
    story = Story()
    story.tell("tool.requested", {"tool_name": "x", "operation": "other"}, agent="somebody-elses")
    found = told(story)

    assert not list(activity.strangers(found))
    assert lines(activity.last_events(found, []))[0][2].startswith("somebody-elses: ")


def test_an_agent_is_not_heard_by_what_was_imported_of_it_or_by_what_its_server_says(repo, told):
    repo.commit("first", {"a.py": "1\n"})
    story = Story()
    story.tell("tool.requested", {"tool_name": "apply_patch", "operation": "edit"}, agent="codex", revision=None)
    story.tell("intent.selected", {"intent_id": "INT-001"}, session=None, agent="gemini-cli", intent="INT-001")
    found = told(story)

    assert lines(activity.last_events(found, ["codex", "gemini-cli"])) == [
        ("last event", "warning", "codex: not heard of yet"),
        ("last event", "warning", "gemini-cli: not heard of yet"),
    ]


def test_of_agents_that_share_a_file_one_is_enough(told):
    story = Story()
    story.tell("session.started", {"source": "new"}, agent="vscode-copilot")
    found = told(story)

    waiting = [
        line
        for line in lines(activity.last_events(found, ["copilot-cli", "vscode-copilot", "codex"]))
        if line[1] != "ok"
    ]

    assert waiting == [("last event", "warning", "codex: not heard of yet")]


def test_lines_that_cannot_be_read_are_passed_over(repo, told):
    story = Story()
    story.call("Write", "write", "a.py", hook_us=1_000)
    told(story)
    tail = repo.path / ".orchestration" / "agent_trace.jsonl"
    tail.write_bytes(b'{"half\n' + tail.read_bytes() + b"\xff\xfe\n" + b'{"v":1')

    assert list(activity.hear(find(str(repo.path)))["claude-code"].paces) == [1_000]


def test_payloads_that_could_not_be_used_are_counted_with_the_reason_of_the_last(repo, hook):
    repo.start_ledger()
    assert not list(activity.rejected(find(str(repo.path))))

    hook(b"[]")
    hook(b'{"session_id": ')

    ((check, level, message),) = lines(activity.rejected(find(str(repo.path))))
    assert (check, level) == ("payloads", "warning")
    assert message.startswith("2 payloads could not be used, the last ")
    assert " seconds ago: payload is not JSON: " in message
