"""Work out what follows from a session that ended: classes of its changes, thoughts, the map of intents.

The hook starts `python -m linetrail.queries.record.aftermath ROOT` and waits for nothing of it.
"""

import contextlib
import os
import signal
import sys

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.files import locked_path
from linetrail.ledger.repository import Repository, find, require_ledger
from linetrail.queries.record import intent_map, thoughts
from linetrail.queries.record.seal import catch_up

# Of several sessions that end together, the processes work one after the other.
WAIT_SECONDS = 120.0
CLASSES_SECONDS, ALL_SECONDS = 60.0, 300


def work(repository: Repository) -> None:
    """Record and write all that follows."""
    path = os.path.join(repository.folder, "state", "locks", "aftermath")
    with locked_path(path, WAIT_SECONDS, "what follows from the end of a session"):
        catch_up(repository, seconds=CLASSES_SECONDS)
        thoughts.catch_up(repository)
        intent_map.follow(repository)


def main(root: str) -> None:
    """Work for as long as is allowed, behind everybody else's work."""
    if hasattr(os, "nice"):
        os.nice(10)
    if hasattr(signal, "alarm"):
        signal.alarm(ALL_SECONDS)  # the process dies of it; whatever it was at is done again some day
    with contextlib.suppress(LinetrailError):
        work(require_ledger(find(root)))


if __name__ == "__main__":
    main(sys.argv[1])
