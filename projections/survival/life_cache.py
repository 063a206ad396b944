"""Cache the lives of all lines by file, and follow again only files that later events touched.

A file is named by the last change that it took in, by all changes up to there, and by its own size and time, which any
later write changes: so it is right or has another name.
"""

import atexit
import contextlib
import gc
import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import PRIVATE_FILE, make_folder
from linetrail.projections.lines.attribution import RULES
from linetrail.projections.lines.surviving_lines import pasts
from linetrail.projections.survival.line_lives import Lives, in_file
from linetrail.projections.tables.computed_cache import GRACE_SECONDS
from linetrail.projections.tables.computed_cache import folder as computed_folder
from linetrail.projections.tables.parquet import engine

if TYPE_CHECKING:
    from linetrail.ledger.repository import Repository
    from linetrail.projections.tables.tables import Tables

# 1: first layout.
# 2: with the hash of each stretch.
LAYOUT = 2
# So many files are kept: another process may still be reading the one before the last.
KEPT = 3
_COLUMNS = {
    "path": "VARCHAR",
    "born": "BIGINT",
    "born_path": "VARCHAR",
    "killed": "BIGINT",
    "lost": "BIGINT",
    "content_hash": "VARCHAR",
    "hashes": "VARCHAR[]",
    "numbers": "BIGINT[]",
    "last_numbers": "BIGINT[]",
}
_PLACE = """
select max(position), coalesce(bit_xor(hash(position, file_index, event_id)), 0)
from mutation_files
where position <= $until
"""
_NAME = re.compile(r"lives-([0-9a-f]{16})-(\d+)-(\d+)-(\d+-\d+)\.parquet")
_ALL = 1 << 62


class _Place(NamedTuple):
    """The last change that was taken in, and a sum of all up to there."""

    position: int
    changes: int


def lives(tables: "Tables", folder: Path | None) -> Path:
    """Return a Parquet file with the lives of all lines, kept in a folder or for as long as this process runs."""
    wanted = _place(tables, _ALL)
    known = _known(tables, folder, wanted) if folder else None
    if known is not None and known[1] == wanted:
        return known[0]
    place = folder or _temporary_folder()
    aside = Path(tempfile.mkdtemp(prefix="aside-", dir=place))
    try:
        made = _made(tables, aside, known)
        made.chmod(PRIVATE_FILE)
        target = place / f"lives-{_rules()}-{wanted.position}-{wanted.changes}-{_stamp(made)}.parquet"
        os.replace(made, target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    if folder is not None:
        _sweep(folder)
    return target


def fingerprint(tables: "Tables") -> list[object]:
    """Name all that the lives of lines follow from."""
    return [RULES, LAYOUT, *_place(tables, _ALL)]


def own_folder(repository: "Repository") -> Path | None:
    """Return the folder to keep the lives in, which goes with the computed tables; None where it cannot be written."""
    folder = computed_folder(repository) / "lives"
    with contextlib.suppress(OSError):
        make_folder(str(folder))
        return folder if os.access(folder, os.W_OK) else None
    return None


@cache
def _temporary_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="linetrail-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _sweep(folder: Path) -> None:
    """Keep what was made last, and what somebody may be reading or making."""
    files = [path for path in folder.iterdir() if path.is_file()]
    for path in sorted(files, key=lambda path: path.stat().st_mtime_ns)[:-KEPT]:
        path.unlink(missing_ok=True)
    old = time.time() - GRACE_SECONDS
    for path in folder.glob("aside-*"):
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < old:
                shutil.rmtree(path, ignore_errors=True)


def _made(tables: "Tables", aside: Path, known: tuple[Path, _Place] | None) -> Path:
    """Work off the files that were touched since what is known, and put the others beside them."""
    import duckdb

    fresh, paths, made = aside / "fresh.json", aside / "paths.json", aside / "lives.parquet"
    try:
        with fresh.open("wb") as lines, paths.open("wb") as touched:
            encode = msgspec.json.Encoder().encode
            for path, found in _worked_off(tables, known[1].position if known else 0):
                touched.write(encode({"path": path}) + b"\n")
                lines.writelines(encode(each._asdict()) + b"\n" for each in found)
        new = tables.connection.read_json(str(fresh), columns=_COLUMNS, format="newline_delimited")
        if known is not None:
            again = tables.connection.read_json(str(paths), columns={"path": "VARCHAR"}, format="newline_delimited")
            old = tables.connection.read_parquet(str(known[0]))
            new = new.union(old.join(again, "path", how="anti"))
        new.write_parquet(str(made), compression="zstd")
    except (OSError, duckdb.IOException) as error:
        raise StorageError(f"cannot write the cache in {aside.parent}: {error}") from None
    return made


def _worked_off(tables: "Tables", after: int) -> Iterator[tuple[str, list[Lives]]]:
    """Yield the lives in each file that a change behind this position touched."""
    with _collected_later():
        for portion in pasts(tables, after):
            for path, past in portion.items():
                yield path, in_file(path, past) if past else []


@contextlib.contextmanager
def _collected_later() -> Iterator[None]:
    """Look for garbage when all is done: among a million lines that are in use it takes two thirds of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _known(tables: "Tables", folder: Path, wanted: _Place) -> tuple[Path, _Place] | None:
    """Return what was kept last of this very ledger."""
    for path, place in sorted(_kept(folder), key=lambda kept: -kept[1].position):
        if place.position <= wanted.position and _place(tables, place.position) == place:
            return path, place
    return None


def _kept(folder: Path) -> Iterator[tuple[Path, _Place]]:
    for path in folder.glob("lives-*.parquet"):
        name = _NAME.fullmatch(path.name)
        with contextlib.suppress(OSError):
            if name and name[1] == _rules() and name[4] == _stamp(path):
                yield path, _Place(int(name[2]), int(name[3]))


def _stamp(path: Path) -> str:
    status = path.stat()
    return f"{status.st_size}-{status.st_mtime_ns}"


def _place(tables: "Tables", until: int) -> _Place:
    position, changes = tables.ask(_PLACE, {"until": until}).rows[0]
    return _Place(position or 0, changes)


def _rules() -> str:
    """Name what the lives follow from besides the ledger."""
    return hashlib.sha256(f"{LAYOUT} {RULES} {engine()}".encode()).hexdigest()[:16]
