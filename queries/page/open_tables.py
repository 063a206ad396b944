"""Keep the tables open between requests, with what they answered, as long as ledger and HEAD stay as they are."""

import contextlib
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar
from uuid import uuid4

import duckdb

from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository, head
from linetrail.projections.blame.blame import Opened
from linetrail.projections.tables import computed_cache
from linetrail.projections.tables.cache import ASIDE, CacheError, Part
from linetrail.projections.tables.sql_text import literal
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Tables, open_tables, tables_over
from linetrail.queries.answers.log import stamp
from linetrail.queries.ask.ask import answer
from linetrail.queries.page import preparation

# Up to here, what takes work is worked out before another process would have begun.
QUICK_EVENTS = 5_000
# So many rows of answers are kept, those that were asked for last.
MOST_ROWS = 20_000
# A tab that is open for days needs little: one thread works less in all than two, and files lie in memory anyway.
_FRUGAL = ("threads = 1", "enable_external_file_cache = false")
# What is more waits in files; whenever a limit is set, and to the same, the database gives back what questions needed.
LIMIT, NO_LIMIT = "set memory_limit = '72MB'", "reset memory_limit"

T = TypeVar("T")


class OpenTables:
    """The tables of one repository for one request after another, never two at once."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._opened: Opened | None = None
        self._seen: object = None
        self._caught: Sequence[warnings.WarningMessage] = ()
        self._answers: OrderedDict[object, Table] = OrderedDict()
        self._limit = LIMIT

    def show(self, view: Callable[[], T]) -> T:
        """Return what a view shows; what cannot be had within the limit, or beside it, is tried again without one.

        All that is kept goes before, so that both together do not take more than either.
        """
        try:
            return view()
        except (duckdb.OutOfMemoryException, CacheError):
            self.forget()
            self._limit = NO_LIMIT
        try:
            return view()
        finally:
            self._limit = LIMIT

    @contextlib.contextmanager
    def opened(self) -> Iterator[Opened]:
        """Give the tables of the ledger as it is now, and its digest."""
        now = (stamp(self._repository), head(self._repository))  # what is recorded from here on makes it another
        if self._opened is None or now != self._seen:
            self.forget()
            with warnings.catch_warnings(record=True) as self._caught:
                warnings.simplefilter("always")
                ledger = Ledger(self._repository).digest()
                self._opened = Opened(ledger, open_tables(self._repository, prepare=self._prepare))
            self._seen = now
            aside = computed_cache.writable_folder(self._repository) / f"{ASIDE}{uuid4().hex}"
            for setting in (*_FRUGAL, f"temp_directory = {literal(str(aside))}"):
                self._opened.tables.connection.execute(f"set {setting}")
        for one in self._caught:  # what the tables leave out, each answer leaves out
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        tables = self._opened.tables
        tables.look_at()  # at all files, whatever was asked before
        try:
            tables.connection.execute(self._limit)
            yield self._opened
            tables.connection.execute(self._limit)
        except CacheError:
            self.forget()
            raise

    def answer(self, tables: Tables, name: str, told: Mapping[str, object]) -> Table:
        """Answer a named question, once while the tables are held."""
        key = name, tuple(sorted((option, repr(value)) for option, value in told.items()))
        if key not in self._answers:
            self._answers[key] = answer(tables, name, **told)
            tables.connection.execute(self._limit)
        self._answers.move_to_end(key)
        while sum(len(one.rows) for one in self._answers.values()) > MOST_ROWS and len(self._answers) > 1:
            self._answers.popitem(last=False)
        return self._answers[key]

    def run(self, tables: Tables, work: Callable[..., None], *given: object) -> None:
        """Have a process of its own work something out for the cache, where the ledger is long."""
        if tables.parts[-1].head.seq > QUICK_EVENTS:
            preparation.run(work, self._repository, tables.parts, *given)

    def forget(self) -> None:
        self._answers.clear()
        if self._opened is not None:
            self._opened.tables.close()
        self._opened = None

    def _prepare(self, tables: Tables, name: str) -> None:
        self.run(tables, _prepare, tables.paths, name)


def _prepare(repository: Repository, parts: Sequence[Part], paths: Sequence[str], name: str) -> None:
    with tables_over(repository, parts) as tables:
        tables.look_at(*paths)
        tables.file(name)
