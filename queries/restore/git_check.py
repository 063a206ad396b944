"""Compare a ledger with git: every segment that a commit or the base branch has must still be here."""

import contextlib
import os
from collections.abc import Iterator, Mapping

from linetrail.ledger.errors import FutureSegmentError, GitError, IntegrityError
from linetrail.ledger.log import segment_history, segments
from linetrail.ledger.log.segments import Segment
from linetrail.ledger.repository import Repository, git, head
from linetrail.projections.git.shell import command
from linetrail.projections.tables.inspection import Problem

# What the services say that run checks for a proposed change; the value is a branch, perhaps with `refs/heads/`.
_SERVICES = (
    "GITHUB_BASE_REF",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
    "BITBUCKET_PR_DESTINATION_BRANCH",
    "SYSTEM_PULLREQUEST_TARGETBRANCH",
    "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
    "CHANGE_TARGET",
)
_USUAL = ("origin/HEAD", "origin/main", "origin/master", "@{upstream}", "main", "master")
_RESTORE = "linetrail restore"
_ERASED = "look for its lines in a backup; the next event that is recorded tells of the loss"
# What helps, by the code of a problem.
NEXT = {
    "WRONG_NAME": _RESTORE,
    "UNREADABLE_SEGMENT": _RESTORE,
    "SEGMENT_MISSING": _RESTORE,
    "CHECKPOINT_SEGMENT_MISSING": _RESTORE,
    "SEGMENT_DELETED": _RESTORE,
    "SEGMENT_CHANGED": _RESTORE,
    "SEGMENT_RENAMED": _RESTORE,
    "BASE_SEGMENT_MISSING": "git merge the base branch; where that does not bring it, linetrail restore",
    "BASE_SEGMENT_CHANGED": "linetrail restore, on the base branch",
    "LFS_POINTER": "take .orchestration out of git LFS, then git lfs pull, then linetrail restore",
    "FUTURE_SEGMENT": FutureSegmentError.hint,
    "FOREIGN_FILE": "move it out of the folder",
    "TAIL_CUT": _ERASED,
    "TAIL_CHANGED": _ERASED,
}
_KEEP = "keep a copy of the file; what is before the line before the first offset can be trusted"


class UnknownBaseError(GitError):
    """The base branch is not in this clone."""

    def __init__(self, revision: str) -> None:
        super().__init__(f"the base {revision} is no commit that is here")
        self.hint = f"{command(['git', 'fetch', 'origin', revision.removeprefix('origin/')])}, or --base REV"


def against_git(repository: Repository, sound: Mapping[str, Segment], base: str | None) -> Iterator[Problem]:
    """Yield the segments that commits removed, and those of the base branch that are missing here."""
    segment_history.require_whole(repository)
    folder = repository.folder
    if segment_history.resolve(repository, "HEAD") is None:
        if git(repository, "rev-parse", "--git-dir") is None:
            raise GitError("git does not run here, and --strict asks it")
        found = head(repository)
        if found is not None and found.revision:
            raise GitError(f"HEAD is {found.revision[:12]}, and git does not have it: git fsck")
        return
    committed = segment_history.tree(repository, "HEAD")
    wanted = segment_history.tree(repository, base) if base is not None else {}
    history = segment_history.steps(repository, "HEAD", *([base] if base is not None else []))
    like = next(iter({**committed, **wanted}.values()), "")
    here = {name: segment_history.blob(segments.whole(segments.path(folder, name)), like) for name in sound}
    yield from map(Problem.of, segment_history.losses(repository, history, here, committed))
    for name, blob in sorted(wanted.items()):
        path = segments.path(folder, name)
        if name not in here and not _is(path, blob):
            yield Problem(path, 0, "BASE_SEGMENT_MISSING", f"is not here, and {base} has it")
        elif here.get(name, blob) != blob:
            yield Problem(path, 0, "BASE_SEGMENT_CHANGED", f"{base} has it with another content")


def base_branch(repository: Repository, asked: str | None) -> str | None:
    """Return the revision of the base branch; None where nothing names it."""
    if asked is not None:
        if segment_history.resolve(repository, asked) is None:
            raise UnknownBaseError(asked)
        return asked
    told = next(filter(None, map(os.environ.get, _SERVICES)), None)
    if told is not None:
        name = told.removeprefix("refs/heads/")
        found = next((each for each in (f"origin/{name}", name) if segment_history.resolve(repository, each)), None)
        if found is None:
            raise UnknownBaseError(f"origin/{name}")
        return found
    return next(_known(repository), None)


def next_step(problem: Problem) -> str:
    if problem.code == "FOREIGN_FILE" and segments.name_of(problem.file) is not None:
        return _RESTORE
    return NEXT.get(problem.code, _KEEP)


def _is(path: str, blob: str) -> bool:
    """Return whether a file has the content of a blob; an unreadable file has not."""
    with contextlib.suppress(IntegrityError):
        return segment_history.blob(segments.whole(path), blob) == blob
    return False


def _known(repository: Repository) -> Iterator[str]:
    return (each for each in _USUAL if segment_history.resolve(repository, each) is not None)
