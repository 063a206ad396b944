"""`linetrail ask`: what is counted or summed up reaches the named question that answers it, or is said to have none."""

import re
import shlex

import pytest

import linetrail
from linetrail.ledger.repository import find
from linetrail.queries.ask import question_files, search, time_spans
from linetrail.queries.ask.ask import answer
from linetrail.queries.ask.choice import Chosen, Unanswered
from linetrail.queries.ask.question_match import choose, narrowed
from linetrail.queries.ask.replies import Named, reply
from tests.asked import NAMED, Asked, by_name, held_tables, is_right, plain
from tests.conftest import Repo
from tests.queries.ask.test_asking import NOW

pytestmark = pytest.mark.in_turn

# Of 40, 44, 64 and 53. At the first look `held` had 43, `fresh` 45 and `last` 34.
FLOORS = {"used": 39, "held": 43, "fresh": 63, "last": 52}
# Of plain.yaml: how many questions, and how many are answered. At the first look 137, 37 of 60, 24, 77, 55 and 24.
PLAIN = {"plain": (200, 198), "more": (57, 53), "third": (33, 32), "fourth": (129, 109), "fifth": (81, 74),
         "sixth": (40, 32)}  # fmt: skip
# Of the 60 questions each that look for rows, those whose first row is right, however they are read; of the others most
# are answered by files, which are no rows that have an id.
# Rows of another kind than was asked for are no answer: that took one of the second.
FIRST = {"first": 54, "second": 52}


@pytest.fixture(scope="module")
def repo(tmp_path_factory):
    return Repo(tmp_path_factory.mktemp("asked") / "project")


@pytest.fixture(scope="module")
def shop(repo):
    """Tell the ledger that the questions are about, once: they only read it."""
    repo.start_ledger()
    told = Asked("first")
    told.written(repo.path)
    return told


@pytest.fixture(scope="module")
def tables(shop, repo):
    with held_tables(find(str(repo.path))) as tables:
        yield tables


@pytest.fixture(scope="module")
def chosen(shop, tables):
    """Return a function that chooses what answers a question."""
    known = search.known(tables)
    paths = sorted(path for (path,) in tables.ask("select distinct path from mutation_files").rows)
    return lambda text: choose(text, shop.now, known, paths)


@pytest.mark.slow
def test_nearly_every_question_reaches_what_answers_it(shop, tables, chosen):
    known = search.known(tables)

    def came_to(question):
        found = reply(tables, question, shop.now, known)
        return found if isinstance(found, Unanswered) else chosen(question)

    right = {name: sum(is_right(one, came_to(one["ask"])) for one in by_name(name)) for name in NAMED}

    assert right == FLOORS


@pytest.mark.slow
@pytest.mark.parametrize("name", PLAIN)
def test_nearly_every_question_as_people_ask_it_is_answered(shop, tables, chosen, name):
    known, missed = search.known(tables), []
    for one in plain(name):
        got = chosen(one["ask"])
        found = reply(tables, one["ask"], shop.now, known)
        rows = found.table.mappings() if isinstance(found, Named) else (hit.row for hit in getattr(found, "hits", ()))
        ids = [row.get("id") for row in rows]
        if not shop.is_answered(one, got, ids):
            missed.append(one["ask"])

    questions, right = PLAIN[name]
    assert len(plain(name)) == questions
    assert questions - len(missed) >= right, missed


@pytest.mark.slow
@pytest.mark.parametrize("name", FIRST)
def test_nearly_every_question_that_looks_for_rows_is_replied_to_with_the_right_one_first(tmp_path, name):
    told, right = Asked(name), 0
    folder = Repo(tmp_path / "project").start_ledger().parent
    told.written(folder)
    with held_tables(find(str(folder))) as tables:
        known = search.known(tables)
        for question in told.questions:
            found = reply(tables, question.text, told.now, known)
            hits = getattr(found, "hits", ())
            rows = found.table.mappings() if isinstance(found, Named) else (hit.row for hit in hits)
            right += next((row.get("id") for row in rows), None) in question.right

    assert right >= FIRST[name]


@pytest.mark.slow
def test_every_question_that_has_a_name_is_reached_by_each_of_its_phrases(chosen):
    told = " INT-1 src/billing/tax.py line 2 function Money"
    missed = []
    for name, question in question_files.questions().items():
        for phrase in question.phrases:
            words = " ".join(min(one) for one in phrase)
            if not any(isinstance(chosen(words + more), Chosen) for more in ("", *told.split(" "), told)):
                missed.append((name, words))

    needs_a_trace = [name for name, _ in missed]
    assert set(needs_a_trace) <= {"stack_owners", "node_dependents", "node_history", "line_owner", "line_conversation",
                                  "decisions_for", "session_steps"}  # fmt: skip


@pytest.mark.slow
def test_no_question_that_has_a_name_leaves_out_a_word_that_says_something(chosen):
    asked = {
        "which {}lessons are still ignored": ("failed", "longest", "branch", "deleted", "cheapest"),
        "what was {}denied and happened anyway": ("newest", "rejected", "cost", "folder"),
        "which {}secrets reached the ledger": ("renamed", "expensive", "test"),
        "is the {}ledger complete and unbroken": ("biggest", "refused", "weekend"),
        "approvals for {}destructive commands": ("", "failed"),  # not those that lack one
    }
    left_out = [
        (question, word)
        for question, some in asked.items()
        for word in some
        if (got := chosen(question.format(f"{word} " if word else "")))
        and isinstance(got, Chosen)
        and got.question.name
    ]

    assert all(isinstance(chosen(question.format("")), Chosen) for question in [*asked][:-1])
    assert left_out == []


@pytest.mark.slow
def test_the_answer_names_the_question_and_what_it_was_told_in_one_line(shop, cli):
    asked = ["ask", "what was denied and happened anyway", "--as-of", "2026-03-11T12:00:00Z"]

    (sql,) = [line for line in cli(*asked).err.splitlines() if line.startswith("sql: ")]

    assert sql == "sql: linetrail sql @denied_but_executed"
    assert cli(*shlex.split(sql)[2:], "--json").rows == cli(*asked, "--json").rows


@pytest.mark.slow
def test_what_is_read_over_things_can_be_asked_again_in_sql(shop, cli):
    asked = ["ask", "which files did claude change most in february", "--as-of", "2026-03-11T12:00:00Z"]
    rows = cli(*asked, "--json").rows

    again = cli(*shlex.split(cli(*asked, "--sql").out)[1:], "--json")

    assert rows[0]["file"].startswith("src/billing/")
    assert again.rows == rows


@pytest.mark.slow
def test_a_named_question_of_whose_rows_some_are_meant_can_be_asked_again_in_sql(shop, cli):
    every = cli("ask", "untested changes", "--json").rows
    asked = ["ask", "untested changes by claude"]

    rows = cli(*asked, "--json").rows

    assert rows == [row for row in every if row["agent_name"] == "claude-code"] != every
    assert cli(*shlex.split(cli(*asked, "--sql").out)[1:], "--json").rows == rows


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, one in question_files.questions().items() if one.counted])
def test_how_many_of_a_named_question_are_as_many_as_its_rows_say(tables, name):
    question = question_files.find(name)
    asked = Chosen(question, {one.name: "src/a.py" for one in question.parameters if not one.optional})
    rows = answer(tables, name, **asked.told).mappings()
    column = re.findall(r"sum\((\w+)\)", question.counted[1])

    told = narrowed(asked, [], None, question.counted)

    expected = sum(row[column[0]] for row in rows) if column else len(list(rows))
    assert tables.ask(told.question.sql, told.told).rows == [(expected,)]


@pytest.mark.slow
def test_what_rows_are_ranked_by_stands_where_no_narrow_terminal_leaves_it_out(shop, cli):
    heading, *rows = cli("ask", "which changes were largest", "-n", "3").out.splitlines()

    assert heading.split()[:2] == ["id", "size"]
    sizes = [int(row.split()[1]) for row in rows]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.slow
def test_the_whole_sql_is_there_on_demand(shop, cli):
    told = cli("ask", "survival by model", "--sql").out

    assert told.startswith("-- linetrail sql @survival -p cohort model\n")
    assert told.endswith(f"{question_files.find('survival').sql.rstrip()}\n")


@pytest.mark.slow
def test_what_cannot_be_answered_is_said_and_not_guessed(shop, cli):
    answer = cli("ask", "how many bugs did sonnet introduce")

    assert (answer.status, answer.out) == (1, "")
    assert answer.err.startswith("cannot answer that: it is not known what bugs means here")
    assert answer.err.splitlines()[-1] == "next: linetrail sql --list"
    assert '"unanswered"' in cli("ask", "how many bugs did sonnet introduce", "--json").out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "reason"),
    [
        pytest.param(
            "prompts that nobody read", "nothing that is recorded tells what is asked with nobody", id="rows not"
        ),
        pytest.param("refusals longer than 3 pages", "it is not known what pages means here", id="a figure of others"),
    ],
)
def test_what_search_would_leave_out_is_said_and_not_left_out(shop, cli, question, reason):
    answer = cli("ask", question)

    assert (answer.status, answer.out) == (1, "")
    assert answer.err.startswith(f"cannot answer that: {reason}\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        pytest.param(
            "sessions longer than 99999999999999999999 hours", "no such session is recorded", id="more than any"
        ),
        pytest.param(f"sessions shorter than {'9' * 400} minutes", None, id="more digits than a number has"),
        pytest.param("how many sessions cost more than $0", None, id="money"),
    ],
)
def test_a_figure_is_held_against_whatever_number_is_said(shop, cli, question, sentence):
    answer = cli("ask", question)

    assert answer.status == 0
    assert sentence is None or f"answer: {sentence}" in answer.err.splitlines()


@pytest.mark.slow
def test_slips_of_the_pen_are_mended_where_nothing_else_answers_and_that_is_said(shop, cli):
    told = cli("ask", "how manny sesions did codex have")

    assert (told.out, told.err.splitlines()[0]) == ("sessions  2\n", "read as: how many sessions did codex have")
    assert "read as:" not in cli("ask", "how many sessions did codex have").err


@pytest.mark.slow
def test_one_row_is_told_line_by_line(shop, cli):
    told = cli("ask", "how many sessions did codex have").out.splitlines()

    assert told == ["sessions  2"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        pytest.param("how many sessions did codex have", "2 sessions", id="of one"),
        pytest.param("sessions per agent", "6 sessions: claude-code 3, codex 2, cursor 1", id="of each"),
        pytest.param("number of approvals", "1 approval", id="in all"),
        pytest.param(
            "most changed files",
            "src/auth/one_time_code.py, src/billing/tax.py, src/search/tokenizer.py: 2 changes",
            id="what ranks, with all that share the first place",
        ),
        pytest.param("how long do lines survive", None, id="what has a name"),
        pytest.param(
            "prompts and sessions per agent",
            "claude-code: prompts 3, sessions 3; codex: prompts 3, sessions 2; cursor: prompts 1, sessions 1",
            id="several figures",
        ),
        pytest.param("sessions in january vs february", "january sessions 2, february sessions 2", id="two times"),
        pytest.param("prompts per commit", "nothing is known of any prompt", id="one per none of another"),
        pytest.param("prompts per decision", "1.17 prompts", id="one per other"),
        pytest.param("how many changes are untested", "13 untested changes", id="rows of a named question"),
        pytest.param("how many sessions have untested changes", "5 sessions", id="what its rows tell apart"),
    ],
)
def test_what_is_counted_is_told_in_a_sentence(shop, cli, question, sentence):
    told = [line for line in cli("ask", question).err.splitlines() if line.startswith("answer: ")]

    assert told == ([f"answer: {sentence}"] if sentence else [])


@pytest.mark.slow
def test_python_takes_words_and_names(shop, repo):
    rows = linetrail.ask(repo.path, "how many sessions did codex have")

    assert rows[0].sessions == 2
    assert [row.path for row in linetrail.ask(repo.path, "refused writes to .env")][:1] == [".env"]
    with pytest.raises(linetrail.LinetrailError, match="what unicorns means here"):
        linetrail.ask(repo.path, "how many unicorns are there")
    with pytest.raises(linetrail.UsageError, match="say it in the question"):
        linetrail.ask(repo.path, "cost by model", since="7d")


@pytest.mark.parametrize(
    ("text", "since", "until"),
    [
        ("last january", "2026-01-01", "2026-02-01"),
        ("last march", "2025-03-01", "2025-04-01"),
        ("previous december", "2025-12-01", "2026-01-01"),
        ("february", "2026-02-01", "2026-03-01"),
    ],
)
def test_a_month_needs_no_word_before_it(text, since, until):
    found = time_spans.said(f"cost {text}", NOW)

    assert [str(moment)[:10] for moment in (found.since, found.until)] == [since, until]


@pytest.mark.slow
def test_a_model_that_is_called_as_a_question_ends_in_an_answer(repo, agent):
    for number in range(3):
        agent(model="the busiest model").write(f"a{number}.py", "a = 1\n")

    with held_tables(find(str(repo.path))) as tables:
        found = reply(tables, "which files did the busiest model change", NOW, search.known(tables))

    assert isinstance(found, Named | Unanswered | search.Answer)
