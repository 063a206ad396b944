"""Where agents keep their settings: in a project, or in the home folder of a person."""

import glob
import os
from collections.abc import Iterable
from dataclasses import dataclass

from linetrail.ledger.adapters.agent import PLUGIN, SCRIPTS, Agent
from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.ledger.repository import Repository
from linetrail.queries.setup import record

# first folder of a name -> the variable by which a person moves it elsewhere
MOVED = {".config": "XDG_CONFIG_HOME"} | dict(row.moved for row in CATALOGUE.values() if row.moved)


@dataclass(frozen=True)
class Place:
    """Either of the two; `record` is the file that says how settings looked before."""

    base: str
    record: str
    user: bool = False

    def row(self, name: str) -> Agent:
        """Return what is known of an agent, its settings file as it is named here."""
        return CATALOGUE[name].for_user() if self.user else CATALOGUE[name]

    def groups(self, names: Iterable[str]) -> list[list[Agent]]:
        """Return the agents in order, those together that share one file."""
        found: dict[str, list[Agent]] = {}
        for name in dict.fromkeys(names):
            row = self.row(name)
            found.setdefault(row.file, []).append(row)
        return list(found.values())

    def path(self, name: str) -> str:
        first, _, rest = name.partition("/")
        moved = os.environ.get(MOVED.get(first, "")) if self.user else None
        return os.path.join(os.path.abspath(moved), rest) if moved else os.path.join(self.base, name)

    def above(self, path: str) -> str:
        """Return the folder below which no link is followed."""
        return self.base if path.startswith(os.path.join(self.base, "")) else os.path.dirname(os.path.dirname(path))

    def documents(self, row: Agent) -> list[str]:
        """Return the settings files of an agent that are there, or the one that would be made."""
        path = self.path(row.file)
        if "*" not in os.path.basename(path):
            return [path]
        folder, pattern = os.path.split(path)
        own = os.path.join(folder, pattern.replace("*", "linetrail"))
        return sorted(glob.glob(os.path.join(glob.escape(folder), pattern))) or [own]

    def key(self, path: str) -> str:
        """Return the name under which a path stands in the record."""
        return path if self.user else os.path.relpath(path, self.base).replace(os.sep, "/")


def sign_of(row: Agent, root: str | None) -> str | None:
    """Return what shows that an agent is used in this project, or by this person; None where nothing does."""
    here = [] if root is None else [os.path.join(root, name) for name in row.signs]
    return next(filter(os.path.lexists, (*here, *(home().path(name) for name in row.home_signs))), None)


def is_own(row: Agent) -> bool:
    """Return whether the files of an agent are ours as a whole."""
    return row.layout in (SCRIPTS, PLUGIN)


def project(repository: Repository) -> Place:
    return Place(repository.root, os.path.join(repository.folder, record.FILE))


def home() -> Place:
    """Return the place where a person has settings for all repositories."""
    base = os.path.expanduser("~")
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(base, ".local", "state")
    return Place(base, os.path.join(os.path.abspath(state), "linetrail", "init.json"), user=True)
