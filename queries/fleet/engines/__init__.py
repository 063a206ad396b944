"""The engines that answer questions over all repositories, a module each, in one dict.

A query is the same text for all of them, over tables that are called the same; what differs is how an engine is told
where the files of a table are, and how it spells a parameter.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from linetrail.ledger.errors import UsageError
from linetrail.queries.fleet.layout import FleetTable
from linetrail.queries.sandbox.sandbox import Answer

if TYPE_CHECKING:
    from obstore.store import ObjectStore

# name -> module of this folder
ENGINES = {"duckdb": "duckdb", "spark": "spark"}


class Asked(NamedTuple):
    """A query over the tables of a store, each by the name that the query calls it."""

    store: "ObjectStore"
    url: str
    tables: Mapping[str, FleetTable]
    sql: str
    parameters: Mapping[str, object]
    explain: bool = False


class Engine(Protocol):
    """What a module in this folder offers."""

    # the extra of pyproject.toml with the libraries that it needs
    EXTRA: str

    # the answer to a single select; whatever else is asked is refused with a UsageError
    def ask(self, asked: Asked) -> Answer: ...


def engine(name: str) -> Engine:
    if name not in ENGINES:
        raise UsageError(f"no engine is called {name}: there is {', '.join(ENGINES)}")
    return cast("Engine", import_module(f"{__name__}.{ENGINES[name]}"))
