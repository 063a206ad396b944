"""Read the tracked files below a folder, one after the other: in the work tree, or as a commit has them.

What has no lines is left out: links and submodules, binary files, those that are not on the disk, the ledger itself.
"""

import os
from collections.abc import Iterator

from linetrail.ledger.files import is_binary
from linetrail.ledger.repository import FOLDER, Repository, file_path, git, stored_path
from linetrail.projections.git.history import Objects
from linetrail.projections.git.target import Target, TargetError, entry, in_worktree, locate, resolve


def is_folder(repository: Repository, directory: str, path: str, revision: str | None) -> bool:
    """Return whether a path as a person typed it is a folder, in the work tree or in a commit."""
    if revision is None:
        absolute = os.path.realpath(os.path.join(directory, path))
        if os.path.islink(repository.absolute(locate(repository, directory, path))):
            return False
        is_another = absolute != repository.root and os.path.lexists(os.path.join(absolute, ".git"))
        return os.path.isdir(absolute) and not is_another
    folder = locate(repository, directory, path)
    return folder == "." or entry(repository, resolve(repository, revision), folder).startswith(b"040000")


def tracked(repository: Repository) -> Iterator[str]:
    """Yield the stored paths of all tracked files but those of the ledger."""
    listed = git(repository, "ls-files", "-z") or b""
    for name in listed.split(b"\0"):
        path = stored_path(os.fsdecode(name))
        if path and not path.startswith(f"{FOLDER}/"):
            yield path


def below(
    repository: Repository, directory: str, path: str, revision: str | None, store: Objects
) -> Iterator[Target | str]:
    """Yield each file below a folder; only its name where it has no lines."""
    folder = locate(repository, directory, path)
    commit = None if revision is None else resolve(repository, revision)
    listing = ["ls-files", "--stage", "-z"] if commit is None else ["ls-tree", "-r", "-z", commit]
    listed = git(repository, "--literal-pathspecs", *listing, "--", file_path(folder))
    if listed is None:
        raise TargetError(f"{path} is a folder, and only git could tell which files belong to it", "name a file")
    entries = (line.partition(b"\t") for line in listed.split(b"\0") if line.startswith(b"100"))
    for name in dict.fromkeys(stored_path(os.fsdecode(name)) for _, _, name in entries):
        if not name.startswith(f"{FOLDER}/"):
            yield (_on_disk(repository, name) if commit is None else _committed(store, name, commit)) or name


def _on_disk(repository: Repository, path: str) -> Target | None:
    try:
        return in_worktree(repository, path)
    except TargetError:
        return None


def _committed(store: Objects, path: str, commit: str) -> Target | None:
    content = store.read(f"{commit}:{file_path(path)}")
    return None if content is None or is_binary(content) else Target(path, content, commit, commit)
