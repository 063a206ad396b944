"""Tell a story in which something happens that every named question asks about, in a repository with commits."""

from typing import Any

from tests.story import Story

HUMAN_FILES = {
    "README.md": "# Parser\n\nIt parses.\n",
    "CODEOWNERS": "* @everybody\n/src/ @core\n",
    "src/old.py": "def kept(x):\n    return x + 1\n\n\ndef gone(x):\n    return x - 1\n",
}
FIRST = 'def parse(text):\n    words = text.split(" ")\n    return [word for word in words if word]\n'
SECOND = FIRST + "\n\ndef lines(text):\n    found = parse(text)\n    return len(found)\n"
THIRD = SECOND.replace("return len(found)", "return len(found) + 1").replace("words", "parts")
BY_HAND = THIRD.replace("return len(found) + 1", "return len(found) + 2")
USAGE = {"input_tokens": 1_000, "output_tokens": 200, "cache_read_input_tokens": 5_000}
IN_PROGRESS, DONE = "IN_PROGRESS", "DONE"


class Rich:
    """The story in the making, on a repository that commits what the story has written."""

    def __init__(self, repo: Any) -> None:
        """Begin with what people had written."""
        self.repo = repo
        repo.start_ledger()
        self.story = Story()
        self.story.files.update({path: text.encode() for path, text in HUMAN_FILES.items()})
        self.head = repo.commit("begin", HUMAN_FILES)
        self.calls = 0

    def tell(self, event_type: str, data: dict[str, Any] | None = None, **fields: Any) -> str:
        """Add one event at the present HEAD; return its id."""
        return self.story.tell(event_type, data, revision=self.head, **fields).id

    def call(self, tool: str, operation: str, path: str | None = None, **fields: Any) -> dict[str, Any]:
        """Ask for a call; return what its other events repeat."""
        self.calls += 1
        place = {key: fields.pop(key) for key in ("session", "intent", "agent") if key in fields}
        call = {"tool_call_id": f"toolu_{self.calls:02}", "tool_name": tool, "operation": operation}
        targets = [{"path": path, "role": "write"}] if path else []
        self.tell("tool.requested", call | {"targets": targets} | fields, **place)
        return call

    def wrote(self, path: str, content: str | None, tool: str = "Edit", via: str = "tool", **fields: Any) -> str:
        """Change a file by a call from beginning to end; return the mutation."""
        said = {key: fields.pop(key) for key in ("declared_class", "agent_id") if key in fields}
        requested = {key: fields.pop(key) for key in ("command", "permission_mode", "agent_type") if key in fields}
        operation = "shell" if via == "shell" else "edit"
        call = self.call(tool, operation, path, **requested, **said, **fields)
        call.pop("operation")
        changed = self.tell("mutation.observed", call | {"via": via} | said, edits={path: content}, **fields)
        self.tell("tool.completed", call | {"operation": operation, "duration_ms": 40, "exit_code": 0}, **fields)
        return changed

    def committed(self, subject: str, *paths: str, **fields: Any) -> None:
        """Commit these files as the story has them, and see it."""
        files = {path: content for path, content in self.story.files.items() if path in paths}
        before, self.head = self.head, self.repo.commit(subject, files)
        self.tell("commit.observed", {"revision": self.head, "parents": [before], "files": list(paths)}, **fields)

    def written(self) -> None:
        """Put it all into the ledger."""
        self.story.written(self.repo.path)


def tell(repo: Any) -> None:
    """Tell the whole story."""
    rich = Rich(repo)
    _work(rich)
    _refusals(rich)
    _others(rich)
    _knowledge(rich)
    rich.written()


def _intent(rich: Rich, event_type: str, intent: str, status: str, **fields: Any) -> None:
    state = {"id": intent, "name": f"What {intent} is for", "status": status, "scope": ["src/**", "tests/**"]}
    rich.tell(event_type, {"intent_id": intent, "after": state}, contributor="human", **fields)


def _work(rich: Rich) -> None:
    """Two sessions write a module for two intents; the first bypasses permissions and has a subagent."""
    _intent(rich, "intent.created", "INT-1", IN_PROGRESS)
    _intent(rich, "intent.created", "INT-2", IN_PROGRESS)
    start = {"source": "startup", "permission_mode": "bypassPermissions", "transcript": "s1.jsonl"}
    rich.tell("session.started", start)
    rich.tell("prompt.submitted", {"prompt_id": "p1", "excerpt": "write a parser", "length": 14})
    rich.wrote("src/parse.py", FIRST, tool="Write", intent="INT-1", permission_mode="bypassPermissions")
    extended = rich.wrote("src/parse.py", SECOND, intent="INT-1", declared_class="refactor")
    rich.wrote(
        "tests/test_parse.py",
        "from src.parse import parse\n\n\ndef test_parse():\n    assert parse('a')\n",
        intent="INT-1",
    )
    rich.tell("session.started", {"source": "startup", "parent_session_id": "s1"}, session="s2", agent="codex")
    rich.wrote("src/parse.py", THIRD, intent="INT-2", session="s2", agent="codex")
    rich.wrote("src/sub.py", "def sub():\n    return 1\n", agent_id="a1", agent_type="Explore", intent="INT-1")
    rich.wrote("src/parse.py", THIRD + "\n\nLIMIT = 3\n", intent="INT-1")
    rich.wrote("docs/notes.md", "notes\n", intent="INT-1")
    rich.wrote("scratch.py", "print(1)\n")
    judged = {"about": "mutation", "mutation_id": extended, "rule_version": 1, "label": "evolution", "kind": "unproved"}
    judged |= {"computed_class": "INTENT_EVOLUTION", "mutation_class": "INTENT_EVOLUTION", "evolved_files": 1}
    judged |= {"evidence": ["a function is new"], "basis": [{"by": "call", "words": "refactor"}]}
    rich.tell("mutation.classified", judged | {"files": [{"path": "src/parse.py", "label": "evolution"}]})
    rich.committed("feat: parse\n\nCo-Authored-By: Claude <noreply@anthropic.com>", *rich.story.files, intent="INT-1")
    _intent(rich, "intent.completed", "INT-1", DONE)
    rich.wrote("src/parse.py", BY_HAND, via="human", contributor="human", tool="Edit")
    rich.wrote(
        "src/parse.py",
        BY_HAND + "\n\ndef more():\n    return lines('a')\n",
        intent="INT-2",
        session="s2",
        agent="codex",
    )
    rich.committed("more", "src/parse.py", session="s2")
    _intent(rich, "intent.changed", "INT-1", IN_PROGRESS)
    for key, tokens in (("m1:r1", 1), ("m1:r1", 200), ("m2:r2", 7)):
        told = {"usage_key": key, "message_id": key[:2], "request_id": key[3:], "model_id": "anthropic/claude-opus-5"}
        rich.tell("usage.recorded", told | USAGE | {"output_tokens": tokens}, intent="INT-1")
    unpriced = {"usage_key": "m3:r3", "message_id": "m3", "request_id": "r3", "model_id": "local/llama"}
    rich.tell("usage.recorded", unpriced | USAGE, session="s2", agent="codex", intent="INT-2")


def _refusals(rich: Rich) -> None:
    """Calls are judged, refused, asked about, and some do what they were refused."""
    deny = {"verdict": "deny", "source": "linetrail", "mode": "block", "enforced": True}
    call = rich.call("Edit", "edit", "docs/plan.md", intent="INT-2")
    call.pop("operation")
    out = {"code": "OUT_OF_SCOPE", "paths": [{"path": "docs/plan.md", "code": "OUT_OF_SCOPE"}]}
    rich.tell("gate.decided", call | deny | out, intent="INT-2")
    lesson = {"lesson_id": "denial-1", "title": "docs/plan.md: a change was refused", "source": "denial"}
    lesson |= {"code": "OUT_OF_SCOPE", "path": "docs/plan.md"}
    rich.tell("lesson.recorded", lesson, contributor="unknown", intent="INT-2")
    rich.tell("lessons.shown", {"intent_id": "INT-2", "lesson_ids": ["denial-1"]}, contributor="unknown")
    again = rich.call("Edit", "edit", "docs/plan.md", intent="INT-2")
    again.pop("operation")
    rich.tell("gate.decided", again | deny | out, intent="INT-2")
    rich.tell("mutation.observed", {"via": "shell"}, edits={"docs/plan.md": "plan\n"}, intent="INT-2")
    asked = rich.call("Bash", "shell", command="git push --force", intent="INT-2")
    asked.pop("operation")
    question = {"verdict": "ask", "source": "linetrail", "code": "DANGEROUS_COMMAND", "approval_id": "A-7f3k"}
    rich.tell("gate.decided", asked | question | {"command_class": "dangerous", "enforced": True}, intent="INT-2")
    answer = {"approval_id": "A-7f3k", "approved": True, "tool_name": "Bash", "code": "DANGEROUS_COMMAND"}
    rich.tell("approval.decided", answer | {"action": "git push --force", "person": "Ana"}, contributor="human")
    rich.tell("tool.completed", asked | {"operation": "shell", "duration_ms": 900, "exit_code": 0})
    rich.tell("approval.decided", answer | {"approval_id": "A-9abc", "approved": False}, contributor="human")
    for command in ("rm -rf build", "curl -H 'Authorization: [redacted:authorization:1a2b3c4d]' example.org"):
        ran = rich.call("Bash", "shell", command=command)
        rich.tell("tool.completed", ran | {"duration_ms": 20, "exit_code": 0})
    rich.wrote("CLAUDE.md", "be bold\n")
    rich.wrote(".github/workflows/ci.yml", "on: push\n", via="shell", tool="Bash", command="cp a b")
    stale = {"tool_call_id": "toolu_02", "tool_name": "Edit", "code": "STALE_WRITE", "reason": "written over"}
    rich.tell("gate.violation", stale | {"path": "src/parse.py", "expected_hash": "sha256:1", "found_hash": "sha256:2"})


def _others(rich: Rich) -> None:
    """Tools fail, loop and belong to servers; a file changes while nobody looks."""
    for number in range(3):
        call = rich.call("Read", "read", "src/parse.py", input_sha256="sha256:" + "3" * 64)
        outcome = {"duration_ms": 10 * number, "error": "TypeError: no"} if number else {"duration_ms": 5}
        rich.tell("tool.failed" if number else "tool.completed", call | outcome)
    server = rich.call("mcp__github__search", "mcp")
    rich.tell("tool.completed", server | {"duration_ms": 300})
    stopped = rich.call("Bash", "shell", command="sleep 100")
    rich.tell("tool.failed", stopped | {"is_interrupt": True, "error": "stopped"})
    rich.tell(
        "mutation.observed",
        {"via": "unseen"},
        contributor="unknown",
        edits={"src/old.py": "def kept(x):\n    return x\n"},
    )
    rich.committed("by hand", "src/old.py", "CLAUDE.md", "docs/plan.md", ".github/workflows/ci.yml")


def _knowledge(rich: Rich) -> None:
    """Somebody decides, and decides otherwise."""
    first = {"decision_id": "D-1", "title": "Split on spaces", "status": "accepted", "lines": ["src/parse.py:1-3"]}
    rich.tell("decision.recorded", first, intent="INT-1")
    second = {"decision_id": "D-2", "title": "Keep it", "status": "accepted", "rationale": "it is simple"}
    rejected = [{"option": "a grammar", "why_rejected": "too much"}]
    rich.tell("decision.recorded", second | {"supersedes": "D-1", "alternatives": rejected, "lines": ["src/:1-1"]})
    rich.tell("session.ended", {"reason": "exit"})
