"""Keep finished parts of the cache in folders whose names say what they hold.

A part is made aside and renamed, so a reader finds a whole part or none. Where the cache cannot be written, parts live
in a temporary folder for as long as this process does: questions are answered either way.
"""

import atexit
import contextlib
import json
import re
import shutil
import tempfile
import time
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from linetrail.ledger.files import PRIVATE_FILE, make_folder
from linetrail.ledger.log.chain import Head

# What the ledger has outgrown stays for a day: a notebook may still be reading it.
GRACE_SECONDS = 86_400
STAMPS = "stamps.json"
ASIDE = "aside-"
# lines before it, lines up to its end, offset of its end in the tail, name of that place, when it was made
_NAME = re.compile(r"(\d+)-(\d+)-(\d+)-([0-9a-f]{64})-\d+")


class Part(NamedTuple):
    """The facts of one stretch of the ledger: `first` lines are before it, `head` is the place behind it.

    A fact of which nothing is said there has no file, but in the first stretch, so that there is always one.
    """

    folder: Path
    first: int
    head: Head

    def file(self, table: str) -> str:
        """Return the Parquet file of one fact table."""
        return str(self.folder / f"{table}.parquet")

    def has(self, table: str) -> bool:
        """Return whether the partition has a file for this fact; True where that is not known."""
        made = _made(self.folder)
        return made is None or f"{table}.parquet" in made


def files(parts: Iterable[Part], table: str) -> list[str]:
    """Return the Parquet files of one fact table."""
    return [part.file(table) for part in parts if part.has(table)]


class Shelf:
    """The parts made by one version of the models."""

    def __init__(self, folder: Path, *, writable: bool = True) -> None:
        self._folder = folder
        self._writable = writable
        self._temporary: str | None = None

    def parts(self) -> dict[tuple[int, int], list[Part]]:
        """Return the undamaged parts by stretch, the latest first; they may come from different ledgers."""
        found: dict[tuple[int, int], list[Part]] = {}
        for part in filter(None, map(_part, reversed(_folders(self._folder)))):
            if _is_whole(part.folder):
                found.setdefault((part.first, part.head.seq), []).append(part)
        return found

    def aside(self) -> Path:
        """Return a new folder to make a part in."""
        if self._writable and self._temporary is None:
            with contextlib.suppress(OSError):
                make_folder(str(self._folder))
                return Path(tempfile.mkdtemp(prefix=ASIDE, dir=self._folder))
        if self._temporary is None:
            self._temporary = tempfile.mkdtemp(prefix="linetrail-")
            atexit.register(shutil.rmtree, self._temporary, ignore_errors=True)
        return Path(tempfile.mkdtemp(prefix=ASIDE, dir=self._temporary))

    def keep(self, made: Path, first: int, head: Head) -> Part:
        """Rename a finished partition into place. Nothing is replaced: the latest counts, older ones stay readable."""
        stamps = {path.name: _stamp(path) for path in made.iterdir()}
        (made / STAMPS).write_text(json.dumps(stamps), "utf-8")
        for path in made.iterdir():
            path.chmod(PRIVATE_FILE)
        folder = made.with_name(f"{first}-{head.seq}-{head.size}-{head.digest}-{time.time_ns()}")
        made.rename(folder)
        return Part(folder, first, head)

    def sweep(self, used: Sequence[Part]) -> None:
        """Remove what no process reads any more: outgrown partitions, other versions, unfinished folders."""
        if not self._writable:
            return
        names = {self._folder, *(part.folder for part in used)}
        old = time.time() - GRACE_SECONDS
        for folder in [*_folders(self._folder), *_folders(self._folder.parent)]:
            with contextlib.suppress(OSError):
                if folder not in names and folder.stat().st_mtime < old:
                    shutil.rmtree(folder)


def span(folder: Path) -> tuple[int, int]:
    """Return how many lines are before a part, and up to its end, by the name of its folder alone."""
    first, last, *_ = folder.name.split("-")
    return int(first), int(last)


def _folders(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _part(folder: Path) -> Part | None:
    """Read the name of a part; None when it is something else."""
    name = _NAME.fullmatch(folder.name)
    return name and Part(folder, int(name[1]), Head(int(name[3]), int(name[2]), name[4]))


def _is_whole(folder: Path) -> bool:
    """Return whether the size and time of every file of a partition are those that were written down with it."""
    try:
        stamps = json.loads((folder / STAMPS).read_text("utf-8"))
        return bool(stamps) and all(_stamp(folder / name) == stamp for name, stamp in stamps.items())
    except (OSError, ValueError, AttributeError):
        return False


@cache
def _made(folder: Path) -> frozenset[str] | None:
    """Return the names of the files of a part, which stay as long as its name does."""
    try:
        return frozenset(json.loads((folder / STAMPS).read_text("utf-8")))
    except (OSError, ValueError):
        return None


def _stamp(path: Path) -> list[int]:
    status = path.stat()
    return [status.st_size, status.st_mtime_ns]
