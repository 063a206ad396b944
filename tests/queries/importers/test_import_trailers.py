"""Trailers come over once, say which agent a commit credits, and count below whatever was recorded or noted."""

import json

import pytest

from linetrail.ledger.event.schema import problems
from tests.projections.git.test_credits import BOTS

pytestmark = pytest.mark.in_turn

CLAUDE = "Co-authored-by: Claude <noreply@anthropic.com>"
BY_TRAILER = ("ai", "trailer", 0.4)
PRESUMED, UNKNOWN = ("human", "git", 0.5), ("unknown", "git", 0.0)


@pytest.fixture
def imported(repo, cli):
    """Return a function that imports trailers and returns the row."""
    repo.start_ledger()

    def run(*options, status=0):
        answer = cli("import", "trailers", "--json", *options)
        assert answer.status == status, answer.err
        (row,) = answer.rows
        assert [found for line in repo.lines() for found in problems(line)] == []
        return row

    return run


@pytest.fixture
def blamed(cli):
    """Return a function that tells of each line of a file: who, by what evidence, how surely."""

    def run(path):
        rows = cli("blame", path, "--json").rows
        return [(row["contributor_type"], row["evidence"], row["confidence"]) for row in rows]

    return run


def counts(row):
    return row["read"], row["imported"], row["duplicates"], row["rejected"]


def test_a_commit_that_credits_an_agent_is_an_event(repo, imported):
    repo.commit("by hand", {"a.py": "one\n"})
    revision = repo.commit(f"fix\n\n{CLAUDE}\nSigned-off-by: Ana <ana@example.org>", {"a.py": "one\ntwo\n"})

    row = imported()

    assert (row["source"], row["path"], *counts(row)) == ("trailers", "HEAD", 2, 1, 0, 0)
    (event,) = repo.events()
    assert (event.type, event.contributor, event.timestamp) == (
        "authorship.stated",
        "unknown",
        "2026-01-05T09:02:00.000000Z",
    )
    assert (event.data["revision"], event.data["dialect"], event.data["files"]) == (revision, "trailers", [])
    assert event.data["raw"] == "co-authored-by: Claude <noreply@anthropic.com>"
    (author,) = event.data["authors"]
    assert (author["contributor"], author["agent_name"], author["person"]) == ("ai", "claude-code", None)


def test_importing_again_adds_no_row(repo, imported):
    repo.commit(f"fix\n\n{CLAUDE}", {"a.py": "one\n"})
    imported()
    before = repo.lines()

    assert counts(imported()) == (1, 0, 1, 0)
    assert repo.lines() == before


@pytest.mark.slow
def test_only_lines_that_git_says_the_commit_added_are_the_agents(repo, imported, blamed, cli):
    repo.commit("by hand", {"a.py": "one\nthree\n", "b.py": "alpha\n"})
    repo.commit(f"fix\n\nAssisted-by: Claude:claude-opus-4\n{CLAUDE}", {"a.py": "one\ntwo\nthree\n"})
    repo.commit("by hand again", {"a.py": "one\ntwo\nthree\nfour\n"})

    imported()

    assert blamed("a.py") == [PRESUMED, BY_TRAILER, PRESUMED, PRESUMED]
    assert blamed("b.py") == [PRESUMED]
    row = cli("blame", "a.py", "--json").rows[1]
    assert (row["agent_name"], row["model_id"], row["author"]) == ("claude-code", "claude-opus-4", "Author")


@pytest.mark.slow
def test_before_the_import_such_lines_are_unknown(repo, imported, blamed):
    repo.commit(f"fix\n\n{CLAUDE}", {"a.py": "one\n"})

    assert blamed("a.py") == [UNKNOWN]
    imported()
    assert blamed("a.py") == [BY_TRAILER]


@pytest.mark.slow
def test_nothing_observed_is_overruled(repo, agent, imported, blamed):
    repo.commit("first", {"README": "read\n"})
    session = agent()
    session.write("a.py", "one = 1\n")
    repo.commit(f"agent\n\n{CLAUDE}", {"a.py": "one = 1\nby_hand = 2\n", "c.py": "person = 1\n"})

    imported()

    assert blamed("a.py")[0] == ("ai", "carried", 0.95)
    assert BY_TRAILER not in blamed("a.py") + blamed("c.py"), "the agent was recorded: the rest is a person's"


@pytest.mark.slow
def test_a_note_on_the_same_commit_counts_more(repo, imported, blamed, cli):
    repo.commit(f"fix\n\n{CLAUDE}", {"a.py": "one\ntwo\n"})
    keys = {
        "schema_version": "authorship/3.0.0",
        "base_commit_sha": "0" * 40,
        "prompts": {},
        "humans": {"h_31dce776f88375": {"author": "Developer <dev@example.org>"}},
        "sessions": {},
    }
    note = f"a.py\n  h_31dce776f88375 1\n---\n{json.dumps(keys)}"
    repo.git("notes", "--ref=ai", "add", "--file=-", stdin=note)

    cli("import", "gitai-notes")
    imported()

    assert blamed("a.py") == [("human", "external", 0.6), BY_TRAILER]


@pytest.mark.slow
def test_of_several_agents_none_is_named(repo, imported, cli):
    repo.commit(f"fix\n\n{CLAUDE}\nCo-authored-by: Cursor <cursoragent@cursor.com>", {"a.py": "one\n"})

    imported()

    (row,) = cli("blame", "a.py", "--json").rows
    assert (row["contributor_type"], row["agent_name"], row["evidence"]) == ("ai", None, "trailer")


@pytest.mark.daily(9)
@pytest.mark.parametrize("bot", BOTS)
def test_negative_control_commits_of_bots_import_nothing(repo, imported, bot):
    repo.commit("bump", {"a.py": "one\n"})
    repo.git("commit", "--quiet", "--amend", "--no-edit", f"--author={bot}")

    assert counts(imported()) == (1, 0, 0, 0)


@pytest.mark.slow
def test_the_oldest_commit_of_a_shallow_clone_is_credited_with_nothing(repo, imported, cli, tmp_path):
    repo.commit("by hand", {"a.py": "one\n"})
    repo.commit(f"fix\n\n{CLAUDE}", {"b.py": "two\n"})
    repo.commit("later", {"c.py": "three\n"})
    repo.git("clone", "--quiet", "--depth=2", f"file://{repo.path}", str(tmp_path / "clone"))
    (tmp_path / "clone" / ".orchestration").mkdir()

    cli("import", "trailers", cwd=tmp_path / "clone")

    (row,) = cli("blame", "a.py", "--json", cwd=tmp_path / "clone").rows
    assert (row["contributor_type"], row["evidence"]) == ("unknown", "git")


def test_a_range_limits_what_is_read(repo, imported):
    repo.commit(f"one\n\n{CLAUDE}", {"a.py": "one\n"})
    repo.commit(f"two\n\n{CLAUDE}", {"a.py": "two\n"})

    row = imported("--range", "HEAD~1..HEAD")

    assert (row["path"], *counts(row)) == ("HEAD~1..HEAD", 1, 1, 0, 0)


def test_a_dry_run_prints_what_matches_and_writes_nothing(repo, imported, cli):
    revision = repo.commit(f"fix\n\n{CLAUDE}", {"a.py": "one\n"})

    answer = cli("import", "trailers", "--dry-run")

    assert answer.status == 0
    heading, match, summary = answer.out.splitlines()
    assert heading.split() == ["revision", "agent_name", "model_id", "trailer", "said"]
    assert match.split() == [
        revision[:10],
        "claude-code",
        "-",
        "co-authored-by",
        "Claude",
        "<noreply@anthropic.com>",
    ]
    assert summary == "1 range, 1 commit: 1 commit would be imported"
    assert repo.lines() == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["trailers", "notes.txt"], "trailers are in commits and not in notes.txt; name commits with --range"),
        (["gitai-notes", "--range", "HEAD"], "--range is for trailers"),
    ],
)
def test_what_does_not_go_together_is_refused(repo, imported, cli, options, said):
    answer = cli("import", *options)

    assert (answer.status, answer.err) == (2, f"error: {said}\nnext: linetrail help import\n")


def test_a_range_that_git_does_not_know(repo, imported, cli):
    repo.commit("one", {"a.py": "one\n"})

    answer = cli("import", "trailers", "--range", "nothing..here")

    assert answer.status == 2
    assert "nothing..here" in answer.err


def test_a_repository_without_a_commit(imported):
    assert counts(imported()) == (0, 0, 0, 0)


@pytest.mark.slow
def test_the_text_marks_an_agent_that_only_a_trailer_names(repo, imported, cli):
    repo.commit(f"fix\n\n{CLAUDE}", {"a.py": "one\n"})
    imported()

    assert "(claude-code)" in cli("blame", "a.py").out


@pytest.mark.slow
def test_why_says_what_a_trailer_is_worth(repo, imported, cli):
    repo.commit(f"fix\n\n{CLAUDE}", {"a.py": "one\n"})
    imported()

    answer = cli("why", "a.py:1")

    assert "evidence trailer, confidence 0.4" in answer.out


@pytest.mark.slow
def test_what_trailers_say_is_not_exported_as_a_fact_about_lines(repo, imported, cli):
    repo.commit(f"fix\n\n{CLAUDE}", {"a.py": "one\n"})
    imported()

    assert cli("export", "gitai-notes").out == ""
    assert cli("export", "agent-trace").out == ""


def test_where_git_cannot_be_run_it_says_so_and_not_that_there_are_no_commits(repo, cli, monkeypatch):
    repo.start_ledger()
    repo.commit("start", {"a.py": "one\n"})
    monkeypatch.setenv("PATH", "/nonexistent")

    answer = cli("import", "trailers")

    assert answer.status != 0
    assert "cannot run git" in answer.err
