"""Follow paths through a worktree the way the kernel does: symbolic links first, then `..`.

`os.path.realpath` says where a path ends. This also says what it passed on its way, refuses what is protected there,
and stops where the answer depends on who asks.
"""

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence

from linetrail.ledger.errors import NotARepositoryError
from linetrail.ledger.paths.names import ANYWHERE, AT_ROOT, BELOW_ROOT, protected, refusal
from linetrail.ledger.repository import find

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
        with contextlib.suppress(NotARepositoryError):
            repository = find(root)
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


def shown(path: str) -> str:
    """Return a path as it may stand in a sentence: short, and with nothing in it that a terminal obeys."""
    text = path if len(path) <= 200 else path[:200] + "…"
    if not text:
        return "the path"
    return text if text.isprintable() else ascii(text)


def _mode(at: Sequence[str]) -> int | None:
    try:
        return os.lstat(_path(at)).st_mode
    except FileNotFoundError:
        return None


def _split(path: str) -> Names:
    return [name for name in path.split("/") if name]


def _path(names: Sequence[str]) -> str:
    return "/" + "/".join(names)
