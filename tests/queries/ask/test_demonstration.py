"""`linetrail ask` over the demonstration: questions of people, and what SQL over the views says of each."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from linetrail.ledger.repository import find
from linetrail.queries.ask import page, search
from linetrail.queries.ask.choice import Unanswered
from linetrail.queries.ask.replies import Named, reply
from linetrail.queries.ask.sentence import sentence
from linetrail.queries.commands.records.demo import unpack
from tests.asked import held_tables

pytestmark = pytest.mark.in_turn

QUESTIONS = Path(__file__).parents[2] / "asking" / "demonstration.txt"
# How many there are, and how many are answered; a change raises these or leaves them.
FLOORS = {
    "first": (204, 197),
    "second": (100, 97),
    "third": (39, 35),
    "groups": (6, 6),
    "fourth": (44, 44),
    "fifth": (41, 41),
    "sixth": (32, 32),
    "seventh": (37, 37),
    "eighth": (32, 32),
    "ninth": (25, 25),
    "names": (25, 25),
    "tenth": (15, 15),
    "eleventh": (12, 12),
    "twelfth": (36, 36),
    "thirteenth": (35, 35),
    "fourteenth": (35, 35),
    "fifteenth": (23, 23),
}
NOW = datetime(2026, 2, 2, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("asked") / "demo")
    unpack(folder)
    with held_tables(find(folder)) as tables:
        yield tables


def questions(section: str) -> Iterator[tuple[str, str, str]]:
    """Yield the questions of a section: how the answer is held against SQL, the words, the SQL."""
    (text,) = re.findall(rf"^== {section}\n(.*?)(?=^== |\Z)", QUESTIONS.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    for line in text.splitlines():
        how, asked, sql = line.split("|", 2)
        yield how, asked, sql


@pytest.mark.slow
@pytest.mark.parametrize("section", FLOORS)
def test_nearly_every_question_of_people_is_answered_as_sql_answers_it(tables, section):
    known, wrong = search.known(tables), []
    for how, asked, sql in questions(section):
        tables.look_at()
        expected = [_plain(row[0]) for row in tables.ask(sql).rows if row[0] is not None]
        told, rows = _told(reply(tables, asked, NOW, known))
        if not _is_right(how, expected, told, rows):
            wrong.append(asked)

    number, right = FLOORS[section]
    assert len(list(questions(section))) == number
    assert number - len(wrong) >= right, wrong


def _told(found):
    """Return the sentence of an answer, and its rows as text; those whose first value is not known have no name."""
    if isinstance(found, Unanswered):
        return "", []
    table = found.table if isinstance(found, Named) else page.table(found)
    told = sentence(found.chosen.figure, table) if isinstance(found, Named) else None
    rows = [row for row in table.rows if row[0] is not None]
    return _plain(told or ""), [" ".join(_plain(value) for value in row if value is not None) for row in rows]


def _is_right(how, expected, told, rows):
    match how:
        case "num":
            found = any(_has_number(told, one) or (len(rows) == 1 and _has_number(rows[0], one)) for one in expected)
            return found or (not rows and expected in ([], ["0"]))
        case "first":
            return expected[0] in told or bool(rows and expected[0] in rows[0])
        case "set":
            named = all(any(one in row for row in rows) for one in expected)
            return named and all(any(one in row for one in expected) for row in rows)
    return all(one in " ".join([told, *rows]) for one in expected)


def _has_number(text, wanted):
    found = re.findall(r"(?<![\w.\-/])\d+(?:\.\d+)?(?![\w\-/]|\.\d)", text)
    return any(abs(float(one) - float(wanted)) < 1e-9 for one in found)


def _plain(value):
    text = f"{float(value):g}" if type(value).__name__ in ("float", "Decimal") and abs(value) < 100_000 else str(value)
    return re.sub(r"(?<=\d),(?=\d{3})", "", text).lower()
