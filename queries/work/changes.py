"""The files that work changes, in what git has committed."""

import os
from typing import NamedTuple

from linetrail.ledger.repository import FOLDER, Repository, stored_path
from linetrail.projections.git.plumbing import answer

# All but what belongs to the main worktree, wherever it was copied.
OURS = (".", f":(exclude){FOLDER}")


class Change(NamedTuple):
    """A file that work changes: what git calls its content before and after, None where there is none."""

    path: str
    before: str | None
    after: str | None


def changes(repository: Repository, before: str, after: str) -> list[Change]:
    """Return the files that differ between two trees, those of the ledger aside."""
    asked = ("diff-tree", "-r", "-z", "--no-renames", before, after, "--", *OURS)
    fields = iter(answer(repository, *asked).split(b"\0"))
    found = []
    for meta in fields:
        if meta:
            *_, old, new, _ = meta.decode().split(" ")
            path = stored_path(os.fsdecode(next(fields)))
            found.append(Change(path, *(blob if blob.strip("0") else None for blob in (old, new))))
    return found
