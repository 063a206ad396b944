"""Ask what rules ask of the tables, and remember the answers as long as all that they follow from is the same.

One file has the answers about one state of the ledger. Each has a name made of the question, of its parameters, and of
what it reads of git.
"""

import contextlib
import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from linetrail.ledger.repository import Repository
from linetrail.projections import remembered
from linetrail.projections.tables import models
from linetrail.projections.tables.cache import EVENTS
from linetrail.projections.tables.parquet import engine
from linetrail.projections.tables.table import Table
from linetrail.projections.tables.tables import Tables, computed_in, named, needs

# 1: first format.
_VERSION = 1
# More is asked again rather than read again.
_MAX_ROWS = 20_000
# Of few events, planning a query takes longer than its answer; of more, tables that are held take more memory.
_FEW_EVENTS = 200_000


class _Kept(NamedTuple):
    """An answer as it is kept; `moments` are the columns whose values are."""

    name: str
    columns: tuple[str, ...]
    moments: list[int]
    rows: list[list[str | bool | int | None]]


class RuleAnswers:
    """The answers of one ledger as these tables have it."""

    def __init__(self, repository: Repository, tables: Tables) -> None:
        self._tables = tables
        self._beside: dict[tuple[str, ...], str] = {}
        stretches = [[part.first, part.head.seq, part.head.digest] for part in tables.parts]
        texts = models.digest([*models.facts(), *models.derived(), *models.views()])
        self._file = Path(
            repository.folder, "cache", "audit", f"{_digest([_VERSION, engine(), stretches, texts])}.jsonl"
        )
        self._keeps = os.path.isdir(repository.folder)  # asking makes no ledger

    def hold(self, questions: Iterable[str]) -> None:
        """Work out once what several of these questions read, where none about this ledger has an answer yet."""
        if self._known or self._tables.parts[-1].head.seq > _FEW_EVENTS:
            return
        readers = Counter(name for sql in questions for name in named(sql) if EVENTS not in needs()[name])
        for name, several in sorted(readers.items()):
            if several > 1:
                self._tables.hold(name)

    def ask(self, sql: str, parameters: Mapping[str, object] | None = None) -> Table:
        """Answer one query."""
        told = {name: str(value) for name, value in (parameters or {}).items()}
        beside = {name: self._file_of(name) for name in sorted(computed_in(named(sql)))}
        name = _digest([sql, told, beside])
        if name not in self._known:
            answer = self._tables.ask(sql, parameters)
            self._keep(name, answer)
            return answer
        return self._known[name]

    @cached_property
    def _known(self) -> dict[str, Table]:
        kept = remembered.load(self._file, _Kept)
        return {one.name: Table(one.columns, [_with_moments(row, one.moments) for row in one.rows]) for one in kept}

    def _file_of(self, name: str) -> str:
        """Return the name of the file of a computed table, which is made of all that its rows follow from."""
        asked = (name, *self._tables.paths)
        if asked not in self._beside:
            file = self._tables.file(name)
            self._beside[asked] = file.name if file else ""
        return self._beside[asked]

    def _keep(self, name: str, answer: Table) -> None:
        if not self._keeps or len(answer.rows) > _MAX_ROWS:
            return
        if not all(isinstance(cell, str | int | datetime | None) for row in answer.rows for cell in row):
            return
        moments = [at for at in range(len(answer.columns)) if any(isinstance(row[at], datetime) for row in answer.rows)]
        remembered.append(self._file, [(name, answer.columns, moments, answer.rows)])
        for other in self._file.parent.glob("*.jsonl"):
            if other != self._file:
                with contextlib.suppress(OSError):
                    other.unlink()


def _with_moments(row: Sequence[Any], moments: Sequence[int]) -> tuple[Any, ...]:
    values = list(row)
    for at in moments:
        values[at] = values[at] and datetime.fromisoformat(values[at])
    return tuple(values)


def _digest(told: object) -> str:
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()
