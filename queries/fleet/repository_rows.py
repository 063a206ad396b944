"""Work out the rows of one repository for the tables over all, from its segments alone.

A repository is a scratch folder with its segments and nothing else: the tables are those that every ledger has. Its
names become unique among all repositories here, and what is not to be kept goes no further.
"""

import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

from linetrail.ledger.errors import DamageWarning
from linetrail.ledger.repository import FOLDER, Repository
from linetrail.projections.tables import models
from linetrail.projections.tables.parquet import PARQUET, PASSING
from linetrail.projections.tables.partitions import Parts
from linetrail.projections.tables.sql_text import literal, quoted
from linetrail.projections.tables.tables import NAMES, Tables, made_of, needs, tables_over
from linetrail.queries.fleet import columns, groups, partition_files
from linetrail.queries.fleet.layout import (
    BUCKET,
    EXCERPTS,
    FACTS,
    MONTH,
    PRIVATE,
    PUBLIC,
    Column,
    Damage,
    FleetTable,
    Rows,
    damage_of,
)
from linetrail.queries.fleet.owners import owners_of
from linetrail.queries.fleet.push import segments_of
from linetrail.queries.statements import statement

EVENTS = "events"
_MEMORY = "800MB"
_NO_MONTH = "unknown"
# Events of a stretch: what the next build reads again is cut finely; a ledger that nobody keeps is read in one piece.
# No stretch is so long that rows of derived tables are kept for it: all rows are needed here, and made anew sooner.
_SMALLEST, _LARGEST, _WHOLE = 4_096, 16_384, 131_072


class Task(NamedTuple):
    """A repository whose rows are wanted: its `folder` has its ledger, `out` takes the files.

    Of the slices that it has had `before`, only those are written that have other rows now. A folder that is `kept`
    has what earlier segments say, for the next time.
    """

    repo_id: str
    number: int
    folder: str
    out: str
    excerpts: bool
    damage: tuple[Damage, ...]
    writers: Mapping[str, str]
    owners: bytes | None
    before: Mapping[str, Rows]
    threads: int
    kept: bool


class Made(NamedTuple):
    """The rows of a repository: `slices` names those of each table and month, `erased` what none of them may have.

    `tables` are those that every repository has, without a file.
    """

    repo_id: str
    slices: dict[str, Rows]
    erased: tuple[str, ...]
    damage: tuple[Damage, ...]
    tables: tuple[FleetTable, ...]


def table_of(view: models.Model) -> str:
    return EVENTS if view.name == "v_events" else view.name


def file_of(out: str, tier: str, table: str, repo_id: str) -> Path:
    """Return where the rows of a repository wait until they are put with those of others."""
    return Path(out) / f"{tier}+{table}+{repo_id}.parquet"


def make(task: Task) -> Made:
    """Write the rows of a repository into files, one for each table that has others than before."""
    slices: dict[str, Rows] = {}
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", DamageWarning)
        with _database(task.out, task.threads).over(opened(task.folder, kept=task.kept)) as tables:
            _hold(tables, kept=task.kept)
            tables.connection.execute(statement("fleet_erased")).execute(statement("fleet_silenced"))
            if task.writers:
                groups.prepare(tables, task.writers, _owners(tables, task))
            views = {table_of(view): view for view in columns.views()}
            contributing = {group.contributions: group for group in groups.groups()}
            made = tables_of(tables, excerpts=task.excerpts)
            for table in made:
                if table.name in views and tables.is_empty(views[table.name].name):
                    continue
                if table.tier == PRIVATE and task.writers:
                    rows = groups.contributed(tables, contributing[table.name], task.repo_id)
                elif table.tier not in (PRIVATE, PUBLIC):
                    rows = _select(tables, views[table.name], task, table.tier)
                else:
                    continue
                slices |= _write(tables, rows, task, table)
            names = tables.connection.execute("select name from erased where name is not null order by name").fetchall()
    errors = [warning.message.error for warning in said if isinstance(warning.message, DamageWarning)]
    found = [damage_of(error)._replace(file=f"{segments_of(task.repo_id)}/{Path(error.file).name}") for error in errors]
    return Made(task.repo_id, slices, tuple(name for (name,) in names), (*task.damage, *dict.fromkeys(found)), made)


@lru_cache(maxsize=1)
def _database(out: str, threads: int) -> Tables:
    """Return the tables that are those of one repository after the other."""
    aside = str(Path(out) / "aside")
    return Tables((), lambda *_: None, {"memory_limit": _MEMORY, "threads": threads, "temp_directory": aside})


def opened(folder: str, *, kept: bool = False) -> Tables:
    """Open the tables of a ledger that has no git beside it."""
    repository = Repository(folder, None, None)
    smallest, largest, layout = (_SMALLEST, _LARGEST, PARQUET) if kept else (_WHOLE, _WHOLE, PASSING)
    parts = Parts(repository, smallest=smallest, largest=largest, layout=layout).current()
    return tables_over(repository, parts)


def _hold(tables: Tables, *, kept: bool) -> None:
    """Have all that the views are made of at hand; facts of a ledger that nobody keeps need no files."""
    facts = {model.name for model in models.stored()}
    if not kept:
        tables.work_out(facts & {*_steps()})
    for name in _steps():
        if kept or name not in facts:
            tables.hold(name)


@cache
def _steps() -> tuple[str, ...]:
    """Return what the views are made of, each behind what it is made of itself; what Python makes comes last.

    A model that one view alone shows, as it is, is worked out when its rows are written.
    """
    names = {view.name for view in columns.views()}
    wanted = made_of(names) - names
    readers = Counter(need for name in wanted | names for need in needs()[name])
    shown = {need for name in names if len(needs()[name]) == 1 for need in needs()[name] if readers[need] == 1}
    computed = wanted & {*NAMES}
    order = TopologicalSorter({one: wanted - computed if one in computed else needs()[one] for one in wanted})
    return tuple(one for one in order.static_order() if one not in shown & {model.name for model in models.derived()})


def empty_tables(*, excerpts: bool) -> tuple[FleetTable, ...]:
    """Return the tables of a store: any ledger has the same, an empty one, too."""
    with tempfile.TemporaryDirectory(prefix="linetrail-fleet-") as folder:
        (Path(folder) / FOLDER).mkdir()
        with opened(folder) as tables:
            return tables_of(tables, excerpts=excerpts)


def tables_of(tables: Tables, *, excerpts: bool) -> tuple[FleetTable, ...]:
    """Return the tables of a store, without a file, as those of a ledger are."""
    found = [
        FleetTable(
            table_of(view),
            tier,
            view.about,
            tuple(_described(tables, view)),
            (MONTH, BUCKET) if table_of(view) == EVENTS else (BUCKET,),
            ("repo_id", "session_id", "seq") if table_of(view) == EVENTS else ("repo_id",),
        )
        for tier in (FACTS, EXCERPTS)
        for view in columns.views()
        if tier == FACTS or (excerpts and columns.has_texts(view))
    ]
    return (*found, *groups.tables_of())


def _described(tables: Tables, view: models.Model) -> Iterator[Column]:
    for one in columns.columns(tables, view, "", 0, texts=False):
        yield Column(one.name, one.type, columns.kinds().get(one.name, columns.UNKNOWN), one.comment)


def _owners(tables: Tables, task: Task) -> Mapping[str, str]:
    if task.owners is None:
        return {}
    paths = tables.ask("select distinct path from v_mutations order by path").rows
    return owners_of(task.owners, (path for (path,) in paths))


def _write(tables: Tables, rows: str, task: Task, table: FleetTable) -> Mapping[str, Rows]:
    """Write the slices of a table that have other rows than before, in its order, and return what names all of them."""
    connection = tables.connection
    month = MONTH if MONTH in table.partitioned_by else "null"
    # a query that hashes all columns takes longer to plan than to answer, so it is not one of its own
    hashed = f"select *, {partition_files.hash_of(table)} as row_hash from ({rows})"  # noqa: S608  a query of our own
    [(number,)] = connection.execute(f"create or replace temp table fleet_rows as {hashed}").fetchall()
    slices = partition_files.rows_in(connection, table, "fleet_rows", month, "row_hash") if number else {}
    if new := [name for name, found in slices.items() if task.before.get(name) != found]:
        file = str(file_of(task.out, table.tier, table.name, task.repo_id))
        within = partition_files.within(table, new)
        chosen = partition_files.ordered(f"select * exclude (row_hash) from fleet_rows where {within}", table)  # noqa: S608  a condition of our own
        connection.execute(f"copy ({chosen}) to {literal(file)} ({PASSING})")
    return slices


def _select(tables: Tables, view: models.Model, task: Task, tier: str) -> str:
    """Return the query for the rows of a view as the tier has them, without what was erased."""
    kept = list(columns.columns(tables, view, task.repo_id, task.number, texts=tier == EXCERPTS))
    spoken = any(column.name == "session_id" for column in kept)
    chosen = ", ".join(
        f"{_unerased(column.name, column.sql, spoken=spoken)} as {quoted(column.name)}" for column in kept
    )
    month = f", coalesce(strftime(occurred_at, '%Y-%m'), '{_NO_MONTH}') as {MONTH}" if view.name == "v_events" else ""
    return f"select {chosen}{month} from {view.name}"  # noqa: S608  names of our own views and columns


def _unerased(name: str, sql: str, *, spoken: bool) -> str:
    if name.endswith("_hash"):
        return f"case when {sql} in (select name from erased) then null else {sql} end"  # noqa: S608  a column of ours
    if columns.kinds().get(name) != columns.TEXTS:
        return sql
    held = f"exists (select 1 from erased where contains(cast({sql} as varchar), erased.name))"  # noqa: S608  a column of ours
    silent = " or session_id in (select session_id from silenced)" if spoken else ""
    return f"case when {held}{silent} then null else {sql} end"
