"""Whether an agent has our hooks from a package that was installed once for all repositories: see docs/plugins.md."""

import os
import shutil
from collections.abc import Iterator

from linetrail.ledger.gate.policy import BLOCK
from linetrail.ledger.repository import Repository
from linetrail.queries.doctor.health import OK, WARNING, Finding
from linetrail.queries.doctor.reading import at, home, read_json, read_toml
from linetrail.queries.setup.settings import COMMAND

PACKAGE = "linetrail@linetrail"


def packaged(repository: Repository) -> list[str]:
    """Return the agents that have our package, and have not turned it off."""
    found = {"claude-code": _claude_code(repository), "codex": _codex(), "gemini-cli": _gemini()}
    return [agent for agent, there in found.items() if there]


def check(agents: list[str], hooked: list[str], mode: str) -> Iterator[Finding]:
    """Say what a package alone does: it looks for the hook on the PATH, and goes on without."""
    for agent in agents:
        init = f"linetrail init --agent {agent}"
        if shutil.which(COMMAND) is None:
            message = f"{agent}: the package {PACKAGE} calls {COMMAND}, which is not on the PATH here"
            yield Finding("hooks", WARNING, message, f"put it there, or {init}")
        elif mode == BLOCK and agent not in hooked:
            message = f"{agent}: the package {PACKAGE} refuses nothing where {COMMAND} does not start"
            yield Finding("hooks", WARNING, message, init)
        else:
            twice = ", and what the project's own tell, too, is recorded once" if agent in hooked else ""
            yield Finding("hooks", OK, f"{agent}: all events through the package {PACKAGE}{twice}")


def _claude_code(repository: Repository) -> bool:
    """Ask the settings in the order in which the later ones win."""
    here = os.path.join(repository.root, ".claude")
    told = None
    for path in (
        home(".claude", "settings.json"),
        os.path.join(here, "settings.json"),
        os.path.join(here, "settings.local.json"),
    ):
        enabled = at(read_json(path).values, "enabledPlugins", PACKAGE)
        told = enabled if isinstance(enabled, bool) else told
    return told is True


def _codex() -> bool:
    return at(read_toml(home(".codex", "config.toml")).values, "plugins", PACKAGE, "enabled") is True


def _gemini() -> bool:
    return (
        read_json(home(".gemini", "extensions", "linetrail", "gemini-extension.json")).values.get("name") == "linetrail"
    )
