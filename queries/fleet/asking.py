"""Ask all repositories of a store: choose the tables that a query may see, and the engine."""

import getpass
import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import NamedTuple

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository
from linetrail.projections.tables.models import views
from linetrail.queries.fleet import access, layout, objects
from linetrail.queries.fleet.engines import Asked, engine
from linetrail.queries.fleet.layout import EXCERPTS, FACTS, PUBLIC, FleetTable, Manifest
from linetrail.queries.fleet.questions import named
from linetrail.queries.fleet.repository_rows import table_of
from linetrail.queries.record.author import person
from linetrail.queries.sandbox.sandbox import Answer


class Query(NamedTuple):
    """What is asked, and of what: the store, its excerpts or not, by which engine; `name` is that of a question."""

    url: str
    sql: str
    parameters: Mapping[str, object]
    engine: str = "duckdb"
    excerpts: bool = False
    explain: bool = False
    name: str | None = None


def ask(query: Query, who: str) -> tuple[Answer, Manifest]:
    """Answer a query over the tables of the last build, which is returned, too, once it is written down who asks."""
    store = objects.open_store(query.url)
    manifest = layout.require(store, query.url)
    manifest.warn()
    tables = visible(manifest, excerpts=query.excerpts)
    access.record(
        store,
        access.Entry(
            at=datetime.now(UTC).isoformat(timespec="seconds"),
            who=who,
            query=query.name or query.sql,
            parameters=query.parameters,
            tiers=tiers_of(tables, named(query.sql, tables)),
            engine=query.engine,
            generation=manifest.generation,
        ),
    )
    asked = Asked(store, query.url, tables, query.sql, query.parameters, query.explain)
    try:
        return engine(query.engine).ask(asked), manifest
    except UsageError as error:
        error.hint = error.hint.replace("linetrail sql", "linetrail fleet sql") if error.hint else error.hint
        raise


def asking_person(directory: str) -> str:
    """Return who asks, as git names them here, else as this machine does."""
    return person(Repository(os.path.abspath(directory), None, None)) or getpass.getuser()


def tiers_of(tables: Mapping[str, FleetTable], names: Iterable[str]) -> list[str]:
    return sorted({tables[name].tier for name in names})


def visible(manifest: Manifest, *, excerpts: bool) -> Mapping[str, FleetTable]:
    """Return the tables that a query may name; with `excerpts` they have the words that people and agents wrote."""
    tables = {**manifest.named(FACTS), **(manifest.named(EXCERPTS) if excerpts else {})}
    named = {view.name: tables[table_of(view)] for view in views() if table_of(view) in tables}
    return {**named, **manifest.named(PUBLIC)}
