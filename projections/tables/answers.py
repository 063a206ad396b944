"""Keep the answers to small questions in the cache: who asks again about the same ledger needs no database.

An answer has a file of its own, named by all that it follows from: the ledger and the models, the question and its
parameters, and what the computed tables that it reads follow from. So none is ever out of date.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from types import NoneType
from typing import Any

from linetrail.ledger.errors import StorageError
from linetrail.ledger.files import publish
from linetrail.ledger.repository import Repository
from linetrail.projections.remembered import keep_newest
from linetrail.projections.tables import models
from linetrail.projections.tables.parquet import engine
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Parameters, Tables, computed_in, follows_from, named

# 1: first format.
_VERSION = 1
# So many rows are asked for again rather than read again.
MAX_ROWS = 20_000
_MAX_FILES, _MAX_BYTES = 5_000, 32_000_000
_KINDS = frozenset({str, int, bool, NoneType, datetime})


class Answers:
    """The answers that are kept about a ledger as these tables have it."""

    def __init__(self, repository: Repository, tables: Tables) -> None:
        self._repository, self._tables = repository, tables
        self._folder = Path(repository.folder, "cache", "answers")
        stretches = [[part.first, part.head.seq, part.head.digest] for part in tables.parts]
        texts = models.digest([*models.facts(), *models.derived(), *models.views()])
        self._about = [_VERSION, engine(), stretches, texts]
        self._keeps = os.path.isdir(repository.folder)  # asking makes no ledger
        self._added = False

    def answer(self, sql: str, parameters: Parameters, ask: Callable[[str, Parameters], Table]) -> Table:
        """Return the answer to a query that is kept, else ask for it and keep it."""
        file = self._file(sql, parameters)
        kept = _load(file)
        if kept is None:
            kept = ask(sql, parameters)
            told = encoded(kept) if self._keeps else None
            if told is not None:
                self._added |= keep(file, told)
        return kept

    def has(self, sql: str, parameters: Parameters) -> bool:
        """Return whether the answer to a query is kept."""
        return self._file(sql, parameters).exists()

    def close(self) -> None:
        """Forget the oldest answers, where some were added."""
        if self._added:
            keep_newest(self._folder, files=_MAX_FILES, total=_MAX_BYTES)

    def _file(self, sql: str, parameters: Parameters) -> Path:
        told = {name: repr(value) for name, value in (parameters or {}).items()}
        beside = {name: follows_from(self._repository, self._tables, name) for name in sorted(computed_in(named(sql)))}
        name = hashlib.sha256(json.dumps([self._about, sql, told, beside]).encode()).hexdigest()
        return self._folder / f"{name}.json"


@contextlib.contextmanager
def remembering(repository: Repository, tables: Tables) -> Iterator[Answers]:
    """Look for answers in the cache before these tables are asked, and keep there what they answer."""
    before, answers = tables.memory, Answers(repository, tables)
    tables.memory = answers
    try:
        yield answers
    finally:
        tables.memory = before
        answers.close()


def encoded(answer: Table) -> object:
    """Return an answer as it is kept, with the columns that are moments; None where it is not small and plain."""
    kinds = {type(cell) for row in answer.rows for cell in row}
    if len(answer.rows) >= MAX_ROWS or not kinds <= _KINDS:
        return None
    columns = range(len(answer.columns)) if datetime in kinds else ()
    moments = [at for at in columns if any(isinstance(row[at], datetime) for row in answer.rows)]
    return [answer.columns, moments, answer.rows]


def decoded(told: Any) -> Table:
    """Return an answer that was kept; raise a ValueError, TypeError or IndexError where it is none."""
    columns, moments, kept = told
    rows = [_with_moments(row, moments) for row in kept]
    if not {len(row) for row in rows} <= {len(columns)}:
        raise ValueError
    return Table(tuple(columns), rows)


def keep(file: Path, told: object) -> bool:
    """Write an answer down, where the cache can be written; return whether it was."""
    with contextlib.suppress(OSError, StorageError):
        publish(str(file), json.dumps(told, default=datetime.isoformat).encode(), durable=False)
        return True
    return False


def _load(file: Path) -> Table | None:
    """Return an answer; None where none is kept, or it cannot be read."""
    try:
        return decoded(json.loads(file.read_bytes()))
    except (OSError, ValueError, TypeError, IndexError, RecursionError):
        return None


def _with_moments(row: Sequence[Any], moments: Sequence[int]) -> tuple[Any, ...]:
    values = list(row)
    for at in moments:
        values[at] = values[at] and datetime.fromisoformat(values[at])
    return tuple(values)
