"""Find the content of a file by its hash: kept by a hook, on the disk, or in git's history.

A clone has no kept contents, and what was never committed is nowhere but where it was written.
"""

from collections.abc import Iterable

from linetrail.ledger.files import digest
from linetrail.ledger.observe.states import States
from linetrail.ledger.repository import Repository, file_path, git
from linetrail.projections.git.history import Objects, checked_out
from linetrail.projections.git.target import on_disk

# So many versions of one file are looked at in the history.
MAX_VERSIONS = 400
_LOG = ("log", "--all", "--reflog", "--format=", "--raw", "-m", "--no-renames", "--no-abbrev", "-z")


class Contents:
    """The contents of one repository; with `search`, histories of files are gone through for what is nowhere else."""

    def __init__(self, repository: Repository, store: Objects, *, search: bool = True) -> None:
        self._repository, self._store, self._search = repository, store, search
        self._states = States(repository)
        self._versions: dict[str, dict[str, str]] = {}

    def find(self, name: str, path: str, likely: Iterable[str] = ()) -> bytes | None:
        """Return the content with this hash that a file had; `likely` are names under which git may have it."""
        kept = self._states.objects.read(name)
        if kept is not None:
            return kept
        here = on_disk(self._repository, path)
        if here is not None and digest(here) == name:
            return here
        found = self._read(likely, name)
        if found is None and self._search:
            found = self._read(filter(None, [self._history(path).get(name)]), name)
        return found

    def _read(self, objects: Iterable[str], name: str) -> bytes | None:
        readings = (reading for one in objects for reading in checked_out(self._store.read(one)))
        return next((reading for reading in readings if digest(reading) == name), None)

    def _history(self, path: str) -> dict[str, str]:
        """Return what git calls each version that it has of a file, by the hash of the content."""
        if path not in self._versions:
            listed = git(
                self._repository, *_LOG, f"--max-count={MAX_VERSIONS}", "--", f":(top,literal){file_path(path)}"
            )
            entries = (entry.split() for entry in (listed or b"").split(b"\0") if entry.startswith(b":"))
            blobs = dict.fromkeys(blob.decode() for entry in entries for blob in entry[2:4])
            self._versions[path] = {
                digest(reading): blob for blob in blobs for reading in checked_out(self._store.read(blob))
            }
        return self._versions[path]
