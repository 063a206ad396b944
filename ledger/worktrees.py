"""Find the worktrees of a repository that keep a ledger."""

import contextlib
import os

from linetrail.ledger.repository import FOLDER, Repository


def worktrees(repository: Repository) -> list[Repository]:
    """Return every worktree of the repository that keeps something, this one first."""
    roots = [repository.root]
    if repository.common_dir is not None:
        roots.append(os.path.dirname(repository.common_dir))
        with contextlib.suppress(OSError):
            for entry in os.scandir(os.path.join(repository.common_dir, "worktrees")):
                with contextlib.suppress(OSError), open(os.path.join(entry.path, "gitdir"), "rb") as file:
                    roots.append(os.path.dirname(os.fsdecode(file.read().strip())))
    found = dict.fromkeys(os.path.realpath(root) for root in roots)
    return [repository._replace(root=root) for root in found if os.path.isdir(os.path.join(root, FOLDER))]
