"""Keep computed tables as Parquet files in the cache, each under a name made of all that it follows from."""

import atexit
import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import PRIVATE_FILE, make_folder
from linetrail.ledger.repository import Repository
from linetrail.projections.tables.computed import Asked, computed
from linetrail.projections.tables.parquet import OFFLINE, engine, takes

if TYPE_CHECKING:
    import duckdb

# What is out of date stays for a day: somebody may still be reading it.
GRACE_SECONDS = 86_400
_temporary: list[str] = []


def provide(name: str, asked: Asked, *, keep: bool = True) -> Path:
    """Return the Parquet file of a computed table; work it out unless it is there."""
    module = computed(name)
    told = json.dumps([name, module.VERSION, dict(module.COLUMNS), engine(), module.key(asked)])
    wanted = f"{name}-{hashlib.sha256(told.encode()).hexdigest()[:32]}.parquet"
    kept = folder(asked.repository) / wanted
    if kept.is_file():
        return kept
    rows = module.rows(asked)
    place = _folder(asked.repository, keep=keep)
    try:
        made = _write(rows, module.COLUMNS, place)
        os.replace(made, place / wanted)
    except OSError as error:
        raise StorageError(f"cannot write the cache in {place}: {error.strerror}") from None
    _sweep(place, name, wanted)
    return place / wanted


def folder(repository: Repository) -> Path:
    """Return the folder of computed tables."""
    return Path(repository.folder, "cache", "computed")


def files(repository: Repository, names: Iterable[str]) -> set[str]:
    """Return the names of the files that are kept of these tables."""
    return {path.name for name in names for path in folder(repository).glob(f"{name}-*.parquet")}


def forget(repository: Repository) -> None:
    """Remove every computed table."""
    shutil.rmtree(folder(repository), ignore_errors=True)


def _write(
    rows: "Iterable[Sequence[object]] | duckdb.DuckDBPyRelation", columns: Mapping[str, str], place: Path
) -> Path:
    import duckdb

    made = Path(tempfile.mkdtemp(prefix="aside-", dir=place))
    try:
        target = made / "made.parquet"
        if isinstance(rows, duckdb.DuckDBPyRelation):
            rows.write_parquet(str(target), compression="zstd")
        else:
            _from_python(rows, columns, made / "rows.json", target)
        target.chmod(PRIVATE_FILE)
        return target.rename(place / f"{made.name}.parquet")
    except duckdb.IOException as error:
        raise StorageError(f"cannot write the cache in {place}: {error}") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _from_python(rows: Iterable[Sequence[object]], columns: Mapping[str, str], lines: Path, target: Path) -> None:
    import duckdb

    encode = msgspec.json.Encoder(enc_hook=str).encode
    with lines.open("wb") as file:
        for row in rows:
            file.write(encode(dict(zip(columns, map(_plain, row), strict=True))))
            file.write(b"\n")
    with duckdb.connect(config=dict(OFFLINE)) as database:
        read = database.read_json(str(lines), columns=dict(columns), format="newline_delimited")
        read.write_parquet(str(target), compression="zstd")


def _plain(value: object) -> object:
    """Return what JSON holds. A name that is no Unicode has its bytes as git shows them."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode(errors="backslashreplace").decode()
    return value.isoformat() if isinstance(value, datetime) else value


def _folder(repository: Repository, *, keep: bool) -> Path:
    """Return a folder that can be written: that of the cache, else one that lives as long as this process."""
    place = folder(repository)
    if keep and takes(repository.folder) and os.path.isdir(repository.folder):
        with contextlib.suppress(OSError):
            make_folder(str(place))
            if os.access(place, os.W_OK):
                return place
    if not _temporary:
        _temporary.append(tempfile.mkdtemp(prefix="linetrail-"))
        atexit.register(shutil.rmtree, _temporary[0], ignore_errors=True)
    return Path(_temporary[0])


def _sweep(place: Path, name: str, wanted: str) -> None:
    """Remove what nobody can be reading any more of a table that was just made anew."""
    old = time.time() - GRACE_SECONDS
    for path in [*place.glob(f"{name}-*.parquet"), *place.glob("aside-*")]:
        with contextlib.suppress(OSError):
            if path.name != wanted and path.stat().st_mtime < old:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
