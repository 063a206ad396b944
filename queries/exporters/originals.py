"""Find notes of which the ledger keeps a part only, as git has them still.

The ledger has no hash over what was left out: it would tell whether a guess is right. A note of git is the one that
was imported if the same part of it would be kept.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from linetrail.ledger.repository import Repository
from linetrail.ledger.vcs import git
from linetrail.projections.git.history import Objects
from linetrail.projections.git.plumbing import answer
from linetrail.queries.importers.notes.gitai_notes import MAX_NOTE_BYTES, REF, is_ref, sizes
from linetrail.queries.importers.notes.note_text import kept


class Originals:
    """The notes in one repository. Refs of notes are read when the first note is looked for, with their past."""

    def __init__(self, repository: Repository, store: Objects) -> None:
        self._repository, self._store = repository, store
        self._attached: dict[str, Mapping[str, Sequence[str]]] = {}

    def of(self, data: Mapping[str, Any]) -> bytes | None:
        """Return the whole note of an event that says something was left out; None where git does not have it."""
        received = data["received"]
        ref = received["file"] if is_ref(received["file"]) else REF
        blobs = self._of_ref(ref).get(data["revision"], ())
        lengths = sizes(self._repository, blobs)
        for blob in blobs:
            content = self._store.read(blob) if lengths.get(blob, MAX_NOTE_BYTES + 1) <= MAX_NOTE_BYTES else None
            if content is not None and kept(content).blob == data["note"]:
                return content
        return None

    def _of_ref(self, ref: str) -> Mapping[str, Sequence[str]]:
        """Return for each commit the notes that it has, or had, under a ref, newest first."""
        if ref not in self._attached:
            found: dict[str, dict[str, None]] = defaultdict(dict)
            commits = git(self._repository, "rev-list", "--end-of-options", ref, "--")
            raw = ("--no-commit-id", "-r", "-m", "--root", "--raw", "-z", "--no-renames", "--no-abbrev")
            words = iter(answer(self._repository, "diff-tree", "--stdin", *raw, stdin=commits or b"").split(b"\0"))
            for word in words:
                if word.startswith(b":"):
                    commit = next(words).decode(errors="replace").replace("/", "")
                    found[commit][word.split(b" ")[3].decode()] = None
            self._attached[ref] = {commit: list(blobs) for commit, blobs in found.items()}
        return self._attached[ref]


def is_partial(data: Mapping[str, Any]) -> bool:
    """Tell whether something was left out of the text that an event has of a note."""
    received = data.get("received") or {}
    return bool(received.get("left_out") or received.get("redacted"))
