"""A story that `log`, `show` and `status` tell alike."""

import pytest

from tests.story import Story

CALL = {
    "tool_call_id": "toolu_1",
    "tool_name": "Edit",
    "operation": "edit",
    "targets": [{"path": "a.py", "role": "write"}],
}
PROMPT = {"prompt_id": "p1", "excerpt": "make it quick", "sha256": f"sha256:{'0' * 64}", "length": 13}


@pytest.fixture
def told(repo):
    repo.start_ledger()
    story = Story()
    events = [
        story.tell("session.started", {"source": "startup"}),
        story.tell("prompt.submitted", PROMPT),
        story.tell("tool.requested", CALL, intent="INT-1"),
        story.tell(
            "gate.decided", {"tool_call_id": "toolu_1", "verdict": "ask", "code": "x", "reason": "y", "source": "agent"}
        ),
        story.tell(
            "mutation.observed", {"tool_call_id": "toolu_1"}, intent="INT-1", edits={"a.py": "one\n", "dir/b.py": "b\n"}
        ),
        story.tell("session.started", {"source": "startup"}, session="s2", agent="codex"),
        story.tell("session.ended", {"reason": "exit"}),
    ]
    story.written(repo.path)
    return events
