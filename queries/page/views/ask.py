"""A named question, or SQL in the sandbox: what is asked, its SQL and its answer."""

from collections.abc import Sequence

from linetrail.projections.tables.tables import Table
from linetrail.queries.ask.ask import answer, understood
from linetrail.queries.ask.question_files import TOPICS, Question, find, questions
from linetrail.queries.page.view import Asked, Record, Shown
from linetrail.queries.sandbox import sandbox

SIZE = 500


def show(asked: Asked) -> Shown:
    """Return the rows of the option `question` with its parameters, or of the option `sql`; else the questions."""
    name, sql = asked.option("question"), asked.option("sql")
    if name is not None:
        return _of_question(asked, find(name))
    if sql is not None:
        found = sandbox.ask(asked.repository, sql)
        return _answered("SQL", found.table, {"question": None, "sql": sql, "complete": found.complete})
    return Shown("Ask", [], {"topics": _topics(), "sql": None, "question": None})


def _of_question(asked: Asked, chosen: Question) -> Shown:
    told: dict[str, object] = {
        one.name: value for one in chosen.parameters if (value := asked.option(one.name)) is not None
    }
    about = {"question": chosen.name, "sql": chosen.sql, "told": told, "complete": True, **_described(chosen)}
    if missing := [one.name for one in chosen.parameters if not one.optional and one.name not in told]:
        return Shown(chosen.question, [], {**about, "missing": missing, "columns": None})
    with asked.tables() as tables:
        found = answer(tables, chosen.name, **understood(told, asked.repository))
    return _answered(chosen.question, found, about)


def _answered(title: str, found: Table, about: Record) -> Shown:
    shown = Table(found.columns, found.rows[:SIZE])
    return Shown(title, list(shown.mappings()), {**about, "columns": found.columns, "of": len(found.rows)})


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
