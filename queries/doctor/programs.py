"""Find the programs of agents on this machine: on the path, and where npm puts packages.

None is started, not even to ask for its version: npm writes that beside the program.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from linetrail.ledger.repository import Repository
from linetrail.queries.doctor.reading import home, read_json

# agent -> the program that starts it, and the package of npm that has it
_PROGRAMS = {
    "claude-code": ("claude", "@anthropic-ai/claude-code"),
    "codex": ("codex", "@openai/codex"),
    "cursor": ("cursor-agent", None),
    "gemini-cli": ("gemini", "@google/gemini-cli"),
    "copilot-cli": ("copilot", "@github/copilot"),
    "opencode": ("opencode", "opencode-ai"),
    "kiro-cli": ("kiro-cli", None),
    "continue-cli": ("cn", "@continuedev/cli"),
    "cline": ("cline", "cline"),
    "devin-cli": ("devin", None),
    "factory-droid": ("droid", None),
    "amp": ("amp", "@sourcegraph/amp"),
}


class Program(NamedTuple):
    """The program of an agent; the version is None where npm did not install it."""

    agent: str
    path: str
    version: str | None


def installed(repository: Repository) -> list[Program]:
    """Return the programs of agents that this person could start here, in the order of the table above."""
    return [found for agent in _PROGRAMS if (found := _program(agent, repository)) is not None]


def _program(agent: str, repository: Repository) -> Program | None:
    name, package = _PROGRAMS[agent]
    path = shutil.which(name)
    folder = path and package and _package_of(path, package)
    if not folder and package:
        folder = next(
            (place for root in _roots(repository) if os.path.isdir(place := os.path.join(root, package))), None
        )
    if not folder:
        return Program(agent, path, None) if path else None
    version = read_json(os.path.join(folder, "package.json")).values.get("version")
    return Program(agent, path or folder, version if isinstance(version, str) else None)


def _package_of(path: str, package: str) -> str | None:
    """Return the folder of the package whose program this is: npm puts a link to it on the path."""
    return next((str(at) for at in Path(os.path.realpath(path)).parents if at.as_posix().endswith(f"/{package}")), None)


def _roots(repository: Repository) -> Iterator[str]:
    """Yield the folders in which npm keeps packages, for this project and for this person."""
    modules = "node_modules" if os.name == "nt" else os.path.join("lib", "node_modules")
    yield os.path.join(repository.root, "node_modules")
    yield home(os.path.join(".claude", "local", "node_modules"))  # where Claude Code moves itself to
    yield home(os.path.join(".npm-global", modules))
    if os.environ.get("NPM_CONFIG_PREFIX"):
        yield os.path.join(os.environ["NPM_CONFIG_PREFIX"], modules)
    for program in ("npm", "node"):
        path = shutil.which(program)
        if path:
            for at in dict.fromkeys((path, os.path.realpath(path))):
                yield os.path.join(os.path.dirname(os.path.dirname(at)), modules)
