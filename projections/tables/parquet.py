"""Run the models of the facts: of the events over files of validated lines, of the others over the events.

Whoever calls vouches for the lines: DuckDB makes a null of what it cannot read and rounds what should be whole.
"""

import contextlib
import os
import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from linetrail.ledger.errors import StorageError
from linetrail.projections.statements import statement
from linetrail.projections.tables import models
from linetrail.projections.tables.cache import ASIDE, EVENTS, CacheError, Part
from linetrail.projections.tables.models import Model
from linetrail.projections.tables.progress import working
from linetrail.projections.tables.sql_text import literal, parquet_rows

if TYPE_CHECKING:
    import duckdb

# What every database here is opened with: it fetches nothing, and spills nothing into the working directory.
OFFLINE = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false", "temp_directory": ""}
# The first level is half again as fast as the usual one, and the files are no larger.
PARQUET = "format parquet, compression zstd, compression_level 1"
# What is read once takes half the time.
PASSING = "format parquet, compression uncompressed"
_CHOSEN = "semi join (select unnest($positions::bigint[]) as position) as chosen on chosen.position = events.position"
# Stretches written at once, each by a thread of its own.
WRITERS = 2
_thread = threading.local()


def write_events(sources: Sequence[tuple[Path, int]], folder: Path, layout: str = PARQUET) -> Collection[str]:
    """Write the events about these lines into the folder, from which all other facts follow; return their types.

    A source is a file of lines and what to add to their `seq`: its sum is their place in the order of all events.
    """
    lines = {"lines": [str(path) for path, _ in sources], "bases": [base for _, base in sources]}
    reading = models.reading()
    with writing_database() as database:
        database.execute(f"create or replace temp table {reading.name} as {reading.sql}", lines)
        types = database.execute(f"select distinct event_type from {reading.name}").fetchall()  # noqa: S608  the name of a model's file
        _copy(database, models.fact(EVENTS).sql, folder / f"{EVENTS}.parquet", layout)
        database.execute(f"drop table {reading.name}")
    return [kind for (kind,) in types]


def copy_events(
    connection: "duckdb.DuckDBPyConnection", files: Iterable[str], positions: Sequence[int], folder: Path
) -> Collection[str]:
    """Write the events at these places, which are in these files, into a folder; return their types."""
    made = str(folder / f"{EVENTS}.parquet")
    rows = f"select events.* {parquet_rows(files)} as events {_CHOSEN}"
    connection.execute(f"copy ({rows}) to $file ({PASSING})", {"file": made, "positions": list(positions)})
    types = connection.execute("select distinct event_type from read_parquet($file)", {"file": made}).fetchall()
    return [kind for (kind,) in types]


def add_facts(connection: "duckdb.DuckDBPyConnection", parts: Sequence[Part], names: Collection[str]) -> None:
    """Make these facts of all these stretches, the first of all among them, where they are not there yet."""
    wanted = with_needs(names)
    missing = [part for part in parts if any(part.lacks(model.name) for model in wanted)]
    add = partial(_add_facts, connection, parts[0], wanted)
    with working("working out tables", sum(part.length for part in missing), "events") as advance:
        # what says nothing in another stretch has the columns of the first
        for part in missing[:1]:
            add(part)
            advance(part.length)
        if len(missing) > 1:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(WRITERS) as writer:
                for part, _ in zip(missing[1:], writer.map(add, missing[1:]), strict=True):
                    advance(part.length)


def with_needs(names: Iterable[str]) -> Sequence[Model]:
    """Return these facts and those that they are made of, but for the events, each after what it needs."""
    chosen = set(names)
    for model in reversed(models.stored()):
        chosen |= model.needs if model.name in chosen else set()
    return [model for model in models.stored() if model.name in chosen - {EVENTS}]


def _add_facts(connection: "duckdb.DuckDBPyConnection", first: Part, wanted: Sequence[Model], part: Part) -> None:
    """Make facts of a stretch."""
    read_by_others = frozenset[str]().union(*(model.needs for model in wanted))
    made = part.folder / f"{ASIDE}{os.getpid()}-{threading.get_ident()}"
    with storing(part.folder), connection.cursor() as cursor:
        cursor.execute(f"create temp view {EVENTS} as from read_parquet({literal(part.file(EVENTS))})")
        cursor.execute(f"create temp view {models.reading().name} as {statement('events_as_read')}")
        try:
            for model in wanted:
                if part.lacks(model.name):
                    _copy(cursor, model.sql, made)
                    part.add(model.name, made)
                if model.name in read_by_others:
                    source, most = (part, "") if part.has(model.name) else (first, " limit 0")
                    read = f"from read_parquet({literal(source.file(model.name))}){most}"
                    cursor.execute(f"create temp view {model.name} as {read}")
        finally:
            made.unlink(missing_ok=True)


def _copy(connection: "duckdb.DuckDBPyConnection", rows: str, file: Path, layout: str = PARQUET) -> None:
    connection.execute(f"copy ({rows}) to $file ({layout})", {"file": str(file)})


@contextlib.contextmanager
def storing(folder: Path) -> Iterator[None]:
    """Say that a folder cannot be written, or is not there any more, whoever finds that out."""
    from linetrail.projections.tables.native import IOException

    try:
        yield
    except (OSError, IOException) as error:
        if not folder.exists():
            raise CacheError(error) from None
        raise StorageError(f"cannot write the cache in {folder.parent}: {error}") from None


def engine() -> str:
    """Name the version of DuckDB, which need not be loaded for that."""
    from importlib.util import find_spec

    spec = find_spec("duckdb")
    beside = Path(spec.origin).parent.parent if spec and spec.origin else Path()
    installed = [folder.name for folder in beside.glob("duckdb-*.dist-info")]
    if len(installed) == 1:
        return installed[0].removeprefix("duckdb-").removesuffix(".dist-info")
    from importlib.metadata import version  # brings what reads mail, and takes as long as the rest of a question

    return version("duckdb")


def takes(folder: str) -> bool:
    """Return whether DuckDB can open files in a folder: their names have to be UTF-8, which Linux does not ask for."""
    return all(not "\udc80" <= sign <= "\udcff" for sign in folder)


@contextlib.contextmanager
def writing_database() -> "Iterator[duckdb.DuckDBPyConnection]":
    """Lend the database in which this thread writes files, to be left empty: a new one takes longer than a question.

    It has one thread, since a stretch is too short to be divided; several stretches can be written at once.
    """
    from linetrail.projections.tables.native import connect

    database = spare() or connect(config={**OFFLINE, "threads": 1})
    yield database
    _thread.database = database


def spare() -> "duckdb.DuckDBPyConnection | None":
    """Return the database in which this thread wrote files last, which it then has no more."""
    database: duckdb.DuckDBPyConnection | None = vars(_thread).pop("database", None)
    return database
