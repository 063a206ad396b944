"""Spark: in a process of this machine, or on the cluster that `spark-submit` runs linetrail on.

Here the files of a table are read where they are, or fetched before. On a cluster each worker reads them by their URL,
so the store has to be one that Spark knows, too.
"""

import logging
import os
import re
import shutil
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from linetrail.ledger.errors import LinetrailError, UsageError
from linetrail.projections.tables.progress import each
from linetrail.projections.tables.table import Table
from linetrail.queries.fleet import objects
from linetrail.queries.fleet.engines import Asked
from linetrail.queries.fleet.layout import FleetTable
from linetrail.queries.fleet.questions import named
from linetrail.queries.render.text import json_value
from linetrail.queries.sandbox.limits import MAX_ROWS
from linetrail.queries.sandbox.sandbox import Answer, refuse_unreadable
from linetrail.queries.sandbox.worker import only_select

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXTRA = "spark"
# What DuckDB's types are called there; a decimal has the same name.
TYPES = {
    "VARCHAR": "string",
    "BOOLEAN": "boolean",
    "INTEGER": "int",
    "BIGINT": "bigint",
    "DOUBLE": "double",
    "DATE": "date",
    "TIMESTAMP": "timestamp_ntz",
}
# What makes the same text mean the same as to DuckDB.
_ALIKE = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.ansi.doubleQuotedIdentifiers": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.runSQLOnFiles": "false",
}
# For one machine: a table is small there, and nobody watches.
_HERE = {
    "spark.master": "local[*]",
    "spark.driver.memory": "2g",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": str(os.cpu_count()),
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
# `spark-submit` has started the virtual machine, and knows where the cluster is.
_SUBMITTED = "PYSPARK_GATEWAY_PORT"
# How a store is called by the file systems of Hadoop.
_SCHEMES = {"s3": "s3a", "az": "abfs"}
# What it calls otherwise, of all that questions name.
_WORDS = {
    "arg_min": "min_by",
    "epoch": "unix_timestamp",
    "starts_with": "startswith",
    "varchar": "string",
}
# Outside of texts and comments: what a path finds in JSON, a parameter, a word.
_OTHERWISE = re.compile(
    rf"(?P<path>[\w.]+ ->> '[^']*')|'(?:[^']|'')*'|--[^\n]*|\$(?P<name>\w+)|\b(?P<word>{'|'.join(_WORDS)})\b",
    re.IGNORECASE,
)
# What reads or runs things beside the tables, and the sign that makes Spark read a text otherwise than DuckDB, by which
# it is checked. Neither is in a question of ours.
_REACHING = re.compile(r"\\|\b(?:(?:try_)?reflect|java_method|input_file_\w+)\b", re.IGNORECASE)


class NoJavaError(LinetrailError):
    """Spark needs a Java runtime."""

    hint = "install Java 17 or newer, or set JAVA_HOME; `--engine duckdb` needs none"


class FailedError(LinetrailError):
    """Spark began to answer and broke off."""

    exit_status = 1
    hint = "ask for less, or run it on a cluster: docs/fleet.md"


def ask(asked: Asked) -> Answer:
    """Answer a query: the same text over the same tables as with DuckDB, one select."""
    refuse_unreadable(asked.sql)
    if reaching := _REACHING.search(asked.sql):
        raise UsageError(f"{reaching[0]} may not stand in a query for Spark, where it reaches beyond the tables")
    with duckdb.connect() as parser:
        only_select(parser, asked.sql)
    spark = session()
    with tempfile.TemporaryDirectory(prefix="linetrail-fleet-") as folder:
        for name in sorted(named(asked.sql, asked.tables)):
            table = asked.tables[name]
            show(spark, name, table, _places(asked, table, Path(folder)))
        return _answer(spark, asked)


def session() -> "SparkSession":
    """Return the session of this process, which is made when first asked for: that takes seconds."""
    settings = dict(_ALIKE)
    if _SUBMITTED not in os.environ:
        if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
            raise NoJavaError("Spark runs on Java, and no `java` is on the PATH")
        settings |= _HERE | {"spark.sql.warehouse.dir": os.path.join(tempfile.gettempdir(), "linetrail-spark")}
    # what it has to say of a query that it refuses is in the error
    logging.getLogger("SQLQueryContextLogger").disabled = True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # about versions of pandas, which nobody here uses
        from pyspark.sql import SparkSession

        builder: SparkSession.Builder = SparkSession.builder.appName("linetrail")
        for name, value in settings.items():
            builder = builder.config(name, value)
        return builder.getOrCreate()


def show(spark: "SparkSession", name: str, table: FleetTable, paths: Sequence[str]) -> None:
    """Let a table be asked by a name."""
    schema = ", ".join(f"`{column.name}` {TYPES.get(column.type, column.type)}" for column in table.columns)
    frame = spark.read.schema(schema).parquet(*paths) if paths else spark.createDataFrame([], schema)
    frame.createOrReplaceTempView(name)


def spelled(sql: str) -> str:
    """Return a query of ours as Spark spells it.

    >>> spelled("select cast(a as varchar), payload ->> '$.b' from t where x = $c -- $d")
    "select cast(a as string), get_json_object(payload, '$.b') from t where x = :c -- $d"
    """

    def other(found: re.Match[str]) -> str:
        match found.lastgroup:
            case "path":
                column, _, path = found[0].partition(" ->> ")
                return f"get_json_object({column}, {path})"
            case "name":
                return f":{found['name']}"
            case "word":
                return _WORDS[found[0].lower()]
        return found[0]

    return _OTHERWISE.sub(other, sql).strip().removesuffix(";")


def _places(asked: Asked, table: FleetTable, folder: Path) -> list[str]:
    """Return where Spark finds the files of a table."""
    if _SUBMITTED in os.environ:
        scheme, _, place = asked.url.partition("://")
        return [f"{_SCHEMES.get(scheme, scheme)}://{place.rstrip('/')}/{file.path}" for file in table.files]
    files = each([file.path for file in table.files], "reading", "files")
    return [objects.on_disk(asked.store, path, folder) for path in files]


def _answer(spark: "SparkSession", asked: Asked) -> Answer:
    from pyspark.errors import AnalysisException, ParseException, PySparkException

    sql = spelled(asked.sql)
    try:
        frame = spark.sql(f"explain {sql}" if asked.explain else sql, args=dict(asked.parameters))
        rows = frame.take(MAX_ROWS + 1)
    except (AnalysisException, ParseException) as error:
        raise UsageError(_first_line(error)) from None
    except PySparkException as error:
        raise FailedError(_first_line(error)) from None
    shown = [tuple(json_value(row)) for row in rows[:MAX_ROWS]]
    return Answer(Table(tuple(frame.columns), shown), len(rows) <= MAX_ROWS)


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
