"""Keep finished parts of the cache in folders whose names say what they hold.

A part is made aside and renamed, so a reader finds a whole part or none. Where the cache cannot be written, parts live
in a temporary folder for as long as this process does: questions are answered either way.
"""

import atexit
import contextlib
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.files import PRIVATE_FILE, make_folder, publish
from linetrail.ledger.log.chain import Head
from linetrail.projections.tables import models

# What the ledger has outgrown stays for a day: a notebook may still be reading it.
GRACE_SECONDS = 86_400
# The fact that all others are made of, and the file of the types that its events have.
EVENTS, TYPES = "events", "types.json"
ASIDE = "aside-"
# lines before it, lines up to its end, offset of its end in the tail, name of that place, when it was made
_NAME = re.compile(r"(\d+)-(\d+)-(\d+)-([0-9a-f]{64})-\d+")


class CacheError(LinetrailError):
    """What was kept cannot be read; it can always be made again."""

    hint = "try again, or `linetrail rebuild --full`"

    def __init__(self, error: Exception) -> None:
        super().__init__(f"the cache went away while it was read: {error}")


class Part(NamedTuple):
    """The facts of one stretch of the ledger: `first` lines are before it, `head` is the place behind it.

    All but the events are made when they are first asked for. A fact of which nothing is said there has no file, but in
    the first stretch, so that there is always one.
    """

    folder: Path
    first: int
    head: Head

    @property
    def length(self) -> int:
        """How many lines it has, also of one of which nothing but the folder is known."""
        first, last = span(self.folder)
        return last - first

    def file(self, table: str) -> str:
        """Return the Parquet file of one fact table."""
        return str(self.folder / f"{table}.parquet")

    def has(self, table: str) -> bool:
        """Return whether the partition has a file for this fact, once that is made."""
        return self.first == 0 or self.says(table)

    def says(self, table: str) -> bool:
        """Return whether an event in it may have a row of this fact."""
        told, types = models.fact(table).types, _types(self.folder)
        return told is None or types is None or not told.isdisjoint(types)

    def lacks(self, table: str) -> bool:
        """Return whether the file for this fact has to be made: it is not there, or not as it was finished."""
        return self.has(table) and not _is_finished(self.folder, table)

    def add(self, table: str, made: Path) -> None:
        """Move a finished file into place; one that another process puts there meanwhile says the same."""
        _finish(self.folder, table, made)
        made.replace(self.file(table))


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
            if _is_finished(part.folder, EVENTS) and _types(part.folder) is not None:
                found.setdefault((part.first, part.head.seq), []).append(part)
        return found

    def aside(self) -> Path:
        """Return a new folder to make a part in."""
        if self._writable and self._temporary is None:
            with contextlib.suppress(OSError):
                make_folder(str(self._folder))
                return Path(tempfile.mkdtemp(prefix=ASIDE, dir=self._folder))
        return Path(tempfile.mkdtemp(prefix=ASIDE, dir=self._beside()))

    def lent(self, part: Part) -> Part:
        """Return a part that facts can be added to: where nothing may be written into the cache, links to its files."""
        if self._writable and os.access(part.folder, os.W_OK):
            return part
        folder = Path(tempfile.mkdtemp(prefix=f"{part.folder.name}-", dir=self._beside()))
        for file in part.folder.iterdir():
            (folder / file.name).symlink_to(file)
        return part._replace(folder=folder)

    def _beside(self) -> str:
        """Return the temporary folder of this process."""
        if self._temporary is None:
            self._temporary = tempfile.mkdtemp(prefix="linetrail-")
            atexit.register(shutil.rmtree, self._temporary, ignore_errors=True)
        return self._temporary

    def keep(self, made: Path, first: int, head: Head, types: Collection[str]) -> Part:
        """Rename a finished partition into place. Nothing is replaced: the latest counts, older ones stay readable."""
        _note(made / TYPES, sorted(types))
        _finish(made, EVENTS, made / f"{EVENTS}.parquet")
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


def _finish(folder: Path, table: str, made: Path) -> None:
    """Write down size and time of the file of a fact, as it is once it is finished."""
    made.chmod(PRIVATE_FILE)
    _note(folder / f"{table}.json", _stamp(made))


def _note(path: Path, told: object) -> None:
    publish(str(path), json.dumps(told).encode(), durable=False)


def _is_finished(folder: Path, table: str) -> bool:
    """Return whether size and time of the file of a fact are those that were written down with it."""
    try:
        return bool(json.loads((folder / f"{table}.json").read_text("utf-8")) == _stamp(folder / f"{table}.parquet"))
    except (OSError, ValueError):
        return False


@cache
def _types(folder: Path) -> frozenset[str] | None:
    """Return the types of the events of a part, which stay as long as its name does; None where they are not known."""
    try:
        return frozenset(json.loads((folder / TYPES).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _stamp(path: Path) -> list[int]:
    status = path.stat()
    return [status.st_size, status.st_mtime_ns]
