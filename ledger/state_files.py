"""Small JSON files under ``state/`` that several processes change: one lock per box, one file per card.

A card is read, changed and replaced while its box is held, so no process overwrites what another has just noted.
The lock lies beside the box: cards may be deleted at any time, and whoever waits still waits for the same file.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from typing import Any

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import PRIVATE_FILE, locked, make_folder, publish
from linetrail.ledger.repository import Repository

LOCK_SECONDS = 0.4
# A card of ours is a few hundred bytes; nobody has to read what somebody else put in its place.
MAX_BYTES = 256 * 1024
_OWN = os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
_LOOK = os.O_RDONLY | _OWN | getattr(os, "O_NONBLOCK", 0)

Card = dict[str, Any]


class DamagedCardError(StorageError):
    """A card is there, and cannot be read."""


class Box:
    """The cards of one kind: `breaker`, `approvals`."""

    def __init__(self, repository: Repository, kind: str) -> None:
        self.folder = os.path.join(repository.folder, "state", kind)

    @contextlib.contextmanager
    def held(self, seconds: float = LOCK_SECONDS) -> Iterator[None]:
        """Keep every other process from these cards; raise when one does not let go, or the disk refuses."""
        path = f"{self.folder}.lock"
        try:
            make_folder(self.folder)
            fd = os.open(path, os.O_RDWR | os.O_CREAT | _OWN, PRIVATE_FILE)
        except OSError as error:
            raise StorageError(f"cannot write {path}: {error.strerror}") from error
        try:
            with locked(fd, seconds, path):
                yield
        finally:
            os.close(fd)

    def path(self, name: str) -> str:
        """Return where the card of this name lies."""
        return os.path.join(self.folder, f"{name}.json")

    def read(self, name: str) -> Card | None:
        """Return a card; None when there is none."""
        try:
            fd = os.open(self.path(name), _LOOK)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise DamagedCardError(f"cannot read {self.path(name)}: {error.strerror}") from error
        with contextlib.suppress(OSError, ValueError, RecursionError), open(fd, "rb") as file:
            card = json.loads(file.read(MAX_BYTES))
            if isinstance(card, dict):
                return card
        raise DamagedCardError(f"{self.path(name)} is no card")

    def write(self, name: str, card: Card, *, durable: bool = False) -> None:
        """Replace a card; only while the box is held."""
        try:
            publish(self.path(name), json.dumps(card).encode(), durable=durable)
        except OSError as error:
            raise StorageError(f"cannot write {self.path(name)}: {error.strerror}") from error

    def drop(self, name: str) -> None:
        """Take a card away; only while the box is held."""
        try:
            os.unlink(self.path(name))
        except FileNotFoundError:
            return
        except OSError as error:
            raise StorageError(f"cannot delete {self.path(name)}: {error.strerror}") from error

    def names(self) -> list[str]:
        """Return the names of all cards, sorted."""
        try:
            found = os.listdir(self.folder)
        except OSError:
            return []
        return sorted(name.removesuffix(".json") for name in found if name.endswith(".json"))


def name_of(key: str) -> str:
    """Return the name of the card for a key that may hold any characters."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:40]
