"""Find the files of histories, and make those readable that are kept compressed."""

import contextlib
import importlib
import os
from collections.abc import Callable, Iterable, Iterator
from typing import IO

from linetrail.ledger.drafts import text_digest
from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository
from linetrail.ledger.vcs import git
from linetrail.queries.importers.histories.taking import HistoryError

# What a compressed history may grow to.
MAX_BYTES = 4 * 1024 * 1024 * 1024
_CHUNK = 1024 * 1024


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
    """Tell whether a folder is one of these, or in one of them; a folder that is not told is in none."""
    real = None if folder is None else os.path.realpath(folder)
    return real is not None and any(f"{real}/".startswith(f"{root}/") for root in roots)


def editor_folders(names: Iterable[str]) -> list[str]:
    """Return where editors of these names keep what belongs to a user, on any system, and on a server."""
    home = os.path.expanduser("~")
    roots = [
        os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config"),
        os.path.join(home, "Library", "Application Support"),
        os.environ.get("APPDATA") or os.path.join(home, "AppData", "Roaming"),
    ]
    found = [os.path.join(root, name, "User") for root in roots for name in names]
    found += [os.path.join(home, name, "data", "User") for name in (".vscode-server", ".cursor-server")]
    return [folder for folder in found if os.path.isdir(folder)]


def changed_ns(path: str) -> int:
    """Return when a file was last written: a history that tells no time happened no later."""
    return os.stat(path).st_mtime_ns


def plain(path: str, folder: str) -> str:
    """Return a file with the same lines that is not compressed: the file itself, or a copy in a private folder."""
    if not path.endswith(".zst"):
        return path
    decompressing = _decompressor()
    copy = os.path.join(folder, text_digest(path).removeprefix("sha256:"))
    left = MAX_BYTES
    try:
        with decompressing(path) as source, open(copy, "xb") as target:
            while left > 0 and (chunk := source.read(_CHUNK)):
                left -= len(chunk)
                target.write(chunk)
    except Exception as error:  # noqa: BLE001  the libraries have no error in common
        raise HistoryError(f"cannot be decompressed: {error}"[:200]) from None
    if left <= 0:
        raise HistoryError(f"longer than {MAX_BYTES} bytes once it is not compressed")
    return copy


def _decompressor() -> Callable[[str], IO[bytes]]:
    """Return what opens a compressed file: Python's own library from 3.14 on, else the one on which it is modelled."""
    for name in ("compression.zstd", "backports.zstd", "zstandard"):
        with contextlib.suppress(ImportError):
            opened: Callable[[str], IO[bytes]] = importlib.import_module(name).open
            return opened
    raise HistoryError("compressed, which Python reads from 3.14 on; `zstd -d` makes a file that can be read")


def _walk(folder: str, endings: tuple[str, ...]) -> Iterator[str]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        paths = (os.path.join(parent, name) for name in sorted(names) if name.endswith(endings))
        yield from filter(os.path.isfile, paths)
