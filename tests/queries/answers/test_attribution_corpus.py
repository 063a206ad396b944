"""Play the attribution scenarios through real git and the real hooks, and compare who wrote each line.

Nobody reports what people do yet, so a line that an editor was seen saving for a person counts as one that nobody
was seen writing: in a commit without signs of an agent that is `human`, presumed.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(os.environ.get("LINETRAIL_SHARED") or Path(__file__).parents[4] / "shared")
CORPUS = SHARED / "corpus" / "attribution" / "scenarios.json"
LOCAL = ("objects", "state", "cache")


def scenarios() -> Iterator[Any]:
    if not CORPUS.exists():
        yield pytest.param({}, marks=pytest.mark.skip(reason=f"needs {CORPUS}; set LINETRAIL_SHARED"), id="corpus")
        return
    for scenario in json.loads(CORPUS.read_text())["scenarios"]:
        yield pytest.param(scenario, id=scenario["id"])


class Player:
    """Runs the steps of one scenario, with an agent's hooks around the writes that the agent was seen making."""

    def __init__(self, repo: Any, hook: Callable[..., Any], cli: Callable[..., Any]) -> None:
        self.repo, self.hook, self.cli = repo, hook, cli
        self.calls: dict[tuple[str, str], str] = {}
        (repo.path / ".git" / "info" / "exclude").write_text(".orchestration/\n")
        repo.start_ledger()

    def play(self, steps: list[dict[str, Any]]) -> None:
        for at, step in enumerate(steps):
            getattr(self, step["op"])(step, steps[at + 1 :])

    def write(self, step: dict[str, Any], later: list[dict[str, Any]]) -> None:
        if actor := self._writer(step["path"], later):
            self._before(actor, step["path"])
        self.repo.write(step["path"], step["text"])

    def observe(self, step: dict[str, Any], _: list[dict[str, Any]]) -> None:
        for path in step["paths"]:
            if "pre_edit_of" in step:
                self._before(step["pre_edit_of"], path)
            elif step["actor"].startswith("ai:"):
                self._after(step["actor"], path)

    def commit(self, step: dict[str, Any], _: list[dict[str, Any]]) -> None:
        if step["stage"] == "all":
            self.repo.git("add", "--all")
        elif step["stage"] != "index":
            self.repo.git("add", "--", *step["stage"])
        self.repo.now += 60
        self.repo.git("commit", "--quiet", "--message", step["id"])

    def git(self, step: dict[str, Any], _: list[dict[str, Any]]) -> None:
        self.repo.now += 60
        try:
            self.repo.git("-c", "core.editor=true", *step["args"])
        except Exception:
            if not step.get("may_fail"):
                raise

    def rename(self, step: dict[str, Any], _: list[dict[str, Any]]) -> None:
        (self.repo.path / step["from"]).rename(self.repo.path / step["to"])

    def expect(self, step: dict[str, Any], _: list[dict[str, Any]]) -> None:
        here = self._blame(step["path"])
        assert here == [tuple(line) for line in map(_expected, step["lines"])]
        for name in LOCAL:
            shutil.rmtree(self.repo.path / ".orchestration" / name, ignore_errors=True)
        assert self._blame(step["path"]) == here, "a fresh clone must say the same"

    def _blame(self, path: str) -> list[tuple[str, str]]:
        rows = self.cli("blame", "--rev", "HEAD", "--json", path).rows
        return [(_author(row), row["text"]) for row in rows]

    def _writer(self, path: str, later: list[dict[str, Any]]) -> str | None:
        """Return the agent that will be seen to have made this write, where its pre hook has not run yet."""
        concerns = (s for s in later if (s["op"] == "write" and s["path"] == path) or path in s.get("paths", ()))
        actor = next(concerns, {}).get("actor", "")
        return actor if actor.startswith("ai:") and (actor, path) not in self.calls else None

    def _before(self, actor: str, path: str) -> None:
        call = self.calls[actor, path] = f"toolu_{len(self.repo.lines()):04}"
        self._hook("PreToolUse", actor, path, call)

    def _after(self, actor: str, path: str) -> None:
        text = (self.repo.path / path).read_bytes().decode()
        response = {"type": "update", "filePath": str(self.repo.path / path), "content": text, "userModified": False}
        self._hook("PostToolUse", actor, path, self.calls.pop((actor, path)), tool_response=response)

    def _hook(self, event: str, actor: str, path: str, call: str, **fields: Any) -> None:
        tool_input = {"file_path": str(self.repo.path / path), "content": "not looked at"}
        where = {"session_id": actor, "cwd": str(self.repo.path), "transcript_path": "/nowhere"}
        what = {"hook_event_name": event, "tool_name": "Write", "tool_use_id": call, "tool_input": tool_input}
        done = self.hook(where | what | fields)
        assert (done.returncode, done.stdout) == (0, "")


def _author(row: dict[str, Any]) -> str:
    if row["contributor_type"] == "ai":
        return str(row["session_id"])
    return f"{row['contributor_type']} by {row['evidence']}"


def _expected(line: list[str]) -> tuple[str, str]:
    author, text = line
    return (author if author.startswith("ai:") else "human by git", text)


@pytest.mark.slow
@pytest.mark.parametrize("scenario", list(scenarios()))
def test_every_line_has_the_author_it_should_have(scenario, repo, hook, cli):
    Player(repo, hook, cli).play(scenario["steps"])
