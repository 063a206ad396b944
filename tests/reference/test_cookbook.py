"""The page of questions says what the files of questions say."""

import re

from linetrail.queries.ask import question_files
from tools import make_questions as cookbook


def test_the_page_says_what_the_questions_say():
    assert cookbook.PAGE.read_text("utf-8") == cookbook.page(), "write it: just questions"


def test_every_question_is_on_the_page_once():
    names = re.findall(r"^### (\w+)", cookbook.page(), re.MULTILINE)

    assert sorted(names) == sorted(question_files.questions())


def test_the_page_says_what_a_question_cannot_know():
    page = cookbook.page()

    assert "change_class null: nobody judged these changes" in page
    assert "\n-- " not in page
