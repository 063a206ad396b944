"""`linetrail import codex`: rollouts as the agent writes them, made up line by line."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from linetrail.ledger.content import digest

pytestmark = pytest.mark.usefixtures("ledger")
SESSION = "019a9f00-1111-7222-8333-444455556666"
BEGINNING = datetime(2026, 1, 5, 10, 0, tzinfo=UTC)


class Rollout:
    """One session; each record is a second after the one before."""

    def __init__(self, cwd: str, session_id: str = SESSION, **head) -> None:
        self.now = BEGINNING
        self.lines: list[bytes] = []
        self.calls = 0
        self.session_id = session_id
        meta = {"id": session_id, "timestamp": self.time(), "cwd": cwd, "originator": "codex_cli_rs"}
        self.add("session_meta", meta | {"cli_version": "0.169.0", "source": "cli", "model_provider": "openai"} | head)
        context = {"cwd": cwd, "approval_policy": "on-request", "sandbox_policy": {"type": "read-only"}}
        self.add("turn_context", context | {"model": "gpt-model-x", "turn_id": "turn-1", "summary": "auto"})

    def time(self) -> str:
        return self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def add(self, kind: str, payload: dict) -> None:
        self.now += timedelta(seconds=1)
        self.lines.append(json.dumps({"timestamp": self.time(), "type": kind, "payload": payload}).encode() + b"\n")

    def item(self, kind: str, **fields) -> None:
        self.add("response_item", {"type": kind, **fields})

    def event(self, kind: str, **fields) -> None:
        self.add("event_msg", {"type": kind, **fields})

    def prompt(self, text: str) -> None:
        content = [{"type": "input_text", "text": f"<environment_context>\n{text}"}]
        self.item("message", role="user", content=content)
        self.event("user_message", message=text, images=[])

    def call_id(self) -> str:
        self.calls += 1
        return f"call_{self.session_id[:8]}_{self.calls:012d}"

    def patch(self, text: str, *, changes: dict | None = None, failed: bool = False) -> str:
        call_id = self.call_id()
        whole = f"*** Begin Patch\n{text}*** End Patch"
        self.item("custom_tool_call", status="completed", call_id=call_id, name="apply_patch", input=whole)
        if changes is not None:
            told = {"stdout": "Success.", "stderr": "", "success": not failed, "changes": changes}
            self.event("patch_apply_end", call_id=call_id, turn_id="turn-1", **told)
        output = {"output": "Success.", "metadata": {"exit_code": int(failed), "duration_seconds": 0.5}}
        self.item("custom_tool_call_output", call_id=call_id, output=json.dumps(output))
        return call_id

    def shell(self, command: object, output: str = "Exit code: 0\nWall time: 0.1 seconds\nOutput:\n", name="shell"):
        call_id = self.call_id()
        given = {"cmd": command} if name == "exec_command" else {"command": command}
        self.item("function_call", name=name, arguments=json.dumps(given), call_id=call_id)
        self.item("function_call_output", call_id=call_id, output=output)
        return call_id

    def tokens(self, given: int, cached: int, output: int, total: int) -> None:
        last = {"input_tokens": given, "cached_input_tokens": cached, "output_tokens": output}
        info = {"total_token_usage": {"total_tokens": total}, "last_token_usage": last}
        self.event("token_count", info=info, rate_limits=None)

    def save(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(self.lines))
        return path


@pytest.fixture
def rollout(repo):
    return lambda **head: Rollout(str(repo.path), **head)


@pytest.fixture
def imported(cli, tmp_path):
    """Return a function that saves rollouts, imports them and returns the rows."""

    def run(*rollouts, options=()):
        folder = tmp_path / "sessions" / "2026" / "01" / "05"
        paths = [str(one.save(folder / f"rollout-{at}.jsonl")) for at, one in enumerate(rollouts)]
        answer = cli("import", "codex", *paths, "--json", *options)
        assert answer.status == 0, answer.err
        return answer.rows

    return run


def states(repo):
    """Return, for each change of a file, the path and the hashes around it."""
    return [
        (entry["path"], entry["before_hash"], entry["after_hash"])
        for event in repo.events("mutation.observed")
        if event.contributor == "ai"
        for entry in event.data["files"]
    ]


def hashed(text):
    return None if text is None else digest(text.encode())


def test_a_session_becomes_the_events_that_its_hooks_would_have_given(repo, rollout, imported):
    session = rollout(git={"commit_hash": "0" * 40, "branch": "main"})
    session.prompt("Add tax")
    session.patch("*** Add File: tax.py\n+RATE = 1\n")
    session.shell(["bash", "-lc", "make"], "Exit code: 2\nWall time: 1 seconds\nOutput:\nno rule")
    session.tokens(100, 40, 7, 107)

    (row,) = imported(session)

    told = [(event.type, event.data.get("operation")) for event in repo.events()]
    assert told == [
        ("session.started", None),
        ("prompt.submitted", None),
        ("tool.requested", "edit"),
        ("mutation.observed", None),
        ("tool.completed", "edit"),
        ("tool.requested", "shell"),
        ("tool.failed", "shell"),
        ("usage.recorded", None),
    ]
    assert (row["imported"], row["duplicates"], row["rejected"]) == (len(told), 0, 0)
    assert states(repo) == [("tax.py", None, hashed("RATE = 1\n"))]
    event = repo.events("tool.requested")[1]
    assert (event.data["command"], event.data["permission_mode"]) == ("make", "on-request")
    assert (event.agent.name, event.agent.version, event.agent.model_id) == ("codex", "0.169.0", "openai/gpt-model-x")
    assert (event.session_id, event.vcs.branch) == (SESSION, "main")
    assert repo.events("tool.failed")[0].data["exit_code"] == 2
    usage = repo.events("usage.recorded")[0].data
    assert (usage["input_tokens"], usage["cache_read_input_tokens"], usage["output_tokens"]) == (60, 40, 7)
    assert repo.events("prompt.submitted")[0].data["excerpt"] == "Add tax"
    assert repo.events("mutation.observed")[0].data["via"] == "import"
