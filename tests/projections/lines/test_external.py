"""What a note on a commit says of lines counts below all that was recorded, and above what git lets one presume."""

import json
import shutil
import subprocess
from types import SimpleNamespace

import pytest

from linetrail.ledger.repository import find
from linetrail.projections.git.history import GitLine
from linetrail.projections.lines import external
from linetrail.projections.lines.external import Notes
from linetrail.projections.tables.tables import open_tables

pytestmark = pytest.mark.in_turn

KEYS = {
    "schema_version": "authorship/3.0.0",
    "base_commit_sha": "0" * 40,
    "prompts": {},
    "humans": {"h_31dce776f88375": {"author": "Developer <dev@example.org>"}},
    "sessions": {"s_c9883b05a2487d": {"agent_id": {"tool": "cursor", "id": "conv_1", "model": "model-y"}}},
}
AI, PERSON = "s_c9883b05a2487d::t_9f8e7d6c5b4a32", "h_31dce776f88375"


@pytest.fixture
def noted(repo, cli):
    """Return a function that attaches a note to a commit and imports all notes."""
    repo.start_ledger()

    def run(*lines, commit="HEAD"):
        above = "".join(f"{line}\n" for line in lines)
        repo.git("notes", "--ref=ai", "add", "--force", "--file=-", commit, stdin=f"{above}---\n{json.dumps(KEYS)}")
        assert cli("import", "gitai-notes").status == 0

    return run


@pytest.fixture
def blamed(cli):
    """Return a function that tells of each line of a file: who, by what evidence, how surely."""

    def run(path, *options, cwd=None):
        rows = cli("blame", path, "--json", *options, cwd=cwd).rows
        return [(row["contributor_type"], row["evidence"], row["confidence"]) for row in rows]

    return run


NOTED_AI, NOTED_HUMAN, PRESUMED = ("ai", "external", 0.6), ("human", "external", 0.6), ("human", "git", 0.5)


@pytest.mark.slow
def test_a_note_speaks_for_the_lines_of_its_commit(repo, noted, blamed):
    repo.commit("first", {"a.py": "one\ntwo\nthree\n"})
    noted("a.py", f"  {AI} 1", f"  {PERSON} 2")

    assert blamed("a.py") == [NOTED_AI, NOTED_HUMAN, PRESUMED]


@pytest.mark.slow
def test_an_answer_names_agent_session_and_model_of_the_note(repo, noted, cli):
    revision = repo.commit("first", {"a.py": "one\ntwo\n"})
    noted("a.py", f"  {AI} 1", f"  {PERSON} 2")

    ai, human = cli("blame", "a.py", "--json").rows

    (event,) = repo.events("authorship.stated")
    assert (ai["agent_name"], ai["session_id"], ai["model_id"]) == ("cursor", "conv_1", "model-y")
    assert (ai["event_id"], ai["tool_call_id"], ai["origin_event_id"]) == (event.id, None, None)
    assert (ai["vcs_revision"], ai["author"], ai["written_at"]) == (revision, "Author", "2026-01-05T09:01:00.000000Z")
    assert (human["agent_name"], human["author"], human["event_id"]) == (None, "Developer", event.id)


@pytest.mark.slow
def test_lines_are_followed_to_the_file_and_place_they_had(repo, noted, blamed):
    repo.commit("first", {"old name.py": "alpha = 1\nbeta = 2\ngamma = 3\ndelta = 4\n"})
    noted('"old name.py"', f"  {AI} 2-3")
    repo.git("mv", "old name.py", "new.py")
    repo.commit("move")
    repo.commit("more", {"new.py": "import os\nalpha = 1\nbeta = 2\n  gamma  =  3\ndelta = 4\n"})

    assert blamed("new.py") == [PRESUMED, PRESUMED, NOTED_AI, NOTED_AI, PRESUMED]


@pytest.mark.slow
def test_a_line_that_another_commit_changed_is_not_the_notes(repo, noted, blamed):
    repo.commit("first", {"a.py": "one\ntwo\n"})
    noted("a.py", f"  {AI} 1-2")
    repo.commit("second", {"a.py": "one\nquite another line\n"})

    assert blamed("a.py") == [NOTED_AI, PRESUMED]


@pytest.mark.slow
def test_what_was_recorded_counts_and_not_the_note(repo, noted, agent, blamed):
    session = agent()
    session.write("a.py", "one = 1\ntwo = 2\n")
    repo.write("a.py", "one = 1\ntwo = 2\nthree = 3\n")
    repo.commit("both")
    noted("a.py", f"  {PERSON} 1-2", f"  {AI} 3")

    assert blamed("a.py") == [("ai", "carried", 0.95), ("ai", "carried", 0.95), NOTED_AI]


@pytest.mark.slow
def test_uncommitted_lines_are_nobodys(repo, noted, blamed):
    repo.commit("first", {"a.py": "one\n"})
    noted("a.py", f"  {AI} 1-9")
    repo.write("a.py", "one\ntwo\n")

    assert blamed("a.py") == [NOTED_AI, ("unknown", "none", 0.0)]


@pytest.mark.slow
def test_signs_of_an_agent_in_a_commit_weigh_less_than_its_note(repo, noted, blamed):
    repo.commit("first\n\nCo-Authored-By: Claude <noreply@anthropic.com>", {"a.py": "one\ntwo\n"})
    noted("a.py", f"  {PERSON} 1")

    assert blamed("a.py") == [NOTED_HUMAN, ("unknown", "git", 0.0)]


@pytest.mark.slow
def test_where_two_entries_have_a_line_the_later_one_counts(repo, noted, blamed):
    repo.commit("first", {"a.py": "one\ntwo\nthree\n"})
    noted("a.py", f"  {AI} 1-3", f"  {PERSON} 2")

    assert blamed("a.py") == [NOTED_AI, NOTED_HUMAN, NOTED_AI]


@pytest.mark.slow
def test_a_later_note_on_a_commit_takes_the_place_of_the_one_before(repo, noted, blamed):
    repo.commit("first", {"a.py": "one\ntwo\n"})
    noted("a.py", f"  {AI} 1-2")
    noted("b.py", f"  {AI} 1")

    assert blamed("a.py") == [PRESUMED, PRESUMED]


@pytest.mark.slow
def test_a_later_note_that_names_no_line_says_that_nothing_is_known(repo, noted, blamed):
    repo.commit("first", {"a.py": "one\n"})
    noted("a.py", f"  {AI} 1")
    noted()

    assert blamed("a.py") == [PRESUMED]


@pytest.mark.slow
def test_a_key_of_no_known_kind_speaks_for_nobody(repo, noted, blamed):
    repo.commit("first", {"a.py": "one\n"})
    noted("a.py", "  x_123 1")

    assert blamed("a.py") == [PRESUMED]


@pytest.mark.slow
@pytest.mark.parametrize("path", ["café.py", "with blank.py", 'with "quotes".py', "with\ttab.py", "back\\slash.py"])
def test_odd_names_of_files(repo, noted, blamed, path):
    from linetrail.queries.importers.notes.authorship import path_line

    repo.commit("first", {path: "one\n"})
    noted(path_line(path), f"  {AI} 1")

    assert blamed(path) == [NOTED_AI]


@pytest.mark.slow
def test_ranges_without_end_cost_nothing(repo, noted, blamed):
    repo.commit("first", {"a.py": "one\ntwo\n"})
    noted("a.py", f"  {AI} 2-4294967295")

    assert blamed("a.py") == [PRESUMED, NOTED_AI]


@pytest.mark.slow
def test_a_fresh_clone_answers_alike(repo, noted, cli, blamed, tmp_path):
    repo.commit("first", {"a.py": "one\ntwo\n"})
    noted("a.py", f"  {AI} 1")
    here = cli("blame", "a.py", "--json").rows
    cli("seal")
    repo.commit("seal")

    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", repo.path, clone], check=True)
    shutil.rmtree(repo.path)

    assert cli("blame", "a.py", "--json", cwd=clone).rows == here
    assert blamed("a.py", cwd=clone) == [NOTED_AI, PRESUMED]


@pytest.mark.slow
def test_before_the_import_the_note_was_not_known(repo, noted, agent, blamed):
    agent().prompt("before")
    (before,) = repo.events("prompt.submitted")
    repo.commit("first", {"a.py": "one\n"})
    noted("a.py", f"  {AI} 1")

    assert blamed("a.py", "--as-of", before.id) == [PRESUMED]
    assert blamed("a.py") == [NOTED_AI]


@pytest.mark.slow
def test_why_says_what_a_note_is_worth(repo, noted, cli):
    repo.commit("first", {"a.py": "one\ntwo\n"})
    noted("a.py", f"  {AI} 1", f"  {PERSON} 2")

    page = cli("why", "a.py:1").out

    (event,) = repo.events("authorship.stated")
    assert "author   cursor (model-y), session conv_1" in page
    assert f"noted    event {event.id}" in page
    assert "external, confidence 0.6: a note that another tool attached to the commit says so" in page
    assert "author   Developer\n" in cli("why", "a.py:2").out
    assert "Author: first" in cli("why", "a.py:2").out


@pytest.mark.slow
def test_the_tables_hold_every_note(repo, noted, cli):
    repo.commit("first", {"a.py": "one\n"})
    noted("a.py", f"  {AI} 1")
    noted()

    assert cli("rebuild", "--full").status == 0
    assert cli("sql", "select path, role from v_event_paths where role = 'note'", "--json").rows == [
        {"path": "a.py", "role": "note"}
    ]


def test_a_commit_is_asked_about_once_for_all_files(repo, noted):
    repo.commit("first", dict.fromkeys("abc", "one\ntwo\n"))
    noted("a", f"  {AI} 1", "b", f"  {PERSON} 2")
    asked = []
    with open_tables(find(str(repo.path))) as tables:

        def ask(sql, parameters=None):
            asked.append(sql)
            return tables.ask(sql, parameters)

        notes = Notes(SimpleNamespace(ask=ask, is_empty=tables.is_empty))
        head = repo.git("rev-parse", "HEAD").strip()
        lines = {name: [GitLine(head, number, name, None) for number in (1, 2)] for name in "abc"}
        said = {name: notes.about(lines[name], range(2)) for name in "abc"}
        once = len(asked)
        again = {name: notes.about(lines[name], [1]) for name in "abc"}

    assert {name: {at: one.contributor_type for at, one in found.items()} for name, found in said.items()} == {
        "a": {0: "ai"},
        "b": {1: "human"},
        "c": {},
    }
    assert again == {"a": {}, "b": {1: said["b"][1]}, "c": {}}
    assert (once, len(asked)) == (3, 3)


@pytest.mark.slow
@pytest.mark.parametrize(
    "most", [pytest.param(external.MAX_ROWS, id="all is read"), pytest.param(0, id="too much to read")]
)
def test_many_commits_are_answered_for_as_one_by_one(repo, noted, monkeypatch, most):
    monkeypatch.setattr(external, "MAX_ROWS", most)
    monkeypatch.setattr(external, "KEPT_COMMITS", 2)
    revisions = []
    for number in range(external.FEW + 3):
        revisions.append(repo.commit(f"commit {number}", {f"{number}.py": "one\ntwo\n"}))
        noted(f"{number}.py", f"  {AI} {number % 2 + 1}")
    lines = {name: [GitLine(name, at, f"{number}.py", None) for at in (1, 2)] for number, name in enumerate(revisions)}

    with open_tables(find(str(repo.path))) as tables:
        notes = Notes(tables)
        together = {name: notes.about(lines[name], range(2)) for name in [*revisions, *revisions]}
        alone = {name: Notes(tables).about(lines[name], range(2)) for name in revisions}

    assert together == alone
    assert [list(found) for found in alone.values()] == [[number % 2] for number in range(external.FEW + 3)]
