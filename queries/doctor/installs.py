"""Find the agents on this machine, and those that have our hooks from a package (docs/plugins.md).

Programs are looked for on the path, and where npm puts packages. None is started, not even to ask for its version: npm
writes that beside the program.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from linetrail.ledger.adapters import agent as known
from linetrail.ledger.adapters.agent import PACKAGE
from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.ledger.gate.settings import BLOCK
from linetrail.ledger.repository import Repository
from linetrail.queries.doctor.documents import located, read_json, read_toml
from linetrail.queries.doctor.finding import OK, WARNING, Finding
from linetrail.queries.setup.settings import COMMAND


class Program(NamedTuple):
    """The program of an agent; the version is None where npm did not install it."""

    agent: str
    path: str
    version: str | None


def programs(repository: Repository) -> list[Program]:
    """Return the programs of agents that this person could start here."""
    rows = [(name, row.program) for name, row in CATALOGUE.items() if row.program]
    return [found for name, program in rows if (found := _program(name, program, repository)) is not None]


def packaged(repository: Repository) -> list[str]:
    """Return the agents that have our package, and have not turned it off."""
    return [name for name, row in CATALOGUE.items() if row.package and _has(row.package, repository)]


def check_packages(agents: list[str], hooked: list[str], mode: str) -> Iterator[Finding]:
    """Report what a package does without `init`: it looks for the hook on the PATH, and lets calls through without."""
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


def _has(package: known.Package, repository: Repository) -> bool:
    """Return whether the settings say that the package is on; later files override earlier ones."""
    told = None
    for path in package.files:
        found = (read_toml if path.endswith(".toml") else read_json)(located(path, repository.root)).at(*package.keys)
        told = found if isinstance(found, type(package.value)) else told
    return told == package.value


def _program(agent: str, program: known.Program, repository: Repository) -> Program | None:
    path, package = shutil.which(program.name), program.package
    folder = path and package and _package_of(path, package)
    if not folder and package:
        places = (os.path.join(root, package) for root in _roots(program, repository))
        folder = next(filter(os.path.isdir, places), None)
    if not folder:
        return Program(agent, path, None) if path else None
    version = read_json(os.path.join(folder, "package.json")).values.get("version")
    return Program(agent, path or folder, version if isinstance(version, str) else None)


def _package_of(path: str, package: str) -> str | None:
    """Return the folder of the package whose program this is: npm puts a link to it on the path."""
    return next((str(at) for at in Path(os.path.realpath(path)).parents if at.as_posix().endswith(f"/{package}")), None)


def _roots(program: known.Program, repository: Repository) -> Iterator[str]:
    """Yield the folders in which npm keeps packages, for this project and for this person."""
    modules = "node_modules" if os.name == "nt" else os.path.join("lib", "node_modules")
    yield os.path.join(repository.root, "node_modules")
    yield from map(located, program.roots)
    yield located(os.path.join("~/.npm-global", modules))
    if os.environ.get("NPM_CONFIG_PREFIX"):
        yield os.path.join(os.environ["NPM_CONFIG_PREFIX"], modules)
    for name in ("npm", "node"):
        path = shutil.which(name)
        if path:
            for at in dict.fromkeys((path, os.path.realpath(path))):
                yield os.path.join(os.path.dirname(os.path.dirname(at)), modules)
