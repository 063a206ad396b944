"""Keep answers whose rows each follow from one session, and ask about the sessions of later events alone.

A row may follow from all events of its session, from the changes that intents made to the files which that session
changed, from events of types that are not LOCAL, and from whether any event names an intent. Where a later event is not
local, everything is asked again.
"""

import hashlib
import json
from bisect import bisect_right
from collections.abc import Container, Iterable, Sequence
from contextlib import ExitStack
from functools import cache
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from linetrail.ledger.log.chain import Head
from linetrail.ledger.repository import Repository
from linetrail.projections.remembered import keep_newest
from linetrail.projections.statements import statement
from linetrail.projections.tables import models
from linetrail.projections.tables.answers import decoded, encoded, keep
from linetrail.projections.tables.cache import EVENTS, Part, Shelf, files
from linetrail.projections.tables.parquet import copy_events, engine
from linetrail.projections.tables.partitions import Parts
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Parameters, Tables, tables_over

# 1: first format.
_VERSION = 1
_MAX_FILES, _MAX_BYTES = 200, 32_000_000
# Events that change no row about another session than their own.
LOCAL = (
    "gate.decided",
    "gate.violation",
    "mutation.observed",
    "prompt.submitted",
    "session.ended",
    "session.started",
    "thought.recorded",
    "tool.completed",
    "tool.failed",
    "tool.requested",
    "usage.recorded",
)


class _Later(NamedTuple):
    """The sessions of later events, and the tables of all that rows about them follow from."""

    sessions: frozenset[str | None]
    tables: Tables


class _Kept(NamedTuple):
    """An answer, and what was recorded since it was asked; None: nothing."""

    answer: Table
    later: _Later | None


class SessionAnswers:
    """What is kept of such answers about a ledger, and how they are brought up to what these tables have of it."""

    def __init__(self, repository: Repository, tables: Tables) -> None:
        self._repository, self.tables = repository, tables
        self._folder = Path(repository.folder, "cache", "sessions")
        self._end = tables.parts[-1].head
        self._about = [_VERSION, engine(), models.digest([*models.facts(), *models.derived(), *models.views()])]
        self._opened = ExitStack()
        self._later = cache(self._since)
        self._added = False

    def asked(self, sql: str, parameters: Parameters) -> Tables | None:
        """Return the tables that a query has to be asked of; None where its answer is kept."""
        kept = self._kept(sql, parameters)
        if kept is None:
            return self.tables
        return kept.later and kept.later.tables

    def answer(self, sql: str, parameters: Parameters = None, rows_of: Sequence[str] = ()) -> Table:
        """Return the rows of a query with the columns `session_id` and `position`, in the order of positions.

        There is none where all the tables that they are `rows_of` are empty.
        """
        kept = self._kept(sql, parameters)
        if kept is not None and kept.later is None:
            return kept.answer
        if kept is None or kept.later is None:
            answer = self.tables.ask_database(sql, parameters)
        else:
            later = kept.later.tables
            anew = () if later.are_empty(rows_of) else later.ask(sql, parameters).rows
            answer = _renewed(kept.answer, kept.later.sessions, anew)
        told = None if self.tables.until else encoded(answer)
        if told is not None:
            self._added |= keep(self._file(sql, parameters), [self._end, told])
        return answer

    def close(self) -> None:
        """Let go of tables, and forget the oldest answers where some were added."""
        self._opened.close()
        if self._added:
            keep_newest(self._folder, files=_MAX_FILES, total=_MAX_BYTES)

    def _kept(self, sql: str, parameters: Parameters) -> _Kept | None:
        """Return an answer that was asked of this ledger, or of one that went on to it; None where there is none."""
        if self.tables.until is not None:
            return None
        try:
            place, told = json.loads(self._file(sql, parameters).read_bytes())
            end, answer = Head(*place), decoded(told)
        except (OSError, ValueError, TypeError, IndexError, RecursionError):
            return None
        if end == self._end:
            return _Kept(answer, None)
        later = self._later(end)
        return None if later is None else _Kept(answer, later)

    def _since(self, end: Head) -> _Later | None:
        """Return what was recorded behind a place; None where that may change rows about any session."""
        if end.seq >= self._end.seq or not Parts(self._repository, keep=False).went_through(end):
            return None
        told = self.tables.ask_database(statement("session_later"), {"after": end.seq, "local": LOCAL}).rows
        if not all(is_local for _, is_local in told):
            return None
        room = self._opened.enter_context(self.tables.connection.cursor())
        name = f"later_{end.seq}"
        room.execute(f"drop schema if exists {name} cascade; create schema {name}; set schema = '{name}'")
        tables = tables_over(self._repository, [self._part(end.seq)], keep=False, connection=room)
        tables.schema = name
        return _Later(frozenset(session for session, _ in told), tables)

    def _part(self, after: int) -> Part:
        """Write the events that rows about the sessions of later events follow from."""
        found = self.tables.ask_database(statement("session_events"), {"after": after, "local": LOCAL}).rows
        positions = sorted(position for (position,) in found if position is not None)
        there = [part for part in self.tables.parts if _between(positions, part.first, part.head.seq)]
        shelf = Shelf(Path(self._opened.enter_context(TemporaryDirectory(prefix="linetrail-"))))
        made = shelf.aside()
        types = copy_events(self.tables.connection, files(there, EVENTS), positions, made)
        digest = hashlib.sha256(json.dumps([self._end, after]).encode()).hexdigest()
        return shelf.keep(made, 0, Head(0, len(positions), digest), types)

    def _file(self, sql: str, parameters: Parameters) -> Path:
        told = {name: repr(value) for name, value in (parameters or {}).items()}
        name = hashlib.sha256(json.dumps([self._about, sql, told]).encode()).hexdigest()
        return self._folder / f"{name}.json"


def _between(positions: Sequence[int], first: int, last: int) -> bool:
    """Return whether one of these places, which are in order, is behind the first and not behind the last."""
    return bisect_right(positions, first) < bisect_right(positions, last)


def _renewed(answer: Table, sessions: Container[str | None], anew: Iterable[tuple[Any, ...]]) -> Table:
    """Return an answer with the rows about these sessions as they are anew."""
    session, position = answer.columns.index("session_id"), answer.columns.index("position")
    rows = [row for row in answer.rows if row[session] not in sessions]
    rows += [row for row in anew if row[session] in sessions]
    return Table(answer.columns, sorted(rows, key=itemgetter(position)))
