"""What a view is asked, and what it returns."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple, Protocol

from linetrail.ledger.errors import DamageWarning, LinetrailError, UsageError
from linetrail.ledger.repository import Repository, head
from linetrail.projections.blame.blame import Opened
from linetrail.projections.survival.stats import tree
from linetrail.projections.tables.prefix import Cut
from linetrail.projections.tables.tables import Tables, is_kept, open_tables
from linetrail.queries.ask.ask import answer, understood
from linetrail.queries.page.open_tables import QUICK_EVENTS, OpenTables

Record = Mapping[str, Any]
# Up to here the lines at HEAD, or the history of definitions, are worked out before a person grows impatient.
QUICK_BYTES = 500_000


class NoSuchPageError(LinetrailError):
    """The page has no view of this name, or nothing to show under this address."""


class Shown(NamedTuple):
    """What a view shows: the rows that it is about, and what there is beside them."""

    title: str
    rows: Sequence[Record]
    about: Record


class Store(NamedTuple):
    """An object store of many repositories, and who asks it."""

    url: str
    who: str


class Asked(NamedTuple):
    """What an address asks for.

    `whole` is true where nobody can turn to the next page, as in a report; `until` cuts the ledger down to what it was;
    `opened` are its tables, where many answers come from the same, `held` those of a server, which hold as long as the
    ledger does; `may_answer` is true where requests of agents may be answered; `store` has other repositories, too.
    """

    repository: Repository
    options: Mapping[str, str]
    whole: bool = False
    until: Cut | None = None
    opened: Opened | None = None
    may_answer: bool = False
    held: OpenTables | None = None
    store: Store | None = None

    @contextmanager
    def tables(self) -> Iterator[Tables]:
        with self.lent() as opened:
            if opened is not None:
                yield opened.tables
                return
        with open_tables(self.repository, until=self.until) as tables:
            yield tables

    def lent(self) -> AbstractContextManager[Opened | None]:
        """Return the tables that are open already, as of all files; None where each answer opens its own."""
        if self.held is not None:
            return self.held.opened()
        if self.opened is not None:
            self.opened.tables.look_at()  # whatever the view before asked about
        return nullcontext(self.opened)

    def is_at_hand(self, tables: Tables, name: str) -> bool:
        """Return whether a table that is worked out in Python is kept, or quick to have: nobody waits for it."""
        if is_kept(self.repository, tables, name):
            return True
        commit = head(self.repository)
        if commit is None or commit.revision is None:
            return True
        size = sum(file.size for file in tree(self.repository, commit.revision))
        return size <= QUICK_BYTES and tables.parts[-1].head.seq <= QUICK_EVENTS

    def option(self, name: str) -> str | None:
        """Return an option; one that is left empty, as forms do, is not given."""
        return self.options.get(name) or None

    def number(self, name: str, default: int) -> int:
        """Return an option that is a whole number from 1 on."""
        told = self.option(name)
        if told is None:
            return default
        if not (told.isascii() and told.isdecimal() and 0 < len(told) < 10 and int(told)):
            raise UsageError(f"{name} is a whole number from 1 on, not {told!r}")
        return int(told)


class View(Protocol):
    """What a module of `views/` offers."""

    # what is asked -> what is shown
    def show(self, asked: Asked) -> Shown: ...


def question(asked: Asked, tables: Tables, name: str, **told: str) -> Record:
    """Return the answer of a named question with its name and parameters, so that whoever reads it can ask again."""
    meant = understood(told, asked.repository)
    found = asked.held.answer(tables, name, meant) if asked.held else answer(tables, name, **meant)
    return {"question": name, "told": told, "columns": found.columns, "rows": list(found.mappings())}


def page_of(rows: Sequence[Record], asked: Asked, size: int) -> tuple[Sequence[Record], Record]:
    """Return the rows that the option `from` begins with, and where they are among all of them."""
    page = place_of(len(rows), asked, size)
    return rows[page["first"] - 1 : page["last"]], page


def place_of(count: int, asked: Asked, size: int) -> Record:
    """Return which of so many rows are shown: those that the option `from` begins with."""
    if asked.whole:
        return {"first": 1, "last": count, "of": count, "size": max(count, 1)}
    first = asked.number("from", 1)
    return {"first": first, "last": max(min(first - 1 + size, count), first - 1), "of": count, "size": size}


def damage(caught: Sequence[warnings.WarningMessage]) -> list[str]:
    """Return what the warnings say that an answer leaves out, each once."""
    return list(dict.fromkeys(str(one.message) for one in caught if isinstance(one.message, DamageWarning)))
