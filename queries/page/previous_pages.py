"""Keep in the cache what pages said last: it stands below the bar of a page that is worked out anew, with its head.

It is sealed as contents of files are: a copy of the folder says nothing, and what came with a clone is not shown.
"""

import contextlib
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import publish
from linetrail.ledger.log.chain import Head
from linetrail.ledger.observe.states import Objects
from linetrail.ledger.repository import Repository
from linetrail.projections.remembered import keep_newest

# So much is kept, of the pages that were seen last.
MOST_BYTES = 4_000_000


class Said(NamedTuple):
    """What a view showed, rendered, as it followed from the ledger up to a head, and the damage that it left out."""

    title: str
    body: str
    head: Head
    damage: Sequence[str]


class PreviousPages:
    """What each page of a repository said last, by a name."""

    def __init__(self, repository: Repository) -> None:
        self._objects = Objects(repository)
        self._folder = Path(repository.folder, "cache", "pages")

    def keep(self, name: str, said: Said) -> None:
        """Keep it in place of what was said before; of what is too much, forget the oldest."""
        text = self._objects.sealed(json.dumps(said).encode())
        if text is None or len(text) > MOST_BYTES or not self._folder.parent.parent.is_dir():
            return
        with contextlib.suppress(OSError, StorageError):
            publish(str(self._file(name)), text.encode(), durable=False)
            keep_newest(self._folder, total=MOST_BYTES)

    def get(self, name: str) -> Said | None:
        """Return what a page said last, if that is kept."""
        with contextlib.suppress(OSError, ValueError, TypeError):
            title, body, head, damage = json.loads(self._objects.opened(self._file(name).read_text("ascii")) or "null")
            return Said(title, body, Head(*head), damage)
        return None

    def _file(self, name: str) -> Path:
        return self._folder / hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
