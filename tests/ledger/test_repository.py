"""Where a repository is, and what its paths are called in the ledger."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.errors import NoLedgerError, NotARepositoryError
from linetrail.ledger.repository import file_path, find, git, head, require_ledger, stored_path


def test_the_root_is_found_from_a_folder_below(repo):
    (repo.path / "a" / "b c").mkdir(parents=True)

    assert find(str(repo.path / "a" / "b c")).root == str(repo.path)


def test_a_worktree_is_a_repository_of_its_own_that_shares_the_rest(repo):
    repo.commit("start", {"a": "a"})
    repo.git("worktree", "add", "-q", "../side")
    side = find(str(repo.path.parent / "side"))

    assert side.root == str(repo.path.parent / "side")
    assert side.common_dir == str(repo.path / ".git")
    assert head(side).branch == "side"


def test_a_worktree_has_a_ledger_where_its_main_one_has(repo):
    repo.commit("start", {"a": "a"})
    repo.git("worktree", "add", "-q", "../side")
    side = find(str(repo.path.parent / "side"))

    assert not side.has_ledger()
    repo.start_ledger()
    assert side.has_ledger()


def test_a_ledger_outside_git_is_found(tmp_path):
    (tmp_path / "plain" / ".orchestration").mkdir(parents=True)
    (tmp_path / "plain" / "below").mkdir()

    found = find(str(tmp_path / "plain" / "below"))

    assert (found.root, found.git_dir, head(found)) == (str(tmp_path / "plain"), None, None)


def test_no_repository_is_an_error_with_the_next_command(tmp_path):
    with pytest.raises(NotARepositoryError, match="no git repository at") as caught:
        find(str(tmp_path))

    assert caught.value.hint == "git init"


def test_no_ledger_is_an_error_with_the_next_command(repo):
    with pytest.raises(NoLedgerError, match="no ledger at") as caught:
        require_ledger(find(str(repo.path)))

    assert caught.value.hint == "linetrail init"


@pytest.mark.parametrize("target", ["../project-two/x", "/etc/passwd", "..", "link/x"])
def test_what_lies_outside_has_no_stored_path(repo, tmp_path, target):
    (tmp_path / "project-two").mkdir()
    os.symlink(tmp_path / "project-two", repo.path / "link")

    assert find(str(repo.path)).relative(str(repo.path / target)) is None


@given(st.binary(min_size=1, max_size=30).filter(lambda raw: b"\0" not in raw))
def test_every_name_of_a_file_system_can_be_stored_and_comes_back(raw):
    name = os.fsdecode(raw)

    stored = stored_path(name)

    assert file_path(stored) == name
    assert stored.encode().decode() == stored


def test_head_before_the_first_commit_has_a_branch_and_no_revision(repo):
    assert head(find(str(repo.path)))[1:3] == (None, "main")


def test_a_branch_whose_name_ends_like_another_is_not_mistaken_for_it(repo):
    first = repo.commit("one", {"a": "1"})
    repo.git("branch", "feature/main")
    second = repo.commit("two", {"a": "2"})
    repo.git("pack-refs", "--all")

    assert first != second
    assert head(find(str(repo.path))).revision == second


def test_git_that_fails_or_is_missing_answers_none(repo, monkeypatch):
    repository = find(str(repo.path))

    assert git(repository, "no-such-command") is None
    monkeypatch.setenv("PATH", "")
    assert git(repository, "status") is None


def test_the_caller_s_own_git_environment_is_not_followed(repo, monkeypatch, tmp_path):
    revision = repo.commit("start", {"a": "a"})
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))

    assert git(find(str(repo.path)), "rev-parse", "HEAD").decode().strip() == revision
