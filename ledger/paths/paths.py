"""Where a path that a tool was given really leads, and whether an intent may write there.

Two steps, since some answers need no intent: `resolve` follows a path on the disk and refuses what nobody may write,
`within` holds the place it found against a scope. The hook and `linetrail check-path` call the same functions.

A path is followed as the kernel does: symbolic links first, then `..`. `os.path.realpath` says where a path ends; a
`Tree` also says what it passed on its way, refuses what is protected there, and stops where the answer depends on who
asks. What is checked is true at the moment of the check. `same_place` tells afterwards whether it still was when the
tool had written: a check before cannot keep another process from exchanging a folder for a link.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.paths.globs import Scope, ScopeError, compile_scope
from linetrail.ledger.paths.names import ANYWHERE, AT_ROOT, BELOW_ROOT, leads_to_protected, protected, refusal
from linetrail.ledger.repository import holding, stored_path

INVALID_PATH = "INVALID_PATH"
OUTSIDE = "OUTSIDE_REPOSITORY"
PROTECTED = "PROTECTED_PATH"
NOT_A_FILE = "NOT_A_FILE"
UNRESOLVABLE = "UNRESOLVABLE"
# As many as Linux follows.
MOST_LINKS = 40
# Names that are looked at for one path, those in links included: some 20 ms.
MOST_NAMES = 2048
# What lies in these folders is another thing for each process that looks.
_ELSEWHERE = ("dev", "proc")
Inode = tuple[int, int]
Names = list[str]
WRITE, DELETE, SYMLINK, HARDLINK = "write", "delete", "symlink", "hardlink"
OPERATIONS = (WRITE, DELETE, SYMLINK, HARDLINK)
SPECIAL_FILE, HARD_LINKED = "SPECIAL_FILE", "HARD_LINKED"
IN_SCOPE, OUT_OF_SCOPE, INVALID_SCOPE = "IN_SCOPE", "OUT_OF_SCOPE", "INVALID_SCOPE"


class RefusedError(Exception):
    """A path that nobody may write through; `code` is stable, the message is one sentence."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class Tree:
    """One worktree. Folders are lists of names, from the root of the file system on, without any link in them."""

    def __init__(self, root: str) -> None:
        """Find where the worktree really lies."""
        real = os.path.realpath(root, strict=True)
        self.root = _split(real)
        self._moved = tuple(self._elsewhere())
        self._spellings = {os.path.abspath(root).rstrip("/"), real.rstrip("/")} - {""}

    def folder(self, cwd: str) -> Names:
        """Return the folder that an agent stands in, which must be in the worktree."""
        try:
            real = os.path.realpath(cwd if os.path.isabs(cwd) else os.path.join(_path(self.root), cwd), strict=True)
        except (OSError, ValueError):
            real = ""
        if not (cwd and real):
            raise RefusedError(INVALID_PATH, f"the working directory {shown(cwd)} does not exist")
        names = _split(real)
        if self.below(names) is None:
            raise RefusedError(OUTSIDE, f"the working directory {shown(cwd)} is outside the repository")
        if not os.path.isdir(real):
            raise RefusedError(INVALID_PATH, f"the working directory {shown(cwd)} is no directory")
        return names

    def below(self, names: Sequence[str]) -> Sequence[str] | None:
        """Return the names below the root; None for a path that does not lie in it."""
        size = len(self.root)
        return names[size:] if list(names[:size]) == self.root else None

    def follow(self, path: str, cwd: str | None, *, last: bool, start: Names | None = None) -> Names:
        """Return the names below the root of what a path leads to, with `last` also through a link at its end.

        A relative path begins at `start`, else in the working directory, else at the root. What is missing at the end
        is taken as it is spelled.
        """
        at, spelled = self._origin(path, cwd, start)
        reason = refusal(spelled)
        if reason is not None:
            raise RefusedError(INVALID_PATH, f"{shown(path)} is refused: {reason}")
        parts = spelled.split("/")
        if parts[-1] in {"", ".", ".."}:
            raise RefusedError(NOT_A_FILE, f"{shown(path)} names a folder, not a file")
        found = self.below(self._walk(path, at, parts, last=last))
        if found is None:
            raise RefusedError(OUTSIDE, f"{shown(path)} leads out of the repository")
        if not found:
            raise RefusedError(NOT_A_FILE, f"{shown(path)} is the repository itself, not a file in it")
        # Names that a link brought in were not seen yet.
        reason = refusal("/".join(found))
        if reason is not None:
            raise RefusedError(INVALID_PATH, f"{shown(path)} leads to a path that is refused: {reason}")
        self._require_free(path, found)
        self._require_unmoved(path, found)
        return list(found)

    def about(self, names: Sequence[str]) -> os.stat_result | None:
        """Return what is known of the file below the root; None when it is missing."""
        try:
            return os.lstat(_path([*self.root, *names]))
        except FileNotFoundError:
            return None

    def folders(self, names: Sequence[str]) -> tuple[Inode, ...]:
        """Return the root and the folders above a file, as far as they exist."""
        found = []
        for depth in range(len(names)):
            about = self.about(names[:depth])
            if about is None:
                break
            found.append((about.st_dev, about.st_ino))
        return tuple(found)

    def _elsewhere(self) -> Iterator[tuple[str, Sequence[str]]]:
        """Yield what is protected and lies under another name in the worktree, by a link or by a `.git` file."""
        root = _path(self.root)
        found = [(name, os.path.join(root, name)) for name in AT_ROOT if os.path.islink(os.path.join(root, name))]
        if repository := holding(root):
            found += [(ANYWHERE, folder) for folder in (repository.git_dir, repository.common_dir) if folder]
        for name, path in found:
            below = self.below(_split(os.path.realpath(path)))
            if below:
                yield name, below

    def _origin(self, path: str, cwd: str | None, start: Names | None) -> tuple[Names, str]:
        """Return the folder that a path begins in, and what is left of it: how the root is spelled is not judged."""
        for spelling in self._spellings:
            if path.startswith(spelling + "/"):
                return self.root, path[len(spelling) + 1 :].lstrip("/") or "."
        if path.startswith("/"):
            return [], path
        if start is not None:
            return start, path
        return (self.root if cwd is None else self.folder(cwd)), path

    def _walk(self, path: str, start: Names, parts: Sequence[str], *, last: bool) -> Names:
        at, pending = list(start), list(reversed(parts))
        links = missing = seen = 0
        while pending:
            name = pending.pop()
            if name in {"", "."}:
                continue
            seen += 1
            if seen > MOST_NAMES:
                raise RefusedError(UNRESOLVABLE, f"{shown(path)} leads through more than {MOST_NAMES} names")
            if name == "..":
                missing = max(missing - 1, 0)
                del at[-1:]
                continue
            at.append(name)
            self._require_passable(path, at)
            if missing:
                missing += 1
                continue
            mode = _mode(at)
            if mode is None:
                missing = 1
            elif stat.S_ISLNK(mode) and (pending or last):
                links += 1
                if links > MOST_LINKS:
                    raise RefusedError(UNRESOLVABLE, f"{shown(path)} leads through more than {MOST_LINKS} links")
                target = os.readlink(_path(at))
                del at[0 if target.startswith("/") else -1 :]
                pending.extend(reversed(target.split("/")))
            elif pending and not stat.S_ISDIR(mode):
                raise RefusedError(NOT_A_FILE, f"{shown(path)} leads through {shown(name)}, which is no folder")
        return at

    def _require_passable(self, path: str, at: Names) -> None:
        """Refuse to go on from a place that is protected, or that is another one for each process."""
        size = len(self.root)
        if at[:size] != self.root:
            if at[0] in _ELSEWHERE and at != self.root[: len(at)]:
                raise RefusedError(
                    UNRESOLVABLE, f"{shown(path)} leads through /{at[0]}, which differs for each process"
                )
            return
        # Those above were passed before.
        deep = max(len(at) - size - len(BELOW_ROOT[0]), 0)
        if len(at) > size:
            self._require_free(path, at[size + deep :], deep)

    def _require_free(self, path: str, names: Sequence[str], deep: int = 0) -> None:
        held = protected(names, deep=deep)
        if held is not None:
            raise RefusedError(PROTECTED, f"{shown(path)} is protected: only people change {held}")

    def _require_unmoved(self, path: str, names: Sequence[str]) -> None:
        """Refuse what is the same as something protected, under another name."""
        for held, moved in self._moved:
            if list(names[: len(moved)]) == list(moved):
                raise RefusedError(
                    PROTECTED, f"{shown(path)} is protected: only people change {held}, which it belongs to"
                )


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


def shown(path: str) -> str:
    """Return a path as it may stand in a sentence: short, and with nothing in it that a terminal obeys."""
    text = path if len(path) <= 200 else path[:200] + "…"
    if not text:
        return "the path"
    return text if text.isprintable() else ascii(text)


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


def _mode(at: Sequence[str]) -> int | None:
    try:
        return os.lstat(_path(at)).st_mode
    except FileNotFoundError:
        return None


def _split(path: str) -> Names:
    return [name for name in path.split("/") if name]


def _path(names: Sequence[str]) -> str:
    return "/" + "/".join(names)


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
