"""Small JSON files under ``state/`` that several processes change: one lock per folder, one file for each name.

A file is read, changed and replaced while its folder is locked, so no process overwrites what another has just noted.
The lock lies beside the folder: files may be deleted at any time, and whoever waits still waits for the same lock.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from typing import Any

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import locked_path, publish
from linetrail.ledger.hashes import sha256
from linetrail.ledger.repository import Repository

LOCK_SECONDS = 0.4
# A state file of ours is a few hundred bytes; nobody has to read what somebody else put in its place.
MAX_BYTES = 256 * 1024
_LOOK = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)

StateFile = dict[str, Any]


class DamagedStateError(StorageError):
    """A state file is there, and cannot be read."""


class StateFolder:
    """The state files of one kind: `breaker`, `approvals`."""

    def __init__(self, repository: Repository, kind: str) -> None:
        self.folder = os.path.join(repository.folder, "state", kind)

    @contextlib.contextmanager
    def held(self, seconds: float = LOCK_SECONDS) -> Iterator[None]:
        """Keep every other process from these state files; raise when one does not let go, or the disk refuses."""
        path = f"{self.folder}.lock"
        with locked_path(path, seconds, path):
            yield

    def path(self, name: str) -> str:
        """Return where the state file of this name lies."""
        return os.path.join(self.folder, f"{name}.json")

    def read(self, name: str) -> StateFile | None:
        """Return a state file; None when there is none."""
        try:
            fd = os.open(self.path(name), _LOOK)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DamagedStateError(f"cannot read {self.path(name)}: {error.strerror}") from error
        with contextlib.suppress(OSError, ValueError, RecursionError), open(fd, "rb") as file:
            state = json.loads(file.read(MAX_BYTES))
            if isinstance(state, dict):
                return state
        raise DamagedStateError(f"{self.path(name)} is no state file")

    def write(self, name: str, state: StateFile, *, durable: bool = False) -> None:
        """Replace a state file; only while the folder is held."""
        try:
            publish(self.path(name), json.dumps(state).encode(), durable=durable)
        except OSError as error:
            raise StorageError(f"cannot write {self.path(name)}: {error.strerror}") from error

    def drop(self, name: str) -> None:
        """Take a state file away; only while the folder is held."""
        try:
            os.unlink(self.path(name))
        except FileNotFoundError:
            return
        except OSError as error:
            raise StorageError(f"cannot delete {self.path(name)}: {error.strerror}") from error

    def names(self) -> list[str]:
        """Return the names of all state files, sorted."""
        try:
            found = os.listdir(self.folder)
        except OSError:
            return []
        return sorted(name.removesuffix(".json") for name in found if name.endswith(".json"))


def name_of(key: str) -> str:
    """Return the name of the state file for a key that may hold any characters."""
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:40]
