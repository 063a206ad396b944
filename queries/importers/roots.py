"""Find the folder of this repository on the machine that wrote a transcript.

A session that ran here is placed by its folder. One that ran elsewhere is placed by what it touched: of the
recorded folder and those above it, the one under which most touched paths are known to git; the longest of equals.
What a session wrote in another worktree of the repository is the same file: agents and the tools that run several of
them make worktrees inside the repository or beside it, and take them away when the work is done.
"""

import os
import posixpath
import re
import unicodedata
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from linetrail.ledger.agents import WORKTREES
from linetrail.ledger.errors import NotARepositoryError
from linetrail.ledger.repository import Repository, find, git, stored_path

_DRIVE = re.compile(r"[A-Za-z]:[\\/]|\\\\")


class Root(NamedTuple):
    """The repository's folder as a transcript spells it; `worktree` is set where that folder is on this machine."""

    prefix: str
    worktree: Repository | None = None

    def relative(self, path: str, cwd: str | None) -> str | None:
        """Return the stored form of a recorded path; a relative one starts at `cwd`; None when it lies outside."""
        whole = absolute(path, cwd or self.prefix)
        try:
            rest = below_worktree(self.prefix, whole)
            if self.worktree is not None and rest is None:
                return self._present(self.worktree, os.path.join(cwd or self.prefix, path))
            rest = _below(self.prefix, whole) if rest is None else rest
            return None if rest is None else stored_path(unicodedata.normalize("NFC", rest or "."))
        except (OSError, ValueError):
            return None

    @staticmethod
    def _present(worktree: Repository, path: str) -> str | None:
        """Return the stored form of a path in the worktree, or in another one of the same repository."""
        other = None if (own := worktree.relative(path)) is not None else _worktree(os.path.dirname(path))
        return other.relative(path) if other is not None and _shared(other) == _shared(worktree) else own


def absolute(path: str, cwd: str) -> str:
    r"""Return a path of any system with single slashes and without steps back.

    >>> absolute(r"src\a.py", r"C:\code\shop")
    'C:/code/shop/src/a.py'
    """
    if _DRIVE.match(path) or _DRIVE.match(cwd):
        path, cwd = path.replace("\\", "/"), cwd.replace("\\", "/")
    whole = path if path.startswith("/") or _DRIVE.match(path) else f"{cwd}/{path}"
    normal = posixpath.normpath(whole)
    return normal[:1].upper() + normal[1:] if _DRIVE.match(normal) else normal


def root_of(
    cwd: str | None, touched: Iterable[str], repository: Repository, known: Container[str | None]
) -> Root | None:
    """Return what was the repository for a session in `cwd`; None when that is another repository on this machine."""
    worktree = _worktree(cwd)
    if worktree is None:
        return Root(_elected(cwd, touched, repository, known))
    return Root(worktree.root, worktree) if _shared(worktree) == _shared(repository) else None


def known_paths(repository: Repository) -> frozenset[str]:
    """Return the paths of the files that git tracks, in the index or in HEAD: a clone may have no index yet."""
    if repository.git_dir is None:
        return frozenset()
    listings = git(repository, "ls-files", "-z"), git(repository, "ls-tree", "-r", "-z", "--name-only", "HEAD")
    return frozenset(os.fsdecode(name) for listed in listings for name in (listed or b"").split(b"\0") if name)


def _worktree(cwd: str | None) -> Repository | None:
    """Return the repository that holds a folder of this machine; None when there is no such folder, or no such."""
    if cwd is None or not os.path.isabs(cwd) or not os.path.isdir(cwd):
        return None
    try:
        return find(cwd)
    except NotARepositoryError:
        return None


def _elected(cwd: str | None, touched: Iterable[str], repository: Repository, known: Container[str | None]) -> str:
    """Return the candidate with most known paths below it; without any, the recorded folder itself."""
    start = absolute(cwd, "/") if cwd else None
    paths = [absolute(path, start or "/") for path in touched]
    candidates = {*_above(start)} if start else {folder for path in paths for folder in _above(posixpath.dirname(path))}
    candidates.add(absolute(repository.root, "/"))
    votes = {folder: sum(_below(folder, path) in known for path in paths) for folder in candidates}
    return max(candidates, key=lambda folder: (votes[folder], folder == start, len(folder), folder))


def _above(folder: str) -> Iterator[str]:
    """Yield a folder and those above it, except the root of the file system."""
    while posixpath.dirname(folder) != folder:
        yield folder
        folder = posixpath.dirname(folder)


def _below(folder: str, path: str) -> str | None:
    """Return the rest of a path below a folder, "" for the folder itself; file systems of Windows ignore case."""
    if _DRIVE.match(folder):
        inside = (path.lower() + "/").startswith(folder.lower() + "/")
    else:
        inside = (path + "/").startswith(folder + "/")
    return path[len(folder) + 1 :] if inside else None


def below_worktree(root: str, path: str) -> str | None:
    """Return the rest of a path below a worktree of the repository at `root`, told by where tools make them.

    >>> below_worktree("/code/shop", "/code/shop/.claude/worktrees/vat/src/a.py")
    'src/a.py'
    >>> below_worktree("/code/shop", "/code/shop__worktrees/vat/src/a.py")
    'src/a.py'
    >>> below_worktree("/code/shop", "/home/.codex/worktrees/1a2b/shop/src/a.py")
    'src/a.py'
    >>> below_worktree("/code/shop", "/code/blog.worktrees/vat/src/a.py")
    """
    if "worktree" not in path.lower():
        return None
    name = re.escape(posixpath.basename(root))
    inside = "|".join(map(re.escape, (*WORKTREES, ".worktrees")))
    places = (
        rf"{re.escape(root)}/(?:{inside})/[^/]+",
        rf"{re.escape(posixpath.dirname(root).rstrip('/'))}/{name}[._-]+worktrees?/[^/]+",
        rf".*/\.?worktrees/(?:{name}/[^/]+|[^/]+/{name})",
    )
    case = re.IGNORECASE if _DRIVE.match(root) else re.NOFLAG
    found = re.fullmatch(rf"(?:{'|'.join(places)})(?:/(.*))?", path, re.DOTALL | case)
    return None if found is None else found.group(1) or ""


def _shared(repository: Repository) -> str:
    """Return what all worktrees of a repository have in common."""
    return repository.common_dir or repository.root
