"""Keep what an export takes of memory small, however large the ledger: what does not fit goes to the disk meanwhile."""

import contextlib
import tempfile
from collections.abc import Iterator

from linetrail.ledger.repository import Repository
from linetrail.projections.tables.sql_text import literal
from linetrail.projections.tables.tables import Tables, open_tables


@contextlib.contextmanager
def bounded(repository: Repository, memory: str) -> Iterator[Tables]:
    """Open the tables with so much memory for the database, such as `1GB`."""
    with open_tables(repository) as tables, tempfile.TemporaryDirectory(prefix="linetrail-") as aside:
        tables.connection.execute(f"set memory_limit = {literal(memory)}; set temp_directory = {literal(aside)}")
        yield tables
