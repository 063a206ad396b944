"""Hold a ledger against git: what any commit had sealed is still there, and so is what the base branch has."""

import contextlib
from collections.abc import Iterator, Mapping

from linetrail.ledger.errors import GitError, IntegrityError
from linetrail.ledger.log import segment_history, segments
from linetrail.ledger.log.segments import Segment
from linetrail.ledger.repository import Repository
from linetrail.ledger.vcs import git
from linetrail.projections.tables.inspection import Problem


def against_git(repository: Repository, sound: Mapping[str, Segment], base: str | None) -> Iterator[Problem]:
    """Yield what commits took away, and what the base branch has and we have not."""
    segment_history.require_whole(repository)
    folder = repository.folder
    if segment_history.resolve(repository, "HEAD") is None:
        if git(repository, "rev-parse", "--git-dir") is None:
            raise GitError("git does not run here, and --strict asks it")
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


def _is(path: str, blob: str) -> bool:
    """Tell whether a file is what git has under this name; what is wrong with it is told elsewhere."""
    with contextlib.suppress(IntegrityError):
        return segment_history.blob(segments.whole(path), blob) == blob
    return False
