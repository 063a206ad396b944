"""`linetrail ask`: what words mean, which rows come first, and that what was asked can be asked again."""

import json
import re
import shlex
from datetime import UTC, datetime

import pytest

from linetrail.ledger.event.event import MAX_LINE_BYTES
from linetrail.ledger.repository import find
from linetrail.queries.ask import search, time_spans, words
from linetrail.queries.ask.choice import Chosen
from linetrail.queries.ask.interpretation import understand
from linetrail.queries.ask.question_match import choose
from linetrail.queries.ask.said import Known
from tests.asked import Asked, held_tables

# a Wednesday
NOW = datetime(2026, 3, 11, 12, tzinfo=UTC)
KNOWN = Known(
    intents=["INT-1"],
    sessions=["s-auth-1"],
    agents=["claude-code", "codex"],
    models=["anthropic/claude-opus-5", "anthropic/claude-sonnet-5", "openai/gpt-6", "openai/gpt-6-mini"],
)
# Of sixty. What a change makes better is raised, what makes it worse fails. The second set was held out: 56 at the
# first look. Rows of another kind than was asked for are no answer, which took one.
FLOORS = {"first": 60, "second": 57}


def meant(question):
    return understand(question, NOW, KNOWN)


def asked(repo, name):
    """Tell a ledger and return how many of its questions have the right row first."""
    told = Asked(name)
    repo.start_ledger()
    told.written(repo.path)
    with held_tables(find(str(repo.path))) as tables:
        known = search.known(tables)
        answers = []
        for question in told.questions:
            understood = understand(question.text, told.now, known)
            hits = search.answer(tables, understood, 1).hits
            answers.append(bool(hits) and hits[0].row["id"] in question.right)
    return sum(answers), len(answers)


@pytest.mark.in_turn
@pytest.mark.slow
@pytest.mark.parametrize("name", FLOORS)
def test_nearly_every_question_has_the_right_row_first(repo, name):
    right, questions = asked(repo, name)

    assert questions == 60
    assert right >= FLOORS[name]


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("today", "03-11", "03-12"),
        ("yesterday's", "03-10", "03-11"),
        ("yesterday or today", "03-10", "03-12"),
        ("this week", "03-09", "03-16"),
        ("last week", "03-02", "03-09"),
        ("last month", "02-01", "03-01"),
        ("in january", "01-01", "02-01"),
        ("In March 2025", "2025-03-01", "2025-04-01"),
        ("in december", "2025-12-01", "2026-01-01"),
        ("on monday", "03-09", "03-10"),
        ("last friday", "03-06", "03-07"),
        ("since monday", "03-09", None),
        ("before wednesday", None, "03-11"),
        ("until march 4", None, "03-05"),
        ("after 2026-03-04", "03-05", None),
        ("on march 4th", "03-04", "03-05"),
        ("4 march 2026", "03-04", "03-05"),
        ("between 2026-03-02 and 2026-03-04", "03-02", "03-05"),
        ("from monday to today", "03-09", "03-12"),
        ("3 days ago", "03-08", "03-09"),
        ("two weeks ago", "02-23", "03-02"),
        ("in the second week of february", "02-08", "02-15"),
        ("the last week in february", "02-22", "03-01"),
        ("in the first half of february", "02-01", "02-16"),
        ("in q1", "01-01", "04-01"),
        ("in 2025", "2025-01-01", "2026-01-01"),
        ("in february since 2026-02-10", "02-10", "03-01"),
        ("nothing of time", None, None),
        ("it may march", None, None),
        ("february 30", None, None),
    ],
)
def test_a_time_is_a_stretch(text, since, until):
    def day(moment):
        return None if moment is None else moment.strftime("%Y-%m-%d %H:%M")

    def expected(short):
        return None if short is None else f"{'2026-' if len(short) == 5 else ''}{short} 00:00"

    found = time_spans.said(f"changes {text} please", NOW)

    assert (day(found.since), day(found.until)) == (expected(since), expected(until))


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("intents that are done", "list: intents; status DONE"),
        ("number of check-ins", "count: commits"),
        ("hi there, for my report: how many ADRs do we have, thank you", "count: decisions"),
        ("cost broken down by ticket", "sum: cost of usages; by intent"),
        ("who let rm -rf build through", "list: approvals; by who; status approved; about rm rf build"),
        ("average tokens per prompt", "sum: tokens of usages per count: prompts"),
        ("files where a human overrode an agent", "list: files; about human overrode agent"),
        ("which code has no tests", "Which changes of code by agents came without a change of a test?"),
    ],
)
def test_a_question_is_read_as_what_it_means(text, meaning):
    assert choose(text, NOW, KNOWN, []).question.question == meaning


@pytest.mark.parametrize(
    ("text", "sql"),
    [("how many prompts per session", "0 as prompts from sessions"), ("lines by folder", "group by member\norder by")],
)
def test_a_question_is_answered_by_rows_of(text, sql):
    assert sql in choose(text, NOW, KNOWN, []).question.sql


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("how many lines did only codex write", id="what else wrote is no part of a count"),
        pytest.param("how many 3 refusals were there", id="a count has no first few"),
        pytest.param("what average secrets reached the ledger", id="a question with a name tells no average"),
    ],
)
def test_no_answer_leaves_out_what_was_said(text):
    assert not isinstance(choose(text, NOW, KNOWN, []), Chosen)


def test_the_past_days_end_now():
    found = time_spans.said("changes of the past 3 days", NOW)

    assert (found.since, found.until) == (NOW.replace(day=8, tzinfo=None), None)


@pytest.mark.parametrize("text", ["last 9999 years", "9999 years ago", "since 0000-99-99"])
def test_a_time_beyond_all_calendars_is_no_time(text):
    found = time_spans.said(text, NOW)

    assert (found.since, found.until) == (None, None)


@pytest.mark.daily(12)
@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("denied commands", ("refusal",)),
        ("prompts about edits", ("prompt",)),
        ("failed tests", ("test",)),
        ("failed commands", ("command", "test")),
        ("deleted files", ("change",)),
        ("rejected ideas", ("decision",)),
        ("what did we learn", ("lesson",)),
        ("most expensive conversation", ("session",)),
        ("finished intents", ("intent",)),
        ("recovery points", ("recovery point",)),
        ("rate limiter", ()),
    ],
)
def test_words_for_kinds_choose_what_is_asked_for(question, kinds):
    assert meant(question).kinds == kinds


def test_names_of_the_ledger_are_filters():
    found = meant("what did Codex and sonnet do for int-1 in s-auth-1")

    assert (found.agents, found.models) == (("codex",), ("anthropic/claude-sonnet-5",))
    assert (found.intents, found.sessions) == (("INT-1",), ("s-auth-1",))
    assert meant("gpt-6").models == ("openai/gpt-6",)
    assert meant("gpt-6-mini").models == ("openai/gpt-6-mini",)


@pytest.mark.daily(12)
@pytest.mark.parametrize(
    ("question", "path", "fits"),
    [
        ("changes in src/auth", "src/auth/a.py", True),
        ("changes in src/auth", "src/authors/a.py", False),
        ("changes in auth/", "src/auth/a.py", True),
        ("changes to tax.py", "src/tax.py", True),
        ("changes to tax.py", "src/syntax.py", False),
        ("changes to *.yaml", "deploy/a.yaml", True),
        ("changes to src/**/x.py", "src/a/b/x.py", True),
        ("changes in the web folder", "web/a.css", True),
        ("python files", "a/b.py", True),
        ("python files", "a/b.pyc", False),
        ("changes to .env", ".env", True),
    ],
)
def test_paths_are_filters(question, path, fits):
    ((_, pattern),) = meant(question).places

    assert (re.search(pattern, path) is not None) is fits


@pytest.mark.daily(12)
@pytest.mark.parametrize(
    ("phrase", "text", "fits"),
    [
        ("limits", "class RateLimiter", True),
        ("RateLimiter", "rate_limiter.py", True),
        ("rate limiter", "RateLimiter", True),
        ("one-time", "oneTimeCode", True),
        ("denied", "it denies", True),
        ("art", "party", False),
        ("go", "google", False),
        ("module_12", "src/module_12.py", True),
        ("module_12", "src/module_121.py", False),
        ("go", "go test", True),
        ("log in", "Log in with", True),
        ("tests", "pytest", False),
        ("düsseldorf", "Düsseldorf", True),
    ],
)
def test_a_word_is_found_at_the_beginning_of_words(phrase, text, fits):
    assert (re.search(words.pattern([phrase]), text) is not None) is fits


def test_every_word_ends_somewhere():
    found = meant("please show me what codex changed about tokens in src/auth last week")

    assert found.ignored == ("please", "show", "me", "what", "about", "in")
    assert [term.word for term in found.terms] == ["tokens"]
    assert found.times == ("last week",)


@pytest.fixture
def shop(repo):
    repo.start_ledger()
    told = Asked("first")
    told.written(repo.path)
    return repo


@pytest.mark.slow
def test_the_answer_says_what_was_understood_and_what_was_not(shop, cli):
    answer = cli("ask", "authentication changes of last week please", "--as-of", "2026-03-11T12:00:00Z")

    assert answer.status == 0
    assert "src/auth/one_time_code.py (modify)" in answer.out.splitlines()[1]
    assert "understood: change; of last week (from 2026-03-02T00:00 before 2026-03-09T00:00)" in answer.err
    assert "looked for: authentication" in answer.err
    assert "ignored: please" in answer.err


@pytest.mark.slow
def test_the_sql_that_ran_gives_the_same_rows_again(shop, cli):
    question = ["ask", "denied commands in January about push", "--as-of", "2026-03-11T12:00:00Z"]
    rows = cli(*question, "--json").rows
    command = shlex.split(cli(*question, "--sql").out.replace("\\\n", ""))

    done = cli(*command[1:], "--json")
    assert done.status == 0, done.err + done.out
    again = done.rows

    assert command[:2] == ["linetrail", "sql"]
    assert [row["id"] for row in again] == [row["id"] for row in rows]
    assert {row["status"] for row in rows} == {"deny"}


@pytest.mark.slow
def test_programs_get_one_document(shop, cli):
    answer = cli("ask", "rate", "limiter", "--json", "-n", "1")

    told = json.loads(answer.out)
    assert answer.err == ""
    assert told["meta"]["terms"] == ["rate", "limiter"]
    assert told["rows"][0] | {"id": "", "score": 0} == {
        "rank": 1,
        "score": 0,
        "kind": "change",
        "occurred_at": "2026-03-04T09:00:00.000063Z",
        "id": "",
        "what": "src/auth/rate_limiter.py",
        "path": "src/auth/rate_limiter.py",
        "intent_id": "INT-1",
        "session_id": "s-auth-1",
        "agent_name": "claude-code",
        "outcome": "add",
        "tokens": None,
        "why": ["rate", "limiter"],
    }


@pytest.mark.slow
def test_where_nothing_matches_it_is_said_what_to_leave_out(shop, cli):
    answer = cli("ask", "zebra changes in january", "--as-of", "2026-03-11T12:00:00Z")

    assert (answer.status, answer.out) == (0, "")
    assert "nothing matches\nwithout the words (zebra), there is something" in answer.err


@pytest.mark.in_turn
@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        pytest.param("what did the deployment of unicorns change", "unicorns", id="rows that have the other words"),
        pytest.param("how many unicorns are there", "unicorns", id="a count"),
        pytest.param("who fed the kubernetes zebras", "fed, zebras", id="who it was"),
    ],
)
def test_no_answer_ignores_a_word_and_it_is_said_which(shop, cli, question, unknown):
    answer = cli("ask", question)

    assert (answer.status, answer.out) == (1, "")
    assert answer.err.startswith(f"cannot answer that: it is not known what {unknown} means here\n")


@pytest.mark.slow
def test_rows_of_another_kind_are_no_answer(shop, cli):
    assert cli("ask", "lessons about kubernetes").out == ""
    assert cli("ask", "lessons of yesterday").out == ""


@pytest.mark.in_turn
@pytest.mark.slow
@pytest.mark.parametrize(
    "question",
    [
        "'; drop table v_events; --",
        "$since $t1 ${",
        "\\ ( [ * + ? { a|b ^ $",
        "*",
        "** / ../.. //",
        "\x1b[31mred\u202e",
        "???",
        "last last last 3 3 days",
        "a" * 900,
        " ".join(f"w{at}" for at in range(150)),
        "日本 のファイル",
    ],
)
def test_any_text_is_a_question(shop, cli, question):
    answer = cli("ask", question)

    assert answer.status in (0, 1)
    assert "\x1b" not in answer.out + answer.err


@pytest.mark.parametrize("question", ["", "   ", "x" * 1001])
def test_a_question_has_words_and_an_end(shop, cli, question):
    assert cli("ask", question).status == 2


@pytest.mark.slow
def test_an_empty_ledger_has_no_answer_and_says_so(repo, cli):
    repo.start_ledger()

    answer = cli("ask", "changes of today")

    assert (answer.status, answer.out) == (0, "")
    assert "nothing was recorded here yet" in answer.err


def test_without_a_ledger_the_way_to_one_is_named(repo, cli):
    answer = cli("ask", "changes")

    assert (answer.status, "linetrail init" in answer.err) == (2, True)


def test_the_stories_are_ledgers_as_any_other(shop, cli):
    assert cli("verify").status == 0
    assert max(map(len, shop.lines())) < MAX_LINE_BYTES
