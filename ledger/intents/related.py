"""Remember which files belong beside an intent: worked out as it is selected, since hooks have no time for it."""

import contextlib
from collections.abc import Sequence

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import StateFolder, name_of
from linetrail.ledger.repository import Repository

KIND = "related"


def note(repository: Repository, intent_id: str, files: Sequence[str]) -> None:
    """Keep the files of an intent in place of those that were kept; where that is not possible, none are told."""
    with contextlib.suppress(StorageError):
        folder = StateFolder(repository, KIND)
        with folder.held():
            folder.write(name_of(intent_id), {"files": list(files)}, durable=False)


def of(repository: Repository, intent_id: str) -> list[str]:
    """Return the files that were kept for an intent, the most useful first."""
    with contextlib.suppress(StorageError):
        files = (StateFolder(repository, KIND).read(name_of(intent_id)) or {}).get("files")
        return [file for file in files if isinstance(file, str)] if isinstance(files, list) else []
    return []
