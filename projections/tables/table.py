"""What a query answers, without the database that it asks: most commands hand it on, and few of them make it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol


class Table(NamedTuple):
    """An answer: the names of its columns, and its rows."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]

    def mappings(self) -> Iterator[dict[str, Any]]:
        """Yield the rows by the names of their columns."""
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)


class Ask(Protocol):
    """Whatever answers a query, as `Tables.ask` does."""

    def __call__(self, sql: str, parameters: Mapping[str, object] | None = None, /) -> Table: ...
