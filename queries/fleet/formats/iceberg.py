"""Iceberg: a catalogue that knows which files each table consists of, with one snapshot for each build.

It is the catalogue called `linetrail` of pyiceberg's own configuration. Without one, a store that is a folder has a
catalogue in SQLite beside its tables.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from linetrail.ledger.errors import UsageError
from linetrail.queries.fleet.formats import Listed, schema
from linetrail.queries.fleet.layout import FleetTable

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog

CATALOGUE = "linetrail"
# Of a store: where the metadata of tables is, and the catalogue of a folder.
PREFIX = "iceberg"
_FOLDER = "file://"


class NoCatalogueError(UsageError):
    """Nothing says where the catalogue of tables is."""

    hint = "export PYICEBERG_CATALOG__LINETRAIL__URI=…, as pyiceberg's page on configuration says"


def register(url: str, tables: Sequence[FleetTable]) -> Iterator[Listed]:
    """Bring each table of the catalogue up to its files."""
    known = catalogue(url)
    for tier in sorted({table.tier for table in tables}):
        known.create_namespace_if_not_exists(tier)
    for table in tables:
        yield _register(known, url, table)


def catalogue(url: str) -> "Catalog":
    from pyiceberg.catalog import load_catalog
    from pyiceberg.utils.config import Config

    if Config().get_catalog_config(CATALOGUE) is not None:
        return load_catalog(CATALOGUE)
    if not url.startswith(_FOLDER):
        raise NoCatalogueError(f"no catalogue is configured for the tables of {url}")
    warehouse = f"{_place(url)}/{PREFIX}"
    folder = warehouse.removeprefix(_FOLDER)
    Path(folder).mkdir(exist_ok=True)
    return load_catalog(CATALOGUE, type="sql", uri=f"sqlite:///{folder}/catalog.db", warehouse=warehouse)


def _place(url: str) -> str:
    """Return the URL of a store as pyiceberg reads it: a folder with its signs as they are."""
    return unquote(url) if url.startswith(_FOLDER) else url


def _register(known: "Catalog", url: str, table: FleetTable) -> Listed:
    from pyiceberg.io.pyarrow import parquet_files_to_data_files
    from pyiceberg.table import TableProperties

    name, columns = (table.tier, table.name), schema(table)
    made = not known.table_exists(name)
    there = known.create_table(name, columns) if made else known.load_table(name)
    listed = {task.file.file_path: task.file for task in there.scan().plan_files()}
    wanted = {f"{_place(url)}/{file.path}" for file in table.files}
    added, removed = sorted(wanted - listed.keys()), sorted(listed.keys() - wanted)
    if added or removed:
        with there.transaction() as transaction:
            with transaction.update_schema() as update:
                update.union_by_name(columns)
            # the files name their columns and do not number them
            names = transaction.table_metadata.schema().name_mapping.model_dump_json()
            transaction.set_properties({TableProperties.DEFAULT_NAME_MAPPING: names})
            with transaction.update_snapshot().overwrite() as snapshot:
                for path in removed:
                    snapshot.delete_data_file(listed[path])
                for file in parquet_files_to_data_files(there.io, transaction.table_metadata, iter(added)):
                    snapshot.append_data_file(file)
    return Listed(table.name, table.tier, len(added), len(removed), made)
