"""Remember which intent the next events belong to: per session, else for the whole worktree.

One small JSON file per choice under ``state/selection/``, so that the hook needs no YAML. "Nothing is selected"
is a choice too: a session that cleared its intent does not fall back on the worktree's.
"""

import contextlib
import json
import os
from typing import NamedTuple

from linetrail.ledger.agents import SHELL_VARIABLES
from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import publish, sha256
from linetrail.ledger.repository import Repository

# The variable that tells most about a shell: who starts it, and in which session.
SESSION_VARIABLE = next(iter(SHELL_VARIABLES))
_OFF = frozenset({"", "0", "false"})


class Shell(NamedTuple):
    """The agent in whose shell a process runs, the variable that says so, and the session where that is known."""

    agent: str
    variable: str
    session_id: str | None

    @property
    def named(self) -> str:
        """Whose shell it is, in a few words."""
        return f"{self.agent}, session {self.session_id}" if self.session_id else f"{self.agent}, says ${self.variable}"


def read(repository: Repository, session_id: str | None) -> str | None:
    """Return the id of the intent that is selected for a session; the session's own choice wins over the worktree's.

    In a linked worktree a session goes on with what it chose in the main one, and in a worktree that an agent made for
    it the choice of the main one holds, too. A file that cannot be read counts as no choice: the hook must go on.
    """
    main = repository.main()
    shared = main if repository.is_of_agent else None
    for place, session in ((repository, session_id), (main, session_id), (repository, None), (shared, None)):
        chosen, intent_id = own(place, session) if place else (False, None)
        if chosen:
            return intent_id
    return None


def own(repository: Repository, session_id: str | None) -> tuple[bool, str | None]:
    """Return whether a session, or the worktree, has a choice of its own, and which."""
    with (
        contextlib.suppress(OSError, ValueError, KeyError, TypeError),
        open(_path(repository, session_id), "rb") as file,
    ):
        intent_id = json.load(file)["intent_id"]
        return True, intent_id if isinstance(intent_id, str) else None
    return False, None


def write(repository: Repository, intent_id: str | None, *, session_id: str | None = None) -> None:
    """Choose an intent, or none, for a session or for the whole worktree; a reader sees the old choice or the new."""
    path = _path(repository, session_id)
    try:
        publish(path, json.dumps({"intent_id": intent_id}).encode(), durable=False)
    except OSError as error:
        raise StorageError(f"cannot write the selection to {path}: {error.strerror}") from error


def shell() -> Shell | None:
    """Return the agent in whose shell this process runs; None in a person's own."""
    for name, (agent, is_session) in SHELL_VARIABLES.items():
        value = os.environ.get(name, "")
        if value.lower() not in _OFF:
            return Shell(agent, name, value if is_session else None)
    return None


def shell_session() -> str | None:
    """Return the session of the agent in whose shell this process runs; None where no variable tells it."""
    found = shell()
    return found and found.session_id


def _path(repository: Repository, session_id: str | None) -> str:
    name = "worktree" if session_id is None else sha256(session_id.encode("utf-8", "surrogatepass")).hexdigest()
    return os.path.join(repository.folder, "state", "selection", f"{name}.json")
