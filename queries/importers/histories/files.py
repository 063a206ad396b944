"""Find where editors keep the histories of their agents, and decompress those that are compressed."""

import contextlib
import importlib
import os
from collections.abc import Callable, Iterable
from typing import IO

from linetrail.ledger.event.drafts import text_digest
from linetrail.queries.importers.histories.history import HistoryError

# What a compressed history may grow to.
MAX_BYTES = 4 * 1024 * 1024 * 1024
_CHUNK = 1024 * 1024


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
