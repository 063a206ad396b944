"""Keep the tables open between requests, with what they answered, as long as ledger and HEAD stay as they are."""

import contextlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar, cast

from linetrail.ledger.repository import Repository
from linetrail.ledger.vcs import head
from linetrail.projections.tables.tables import CacheError, Table, Tables, open_tables
from linetrail.queries.answers.log import stamp
from linetrail.queries.ask.ask import answer

# So many rows of answers are kept, those that were asked for last.
MOST_ROWS = 20_000
# A tab that is open for days needs little: one thread works less in all than two, and files lie in memory anyway.
_FRUGAL = ("threads = 1", "enable_external_file_cache = false")


class Answer(Protocol):
    """What was worked out from the tables, with rows."""

    @property
    def rows(self) -> Sequence[object]: ...


A = TypeVar("A", bound=Answer)


class Held:
    """The tables of one repository for one request after another, never two at once."""

    def __init__(self, repository: Repository) -> None:
        """Begin with nothing open."""
        self._repository = repository
        self._tables: Tables | None = None
        self._seen: object = None
        self._answers: OrderedDict[object, Answer] = OrderedDict()

    @contextlib.contextmanager
    def tables(self) -> Iterator[Tables]:
        """Give the tables of the ledger as it is now."""
        now = (stamp(self._repository), head(self._repository))  # what is recorded from here on makes it another
        if self._tables is None or now != self._seen:
            self.forget()
            self._tables, self._seen = open_tables(self._repository), now
            for setting in _FRUGAL:
                self._tables.connection.execute(f"set {setting}")
        self._tables.look_at()  # at all files, whatever was asked before
        try:
            yield self._tables
        except CacheError:
            self.forget()
            raise

    def answer(self, tables: Tables, name: str, told: Mapping[str, object]) -> Table:
        """Answer a named question, once while the tables are held."""
        options = tuple(sorted((option, repr(value)) for option, value in told.items()))
        return self.once((name, options), lambda: answer(tables, name, **told))

    def once(self, key: object, work: Callable[[], A]) -> A:
        """Return the answer with this key, worked out once while the tables are held."""
        if key not in self._answers:
            self._answers[key] = work()
        self._answers.move_to_end(key)
        while sum(len(one.rows) for one in self._answers.values()) > MOST_ROWS and len(self._answers) > 1:
            self._answers.popitem(last=False)
        return cast("A", self._answers[key])

    def knows(self, key: object) -> bool:
        """Return whether the answer with this key was worked out since the tables are held."""
        return key in self._answers

    def forget(self) -> None:
        """Let go of everything."""
        self._answers.clear()
        if self._tables is not None:
            self._tables.close()
        self._tables = None
