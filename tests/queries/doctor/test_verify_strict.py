"""`linetrail verify --strict`: whoever deletes, changes or forges what git has had is caught, as far as possible."""

import os
import subprocess

import pytest

from linetrail.ledger.event.event import GENESIS, line_digest, to_line
from linetrail.ledger.log import segments
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import find
from tests.conftest import Repo
from tests.histories import event


def seal(repo, *keys):
    """Record these, seal them, commit, and return the name of the segment."""
    ledger = Ledger(find(str(repo.path)))
    ledger.append([event(key, len(repo.git("rev-list", "--all").split())) for key in keys])
    (segment,) = ledger.seal()
    repo.commit(f"seal {' '.join(keys)}")
    return segment.name


def file_of(repo, name):
    return repo.path / ".orchestration" / "segments" / f"{name}.jsonl"


@pytest.fixture
def history(repo, cli):
    """Return the names of three segments, one after the other: two on main, and one on a branch that is checked out."""
    cli("init", "--agent", "none", "--no-input")
    repo.commit("begin")
    names = [seal(repo, "one"), seal(repo, "two")]
    repo.git("checkout", "--quiet", "-b", "change")
    return [*names, seal(repo, "three")]


def codes(answer):
    assert answer.status in {0, 3}, answer.err
    return {row["code"] for row in answer.rows}


@pytest.fixture
def strict(cli):
    def verify(*options):
        return codes(cli("verify", "--strict", "--json", *options))

    return verify


def test_an_honest_history_is_fine(history, cli):
    answer = cli("verify", "--strict")

    assert (answer.status, answer.err) == (0, "compared with main\n")


def test_the_base_branch_is_named_by_who_runs_the_check(repo, history, cli, monkeypatch):
    repo.git("update-ref", "refs/remotes/origin/trunk", "main")
    monkeypatch.setenv("GITHUB_BASE_REF", "trunk")

    assert cli("verify", "--strict").err == "compared with origin/trunk\n"


def test_a_base_that_is_not_here_is_a_precondition(history, cli, monkeypatch):
    monkeypatch.setenv("GITHUB_BASE_REF", "trunk")
    answer = cli("verify", "--strict")

    assert answer.status == 2
    assert "next: git fetch origin trunk, or --base REV" in answer.err
    assert cli("verify", "--strict", "--base", "nowhere").status == 2


@pytest.mark.promise("T2")
def test_a_changed_byte_is_caught(repo, history, strict):
    file = file_of(repo, history[1])
    file.write_bytes(file.read_bytes().replace(b"two", b"owt"))
    repo.commit("change a byte")

    assert strict() >= {"WRONG_NAME", "SEGMENT_CHANGED", "BASE_SEGMENT_MISSING"}


@pytest.mark.promise("T2")
def test_a_deleted_inner_segment_is_caught(repo, history, strict):
    file_of(repo, history[0]).unlink()
    repo.commit("delete the first")

    assert strict() == {"SEGMENT_MISSING", "SEGMENT_DELETED", "BASE_SEGMENT_MISSING"}


@pytest.mark.slow
@pytest.mark.promise("T2")
def test_a_deleted_newest_segment_is_caught(repo, history, strict, cli):
    file_of(repo, history[2]).unlink()
    commit = repo.commit("delete the newest")

    assert strict() == {"SEGMENT_DELETED"}
    assert commit[:12] in cli("verify", "--strict", "--json").rows[0]["message"]
    assert codes(cli("verify", "--json")) == set()


def replaced_commit(repo, begin):
    tip = repo.git("rev-parse", "HEAD").strip()
    other = repo.git("commit-tree", f"{tip}^{{tree}}", "-p", begin, "-m", "nothing was here").strip()
    repo.git("replace", tip, other)


def graft(repo, begin):
    repo.git("replace", "--graft", "HEAD", begin)


def old_graft(repo, begin):
    tip = repo.git("rev-parse", "HEAD").strip()
    (repo.path / ".git/info").mkdir(exist_ok=True)
    (repo.path / ".git/info/grafts").write_text(f"{tip} {begin}\n")


def converted_graft(repo, begin):
    old_graft(repo, begin)
    repo.git("replace", "--convert-graft-file")


def packed(repo, begin):
    replaced_commit(repo, begin)
    repo.git("pack-refs", "--all", "--prune")


def under_another_name(repo, begin):
    replaced_commit(repo, begin)
    name, replacement = repo.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/replace").split()
    repo.git("update-ref", name.replace("refs/replace", "refs/hidden"), replacement)
    repo.git("update-ref", "-d", name)


def replaced_tree(repo, _begin):
    for commit in repo.git("rev-list", "HEAD").split():
        tree = repo.git("rev-parse", f"{commit}:.orchestration/segments") if segments_in(repo, commit) else ""
        if tree:
            repo.git("replace", "--force", tree.strip(), repo.git("rev-parse", "HEAD:.orchestration/segments").strip())


def segments_in(repo, commit):
    return repo.git("ls-tree", commit, ".orchestration/segments")


@pytest.mark.promise("T2")
@pytest.mark.parametrize(
    "hide", [replaced_commit, graft, old_graft, converted_graft, packed, under_another_name, replaced_tree]
)
def test_a_deletion_that_git_is_told_to_show_no_more_is_caught(repo, history, strict, monkeypatch, hide):
    begin = repo.git("rev-list", "--max-parents=0", "HEAD").strip()
    file_of(repo, history[2]).unlink()
    repo.commit("delete the newest")
    hide(repo, begin)
    monkeypatch.setenv("GIT_REPLACE_REF_BASE", "refs/hidden" if hide is under_another_name else "refs/replace")

    assert "SEGMENT_DELETED" in strict()


@pytest.fixture
def store(repo, history, tmp_path):
    """Move all objects into a store of its own, which the repository borrows them from."""
    repo.git("gc", "--quiet")
    there, here = tmp_path / "store", repo.path / ".git" / "objects"
    here.rename(there)
    (here / "info").mkdir(parents=True)
    (here / "info" / "alternates").write_text(f"{there}\n")
    return there


@pytest.mark.promise("T2")
def test_a_deletion_is_caught_where_objects_are_borrowed(repo, history, store, strict):
    file_of(repo, history[2]).unlink()
    repo.commit("delete the newest")

    assert "SEGMENT_DELETED" in strict()


@pytest.mark.promise("T2")
def test_a_history_whose_store_is_gone_is_not_called_whole(repo, history, store, cli):
    store.rename(store.with_name("gone"))

    answer = cli("verify", "--strict")

    assert answer.status == 2
    assert "git does not have it" in answer.err


def forge(repo, name):
    """Make the segment again with another event in it, right in itself, and put it in the place of the true one."""
    folder = str(repo.path / ".orchestration")
    segment = segments.read_header(folder, name)
    raw = to_line(event("forged"), 1, GENESIS)
    line = segments.Line(0, raw, event("forged")._replace(seq=1, prev=GENESIS))
    assert line_digest(raw)
    made, content = segments.compose([line], segment.parents)
    segments.keep(folder, made, content)
    file_of(repo, name).unlink()
    return made.name


@pytest.mark.promise("T2")
def test_a_forged_newest_segment_is_caught(repo, history, strict):
    forge(repo, history[2])
    repo.commit("forge the newest")

    assert strict() == {"SEGMENT_DELETED"}


@pytest.mark.promise("T2")
def test_a_forged_segment_of_the_base_branch_is_caught(repo, history, strict):
    repo.git("checkout", "--quiet", "-b", "other", "main")
    forge(repo, history[1])
    repo.commit("forge what the base branch has")

    assert strict("--base", "main") == {"SEGMENT_DELETED", "BASE_SEGMENT_MISSING"}


@pytest.mark.slow
@pytest.mark.promise("T2")
def test_a_copy_under_another_name_is_caught(repo, history, strict):
    file_of(repo, "f" * 64).write_bytes(file_of(repo, history[0]).read_bytes())
    repo.commit("copy one")

    assert strict() == {"WRONG_NAME"}
    file_of(repo, "f" * 64).unlink()
    repo.commit("remove it again")
    assert strict() == set()


@pytest.mark.promise("T2")
def test_a_renamed_segment_is_caught(repo, history, strict):
    file_of(repo, history[2]).rename(file_of(repo, "f" * 64))
    repo.commit("rename one")

    assert strict() == {"WRONG_NAME", "SEGMENT_RENAMED"}


@pytest.mark.slow
@pytest.mark.promise("T2", "T3")
def test_a_rewritten_history_is_caught_by_a_checkpoint_alone(repo, history, strict, cli, tmp_path):
    kept = tmp_path / "checkpoint"
    assert cli("checkpoint").status == 0
    kept.write_bytes((repo.path / ".orchestration" / "checkpoint").read_bytes())
    (repo.path / ".orchestration" / "checkpoint").unlink()
    repo.git("checkout", "--quiet", "--orphan", "rewritten")
    for name in segments.names(str(repo.path / ".orchestration")):
        file_of(repo, name).unlink()
    seal(repo, "something else")
    for branch in ("main", "change"):
        repo.git("branch", "--force", branch, "rewritten")

    assert strict() == set()
    assert strict("--checkpoint", str(kept)) == {"CHECKPOINT_SEGMENT_MISSING"}


@pytest.mark.slow
@pytest.mark.promise("T2")
def test_a_merge_that_threw_one_side_away_is_caught(repo, history, strict):
    repo.git("checkout", "--quiet", "main")
    seal(repo, "four")
    repo.git("merge", "--quiet", "--strategy", "ours", "--message", "merge", "change")

    assert strict() == {"SEGMENT_DELETED"}


def test_what_a_later_commit_brought_back_is_fine(repo, history, strict):
    repo.git("rm", "--quiet", f".orchestration/segments/{history[0]}.jsonl")
    repo.commit("delete it")
    repo.git("revert", "--no-edit", "HEAD")

    assert strict() == set()


@pytest.mark.slow
def test_a_branch_that_is_behind_its_base_is_told_to_merge(repo, history, cli):
    repo.git("checkout", "--quiet", "main")
    seal(repo, "four")
    repo.git("checkout", "--quiet", "change")
    answer = cli("verify", "--strict", "--json")

    assert [(row["code"], row["next"][:9]) for row in answer.rows] == [("BASE_SEGMENT_MISSING", "git merge")]


def test_a_segment_that_is_staged_and_gone_is_missed_without_asking_for_it(repo, history, cli):
    file_of(repo, history[2]).unlink()

    assert codes(cli("verify", "--json")) == {"SEGMENT_MISSING"}


def test_a_shallow_clone_cannot_be_judged(repo, history, cli, tmp_path):
    clone = tmp_path / "shallow"
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", f"file://{repo.path}", str(clone)], check=True)
    answer = cli("verify", "--strict", cwd=clone)

    assert answer.status == 2
    assert "next: git fetch --unshallow" in answer.err
    assert cli("verify", cwd=clone).status == 0


def test_a_whole_clone_is_judged(repo, history, cli, tmp_path):
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", f"file://{repo.path}", str(clone)], check=True)
    answer = cli("verify", "--strict", cwd=clone)

    assert (answer.status, answer.err) == (0, "compared with origin/HEAD\n")


def test_a_repository_with_longer_hashes_is_judged(tmp_path, cli, monkeypatch):
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    repo = Repo(tmp_path / "sha256")
    cli("init", "--agent", "none", "--no-input", cwd=repo.path)
    seal(repo, "one")

    assert cli("verify", "--strict", cwd=repo.path).status == 0
    os.truncate(file_of(repo, segments.names(str(repo.path / ".orchestration"))[0]), 5)
    assert cli("verify", "--strict", cwd=repo.path).status == 3
