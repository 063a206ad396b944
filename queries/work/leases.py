"""The leases of files as commands see them: who has which, and how one is broken or ends."""

import time
from collections.abc import Callable

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.gate import policy
from linetrail.ledger.gate.leases import Lease, Leases
from linetrail.ledger.redact.redactor import Redactor, private_folder
from linetrail.ledger.repository import Repository
from linetrail.queries.record.author import append, current_author
from linetrail.queries.render.text import plain


class NoLeaseError(LinetrailError):
    """Nobody has a lease of this file."""

    hint = "linetrail workers"


def leases(repository: Repository) -> list[Lease]:
    """Return the leases that are in force, by their paths."""
    return _now(repository).all() if repository.common_dir is not None else []


def release(repository: Repository, wanted: Callable[[Lease], bool]) -> None:
    """End these leases: what they were for is sealed, back, landed or given up."""
    if repository.common_dir is not None:
        _now(repository).release(wanted)


def break_lease(repository: Repository, path: str, reason: str) -> Lease:
    """Record that the lease of a file is broken and why, then end it; whoever writes the file next has it."""
    found = next((lease for lease in leases(repository) if lease.path == path), None)
    if found is None:
        raise NoLeaseError(f"nobody has a lease of {plain(path)}")
    main = repository.main() or repository
    data = {
        "path": path,
        "held_by": found.session_id,
        "worktree": found.worktree.rpartition("/")[2],
        "reason": Redactor(private_folder(main)).excerpt(reason),
    }
    append(main, current_author(main), "lease.broken", data, found.intent_id)
    release(repository, lambda lease: lease == found)
    return found


def _now(repository: Repository) -> Leases:
    return Leases(repository, time.time_ns(), policy.of(repository).settings.silence_seconds)
