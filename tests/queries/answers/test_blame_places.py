"""`linetrail blame` of the files and repositories that people really have."""

import os
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.usefixtures("uncommitted_ledger")


# Files as they are


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        "with space.py",
        'quo"te.py',
        "it's.py",
        "tab\there.py",
        "back\\slash.py",
        "größe/日本.py",
        "-dash.py",
        ":(glob)*.py",
        "new\nline.py",
        pytest.param(os.fsdecode(b"latin-\xe9.py"), id="not UTF-8"),
    ],
)
def test_paths_of_every_kind(path, repo, agent, who):
    repo.commit("start", {path: "one\n"})
    session = agent()
    if path.isprintable():
        session.write(path, "one\ntwo\n")
        assert who(path) == ["human", "session-1"]
        repo.commit()
        assert who(path, "--rev", "HEAD") == ["human", "session-1"]
    else:
        assert who(path) == ["human"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param("one\r\ntwo\r\n", "one\r\nnew\r\ntwo\r\n", "hah", id="CRLF"),
        pytest.param("one\ntwo", "one\ntwo\nnew", "hha", id="no final newline"),
        pytest.param("one\rtwo\n", "one\rtwo\nnew\n", "ha", id="a lone carriage return is no line end"),
        pytest.param("one\x0ctwo\n", "one\x0ctwo\nnew\n", "ha", id="a form feed is no line end"),
        pytest.param("\n\n", "\nnew\n\n", "hah", id="blank lines"),
        pytest.param(b"caf\xe9\n", b"caf\xe9\nnew\n", "ha", id="not UTF-8"),
        pytest.param("\N{ZERO WIDTH NO-BREAK SPACE}one\n", "\N{ZERO WIDTH NO-BREAK SPACE}one\nnew\n", "ha", id="BOM"),
    ],
)
def test_contents_of_every_kind(before, after, expected, repo, agent, cli):
    repo.commit("start", {"a.txt": before})
    session = agent()
    with session.tool("Write", {"file_path": str(repo.path / "a.txt"), "content": "as on disk"}, {}):
        repo.write("a.txt", after)

    kinds = "".join(row["contributor_type"][0] for row in cli("blame", "a.txt", "--json").rows)
    assert kinds == expected


@pytest.mark.slow
def test_the_text_of_a_row_has_no_line_end(repo, agent, cli):
    agent().write("a.txt", "one\r\ntwo")

    assert [row["text"] for row in cli("blame", "a.txt", "--json").rows] == ["one", "two"]


@pytest.mark.slow
def test_an_empty_file_has_no_rows(repo, agent, cli):
    repo.commit("start", {"empty": ""})
    agent()

    assert cli("blame", "empty", "--json").rows == []
    assert cli("blame", "empty", "--porcelain").out == ""


def refusal(cli: Callable[..., Any], *args: str) -> str:
    answer = cli("blame", *args)
    assert answer.status == 2, answer
    assert answer.out == ""
    assert "next: " in answer.err
    return str(answer.err)


@pytest.mark.slow
def test_what_has_no_lines_is_refused_with_words(repo, agent, cli, tmp_path):
    repo.commit("start", {"data.bin": b"\0\1\2", "dir/a.py": "one\n"})
    (repo.path / "link.py").symlink_to("dir/a.py")
    repo.commit()
    agent()

    assert "data.bin is binary" in refusal(cli, "data.bin")
    assert cli("log", "--path", "data.bin").status == 0
    assert "next: linetrail log --path data.bin\n" in refusal(cli, "data.bin")
    assert "data.bin is binary" in refusal(cli, "data.bin", "--rev", "HEAD")
    assert "link.py is a symbolic link to dir/a.py" in refusal(cli, "link.py")
    assert "link.py is a symbolic link" in refusal(cli, "link.py", "--rev", "HEAD")
    assert "dir is a folder" in cli("why", "dir:1").err
    assert "dir is a folder" in cli("why", "dir:1", "--rev", "HEAD").err
    assert "no file nothing.py" in refusal(cli, "nothing.py")
    assert "no file nothing.py in HEAD" in refusal(cli, "nothing.py", "--rev", "HEAD")
    assert "no revision nowhere" in refusal(cli, "dir/a.py", "--rev", "nowhere")
    assert "no revision --all" in refusal(cli, "dir/a.py", "--rev=--all")


def test_the_hint_for_a_missing_file_works_where_one_stands(repo, agent, cli, tmp_path):
    repo.commit("start", {"dir/it is.py": "one\n", "dir/b.py": "two\n", "other/c.py": "three\n"})
    agent()
    (repo.path / "dir" / "it is.py").unlink()
    told = "next: linetrail blame --rev HEAD"

    assert f"{told} 'dir/it is.py'\n" in refusal(cli, "dir/it is.py")
    assert f"{told} 'dir/it is.py'\n" in cli("-C", "dir", "blame", "it is.py").err
    assert f"{told} 'it is.py'\n" in cli("blame", "it is.py", cwd=repo.path / "dir").err
    assert f"{told} '../dir/it is.py'\n" in cli("blame", "../dir/it is.py", cwd=repo.path / "other").err
    aside = cli("-C", str(repo.path), "blame", "dir/it is.py", cwd=tmp_path)
    assert f"next: linetrail -C {repo.path} blame --rev HEAD 'dir/it is.py'\n" in aside.err


def test_a_file_that_head_lacks_too_is_looked_for_in_the_history(repo, agent, cli):
    repo.commit("start", {"dir/a.py": "one\n"})
    agent()

    assert "next: git log --all -- dir/gone.py\n" in refusal(cli, "dir/gone.py")
    assert "next: git log --all -- gone.py\n" in cli("blame", "gone.py", cwd=repo.path / "dir").err
    assert "next: git log --all -- ../gone.py\n" in cli("blame", "../gone.py", cwd=repo.path / "dir").err


def test_without_a_commit_a_missing_file_has_no_hint(repo, agent, cli):
    agent()

    answer = cli("blame", "gone.py")
    assert answer.status == 2
    assert answer.err == f"error: no file gone.py in {repo.path}\n"


def test_a_file_outside_the_repository_is_refused(repo, agent, cli, tmp_path):
    agent()
    (tmp_path / "outside.py").write_text("one\n")

    answer = cli("blame", "../outside.py")

    assert answer.status == 2
    assert "outside the repository" in answer.err


@pytest.mark.slow
def test_a_folder_that_is_a_link_is_followed(repo, agent, who):
    agent().write("dir/a.py", "one\n")
    (repo.path / "alias").symlink_to("dir")

    assert who("alias/a.py") == ["session-1"]


def test_without_a_ledger_the_way_to_one_is_named(repo, cli):
    repo.commit("start", {"a.py": "one\n"})

    answer = cli("blame", "a.py")

    assert answer.status == 2
    assert "next: linetrail init" in answer.err


# Repositories as they are


@pytest.mark.slow
def test_without_a_commit_every_other_line_is_unknown(repo, agent, who):
    repo.write("a.py", "one\n")
    agent().edit("a.py", "one", "one\ntwo")

    assert who("a.py") == ["unknown", "session-1"]


@pytest.mark.slow
def test_a_detached_head(repo, agent, who):
    repo.commit("start", {"a.py": "one\n"})
    repo.git("checkout", "--quiet", "--detach")
    agent().edit("a.py", "one", "one\ntwo")
    repo.commit()

    assert who("a.py") == ["human", "session-1"]


@pytest.mark.slow
def test_an_untracked_file_beside_commits(repo, agent, who):
    repo.commit("start", {"a.py": "one\n"})
    agent().write("b.py", "one\n")
    repo.write("c.py", "one\n")

    assert who("b.py") == ["session-1"]
    assert who("c.py") == ["unknown"]


@pytest.mark.slow
def test_a_path_below_the_working_directory(repo, agent, cli):
    agent().write("dir/sub/a.py", "one\n")

    assert [row["session_id"] for row in cli("-C", "dir", "blame", "sub/a.py", "--json").rows] == ["session-1"]


@pytest.mark.slow
def test_a_linked_worktree_has_a_ledger_of_its_own(repo, agent, who, tmp_path):
    repo.commit("start", {"a.py": "one\n"})
    agent().edit("a.py", "one", "one\ntwo")
    repo.commit()
    repo.git("worktree", "add", "--quiet", str(tmp_path / "tree"))

    assert who("a.py", cwd=tmp_path / "tree") == ["human", "human"]


@pytest.mark.slow
def test_a_shallow_clone_answers_and_says_that_it_is_one(repo, agent, cli, fresh_clone):
    repo.commit("start", {"a.py": "one\n"})
    repo.commit("more", {"a.py": "one\ntwo\n"})
    agent().edit("a.py", "two", "two\nthree")
    repo.commit()
    clone = fresh_clone("--depth=2")

    answer = cli("blame", "a.py", "--json", cwd=clone)

    assert answer.status == 0
    assert "shallow" in answer.err
    cut, also_cut, seen = answer.rows
    assert [row["contributor_type"] for row in answer.rows] == ["human", "human", "ai"]
    assert cut["confidence"] == also_cut["confidence"] < 0.5 < seen["confidence"]


def test_a_submodule_is_another_repository(repo, agent, cli, tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    git = ["git", "-c", "protocol.file.allow=always"]
    subprocess.run([*git, "init", "-q", str(inner)], check=True)
    (inner / "a.py").write_text("one\n")
    subprocess.run([*git, "-C", str(inner), "add", "."], check=True)
    subprocess.run([*git, "-C", str(inner), "commit", "-qm", "x"], check=True)
    subprocess.run([*git, "-C", str(repo.path), "submodule", "--quiet", "add", str(inner), "sub"], check=True)
    repo.commit()
    agent()

    assert "sub is a submodule" in refusal(cli, "sub")
    assert "sub is a submodule in HEAD" in refusal(cli, "sub", "--rev", "HEAD")
    assert "belongs to another repository" in refusal(cli, "sub/a.py")


@pytest.mark.slow
def test_a_renamed_file_keeps_its_authors(repo, agent, who):
    agent().write("old.py", "alpha\nbeta\ngamma\n")
    repo.commit()
    repo.git("mv", "old.py", "new.py")
    assert who("new.py") == ["session-1"] * 3

    repo.commit()

    assert who("new.py") == ["session-1"] * 3


@pytest.mark.slow
def test_a_file_renamed_before_its_first_commit_keeps_its_authors(repo, agent, who):
    repo.commit("start", {"README": "x\n"})
    agent().write("old.py", "alpha\nbeta\ngamma\n")
    (repo.path / "old.py").rename(repo.path / "new.py")
    repo.commit()

    assert who("new.py") == ["session-1"] * 3


@pytest.mark.slow
def test_a_file_renamed_by_an_agent_keeps_its_authors(repo, agent, who):
    repo.commit("start", {"old.py": "alpha\nbeta\ngamma\n"})
    agent("session-1").edit("old.py", "beta", "beta\nagent")
    repo.commit()
    agent("session-2").bash("git mv old.py new.py && git commit -qm moved")

    assert who("new.py") == ["human", "human", "session-1", "human"]


@pytest.mark.slow
def test_a_copy_of_what_a_person_wrote_does_not_make_the_original_the_agents(repo, agent, who):
    text = "alpha\nbeta\ngamma\ndelta\n"
    repo.commit("start", {"original.py": text})
    agent().write("copy.py", text)
    repo.commit()

    assert who("original.py") == ["human"] * 4


@pytest.mark.slow
def test_a_clean_filter_that_changes_lines_is_no_trouble(repo, agent, who):
    repo.git("config", "filter.half.clean", "head -n 1")
    repo.commit("start", {".gitattributes": "*.txt filter=half\n", "a.txt": "one\ntwo\n"})
    agent().write("a.txt", "one\ntwo\nthree\n")

    assert who("a.txt")[-1] == "session-1"


@pytest.mark.slow
def test_autocrlf_is_no_trouble(repo, agent, who):
    repo.git("config", "core.autocrlf", "true")
    repo.commit("start", {"a.txt": "one\r\ntwo\r\n"})
    session = agent()
    with session.tool("Write", {"file_path": str(repo.path / "a.txt"), "content": ""}, {}):
        repo.write("a.txt", "one\r\nnew\r\ntwo\r\n")
    repo.commit()

    assert who("a.txt") == ["human", "session-1", "human"]
    assert who("a.txt", "--rev", "HEAD") == ["human", "session-1", "human"]


@pytest.mark.slow
def test_a_persons_own_settings_of_git_blame_change_nothing(repo, agent, who):
    first = repo.commit("start", {"a.py": "one\n"})
    repo.write("ignored", f"{first}\n")
    for setting in ("blame.ignoreRevsFile=ignored", "blame.markUnblamableLines=true", "blame.showEmail=true"):
        repo.git("config", *setting.split("="))
    agent()

    assert who("a.py") == ["human"]
