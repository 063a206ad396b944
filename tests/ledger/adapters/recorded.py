"""What agents sent, and how each of these payloads is to be read and answered: `tests/payloads/index.json`."""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

PAYLOADS = Path(__file__).parents[2] / "payloads"
PROJECT = "/home/dev/project"
INDEX: dict[str, Any] = json.loads((PAYLOADS / "index.json").read_text(encoding="utf-8"))
# Folders of agents that speak more than one dialect.
_DIALECTS = {"copilot-cli-pascal": "copilot-cli", "cline-vscode": "cline", "cline-sdk": "cline"}
# The only payloads that do not name their event: whoever registers the hook names it.
_EVENT_ON_COMMAND_LINE = "copilot-cli"
# Without golden answers of its own.
_ANSWERED_LIKE = {"factory-droid": "claude-code"}


class Recorded(NamedTuple):
    """One payload, the agent it is from, the event that the command line names, and what it means."""

    file: str
    agent: str
    event: str | None
    expect: dict[str, Any]

    @property
    def text(self) -> str:
        """Return it as it was sent."""
        return (PAYLOADS / self.file).read_text(encoding="utf-8")

    @property
    def payload(self) -> dict[str, Any]:
        """Return it as it is read."""
        payload: dict[str, Any] = json.loads(self.text)
        return payload


def agent_of(folder: str) -> str:
    """Return whose payloads a folder holds."""
    return _DIALECTS.get(folder, folder)


def _recorded(case: dict[str, Any]) -> Recorded:
    folder, _, name = case["file"].partition("/")
    event = name.removesuffix(".json").partition("-")[0] if folder == _EVENT_ON_COMMAND_LINE else None
    return Recorded(case["file"], agent_of(folder), event, case["expect"])


ALL = [_recorded(case) for case in INDEX["fixtures"]]
RESPONSES: list[dict[str, Any]] = INDEX["responses"]


def denial(agent: str) -> dict[str, Any]:
    """Return the golden answer with which a call of this agent is refused."""
    alike = _ANSWERED_LIKE.get(agent, agent)
    return next(row for row in RESPONSES if agent_of(row["agent"]) == alike and row["verdict"] == "deny")


def absolute(cwd: str | None, path: str) -> str:
    """Return a target as `expect.paths` spells it: absolute, and as it is where it is a path of Windows."""
    return path if path[1:2] == ":" else os.path.normpath(os.path.join(cwd or PROJECT, path))
