"""`linetrail blame` as people and tools call it: real hooks, real git, the files that real repositories have."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from linetrail.queries.line_ranges import chosen

FIELDS = {
    *("line_no", "text", "contributor_type", "mixed", "agent_name", "model_id", "session_id", "intent_id", "event_id"),
    *("tool_call_id", "written_at", "vcs_revision", "author", "origin_event_id", "evidence", "confidence"),
}


@pytest.fixture
def who(cli: Callable[..., Any]) -> Callable[..., list[str]]:
    """Return a function that blames a file and names, for each line, the session or the kind of its author."""

    def ask(path: str, *options: str, cwd: Path | None = None) -> list[str]:
        answer = cli("blame", "--json", *options, "--", path, cwd=cwd)
        assert answer.status == 0, answer.err
        return [row["session_id"] or row["contributor_type"] for row in answer.rows]

    return ask


@pytest.fixture(autouse=True)
def _ledger_is_not_committed(repo):
    (repo.path / ".git" / "info" / "exclude").write_text(".orchestration/\n")


def test_each_row_has_the_fields_of_the_contract(repo, agent, cli):
    first = repo.commit("start", {"a.py": "one\ntwo\n"})
    agent().edit("a.py", "two", "two\nthree")

    answer = cli("blame", "a.py", "--json")

    assert json.loads(answer.out)["schema_version"] == 1
    known, _, written = answer.rows
    assert set(known) >= FIELDS
    [event] = repo.events("mutation.observed")
    assert (
        known
        | {
            "line_no": 1,
            "text": "one",
            "contributor_type": "human",
            "mixed": False,
            "event_id": None,
            "vcs_revision": first,
            "author": "Author",
            "evidence": "git",
            "written_at": "2026-01-05T09:01:00.000000Z",
        }
        == known
    )
    assert (
        written
        | {
            "line_no": 3,
            "text": "three",
            "contributor_type": "ai",
            "agent_name": "claude-code",
            "model_id": "anthropic/claude-model-x",
            "session_id": "session-1",
            "tool_call_id": "toolu_session-1_1",
            "event_id": event.id,
            "origin_event_id": event.id,
            "written_at": event.timestamp,
            "vcs_revision": None,
            "author": None,
            "evidence": "observed",
            "confidence": 1.0,
        }
        == written
    )
    assert known["confidence"] < written["confidence"]


def test_a_committed_agent_line_names_its_commit_and_committer(repo, agent, cli):
    agent().write("a.py", "one\n")
    revision = repo.commit()

    [row] = cli("blame", "a.py", "--json").rows
    assert (row["contributor_type"], row["vcs_revision"], row["author"]) == ("ai", revision, "Author")


def test_lines_nobody_recorded_are_presumed_human_once_committed(repo, agent, who):
    agent()
    repo.write("a.py", "one\n")
    assert who("a.py") == ["unknown"]

    repo.commit()

    assert who("a.py") == ["human"]


@pytest.mark.parametrize(
    "message",
    [
        pytest.param("fix\n\nCo-Authored-By: Claude <noreply@anthropic.com>", id="Claude"),
        pytest.param("fix\n\nCo-authored-by: Copilot <198982749+Copilot@users.noreply.github.com>", id="Copilot"),
        pytest.param("fix\n\nCo-authored-by: Cursor <cursoragent@cursor.com>", id="Cursor"),
        pytest.param("fix\n\nCo-authored-by: Codex <codex@openai.com>", id="Codex"),
        pytest.param("fix\n\nAssisted-by: Gemini CLI", id="Gemini"),
        pytest.param("fix\n\nEntire-Checkpoint: 0123456789ab", id="a checkpoint of a session"),
        pytest.param("fix\n\nGenerated with [Claude Code](https://claude.com/claude-code)", id="generated with"),
    ],
)
def test_lines_of_a_commit_with_signs_of_an_unrecorded_agent_are_unknown(message, repo, agent, cli):
    agent()
    repo.commit(message, {"a.py": "one\n"})

    [row] = cli("blame", "a.py", "--json").rows
    assert (row["contributor_type"], row["evidence"], row["author"]) == ("unknown", "git", "Author")


def test_a_bot_is_a_sign_of_an_agent(repo, agent, who):
    agent()
    repo.write("a.py", "one\n")
    repo.git("add", "a.py")
    repo.git("-c", "user.name=devin[bot]", "commit", "-q", "-m", "x", "--author", "devin[bot] <devin[bot]@example.org>")

    assert who("a.py") == ["unknown"]


def test_people_may_have_the_name_of_an_agent(repo, agent, who):
    agent()
    repo.write("a.py", "one\n")
    repo.git("add", "a.py")
    message = "fix\n\nCo-authored-by: Devin Marsh <devin@example.org>"
    repo.git("commit", "-q", "-m", message, "--author", "Claude Roy <claude@example.org>")

    assert who("a.py") == ["human"]


def test_other_lines_of_a_recorded_agents_commit_are_presumed_human(repo, agent, who):
    agent().write("a.py", "agent\n")
    repo.write("a.py", "agent\nperson\n")
    repo.commit("fix\n\nCo-Authored-By: Claude <noreply@anthropic.com>")

    assert who("a.py") == ["session-1", "human"]


def test_a_person_editing_an_agents_line_in_a_later_commit_makes_it_mixed(repo, agent, cli):
    agent().write("a.py", "total = sum(xs)\nmean = total / n\n")
    repo.commit()
    repo.commit("rename", {"a.py": "total = sum(xs)\nmean = total / count\n"})

    rows = cli("blame", "a.py", "--json").rows
    assert [(row["contributor_type"], row["mixed"]) for row in rows] == [("ai", False), ("human", True)]
    assert rows[1]["origin_event_id"] == rows[0]["event_id"]
    assert rows[1]["event_id"] is None


def test_a_person_replacing_an_agents_line_makes_it_their_own(repo, agent, cli):
    agent().write("a.py", "total = sum(xs)\nmean = total / n\n")
    repo.commit()
    repo.commit("other", {"a.py": "total = sum(xs)\nimport os\n"})

    rows = cli("blame", "a.py", "--json").rows
    assert [(row["contributor_type"], row["mixed"]) for row in rows] == [("ai", False), ("human", False)]


# Files too large to be read

MANY = "".join(f"line {at}\n" for at in range(40_001))


def now(repo: Any, seconds: int = 0) -> None:
    """Move the clock of commits to so many seconds from the present, which is when hooks fire."""
    repo.now = int(time.time()) + seconds


def kinds(cli: Callable[..., Any], path: str) -> set[tuple[str, str, float]]:
    """Return the answers that blame gives for any line of a file."""
    rows = cli("blame", "--json", path).rows
    return {(row["contributor_type"], row["evidence"], row["confidence"]) for row in rows}


def test_a_file_too_large_to_be_read_is_its_writers(repo, agent, cli):
    agent().write("a.txt", MANY)
    assert kinds(cli, "a.txt") == {("ai", "observed", 1.0)}

    now(repo)
    repo.commit()

    assert kinds(cli, "a.txt") == {("ai", "observed", 1.0)}


def test_a_person_changing_an_agents_file_too_large_to_be_read_changes_one_line(repo, agent, cli):
    agent().write("a.txt", MANY)
    now(repo)
    repo.commit()
    repo.commit("later", {"a.txt": MANY + "person\n"})

    rows = cli("blame", "--json", "a.txt").rows
    assert {(row["contributor_type"], row["evidence"]) for row in rows[:-1]} == {("ai", "carried")}
    assert (rows[-1]["contributor_type"], rows[-1]["evidence"]) == ("human", "git")


def test_lines_as_old_as_an_agents_unread_change_are_unknown_and_older_ones_presumed_human(repo, agent, cli):
    now(repo, -1000)
    repo.commit("start", {"a.txt": MANY})
    agent().write("a.txt", MANY + "agent\n")
    rows = cli("blame", "--json", "a.txt").rows
    assert (rows[0]["contributor_type"], rows[0]["evidence"], rows[0]["confidence"]) == ("human", "git", 0.5)
    assert (rows[-1]["contributor_type"], rows[-1]["evidence"], rows[-1]["confidence"]) == ("unknown", "none", 0)

    now(repo)
    repo.commit()

    rows = cli("blame", "--json", "a.txt").rows
    assert (rows[0]["contributor_type"], rows[0]["evidence"], rows[0]["confidence"]) == ("human", "git", 0.5)
    assert (rows[-1]["contributor_type"], rows[-1]["evidence"], rows[-1]["confidence"]) == ("unknown", "git", 0)


def test_a_file_that_is_no_longer_too_large_is_followed_again(repo, agent, who):
    now(repo, -1000)
    repo.commit("start", {"a.txt": MANY})
    session = agent()
    session.write("a.txt", "agent\nline 7\n")
    session.edit("a.txt", "line 7", "line 7\nread")
    now(repo)
    repo.commit()

    assert who("a.txt") == ["unknown", "human", "session-1"]


# Revisions and ranges


def test_rev_answers_for_the_file_as_the_commit_has_it(repo, agent, who):
    repo.commit("start", {"a.py": "one\n"})
    agent("session-1").edit("a.py", "one", "one\ntwo")
    second = repo.commit()
    agent("session-2").edit("a.py", "two", "three")
    repo.commit()

    assert who("a.py", "--rev", second) == ["human", "session-1"]
    assert who("a.py", "--rev", "HEAD") == ["human", "session-2"]
    assert who("a.py", "--rev", "HEAD~2") == ["human"]


def test_rev_answers_for_a_file_that_is_gone(repo, agent, who):
    agent().write("old/a.py", "one\n")
    repo.commit()
    shutil.rmtree(repo.path / "old")
    repo.commit()

    assert who("old/a.py", "--rev", "HEAD~1") == ["session-1"]


def test_rev_finds_a_file_by_the_name_it_has_now(repo, agent, cli):
    agent().write("old name.py", "alpha\nbeta\ngamma\n")
    repo.commit()
    repo.git("mv", "old name.py", "middle.py")
    repo.commit()
    repo.git("mv", "middle.py", "new.py")
    repo.commit()

    document = json.loads(cli("blame", "new.py", "--rev", "HEAD~2", "--json").out)
    assert document["meta"]["path"] == "old name.py"
    assert [row["session_id"] for row in document["rows"]] == ["session-1"] * 3


@pytest.mark.parametrize(
    ("ranges", "lines"),
    [
        pytest.param(["2,3"], [2, 3], id="from, to"),
        pytest.param(["2,+2"], [2, 3], id="from, how many"),
        pytest.param(["3,-2"], [2, 3], id="backwards"),
        pytest.param([",2"], [1, 2], id="up to"),
        pytest.param(["4,"], [4, 5], id="from"),
        pytest.param(["4"], [4, 5], id="from, as git reads one number"),
        pytest.param(["4,99"], [4, 5], id="beyond the end"),
        pytest.param(["3,2"], [2, 3], id="the wrong way round"),
        pytest.param(["1,1", "5,5", "1,2"], [1, 2, 5], id="several"),
        pytest.param(None, [1, 2, 3, 4, 5], id="none"),
    ],
)
def test_ranges_mean_what_they_mean_to_git(ranges, lines):
    assert chosen(ranges, 5, "a.py") == lines


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param("6,9", "has only 2 lines", id="behind the end"),
        pytest.param("0,2", "counted from 1", id="zero"),
        pytest.param(":main", "functions", id="function"),
        pytest.param("/def/", "patterns", id="pattern"),
        pytest.param("a,b", "not a range", id="letters"),
        pytest.param("", "not a range", id="nothing"),
    ],
)
def test_a_range_that_means_nothing_is_refused(text, complaint, repo, agent, cli):
    agent().write("a.py", "one\ntwo\n")

    answer = cli("blame", "a.py", "-L", text)

    assert (answer.status, answer.out) == (2, "")
    assert complaint in answer.err


def test_a_range_keeps_the_numbers_of_the_file(repo, agent, cli):
    agent().write("a.py", "one\ntwo\nthree\n")

    assert [row["line_no"] for row in cli("blame", "a.py", "-L", "2,3", "--json").rows] == [2, 3]


# Files as they are


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


def test_the_text_of_a_row_has_no_line_end(repo, agent, cli):
    agent().write("a.txt", "one\r\ntwo")

    assert [row["text"] for row in cli("blame", "a.txt", "--json").rows] == ["one", "two"]


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
    assert "dir is a folder" in refusal(cli, "dir")
    assert "dir is a folder" in refusal(cli, "dir", "--rev", "HEAD")
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


def test_without_a_commit_every_other_line_is_unknown(repo, agent, who):
    repo.write("a.py", "one\n")
    agent().edit("a.py", "one", "one\ntwo")

    assert who("a.py") == ["unknown", "session-1"]


def test_a_detached_head(repo, agent, who):
    repo.commit("start", {"a.py": "one\n"})
    repo.git("checkout", "--quiet", "--detach")
    agent().edit("a.py", "one", "one\ntwo")
    repo.commit()

    assert who("a.py") == ["human", "session-1"]


def test_an_untracked_file_beside_commits(repo, agent, who):
    repo.commit("start", {"a.py": "one\n"})
    agent().write("b.py", "one\n")
    repo.write("c.py", "one\n")

    assert who("b.py") == ["session-1"]
    assert who("c.py") == ["unknown"]


def test_a_path_below_the_working_directory(repo, agent, cli):
    agent().write("dir/sub/a.py", "one\n")

    assert [row["session_id"] for row in cli("-C", "dir", "blame", "sub/a.py", "--json").rows] == ["session-1"]


def test_a_linked_worktree_has_a_ledger_of_its_own(repo, agent, who, tmp_path):
    repo.commit("start", {"a.py": "one\n"})
    agent().edit("a.py", "one", "one\ntwo")
    repo.commit()
    repo.git("worktree", "add", "--quiet", str(tmp_path / "tree"))

    assert who("a.py", cwd=tmp_path / "tree") == ["human", "human"]


def test_a_shallow_clone_answers_and_says_that_it_is_one(repo, agent, cli, tmp_path):
    repo.commit("start", {"a.py": "one\n"})
    repo.commit("more", {"a.py": "one\ntwo\n"})
    agent().edit("a.py", "two", "two\nthree")
    repo.commit()
    clone = fresh_clone(repo, tmp_path, "--depth=2")

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


def test_a_renamed_file_keeps_its_authors(repo, agent, who):
    agent().write("old.py", "alpha\nbeta\ngamma\n")
    repo.commit()
    repo.git("mv", "old.py", "new.py")
    assert who("new.py") == ["session-1"] * 3

    repo.commit()

    assert who("new.py") == ["session-1"] * 3


def test_a_file_renamed_before_its_first_commit_keeps_its_authors(repo, agent, who):
    repo.commit("start", {"README": "x\n"})
    agent().write("old.py", "alpha\nbeta\ngamma\n")
    (repo.path / "old.py").rename(repo.path / "new.py")
    repo.commit()

    assert who("new.py") == ["session-1"] * 3


def test_a_file_renamed_by_an_agent_keeps_its_authors(repo, agent, who):
    repo.commit("start", {"old.py": "alpha\nbeta\ngamma\n"})
    agent("session-1").edit("old.py", "beta", "beta\nagent")
    repo.commit()
    agent("session-2").bash("git mv old.py new.py && git commit -qm moved")

    assert who("new.py") == ["human", "human", "session-1", "human"]


def test_a_copy_of_what_a_person_wrote_does_not_make_the_original_the_agents(repo, agent, who):
    text = "alpha\nbeta\ngamma\ndelta\n"
    repo.commit("start", {"original.py": text})
    agent().write("copy.py", text)
    repo.commit()

    assert who("original.py") == ["human"] * 4


def test_a_clean_filter_that_changes_lines_is_no_trouble(repo, agent, who):
    repo.git("config", "filter.half.clean", "head -n 1")
    repo.commit("start", {".gitattributes": "*.txt filter=half\n", "a.txt": "one\ntwo\n"})
    agent().write("a.txt", "one\ntwo\nthree\n")

    assert who("a.txt")[-1] == "session-1"


def test_autocrlf_is_no_trouble(repo, agent, who):
    repo.git("config", "core.autocrlf", "true")
    repo.commit("start", {"a.txt": "one\r\ntwo\r\n"})
    session = agent()
    with session.tool("Write", {"file_path": str(repo.path / "a.txt"), "content": ""}, {}):
        repo.write("a.txt", "one\r\nnew\r\ntwo\r\n")
    repo.commit()

    assert who("a.txt") == ["human", "session-1", "human"]
    assert who("a.txt", "--rev", "HEAD") == ["human", "session-1", "human"]


def test_a_persons_own_settings_of_git_blame_change_nothing(repo, agent, who):
    first = repo.commit("start", {"a.py": "one\n"})
    repo.write("ignored", f"{first}\n")
    for setting in ("blame.ignoreRevsFile=ignored", "blame.markUnblamableLines=true", "blame.showEmail=true"):
        repo.git("config", *setting.split("="))
    agent()

    assert who("a.py") == ["human"]


# What is remembered


def fresh_clone(repo: Any, tmp_path: Path, *options: str) -> Path:
    """Clone the repository and bring its ledger along, as a colleague would have them."""
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", *options, f"file://{repo.path}", str(clone)], check=True)
    (clone / ".orchestration").mkdir()
    shutil.copy(repo.path / ".orchestration" / "agent_trace.jsonl", clone / ".orchestration")
    return clone


def test_a_fresh_clone_gives_the_same_answer(repo, agent, cli, tmp_path):
    repo.commit("start", {"a.py": "alpha\nbeta\n"})
    agent("session-1").edit("a.py", "beta", "beta\nagent one")
    repo.write("a.py", "person\nalpha\nbeta\nagent one\n")
    agent("session-2").edit("a.py", "beta", "beta changed")
    repo.commit()
    here = cli("blame", "a.py", "--json").out
    for name in ("objects", "state", "cache"):
        shutil.rmtree(repo.path / ".orchestration" / name)

    assert cli("blame", "a.py", "--json").out == here
    assert cli("blame", "a.py", "--json", cwd=fresh_clone(repo, tmp_path)).out == here


@pytest.mark.parametrize("form", ["--json", "--porcelain", "--line-porcelain"])
def test_a_remembered_answer_is_the_answer(form, repo, agent, cli):
    repo.commit("start", {"a.py": "alpha\nbeta\n"})
    agent().edit("a.py", "beta", "beta\nagent")
    repo.commit()

    assert cli("blame", "a.py", form).out == cli("blame", "a.py", form).out
    assert len(list((repo.path / ".orchestration" / "cache" / "blame").iterdir())) == 1


def test_asking_again_loads_no_database_and_starts_no_process(repo, agent, cli, linetrail):
    repo.commit("start", {"a.py": "alpha\nbeta\n"})
    agent().edit("a.py", "beta", "beta\nagent")
    cli("blame", "a.py")

    warm = linetrail("blame", "a.py", env={"PYTHONPROFILEIMPORTTIME": "1", "PATH": "/nonexistent"})

    assert warm.returncode == 0
    assert "linetrail.projections.lines" in warm.stderr
    assert "duckdb" not in warm.stderr


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda _, session: session.edit("a.py", "beta", "gamma"), id="an edit"),
        pytest.param(lambda repo, _: repo.commit(), id="a commit"),
        pytest.param(lambda repo, _: repo.git("mv", "a.py", "b.py"), id="a staged rename"),
    ],
)
def test_whatever_an_answer_follows_from_makes_a_new_one(change, repo, agent, cli):
    repo.commit("start", {"a.py": "alpha\nbeta\ngone\n"})
    session = agent()
    session.edit("a.py", "gone", "new")
    before = cli("blame", "a.py", "--json").out
    change(repo, session)
    path = "b.py" if (repo.path / "b.py").exists() else "a.py"
    warm = cli("blame", path, "--json").out
    shutil.rmtree(repo.path / ".orchestration" / "cache")

    assert cli("blame", path, "--json").out == warm
    assert warm != before


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"{", id="cut off"),
        pytest.param(b"[]", id="something else"),
        pytest.param(b'{"attributions": [], "places": [], "commits": [], "lines": [[0, 0, 1]]}', id="parts missing"),
    ],
)
def test_a_damaged_memory_is_forgotten(damage, repo, agent, cli):
    agent().write("a.py", "one\n")
    here = cli("blame", "a.py", "--json").out
    [file] = (repo.path / ".orchestration" / "cache" / "blame").iterdir()
    file.write_bytes(damage)

    assert cli("blame", "a.py", "--json").out == here


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_ledger_that_cannot_be_written_is_read_all_the_same(repo, agent, who):
    agent().write("a.py", "one\n")
    shutil.rmtree(repo.path / ".orchestration" / "cache", ignore_errors=True)
    folder = repo.path / ".orchestration"
    folder.chmod(0o500)
    try:
        assert who("a.py") == ["session-1"]
    finally:
        folder.chmod(0o700)


def test_a_cache_that_cannot_be_made_is_no_error(repo, agent, who):
    agent().write("a.py", "one\n")
    shutil.rmtree(repo.path / ".orchestration" / "cache", ignore_errors=True)
    (repo.path / ".orchestration" / "cache").write_text("a file where a folder should be")

    assert who("a.py") == ["session-1"]


# For people and for tools


def test_the_page_for_people(repo, agent, cli):
    first = repo.commit("start", {"a.py": "total = 1\nkeep\n"})
    agent().edit("a.py", "total = 1", "total = 2\nnew")
    repo.write("a.py", (repo.path / "a.py").read_text() + "late\n")

    day = repo.events("mutation.observed")[0].timestamp[:10]
    assert cli("blame", "a.py").out.splitlines() == [
        f"   claude-code  session-  {day}  ~    1) total = 2",
        f"   claude-code  session-  {day}       2) new",
        f"-  (Author)     {first[:8]}  2026-01-05       3) keep",
        "?  unknown                                 4) late",
        "2 of 4 lines by agents, 1 mixed, 1 human (1 presumed), 1 unknown | 75% known | linetrail why a.py:1",
    ]


def test_the_page_names_the_command_that_tells_more(repo, agent, cli):
    agent().write("it is.py", "one\n")
    repo.commit()

    page = cli("blame", "it is.py", "--rev", "HEAD").out
    assert page.endswith("| linetrail why 'it is.py:1' --rev HEAD\n")


def test_the_command_that_tells_more_works_where_one_stands(repo, agent, cli):
    agent().write("dir/a.py", "one\n")

    assert cli("blame", "a.py", cwd=repo.path / "dir").out.endswith("| linetrail why a.py:1\n")
    assert cli("-C", "dir", "blame", "a.py").out.endswith("| linetrail -C dir why a.py:1\n")


def test_a_ledger_without_an_event_is_warned_of(repo, agent, cli):
    repo.commit("start", {"a.py": "one\n"})
    repo.start_ledger()
    empty = cli("blame", "a.py")
    agent()

    assert empty.status == 0
    assert empty.err == (
        "warning: nothing is recorded in this worktree yet, so git alone speaks (linetrail import claude-code)\n"
    )
    assert cli("blame", "a.py").err == ""


def test_what_steers_a_terminal_is_not_shown(repo, agent, cli):
    agent().write("a.txt", "\x1b[31mred\tand\x07\n")

    assert "\x1b" not in cli("blame", "a.txt").out
    assert cli("blame", "a.txt", "--json").rows[0]["text"] == "\x1b[31mred\tand\x07"


def test_no_colour_where_nobody_sees_it(repo, agent, linetrail):
    agent().write("a.py", "one\n")

    assert "\033[" not in linetrail("blame", "a.py").stdout


def parsed(output: str) -> list[dict[str, str]]:
    """Read porcelain as the tools do: a heading, headers, and the line behind a tab."""
    lines: list[dict[str, str]] = []
    commits: dict[str, dict[str, str]] = {}
    for block in re.findall(r"((?:[^\t].*\n)+)\t(.*)\n", output):
        heading, *headers = block[0].splitlines()
        sha, place = heading.split(" ", 1)
        told = dict(header.partition(" ")[::2] for header in headers)
        commit = commits.setdefault(sha, {})
        commit |= {key: value for key, value in told.items() if not key.startswith("linetrail-")}
        lines.append(commit | told | {"sha": sha, "place": place, "text": block[1]})
    return lines


@pytest.mark.parametrize("form", ["--porcelain", "--line-porcelain"])
def test_porcelain_reads_as_gits_own_does(form, repo, agent, cli):
    repo.commit("start", {'quo"te.py': "alpha\nbeta\n\tgamma  \n"})
    agent().edit('quo"te.py', "beta", "beta\nagent")
    repo.commit("a subject with  spaces")
    repo.commit("later", {'quo"te.py': "late\n" + (repo.path / 'quo"te.py').read_bytes().decode()})

    ours = cli("blame", 'quo"te.py', form).out

    theirs = parsed(repo.git("blame", form, 'quo"te.py') + "\n")
    assert [{k: v for k, v in line.items() if not k.startswith("linetrail-")} for line in parsed(ours)] == theirs
    assert [line["linetrail-contributor"] for line in parsed(ours)] == ["human", "human", "human", "ai", "human"]
    assert parsed(ours)[3]["linetrail-session"] == "session-1"


def test_porcelain_keeps_the_bytes_of_the_line(repo, agent, linetrail):
    repo.commit("start", {"a.txt": b"caf\xe9\n"})
    agent()

    command = [linetrail("--version").args[0], "blame", "--porcelain", "a.txt"]
    done = subprocess.run(command, cwd=repo.path, capture_output=True, check=True)
    assert done.stdout.endswith(b"\tcaf\xe9\n")
