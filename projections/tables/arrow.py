"""Write rows of Python as Parquet, by way of Arrow record batches.

pyarrow is loaded when there is much to write, and by nothing that an agent or a warm question waits for.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from linetrail.projections.tables.parquet import writing_database

if TYPE_CHECKING:
    import pyarrow as pa

# Rows of one record batch, and of one row group.
ROWS = 65_536
# Fewer rows are written by DuckDB in less time than it takes to load pyarrow.
FEW = 2_000
_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)


def write(rows: Iterable[Sequence[object]], columns: Mapping[str, str], target: Path) -> None:
    """Write rows into a file whose columns have these names and DuckDB types; its bytes follow from the rows alone."""
    left = iter(rows)
    first = list(islice(left, FEW))
    if len(first) < FEW:
        _write_few(first, columns, target)
        return
    from pyarrow import parquet

    schema = _schema(columns)
    with parquet.ParquetWriter(target, schema, compression="zstd", store_schema=False) as writer:
        for batch in _batches(chain(first, left), schema):
            writer.write_batch(batch)


def _write_few(rows: Sequence[Sequence[object]], columns: Mapping[str, str], target: Path) -> None:
    values = zip(*rows, strict=True) if rows else ((),) * len(columns)
    held = {
        f"column_{at}": [None if value is None else _plain(kind, value) for value in column]
        for at, (kind, column) in enumerate(zip(columns.values(), values, strict=True))
    }
    lists = (f"unnest(cast(${given} as {kind}[]))" for given, kind in zip(held, columns.values(), strict=True))
    chosen = ", ".join(f"{one} as {name}" for one, name in zip(lists, columns, strict=True))
    with writing_database() as database:
        copied = f"copy (select {chosen}) to $file (format parquet, compression zstd)"
        database.execute(copied, held | {"file": str(target)})


def _plain(kind: str, value: Any) -> object:
    """Return a value as DuckDB takes it for one of this type."""
    if kind == "VARCHAR":
        return _spelled(value).decode()
    if kind == "TIMESTAMP":
        return (_EPOCH + _microseconds(value) * _MICROSECOND).replace(tzinfo=None)
    if kind == "BIGINT":
        return array("q", [value])[0]
    return value


def _spelled(text: str) -> bytes:
    """Return a text in UTF-8; a name that is no Unicode has its bytes as git shows them."""
    return text.encode(errors="backslashreplace")


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
        columns = zip(*some, strict=True)
        yield pa.record_batch(
            [_array(field.type, column) for field, column in zip(schema, columns, strict=True)], schema=schema
        )


def _array(kind: "pa.DataType", values: Sequence[Any]) -> "pa.Array":
    """Return a column made of buffers: for `pyarrow.array` pandas is loaded wherever that is installed."""
    import pyarrow as pa

    present = None if all(value is not None for value in values) else _bits(value is not None for value in values)
    buffers = [buffer if buffer is None else pa.py_buffer(buffer) for buffer in (present, *_held(kind, values))]
    return pa.Array.from_buffers(kind, len(values), buffers)


def _held(kind: "pa.DataType", values: Sequence[Any]) -> "Sequence[bytes | array[Any]]":
    """Return what Arrow holds of the values of a column of this type, of None as of nothing."""
    from pyarrow import types

    if types.is_string(kind):
        texts = [_spelled(value or "") for value in values]
        return array("i", accumulate(map(len, texts), initial=0)), b"".join(texts)
    if types.is_boolean(kind):
        return (_bits(map(bool, values)),)
    numbers = map(_microseconds, values) if types.is_timestamp(kind) else values
    return (array("d" if types.is_floating(kind) else "q", [number or 0 for number in numbers]),)


def _bits(flags: Iterable[bool]) -> bytes:
    """Pack one bit for each flag, the first one lowest."""
    digits = bytes(map(b"01".__getitem__, flags))
    return int(digits[::-1] or b"0", 2).to_bytes(len(digits) // 8 + 1, "little")


def _microseconds(value: datetime | str | None) -> int:
    """Return a time in UTC, of which that is not said any more, as Arrow counts it."""
    if value is None:
        return 0
    moment = datetime.fromisoformat(value) if isinstance(value, str) else value
    return (moment.replace(tzinfo=moment.tzinfo or UTC) - _EPOCH) // _MICROSECOND
