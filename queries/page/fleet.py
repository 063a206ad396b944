"""Show the answers of a store of many repositories, all in one HTML file for whoever leads: counts over groups alone.

It asks the questions of an organisation and nothing else, so it says no more than `linetrail fleet sql` does, and each
of them is written down as asked.
"""

import shlex
import warnings
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from linetrail.ledger.errors import DamageWarning
from linetrail.queries.ask import question_files
from linetrail.queries.ask.ask import understood
from linetrail.queries.ask.question_files import Question
from linetrail.queries.fleet.asking import Query, ask
from linetrail.queries.fleet.groups import OTHERS, PEOPLE
from linetrail.queries.fleet.questions import of_organisation
from linetrail.queries.page import charts, html
from linetrail.queries.page.assets import assets
from linetrail.queries.page.view import Record, Store, damage

# Of the largest groups; all of them are a command away.
MOST_ROWS = 25
_OVER_TIME = "_trend"


class Answered(NamedTuple):
    """A question with its first rows, how many there are, the chart that fits them, and the command that asks again."""

    name: str
    asks: str
    columns: Sequence[str]
    rows: Sequence[Record]
    of: int
    chart: charts.Chart | None
    command: str


def report(store: Store, told: Mapping[str, str]) -> str:
    """Ask every question of an organisation, `told` the same period, and return the answers as one page."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DamageWarning)
        answers = [answered(question, store, told) for question in of_organisation().values()]
    for one in caught:
        warnings.warn(one.message, stacklevel=2)  # whoever asked is told as well
    over_time = [one for one in answers if one.name.endswith(_OVER_TIME)]
    parts = {"Month by month": over_time, "By group": [one for one in answers if one not in over_time]}
    templates = html.environment(lambda *_: None)
    sections = []
    for label, shown in parts.items():
        body = templates.get_template("organisation.html").render(
            title=label, answers=shown, people=PEOPLE, others=OTHERS, since=told.get("since"), until=told.get("until")
        )
        key = label[0].lower()
        sections.append({"place": f"p{key}", "label": label, "key": key, "top": True, "body": Markup(body)})  # noqa: S704  rendered, escaped
    around = {"root": store.url, "damage": damage(caught), "as_of": None, "stands": None, "shed": None, "left_out": []}
    files = {"styles": assets(".css"), "scripts": assets(".js")}
    return templates.get_template("report.html").render(sections=sections, **around, **files)


def answered(question: Question, store: Store, told: Mapping[str, str]) -> Answered:
    """Ask a question of an organisation, `told` the period, once it is written down who asks."""
    name = f"@{question.name}"
    parameters = understood(question_files.bound(question, {**told}))
    answer, _ = ask(Query(store.url, question.sql, parameters, name=name), store.who)
    rows = list(answer.table.mappings())
    options = (word for one in told.items() for word in ("-p", *one))
    command = shlex.join(["linetrail", "fleet", "sql", store.url, name, *options])
    chart = charts.fitting(question.columns, rows[:MOST_ROWS])
    return Answered(question.name, question.question, question.columns, rows[:MOST_ROWS], len(rows), chart, command)
