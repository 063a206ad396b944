"""The tools that are compared: how each is told what agents do, and how it is asked who wrote a line.

Each is wired as its own documentation says: linetrail and agent-trace by hooks, ai-blame by the transcript that the
agent keeps. All are asked for the same thing, the session of an agent for each line of a file in the work tree.
"""

import json
import os
import re
import subprocess
import sys
import venv
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

from linetrail.ledger.repository import find
from linetrail.projections.blame.blame import blame
from linetrail.projections.git.target import in_worktree
from tests.simulation.agent import in_process

BEGINNING = datetime(2026, 1, 5, 10)  # noqa: DTZ001  written with a Z where it is used
# The session that wrote each line, or "?" for an agent nobody can name; None for people.
Sessions = list[str | None]


class Contender(Protocol):
    """A tool in one repository with one home folder."""

    name: str

    # hand over what an agent's hook is given; the repository has at least one commit then
    def deliver(self, payload: bytes, cwd: str) -> None: ...

    # say who wrote each line of a file of the work tree
    def sessions(self, root: Path, path: str) -> Sessions: ...


class Linetrail:
    """This project, as of this checkout."""

    name = "linetrail"

    def __init__(self, home: Path) -> None:  # noqa: ARG002  every contender is given one
        """Need nothing: the ledger is in the repository."""
        self.deliver = in_process

    def sessions(self, root: Path, path: str) -> Sessions:
        """Ask blame, in this process."""
        repository = find(str(root))
        answer = blame(repository, in_worktree(repository, path))
        return [row.session_id or "?" if row.contributor_type == "ai" else None for row in answer.attributions]


class AgentTrace:
    """agent-trace-cli: `agent-trace init`, then its hooks of Claude Code and of git."""

    name = "agent-trace-cli"
    # the events that its init registers
    EVENTS = ("SessionStart", "SessionEnd", "PostToolUse", "Stop")

    def __init__(self, home: Path) -> None:
        """Start with an empty home."""
        self._home = home
        self._begun: set[str] = set()

    def deliver(self, payload: bytes, cwd: str) -> None:
        """Run its recording command for the events it asked for."""
        if not self._begun:
            _run([command(self.name, "agent-trace"), "init"], cwd)
            with open(Path(cwd) / ".git" / "info" / "exclude", "a", encoding="utf-8") as file:
                file.write(".claude/\n.cursor/\n.codex/\n")
            self._begun.add(cwd)
        if json.loads(payload)["hook_event_name"] in self.EVENTS:
            _run([command(self.name, "agent-trace"), "record"], cwd, payload)

    def sessions(self, root: Path, path: str) -> Sessions:
        """Read its blame as JSON; the session is in the trace that it names."""
        count = len((root / path).read_bytes().splitlines())
        found: Sessions = [None] * count
        printed = _run([command(self.name, "agent-trace"), "blame", path, "--json"], str(root))
        known = self._sessions()
        for row in json.loads(printed or "{}").get("attributions", []):
            if row.get("kind") == "AI":
                for line in range(row["start_line"], min(row["end_line"], count) + 1):
                    found[line - 1] = known.get(row.get("trace_id"), "?")
        return found

    def _sessions(self) -> dict[str, str]:
        files = self._home.glob(".agent-trace/projects/*/traces.jsonl")
        traces = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
        return {trace["id"]: trace.get("metadata", {}).get("session_id", "?") for trace in traces}


class AiBlame:
    """ai-blame: reads the transcripts in the home folder. It names models, so each session has a model of its own."""

    name = "ai-blame"

    def __init__(self, home: Path) -> None:
        """Start with an empty home."""
        self._home = home
        self._models: dict[str, str] = {}
        self._roots: dict[str, str] = {}
        self._records = 0

    def deliver(self, payload: bytes, cwd: str) -> None:
        """Write what Claude Code writes to its transcript beside each hook."""
        fields = json.loads(payload)
        session, event = fields["session_id"], fields["hook_event_name"]
        self._roots.setdefault(session, cwd)
        if event == "SessionStart":
            self._models[session] = fields["model"]
        elif event == "UserPromptSubmit":
            self._add(fields, "user", {"role": "user", "content": fields["prompt"]})
        elif event == "PreToolUse":
            use = {"type": "tool_use", "id": fields["tool_use_id"], "name": fields["tool_name"]}
            content = [use | {"input": fields["tool_input"]}]
            message = {"id": f"msg_{self._records}", "type": "message", "role": "assistant"}
            self._add(fields, "assistant", message | {"model": self._models[session], "content": content})
        elif event == "PostToolUse":
            content = [{"type": "tool_result", "tool_use_id": fields["tool_use_id"], "content": "done"}]
            message = {"role": "user", "content": content}
            self._add(fields, "user", message, toolUseResult=fields["tool_response"])

    def sessions(self, root: Path, path: str) -> Sessions:
        """Read the columns of models and lines of its blame.

        It leaves out transcripts that are older than the file; here every session is still going on.
        """
        for transcript in self._home.glob(".claude/projects/*/*.jsonl"):
            os.utime(transcript)
        options = ["--columns", "ML", "--no-header", "--no-cache", "--home", str(self._home)]
        printed = _run([command(self.name, "ai-blame"), "blame", path, *options], str(root)) or ""
        found: Sessions = [None] * len((root / path).read_bytes().splitlines())
        named = {model: session for session, model in self._models.items()}
        for model, line in re.findall(r"^(\S+) +(\d+)\s*$", printed, re.MULTILINE):
            if model != "-" and int(line) <= len(found):
                found[int(line) - 1] = named.get(model, "?")
        return found

    def _add(self, fields: dict[str, Any], kind: str, message: dict[str, Any], **more: Any) -> None:
        self._records += 1
        session = fields["session_id"]
        record = {
            "parentUuid": None,
            "isSidechain": "agent_id" in fields,
            "userType": "external",
            "cwd": fields["cwd"],
            "sessionId": session,
            "version": "2.1.45",
            "gitBranch": "main",
            "type": kind,
            "message": message,
            "uuid": f"{session}-{self._records:06}",
            "timestamp": f"{(BEGINNING + timedelta(seconds=self._records)).isoformat()}.000Z",
        }
        folder = self._home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", self._roots[session])
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / f"{session}.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(record | more) + "\n")


CONTENDERS = {tool.name: tool for tool in (Linetrail, AgentTrace, AiBlame)}
ENVIRONMENTS = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "linetrail-benchmark"


def install(names: Sequence[str]) -> None:
    """Give each tool from PyPI an environment of its own, once."""
    for name in names:
        folder = ENVIRONMENTS / name
        if name != Linetrail.name and not folder.is_dir():
            print(f"installing {name}", file=sys.stderr)
            venv.create(folder, with_pip=True)
            subprocess.run([folder / "bin" / "pip", "install", "--quiet", name], check=True)


def command(name: str, program: str) -> str:
    """Return where a tool's program is."""
    return str(ENVIRONMENTS / name / "bin" / program)


def _run(words: Sequence[str], cwd: str, stdin: bytes = b"") -> str | None:
    done = subprocess.run(words, cwd=cwd, input=stdin, capture_output=True, check=False)
    return done.stdout.decode(errors="replace") if done.returncode == 0 else None
