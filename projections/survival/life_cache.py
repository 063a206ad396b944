"""Cache the lives of all lines by file, and follow again only files that have other changes than before.

What is kept is named by all changes that it took in, and by its own size and time, which any later write changes: so it
is right or has another name. The lives in it go by the changes of their file alone, each by its number among them: they
hold wherever these changes stand in the ledger by now, since a segment that comes may stand before others.
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
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import PRIVATE_FILE, make_folder
from linetrail.projections.lines.attribution import RULES
from linetrail.projections.lines.surviving_lines import names_of_files, pasts
from linetrail.projections.statements import statement
from linetrail.projections.survival.line_lives import Lives, in_file
from linetrail.projections.tables.computed_cache import GRACE_SECONDS
from linetrail.projections.tables.computed_cache import folder as computed_folder
from linetrail.projections.tables.parquet import engine
from linetrail.projections.tables.sql_text import literal

if TYPE_CHECKING:
    from linetrail.ledger.repository import Repository
    from linetrail.projections.tables.tables import Tables

# 1: first layout.
# 2: with the hash of each stretch.
# 3: with the changes of the file that they follow from.
LAYOUT = 3
# So many files are kept: another process may still be reading the one before the last.
KEPT = 3
_COLUMNS = {
    "file": "VARCHAR",
    "past": "UBIGINT",
    "path": "VARCHAR",
    "born_nth": "BIGINT",
    "born_path": "VARCHAR",
    "killed_nth": "BIGINT",
    "lost_nth": "BIGINT",
    "content_hash": "VARCHAR",
    "hashes": "VARCHAR[]",
    "numbers": "BIGINT[]",
    "last_numbers": "BIGINT[]",
}
_CHANGES = "select count(*), coalesce(bit_xor(hash(position, file_index, event_id)), 0) from mutation_files"
_UNKNOWN = "select file, past, places from file_pasts anti join followed_lives using (file, past)"
_NAME = re.compile(r"lives-([0-9a-f]{16})-(\d+)-(\d+)-(\d+-\d+)\.parquet")


class _Changes(NamedTuple):
    """How many changes were taken in, and a sum of all of them."""

    number: int
    named: int


def lives(tables: "Tables", folder: Path | None) -> Path:
    """Return a Parquet file with the lives of all lines, kept in a folder or for as long as this process runs."""
    wanted = _changes(tables)
    kept = _kept(folder) if folder else []
    for path, changes in kept:
        if changes == wanted:
            return path
    place = folder or _temporary_folder()
    aside = Path(tempfile.mkdtemp(prefix="aside-", dir=place))
    try:
        made = _made(tables, aside, kept[-1][0] if kept else None)
        made.chmod(PRIVATE_FILE)
        target = place / f"lives-{_rules()}-{wanted.number}-{wanted.named}-{_stamp(made)}.parquet"
        os.replace(made, target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    if folder is not None:
        _sweep(folder)
    return target


def fingerprint(tables: "Tables") -> list[object]:
    """Name all that the lives of lines follow from."""
    return [RULES, LAYOUT, *_changes(tables)]


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


def _made(tables: "Tables", aside: Path, known: Path | None) -> Path:
    """Follow the lines of the files of which these changes are not known yet, and put the others beside them."""
    import duckdb

    fresh, made = aside / "fresh.json", aside / "lives.parquet"
    connection = tables.connection
    tables.show(["mutation_files"])
    names = names_of_files(tables)
    try:
        connection.execute(statement("file_pasts"), {"names": list(names), "files": list(names.values())})
        fresh.touch()
        connection.execute(_followed(fresh, known))
        with fresh.open("wb") as lines:
            encode = msgspec.json.Encoder().encode
            lines.writelines(encode(each) + b"\n" for each in _unknown(tables, names))
        connection.execute(
            f"copy ({statement('lives_placed')}) to {literal(str(made))} (format parquet, compression zstd)"
        )
        connection.execute("drop view followed_lives; drop table file_pasts")
    except (OSError, duckdb.IOException) as error:
        raise StorageError(f"cannot write the cache in {aside.parent}: {error}") from None
    return made


def _followed(fresh: Path, known: Path | None) -> str:
    """Return the statement that makes lives visible: those that will be in `fresh`, and those that are known."""
    columns = ", ".join(f"{name}: {literal(kind)}" for name, kind in _COLUMNS.items())
    rows = f"from read_json({literal(str(fresh))}, columns = {{{columns}}}, format = 'newline_delimited')"
    if known is not None:
        rows += f" union all by name select {', '.join(_COLUMNS)} from read_parquet({literal(str(known))})"  # noqa: S608  names of our own
    return f"create or replace temp view followed_lives as {rows}"


def _unknown(tables: "Tables", names: Mapping[str, str]) -> Iterator[Mapping[str, object]]:
    """Yield the lives of lines of each file whose lives are not known; of a name without any, a row that says so."""
    unknown = {file: (past, places) for file, past, places in tables.connection.execute(_UNKNOWN).fetchall()}
    touched = {*(unknown.keys() - names.keys()), *(name for name, file in names.items() if file in unknown)}
    with _collected_later():
        for portion in pasts(tables, touched):
            for path, changes in portion.items():
                file = names.get(path, path)
                past, places = unknown[file]
                nth: Mapping[int | None, int | None] = {None: None} | dict(zip(places, count(1), strict=False))
                found = [_told(each, nth) for each in in_file(path, changes)] if changes else []
                for lines in found or [dict.fromkeys(_COLUMNS) | {"hashes": []}]:
                    yield lines | {"file": file, "past": past, "path": path}


def _told(lives: Lives, nth: Mapping[int | None, int | None]) -> dict[str, object]:
    """Return lives with each change that began or ended them by its number among those of their file."""
    told = lives._asdict()
    return told | {f"{name}_nth": nth[told.pop(name)] for name in ("born", "killed", "lost")}


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


def _kept(folder: Path) -> list[tuple[Path, _Changes]]:
    """Return what was kept as it was made, the latest last."""
    found = []
    for path in folder.glob("lives-*.parquet"):
        name = _NAME.fullmatch(path.name)
        with contextlib.suppress(OSError):
            if name and name[1] == _rules() and name[4] == _stamp(path):
                found.append((path.stat().st_mtime_ns, path, _Changes(int(name[2]), int(name[3]))))
    return [(path, changes) for _, path, changes in sorted(found)]


def _stamp(path: Path) -> str:
    status = path.stat()
    return f"{status.st_size}-{status.st_mtime_ns}"


def _changes(tables: "Tables") -> _Changes:
    return _Changes(*tables.ask(_CHANGES).rows[0])


def _rules() -> str:
    """Name what the lives follow from besides the ledger."""
    return hashlib.sha256(f"{LAYOUT} {RULES} {engine()}".encode()).hexdigest()[:16]
