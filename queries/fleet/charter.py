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
_FOLLOWING = "as long as the segments that they follow from"
_ALWAYS = "until whoever owns the store removes them: linetrail removes nothing by age"
# In the order in which most people may read them.
TIERS = (PUBLIC, FACTS_TIER, PRIVATE)
# Where, what, why, and for how long.
_PLACES = (
    (
        "segments/",
        "the ledgers themselves, with the words in them",
        "to make the tables; nobody else reads it",
        _ALWAYS,
    ),
    ("heads/", "checkpoints of the ledgers", "to notice what is gone", _ALWAYS),
    ("owners/", "patterns and teams of CODEOWNERS, without people", "to count by owner", _ALWAYS),
    (
        "people/",
        "a pseudonym for each segment, made with a key that the store does not have; only where a push is given one",
        "to count people; nobody but the build reads it",
        f"{_ALWAYS}; under another key the pseudonyms are others",
    ),
    (
        "lake/public/",
        f"counts over groups of at least {PEOPLE} people",
        "how agents are used, what becomes of their work, what it costs: the questions of the organisation below",
        _FOLLOWING,
    ),
    (
        "lake/facts/",
        "what happened, without words and without people",
        "to answer for single changes: audits, incidents, repair of the record",
        _FOLLOWING,
    ),
    (
        "lake/excerpts/",
        "the same with what people and agents wrote; only where a build is told `--excerpts`",
        "to read why, where facts do not say",
        "until the next build that is not told so",
    ),
    (
        "lake/private/",
        "what each pseudonym contributes to the counts",
        "to count people; nobody but the build reads it",
        _FOLLOWING,
    ),
    ("lake/asked/", "who asked what, when, of which tiers", "so that everybody can read who has looked", _ALWAYS),
)


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
        "kept": "\n".join(f"| `{where}` | {about} |" for where, *rest in _PLACES for about in [" | ".join(rest)]),
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
