"""Delta Lake: beside the files of each table a log, which says which of them count."""

import json
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from linetrail.queries.fleet.formats import Listed, schema
from linetrail.queries.fleet.layout import File, FleetTable

if TYPE_CHECKING:
    from deltalake import DeltaTable
    from deltalake.transaction import AddAction


def register(url: str, tables: Sequence[FleetTable]) -> Iterator[Listed]:
    """Bring the log of each table up to its files."""
    from deltalake import DeltaTable, Schema
    from deltalake.transaction import RemoveAction, create_table_with_add_actions

    for table in tables:
        root, columns = f"{url}/{table.path}", Schema.from_arrow(schema(table))
        wanted = {file.path.removeprefix(f"{table.path}/"): file for file in table.files}
        known = DeltaTable(root) if DeltaTable.is_deltatable(root) else None
        listed = set() if known is None else _listed(known)
        added = [_addition(path, wanted[path]) for path in sorted(wanted.keys() - listed)]
        removed = sorted(listed - wanted.keys())
        made = known is None or [field.name for field in known.schema().fields] != [
            field.name for field in columns.fields
        ]
        if known is None or made:
            every = [_addition(path, file) for path, file in sorted(wanted.items())]
            create_table_with_add_actions(root, columns, every, mode="overwrite", description=table.about)
        elif added or removed:
            now = int(time.time() * 1000)
            gone = [RemoveAction(path, data_change=True, deletion_timestamp=now) for path in removed]
            known.create_write_transaction([*added, *gone], "append", columns)
        yield Listed(table.name, table.tier, len(added), len(removed), made)


def _listed(known: "DeltaTable") -> set[str]:
    import pyarrow as pa

    return set(pa.table(known.get_add_actions(flatten=True)).column("path").to_pylist())


def _addition(path: str, file: File) -> "AddAction":
    from deltalake.transaction import AddAction

    return AddAction(path, file.bytes, {}, 0, data_change=True, stats=json.dumps({"numRecords": file.rows}))
