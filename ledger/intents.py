"""Read the intents that people keep in ``active_intents.yaml``.

The hook never comes here: `linetrail select` leaves it what it needs in ``selection``.
"""

import os
from typing import NamedTuple

from linetrail.ledger.errors import IntentError
from linetrail.ledger.repository import Repository

FILE = "active_intents.yaml"
MAX_BYTES = 256 * 1024
# Two vocabularies are in use for the status; both end here.
CLOSED = frozenset({"DONE", "COMPLETED", "ABORTED", "BLOCKED"})


class Intent(NamedTuple):
    """One piece of work: its name, how far it is, the files that are its own, and the line it is written in."""

    id: str
    name: str
    status: str
    scope: tuple[str, ...]
    line: int

    @property
    def closed(self) -> bool:
        """Nothing may be done for it now."""
        return self.status in CLOSED


def path(repository: Repository) -> str:
    """Return where the registry of this worktree is."""
    return os.path.join(repository.folder, FILE)


def read(repository: Repository) -> list[Intent]:
    """Return the intents in the order of the file; none when there is no file."""
    from linetrail.ledger.registry import parse  # YAML costs 16 ms, which only those pay who read it

    name = path(repository)
    try:
        with open(name, "rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise IntentError(f"cannot read {name}: {error.strerror}") from None
    if len(content) > MAX_BYTES:
        raise IntentError(f"{name} is larger than {MAX_BYTES // 1024} KB")
    return parse(content, name)


def require(repository: Repository, intent_id: str) -> Intent:
    """Return one intent by its id, or name those there are."""
    intents = read(repository)
    for intent in intents:
        if intent.id == intent_id:
            return intent
    known = ", ".join(intent.id for intent in intents) or "none"
    raise IntentError(f"no intent {intent_id} in {path(repository)}; available: {known}")
