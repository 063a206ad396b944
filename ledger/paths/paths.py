"""Where a path that a tool was given really leads, and whether an intent may write there.

Two steps, since some answers need no intent: `resolve` follows a path on the disk and refuses what nobody may write,
`within` holds the place it found against a scope. The hook and `linetrail check-path` call the same functions.

What is checked is true at the moment of the check. `same_place` tells afterwards whether it still was when the tool had
written: a check before cannot keep another process from exchanging a folder for a link.
"""

import os
import stat
from collections.abc import Sequence
from typing import NamedTuple

from linetrail.ledger.paths.globs import Scope, ScopeError, compile_scope
from linetrail.ledger.paths.names import leads_to_protected
from linetrail.ledger.paths.tree import (
    INVALID_PATH,
    NOT_A_FILE,
    PROTECTED,
    UNRESOLVABLE,
    Inode,
    RefusedError,
    Tree,
    shown,
)
from linetrail.ledger.repository import stored_path

WRITE, DELETE, SYMLINK, HARDLINK = "write", "delete", "symlink", "hardlink"
OPERATIONS = (WRITE, DELETE, SYMLINK, HARDLINK)

SPECIAL_FILE, HARD_LINKED = "SPECIAL_FILE", "HARD_LINKED"
IN_SCOPE, OUT_OF_SCOPE, INVALID_SCOPE = "IN_SCOPE", "OUT_OF_SCOPE", "INVALID_SCOPE"


class Identity(NamedTuple):
    """What stood on the disk: the root and each folder below it that exists, and the file, by device and inode."""

    folders: tuple[Inode, ...]
    file: Inode | None


class Place(NamedTuple):
    """Where a path leads. `code` is None where it may be written; `path` and `target` are stored paths."""

    spelled: str
    path: str | None
    code: str | None
    reason: str
    identity: Identity | None = None
    # what a new link points at, which must be in scope as well
    target: str | None = None


class PathVerdict(NamedTuple):
    """The answer, a stable word for it, and the one sentence the agent is shown."""

    allow: bool
    code: str
    reason: str


def judge(
    root: str, path: str, patterns: Sequence[str], *, cwd: str | None = None, op: str = WRITE, target: str | None = None
) -> PathVerdict:
    """Allow an operation on a path that an intent with these patterns owns; refuse every other."""
    place = resolve(root, path, cwd=cwd, op=op, target=target)
    if place.code is not None:
        return PathVerdict(allow=False, code=place.code, reason=place.reason)
    try:
        return within(place, compile_scope(patterns))
    except ScopeError as error:
        return PathVerdict(allow=False, code=INVALID_SCOPE, reason=f"the scope owns nothing as it is: {error}")


def within(place: Place, scope: Scope) -> PathVerdict:
    """Hold a place against a scope, and what a new link there would point at with it."""
    if place.code is not None or place.path is None:
        return PathVerdict(allow=False, code=place.code or UNRESOLVABLE, reason=place.reason)
    for path in filter(None, (place.target, place.path)):
        owner, excluded_by = scope.ownership(path)
        if excluded_by is not None:
            return PathVerdict(allow=False, code=OUT_OF_SCOPE, reason=f"{path} is excluded by {excluded_by}")
        if owner is None:
            return PathVerdict(allow=False, code=OUT_OF_SCOPE, reason=f"no pattern of the scope owns {path}")
    return PathVerdict(allow=True, code=IN_SCOPE, reason=f"{owner} owns {place.path}")


def resolve(root: str, path: str, *, cwd: str | None = None, op: str = WRITE, target: str | None = None) -> Place:
    """Return the place that a path leads to, or why nobody may do this there; raise nothing, whatever is asked."""
    try:
        return _resolve(Tree(root), path, cwd, op, target)
    except RefusedError as refused:
        return Place(path, None, refused.code, str(refused))
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or type(error).__name__
        return Place(path, None, UNRESOLVABLE, f"{shown(path)} cannot be followed: {reason}")


def same_place(
    before: Place, root: str, path: str, *, cwd: str | None = None, op: str = WRITE, target: str | None = None
) -> bool:
    """Return, after a tool has written, whether a path still leads where it led when it was checked.

    Folders that were there must be the same ones. The file may be another one under the same name, since many tools
    write a new file and rename it; whether it holds what the tool wrote is for the caller to compare. `before` may
    have been kept as JSON.
    """
    after = resolve(root, path, cwd=cwd, op=op, target=target)
    if before.identity is None or after.identity is None:
        return False
    if (after.path, after.target) != (before.path, before.target):
        return False
    was = [tuple(inode) for inode in before.identity[0]]
    now = [tuple(inode) for inode in after.identity[0]]
    if op == DELETE:
        was = was[: len(now)]  # the last file of a folder may have taken the folder with it
    return now[: len(was)] == was


def _resolve(tree: Tree, path: str, cwd: str | None, op: str, target: str | None) -> Place:
    if op not in OPERATIONS:
        raise RefusedError(INVALID_PATH, f"{shown(op)} is none of {', '.join(OPERATIONS)}")
    # Deleting concerns the name, and a new link takes its place; only writing goes through a link.
    names = tree.follow(path, cwd, last=op == WRITE)
    about = tree.about(names)
    _require_usable(path, about, op)
    points_at = None
    if op in {SYMLINK, HARDLINK}:
        if leads_to_protected(names):
            raise RefusedError(PROTECTED, f"{shown(path)} holds what only people change")
        if target is None:
            raise RefusedError(INVALID_PATH, "a link needs a target")
        # A symbolic link is read from where it lies, a hard link is made from where the agent stands.
        start = [*tree.root, *names[:-1]] if op == SYMLINK else None
        aim = tree.follow(target, cwd, last=True, start=start)
        if aim == names:
            raise RefusedError(INVALID_PATH, f"{shown(path)} would be a link to itself")
        _require_usable(target, tree.about(aim), WRITE)
        points_at = stored_path("/".join(aim))
    identity = Identity(tree.folders(names), None if about is None else (about.st_dev, about.st_ino))
    stored = stored_path("/".join(names))
    return Place(path, stored, None, f"{shown(stored)} is a file of the repository", identity, points_at)


def _require_usable(path: str, about: os.stat_result | None, op: str) -> None:
    """Refuse what is no regular file with one name; any link may be deleted."""
    if about is None or (op == DELETE and stat.S_ISLNK(about.st_mode)):
        return
    if stat.S_ISDIR(about.st_mode):
        raise RefusedError(NOT_A_FILE, f"{shown(path)} is a folder")
    if stat.S_ISLNK(about.st_mode):
        raise RefusedError(NOT_A_FILE, f"{shown(path)} is a symbolic link already; delete it first")
    if not stat.S_ISREG(about.st_mode):
        raise RefusedError(SPECIAL_FILE, f"{shown(path)} is a pipe, a socket or a device")
    if about.st_nlink > 1 and op != DELETE:
        raise RefusedError(HARD_LINKED, f"{shown(path)} has another name, and writing here would write there as well")
