"""Run the models of the facts over files of validated lines, and write one Parquet file a fact.

Whoever calls vouches for the lines: DuckDB makes a null of what it cannot read and rounds what should be whole.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from linetrail.projections.tables import models

if TYPE_CHECKING:
    import duckdb

# What every database here is opened with: it fetches nothing, and spills nothing into the working directory.
OFFLINE = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false", "temp_directory": ""}
# The first level is half again as fast as the usual one, and the files are no larger.
PARQUET = "format parquet, compression zstd, compression_level 1"
_thread = threading.local()


def write_facts(sources: Sequence[tuple[Path, int]], folder: Path, *, every: bool) -> Iterator[tuple[str, float]]:
    """Write the facts about these lines into the folder; yield the seconds of each.

    A source is a file of lines and what to add to their `seq`: its sum is their place in the order of all events.
    A fact of which no line can say anything has no file, unless `every` one is to have one.
    """
    database = spare() or _opened()
    lines = {"lines": [str(path) for path, _ in sources], "bases": [base for _, base in sources]}
    first, *others = models.facts()
    start = time.perf_counter()
    database.execute(f"create or replace temp table {first.name} as {first.sql}", lines)
    types = {kind for (kind,) in database.execute(f"select distinct event_type from {first.name}").fetchall()}  # noqa: S608  the name of a model's file
    yield first.name, time.perf_counter() - start
    said = {model.name for model in others if every or model.types is None or model.types & types}
    read_by_others = frozenset[str]().union(*(model.needs for model in others if model.name in said))
    for model in others:
        start = time.perf_counter()
        rows = model.sql
        if model.name in read_by_others:
            database.execute(f"create or replace temp table {model.name} as {rows}")
            rows = f"from {model.name}"
        if model.name in said:
            database.execute(f"copy ({rows}) to $file ({PARQUET})", {"file": str(folder / f"{model.name}.parquet")})
        yield model.name, time.perf_counter() - start
    for name in read_by_others:
        database.execute(f"drop table {name}")
    _thread.database = database


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


def spare() -> "duckdb.DuckDBPyConnection | None":
    """Return the database in which this thread wrote facts last, empty again: a new one takes longer than a question.

    It has one thread, since a stretch is too short to be divided; several stretches can be written at once.
    """
    database: duckdb.DuckDBPyConnection | None = vars(_thread).pop("database", None)
    return database


def _opened() -> "duckdb.DuckDBPyConnection":
    import duckdb

    return duckdb.connect(config={**OFFLINE, "threads": 1})
