"""Print how a question was understood, what was run for it, and the rows that answer."""

import shlex
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from linetrail.projections.git.shell import command
from linetrail.projections.tables.table import Table
from linetrail.queries.ask.choice import Chosen
from linetrail.queries.ask.interpretation import Understanding
from linetrail.queries.ask.replies import Named
from linetrail.queries.ask.search import Answer, Query
from linetrail.queries.ask.sentence import dollars, sentence
from linetrail.queries.render.text import plain, timestamp

# So much of a select is shown where nobody asked for it.
_SHOWN = 60
# What a narrow terminal shows least of.
DISPENSABLE = (
    *("cache_creation_input_tokens", "cache_read_input_tokens", "first_at", "first_line", "last_line", "mixed_lines"),
    *("authors", "unpriced"),
)
COLUMNS = (
    *("rank", "score", "kind", "occurred_at", "id", "what", "path", "intent_id", "session_id", "agent_name"),
    *("outcome", "tokens", "why"),
)
BRIEF = ("rank", "score", "time (UTC)", "kind", "what", "intent", "id", "why")


def table(found: Answer) -> Table:
    """Return the rows for programs."""
    filters = _filters(found.asked)
    rows = [
        (
            *(at, hit.score, hit.row["kind"], hit.row["occurred_at"], hit.row["id"], hit.row["what"], hit.row["path"]),
            *(hit.row["intent_id"], hit.row["session_id"], hit.row["agent_name"], hit.row["outcome"]),
            *(hit.row["tokens"], [*hit.matched, *filters]),
        )
        for at, hit in enumerate(found.hits, 1)
    ]
    return Table(COLUMNS, rows)


def brief(found: Answer) -> Table:
    """Return the rows for people: what fits a line."""
    filters = _filters(found.asked)
    rows = [
        (
            at,
            hit.score,
            timestamp(hit.row["occurred_at"])[:16].replace("T", " ") if hit.row["occurred_at"] else None,
            hit.row["kind"],
            _what(hit.row),
            hit.row["intent_id"],
            hit.row["id"],
            ", ".join(hit.matched) or ", ".join(filters[:1]),
        )
        for at, hit in enumerate(found.hits, 1)
    ]
    columns = (
        BRIEF if any(hit.score is not None for hit in found.hits) else tuple(name for name in BRIEF if name != "score")
    )
    return Table(columns, rows if columns == BRIEF else [(row[0], *row[2:]) for row in rows])


def notes(found: Answer) -> Iterator[str]:
    """Yield what a person is told beside the answer: filters, words, and the command that asks the same."""
    asked = found.asked
    if found.read_as:
        yield f"read as: {plain(found.read_as)}"
    anything = "rows of any kind" if asked.terms else "everything, the latest first"
    yield f"understood: {plain('; '.join(_filters(asked)) or anything)}"
    looked = [term.word for term in asked.terms]
    if looked:
        yield f"looked for: {plain(', '.join(looked))}"
    if found.hits and (lacking := [term for term in looked if term not in found.hits[0].matched]):
        yield f"no row has all of these; the first has no {plain(', '.join(lacking))}"
    if asked.ignored:
        yield f"ignored: {plain(', '.join(asked.ignored))}"
    yield f"sql: {plain(' '.join(found.query.sql.split())[:_SHOWN])}… (--sql prints all of it)"


def named_notes(found: Named) -> Iterator[str]:
    """Yield what a person is told beside the answer of a named question."""
    chosen = found.chosen
    if found.read_as:
        yield f"read as: {plain(found.read_as)}"
    yield f"understood: {plain(chosen.question.question)}"
    if told := sentence(found.chosen.figure, found.table):
        yield f"answer: {plain(told)}"
    if _is_as_named(chosen):
        yield f"sql: {plain(named_again(chosen))}"
    else:
        select = chosen.question.sql.rpartition("\n)\n\n")[2]
        yield f"sql: {plain(' '.join(select.split()))} (--sql prints all of it)"
    if chosen.others:
        yield f"called so, too: {plain(', '.join(chosen.others))}"


def named_brief(found: Named, limit: int) -> Table:
    """Return the first rows for people: the figure beside the name, costs in dollars, no column that is unknown."""
    rows = [dict(zip(found.table.columns, row, strict=True)) for row in found.table.rows[:limit]]
    first, *others = found.table.columns
    figure = found.chosen.figure and found.chosen.figure.column
    others.sort(key=lambda name: name != figure)
    told = [first, *(name for name in others if any(row[name] is not None for row in rows))]
    names = [name.removesuffix("_microusd") for name in told]
    costs = [name for name, called in zip(told, names, strict=True) if called.endswith("cost")]
    shown = [[dollars(row[name]) if name in costs else row[name] for name in told] for row in rows]
    return Table(tuple(names), [tuple(row) for row in shown])


def named_block(brief: Table) -> str:
    """Return the one row of an answer, a line for each of its values."""
    (row,) = brief.rows
    width = max(map(len, brief.columns))
    return "\n".join(f"{name:<{width}}  {plain(value)}" for name, value in zip(brief.columns, row, strict=True))


def named_meta(found: Named, now: datetime) -> dict[str, Any]:
    """Return for programs what was understood."""
    chosen = found.chosen
    return {
        "asked_at": timestamp(now),
        "read_as": found.read_as,
        "named": chosen.question.name or None,
        "answer": sentence(found.chosen.figure, found.table),
        "parameters": {name: _spelled(value) for name, value in chosen.told.items()},
        # of schema 1, in which rows were left out after the SQL had run
        "kept": {},
        "before": None,
        "others": list(chosen.others),
        "sql": chosen.question.sql,
        "command": named_again(chosen),
    }


def named_again(chosen: Chosen) -> str:
    """Return the command that asks the same."""
    given = [command(["-p", name, _told(value)]) for name, value in chosen.told.items()]
    asked = f"@{chosen.question.name}" if _is_as_named(chosen) else shlex.quote(chosen.question.sql)
    return " ".join([f"linetrail sql {asked}", *given])


def _is_as_named(chosen: Chosen) -> bool:
    return bool(chosen.question.name) and not chosen.is_narrowed


def named_sql(chosen: Chosen) -> str:
    """Return the whole SQL, and how to run it."""
    if not _is_as_named(chosen):
        return named_again(chosen)
    return f"-- {named_again(chosen)}\n{chosen.question.sql.rstrip()}"


def meta(found: Answer, now: datetime) -> dict[str, Any]:
    """Return the same for programs."""
    asked, made = found.asked, found.query
    return {
        "asked_at": timestamp(now),
        "read_as": found.read_as,
        "filters": _filters(asked),
        # of schema 1, in which rows of other kinds were shown as well, and words of another meaning looked for
        "given_up": [],
        "helping": [],
        "terms": [term.word for term in asked.terms],
        "ignored": list(asked.ignored),
        "sql": made.sql,
        "parameters": {name: _spelled(value) for name, value in made.parameters.items()},
        "command": again(made),
    }


def again(made: Query) -> str:
    """Return the command that asks the same; the select has no quotes in it, and stays on its lines."""
    given = [command(["-p", name, str(_spelled(value))]) for name, value in made.parameters.items()]
    return " \\\n  ".join([f"linetrail sql {shlex.quote(made.sql)}", *given])


def _filters(asked: Understanding) -> list[str]:
    """Return what a row had to be, in words."""
    told = [
        ("", asked.kinds),
        ("", asked.outcomes),
        ("by ", (asked.contributor,) if asked.contributor else ()),
        ("by ", asked.agents),
        ("with ", asked.models),
        ("for ", asked.intents),
        ("in session ", asked.sessions),
        ("in ", tuple(word for word, _ in asked.places)),
    ]
    filters = [f"{how}{' or '.join(names)}" for how, names in told if names]
    if asked.times:
        since, until = (None if one is None else timestamp(one)[:16] for one in (asked.since, asked.until))
        span = " ".join(filter(None, [since and f"from {since}", until and f"before {until}"]))
        filters.append(f"{', '.join(asked.times)} ({span})")
    return [*filters, *([asked.order] if asked.order else [])]


def _what(row: Mapping[str, Any]) -> str:
    told = row["what"] or "-"
    outcome = f" ({row['outcome']})" if row["outcome"] and row["kind"] != "lesson" else ""
    tokens = f", {row['tokens']:,} tokens" if row["tokens"] is not None else ""
    return f"{told}{outcome}{tokens}"


def _spelled(value: object) -> object:
    return timestamp(value) if isinstance(value, datetime) else value


def _told(value: object) -> str:
    return f"{value:%Y-%m-%dT%H:%M:%SZ}" if isinstance(value, datetime) else str(value)
