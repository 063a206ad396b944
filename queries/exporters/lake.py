"""Say what a lake consists of: its tables with their columns, in types that every engine reads."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from zlib import crc32

from linetrail.projections.tables import models
from linetrail.projections.tables.sql_text import literal, quoted
from linetrail.projections.tables.tables import Tables

# Of the layout: another number where a file, a name or a type goes away or changes its meaning.
SCHEMA_VERSION = 1
EVENTS, MONTH = "events", "month"
# Where hive puts what has no value to be partitioned by.
NO_MONTH = "__HIVE_DEFAULT_PARTITION__"
_REPO = "repository: the first commit of its history; null where history is cut off"
# What other engines have no type for -> what it is written as
_PLAIN = (
    (re.compile(r"JSON|ENUM.*|UUID"), "VARCHAR", "cast({} as varchar)"),
    (re.compile(r"U?HUGEINT"), "DECIMAL(38,0)", "cast({} as decimal(38, 0))"),
    (re.compile(r"UBIGINT"), "DECIMAL(20,0)", "cast({} as decimal(20, 0))"),
    (re.compile(r"TIMESTAMP.+"), "TIMESTAMP", "cast({} as timestamp)"),
    (re.compile(r".*\[\d*\]|(STRUCT|MAP|UNION).*"), "VARCHAR", "cast(to_json({}) as varchar)"),
)
_JSON_TYPES = {"BOOLEAN": "boolean", "VARCHAR": "string", "DOUBLE": "number", "FLOAT": "number"}


class Column(NamedTuple):
    """A column as the lake has it; `sql` makes it out of the column of the view."""

    name: str
    type: str
    comment: str | None
    sql: str

    @property
    def field_id(self) -> int:
        """A number that follows from the name alone, so that a new column changes no other one's."""
        return crc32(self.name.encode()) & 0x7FFFFFFF


class LakeTable(NamedTuple):
    """A table of a lake and the view that it is made of; `path` is its folder, `order` what its rows are sorted by."""

    name: str
    path: str
    about: str
    view: str
    columns: tuple[Column, ...]
    order: tuple[str, ...]

    @property
    def select(self) -> str:
        """The query that gives its rows, in no order; `events` has its month besides."""
        columns = ", ".join(f"{column.sql} as {quoted(column.name)}" for column in self.columns)
        month = f", coalesce(strftime(occurred_at, '%Y-%m'), '{NO_MONTH}') as {MONTH}" if self.name == EVENTS else ""
        return f"select {columns}{month} from {self.view}"  # noqa: S608  names of our own views and columns


def lake_tables(tables: Tables, repo_id: str | None) -> list[LakeTable]:
    """Return the tables of the lake of one repository: the events, and every view by its name."""
    told = []
    for view in models.views():
        is_events = view.name == "v_events"
        told.append(
            LakeTable(
                name=EVENTS if is_events else view.name,
                path=EVENTS if is_events else f"tables/{view.name}",
                about=view.about,
                view=view.name,
                columns=tuple(columns(tables, view, repo_id)),
                order=("repo_id", "session_id", "seq") if is_events else ("all",),
            )
        )
    return sorted(told, key=lambda table: (table.name != EVENTS, table.name))


def dictionary(found: Sequence[LakeTable]) -> str:
    """Return what all tables and columns mean, as a page."""
    lines = [
        "# What is in this folder",
        "",
        "`manifest.json` lists every file with its rows and its SHA-256, `schema.json` is a JSON Schema of the rows.",
        "In DuckDB: `from read_parquet('events/*/*.parquet')`, `from read_parquet('tables/v_sessions/*.parquet')`.",
    ]
    for table in found:
        lines += ["", f"## {table.name}", "", f"{_sentence(table.about)} Files: `{table.path}/`.", ""]
        lines += ["| column | type | |", "|---|---|---|"]
        lines += [f"| `{one.name}` | {one.type} | {(one.comment or '').replace('|', '¦')} |" for one in table.columns]
    return "\n".join([*lines, ""])


def schema(found: Sequence[LakeTable]) -> str:
    """Return a JSON Schema with a definition for the rows of each table."""
    definitions = {table.name: _row_schema(table) for table in found}
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "rows of a lake of linetrail",
        "$comment": f"layout {SCHEMA_VERSION}",
        "$defs": definitions,
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def columns(tables: Tables, view: models.Model, repo_id: str | None) -> Iterator[Column]:
    """Yield the columns of a view in plain types, the repository first."""
    tables.show([view.name])
    comments = models.column_comments(view)
    described = tables.connection.execute(f"describe {view.name}").fetchall()
    if "repo_id" not in {name for name, *_ in described}:
        value = "null" if repo_id is None else literal(repo_id)
        yield Column("repo_id", "VARCHAR", _REPO, f"cast({value} as varchar)")
    for name, kind, *_ in described:
        plain, sql = next(
            ((plain, sql) for pattern, plain, sql in _PLAIN if pattern.fullmatch(kind)),
            (kind, "{}"),
        )
        yield Column(name, plain, comments.get(name), sql.format(quoted(name)))


def _row_schema(table: LakeTable) -> Mapping[str, Any]:
    properties = {
        column.name: {"type": [_json_type(column.type), "null"]}
        | ({"description": column.comment} if column.comment else {})
        for column in table.columns
    }
    return {"description": table.about, "type": "object", "properties": properties, "additionalProperties": False}


def _json_type(kind: str) -> str:
    if kind.startswith("DECIMAL") and not kind.endswith(",0)"):
        return "number"
    return _JSON_TYPES.get(kind) or ("integer" if "INT" in kind or kind.startswith("DECIMAL") else "string")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
