"""DuckDB on this machine, in a process that can reach the files of the tables it is asked about, and nothing else."""

import tempfile
from pathlib import Path

from linetrail.projections.tables.progress import each
from linetrail.queries.fleet import objects
from linetrail.queries.fleet.engines import Asked
from linetrail.queries.fleet.questions import named
from linetrail.queries.sandbox.sandbox import Answer, FileTable, ask_files

EXTRA = "fleet"


def ask(asked: Asked) -> Answer:
    """Answer a query; files that are not on this machine are fetched for it, and are gone afterwards."""
    wanted = named(asked.sql, asked.tables)
    with tempfile.TemporaryDirectory(prefix="linetrail-fleet-") as folder:
        fetched = [file.path for name in sorted(wanted) for file in asked.tables[name].files]
        paths = {path: objects.on_disk(asked.store, path, Path(folder)) for path in each(fetched, "reading", "files")}
        tables = {
            name: FileTable(
                [(column.name, column.type) for column in table.columns],
                [paths[file.path] for file in table.files] if name in wanted else [],
            )
            for name, table in asked.tables.items()
        }
        return ask_files(tables, asked.sql, asked.parameters, explain=asked.explain)
