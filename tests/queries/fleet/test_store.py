"""`linetrail push` and `pull`: the segments of a repository in an object store, here a folder."""

import shutil

import pytest

from linetrail.ledger.log import segments
from linetrail.ledger.repository import find
from linetrail.queries.fleet import objects
from linetrail.queries.fleet.push import push


@pytest.fixture
def url(tmp_path):
    return (tmp_path / "a store").as_uri()


def folder(repo):
    return str(repo.path / ".orchestration")


def stored(tmp_path, kind="segments"):
    return sorted((tmp_path / "a store" / kind).glob("*/*"))


def test_a_push_puts_every_segment_there_and_a_second_one_nothing(cli, tmp_path, sealed, url):
    first = cli("push", url, "--json")
    files = {file: file.stat().st_mtime_ns for file in [*stored(tmp_path), *stored(tmp_path, "heads")]}
    second = cli("push", url)

    assert {row["segment"] for row in first.rows} == {*sealed}
    assert [file.stem for file in stored(tmp_path)] == sealed
    assert (second.status, second.out) == (0, "nothing to push: the store has all 2 segments\n")
    assert files == {file: file.stat().st_mtime_ns for file in [*stored(tmp_path), *stored(tmp_path, "heads")]}


def test_a_dry_run_makes_nothing(cli, tmp_path, sealed, url):
    (tmp_path / "a store").mkdir()

    answer = cli("push", url, "--dry-run")

    assert answer.out.startswith("would push 2 segments")
    assert not [*(tmp_path / "a store").iterdir()]


def test_where_nothing_is_sealed_there_is_nothing_to_push(cli, repo, agent, url):
    agent().write("b.py", "y = 1\n")
    repo.commit()

    answer = cli("push", url)

    assert (answer.status, answer.out) == (0, "nothing to push: nothing is sealed\n")
    assert "next: linetrail seal" in answer.err


def test_what_is_not_sealed_is_said_to_stay(cli, agent, sealed, url):
    agent("session-9").write("b.py", "y = 1\n")

    assert "next: linetrail seal" in cli("push", url).err


def test_another_clone_pulls_what_it_does_not_have(cli, repo, sealed, url, tmp_path):
    cli("push", url)
    other = tmp_path / "other"
    repo.git("clone", "--quiet", str(repo.path), str(other))
    shutil.rmtree(other / ".orchestration" / "segments")

    answer = cli("pull", url, cwd=other)

    assert (answer.status, answer.out) == (0, "pulled 2 segments; 0 were here\n")
    assert segments.names(str(other / ".orchestration")) == sealed
    assert cli("verify", cwd=other).status == 0


@pytest.mark.slow
def test_repositories_that_never_pushed_are_brought_in(cli, repo, sealed, url, tmp_path):
    bare = tmp_path / "without a ledger"
    repo.git("init", "--quiet", str(bare))
    repo.git("-C", str(bare), "commit", "--quiet", "--allow-empty", "--message", "nothing")

    answer = cli("pull", url, "--from", repo.path.as_uri(), "--from", bare.as_uri(), "--json", cwd=tmp_path)

    assert [row["segments"] for row in answer.rows] == [2, None]
    assert [file.stem for file in stored(tmp_path)] == sealed


def test_a_repository_that_git_was_told_of_is_not_taken_for_the_clone(cli, repo, sealed, url, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_DIR", str(repo.path / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(repo.path / ".git" / "index"))
    before = (repo.path / ".git" / "config").read_bytes()

    assert cli("pull", url, "--from", repo.path.as_uri(), cwd=tmp_path).status == 0

    assert (repo.path / ".git" / "config").read_bytes() == before
    assert [file.stem for file in stored(tmp_path)] == sealed


def altered(file):
    file.chmod(0o600)
    file.write_bytes(file.read_bytes()[::-1])


def cut(file):
    file.chmod(0o600)
    file.write_bytes(file.read_bytes()[:-1])


def removed(file):
    file.unlink()


@pytest.mark.parametrize("check", [pytest.param((), id="pull"), pytest.param(("--check",), id="pull --check")])
@pytest.mark.parametrize("damage", [altered, cut, removed])
def test_an_object_that_is_not_what_it_was_is_noticed(cli, tmp_path, sealed, url, damage, check):
    cli("push", url)
    damage(stored(tmp_path)[0])

    answer = cli("pull", url, *check)

    same_size = damage is altered and not check  # what is here already is not read again
    assert answer.status == (0 if same_size else 3)
    assert same_size or sealed[0] in answer.err


def test_a_checkpoint_that_was_changed_is_noticed(cli, tmp_path, sealed, url):
    cli("push", url)
    cut(stored(tmp_path, "heads")[0])

    assert cli("pull", url).status == 3


def test_what_was_removed_comes_back_with_the_next_push(cli, tmp_path, sealed, url):
    cli("push", url)
    stored(tmp_path)[0].unlink()

    assert cli("push", url).out.startswith("pushed 1 segment with")
    assert cli("pull", url, "--check").status == 0


def test_a_damaged_segment_is_not_pushed(cli, repo, tmp_path, sealed, url):
    altered(repo.path / ".orchestration" / "segments" / f"{sealed[0]}.jsonl")

    answer = cli("push", url)

    assert answer.status == 3
    assert [file.stem for file in stored(tmp_path)] == sealed[1:]
    assert stored(tmp_path, "heads") == []


def test_what_others_put_below_the_prefix_is_no_segment(cli, tmp_path, sealed, url):
    cli("push", url)
    (stored(tmp_path)[0].parent / "notes.txt").write_text("hello")

    answer = cli("pull", url)

    assert answer.status == 3
    assert "notes.txt: offset 0: the name is no hash" in answer.err


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("/a/folder", "names no object store"),
        ("https://example.com/x", "names no object store"),
        ("file://host/x", "names no folder of this machine"),
        ("file:relative", "names no folder of this machine"),
        ("s3://", "names no object store"),
        ("file:///nowhere/at/all", "no such folder"),
    ],
)
def test_a_url_that_leads_nowhere_is_an_error_with_a_next_step(cli, sealed, url, said):
    answer = cli("pull", url)

    assert answer.status == 2
    assert said in answer.err.lower()
    assert "next: " in answer.err


@pytest.mark.parametrize("given", [pytest.param((), id="no commit"), pytest.param(("--depth=1",), id="shallow")])
def test_a_repository_without_a_first_commit_has_no_name_in_a_store(cli, repo, agent, url, tmp_path, given):
    agent().write("a.py", "x = 1\n")
    clone = repo.path
    if given:
        repo.commit()
        repo.write("b.py", "y = 1\n")
        repo.commit()
        clone = tmp_path / "clone"
        repo.git("clone", "--quiet", *given, repo.path.as_uri(), str(clone))
        (clone / ".orchestration").mkdir(exist_ok=True)

    answer = cli("push", url, cwd=clone)

    assert answer.status == 2
    assert "next: git fetch --unshallow" in answer.err


@pytest.mark.slow
def test_many_at_once_do_no_harm(cli, repo, sealed, url, tmp_path):
    repository = find(str(repo.path))

    heads = {*objects.at_once(lambda _: push(repository, url).head, range(20), "", "")}

    assert len(heads) == len(stored(tmp_path, "heads")) == 1
    assert cli("pull", url, "--check").status == 0
