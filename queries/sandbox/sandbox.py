"""Answer SQL that anybody may have written, in a process of its own that can do nothing else.

What is worked out in Python is worked out here, before; the process is given names of files, and says one thing.
"""

import contextlib
import difflib
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import IO, Any, NamedTuple, cast

from linetrail.ledger.errors import LinetrailError, UsageError
from linetrail.ledger.repository import Repository, require_ledger
from linetrail.projections.tables.models import views
from linetrail.projections.tables.partitions import Parts
from linetrail.projections.tables.prefix import Cut
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import named, needs, tables_over
from linetrail.queries.ask.connection import asks_what_there_is
from linetrail.queries.sandbox.limits import MAX_BYTES, MAX_ROWS, MAX_SQL, MEMORY, SECONDS, TOO_LARGE

# -I: neither the working directory nor PYTHONPATH has a say in what is imported there.
COMMAND = [sys.executable, "-I", "-m", "linetrail.queries.sandbox.worker"]
# Two pools of memory instead of eight for each core: each is as much address space as an eighth of all there may be.
ENVIRONMENT = {"MALLOC_ARENA_MAX": "2", "PYTHONUTF8": "1"}
# What SQL may hold below the space: other controls end a text for some readers and not for others.
_LAYOUT = frozenset("\t\n\r\f\v")
_TIME = frozenset(getattr(signal, name) for name in ("SIGALRM", "SIGXCPU") if hasattr(signal, name))
_TABLE = re.compile(r"Table with name (\S+) does not exist")
_COLUMN = re.compile(r'(?:column named|[Rr]eferenced column) "([^"]+)"')
_CANDIDATES = re.compile(r"Candidate bindings: (.+)")
# `session`, not `"s.session"`: how the engine knows a column is none of the reader's business
_NAME = re.compile(r'(?<![^ ])"(?:\w+\.)?(\w+)"(?=,|$)')
# Without these some installations of Python do not start; nothing else of the environment is handed on.
_NEEDED = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")


class Ended(NamedTuple):
    """What a process said and how it ended. `status` is negative where a signal ended it."""

    output: bytes
    status: int
    late: bool


class StoppedError(LinetrailError):
    """A query that wanted more time, memory or room than one may have."""

    exit_status = 1
    hint = "ask for less: fewer rows, a shorter time, a smaller join"


class FileTable(NamedTuple):
    """A table that lies in Parquet files: its columns with their types, and the paths; there may be none."""

    columns: Sequence[tuple[str, str]]
    files: Sequence[str]


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
    explain: bool = False,
    seconds: float = SECONDS,
    max_rows: int = MAX_ROWS,
) -> Answer:
    """Answer one query, from the ledger as it is or was `until` then; refuse whatever is not a single `select`.

    `paths` are the files whose lines are worked out; all when there are none. With `explain`, tell how it would be
    answered.
    """
    refuse_unreadable(sql)
    parts = Parts(require_ledger(repository)).current(until=until and until.of)
    with tables_over(repository, parts, until=until) as tables:
        tables.look_at(*paths)
        tables.make(needs() if asks_what_there_is(sql) else named(sql))
        computed = {name: str(file) for name, file in tables.files(named(sql)).items()}
    over = {"folders": [str(part.folder) for part in parts], "computed": computed}
    return _answer(over, sql, parameters, sorted(needs()), explain=explain, seconds=seconds, max_rows=max_rows)


def ask_files(
    tables: Mapping[str, FileTable],
    sql: str,
    parameters: Mapping[str, object] | None = None,
    *,
    explain: bool = False,
) -> Answer:
    """Answer one query over these Parquet files and nothing else, within the same limits."""
    refuse_unreadable(sql)
    over = {"tables": {name: table._asdict() for name, table in tables.items()}}
    return _answer(over, sql, parameters, sorted(tables), explain=explain)


def _answer(
    over: Mapping[str, object],
    sql: str,
    parameters: Mapping[str, object] | None,
    known: Sequence[str],
    *,
    explain: bool,
    seconds: float = SECONDS,
    max_rows: int = MAX_ROWS,
) -> Answer:
    request = {
        **over,
        "sql": sql,
        "parameters": {name: _sent(value) for name, value in (parameters or {}).items()},
        "explain": explain,
        "seconds": seconds,
        "max_rows": max_rows,
    }
    ended = supervised(
        COMMAND,
        json.dumps(request).encode() + b"\n",
        seconds=seconds,
        most_bytes=2 * MAX_BYTES,
        environment=ENVIRONMENT,
    )
    return _understood(sql, _reply(ended, seconds), known)


def refuse_unreadable(sql: str) -> None:
    """Refuse a text that is too long, or that the engine and a person may read as different ones."""
    if len(sql) > MAX_SQL:
        raise UsageError(f"the query has {len(sql):,} characters, it may have {MAX_SQL:,}")
    for place, sign in enumerate(sql):
        if (sign < " " and sign not in _LAYOUT) or "\ud800" <= sign <= "\udfff":
            raise UsageError(f"the query has a sign that belongs in no text, U+{ord(sign):04X}, at {place + 1}")


def _sent(value: object) -> object:
    """Return a parameter as JSON has it."""
    if isinstance(value, datetime):
        return {"moment": value.isoformat()}
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _reply(ended: Ended, seconds: float) -> Mapping[str, Any]:
    if ended.status == 0:
        reply: Mapping[str, Any] = json.loads(ended.output)
        return reply
    if ended.late or -ended.status in _TIME:
        raise StoppedError(f"the query took longer than {seconds:g} s and was stopped")
    if ended.status == TOO_LARGE:
        raise StoppedError(f"the query needed more than {MEMORY // 2**20} MB of memory and was stopped")
    if ended.status < 0:
        name = signal.Signals(-ended.status).name
        raise StoppedError(
            f"the database engine broke off ({name}): the query needs more than {MEMORY // 2**20} MB of memory, "
            "or is nested too deep"
        )
    raise RuntimeError("the process that answers queries failed")


def _understood(sql: str, reply: Mapping[str, Any], known: Sequence[str]) -> Answer:
    if "refused" in reply:
        raise refusal(sql, reply["refused"], known)
    if "stopped" in reply:
        raise StoppedError(reply["stopped"])
    return Answer(Table(tuple(reply["columns"]), [tuple(row) for row in reply["rows"]]), reply["complete"])


def refusal(sql: str, said: str, known: Sequence[str] | None = None) -> UsageError:
    """Return the error for what the engine said about a query over the tables that are known."""
    if table := _TABLE.search(said):
        return _unknown_table(table[1], sorted(needs()) if known is None else known)
    if column := _COLUMN.search(said):
        return _unknown_column(sql, column[1], said)
    error = UsageError(said)
    if "Values were not provided" in said:
        error.hint = "give each $NAME of the query a value: -p NAME VALUE"
    elif "pytz" in said:
        error = UsageError("a column of the answer is a moment with a time zone, which has no one spelling")
        error.hint = "cast it: cast(now() as timestamp) is UTC"
    elif "Could not convert" in said or "Conversion Error" in said:
        error.hint = "what -p gives is text: cast($n as integer) makes a number of it"
    return error


def _unknown_table(name: str, known: Sequence[str]) -> UsageError:
    """Name the tables that sound alike, those that people may rely on first."""
    there = sorted(known, key=lambda table: not table.startswith("v_"))
    plain = name.strip('"').lower()
    alike = difflib.get_close_matches(plain, there, n=2) + difflib.get_close_matches(f"v_{plain}", there, n=3)
    stable = [known for known in dict.fromkeys(alike) if known.startswith("v_")]
    return UsageError(f"no table is called {name}{_meant(stable or alike)}", "linetrail sql 'show tables'")


def _unknown_column(sql: str, name: str, said: str) -> UsageError:
    candidates = _CANDIDATES.search(said)
    alike = list(dict.fromkeys(_NAME.findall(candidates[1]))) if candidates else []
    error = UsageError(f"no column is called {name} there{_meant(alike)}")
    stable = {view.name for view in views()}
    asked = sorted(named(sql) & stable) or sorted(named(sql)) or ["v_events"]
    error.hint = f"linetrail sql 'describe {asked[0]}'"
    return error


def _meant(alike: list[str]) -> str:
    return f"; is it {' or '.join(alike)}?" if alike else ""


def supervised(
    command: Sequence[str], request: bytes, *, seconds: float, most_bytes: int, environment: Mapping[str, str]
) -> Ended:
    """Hand a process its request, and return what it says to it; its whole group is killed when we go on.

    Its stdin stays open for as long as anybody waits: at its end, whoever started it is gone.
    """
    variables = {name: os.environ[name] for name in _NEEDED if name in os.environ}
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None if os.environ.get("LINETRAIL_DEBUG") == "1" else subprocess.DEVNULL,
        env={**variables, **environment},
        cwd=os.path.abspath(os.sep),
        start_new_session=True,
    )
    stdin, stdout = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
    late = threading.Event()

    def stop() -> None:
        late.set()
        _kill(process)

    clock = threading.Timer(seconds, stop)
    clock.daemon = True
    clock.start()
    try:
        with contextlib.suppress(BrokenPipeError):
            stdin.write(request)
            stdin.flush()
        output = stdout.read(most_bytes + 1)
        if len(output) <= most_bytes:
            process.wait()  # it has closed its output and is about to end, or its time runs out
    finally:
        clock.cancel()
        _kill(process)
        process.wait()
        stdout.close()
        with contextlib.suppress(BrokenPipeError):
            stdin.close()
    return Ended(output, process.returncode, late.is_set())


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
