"""Print what `linetrail blame` found, file by file: as pages, as one JSON document, as porcelain, as counts.

Nothing is held back until the end but what later files can change: a large repository needs no large memory.
"""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from linetrail.projections.lines.attribution import Attribution
from linetrail.projections.lines.states import ranges
from linetrail.projections.tables.table import Table
from linetrail.queries.answers import blame_text
from linetrail.queries.answers.blame import Found
from linetrail.queries.render.output import TABLE, print_rows, print_table
from linetrail.queries.render.text import SCHEMA_VERSION, escaped, plain, text_table

# By what lines can be grouped, and the field that says it.
FIELDS = {
    "intent": "intent_id",
    "session": "session_id",
    "model": "model_id",
    "agent": "agent_name",
    "class": "mutation_class",
}


class Show(Protocol):
    """A form in which answers are printed."""

    # prints a file, or remembers what is needed of it
    def add(self, found: Found) -> None: ...

    # after the last file
    def end(self) -> None: ...


class Pages:
    """For people: a page for each file, with a heading where there are several."""

    def __init__(self, revision: str | None, *, directory: str, colour: bool, several: bool) -> None:
        self._revision, self._directory, self._colour, self._several = revision, directory, colour, several
        self._gap = ""

    def add(self, found: Found) -> None:
        if self._several:
            print(f"{self._gap}==> {plain(found.name)} <==")
            self._gap = "\n"
        page = blame_text.page(
            found.rows, found.name, self._revision, of=found.of, directory=self._directory, colour=self._colour
        )
        print(page)

    def end(self) -> None:
        """Do nothing: every page is printed already."""


class Document:
    """For programs: one JSON document with a line for each row."""

    def __init__(self, meta: Callable[[Found | None], Mapping[str, Any]], *, several: bool) -> None:
        self._meta, self._several = meta, several
        self._gap: str | None = None

    def add(self, found: Found) -> None:
        self._begin(found)
        for row in blame_text.json_rows(found.rows, found.path if self._several else None):
            sys.stdout.write(f"{self._gap}{row}")
            self._gap = ",\n"

    def end(self) -> None:
        self._begin(None)
        print("\n ]\n}")

    def _begin(self, found: Found | None) -> None:
        if self._gap is None:
            meta = escaped(json.dumps(dict(self._meta(found)), ensure_ascii=False))
            sys.stdout.write(f'{{\n "schema_version": {SCHEMA_VERSION},\n "meta": {meta},\n "rows": [')
            self._gap = "\n"


class Porcelain:
    """For tools that read git's blame."""

    def __init__(self, *, every_line: bool, quote_high: bool) -> None:
        self._every_line, self._quote_high = every_line, quote_high

    def add(self, found: Found) -> None:
        told = blame_text.porcelain(found.rows, found.git, every_line=self._every_line, quote_high=self._quote_high)
        sys.stdout.buffer.write(told)

    def end(self) -> None:
        """Do nothing: every page is printed already."""


class Lines:
    """For spreadsheets and pipes: a row for each line, printed file by file; aligned columns wait for the last file."""

    def __init__(self, chosen: str, *, several: bool) -> None:
        self._chosen, self._several = chosen, several
        self._begun = False
        self._held: list[tuple[Any, ...]] = []

    @property
    def _columns(self) -> tuple[str, ...]:
        return (*(["path"] if self._several else []), "line_no", "text", *Attribution._fields)

    def add(self, found: Found) -> None:
        path = [found.path] if self._several else []
        rows = [(*path, row.number, row.text, *row.by) for row in found.rows]
        if self._chosen == TABLE:
            self._held += rows
        else:
            print_rows(self._columns, rows, self._chosen, {}, header=not self._begun)
            self._begun = True

    def end(self) -> None:
        if self._chosen == TABLE or not self._begun:
            print_rows(self._columns, self._held, self._chosen, {})


class Counts:
    """How many lines each intent, session, model, agent or class has; `titles` are names of intents."""

    def __init__(
        self,
        field: str,
        titles: Callable[[], Mapping[str | None, str | None]],
        chosen: str | None,
        meta: Mapping[str, Any],
    ) -> None:
        self._field, self._titles, self._chosen, self._meta = field, titles, chosen, meta
        self._numbers: dict[tuple[str, str | None], dict[str, list[int]]] = {}
        self._agents: dict[str | None, str | None] = {}
        self._files = 0

    def add(self, found: Found) -> None:
        self._files += 1
        for row in found.rows:
            key = self._key(row.by)
            self._numbers.setdefault(key, {}).setdefault(found.path, []).append(row.number)
            self._agents.setdefault(key[1], row.by.agent_name)

    def end(self) -> None:
        table = self._table()
        if self._chosen is None:
            print(text_table(table))
        else:
            print_table(table, self._chosen, self._meta)

    def _table(self) -> Table:
        """Return the groups, those with most lines first; line numbers are given for a single file only."""
        lines = {key: sum(map(len, files.values())) for key, files in self._numbers.items()}
        total = sum(lines.values())
        by_intent, named = self._field == "intent_id", self._field not in ("agent_name", "mutation_class")
        names = self._titles() if by_intent else self._agents
        rows = []
        for kind, value in sorted(lines, key=lambda key: (-lines[key], key[0], key[1] or "")):
            files, count = self._numbers[kind, value], lines[kind, value]
            numbers = next(iter(files.values())) if self._files == 1 else []
            name = [names.get(value)] if named else []
            about = (count, round(count / total, 4), len(files))
            places = (min(numbers, default=None), max(numbers, default=None), ranges(numbers) or None)
            rows.append((kind, value, *name, *about, *places))
        columns = ("contributor_type", self._field, *(["title" if by_intent else "agent"] if named else []))
        return Table((*columns, "lines", "share", "files", "first_line", "last_line", "ranges"), rows)

    def _key(self, by: Attribution) -> tuple[str, str | None]:
        of_people_too = self._field in ("intent_id", "mutation_class")
        value = getattr(by, self._field) if by.contributor_type == "ai" or of_people_too else None
        return by.contributor_type, value
