"""Keep computed tables as Parquet files in the cache, each under a name made of all that it follows from."""

import atexit
import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import PRIVATE_FILE, make_folder
from linetrail.ledger.repository import Repository
from linetrail.projections.tables import arrow
from linetrail.projections.tables.cache import ASIDE
from linetrail.projections.tables.parquet import engine, takes

if TYPE_CHECKING:
    import duckdb

# 1: rows of Python went through JSON. 2: through Arrow.
VERSION = 2
# The last bytes of a Parquet file.
_END = b"PAR1"
# What is out of date stays for a day: somebody may still be reading it.
GRACE_SECONDS = 86_400
_temporary: list[str] = []


def provide(
    repository: Repository,
    name: str,
    follows_from: object,
    columns: Mapping[str, str],
    make: "Callable[[], Iterable[Sequence[object]] | duckdb.DuckDBPyRelation]",
    *,
    keep: bool = True,
) -> Path:
    """Return the Parquet file of a table, whose rows follow from certain values; make them unless it is there."""
    kept = file(repository, name, follows_from)
    if is_whole(kept):
        return kept
    import duckdb  # noqa: F401  rows may be a relation, which its package adds to the engine

    rows = make()
    place = writable_folder(repository, keep=keep)
    try:
        made = _write(rows, columns, place)
        os.replace(made, place / kept.name)
    except OSError as error:
        raise StorageError(f"cannot write the cache in {place}: {error.strerror}") from None
    _sweep(place, name, kept.name)
    return place / kept.name


def file(repository: Repository, name: str, follows_from: object) -> Path:
    """Return where a table is kept, whether it is there or not."""
    text = json.dumps([name, VERSION, engine(), follows_from])
    return folder(repository) / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:32]}.parquet"


def is_whole(path: Path) -> bool:
    """Return whether a table is kept there, and ends as Parquet does: a loss of power may have cut it short."""
    try:
        with path.open("rb") as kept:
            kept.seek(-len(_END), os.SEEK_END)
            return kept.read() == _END
    except OSError:
        return False


def folder(repository: Repository) -> Path:
    """Return the folder of computed tables."""
    return Path(repository.folder, "cache", "computed")


def writable_folder(repository: Repository, *, keep: bool = True) -> Path:
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

    made = Path(tempfile.mkdtemp(prefix=ASIDE, dir=place))
    try:
        target = made / "made.parquet"
        if isinstance(rows, duckdb.DuckDBPyRelation):
            rows.write_parquet(str(target), compression="zstd")
        else:
            arrow.write(rows, columns, target)
        target.chmod(PRIVATE_FILE)
        return target.rename(place / f"{made.name}.parquet")
    except duckdb.IOException as error:
        raise StorageError(f"cannot write the cache in {place}: {error}") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _sweep(place: Path, name: str, wanted: str) -> None:
    """Remove what nobody can be reading any more of a table that was just made anew."""
    old = time.time() - GRACE_SECONDS
    for path in [*place.glob(f"{name}-*.parquet"), *place.glob(f"{ASIDE}*")]:
        with contextlib.suppress(OSError):
            if path.name != wanted and path.stat().st_mtime < old:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
