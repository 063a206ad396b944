"""`show`: one thing in full, by its number, its hash or the name that git has for it."""

import re
from hashlib import sha256

import pytest

from linetrail.ledger.observe.substance import line_hash
from tests.queries.answers.conftest import CALL, PROMPT
from tests.story import Story


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["number", "prefix", "whole id"])
def test_an_event_by(cli, told, kind):
    wanted = told[4]
    key = {"number": "5", "prefix": wanted.id[:13], "whole id": wanted.id}[kind]

    [row] = cli("show", key, "--json").rows

    assert (row["kind"], row["event_id"], row["seq"]) == ("event", wanted.id, 5)
    assert row["payload"] == wanted.data


@pytest.mark.slow
@pytest.mark.usefixtures("told")
def test_a_session(cli):
    [row] = cli("show", "s1", "--json").rows

    assert (row["kind"], row["session_id"], row["events"], row["end_reason"]) == ("session", "s1", 6, "exit")
    assert [turn["prompt_excerpt"] for turn in row["turns"]] == ["make it quick"]
    assert [(file["path"], file["lines_added"]) for file in row["files"]] == [("a.py", 1), ("dir/b.py", 1)]


@pytest.mark.slow
@pytest.mark.usefixtures("told")
def test_an_intent_and_a_tool_call(cli):
    [intent] = cli("show", "INT", "--json").rows
    [call] = cli("show", "toolu", "--json").rows

    assert (intent["kind"], intent["intent_id"], intent["events"]) == ("intent", "INT-1", 2)
    assert (call["kind"], [event["seq"] for event in call["happened"]]) == ("tool call", [3, 4, 5])


@pytest.mark.slow
def test_what_was_recorded_beside_events(repo, cli):
    repo.start_ledger()
    story = Story()
    story.tell("prompt.submitted", PROMPT)
    story.tell("tool.requested", CALL | {"prompt_id": "p1"})
    ways = [{"option": "cron", "why_rejected": "a race"}]
    decided = {"decision_id": "D-12", "title": "leeway", "status": "accepted", "alternatives": ways}
    story.tell("decision.recorded", decided)
    story.tell("lesson.recorded", {"lesson_id": "L-7", "title": "ask first", "source": "denial"})
    story.written(repo.path)

    [decision], [lesson], [prompt] = (cli("show", key, "--json").rows for key in ("D-1", "L-7", "p1"))

    assert (decision["kind"], decision["alternatives"]) == (
        "decision", [{"option_text": "cron", "why_rejected": "a race"}],
    )  # fmt: skip
    assert (lesson["kind"], lesson["title"]) == ("lesson", "ask first")
    assert (prompt["kind"], [call["tool_name"] for call in prompt["tool_calls"]]) == ("prompt", ["Edit"])


@pytest.mark.slow
def test_a_commit_that_only_git_knows(repo, cli):
    repo.start_ledger()
    revision = repo.commit("a fine change", {"a.py": "one\n"})

    [row] = cli("show", revision[:8], "--json").rows

    assert (row["kind"], row["vcs_revision"], row["author"]) == ("commit", revision, "Author")
    assert (row["subject"], row["sessions"]) == ("a fine change", [])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["HEAD", "main", "HEAD~0", "v1"])
def test_a_commit_by_any_name_that_git_knows(name, repo, cli):
    repo.start_ledger()
    revision = repo.commit()
    repo.git("tag", "v1")

    assert [row["vcs_revision"] for row in cli("show", name, "--json").rows] == [revision]


@pytest.mark.slow
def test_a_commit_with_the_sessions_behind_it(repo, cli):
    repo.start_ledger()
    parent, revision = repo.commit("one"), repo.commit("two", {"a.py": "one\n"})
    story = Story()
    story.tell("mutation.observed", revision=parent, edits={"a.py": "one\n"})
    story.tell("commit.observed", {"revision": revision, "parents": [parent], "files": ["a.py"]})
    story.written(repo.path)

    [row] = cli("show", revision[:8], "--json").rows

    assert [session["session_id"] for session in row["sessions"]] == ["s1"]


@pytest.mark.slow
@pytest.mark.usefixtures("told")
def test_what_is_not_unique_or_not_there_is_said(cli):
    several, none = cli("show", "s"), cli("show", "zzz")

    assert (several.status, none.status) == (2, 2)
    assert "s is not unique: session s1, session s2" in several.err
    assert "or node has an id that begins with zzz" in none.err


@pytest.mark.slow
def test_a_hash_whole_or_its_first_digits_finds_contents_blocks_lines_and_segments(repo, agent, cli):
    claude = agent()
    claude.write("a.py", "one = 1\ntwo = 2\n")
    claude.edit("a.py", "two = 2\n", "three = 3\n")
    cli("seal")
    first, block = (f"sha256:{sha256(text).hexdigest()}" for text in (b"one = 1\ntwo = 2\n", b"three = 3\n"))
    [name] = (path.stem for path in (repo.path / ".orchestration/segments").iterdir())

    content, lines = cli("show", first[:20], "--json").rows[0], cli("show", block, "--json").rows[0]
    [line], [segment] = (cli("show", key, "--json").rows for key in (line_hash(b"three=3"), name[:12]))

    assert (content["kind"], content["content_hash"]) == ("content", first)
    assert [(seen["part"], seen["path"]) for seen in content["changes"]] == [
        ("after", "a.py"), ("block", "a.py"), ("before", "a.py"),
    ]  # fmt: skip
    assert [(seen["part"], seen["start_line"], seen["end_line"]) for seen in lines["changes"]] == [("block", 2, 2)]
    assert [(seen["path"], seen["line_no"], seen["agent_name"]) for seen in line["changes"]] == [
        ("a.py", 2, "claude-code"),
    ]  # fmt: skip
    assert (segment["kind"], segment["segment"], segment["first_position"]) == ("segment", name, 1)


@pytest.mark.slow
def test_a_number_is_the_place_of_an_event_whatever_else_begins_so(repo, cli):
    repo.start_ledger()
    story = Story()
    for session in ("1a", "2b", "1c"):
        story.tell("session.started", session=session)
    story.written(repo.path)

    [row] = cli("show", "1", "--json").rows

    assert (row["kind"], row["seq"], row["session_id"]) == ("event", 1, "1a")


def test_no_text_is_no_id(repo, cli):
    repo.start_ledger()

    answer = cli("show", "")

    assert answer.status == 2
    assert "error: an id has one character at least" in answer.err


@pytest.mark.slow
@pytest.mark.usefixtures("told")
def test_people_get_a_page(cli):
    printed = cli("show", "s1").out

    assert re.match(r"kind +session\n", printed)
    assert "\nfiles\n  path      mutations  lines_added  lines_deleted\n  a.py              1            1" in printed
    assert all(line == line.rstrip() for line in printed.split("\n"))
