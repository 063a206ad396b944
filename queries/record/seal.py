"""Classify recent changes before they are sealed, within a short time.

What an agent wrote and nobody committed is on this machine alone; once it is judged, every clone has the answer.
Sealing never waits long for this and never fails for it.
"""

import os
import sys

from linetrail.ledger.errors import LinetrailError, LockTimeoutError
from linetrail.ledger.files import publish
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository, head

SECONDS = 2.0
_MEMORY = os.path.join("state", "classified")


def catch_up(repository: Repository, *, seconds: float = SECONDS) -> bool:
    """Classify unjudged changes, and return whether some may be left for the next time."""
    if _remembered(repository) == _now(repository):
        return False
    try:
        from linetrail.queries.record.classes import record  # tables and grammars, for what is new alone

        done = record(repository, seconds=seconds)
    except LockTimeoutError:
        return True
    except LinetrailError as error:
        print(f"note: changes are not judged: {error}", file=sys.stderr)
        return True
    except Exception as error:  # noqa: BLE001  a bug in a rule must not keep what was recorded from being sealed
        print(f"note: changes are not judged: {type(error).__name__}: {error}", file=sys.stderr)
        return True
    return bool(done.late)


def remember(repository: Repository) -> None:
    """Remember that the ledger's current content was looked at."""
    publish(os.path.join(repository.folder, _MEMORY), _now(repository), durable=False)


def _now(repository: Repository) -> bytes:
    vcs = head(repository)
    return f"{Ledger(repository).digest()} {vcs and vcs.revision}".encode()


def _remembered(repository: Repository) -> bytes | None:
    try:
        with open(os.path.join(repository.folder, _MEMORY), "rb") as file:
            return file.read(1024)
    except OSError:
        return None
