"""DuckDB's engine without the relations that its package adds in Python, which take four times as long to load.

Statements are executed with this alone. Whoever makes relations (`sql`, `read_parquet`) imports `duckdb`, which adds
them to the class of connections that is here.
"""

try:
    from _duckdb import DuckDBPyConnection, IOException, connect
except ImportError:  # another version may name its engine otherwise
    from duckdb import DuckDBPyConnection, IOException, connect

__all__ = ["DuckDBPyConnection", "IOException", "connect"]
