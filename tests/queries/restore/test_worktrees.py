"""Stash, clean, reset, worktrees and sparse checkouts: what is sealed stays, and what else is lost is said."""

import shutil

import pytest

from linetrail.ledger.log import segments
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from tests.histories import event
from tests.queries.record.test_branches import Work, sound, work  # noqa: F401  fixtures are found by their names

TAIL = "agent_trace.jsonl"


@pytest.fixture
def tail(repo):
    return repo.path / ".orchestration" / TAIL


@pytest.fixture
def everything(repo, work):  # noqa: F811  the fixture, not the import
    """Return the ids of events that are committed, sealed only, and neither."""
    work.commit("code.py")
    work.ids |= work.record()
    work.ledger.seal()
    work.ids |= work.record()
    return work.ids


@pytest.mark.promise("M3")
@pytest.mark.parametrize(
    "command",
    [
        pytest.param("reset --hard", id="reset"),
        pytest.param("reset --hard HEAD~1", id="reset to an older commit"),
        pytest.param("checkout --force HEAD~1", id="an older commit"),
        pytest.param("clean -f -d -x", id="clean"),
        pytest.param("clean -f -d -x .", id="clean everything"),
    ],
)
def test_a_worktree_that_is_swept_keeps_every_event(repo, work, everything, cli, command):  # noqa: F811  the same
    repo.git(*command.split())
    cli("restore")

    assert work.held() == everything
    assert cli("verify").status == 0


@pytest.mark.promise("M3")
@pytest.mark.parametrize("option", [[], ["--include-untracked"], ["--all"]], ids=["plain", "untracked", "all"])
def test_a_stash_that_is_taken_back_keeps_every_event(repo, work, everything, cli, option):  # noqa: F811  the same
    repo.write("code.py", "something else\n")
    repo.git("stash", "push", "--quiet", *option)
    work.ids |= work.record(1)
    if option != ["--all"]:  # git takes nothing back over a tail that went on meanwhile
        repo.git("stash", "pop", "--quiet")

    cli("restore")
    assert work.held() >= everything
    assert cli("verify").status == 0


@pytest.mark.slow
@pytest.mark.promise("M3")
def test_a_tail_that_was_cut_in_place_is_noticed_everywhere(repo, work, cli, tail):  # noqa: F811  the same
    work.record(3)
    lines = tail.read_bytes().splitlines(keepends=True)
    tail.write_bytes(b"".join(lines[:1]))

    answer = cli("verify", "--json")
    assert (answer.status, [row["code"] for row in answer.rows]) == (3, ["TAIL_CUT"])
    assert "2 acknowledged lines are missing" in answer.rows[0]["message"]
    assert [row["next"] for row in cli("doctor", "--json").rows if row["check"] == "sealed"] == ["linetrail verify"]
    assert "TAIL_CUT" in cli("status").out


@pytest.mark.promise("M3")
def test_a_tail_that_is_gone_with_its_second_name_is_noticed(repo, work, cli, tail):  # noqa: F811  the same
    work.record(3)
    tail.unlink()
    for link in (repo.path / ".git" / "linetrail" / "tails").glob("*.jsonl"):
        link.unlink()

    assert [row["code"] for row in cli("verify", "--json").rows] == ["TAIL_CUT"]
    work.record(1)
    answer = cli("verify")
    assert answer.status == 0
    assert "lost before it was sealed, as the ledger says: 3 lines" in answer.err


@pytest.mark.promise("M3")
def test_other_lines_in_the_place_of_the_tail_are_noticed(repo, work, cli, tail, tmp_path):  # noqa: F811  the same
    work.record(3)
    other = tmp_path / "other"
    (other / ".orchestration").mkdir(parents=True)
    Ledger(find(str(other))).append([event(f"other {n}", n) for n in range(4)])
    shutil.copy(other / ".orchestration" / TAIL, tail)

    assert [row["code"] for row in cli("verify", "--json").rows] == ["TAIL_CHANGED"]


def worktree(repo, name):
    path = repo.path.parent / name
    repo.git("worktree", "add", "--quiet", "-b", name, str(path))
    return Ledger(find(str(path))), path


@pytest.mark.promise("M3")
def test_what_a_removed_worktree_had_not_sealed_is_kept(repo, work, cli):  # noqa: F811  the same
    ledger, path = worktree(repo, "linked")
    events = [event(f"linked {n}", n) for n in range(3)]
    ledger.append(events)
    repo.git("worktree", "remove", "--force", str(path))
    work.ledger.seal()

    assert work.held() == work.ids | {each.id for each in events}
    assert cli("verify").status == 0


@pytest.mark.promise("M3")
def test_what_a_removed_worktree_had_sealed_and_not_committed_is_kept(repo, work, cli):  # noqa: F811  the same
    ledger, path = worktree(repo, "linked")
    events = [event(f"linked {n}", n) for n in range(3)]
    ledger.append(events)
    ledger.seal()
    repo.git("worktree", "remove", "--force", str(path))
    work.ledger.seal()
    cli("restore")

    assert work.held() == work.ids | {each.id for each in events}
    assert cli("verify").status == 0


@pytest.mark.promise("M1")
def test_worktrees_that_record_at_once_are_merged(repo, work, sound):  # noqa: F811  the same
    for name in ("left", "right"):
        ledger, path = worktree(repo, name)
        events = [event(f"{name} {n}", n) for n in range(3)]
        work.ids |= {each.id for each in events}
        ledger.append(events)
        ledger.seal()
        for command in (("add", "--all"), ("commit", "--quiet", "--message", name)):
            repo.git("-C", str(path), *command)
        repo.git("merge", "--quiet", "--no-ff", "--message", name, name)

    assert work.held() == work.ids
    sound("--strict")


@pytest.mark.promise("M3")
def test_a_segment_of_another_worktree_is_found_there(repo, work, cli):  # noqa: F811  the same
    name = segments.names(work.ledger.folder)[0]
    _, path = worktree(repo, "linked")
    folder = path / ".orchestration" / "segments"
    repo.git("-C", str(path), "rm", "--quiet", "--cached", f".orchestration/segments/{name}.jsonl")
    repo.git("sparse-checkout", "set", "--no-cone", "/*", "!/.orchestration/segments/")

    assert not (repo.path / ".orchestration" / "segments").exists()
    assert (folder / f"{name}.jsonl").exists()
    assert {row["code"] for row in cli("verify", "--json").rows} == {"SEGMENT_MISSING"}
    assert cli("restore").status == 0
    assert cli("verify").status == 0


@pytest.mark.promise("M3")
def test_what_was_swept_before_it_was_committed_is_missed(repo, work, cli):  # noqa: F811  the same
    work.record()
    (segment,) = work.ledger.seal()
    repo.git("clean", "--force", "-d")
    answer = cli("verify", "--json")

    assert [row["code"] for row in answer.rows] == ["SEGMENT_MISSING"]
    assert "never committed" in answer.rows[0]["message"]
    assert cli("restore", "--json").rows[0]["segment"] == segment.name


def test_what_another_branch_has_is_not_missed_here(repo, work, cli):  # noqa: F811  the same
    work.branch("feature")
    work.commit("feature.py")
    repo.git("checkout", "--quiet", "main")

    assert cli("verify").status == 0
    assert cli("restore").out == "nothing is missing\n"


def test_the_second_name_goes_when_git_keeps_the_segment(repo, work, cli):  # noqa: F811  the same
    work.commit("code.py")
    sealed = repo.path / ".git" / "linetrail" / "sealed" / "main"
    assert list(sealed.iterdir())

    assert cli("verify").status == 0
    assert not list(sealed.iterdir())
