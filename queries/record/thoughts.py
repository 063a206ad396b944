"""Record the thoughts of agents from their transcripts on this machine, where that is configured.

No hook waits for this. It is done before sealing and by `linetrail import`, for sessions that the ledger has.
"""

import contextlib
import json
import os
import sys

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.files import publish
from linetrail.ledger.gate.policy import LOCAL, MAX_SETTINGS, SHARED
from linetrail.ledger.gate.policy import of as policy_of
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository

RECORD = "record"
_MEMORY = os.path.join("state", "thoughts.json")


def wanted(repository: Repository) -> bool:
    """Return whether the settings ask for thoughts; parse only settings that mention them."""
    folders = filter(None, (repository.folder, repository.main_folder()))
    spoken_of = any(b"thoughts" in _read(os.path.join(folder, name)) for folder in folders for name in (SHARED, LOCAL))
    return spoken_of and policy_of(repository).settings.thoughts == RECORD


def catch_up(repository: Repository) -> None:
    """Record the thoughts in new or grown transcripts; print a note on failure."""
    if not wanted(repository):
        return
    from linetrail.queries.importers.discovery import own_transcripts  # for who asked for thoughts alone
    from linetrail.queries.importers.intake import import_thoughts
    from linetrail.queries.importers.sink import Import

    try:
        found = _sizes(own_transcripts(repository))
        known = _remembered(repository)
        new = [path for path, size in found.items() if known.get(path) != size]
        if new:
            import_thoughts(new, Import(repository, Ledger(repository)))
            publish(os.path.join(repository.folder, _MEMORY), json.dumps(found).encode(), durable=False)
    except (LinetrailError, OSError) as error:
        print(f"note: thoughts are not recorded: {error}", file=sys.stderr)


def _read(path: str) -> bytes:
    with contextlib.suppress(OSError), open(path, "rb") as file:
        return file.read(MAX_SETTINGS)
    return b""


def _sizes(paths: list[str]) -> dict[str, list[int]]:
    found = {}
    for path in paths:
        with contextlib.suppress(OSError):
            about = os.stat(path)
            found[path] = [about.st_size, about.st_mtime_ns]
    return found


def _remembered(repository: Repository) -> dict[str, list[int]]:
    try:
        with open(os.path.join(repository.folder, _MEMORY), "rb") as file:
            known = json.load(file)
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}
