"""DuckDB's engine without the relations that its package adds in Python, which take four times as long to load.

Statements are executed with this alone. Whoever makes relations (`sql`, `read_parquet`) imports `duckdb`, which adds
them to the class of connections that is here.
"""

import sys
from collections.abc import Mapping

try:
    from _duckdb import DuckDBPyConnection, IOException
    from _duckdb import connect as _connect
except ImportError:  # another version may name its engine otherwise
    from duckdb import DuckDBPyConnection, IOException
    from duckdb import connect as _connect

__all__ = ["DuckDBPyConnection", "IOException", "connect"]


def connect(config: Mapping[str, str | int]) -> DuckDBPyConnection:
    """Open a database in memory. Of `python -c` and a prompt DuckDB would print a bar among the answers, on stdout."""
    connection = _connect(config=dict(config))
    is_file = hasattr(sys.modules["__main__"], "__file__")
    return connection if is_file else connection.execute("set enable_progress_bar = false")
