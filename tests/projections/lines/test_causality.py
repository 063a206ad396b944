"""Nobody wrote a line after the commit that has it: recorded owners held against git, and answers that are kept."""

import json
import os
import shutil
from datetime import UTC, datetime, timedelta

import pytest

from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from linetrail.projections.blame.blame import Blamer, Opened
from linetrail.projections.git.target import in_worktree
from linetrail.projections.tables.records import Records
from linetrail.projections.tables.tables import open_tables
from tests.queries.conftest import Transcript

pytestmark = [pytest.mark.slow, pytest.mark.in_turn]

BASE = "".join(f"setting_{at} = 'value {at}'\n" for at in range(12))
HEADER = 'package cli\n\nimport (\n\t"context"\n\t"fmt"\n\t"os"\n)\n\n'
HOUR = timedelta(hours=1)


@pytest.fixture
def talk(repo):
    """Return a function that begins a session a few seconds after the last commit."""
    repo.start_ledger()
    (repo.path / ".git" / "info" / "exclude").write_text(".orchestration/\n")

    def begin(session_id):
        session = Transcript(session_id, str(repo.path), 0)
        session.now = datetime.fromtimestamp(repo.now + 5, UTC)
        return session

    return begin


@pytest.fixture
def take_in(cli, tmp_path):
    """Return a function that imports a session."""

    def run(session):
        answer = cli("import", "claude-code", str(session.save(tmp_path / f"{session.session_id}.jsonl")))
        assert answer.status == 0, answer.err

    return run


@pytest.fixture
def who(cli):
    """Return a function that names the session, or the kind, of each line's author."""
    return lambda path: [row["session_id"] or row["contributor_type"] for row in cli("blame", path, "--json").rows]


@pytest.fixture
def blames(tmp_path, monkeypatch):
    """Put a git before git that notes what it is asked; return what counts the blames since its last call."""
    notes, folder = tmp_path / "asked", tmp_path / "bin"
    folder.mkdir()
    git = shutil.which("git")
    (folder / "git").write_text(f'#!/bin/sh\necho "$*" >> {notes}\nexec {git} "$@"\n')
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def count():
        asked = notes.read_text().splitlines() if notes.exists() else []
        notes.unlink(missing_ok=True)
        return sum(" blame " in f" {words} " for words in asked)

    return count


@pytest.fixture
def answer(repo, cli, blames):
    """Return a function that says who wrote the lines of a file, and whether that was remembered.

    What a cache says must be what is said without one.
    """

    def ask(*asked):
        blames()
        rows = cli("blame", *asked, "--json").rows
        remembered = blames() == 0
        kept = repo.path / ".orchestration" / "cache" / "blame"
        shutil.move(kept, aside := kept.with_name("aside"))
        assert cli("blame", *asked, "--json").rows == rows
        shutil.rmtree(kept, ignore_errors=True)
        shutil.move(aside, kept)
        return [row["session_id"] or row["contributor_type"] for row in rows], remembered

    return ask


@pytest.mark.parametrize("original", [pytest.param(BASE, id="told"), pytest.param(None, id="not told")])
def test_a_whole_file_that_is_written_again_owns_what_is_new_in_it(repo, talk, take_in, who, original):
    repo.commit("start", {"a.py": BASE})
    session = talk("later")
    session.write("a.py", BASE + "extra = 'new'\n", original=original, type="update")
    repo.commit("more", {"a.py": BASE + "extra = 'new'\n"})

    take_in(session)

    assert who("a.py")[:12] == ["human"] * 12
    assert original is None or who("a.py")[12] == "later"


def test_lines_that_were_committed_before_anything_was_recorded_are_looked_for_in_no_other_file(repo, talk, take_in):
    repo.commit("start", {"old.py": BASE})
    session = talk("later")
    session.write("new.py", BASE)
    repo.commit("more", {"new.py": BASE, "copy.py": BASE})
    take_in(session)
    repository = find(str(repo.path))
    asked = []

    def ask(sql, parameters=None):
        asked.append(sql)
        return tables.ask(sql, parameters)

    with open_tables(repository) as tables:
        tables.records = Records(ask)
        with Blamer(repository, opened=Opened(Ledger(repository).digest(), tables)) as blamer:
            for path, times in [("old.py", 0), ("copy.py", 1)]:
                blamer.answer(in_worktree(repository, path))
                assert sum("line_hashes" in sql for sql in asked) == times


def test_a_whole_file_that_a_hook_saw_written_again_owns_what_is_new_in_it(repo, agent, who):
    repo.commit("start", {"a.py": BASE})

    agent("later").write("a.py", BASE + "extra = 'new'\n")

    assert who("a.py") == ["human"] * 12 + ["later"]


def test_a_block_that_stood_here_before_was_not_moved_from_elsewhere(repo, talk, take_in, who):
    body = 'func main() {\n\tfmt.Println("hello", os.Args)\n}\n'
    files = {f"{name}.go": HEADER + body for name in ("root", "status", "version")}
    repo.commit("start", files)
    session = talk("later")
    session.write("clean.go", HEADER + "func clean(ctx context.Context) { os.Exit(1) }\n")
    repo.commit("clean", {"clean.go": HEADER + "func clean(ctx context.Context) { os.Exit(1) }\n"})
    session.now += HOUR
    rest = session.edit("clean.go", HEADER + "func clean(ctx context.Context) { os.Exit(1) }\n", HEADER, "")
    repo.now += 2 * 3600
    repo.commit("taken out", {"clean.go": rest})

    take_in(session)

    assert {path: who(path) for path in files} == {path: ["human"] * 11 for path in files}


@pytest.mark.parametrize(
    ("left", "author"),
    [pytest.param(False, "first", id="moved"), pytest.param(True, "second", id="copied")],
)
def test_a_block_that_a_session_writes_into_another_file_is_its_own_where_the_first_stays(
    repo, talk, take_in, who, left, author
):
    block = "".join(f"option_{at} = 'chosen {at}'\n" for at in range(6))
    repo.commit("start", {"a.py": BASE})
    first = talk("first")
    content = first.edit("a.py", BASE, BASE, BASE + block)
    repo.commit("one", {"a.py": content})
    second = talk("second")
    second.write("b.py", block + "more = 'new'\n")
    repo.commit("two", {"a.py": content if left else BASE, "b.py": block + "more = 'new'\n"})

    for session in (first, second):
        take_in(session)

    assert who("b.py") == [author] * 6 + ["second"]


def test_a_rebase_makes_commits_younger_and_no_owner_another(repo, talk, take_in, who):
    repo.commit("start", {"a.py": BASE})
    first = talk("first")
    content = first.edit("a.py", BASE, "setting_3 = 'value 3'\n", "setting_3 = 'changed by the first'\n")
    repo.commit("one", {"a.py": content})
    second = talk("second")
    content = second.edit("a.py", content, "setting_7 = 'value 7'\n", "setting_7 = 'changed by the second'\n")
    old = repo.commit("two", {"a.py": content})
    for session in (second, first):
        take_in(session)
    before = who("a.py")

    repo.now += 30 * 24 * 3600
    repo.git("rebase", "--quiet", "--force-rebase", "--root")

    assert repo.git("rev-parse", "HEAD") != old
    assert who("a.py") == before
    assert [before[3], before[7]] == ["first", "second"]


def test_a_line_that_was_taken_away_and_typed_in_another_place_is_the_second_writers(repo, agent, who):
    agent("first").write("a.py", BASE)
    repo.commit()
    agent("remover").edit("a.py", "setting_3 = 'value 3'\n", "")
    repo.commit()

    agent("second").edit(
        "a.py", "setting_11 = 'value 11'\n", "setting_11 = 'value 11'\nmore = 1\nsetting_3 = 'value 3'\n"
    )
    repo.commit()

    assert who("a.py") == ["first"] * 11 + ["second"] * 2


def test_a_claim_by_a_wrong_clock_is_given_up_for_gits(repo, talk, take_in, cli):
    repo.commit("start", {"a.py": BASE})
    session = talk("ahead")
    session.now += HOUR
    content = session.edit("a.py", BASE, "setting_3 = 'value 3'\n", "setting_3 = 'changed'\n")
    revision = repo.commit("one", {"a.py": content})

    take_in(session)

    row = cli("blame", "a.py", "--json").rows[3]
    assert (row["session_id"], row["contributor_type"], row["evidence"]) == (None, "human", "git")
    assert (row["vcs_revision"], row["written_at"]) == (revision, "2026-01-05T09:02:00.000000Z")


def test_lines_whose_recorded_owner_git_disproved_are_counted(repo, talk, take_in, cli):
    repo.commit("start", {"a.py": BASE})
    session = talk("ahead")
    session.now += HOUR
    content = session.edit("a.py", BASE, "setting_3 = 'value 3'\n", "setting_3 = 'changed'\nsetting_4a = 4\n")
    repo.commit("one", {"a.py": content})
    take_in(session)

    totals = [json.loads(cli("stats", "--json").out)["meta"]["totals"] for _ in range(2)]

    assert [(one["disproved"], one["doubtful"], one["recorded"]) for one in totals] == [(2, 0, 0)] * 2
    assert "0% recorded (2 lines disproved)" in cli("stats").out
    (found,) = (row["message"] for row in cli("doctor", "--json").rows if row["check"] == "lines")
    assert found == "0 doubtful lines, 2 whose recorded author git disproved, in 1 file"


def test_commits_with_dates_of_the_past_lose_nothing_that_hooks_saw(repo, agent, who):
    repo.commit("start", {"a.py": BASE})
    agent("first").edit("a.py", "setting_3 = 'value 3'\n", "setting_3 = 'changed by the first'\n")
    repo.commit("one")
    agent("second").write("b.py", "".join(f"option_{at} = {at}\n" for at in range(5)))
    repo.commit("two")

    repo.now -= 10 * 24 * 3600
    repo.git("rebase", "--quiet", "--force-rebase", "--root")

    assert who("a.py") == ["human"] * 3 + ["first"] + ["human"] * 8
    assert who("b.py") == ["second"] * 5


@pytest.fixture
def committed(repo, talk, take_in):
    """Commit a file, one line of which an imported session wrote."""
    repo.commit("start", {"a.py": BASE, "other.py": "other = 1\n"})
    session = talk("first")
    content = session.edit("a.py", BASE, "setting_3 = 'value 3'\n", "setting_3 = 'changed by the first'\n")
    repo.commit("one", {"a.py": content})
    take_in(session)
    return content


def test_an_answer_holds_after_what_says_nothing_of_its_file(repo, committed, agent, answer):
    first, _ = answer("a.py", "--rev", "HEAD")

    agent("elsewhere").edit("other.py", "other = 1", "other = 2")
    assert answer("a.py", "--rev", "HEAD") == (first, True)
    repo.commit("other")
    assert answer("a.py", "--rev", "HEAD") == (first, True)


def test_an_older_session_that_is_imported_later_has_its_lines(repo, talk, take_in, answer):
    repo.commit("start", {"a.py": BASE})
    session = talk("first")
    content = session.edit("a.py", BASE, "setting_3 = 'value 3'\n", "setting_3 = 'changed by the first'\n")
    repo.commit("one", {"a.py": content})
    assert answer("a.py")[0] == ["human"] * 12

    take_in(session)

    assert answer("a.py") == (["human"] * 3 + ["first"] + ["human"] * 8, False)


def test_lines_that_an_older_session_wrote_in_another_file_are_its_own(repo, talk, take_in, answer):
    block = "".join(f"option_{at} = 'chosen {at}'\n" for at in range(6))
    repo.commit("start", {"a.py": BASE, "b.py": "other = 1\n"})
    session = talk("first")
    session.edit("b.py", "other = 1\n", "other = 1\n", "other = 1\n" + block)
    repo.commit("one", {"b.py": "other = 1\n" + block})
    repo.commit("moved", {"a.py": BASE + block, "b.py": "other = 1\n"})
    assert answer("a.py")[0] == ["human"] * 18

    take_in(session)

    assert answer("a.py") == (["human"] * 12 + ["first"] * 6, False)


def test_a_file_that_is_changed_is_answered_anew(repo, committed, agent, answer):
    answer("a.py")

    agent("second").edit("a.py", "setting_0 = 'value 0'\n", "setting_0 = 'changed by the second'\n")

    assert answer("a.py") == (["second"] + ["human"] * 2 + ["first"] + ["human"] * 8, False)


def test_a_merge_that_brings_another_history_of_a_file_is_answered_anew(repo, committed, answer):
    start = repo.git("rev-parse", "HEAD^")
    repo.git("switch", "--quiet", "--create", "topic", start)
    repo.commit("the same by a person", {"a.py": committed})
    repo.git("switch", "--quiet", "main")
    first, _ = answer("a.py")

    repo.now += 60
    repo.git("merge", "--quiet", "--no-edit", "topic")

    assert answer("a.py") == (first, False)


def test_a_branch_that_is_switched_to_is_answered_anew(repo, committed, answer):
    start = repo.git("rev-parse", "HEAD^")
    repo.git("switch", "--quiet", "--create", "topic", start)
    repo.commit("the same by a person", {"a.py": committed})
    mine = answer("a.py")[0]

    repo.git("switch", "--quiet", "main")

    assert answer("a.py") == (["human"] * 3 + ["first"] + ["human"] * 8, False)
    repo.git("switch", "--quiet", "topic")
    assert answer("a.py")[0] == mine
