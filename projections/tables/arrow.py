"""Write rows of Python as Parquet, by way of Arrow record batches.

pyarrow is loaded when there is something to write, and by nothing that an agent or a warm question waits for.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

# Rows of one record batch, and of one row group.
ROWS = 65_536


def write(rows: Iterable[Sequence[object]], columns: Mapping[str, str], target: Path) -> None:
    """Write rows into a file whose columns have these names and DuckDB types; its bytes follow from the rows alone."""
    from pyarrow import parquet

    schema = _schema(columns)
    with parquet.ParquetWriter(target, schema, compression="zstd", store_schema=False) as writer:
        for batch in _batches(rows, schema):
            writer.write_batch(batch)


def _schema(columns: Mapping[str, str]) -> "pa.Schema":
    import pyarrow as pa

    types = {
        "VARCHAR": pa.string(),
        "BIGINT": pa.int64(),
        "BOOLEAN": pa.bool_(),
        "DOUBLE": pa.float64(),
        "TIMESTAMP": pa.timestamp("us"),
    }
    return pa.schema([(name, types[kind]) for name, kind in columns.items()])


def _batches(rows: Iterable[Sequence[object]], schema: "pa.Schema") -> Iterator["pa.RecordBatch"]:
    import pyarrow as pa

    left = iter(rows)
    while some := list(islice(left, ROWS)):
        named = zip(schema, zip(*some, strict=True), strict=True)
        arrays = [pa.array(map(_held(field.type), column), field.type, size=len(some)) for field, column in named]
        yield pa.record_batch(arrays, schema=schema)


def _held(kind: "pa.DataType") -> Callable[[Any], Any]:
    """Return what makes of a value the one that a column of this type holds."""
    from pyarrow import types

    if types.is_string(kind):
        return _text
    return _moment if types.is_timestamp(kind) else _same


def _text(value: str | None) -> str | None:
    """Return a name that is no Unicode with its bytes as git shows them."""
    if value is None or value.isascii():
        return value
    return value.encode(errors="backslashreplace").decode()


def _moment(value: datetime | str | None) -> datetime | None:
    """Return a time in UTC, of which that is not said any more."""
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    return moment if moment is None or moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def _same(value: Any) -> Any:
    return value
