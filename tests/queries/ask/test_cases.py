"""Every named question answers its cases: a short ledger in `tests/cases/<question>/`, and what must come out."""

from pathlib import Path

import pytest
import yaml

from linetrail.queries.ask import question_files
from linetrail.queries.ask.ask import ask
from linetrail.queries.render.text import text_table
from tests.story import Story

CASES = Path(__file__).parents[2] / "cases"


def test_every_question_has_a_case():
    assert {path.name for path in CASES.iterdir()} >= set(question_files.questions())


@pytest.mark.daily(1)
@pytest.mark.parametrize("name", sorted(path.name for path in CASES.iterdir()))
def test_a_question_answers_its_case(repo, golden, name):
    repo.start_ledger()
    case = yaml.safe_load((CASES / name / "case.yaml").read_text("utf-8"))
    for commit in case.get("commits", ()):
        repo.commit(commit["message"], commit["files"])
    Story().told(case["events"]).written(repo.path)

    answer = ask(str(repo.path), name, **case.get("ask", {}))

    assert answer.columns == question_files.find(name).columns
    golden(CASES / name / "answer.txt", text_table(answer) + "\n")
