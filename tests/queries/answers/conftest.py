"""What several answers are asked of: a story that they tell alike, and who took which line away."""

import pytest

from tests.story import Story

CALL = {
    "tool_call_id": "toolu_1",
    "tool_name": "Edit",
    "operation": "edit",
    "targets": [{"path": "a.py", "role": "write"}],
}
PROMPT = {"prompt_id": "p1", "excerpt": "make it quick", "sha256": f"sha256:{'0' * 64}", "length": 13}
TEN = "".join(f"line number {number}\n" for number in range(1, 11))


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


def without(text, *numbers):
    """Return a text without these lines."""
    lines = text.splitlines(keepends=True)
    return "".join(line for number, line in enumerate(lines, 1) if number not in numbers)


@pytest.fixture
def deleters(cli):
    """Return a function that names, for each deleted line, the session or the kind of its deleter, and the evidence."""

    def ask(*words, cwd=None):
        answer = cli("diff", "--json", *words, cwd=cwd)
        assert answer.status == 0, answer.err
        return {
            row["text"].rpartition(" ")[2]: (by["session_id"] or by["contributor_type"], by["evidence"])
            for row in answer.rows
            if (by := row["deleted_by"])
        }

    return ask
