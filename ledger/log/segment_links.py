"""Keep sealed segments from being swept away before they are committed: second names for them in git's own folder.

Until a commit has it, a segment is a file that git does not know: `git clean`, a stash that is dropped or the removal
of a worktree deletes it. A hard link costs nothing and holds the same bytes.
"""

import contextlib
import os
from collections.abc import Collection, Iterable, Iterator

from linetrail.ledger.files import make_folder, sync_folder
from linetrail.ledger.log import segments
from linetrail.ledger.log.segments import SEGMENTS, Segment
from linetrail.ledger.log.tail import WORKTREES, Anchor, anchor
from linetrail.ledger.repository import FOLDER, Repository, git

# Where a commit may be that has a segment: anywhere at all, or where it stays.
ANYWHERE, FOR_GOOD = ("--all", "--reflog"), ("--branches", "--remotes", "--tags")


def keep(of: Anchor | None, folder: str, made: Iterable[Segment]) -> None:
    """Give new segments their second names; a disk without hard links does without."""
    if of is None:
        return
    place = os.path.join(_place(of.folder), of.name)
    with contextlib.suppress(OSError):
        make_folder(place, durable=True)
        for segment in made:
            with contextlib.suppress(FileExistsError):
                os.link(segments.path(folder, segment.name), os.path.join(place, f"{segment.name}.jsonl"))
        sync_folder(place)


def kept(repository: Repository) -> dict[str, str]:
    """Return the second names of segments that were sealed in this worktree, or in one that is gone."""
    ours = anchor(repository)
    if ours is None:
        return {}
    found = {}
    for worktree in _listed(_place(ours.folder)):
        if worktree == ours.name or _is_gone(repository, worktree):
            place = os.path.join(_place(ours.folder), worktree)
            for file in _listed(place):
                name = segments.name_of(file)
                if name is not None:
                    found[name] = os.path.join(place, file)
    return found


def missing(repository: Repository, present: Collection[str], where: Iterable[str]) -> Iterator[str]:
    """Yield the segments that have only their second name left: not on the disk, and in no commit that is there."""
    yield from uncommitted(repository, kept(repository).keys() - set(present), where)


def uncommitted(repository: Repository, names: Collection[str], where: Iterable[str]) -> Iterator[str]:
    """Yield the segments among these that are in no commit that is there."""
    for name in sorted(names):
        path = f"{FOLDER}/{SEGMENTS}/{name}.jsonl"
        if not git(repository, "rev-list", *where, "--full-history", "-n", "1", "--", path):
            yield name


def release(repository: Repository, committed: Collection[str]) -> None:
    """Forget the second names of segments that git keeps by now."""
    for name, path in kept(repository).items():
        if name in committed:
            with contextlib.suppress(OSError):
                os.unlink(path)


def _place(tails: str) -> str:
    return os.path.join(os.path.dirname(tails), "sealed")


def _is_gone(repository: Repository, worktree: str) -> bool:
    name = worktree.removeprefix(f"{WORKTREES}-")
    return name != worktree and not os.path.isdir(os.path.join(repository.common_dir or "", WORKTREES, name))


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
