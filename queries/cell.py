"""Answer SQL that anybody may have written, in a process of its own that can do nothing else.

The process opens the tables, then locks its database: no file but those of the tables, no network, no extension, no
setting. It may use so much memory and so much time, and is killed when it wants more. DuckDB's own limits alone are
no boundary: a list of half a billion numbers took sixty times the memory it was allowed, and heard no interrupt.
"""

import json
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from linetrail.ledger.errors import LinetrailError, UsageError
from linetrail.ledger.repository import Repository, require_ledger
from linetrail.ledger.store import START
from linetrail.projections.cut import Cut
from linetrail.projections.models import stored
from linetrail.projections.parts import Parts
from linetrail.projections.shelf import Part
from linetrail.projections.tables import Table, Tables, computed_in, named, tables_over
from linetrail.queries.ask import describe
from linetrail.queries.render import json_value

if TYPE_CHECKING:
    import duckdb

SECONDS = 10.0
MEMORY = 1_536 * 1024 * 1024
MAX_ROWS = 100_000
MAX_BYTES = 64 * 1024 * 1024
# `memory_limit` lets DuckDB give up by itself, with a better message, before the process is stopped from outside.
CONFIG = {"memory_limit": "1GB", "python_enable_replacements": "false"}


class StoppedError(LinetrailError):
    """A query that wanted more time, memory or room than one may have."""

    exit_status = 1
    hint = "ask for less: fewer rows, a shorter time, a smaller join"


class Answer(NamedTuple):
    """What a query answered. `complete` is false when there are more rows than may be had."""

    table: Table
    complete: bool


def ask(
    repository: Repository,
    sql: str,
    parameters: Mapping[str, object] | None = None,
    *,
    until: Cut | None = None,
    paths: Sequence[str] = (),
    seconds: float = SECONDS,
    max_rows: int = MAX_ROWS,
) -> Answer:
    """Answer one query, from the ledger as it is or was `until` then; refuse whatever is not a single `select`.

    `paths` are the files whose lines are worked out; all when there are none.
    """
    parts = Parts(require_ledger(repository)).current(until=until)
    with tables_over(repository, parts, until=until) as tables:
        tables.look_at(*paths)
        computed = {name: str(tables.file(name)) for name in computed_in(named(sql))}
    request = {
        "folders": [str(part.folder) for part in parts],
        "computed": computed,
        "sql": sql,
        "parameters": dict(parameters or {}),
        "max_rows": max_rows,
    }
    command = [sys.executable, "-I", "-m", "linetrail.queries.cell"]
    try:
        process = subprocess.run(
            command,
            input=json.dumps(request, default=str).encode(),
            capture_output=True,
            check=False,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        raise StoppedError(f"the query took longer than {seconds:g} s and was stopped") from None
    if process.returncode > 0:
        raise RuntimeError(process.stderr.decode(errors="replace"))
    if process.returncode < 0:
        raise StoppedError(f"the query needed more than {MEMORY // 2**20} MB of memory and was stopped")
    return _understood(json.loads(process.stdout))


def _understood(record: Mapping[str, Any]) -> Answer:
    if "refused" in record:
        raise UsageError(record["refused"])
    if "stopped" in record:
        raise StoppedError(record["stopped"])
    return Answer(Table(tuple(record["columns"]), [tuple(row) for row in record["rows"]]), record["complete"])


def main() -> None:
    """Read one request from stdin, write one reply to stdout."""
    try:
        reply = json.dumps(_reply(json.load(sys.stdin))).encode()
    except MemoryError:
        reply = b'{"stopped": "the answer needed more memory than one may have"}'
    if len(reply) > MAX_BYTES:
        reply = json.dumps({"stopped": f"the answer takes more than {MAX_BYTES // 2**20} MB"}).encode()
    sys.stdout.buffer.write(reply)


def _reply(request: Mapping[str, Any]) -> dict[str, Any]:
    import duckdb

    connection = locked(request["folders"], request["computed"])
    try:
        _only_a_select(connection, request["sql"])
        cursor = connection.execute(request["sql"], request["parameters"])
        rows = cursor.fetchmany(request["max_rows"] + 1)
    except duckdb.OutOfMemoryException:
        return {"stopped": "the query needed more memory than one may have"}
    except (duckdb.Error, UsageError) as error:
        return {"refused": str(error).strip()}
    return {
        "columns": [column[0] for column in cursor.description or ()],
        "rows": json_value(rows[: request["max_rows"]]),
        "complete": len(rows) <= request["max_rows"],
    }


def locked(folders: Sequence[str], computed: Mapping[str, str]) -> "duckdb.DuckDBPyConnection":
    """Return a database over these parts from which nothing else can be reached, in a process with limits."""
    parts = [Part(Path(folder), 0, START) for folder in folders]
    files = [part.file(model.name) for part in parts for model in stored()] + list(computed.values())
    tables = Tables(parts, lambda _, name: Path(computed[name]) if name in computed else None, CONFIG)
    tables.show_all()
    connection = tables.connection
    describe(connection)
    connection.execute("set allowed_paths = $files", {"files": files})
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    used = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    cpu = int(used + 8 * SECONDS)  # in case nobody is there any more who would stop it
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
    return connection


def _only_a_select(connection: "duckdb.DuckDBPyConnection", sql: str) -> None:
    import duckdb

    statements = connection.extract_statements(sql)
    if len(statements) != 1:
        raise UsageError(f"one select at a time: found {len(statements)} statements")
    kind = statements[0].type
    if kind != duckdb.StatementType.SELECT:
        raise UsageError(f"only a select may be asked, this is {str(kind).removeprefix('StatementType.').lower()}")


if __name__ == "__main__":
    main()
