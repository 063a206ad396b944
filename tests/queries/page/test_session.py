"""A session step by step, and its changes as differences as far as their text is still on this machine."""

import shutil

import pytest

from linetrail.ledger.repository import find
from linetrail.queries.page import html
from linetrail.queries.page.catalogue import show
from linetrail.queries.page.view import Asked
from linetrail.queries.page.views.session import SIZE
from tests.queries import rich
from tests.story import Story

pytestmark = pytest.mark.slow

OLD = "".join(f"line {number}\n" for number in range(1, 21))
NEW = OLD.replace("line 10\n", "line ten\n")


@pytest.fixture
def seen(repo):
    """Return a function that shows a session, as its value and as HTML."""

    def look(*, whole=False, **options):
        shown = show("session", Asked(find(str(repo.path)), options, whole=whole))
        return shown, str(html.view(html.on_the_server(), "session", shown, report=whole))

    return look


def lines(shown):
    return [
        (line["old_line_no"], line["line_no"], line["sign"], line["text"])
        for row in shown.rows
        for change in row["changes"]
        for hunk in change["hunks"]
        for line in hunk["lines"]
    ]


CHANGED = [
    *((number, number, " ", f"line {number}") for number in (7, 8, 9)),
    (10, None, "-", "line 10"),
    (None, 10, "+", "line ten"),
    *((number, number, " ", f"line {number}") for number in (11, 12, 13)),
]


def test_a_change_is_a_difference_below_its_call(repo, agent, seen):
    repo.commit(files={"a.txt": OLD})
    agent().edit("a.txt", "line 10\n", "line ten\n")

    shown, page = seen(id="session-1")

    assert [row["kind"] for row in shown.rows if row["changes"]] == ["call"]
    assert lines(shown) == CHANGED
    assert '<tr class="came"><td></td><td>10</td><td>+</td><td>line ten</td></tr>' in page


def test_a_text_that_git_has_needs_no_kept_content(repo, agent, seen):
    repo.commit(files={"a.txt": OLD})
    agent().edit("a.txt", "line 10\n", "line ten\n")
    repo.commit("change")
    repo.commit("again", files={"a.txt": NEW.replace("line 3\n", "")})
    shutil.rmtree(repo.path / ".orchestration" / "objects")

    shown, _ = seen(id="session-1")

    assert lines(shown) == CHANGED


def test_a_text_that_is_nowhere_is_told_by_its_range(repo, agent, seen):
    repo.commit(files={"a.txt": OLD})
    one = agent()
    one.edit("a.txt", "line 10\n", "line ten\n")
    one.edit("a.txt", "line ten\n", "10\n")
    shutil.rmtree(repo.path / ".orchestration" / "objects")

    shown, page = seen(id="session-1")

    assert [line for line in lines(shown) if line[2] != " "] == [(10, None, "-", "line 10"), (None, 10, "+", "10")]
    assert page.count("the text is neither kept on this machine nor in git") == 2
    assert "+1 line from 10" in page


def test_a_report_has_no_text_of_earlier_states(repo, agent, seen):
    repo.commit(files={"a.txt": OLD})
    agent().edit("a.txt", "line 10\n", "line ten\n")

    shown, page = seen(whole=True, id="session-1")

    assert lines(shown) == []
    assert "a report has no text of earlier states" in page


def test_secrets_are_taken_out_of_differences(repo, agent, seen):
    repo.commit(files={"a.txt": OLD})
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    agent().edit("a.txt", "line 10\n", f"token = '{token}'\n")

    _, page = seen(id="session-1")

    assert token not in page
    assert "[redacted:" in page


def test_a_long_change_is_cut_and_says_so(repo, agent, seen):
    repo.commit(files={"b.txt": "b\n"})
    agent().write("a.txt", "".join(f"{number}\n" for number in range(500)))

    shown, page = seen(id="session-1")

    assert len(lines(shown)) == 200
    assert "and 300 lines more" in page


def test_refusals_decisions_and_cost_are_told_where_they_happened(repo, seen):
    rich.tell(repo)

    shown, page = seen(id="s1")

    kinds = {row["kind"] for row in shown.rows}
    assert {"prompt", "call", "change", "decision", "violation", "approval", "commit"} <= kinds
    refused = next(row for row in shown.rows if row["verdict"] == "deny")
    assert (refused["reason_code"], refused["outcome"]) == ("OUT_OF_SCOPE", None)
    (sums,) = shown.about["sums"]["rows"]
    assert sums["refusals"] == sum(row["verdict"] == "deny" for row in shown.rows) == 2
    assert sums["tokens"] == sum(row["tokens"] for row in shown.about["cost"]["rows"]) == 12_207
    assert "▼ refused" in page
    assert "◆ a person was asked" in page


def test_a_long_session_comes_in_pages_and_a_call_is_found_on_its_own(repo, seen):
    repo.start_ledger()
    story = Story()
    for number in range(2 * SIZE):
        story.tell("tool.requested", {"tool_call_id": f"c{number}", "tool_name": "Read", "operation": "read"})
    story.written(repo.path)

    first, page = seen(id="s1")
    found, _ = seen(id="s1", call=f"c{SIZE + 50}")

    assert (len(first.rows), first.about["page"]["of"]) == (SIZE, 2 * SIZE)
    assert f"from={SIZE + 1}" in page
    assert found.rows[0]["id"] == f"c{SIZE + 50}"


def test_a_session_of_one_event_is_a_page(repo, seen):
    repo.start_ledger()
    story = Story()
    story.tell("session.started", {"source": "startup"})
    story.written(repo.path)

    _, page = seen(id="s1")

    assert "Nothing is recorded in it." in page
