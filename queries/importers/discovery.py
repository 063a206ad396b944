"""Find the transcripts that belong to a repository.

Claude Code keeps the sessions of a folder under ``projects/``, in a folder named after it: every sign that is no
letter or digit is a hyphen. So `shop-api` and a folder `api` in `shop` share a name, and the transcripts decide.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository, git
from linetrail.queries.importers.roots import below_worktree
from linetrail.queries.importers.survey import recorded_cwd
from linetrail.queries.setup.place import home


def transcripts(paths: Iterable[str]) -> list[str]:
    """Return the files named, and the transcripts in the folders named, each once."""
    return below(paths, (".jsonl",))


def own_transcripts(repository: Repository) -> list[str]:
    """Return the transcripts of sessions that ran in this repository, in any of its worktrees, gone or not."""
    roots = worktrees(repository)
    folder = projects_folder()
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    found = []
    for name in names:
        if any(name == _slug(root) or name.startswith(f"{_slug(root)}-") for root in roots):
            listed = transcripts([os.path.join(folder, name)])
            found += listed if _ran_in(roots, listed) else []
    return found


def projects_folder() -> str:
    """Return the folder in which Claude Code keeps what was said."""
    return home().path(".claude/projects")


def below(paths: Iterable[str], endings: tuple[str, ...]) -> list[str]:
    """Return the files named, and those in the folders named whose names end so, each once."""
    found: dict[str, None] = {}
    for path in paths:
        if not os.path.isfile(path) and not os.path.isdir(path):
            raise UsageError(f"no such file or folder: {path}")
        found.update(dict.fromkeys(_walk(path, endings) if os.path.isdir(path) else [path]))
    return list(found)


def worktrees(repository: Repository) -> list[str]:
    """Return the folders in which the repository is checked out."""
    listed = git(repository, "worktree", "list", "--porcelain") if repository.git_dir else None
    lines = os.fsdecode(listed or b"").splitlines()
    named = [line.removeprefix("worktree ") for line in lines if line.startswith("worktree ")]
    return list(dict.fromkeys([repository.root, *named]))


def is_inside(folder: str | None, roots: Iterable[str]) -> bool:
    """Return whether a folder is one of these, in one of them, or in a worktree of theirs; one not told is in none."""
    if folder is None:
        return False
    real = os.path.realpath(folder)
    return any(f"{real}/".startswith(f"{root}/") or below_worktree(root, real) is not None for root in roots)


def _walk(folder: str, endings: tuple[str, ...]) -> Iterator[str]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        paths = (os.path.join(parent, name) for name in sorted(names) if name.endswith(endings))
        yield from filter(os.path.isfile, paths)


def _ran_in(roots: Sequence[str], paths: Iterable[str]) -> bool:
    """Return whether the first folder that one of these transcripts names is the repository's."""
    return is_inside(next((cwd for path in paths if (cwd := recorded_cwd(path)) is not None), None), roots)


def _slug(path: str) -> str:
    """Return the name that Claude Code gives to the folder of a folder's sessions.

    >>> _slug("/code/shop_v2")
    '-code-shop-v2'
    """
    return re.sub("[^A-Za-z0-9]", "-", path)
