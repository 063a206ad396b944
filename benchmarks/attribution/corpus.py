"""Play the scenarios of scenarios.json, with an agent's hooks around what it was seen writing."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.simulation.agent import Deliver, Session
from tests.simulation.payloads import told

Step = dict[str, Any]


class Expected(NamedTuple):
    """A file at HEAD and the author of each of its lines: `ai:<session>`, `human:<name>` or `untracked`."""

    path: str
    lines: list[tuple[str, str]]


def scenarios() -> list[dict[str, Any]]:
    """Return all scenarios."""
    found: list[dict[str, Any]] = json.loads((Path(__file__).parent / "scenarios.json").read_text())["scenarios"]
    return found


class Player:
    """Plays one scenario in a folder that is not there yet."""

    def __init__(self, root: Path, deliver: Deliver) -> None:
        """Make the repository."""
        self.root, self._deliver = root, deliver
        self._calls: dict[tuple[str, str], Callable[[], None]] = {}
        self._sessions: dict[str, Session] = {}
        self._clock = 0
        root.mkdir(parents=True)
        self._run("init", "--quiet", "--initial-branch=main")
        (root / ".git" / "info" / "exclude").write_text(".orchestration/\n")
        (root / ".orchestration").mkdir()
        self._run("commit", "--quiet", "--allow-empty", "--message", "before")

    def play(self, steps: list[Step]) -> Iterator[Expected]:
        """Do one step after the other, and yield what is expected where a step says so."""
        for at, step in enumerate(steps):
            if step["op"] == "expect":
                yield Expected(step["path"], [(author, text) for author, text in step["lines"]])
            else:
                getattr(self, f"_{step['op']}")(step, steps[at + 1 :])

    def _write(self, step: Step, later: list[Step]) -> None:
        concerns = (
            s for s in later if (s["op"] == "write" and s["path"] == step["path"]) or step["path"] in s.get("paths", ())
        )
        observed = next(concerns, {})
        actor = observed.get("actor", "")
        if actor.startswith("ai:") and (actor, step["path"]) not in self._calls:
            self._before(actor, step["path"], step["text"])
        file = self.root / step["path"]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(step["text"].encode())

    def _observe(self, step: Step, later: list[Step]) -> None:
        for path in step["paths"]:
            if "pre_edit_of" in step:
                texts = (s["text"] for s in later if s["op"] == "write" and s["path"] == path)
                self._before(step["pre_edit_of"], path, next(texts, ""))
            elif step["actor"].startswith("ai:"):
                self._after(step["actor"], path)

    def _before(self, actor: str, path: str, text: str) -> None:
        session = self._sessions.get(actor)
        if session is None:
            session = Session(len(self._sessions), str(self.root), self._deliver, actor.removeprefix("ai:"))
            self._sessions[actor] = session
        file = self.root / path
        before = file.read_bytes().decode() if file.exists() else None
        what = told(str(file), before, text)
        call = session.call(what.tool, what.given, str(self.root))
        self._calls[actor, path] = lambda: call.done(what.response)

    def _after(self, actor: str, path: str) -> None:
        self._calls.pop((actor, path))()

    def _commit(self, step: Step, _: list[Step]) -> None:
        if step["stage"] == "all":
            self._run("add", "--all")
        elif step["stage"] != "index":
            self._run("add", "--", *step["stage"])
        self._run("commit", "--quiet", "--message", step["id"])

    def _git(self, step: Step, _: list[Step]) -> None:
        self._run("-c", "core.editor=true", *step["args"], may_fail=bool(step.get("may_fail")))

    def _rename(self, step: Step, _: list[Step]) -> None:
        (self.root / step["from"]).rename(self.root / step["to"])

    def _run(self, *args: str, may_fail: bool = False) -> None:
        names = {f"user.{key}": value for key, value in (("name", "ana"), ("email", "ana@example.org"))}
        given = [word for name, value in names.items() for word in ("-c", f"{name}={value}")]
        subprocess.run(["git", *given, *args], cwd=self.root, check=not may_fail, capture_output=True)
