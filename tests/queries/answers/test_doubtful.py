"""A recorded author of whom little is sure is marked where people read, and counted where lines are."""

import json

import pytest

from linetrail.ledger.event.event import Agent, Event, new_id
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.observe.mutation import transition
from linetrail.ledger.repository import Vcs, find
from linetrail.projections.lines.attribution import DOUBTFUL

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]

WHEN = "2026-01-05T09:00:30.000000Z"
CALL = {"tool_call_id": "toolu_1", "tool_name": "Edit", "via": "import"}


@pytest.fixture
def imported(repo):
    """Return a function that imports how an agent made a committed file of two lines out of one."""

    def run(*, after=b"one\ntwo\n", **basis):
        repo.start_ledger()
        before = b"one\n"
        first = repo.commit("start", {"a.py": before})
        data = {**CALL, **basis, "files": list(transition("a.py", before, after))}
        who = ("long-ago", Agent("codex", "2.0", "openai/gpt-model-x"), "ai", None, Vcs("git", first, "main"))
        Ledger(find(str(repo.path))).append([Event(new_id(1), WHEN, "mutation.observed", *who, data)])
        return repo.commit("agent", {"a.py": after})

    return run


@pytest.fixture
def doubtful(imported):
    return imported(basis="history")


@pytest.mark.usefixtures("doubtful")
def test_the_page_marks_a_doubtful_author_and_counts_the_line(cli, repo):
    first = repo.git("rev-parse", "HEAD~1")

    assert cli("blame", "a.py").out.splitlines() == [
        f"-  (Author)  {first[:8]}  2026-01-05       1) one",
        "   codex?    long-ago  2026-01-05       2) two",
        "1 of 2 lines by agents, 1 doubtful, 1 human (1 presumed) | 100% known | linetrail why a.py:2",
    ]


@pytest.mark.usefixtures("doubtful")
def test_the_mark_does_not_depend_on_colour(cli):
    plain, painted = (cli("blame", "a.py", "--color", when).out for when in ("never", "always"))

    assert "codex?" in plain
    assert "\033[33m   codex?" in painted


@pytest.mark.usefixtures("doubtful")
def test_why_says_that_the_author_is_doubtful(cli):
    page = cli("why", "a.py:2").out.splitlines()

    assert "  author   codex? (openai/gpt-model-x), session long-ago" in page
    assert page[-1].startswith("  evidence transcript, confidence 0.63, doubtful: ")


@pytest.mark.usefixtures("doubtful")
def test_diff_marks_a_doubtful_author_as_blame_does(cli):
    page = cli("diff", "HEAD~1..HEAD", "--color", "always").out

    assert [line.split("  ")[1] for line in page.splitlines() if line.endswith("+two")] == ["codex?"]
    assert "\033[33m" in next(line for line in page.splitlines() if line.endswith("+two"))


def test_why_marks_a_doubtful_author_of_a_definition(imported, cli):
    imported(after=b"one\ndef two():\n    return 2\n", basis="history")

    assert "  lines    2 lines by codex?, session long-ago" in cli("why", "a.py:two").out.splitlines()
    assert [writer["doubtful"] for writer in cli("why", "a.py:two", "--json").rows[0]["lines"]] == [True]


@pytest.mark.usefixtures("doubtful")
def test_what_is_presumed_is_marked_as_such_and_not_as_doubtful(cli):
    assert "?" not in cli("blame", "a.py", "-L", "1,1").out
    assert "doubtful" not in cli("why", "a.py:1").out


@pytest.mark.parametrize(("basis", "count"), [({"basis": "history"}, 1), ({"basis": "commit"}, 0), ({}, 0)])
def test_stats_count_the_lines_below_the_level(imported, cli, basis, count):
    imported(**basis)

    assert json.loads(cli("stats", "--json").out)["meta"]["totals"]["doubtful"] == count
    assert (" 50% recorded (1 line doubtful)" in cli("stats").out) == bool(count)
    assert (cli("blame", "a.py", "--json").rows[1]["confidence"] < DOUBTFUL) == bool(count)


@pytest.mark.usefixtures("doubtful")
def test_doctor_counts_doubtful_lines_in_files_that_somebody_asked_about(cli):
    def found():
        return [(row["message"], row["next"]) for row in cli("doctor", "--json").rows if row["check"] == "lines"]

    unasked = found()
    tracked = json.loads(cli("stats", "--json").out)["meta"]["totals"]["files"]

    assert unasked == [(f"0 doubtful lines in 0 files, {tracked} not asked about yet", "linetrail stats")]
    assert found() == [(f"1 doubtful line in {tracked} file{'s' if tracked > 1 else ''}", None)]
