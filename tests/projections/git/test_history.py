"""What git says of a file, asked of real repositories."""

import os
from contextlib import closing

import pytest

from linetrail.ledger.repository import find, stored_path
from linetrail.projections.git.credits import shows_agent
from linetrail.projections.git.history import Blamed, Blaming, Objects
from linetrail.projections.git.target import Target, TargetError, at_revision, in_worktree, locate


def blamed(repo, path: str, revision: str | None = None) -> Blamed:
    repository = find(str(repo.path))
    target = at_revision(repository, path, revision) if revision else in_worktree(repository, path)
    with closing(Blaming(repository, target)) as blaming:
        return blaming.answer()


def revisions(repo, path: str, revision: str | None = None) -> list[str | None]:
    return [line.revision for line in blamed(repo, path, revision).lines]


def test_each_line_has_the_commit_that_made_it(repo):
    first = repo.commit("one", {"a": "one\n"})
    second = repo.commit("two", {"a": "one\ntwo\n"})

    assert revisions(repo, "a") == [first, second]
    assert revisions(repo, "a", first) == [first]


def test_what_is_on_disk_counts_whatever_is_staged(repo):
    first = repo.commit("one", {"a": "one\n"})
    repo.write("a", "one\nstaged\n")
    repo.git("add", "a")
    repo.write("a", "one\non disk\n")

    assert revisions(repo, "a") == [first, None]


def test_a_file_larger_than_a_pipe_is_read_whole(repo):
    text = "".join(f"line {at} of a file that no pipe holds at once\n" for at in range(20_000))
    first = repo.commit("large", {"a": text})
    repo.write("a", text + "more\n")

    assert revisions(repo, "a") == [first] * 20_000 + [None]


def test_white_space_is_nobodys_commit(repo):
    first = repo.commit("one", {"a": "if x:\n  go()\n"})
    repo.commit("formatted", {"a": "if x:\r\n\tgo( )\r\n"})

    assert revisions(repo, "a") == [first, first]


def test_lines_are_followed_through_renames(repo):
    first = repo.commit("one", {"old": "alpha\nbeta\ngamma\n"})
    repo.git("mv", "old", "new name")
    second = repo.commit("moved", {"new name": "alpha\nbeta\ngamma\ndelta\n"})

    answer = blamed(repo, "new name")
    assert [line.revision for line in answer.lines] == [first, first, first, second]
    assert [line.filename for line in answer.lines] == ["old", "old", "old", "new name"]
    assert answer.lines[3].previous == (first, "old")


def test_a_rename_that_is_staged_is_followed(repo):
    first = repo.commit("one", {"old": "alpha\nbeta\n"})
    repo.git("mv", "old", "new")

    assert revisions(repo, "new") == [first, first]


@pytest.mark.parametrize("tracked", [False, True], ids=["untracked", "added"])
def test_a_file_without_a_commit(tracked, repo):
    repo.commit("one", {"other": "x\n"})
    repo.write("a", "one\ntwo")
    if tracked:
        repo.git("add", "a")

    assert revisions(repo, "a") == [None, None]


def test_a_repository_without_a_commit(repo):
    repo.write("a", "one\n")

    assert revisions(repo, "a") == [None]


def test_a_folder_without_git(tmp_path):
    (tmp_path / ".orchestration").mkdir()
    (tmp_path / "a").write_text("one\n")
    repository = find(str(tmp_path))

    with closing(Blaming(repository, in_worktree(repository, "a"))) as blaming:
        assert [line.revision for line in blaming.answer().lines] == [None]


def test_commits_carry_their_headers_as_git_prints_them(repo):
    repo.write("a", "one\n")
    repo.git("add", "a")
    author = "Añá \\ odd <a@example.org>"
    repo.git("-c", "i18n.commitEncoding=utf-8", "commit", "-q", "-m", "subject: 100 %\n\nbody", "--author", author)

    [commit] = blamed(repo, "a").commits.values()
    assert "summary subject: 100 %" in commit.headers
    assert "author-mail <a@example.org>" in commit.headers
    assert (commit.author, commit.cut) == ("Añá \\ odd", False)


def test_other_names_of_people_are_honoured(repo):
    repo.commit("one", {"a": "one\n", ".mailmap": "Proper Name <author@example.org>\n"})

    [commit] = blamed(repo, "a").commits.values()
    assert commit.author == "Proper Name"


def test_objects_are_found_by_name_and_by_id(repo):
    revision = repo.commit("one", {"with space": b"\0bytes\n"})
    blob = repo.git("rev-parse", "HEAD:with space")

    with closing(Objects(find(str(repo.path)))) as objects:
        assert objects.read(f"{revision}:with space") == b"\0bytes\n"
        assert objects.read(blob) == b"\0bytes\n"
        assert objects.read(f"{revision}:missing") is None
        assert objects.read("0" * 40) is None
        assert objects.read(f"{revision}:new\nline") is None
        assert objects.read(blob) == b"\0bytes\n"
        assert (objects.read(revision) or b"").startswith(b"tree ")


def test_nothing_is_started_for_objects_nobody_asks_for(repo, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")

    Objects(find(str(repo.path))).close()


def test_variables_of_another_git_do_not_reach_ours(repo, monkeypatch, tmp_path):
    first = repo.commit("one", {"a": "one\n"})
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))

    assert revisions(repo, "a", first) == [first]


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("a.py", "a.py"),
        ("./dir/../a.py", "a.py"),
        ("dir//a.py", "dir/a.py"),
        ("link/a.py", "dir/a.py"),
        ("gone/a.py", "gone/a.py"),
    ],
)
def test_a_path_is_found_as_a_person_typed_it(typed, stored, repo):
    (repo.path / "dir").mkdir()
    (repo.path / "link").symlink_to("dir")

    assert locate(find(str(repo.path)), str(repo.path), typed) == stored
    assert locate(find(str(repo.path)), str(repo.path), str(repo.path / typed)) == stored


def test_a_path_that_is_not_utf8_is_stored_as_git_prints_it(repo):
    name = os.fsdecode(b"caf\xe9.py")
    repo.commit("one", {name: "one\n"})

    path = locate(find(str(repo.path)), str(repo.path), name)
    assert path == stored_path(name)
    assert at_revision(find(str(repo.path)), path, "HEAD").content == b"one\n"


def test_a_revision_may_be_spelled_in_any_way(repo):
    first = repo.commit("one", {"a": "one\n"})
    repo.commit("two", {"a": "two\n"})
    repo.git("tag", "-a", "v1", "-m", "tagged", first)
    repository = find(str(repo.path))

    for spelled in (first, first[:8], "v1", "HEAD~1", "main^"):
        assert at_revision(repository, "a", spelled) == Target("a", b"one\n", first, first)


def test_a_fifo_is_no_file_and_nothing_waits_for_it(repo):
    os.mkfifo(repo.path / "pipe")

    with pytest.raises(TargetError, match="not a regular file"):
        in_worktree(find(str(repo.path)), "pipe")


@pytest.mark.parametrize(
    "trailer",
    [
        "Co-Authored-By: Claude Opus 4.5 <noreply@anthropic.com>",
        "co-authored-by: copilot-swe-agent[bot] <198982749+Copilot@users.noreply.github.com>",
        "Co-authored-by: aider (some-model) <noreply@aider.chat>",
        "Co-authored-by: Devin AI <158243242+devin-ai-integration[bot]@users.noreply.github.com>",
        "Co-authored-by: gemini-code-assist[bot] <176961590+gemini-code-assist[bot]@users.noreply.github.com>",
        "Assisted-by: GitHub Copilot",
        "Generated-by: Codex CLI",
        "Claude-Session: 0c1d",
    ],
)
def test_trailers_that_agents_leave(trailer):
    assert shows_agent(f"author A <a@example.org> 1 +0000\n\nfix\n\n{trailer}\n".encode())


@pytest.mark.parametrize(
    "message",
    [
        "explain how Claude and Copilot differ",
        "fix\n\nCo-authored-by: Claude Monet <claude@example.org>",
        "fix\n\nCo-authored-by: Gemini Ganesan <gg@example.org>",
        "fix\n\nSigned-off-by: Amp Ere <amp@example.org>",
        "note: cursor",
        "fix\n\nReviewed-by: copilot",
    ],
)
def test_words_that_are_no_sign(message):
    assert not shows_agent(f"author A <a@example.org> 1 +0000\n\n{message}\n".encode())
