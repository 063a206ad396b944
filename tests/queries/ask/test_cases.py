"""Every named question answers its cases: a short ledger in `tests/cases/<question>/`, and what must come out."""

import re

import pytest

from linetrail.ledger.repository import find
from linetrail.projections.tables.tables import open_tables
from linetrail.queries.ask import question_files
from linetrail.queries.ask.ask import ask, understood
from linetrail.queries.render.text import text_table
from tests.story import CASES, Story, cases, tell_cases

pytestmark = pytest.mark.slow


def test_every_question_has_a_case():
    assert cases().keys() >= set(question_files.questions())


@pytest.mark.parametrize("name", sorted(path.name for path in CASES.iterdir()))
def test_a_question_answers_its_case(repo, golden, name):
    repo.start_ledger()
    case = cases()[name]
    for commit in case.get("commits", ()):
        repo.commit(commit["message"], commit["files"])
    Story().told(case["events"]).written(repo.path)

    answer = ask(str(repo.path), name, **case.get("ask", {}))

    assert answer.columns == question_files.find(name).columns
    golden(CASES / name / "answer.txt", text_table(answer) + "\n")


@pytest.mark.in_turn
def test_the_order_of_a_question_leaves_nothing_open(repo):
    """Rows that share a place in the order are the same row, or two engines may answer in two orders."""
    repo.start_ledger()
    found = tell_cases(repo)

    with open_tables(find(str(repo.path))) as tables:
        for name, case in found.items():
            question, given = question_files.find(name), understood(case.get("ask", {}), find(str(repo.path)))
            keys = "".join(re.findall(r"\norder by\s(.*?)(?:\nlimit|;|$)", question.sql, re.DOTALL))
            place = f"dense_rank() over (order by {keys})" if keys else "1"
            placed = re.sub(r"\nfrom ", f",\n    {place} as place\nfrom ", question.sql)
            rows = set(tables.ask(placed, understood(question_files.bound(question, given))).rows)
            assert len(rows) == len({row[-1] for row in rows}), name
