"""The process that a query of anybody's is answered in: it opens the tables, then takes every right from itself.

The request is one line on stdin, the reply is all that ever goes to stdout: what the engine itself may print goes
nowhere. DuckDB is told to leave files, network, extensions and settings alone, and cannot be told otherwise later;
the kernel limits what it may use. DuckDB's own limits alone are no boundary: a list of half a billion numbers took
sixty times the memory it was allowed, and heard no interrupt.
"""

import json
import os
import re
import signal
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linetrail.ledger.errors import UsageError
from linetrail.ledger.log.store import START
from linetrail.projections.tables import models
from linetrail.projections.tables.cache import Part, files, span
from linetrail.projections.tables.parquet import OFFLINE
from linetrail.projections.tables.sql_text import literal, quoted
from linetrail.projections.tables.tables import Tables, named
from linetrail.queries.ask.connection import asks_what_there_is, describe
from linetrail.queries.render.text import json_value, plain
from linetrail.queries.sandbox.limits import GRACE, MAX_BYTES, MAX_MESSAGE, MEMORY, THREADS, TOO_LARGE

if TYPE_CHECKING:
    import duckdb

CONFIG: dict[str, str | int | float | list[str]] = {
    # DuckDB gives up by itself, with a better message, before the process is stopped from outside.
    "memory_limit": "640MB",
    "threads": THREADS,
    "python_enable_replacements": "false",
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "max_temp_directory_size": "0B",
}
_AT_ONCE = 1_000
_WORD = re.compile(r"\w+")


def main() -> None:
    """Read one request from stdin, write one reply to stdout."""
    answer = os.fdopen(alone(), "wb")
    request = json.loads(sys.stdin.buffer.readline())
    connection = locked(request)
    threading.Thread(target=_watch, daemon=True).start()
    confine(request["seconds"])
    try:
        reply = b"".join(reply_to(connection, request))
    except MemoryError:
        reply = b'{"stopped": "the answer needed more memory than one may have"}'
    answer.write(reply)
    answer.flush()
    os._exit(0)  # the engine may hold more than it can tidy up within its limits


def alone() -> int:
    """Return the way out for the reply, and leave none to anybody else."""
    reply, nowhere = os.dup(1), os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    return reply


def reply_to(connection: "duckdb.DuckDBPyConnection", request: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield the reply to a request, as JSON."""
    import duckdb

    try:
        statement = only_select(connection, request["sql"], explain=request.get("explain", False))
        cursor = connection.execute(statement, _bound(request["parameters"]))
        columns = _unique(column[0] for column in cursor.description or ())
        rows, complete = _rows(cursor, request["max_rows"])
    except (MemoryError, duckdb.OutOfMemoryException):
        yield _said("stopped", "the query needed more memory than one may have")
    except _TooMuchError:
        yield _said("stopped", f"the answer takes more than {MAX_BYTES // 2**20} MB")
    except (duckdb.Error, UsageError, UnicodeError) as error:
        yield _said("refused", str(error))
    else:
        yield b'{"columns": %b, "complete": %b, "rows": [' % (_json(columns), _json(complete))
        yield b",".join(rows)
        yield b"]}"


def _unique(names: Iterable[str]) -> list[str]:
    """Return names of which no two are the same: rows are printed by them."""
    unique: dict[str, None] = {}
    for name in names:
        number = 0
        while (candidate := f"{name}_{number}" if number else name) in unique:
            number += 1
        unique[candidate] = None
    return list(unique)


class _TooMuchError(Exception):
    """The rows take more room than an answer may."""


def _rows(cursor: "duckdb.DuckDBPyConnection", most: int) -> tuple[list[bytes], bool]:
    """Return the rows as JSON, and whether these are all."""
    rows: list[bytes] = []
    size = 0
    while len(rows) <= most:
        some = cursor.fetchmany(min(_AT_ONCE, most + 1 - len(rows)))
        if not some:
            return rows, True
        for row in some:
            rows.append(_json(json_value(row)))
            size += len(rows[-1])
            if size > MAX_BYTES:
                raise _TooMuchError
    return rows[:most], False


def _said(what: str, words: str) -> bytes:
    """Return a reply in words; the engine repeats what it was told, be it long or meant to steer a terminal."""
    cut = words.strip()[:MAX_MESSAGE]
    return _json({what: "\n".join(map(plain, cut.split("\n")))})


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _bound(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as they were before they were made JSON."""
    return {
        name: datetime.fromisoformat(value["moment"]) if isinstance(value, Mapping) else value
        for name, value in parameters.items()
    }


def only_select(connection: "duckdb.DuckDBPyConnection", sql: str, *, explain: bool = False) -> "duckdb.Statement":
    """Return the one statement of a text if it only asks, or what explains it."""
    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise UsageError(f"one select at a time: found {len(statements)} statements")
    kind = _kind(statements[0])
    if kind != "select":
        how = "; ask with --explain" if kind == "explain" else ""
        raise UsageError(f"only a select may be asked, this is {kind}{how}")
    if not explain:
        return statements[0]
    [explained] = connection.extract_statements(f"explain {sql}")
    if _kind(explained) != "explain":
        raise UsageError("this cannot be explained")
    return explained


def _kind(statement: "duckdb.Statement") -> str:
    try:
        return str(statement.type).removeprefix("StatementType.").lower()
    except ValueError:
        return "something else"  # a kind that came to the engine later than to its Python package


def locked(request: Mapping[str, Any]) -> "duckdb.DuckDBPyConnection":
    """Return a database over the files of a request from which nothing else can be reached."""
    connection, allowed = _over_files(request) if "tables" in request else _over_parts(request)
    connection.execute("set allowed_paths = $files", {"files": allowed})
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    return connection


def _over_files(request: Mapping[str, Any]) -> "tuple[duckdb.DuckDBPyConnection, list[str]]":
    """Return a database over tables that lie in files, and the files."""
    import duckdb

    connection = duckdb.connect(config=CONFIG | OFFLINE)
    tables = request["tables"]
    words = set(_WORD.findall(request["sql"].lower()))
    shown = tables if asks_what_there_is(request["sql"]) else [name for name in tables if name in words]
    for name in shown:
        connection.execute(_files_view(name, **tables[name]))
    return connection, [file for name in shown for file in tables[name]["files"]]


def _files_view(name: str, columns: Sequence[tuple[str, str]], files: Sequence[str]) -> str:
    """Return the statement that shows files as a view; without any file it has the same columns and no row."""
    if not files:
        nothing = ", ".join(f"cast(null as {kind}) as {quoted(column)}" for column, kind in columns)
        return f"create view {quoted(name)} as select {nothing} limit 0"
    chosen = ", ".join(quoted(column) for column, _ in columns)
    read = f"read_parquet([{', '.join(map(literal, files))}], hive_partitioning = false)"
    return f"create view {quoted(name)} as select {chosen} from {read}"  # noqa: S608  names from a manifest, quoted


def _over_parts(request: Mapping[str, Any]) -> "tuple[duckdb.DuckDBPyConnection, list[str]]":
    """Return a database over the tables of one ledger, and the files that they are read from."""
    parts = [Part(Path(folder), span(Path(folder))[0], START) for folder in request["folders"]]
    computed = request["computed"]
    allowed = [file for model in models.stored() for file in files(parts, model.name)]
    tables = Tables(parts, lambda _, name: Path(computed[name]) if name in computed else None, CONFIG)
    tables.show(named(request["sql"]))
    connection = tables.connection
    if asks_what_there_is(request["sql"]):
        tables.outline()
        describe(connection, {view.name for view in models.views()})
    return connection, [*allowed, *computed.values()]


def confine(seconds: float) -> None:
    """Take from this process what no answer needs, for good."""
    if sys.platform == "win32":
        return
    import resource

    # Nothing in Python hears these signals, so the kernel ends the process, whatever it is at.
    signal.setitimer(signal.ITIMER_REAL, seconds + GRACE)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    for what, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, int(used + THREADS * (seconds + GRACE)) + 1),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NPROC, 0),
    ):
        resource.setrlimit(what, (most, most))


def _watch() -> None:
    """End the process when nobody waits any more; where the kernel limits no memory, also when it has too much."""
    import select

    waiting = True
    while waiting:
        waiting = not select.select([0], [], [], 0.05)[0]
        if sys.platform == "darwin":
            import resource

            if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > MEMORY:
                os._exit(TOO_LARGE)
    os._exit(1)


if __name__ == "__main__":
    main()
