"""`linetrail restore`: what git still has somewhere comes back, byte for byte."""

import os
import shlex
import shutil

import pytest

from linetrail.ledger.log import segments
from tests.queries.doctor.test_verify_strict import file_of, history, seal  # noqa: F401  fixtures are found by their names


def folder(repo):
    return str(repo.path / ".orchestration")


@pytest.fixture
def merged(repo, history, cli):  # noqa: F811  the fixture, not the import
    """Return the names of three segments; the branch of the third was merged, and a fourth was sealed after that."""
    repo.git("checkout", "--quiet", "main")
    repo.git("merge", "--quiet", "--no-ff", "--message", "merge", "change")
    return [*history, seal(repo, "after")]


@pytest.mark.slow
def test_nothing_is_missing_where_nothing_is(merged, cli):
    answer = cli("restore")

    assert (answer.status, answer.out) == (0, "nothing is missing\n")


@pytest.mark.promise("M1")
def test_what_the_revert_of_a_merge_took_away_comes_back(repo, merged, cli):
    repo.git("revert", "--no-edit", "--mainline", "1", "HEAD~1")
    assert cli("verify").status == 3

    answer = cli("restore")

    assert answer.status == 0
    assert "next: git add .orchestration/segments" in answer.err
    assert segments.names(folder(repo)) == sorted(merged)
    repo.commit("restore the ledger")
    assert cli("verify", "--strict").status == 0


@pytest.mark.slow
def test_a_reverted_merge_without_anything_after_it_comes_back(repo, history, cli):  # noqa: F811  the same
    repo.git("checkout", "--quiet", "main")
    repo.git("merge", "--quiet", "--no-ff", "--message", "merge", "change")
    repo.git("revert", "--no-edit", "--mainline", "1", "HEAD")

    assert cli("restore").status == 0
    assert segments.names(folder(repo)) == sorted(history)


@pytest.mark.slow
def test_a_cherry_pick_without_its_parents_gets_them(repo, merged, cli):
    newest = repo.git("rev-parse", "HEAD")
    repo.git("checkout", "--quiet", "-b", "other", "main~3")
    for name in segments.names(folder(repo)):
        assert name in merged
    before = segments.names(folder(repo))
    repo.git("cherry-pick", newest)
    assert cli("verify").status == (0 if set(before) >= set(merged[:3]) else 3)

    assert cli("restore").status == 0
    assert segments.names(folder(repo)) == sorted(merged)
    assert cli("verify").status == 0


@pytest.mark.slow
@pytest.mark.parametrize("commands", [[["rm", "-r"]], [["rm", "-r"], ["commit", "--quiet", "--message", "gone"]]])
def test_deleted_segments_come_back(repo, merged, cli, commands):
    for command in commands:
        repo.git(*command, *([".orchestration/segments"] if command[0] == "rm" else []))

    assert cli("restore", "--json").status == 0
    assert segments.names(folder(repo)) == sorted(merged)


@pytest.mark.slow
def test_a_segment_that_was_only_staged_comes_back(repo, merged, cli):
    from linetrail.ledger.log.store import Ledger
    from linetrail.ledger.repository import find
    from tests.histories import event

    ledger = Ledger(find(str(repo.path)))
    ledger.append([event("staged", 99)])
    (segment,) = ledger.seal()
    repo.git("add", ".orchestration/segments")
    file_of(repo, segment.name).unlink()

    assert [row["source"] for row in cli("restore", "--json").rows] == ["the index"]
    assert cli("verify").status == 0


@pytest.mark.slow
def test_a_damaged_segment_is_replaced_and_its_bytes_are_kept(repo, merged, cli):
    file = file_of(repo, merged[0])
    true = file.read_bytes()
    file.write_bytes(true[:-9])

    assert cli("restore").status == 0
    assert file.read_bytes() == true
    (kept,) = (repo.path / ".orchestration" / "quarantine").iterdir()
    assert kept.read_bytes() == true[:-9]


@pytest.mark.daily(1)
@pytest.mark.parametrize(
    "stand_in",
    [
        pytest.param(lambda path, _: os.mkfifo(path), id="pipe"),
        pytest.param(lambda path, _: (path / "inside").mkdir(parents=True), id="folder"),
        pytest.param(lambda path, true: path.symlink_to(true), id="link"),
        pytest.param(lambda path, _: path.symlink_to("nowhere"), id="dangling link"),
    ],
)
def test_what_is_no_file_is_moved_aside_and_the_segment_put_there(repo, merged, cli, tmp_path, stand_in):
    file = file_of(repo, merged[0])
    true = file.read_bytes()
    stand_in(file, file.rename(tmp_path / "elsewhere"))
    status = file.lstat()
    (told,) = cli("verify", "--json").rows
    assert (told["code"], told["next"]) == ("FOREIGN_FILE", "linetrail restore")

    answer = cli("restore")

    assert (answer.status, file.is_symlink(), file.read_bytes()) == (0, False, true)
    (kept,) = (repo.path / ".orchestration" / "quarantine").iterdir()
    assert (kept.lstat().st_ino, kept.lstat().st_mode) == (status.st_ino, status.st_mode)
    assert cli("verify").status == 0


@pytest.mark.slow
def test_a_dry_run_changes_nothing_and_tells_that_something_is_broken(repo, merged, cli):
    file_of(repo, merged[0]).unlink()
    answer = cli("restore", "--dry-run")

    assert answer.status == 3
    assert answer.out.startswith(f"would restore .orchestration/segments/{merged[0]}.jsonl from ")
    assert not file_of(repo, merged[0]).exists()


@pytest.mark.slow
def test_what_is_nowhere_is_said(repo, merged, cli):
    repo.git("checkout", "--quiet", "--orphan", "alone")
    file_of(repo, merged[0]).unlink()
    repo.git("add", "--all")
    repo.git("commit", "--quiet", "--message", "alone")
    for branch in ("main", "change"):
        repo.git("branch", "--quiet", "-D", branch)
    repo.git("reflog", "expire", "--expire=now", "--all")
    shutil.rmtree(repo.path / ".git" / "linetrail" / "sealed")
    answer = cli("restore")

    assert answer.status == 3
    assert answer.out.startswith(f"not found: .orchestration/segments/{merged[0]}.jsonl")
    assert "git fetch" in answer.err


@pytest.mark.slow
def test_the_segments_of_other_branches_are_left_there(repo, history, cli):  # noqa: F811  the same
    repo.git("checkout", "--quiet", "main")

    assert cli("restore").out == "nothing is missing\n"
    assert segments.names(folder(repo)) == sorted(history[:2])


@pytest.mark.slow
def test_what_was_dropped_with_its_commit_comes_back_where_that_is_asked_for(repo, merged, cli):
    cli("verify")  # lets go of the second names: git has all segments by now
    repo.git("reset", "--quiet", "--hard", "HEAD~1")
    assert cli("restore").out == "nothing is missing\n"

    answer = cli("restore", "--reflog", "--json")

    assert [row["segment"] for row in answer.rows] == [merged[-1]]
    assert segments.names(folder(repo)) == sorted(merged)


@pytest.mark.slow
def test_a_clone_of_one_branch_is_told_how_to_get_what_another_has(repo, merged, cli, tmp_path):
    newest = repo.git("rev-parse", "HEAD")
    repo.git("checkout", "--quiet", "-b", "picked", "main~3")
    repo.git("cherry-pick", newest)
    clone = tmp_path / "clone"
    repo.git("clone", "--quiet", "--single-branch", "--branch", "picked", repo.path.as_uri(), str(clone))
    assert cli("-C", str(clone), "log").status == 3

    answer = cli("-C", str(clone), "restore")
    command, _, then = answer.err.partition("next: ")[2].partition(", then ")
    repo.git("-C", str(clone), *shlex.split(command)[1:])

    assert (answer.status, then.split(";")[0]) == (3, "linetrail restore")
    assert cli("-C", str(clone), "restore").status == 0
    assert segments.names(str(clone / ".orchestration")) == sorted(merged)
    assert cli("-C", str(clone), "verify").status == 0
