"""A question in plain words, a named question, or SQL in the sandbox: what is asked, its SQL, its answer, a chart."""

from collections.abc import Sequence
from typing import Any

from linetrail.ledger.errors import UsageError
from linetrail.projections.tables.table import Table
from linetrail.queries.ask import page, search
from linetrail.queries.ask.ask import answer, understood
from linetrail.queries.ask.choice import Unanswered
from linetrail.queries.ask.question_files import TOPICS, Question, find, questions
from linetrail.queries.ask.replies import Named, asked_at, reply
from linetrail.queries.page import charts
from linetrail.queries.page.view import Asked, Record, Shown
from linetrail.queries.sandbox import sandbox

SIZE = 500
# So many rows are drawn.
MOST_POINTS = 5_000
# So many rows are looked for where words are no question that has a name.
MOST_HITS = 50
MOST_CHARACTERS = 1_000


def show(asked: Asked) -> Shown:
    """Return the rows of the option `words`, `question` with its parameters, or `sql`; else what can be asked."""
    words, name, sql = (asked.option(option) for option in ("words", "question", "sql"))
    if words is not None:
        return _of_words(asked, words)
    if name is not None:
        return _of_question(asked, find(name))
    if sql is not None:
        found = sandbox.ask(asked.repository, sql, until=asked.until)
        about = {"question": None, "sql": sql, "complete": found.complete, "link": {"sql": sql}}
        return _answered(asked, "SQL", found.table, about)
    return Shown("Ask", [], {"topics": _topics(), "sql": None, "question": None, "columns": None})


def _of_words(asked: Asked, words: str) -> Shown:
    """Return what `linetrail ask` answers."""
    words = " ".join(words.replace("\0", " ").split())
    if not words or len(words) > MOST_CHARACTERS:
        raise UsageError(f"a question takes 1 to {MOST_CHARACTERS:,} characters")
    now = asked_at(None)
    with asked.tables() as tables:
        found = reply(tables, words, now, search.known(tables), MOST_HITS)
    about: dict[str, Any] = {"words": words, "question": None, "complete": True, "link": {"words": words}}
    if isinstance(found, Unanswered):
        near = [{"name": name, "asks": questions()[name].question} for name in found.near]
        return Shown(words, [], {**about, "sql": None, "columns": None, "unanswered": found.reason, "near": near})
    if isinstance(found, Named):
        meant = page.named_meta(found, now)
        told = {name: str(value) for name, value in meant["parameters"].items() if value is not None}
        about |= {"sql": meant["sql"], "notes": list(page.named_notes(found))}
        about |= {"meant": {"name": meant["named"], "told": told}} if meant["named"] else {}
        return _answered(asked, words, found.table, about)
    about |= {"sql": found.query.sql, "notes": list(page.notes(found))}
    return _answered(asked, words, page.table(found), about)


def _of_question(asked: Asked, chosen: Question) -> Shown:
    told = {one.name: value for one in chosen.parameters if (value := asked.option(one.name)) is not None}
    about = {"question": chosen.name, "sql": chosen.sql, "told": told, "complete": True, **_described(chosen)}
    about |= {"link": {"question": chosen.name, **told}}
    if missing := [one.name for one in chosen.parameters if not one.optional and one.name not in told]:
        return Shown(chosen.question, [], {**about, "missing": missing, "columns": None})
    with asked.tables() as tables:
        found = answer(tables, chosen.name, **understood(told, asked.repository))
    return _answered(asked, chosen.question, found, about)


def _answered(asked: Asked, title: str, found: Table, about: Record) -> Shown:
    rows = list(found.mappings()) if asked.whole else list(Table(found.columns, found.rows[:SIZE]).mappings())
    chart = charts.fitting(found.columns, list(Table(found.columns, found.rows[:MOST_POINTS]).mappings()))
    return Shown(title, rows, {**about, "columns": found.columns, "of": len(found.rows), "chart": chart})


def _topics() -> Sequence[Record]:
    return [
        {
            "topic": topic,
            "questions": [{**_described(one), "name": one.name} for one in questions().values() if one.topic == topic],
        }
        for topic in TOPICS
    ]


def _described(chosen: Question) -> Record:
    return {"asks": chosen.question, "parameters": [one._asdict() for one in chosen.parameters]}
