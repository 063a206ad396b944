"""Open the tables that follow from the ledger, and ask them.

The tables are views in memory over the parts of the cache: nothing is locked, two processes never meet, and what is
not asked for is not read.
"""

import contextlib
import re
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self, TypeVar, cast

from linetrail.ledger.repository import Repository, head, require_ledger
from linetrail.projections.closure import reached
from linetrail.projections.statements import statement
from linetrail.projections.tables import models
from linetrail.projections.tables.cache import EVENTS, CacheError, Part, files
from linetrail.projections.tables.incremental import Grown, grown
from linetrail.projections.tables.parquet import OFFLINE, add_facts, spare, with_needs
from linetrail.projections.tables.partitions import Parts
from linetrail.projections.tables.prefix import Cut
from linetrail.projections.tables.records import Records
from linetrail.projections.tables.sql_text import literal, parquet_rows
from linetrail.projections.tables.table import Table

if TYPE_CHECKING:
    import duckdb

# Names are stored in caches alone; a module has the name of its table.
NAMES = (
    "blame_lines",
    "code_owners",
    "commit_matches",
    "decided_lines",
    "git_commit_files",
    "git_commits",
    "ledger_runs",
    "line_spans",
    "mutation_scopes",
    "node_edges",
    "node_versions",
    "nodes",
    "promoted_lessons",
    "repository_facts",
    "rewritten_commits",
    "tracked_files",
)
# Of which table each row is, where no file is made of none.
_ROWS_OF = {"mutation_scopes": "intent_history"}
T = TypeVar("T")
Parameters = Mapping[str, object] | None

# So many results are kept at hand, those that were asked for last.
KEPT = 64
_WORD = re.compile(r"\w+")
_COMMENT = re.compile(r"^\s*--.*$", re.MULTILINE)


class Memory(Protocol):
    """What may have the answer to a query already; else it asks for it, and may keep it."""

    def answer(
        self,
        sql: str,
        parameters: Mapping[str, object] | None,
        ask: Callable[[str, Mapping[str, object] | None], Table],
    ) -> Table: ...


class Tables:
    """All tables of one ledger as it was when they were opened, or `until` then; each is looked for when it is named.

    `compute` gives the Parquet file of a table that is made in Python; without one, the table can be described only.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        compute: "Callable[[Tables, str], Path | None]",
        config: Mapping[str, Any] | None = None,
        until: Cut | None = None,
        connection: "duckdb.DuckDBPyConnection | None" = None,
    ) -> None:
        self.parts, self.until = parts, until
        if connection is not None:
            self.connection = connection
        # names the ledger that the parts were read from, as `Ledger.digest` does
        self.digest: str | None = None
        # where in the database the views are
        self.schema = "main"
        # what is asked for answers before the database is
        self.memory: Memory | None = None
        self._config = {**OFFLINE, **(config or {})}
        self.records = Records(self.ask)
        # the files whose lines the line tables hold; all when there are none
        self.paths: tuple[str, ...] = ()
        self.compute = compute
        self._there: set[str] = set()
        # the tables whose rows are held, or were, in place of a view, and those of which no row is held
        self._held: set[str] = set()
        self._bare: set[str] = set()
        self._known: OrderedDict[tuple[object, ...], Any] = OrderedDict()

    @cached_property
    def connection(self) -> "duckdb.DuckDBPyConnection":
        """DuckDB, opened at the first use: who only wants to know where the files are waits for nothing."""
        from linetrail.projections.tables.native import connect

        written_with = spare() if self._config == OFFLINE else None
        return written_with.execute("reset threads") if written_with else connect(config=self._config)

    def ask(self, sql: str, parameters: Parameters = None) -> Table:
        """Answer one query; `$name` stands for a parameter."""
        memory = self.memory
        ask = self.ask_database
        return ask(sql, parameters) if memory is None else memory.answer(sql, parameters, ask)

    def ask_database(self, sql: str, parameters: Parameters = None) -> Table:
        """Answer one query, whatever is kept of it."""
        from linetrail.projections.tables.native import IOException

        try:
            self.show(named(sql))
            cursor = self.connection.execute(sql, parameters)
            return Table(tuple(column[0] for column in cursor.description or ()), cursor.fetchall())
        except IOException as error:
            raise CacheError(error) from None

    def once(self, work: Callable[..., T], *about: str) -> T:
        """Return what a function makes of these tables alone, called once for all who ask it about the same."""
        key = (work, *about)
        if key not in self._known:
            self._known[key] = work(self, *about)
        self._known.move_to_end(key)
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        return cast("T", self._known[key])

    def count(self, name: str) -> int:
        """Return how many rows a table has."""
        rows: int = self.ask(f"select count(*) from {name}").rows[0][0]  # noqa: S608  the name of a model's file
        return rows

    def counts(self) -> dict[str, int]:
        """Return how many rows each fact has, as its files say of themselves."""
        self.make(_stored())
        named = {file: name for name in sorted(_stored()) for file in files(self.parts, name)}
        rows = dict.fromkeys(sorted(_stored()), 0)
        told = self.ask("select file_name, num_rows from parquet_file_metadata($files)", {"files": list(named)})
        for file, number in told.rows:
            rows[named[file]] += number
        return rows

    def show(self, names: Iterable[str]) -> None:
        """Make tables visible to whoever uses the connection itself, and all that they are made of."""
        new = set(names) - self._there
        if new:
            self.make(new)
            self._show(new)

    def make(self, names: Iterable[str]) -> None:
        """Make the facts that these tables are made of, as far as the cache lacks them."""
        facts = made_of(names) & _stored() - self._there - {EVENTS}
        if any(part.lacks(name) for name in facts for part in self.parts):
            add_facts(self.connection, self.parts, facts)

    def hold(self, name: str) -> None:
        """Work a table out once for all questions that follow; planning many tables over others takes longer."""
        if name in self._there or (name in _grown() and _grown()[name].stretches(self.parts)):
            self.show([name])
            self._hold(name, f"from {name}")
        else:
            self.make([name])
            self._show(needs()[name])
            self._hold(name, self._rows(name))

    def work_out(self, facts: Iterable[str]) -> None:
        """Work facts out of the events of all stretches together, and hold them: no file is made of any."""
        self.hold(EVENTS)
        self.connection.execute(f"create or replace view {models.reading().name} as {statement('events_as_read')}")
        for fact in with_needs(facts):
            self._hold(fact.name, fact.sql)

    def is_empty(self, name: str) -> bool:
        """Return whether a table plainly has no row: no event is of its types, or all that it is made of is empty."""
        if name in self._there & self._held:
            return name in self._bare
        if name in _stored():
            return not any(part.says(name) for part in self.parts)
        return bool(needs()[name]) and all(map(self.is_empty, needs()[name]))

    def are_empty(self, names: Sequence[str]) -> bool:
        """Return whether there are such tables, and each of them plainly has no row."""
        return bool(names) and all(map(self.is_empty, names))

    @contextlib.contextmanager
    def over(self, ledger: "Tables") -> Iterator[Self]:
        """Be the tables of another ledger for a while, in the database that is open; what is held of it goes then.

        Views stay where all that they are made of was held, and held tables that have no row, which need not be planned
        for the next ledger if it says nothing of them: to define them takes longer than to ask a small ledger.
        """
        self.parts, self.until, self.compute = ledger.parts, ledger.until, ledger.compute
        self.records, self.paths = Records(self.ask), ledger.paths
        try:
            yield self
        finally:
            self._known.clear()
            filled = sorted(self._held - self._bare)
            self.connection.execute("".join(f"drop table if exists temp.{name};" for name in filled))
            settled = _models().keys() - _grown().keys() | self._held
            self._there = {name for name in self._there - self._held if made_of([name]) <= settled}

    def look_at(self, *paths: str) -> None:
        """Have the lines of these files, or below these folders, in `blame_lines`: of all files when there are none."""
        if paths != self.paths:
            self.paths = paths
            self._known.clear()
            self._there -= {name for name in self._there if "blame_lines" in computed_in([name])}

    def show_all(self) -> None:
        """Make every table visible."""
        self.show(needs())

    def outline(self) -> None:
        """Make every table visible; those that take work can be described, and hold no row until they are shown."""
        there = set(self._there)
        compute, self.compute = self.compute, lambda *_: None
        try:
            self.show_all()
        finally:
            self.compute = compute
        worked_out = {*NAMES, *_grown()}
        self._there -= {name for name in self._there - there if made_of([name]) & worked_out}

    def files(self, names: Iterable[str]) -> dict[str, Path]:
        """Return the files, besides those of the parts, that these tables and all that they are made of read."""
        files = {name: self.file(name) for name in sorted(made_of(names) & {*NAMES, *_grown()})}
        return {name: file for name, file in files.items() if file is not None}

    def file(self, name: str) -> Path | None:
        """Return the Parquet file of a computed table, or of what the long stretches say; None where there is none."""
        if name in _grown():
            if not _grown()[name].stretches(self.parts):
                return None
            self.make([name])
        return self.compute(self, name)

    def close(self) -> None:
        """Let go of the files."""
        if "connection" in vars(self):
            self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _hold(self, name: str, rows: str) -> None:
        if name not in self._bare or not self.is_empty(name):
            [(number,)] = self.connection.execute(f"create or replace temp table {name} as {rows}").fetchall()
            self._bare = self._bare - {name} if number else self._bare | {name}
        if name not in self._held:
            # behind a view of theirs the rows would be planned twice by whoever reads them
            self.connection.execute(f"drop view if exists memory.{self.schema}.{name}")
            self._held.add(name)
        self._there.add(name)

    def _show(self, names: Iterable[str]) -> None:
        for name in sorted(set(names) - self._there):
            self._show(needs()[name])
            self._define(name)
            self._there.add(name)

    def _define(self, name: str) -> None:
        if name in self._held:
            self.connection.execute(f"drop table if exists temp.{name}")
        self._held.discard(name)
        self._bare.discard(name)
        if name in _grown() and (file := self.file(name)) is not None:
            _grown()[name].define(self.connection, self.parts, file)
        else:
            self.connection.execute(f"create or replace view {name} as {self._rows(name)}")

    def _rows(self, name: str) -> str:
        """Return the query for the rows of a table, over others that are visible."""
        if name in NAMES:
            return self._rows_computed(name)
        return parquet_rows(files(self.parts, name)) if name in _stored() else _models()[name].sql

    def _rows_computed(self, name: str) -> str:
        none = name in _ROWS_OF and self.is_empty(_ROWS_OF[name])
        file = None if none else self.file(name)
        if file is not None:
            return parquet_rows([str(file)])
        columns = computed(name).COLUMNS.items()
        nothing = ", ".join(f"cast(null as {kind}) as {column}" for column, kind in columns)
        # who asks for a row is told why there is none
        never = "false" if none else f"error('{name} is not worked out') is null"
        return f"select {nothing} from range(1) where {never}"  # noqa: S608  our own names


# Whatever may put a table into the cache before it is worked out here.
Prepare = Callable[[Tables, str], None]


class Asked(NamedTuple):
    """What a table is worked out from: a repository, its other tables `until` a moment, and the commit at HEAD."""

    repository: Repository
    tables: Tables
    until: Cut | None
    head: str | None


class Computed(Protocol):
    """What a module in ``computed/`` offers: a table that SQL alone cannot make.

    It is worked out when a query names it and kept under a name made of all that it follows from, so it is never out of
    date and may be deleted at any time.
    """

    # what a row is
    ABOUT: str
    # name -> DuckDB type of each column
    COLUMNS: Mapping[str, str]
    # whatever is kept under another number is out of date
    VERSION: int

    # all that the rows follow from, besides the module itself
    def key(self, asked: Asked) -> object: ...
    # the rows in an order that follows from the same, or a query that gives them
    def rows(self, asked: Asked) -> "Iterable[Sequence[object]] | duckdb.DuckDBPyRelation": ...


def computed(name: str) -> Computed:
    """Return the module that works a table out."""
    return cast("Computed", import_module(f"linetrail.projections.computed.{name}"))


def ledger_key(asked: Asked) -> list[object]:
    """Name the ledger as these tables have it: a table that any event may change follows from this."""
    return [[part.first, part.head.seq, part.head.digest] for part in asked.tables.parts]


def open_tables(
    repository: Repository, *, keep: bool = True, until: Cut | None = None, prepare: Prepare | None = None
) -> Tables:
    """Bring the cache up to the ledger and open the tables over it, or over what was there of it `until` a moment.

    Without `keep` nothing is written into the cache.
    """
    read = Parts(require_ledger(repository), keep=keep)
    tables = tables_over(repository, read.current(until=until and until.of), keep=keep, until=until, prepare=prepare)
    tables.digest = read.digest
    return tables


def tables_over(
    repository: Repository,
    parts: Sequence[Part],
    *,
    keep: bool = True,
    until: Cut | None = None,
    config: Mapping[str, Any] | None = None,
    prepare: Prepare | None = None,
    connection: "duckdb.DuckDBPyConnection | None" = None,
) -> Tables:
    """Open the tables over these parts of a repository's ledger, which are all there is `until` a moment.

    A table that takes work, and is not in the cache, is first left to `prepare`, which may put it there. With a
    `connection`, no database is opened for them.
    """

    def compute(tables: Tables, name: str) -> Path:
        from linetrail.projections.tables import computed_cache  # most questions need none of these tables

        columns: Mapping[str, str] = {}
        make: Callable[[], Iterable[Sequence[object]] | duckdb.DuckDBPyRelation]
        if name in _grown():
            part = _grown()[name]
            told: object = [part.VERSION, {}, part.key(tables.parts)]
            make = partial(part.rows, tables.connection, tables.parts)
        else:
            module, asked = computed(name), _asked(repository, tables, until)
            told, columns, make = _follows_from(module, asked), module.COLUMNS, partial(module.rows, asked)
        if prepare is not None and not computed_cache.is_whole(computed_cache.file(repository, name, told)):
            prepare(tables, name)
        return computed_cache.provide(repository, name, told, columns, make, keep=keep)

    return Tables(parts, compute, config, until, connection)


def is_kept(repository: Repository, tables: Tables, name: str) -> bool:
    """Return whether a computed table is in the cache, so that nobody waits for it."""
    from linetrail.projections.tables import computed_cache

    return computed_cache.is_whole(computed_cache.file(repository, name, follows_from(repository, tables, name)))


def follows_from(repository: Repository, tables: Tables, name: str) -> object:
    """Return all that the rows of a computed table follow from."""
    return _follows_from(computed(name), _asked(repository, tables, tables.until))


def _asked(repository: Repository, tables: Tables, until: Cut | None) -> Asked:
    now = head(repository)
    return Asked(repository, tables, until, now and now.revision)


def _follows_from(module: Computed, asked: Asked) -> object:
    return [module.VERSION, dict(module.COLUMNS), module.key(asked)]


def named(sql: str) -> set[str]:
    r"""Return the tables whose names stand in a query, be it as something else; lines that are comments name none.

    >>> sorted(named("-- more is in v_nodes\nselect * from v_sessions"))
    ['v_sessions']
    """
    return set(_WORD.findall(_COMMENT.sub("", sql.lower()))) & needs().keys()


@cache
def needs() -> Mapping[str, frozenset[str]]:
    """Return the tables that each table is made of; what a part or a computed table has, it has by itself."""
    leaves = dict.fromkeys([*_stored(), *NAMES], frozenset[str]())
    return {**{name: model.needs for name, model in _models().items()}, **leaves}


def computed_in(names: Iterable[str]) -> set[str]:
    """Return the computed tables among these tables and all that they are made of."""
    return made_of(names) & set(NAMES)


def made_of(names: Iterable[str]) -> set[str]:
    """Return these tables and all that they are made of."""
    return reached(names, needs().__getitem__)


@cache
def _stored() -> frozenset[str]:
    return frozenset(model.name for model in models.stored())


@cache
def _grown() -> Mapping[str, Grown]:
    return grown()


@cache
def _models() -> Mapping[str, models.Model]:
    return {model.name: model for model in (*models.derived(), *models.views())}


@contextlib.contextmanager
def bounded(repository: Repository, memory: str) -> Iterator[Tables]:
    """Open the tables with so much memory for the database, such as `1GB`."""
    with open_tables(repository) as tables, tempfile.TemporaryDirectory(prefix="linetrail-") as aside:
        tables.connection.execute(f"set memory_limit = {literal(memory)}; set temp_directory = {literal(aside)}")
        yield tables
