"""A repository in which a story happens: people and agents change it, and only the story's clock counts.

Agents act through the real hook: each step hands it the payload that Claude Code would send, changes the files as
the tool would, and hands it the next one. Paths in payloads are relative, so no machine's folders get into a hash.
"""

import contextlib
import io
import json
import os
import shlex
import subprocess
import tempfile
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest import mock

from linetrail.ledger.event.event import Agent
from linetrail.ledger.gate.approvals import pending
from linetrail.ledger.hook.loop import handle
from linetrail.ledger.intents import registry_file
from linetrail.ledger.intents.changes import Author as Person
from linetrail.ledger.knowledge.decision import Alternative
from linetrail.ledger.knowledge.lesson import from_demand
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from linetrail.queries.command_line import run as run_command
from linetrail.queries.commands.records.select import Chooser, choose
from linetrail.queries.importers import intake
from linetrail.queries.importers.sink import Import
from linetrail.queries.record.decisions import Author, Wish, decided, record
from linetrail.queries.record.lessons import learn

PERSON = {"NAME": "Demo Developer", "EMAIL": "dev@example.com"}
HOOKED = "claude-code"


class Stage:
    """The repository and the clock. Text is edited as a person's editor would, unless an agent's session does it."""

    def __init__(self, root: Path) -> None:
        """Start an empty repository."""
        self.root = root
        self.now = datetime(2026, 1, 5, 9, tzinfo=UTC)
        self.calls = self.decisions = 0
        self.git("init", "--quiet", "--template=")
        self.git("symbolic-ref", "HEAD", "refs/heads/main")

    def at(self, day: int, hour: int, minute: int = 0) -> None:
        """Move the clock to a moment of January 2026; time only goes on."""
        moment = datetime(2026, 1, day, hour, minute, tzinfo=UTC)
        assert moment >= self.now, f"{moment} is before {self.now}"
        self.now = moment

    def tick(self, milliseconds: int) -> int:
        """Let time pass, and return the moment in nanoseconds."""
        unix = round(self.now.timestamp() * 1000) + milliseconds
        self.now = datetime.fromtimestamp(unix / 1000, UTC)
        return unix * 1_000_000

    def git(self, *args: str) -> str:
        """Run git as the person of the story."""
        return self.run(["git", *args])

    def run(self, command: list[str]) -> str:
        """Run a command with the identity and the clock of the story, and none of this machine's git settings."""
        done = subprocess.run(command, cwd=self.root, env=self._alone(), check=True, capture_output=True, text=True)
        return done.stdout

    def _alone(self) -> dict[str, str]:
        """Return the environment of the person of the story, in which no agent runs."""
        date = f"{round(self.now.timestamp())} +0000"
        told = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in PERSON.items()}
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        own = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "CLAUDE", "CODEX"))}
        plain = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C", "TZ": "UTC"}
        return own | told | dates | plain

    def text(self, path: str) -> str | None:
        """Return what a file holds now; None when there is none."""
        file = self.root / path
        return file.read_text() if file.exists() else None

    def write(self, path: str, content: str) -> None:
        """Write a whole file."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(content)

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a text that must be there once."""
        before = self.text(path) or ""
        assert before.count(old) == 1, f"{path}: {before.count(old)} times {old!r}"
        self.write(path, before.replace(old, new))

    def decide(self, title: str, why: str, alternatives: dict[str, str], lines: str, author: Author) -> None:
        """Record a decision about lines, as `linetrail record-decision` does."""
        ways = [Alternative(option, why_not) for option, why_not in alternatives.items()]
        self.decisions += 1
        wish = Wish(title, why, alternatives=ways, lines=[lines], id=f"D-{self.decisions}")
        repository, now = find(str(self.root)), self.tick(300)
        with mock.patch("time.time_ns", return_value=now):
            record(repository, [(decided(repository, str(self.root), wish, []), author)])

    def learn(self, text: str, path: str, intent_id: str | None = None) -> None:
        """Say what is to be known here, as a person does with `linetrail lesson add`."""
        now = self.tick(20_000)
        with mock.patch("time.time_ns", return_value=now):
            learn(find(str(self.root)), from_demand(text, path, intent_id), intent_id, Person("human"))

    def linetrail(self, *words: str) -> None:
        """Run a command of ours, as the person."""
        now, out = self.tick(15_000), io.StringIO()
        with (
            mock.patch("time.time_ns", return_value=now),
            mock.patch("time.gmtime", return_value=self.now.timetuple()),
            mock.patch.dict(os.environ, self._alone(), clear=True),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(out),
        ):
            status = run_command(["-C", str(self.root), *words])
        assert status == 0, f"linetrail {' '.join(words)}: {status}\n{out.getvalue()}"

    def answer(self, verb: str, *words: str) -> None:
        """Answer the one request that waits, as the person."""
        (asked,) = pending(find(str(self.root)), round(self.now.timestamp() * 1_000_000_000))
        self.linetrail(verb, asked.id, *words)

    def take_in(self, name: str, transcript: list[bytes]) -> None:
        """Import what an agent's transcript tells that its hooks did not."""
        repository = find(str(self.root))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{name}.jsonl"
            path.write_bytes(b"".join(transcript))
            intake.import_transcripts([str(path)], Import(repository, Ledger(repository)))

    def commit(self, message: str) -> None:
        """Commit everything, as the person."""
        self.tick(60_000)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)

    def session(self, name: str, model: str) -> "Session":
        """Let an agent start."""
        return Session(self, name, model)


class Session:
    """One session of an agent; every method is one thing it does, with the hooks around it.

    A call that the gate refuses is not carried out.
    """

    agent = HOOKED

    def __init__(self, stage: Stage, name: str, model: str) -> None:
        """Fire the hook of a session that starts."""
        self._stage = stage
        self._id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"https://example.com/{name}"))
        self._model = model
        self._prompts = 0
        self._transcript: list[bytes] = []
        self._inside: dict[str, str] = {}
        self._hook("SessionStart", source="startup", model=model)

    def select(self, intent_id: str | None) -> None:
        """Run `linetrail select`, as agents do before they write."""
        repository = find(str(self._stage.root))
        intent = None if intent_id is None else registry_file.require(repository, intent_id)

        def chosen() -> dict[str, Any]:
            now = self._stage.tick(400)
            choose(repository, intent, Chooser(self._id, Agent(self.agent), now))
            return _printed("")

        command = f"linetrail select {intent_id or '--clear'}"
        self._tool("Bash", {"command": command, "description": "Say which intent this is for"}, chosen)

    def decide(self, title: str, why: str, alternatives: dict[str, str], *, lines: str, intent_id: str) -> None:
        """Run `linetrail record-decision`; `alternatives` are the ways that were not taken, each with why not."""

        def decided() -> dict[str, Any]:
            self._stage.decide(title, why, alternatives, lines, Author(self._id, Agent(self.agent), intent_id))
            return _printed("")

        command = f"linetrail record-decision --title {shlex.quote(title)} …"
        self._tool("Bash", {"command": command, "description": "Keep what was decided"}, decided)

    def prompt(self, text: str) -> None:
        """Hand the agent what a person typed."""
        self._prompts += 1
        self._stage.tick(45_000)
        self._hook("UserPromptSubmit", prompt=text, source="user")

    def write(self, path: str, content: str) -> None:
        """Write a whole file."""
        before = self._stage.text(path)

        def written() -> dict[str, Any]:
            self._stage.write(path, content)
            kind = "create" if before is None else "update"
            return {"type": kind, "filePath": path, "content": content, "structuredPatch": [], "originalFile": before}

        self._tool("Write", {"file_path": path, "content": content}, written)

    def edit(self, path: str, old: str, new: str, *, person_made_it: str | None = None) -> None:
        """Replace a text; `person_made_it` is what the person at the dialog turned the proposal into."""
        before = self._stage.text(path)

        def edited() -> dict[str, Any]:
            self._stage.edit(path, old, new if person_made_it is None else person_made_it)
            words = {"filePath": path, "oldString": old, "newString": new, "originalFile": before}
            return words | {"structuredPatch": [], "userModified": person_made_it is not None, "replaceAll": False}

        self._tool("Edit", {"file_path": path, "old_string": old, "new_string": new}, edited)

    def bash(self, command: str, about: str) -> None:
        """Run a command for real."""

        def ran() -> dict[str, Any]:
            return _printed(self._stage.run(["sh", "-c", command]))

        self._tool("Bash", {"command": command, "description": about}, ran)

    def look(self, command: str, about: str, output: str) -> bool:
        """Record a command whose output would be another one on every machine; it is not run."""
        return self._tool("Bash", {"command": command, "description": about}, lambda: _printed(output))

    def read(self, path: str) -> None:
        """Read a whole file."""
        text = self._stage.text(path) or ""
        told = {"filePath": path, "content": text, "numLines": text.count("\n"), "startLine": 1}
        self._tool("Read", {"file_path": path}, lambda: {"type": "text", "file": told})

    def fail(self, path: str, old: str, new: str) -> None:
        """Try an edit whose text is not there."""
        given = {"file_path": path, "old_string": old, "new_string": new}
        self._broke("Edit", given, "String to replace not found in file.")

    def fail_tests(self, output: str) -> None:
        """Run tests that fail."""
        self._broke("Bash", {"command": "python -m unittest", "description": "Run the tests"}, f"Exit code 1\n{output}")

    def _broke(self, name: str, given: dict[str, Any], error: str) -> None:
        call = self._call(name, given)
        self._hook("PreToolUse", **call)
        self._hook("PostToolUseFailure", **call, error=error, is_interrupt=False)

    def denied(self, command: str, reason: str) -> None:
        """Ask for a command that the person refuses."""
        call = self._call("Bash", {"command": command, "description": "Publish the branch"})
        self._hook("PermissionRequest", tool_name=call["tool_name"], tool_input=call["tool_input"])
        self._stage.tick(9_000)
        self._hook("PermissionDenied", **call, reason=reason)

    def subagent(self, kind: str, work: Callable[[], None]) -> None:
        """Let a subagent do some of the work, under the id of its own that hooks carry."""
        self._stage.calls += 1
        self._inside = {"agent_id": f"agent-{self._stage.calls:04d}", "agent_type": kind}
        self._hook("SubagentStart")
        work()
        self._hook("SubagentStop", stop_hook_active=False)
        self._inside = {}

    def stop(self, *, reason: str | None = "prompt_input_exit") -> None:
        """End the turn, and the session unless `reason` is None; what its answers took is imported."""
        self._answered()
        self._hook("Stop", stop_hook_active=False)
        self._take_in()
        if reason is not None:
            self._hook("SessionEnd", reason=reason)

    def _take_in(self) -> None:
        self._stage.take_in(self._id, self._transcript)

    def _answered(self) -> None:
        """Let the agent's own transcript have an answer, with the tokens that it took: no hook is told of these."""
        number = len(self._transcript)
        moment = self._stage.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        usage = {
            "input_tokens": 12 + number % 5,
            "output_tokens": 180 + 97 * (number % 7),
            "cache_creation_input_tokens": 14_000 if number == 0 else 640 + 110 * (number % 9),
            "cache_read_input_tokens": 0 if number == 0 else 13_500 + 900 * number,
        }
        name = f"{self._id[:18]}{number:04d}"
        message = {"id": f"msg_{name}", "role": "assistant", "model": self._model, "content": [], "usage": usage}
        record = {"type": "assistant", "uuid": name, "requestId": f"req_{name}", "timestamp": moment}
        told = {"sessionId": self._id, "cwd": str(self._stage.root), "message": message}
        self._transcript.append(json.dumps(record | told).encode() + b"\n")

    def _tool(
        self, name: str, given: dict[str, Any], work: Callable[[], object], *, heeds_the_gate: bool = True
    ) -> bool:
        self._answered()
        call = self._call(name, given)
        if b'"deny"' in self._hook("PreToolUse", **call) and heeds_the_gate:
            return False
        started = self._stage.tick(180)
        response = work()
        duration = (self._stage.tick(220) - started) // 1_000_000
        self._hook("PostToolUse", **call, tool_response=response, duration_ms=duration)
        return True

    def _call(self, name: str, given: dict[str, Any]) -> dict[str, Any]:
        self._stage.calls += 1
        self._stage.tick(4_000 + 137 * (self._stage.calls % 17))
        return {"tool_name": name, "tool_input": given, "tool_use_id": f"toolu_01Demo{self._stage.calls:08d}"}

    def _common(self) -> dict[str, str]:
        """Return what every payload of this agent tells."""
        return {"prompt_id": f"{self._id[:24]}{self._prompts:012d}"} if self._prompts else {}

    def _hook(self, event: str, **fields: Any) -> bytes:
        now = self._stage.tick(350)
        common = {"session_id": self._id, "cwd": ".", "hook_event_name": event, "permission_mode": "default"}
        payload = json.dumps(common | self._common() | self._inside | fields).encode()
        return handle(self.agent, payload, event=None, cwd=str(self._stage.root), now=lambda: now).stdout


def _printed(output: str) -> dict[str, Any]:
    return {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
