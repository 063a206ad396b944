"""Write the charter of a store: what is kept, why, for how long, and what may be asked of it.

Every table, column, threshold and question in it is read from where the program itself reads it. So the charter cannot
say less than is done, and a change of either is seen in its text.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from linetrail.queries.ask.question_files import Question
from linetrail.queries.fleet import columns, groups, questions, repository_rows
from linetrail.queries.fleet.columns import FACTS, KEYS, LEFT_OUT, PLACES, TEXTS
from linetrail.queries.fleet.groups import OTHERS, PEOPLE
from linetrail.queries.fleet.layout import FACTS as FACTS_TIER
from linetrail.queries.fleet.layout import PRIVATE, PUBLIC, FleetTable

COLUMNS = ("tier", "table", "column", "type", "kind", "kept", "meaning")
KINDS = {
    KEYS: "name of something, with its repository before it",
    PLACES: "place in the order of events",
    FACTS: "fact",
    TEXTS: "words of people and agents: only in excerpts",
    columns.PEOPLE: "leads to a person: kept nowhere",
    columns.UNKNOWN: "not to be known from events alone: kept nowhere",
}
# In the order in which most people may read them.
TIERS = (PUBLIC, FACTS_TIER, PRIVATE)


def rows() -> list[tuple[object, ...]]:
    return [
        (table.tier, table.name, one.name, one.type, one.kind, _is_kept(table, one.kind), one.comment)
        for table in _tables()
        for one in table.columns
    ]


def text() -> str:
    told = {
        "people": PEOPLE,
        "others": OTHERS,
        "left_out": "\n".join(f"- `{name}`: {why}" for name, why in LEFT_OUT.items()),
        "cells": "\n".join(f"- `{one.name}`: month, {', '.join(one.dimensions)}" for one in groups.groups()),
        "of_organisation": _listed(questions.of_organisation()),
        "of_repositories": _listed(questions.of_repositories()),
        "kinds": "\n".join(f"- {name}: {about}" for name, about in KINDS.items()),
        "columns": "\n".join(_columns()),
    }
    return Path(__file__).with_name("charter.md").read_text("utf-8").format_map(told)


def _listed(found: Mapping[str, Question]) -> str:
    return "\n".join(f"- `@{name}`: {one.question}" for name, one in found.items())


def _columns() -> Iterator[str]:
    for table in _tables():
        yield ""
        yield f"### {table.tier}: {table.name}"
        yield ""
        yield f"{table.about[:1].upper()}{table.about[1:]}."
        yield ""
        yield "| column | type | kind | meaning |"
        yield "|---|---|---|---|"
        for one in table.columns:
            yield f"| `{one.name}` | {one.type} | {one.kind} | {(one.comment or '').replace('|', '¦')} |"


def _tables() -> list[FleetTable]:
    """Return all tables, those that most people may read first; the excerpts have the columns of the facts."""
    found = repository_rows.empty_tables(excerpts=False)
    return sorted(found, key=lambda table: (TIERS.index(table.tier), table.name))


def _is_kept(table: FleetTable, kind: str) -> bool:
    return kind in {KEYS, PLACES, FACTS} or (table.tier == PRIVATE and kind == columns.PEOPLE)
