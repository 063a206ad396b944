"""`linetrail blame` as people and tools call it: what each row says, of which revision and which lines."""

import json
import shutil
import time
from collections.abc import Callable
from typing import Any

import pytest

from linetrail.queries.arguments.line_ranges import chosen

pytestmark = pytest.mark.usefixtures("uncommitted_ledger")

FIELDS = {
    *("line_no", "text", "contributor_type", "mixed", "agent_name", "model_id", "session_id", "intent_id", "event_id"),
    *("tool_call_id", "written_at", "vcs_revision", "author", "origin_event_id", "evidence", "confidence"),
}


@pytest.mark.slow
def test_each_row_has_the_fields_of_the_contract(repo, agent, cli):
    first = repo.commit("start", {"a.py": "one\ntwo\n"})
    agent().edit("a.py", "two", "two\nthree")

    answer = cli("blame", "a.py", "--json")

    assert json.loads(answer.out)["schema_version"] == 1
    known, _, written = answer.rows
    assert set(known) >= FIELDS
    [event] = repo.events("mutation.observed")
    assert (
        known
        | {
            "line_no": 1,
            "text": "one",
            "contributor_type": "human",
            "mixed": False,
            "event_id": None,
            "vcs_revision": first,
            "author": "Author",
            "evidence": "git",
            "written_at": "2026-01-05T09:01:00.000000Z",
        }
        == known
    )
    assert (
        written
        | {
            "line_no": 3,
            "text": "three",
            "contributor_type": "ai",
            "agent_name": "claude-code",
            "model_id": "anthropic/claude-model-x",
            "session_id": "session-1",
            "tool_call_id": "toolu_session-1_1",
            "event_id": event.id,
            "origin_event_id": event.id,
            "written_at": event.timestamp,
            "vcs_revision": None,
            "author": None,
            "evidence": "observed",
            "confidence": 1.0,
        }
        == written
    )
    assert known["confidence"] < written["confidence"]


@pytest.mark.slow
def test_a_committed_agent_line_names_its_commit_and_committer(repo, agent, cli):
    agent().write("a.py", "one\n")
    revision = repo.commit()

    [row] = cli("blame", "a.py", "--json").rows
    assert (row["contributor_type"], row["vcs_revision"], row["author"]) == ("ai", revision, "Author")


@pytest.mark.slow
def test_lines_nobody_recorded_are_presumed_human_once_committed(repo, agent, who):
    agent()
    repo.write("a.py", "one\n")
    assert who("a.py") == ["unknown"]

    repo.commit()

    assert who("a.py") == ["human"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "message",
    [
        pytest.param("fix\n\nCo-Authored-By: Claude <noreply@anthropic.com>", id="Claude"),
        pytest.param("fix\n\nCo-authored-by: Copilot <198982749+Copilot@users.noreply.github.com>", id="Copilot"),
        pytest.param("fix\n\nCo-authored-by: Cursor <cursoragent@cursor.com>", id="Cursor"),
        pytest.param("fix\n\nCo-authored-by: Codex <codex@openai.com>", id="Codex"),
        pytest.param("fix\n\nAssisted-by: Gemini CLI", id="Gemini"),
        pytest.param("fix\n\nEntire-Checkpoint: 0123456789ab", id="a checkpoint of a session"),
        pytest.param("fix\n\nGenerated with [Claude Code](https://claude.com/claude-code)", id="generated with"),
    ],
)
def test_lines_of_a_commit_with_signs_of_an_unrecorded_agent_are_unknown(message, repo, agent, cli):
    agent()
    repo.commit(message, {"a.py": "one\n"})

    [row] = cli("blame", "a.py", "--json").rows
    assert (row["contributor_type"], row["evidence"], row["author"]) == ("unknown", "git", "Author")


@pytest.mark.slow
def test_a_bot_is_a_sign_of_an_agent(repo, agent, who):
    agent()
    repo.write("a.py", "one\n")
    repo.git("add", "a.py")
    repo.git("-c", "user.name=devin[bot]", "commit", "-q", "-m", "x", "--author", "devin[bot] <devin[bot]@example.org>")

    assert who("a.py") == ["unknown"]


@pytest.mark.slow
def test_people_may_have_the_name_of_an_agent(repo, agent, who):
    agent()
    repo.write("a.py", "one\n")
    repo.git("add", "a.py")
    message = "fix\n\nCo-authored-by: Devin Marsh <devin@example.org>"
    repo.git("commit", "-q", "-m", message, "--author", "Claude Roy <claude@example.org>")

    assert who("a.py") == ["human"]


@pytest.mark.slow
def test_other_lines_of_a_recorded_agents_commit_are_presumed_human(repo, agent, who):
    agent().write("a.py", "agent\n")
    repo.write("a.py", "agent\nperson\n")
    repo.commit("fix\n\nCo-Authored-By: Claude <noreply@anthropic.com>")

    assert who("a.py") == ["session-1", "human"]


@pytest.mark.slow
def test_a_person_editing_an_agents_line_in_a_later_commit_makes_it_mixed(repo, agent, cli):
    agent().write("a.py", "total = sum(xs)\nmean = total / n\n")
    repo.commit()
    repo.commit("rename", {"a.py": "total = sum(xs)\nmean = total / count\n"})

    rows = cli("blame", "a.py", "--json").rows
    assert [(row["contributor_type"], row["mixed"]) for row in rows] == [("ai", False), ("human", True)]
    assert rows[1]["origin_event_id"] == rows[0]["event_id"]
    assert rows[1]["event_id"] is None


@pytest.mark.slow
def test_a_person_replacing_an_agents_line_makes_it_their_own(repo, agent, cli):
    agent().write("a.py", "total = sum(xs)\nmean = total / n\n")
    repo.commit()
    repo.commit("other", {"a.py": "total = sum(xs)\nimport os\n"})

    rows = cli("blame", "a.py", "--json").rows
    assert [(row["contributor_type"], row["mixed"]) for row in rows] == [("ai", False), ("human", False)]


# Revisions and ranges


@pytest.mark.slow
def test_rev_answers_for_the_file_as_the_commit_has_it(repo, agent, who):
    repo.commit("start", {"a.py": "one\n"})
    agent("session-1").edit("a.py", "one", "one\ntwo")
    second = repo.commit()
    agent("session-2").edit("a.py", "two", "three")
    repo.commit()

    assert who("a.py", "--rev", second) == ["human", "session-1"]
    assert who("a.py", "--rev", "HEAD") == ["human", "session-2"]
    assert who("a.py", "--rev", "HEAD~2") == ["human"]


@pytest.mark.slow
def test_rev_answers_for_a_file_that_is_gone(repo, agent, who):
    agent().write("old/a.py", "one\n")
    repo.commit()
    shutil.rmtree(repo.path / "old")
    repo.commit()

    assert who("old/a.py", "--rev", "HEAD~1") == ["session-1"]


@pytest.mark.slow
def test_rev_finds_a_file_by_the_name_it_has_now(repo, agent, cli):
    agent().write("old name.py", "alpha\nbeta\ngamma\n")
    repo.commit()
    repo.git("mv", "old name.py", "middle.py")
    repo.commit()
    repo.git("mv", "middle.py", "new.py")
    repo.commit()

    document = json.loads(cli("blame", "new.py", "--rev", "HEAD~2", "--json").out)
    assert document["meta"]["path"] == "old name.py"
    assert [row["session_id"] for row in document["rows"]] == ["session-1"] * 3


@pytest.mark.parametrize(
    ("ranges", "lines"),
    [
        pytest.param(["2,3"], [2, 3], id="from, to"),
        pytest.param(["2,+2"], [2, 3], id="from, how many"),
        pytest.param(["3,-2"], [2, 3], id="backwards"),
        pytest.param([",2"], [1, 2], id="up to"),
        pytest.param(["4,"], [4, 5], id="from"),
        pytest.param(["4"], [4, 5], id="from, as git reads one number"),
        pytest.param(["4,99"], [4, 5], id="beyond the end"),
        pytest.param(["3,2"], [2, 3], id="the wrong way round"),
        pytest.param(["1,1", "5,5", "1,2"], [1, 2, 5], id="several"),
        pytest.param(None, [1, 2, 3, 4, 5], id="none"),
    ],
)
def test_ranges_mean_what_they_mean_to_git(ranges, lines):
    assert chosen(ranges, 5, "a.py") == lines


@pytest.mark.daily(1)
@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param("6,9", "has only 2 lines", id="behind the end"),
        pytest.param("0,2", "counted from 1", id="zero"),
        pytest.param(":main", "'main'", id="function"),
        pytest.param("/def/", "'def'", id="pattern"),
        pytest.param("a,b", "not a range", id="letters"),
        pytest.param("", "not a range", id="nothing"),
    ],
)
def test_a_range_that_means_nothing_is_refused(text, complaint, repo, agent, cli):
    agent().write("a.py", "one\ntwo\n")

    answer = cli("blame", "a.py", "-L", text)

    assert (answer.status, answer.out) == (2, "")
    assert complaint in answer.err


@pytest.mark.slow
def test_a_range_keeps_the_numbers_of_the_file(repo, agent, cli):
    agent().write("a.py", "one\ntwo\nthree\n")

    assert [row["line_no"] for row in cli("blame", "a.py", "-L", "2,3", "--json").rows] == [2, 3]


# Files too large to be read

MANY = "".join(f"line {at}\n" for at in range(40_001))


def now(repo: Any, seconds: int = 0) -> None:
    """Move the clock of commits to so many seconds from the present, which is when hooks fire."""
    repo.now = int(time.time()) + seconds


def kinds(cli: Callable[..., Any], path: str) -> set[tuple[str, str, float]]:
    """Return the answers that blame gives for any line of a file."""
    rows = cli("blame", "--json", path).rows
    return {(row["contributor_type"], row["evidence"], row["confidence"]) for row in rows}


@pytest.mark.slow
def test_a_file_too_large_to_be_read_is_its_writers(repo, agent, cli):
    agent().write("a.txt", MANY)
    assert kinds(cli, "a.txt") == {("ai", "observed", 1.0)}

    now(repo)
    repo.commit()

    assert kinds(cli, "a.txt") == {("ai", "observed", 1.0)}


@pytest.mark.slow
def test_a_person_changing_an_agents_file_too_large_to_be_read_changes_one_line(repo, agent, cli):
    agent().write("a.txt", MANY)
    now(repo)
    repo.commit()
    repo.commit("later", {"a.txt": MANY + "person\n"})

    rows = cli("blame", "--json", "a.txt").rows
    assert {(row["contributor_type"], row["evidence"]) for row in rows[:-1]} == {("ai", "carried")}
    assert (rows[-1]["contributor_type"], rows[-1]["evidence"]) == ("human", "git")


@pytest.mark.slow
def test_lines_as_old_as_an_agents_unread_change_are_unknown_and_older_ones_presumed_human(repo, agent, cli):
    now(repo, -1000)
    repo.commit("start", {"a.txt": MANY})
    agent().write("a.txt", MANY + "agent\n")
    rows = cli("blame", "--json", "a.txt").rows
    assert (rows[0]["contributor_type"], rows[0]["evidence"], rows[0]["confidence"]) == ("human", "git", 0.5)
    assert (rows[-1]["contributor_type"], rows[-1]["evidence"], rows[-1]["confidence"]) == ("unknown", "none", 0)

    now(repo)
    repo.commit()

    rows = cli("blame", "--json", "a.txt").rows
    assert (rows[0]["contributor_type"], rows[0]["evidence"], rows[0]["confidence"]) == ("human", "git", 0.5)
    assert (rows[-1]["contributor_type"], rows[-1]["evidence"], rows[-1]["confidence"]) == ("unknown", "git", 0)


@pytest.mark.slow
def test_a_file_that_is_no_longer_too_large_is_followed_again(repo, agent, who):
    now(repo, -1000)
    repo.commit("start", {"a.txt": MANY})
    session = agent()
    session.write("a.txt", "agent\nline 7\n")
    session.edit("a.txt", "line 7", "line 7\nread")
    now(repo)
    repo.commit()

    assert who("a.txt") == ["unknown", "human", "session-1"]


@pytest.mark.slow
def test_a_persons_file_in_the_commit_of_a_recorded_agent_is_presumed_the_persons(repo, agent, cli):
    repo.commit("start", {"shop.py": "RATE = 1\n"})
    agent().edit("shop.py", "RATE = 1", "RATE = 2")
    repo.write("prices.py", "half = 0.5\nthird = 0.33\n")
    repo.commit("both\n\nCo-Authored-By: Claude <noreply@anthropic.com>")
    repo.commit("later", {"shop.py": "RATE = 3\n"})

    assert [row["contributor_type"] for row in cli("blame", "prices.py", "--json").rows] == ["human", "human"]
