"""Say which two contents a range compares, as `git diff` reads one, and refuse what names none."""

import os
from collections.abc import Sequence
from typing import NamedTuple

from linetrail.ledger.repository import Repository, file_path, git, head
from linetrail.projections.git.shell import command
from linetrail.projections.git.target import TargetError, locate, resolve


class Sides(NamedTuple):
    """What is compared. `before` is None where nothing is committed yet; `after` is None for the work tree."""

    before: str | None
    after: str | None


def sides(repository: Repository, text: str | None) -> Sides:
    """Read `A..B`, `A...B` (from where both parted to B), `REV` (against the work tree), or nothing: HEAD.

    `REV^!` is what one commit changed, as everywhere in git; of a merge, since its first parent.
    """
    if text is None:
        return Sides(_head(repository), None)
    if text.endswith("^!"):
        after = commit(repository, text.removesuffix("^!"))
        return Sides(_parent(repository, after), after)
    if "..." in text:
        one, _, other = text.partition("...")
        return _since_parting(repository, one or "HEAD", other or "HEAD")
    if ".." in text:
        one, _, other = text.partition("..")
        return Sides(commit(repository, one or "HEAD"), commit(repository, other or "HEAD"))
    return Sides(commit(repository, text), None)


def commit(repository: Repository, text: str) -> str:
    """Return the commit that a person means; a file, or a commit that a shallow clone lacks, is told from a typo."""
    try:
        return resolve(repository, text)
    except TargetError as error:
        if repository.git_dir is None:
            raise
        if is_shallow(repository):
            raise TargetError(f"{error}; this clone is shallow", "git fetch --unshallow") from None
        if os.path.lexists(os.path.join(repository.root, text)):
            raise TargetError(
                f"{error}; to name a file, write -- before it", command(["linetrail", "diff", "--", text])
            ) from None
        raise


def asked_paths(repository: Repository, between: Sides, directory: str, paths: Sequence[str]) -> list[str]:
    """Return the stored form of paths as a person typed them; one that is on neither side is a typo."""
    found = [locate(repository, directory, path) for path in paths]
    for path, typed in zip(found, paths, strict=True):
        if not any(_has(repository, revision, path) for revision in between):
            where = " or ".join(dict.fromkeys((side or "the work tree")[:13] for side in between))
            raise TargetError(f"no file or folder {typed} in {where}", command(["git", "log", "--all", "--", typed]))
    return found


def is_shallow(repository: Repository) -> bool:
    """Return whether the history of this clone ends before its beginning."""
    return os.path.exists(os.path.join(repository.common_dir or "", "shallow"))


def _has(repository: Repository, revision: str | None, path: str) -> bool:
    if path == "." or revision is None:
        return path == "." or os.path.lexists(repository.absolute(path))
    return git(repository, "cat-file", "-e", f"{revision}:{file_path(path)}") is not None


def _head(repository: Repository) -> str | None:
    if repository.git_dir is None:
        raise TargetError(f"{repository.root} is not a git repository, so nothing is committed to compare", "git init")
    now = head(repository)
    return now.revision if now else None


def _parent(repository: Repository, revision: str) -> str | None:
    """Return the first parent of a commit; None where there is none, which a shallow clone may only pretend."""
    found = git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^1")
    if found is None and is_shallow(repository):
        raise TargetError(f"what comes before {revision[:10]} is not in this shallow clone", "git fetch --unshallow")
    return found.decode().strip() if found else None


def _since_parting(repository: Repository, one: str, other: str) -> Sides:
    left, right = commit(repository, one), commit(repository, other)
    base = git(repository, "merge-base", left, right)
    if base is not None:
        return Sides(base.decode().strip(), right)
    if is_shallow(repository):
        raise TargetError(f"where {one} and {other} parted is not in this shallow clone", "git fetch --unshallow")
    raise TargetError(f"{one} and {other} have no commit in common", f"linetrail diff {one}..{other}")
