"""`linetrail diff`: which lines it tells of, who wrote those that came, and whose were those that went."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = [pytest.mark.usefixtures("uncommitted_ledger"), pytest.mark.in_turn]

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
TEN = "".join(f"line number {number}\n" for number in range(1, 11))


@pytest.fixture
def told(cli):
    """Return a function that asks for a difference and returns what happened to each line, in short."""

    def ask(*words, cwd=None):
        answer = cli("diff", "--json", *words, cwd=cwd)
        assert answer.status == 0, answer.err
        return [(row["change"], row["path"], row["line_no"], row["text"]) for row in answer.rows]

    return ask


@pytest.mark.slow
def test_a_changed_line_is_one_deleted_and_one_added_with_all_that_blame_says_of_both(repo, agent, cli):
    first = repo.commit("start", {"a.py": "one\ntwo\nthree\n"})
    agent().edit("a.py", "two", "2")
    [event] = repo.events("mutation.observed")

    answer = cli("diff", "--json")

    deleted, added = answer.rows
    assert deleted["deleted_by"] == {
        "contributor_type": "ai",
        "agent_name": "claude-code",
        "model_id": "anthropic/claude-model-x",
        "session_id": "session-1",
        "intent_id": None,
        "event_id": event.id,
        "tool_call_id": "toolu_session-1_1",
        "deleted_at": event.timestamp,
        "vcs_revision": None,
        "author": None,
        "evidence": "observed",
        "confidence": 1.0,
        "mutation_class": None,
        "overruled": None,
    }
    known = {"change": "deleted", "path": "a.py", "old_path": "a.py", "line_no": 2, "old_line_no": 2, "text": "two"}
    known |= {"contributor_type": "human", "author": "Author", "vcs_revision": first, "evidence": "git"}
    assert deleted | known == deleted
    known = {"change": "added", "path": "a.py", "old_path": "a.py", "line_no": 2, "old_line_no": None, "text": "2"}
    known |= {"contributor_type": "ai", "event_id": event.id, "evidence": "observed", "deleted_by": None}
    assert added | known == added
    assert json.loads(answer.out)["meta"] == {
        "before": first,
        "after": None,
        "totals": {"files": 1, "added": 1, "deleted": 1, "moved": 0, "left_out": []},
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param([], [("added", "c")], id="nothing: HEAD and the work tree"),
        pytest.param(["HEAD~1"], [("added", "b"), ("added", "c")], id="one revision and the work tree"),
        pytest.param(["HEAD~1..HEAD"], [("added", "b")], id="two revisions"),
        pytest.param(["HEAD~1", "HEAD"], [("added", "b")], id="two revisions by themselves"),
        pytest.param(["HEAD~1.."], [("added", "b")], id="up to HEAD"),
        pytest.param(["..HEAD~1"], [("deleted", "b")], id="from HEAD"),
        pytest.param(["side..HEAD"], [("added", "b"), ("deleted", "s")], id="two branches"),
        pytest.param(["side...HEAD"], [("added", "b")], id="since two branches parted"),
        pytest.param(["HEAD..HEAD"], [], id="an empty range"),
        pytest.param(["HEAD^!"], [("added", "b")], id="what one commit changed"),
        pytest.param(["HEAD~1^!"], [("added", "a")], id="what the first commit brought"),
    ],
)
def test_a_range_is_read_as_git_does(repo, agent, cli, words, expected):
    agent()
    repo.commit("start", {"a.py": "a\n"})
    repo.git("switch", "-q", "-c", "side")
    repo.commit("side", {"s.py": "s\n"})
    repo.git("switch", "-q", "main")
    repo.commit("main", {"b.py": "b\n"})
    repo.write("b.py", "b\nc\n")

    answer = cli("diff", "--json", *words)

    assert [(row["change"], row["text"]) for row in answer.rows] == expected


def test_white_space_is_no_difference(repo, agent, told, cli):
    agent()
    repo.commit("start", {"a.py": "if x:\n  one\n\ttwo\n", "b.py": "one\ntwo"})
    repo.write("a.py", "if x:\r\n    one\r\n    two \r\n")
    repo.write("b.py", "one\ntwo\n")

    assert told() == []
    assert "white space" in cli("diff").out


@pytest.mark.slow
def test_crlf_lines_are_told_without_their_ends(repo, agent, told):
    agent()
    repo.commit("start", {"a.txt": b"one\r\ntwo\r\n"})
    repo.write("a.txt", b"one\r\nthree\r\n")

    assert told() == [("deleted", "a.txt", 2, "two"), ("added", "a.txt", 2, "three")]


@pytest.mark.slow
def test_a_block_that_moved_within_a_file_is_neither_deleted_nor_added(repo, agent, cli):
    agent()
    lines = TEN.splitlines(keepends=True)
    repo.commit("start", {"a.py": TEN})
    repo.commit("move", {"a.py": "".join(lines[2:] + lines[:2])})

    answer = cli("diff", "HEAD~1..HEAD", "--json")

    moved = [(row["change"], row["old_line_no"], row["line_no"], row["deleted_by"]) for row in answer.rows]
    assert moved == [("moved", 1, 9, None), ("moved", 2, 10, None)]
    assert [line.split()[-3:] for line in cli("diff", "HEAD~1..HEAD").out.splitlines() if "number 1" in line] == [
        ["<line", "number", "1"],
        [">line", "number", "1"],
    ]


@pytest.mark.slow
def test_a_block_that_moved_to_another_file_says_where_it_was(repo, agent, cli):
    agent()
    lines = TEN.splitlines(keepends=True)
    repo.commit("start", {"a.py": TEN, "b.py": "something else\n"})
    repo.commit("move", {"a.py": "".join(lines[3:]), "b.py": "something else\n" + "".join(lines[:3])})

    rows = cli("diff", "HEAD~1..HEAD", "--json").rows

    assert [(row["change"], row["old_path"], row["old_line_no"], row["path"], row["line_no"]) for row in rows] == [
        ("moved", "a.py", 1, "b.py", 2),
        ("moved", "a.py", 2, "b.py", 3),
        ("moved", "a.py", 3, "b.py", 4),
    ]


@pytest.mark.slow
def test_one_equal_line_in_another_file_did_not_move_there(repo, agent, told):
    agent()
    repo.commit("start", {"a.py": "import os\nimport sys\n", "b.py": "x\n"})
    repo.commit("other", {"a.py": "import sys\n", "b.py": "import os\nx\n"})

    assert told("HEAD~1..HEAD") == [("deleted", "a.py", 1, "import os"), ("added", "b.py", 1, "import os")]


@pytest.mark.slow
def test_a_renamed_file_differs_in_its_changed_lines_alone(repo, agent, cli):
    agent()
    repo.commit("start", {"old/a.py": TEN})
    repo.git("mv", "old", "new")
    repo.commit("rename", {"new/a.py": TEN.replace("number 5\n", "number five\n")})

    rows = cli("diff", "HEAD~1..HEAD", "--json").rows

    assert [(row["change"], row["old_path"], row["path"], row["line_no"]) for row in rows] == [
        ("deleted", "old/a.py", "new/a.py", 5),
        ("added", "old/a.py", "new/a.py", 5),
    ]


def test_a_rename_that_git_was_not_told_of_is_one_too(repo, agent, told):
    agent()
    repo.commit("start", {"a.py": TEN})
    (repo.path / "a.py").rename(repo.path / "b.py")

    assert told() == []


@pytest.mark.slow
def test_new_and_deleted_files_differ_in_every_line(repo, agent, cli):
    agent()
    repo.commit("start", {"gone.py": "one\n", "stays.py": "x\n"})
    (repo.path / "gone.py").unlink()
    repo.commit("other", {"new.py": "something different\n", "empty.py": ""})

    rows = cli("diff", "HEAD~1..HEAD", "--json").rows

    assert [(row["change"], row["old_path"], row["path"]) for row in rows] == [
        ("deleted", "gone.py", "gone.py"),
        ("added", None, "new.py"),
    ]


@pytest.mark.slow
def test_untracked_files_are_part_of_the_work_tree_and_git_does_not_learn_of_them(repo, agent, cli):
    repo.commit("start", {"a.py": "one\n", ".gitignore": "*.log\n"})
    agent().write("sub/new.py", "written by an agent\n")
    repo.write("b.log", "noise\n")
    before = (repo.path / ".git" / "index").read_bytes(), sorted((repo.path / ".git" / "objects").rglob("*"))

    [row] = cli("diff", "--json").rows

    assert (row["path"], row["contributor_type"], row["line_no"]) == ("sub/new.py", "ai", 1)
    after = (repo.path / ".git" / "index").read_bytes(), sorted((repo.path / ".git" / "objects").rglob("*"))
    assert after == before


@pytest.mark.slow
def test_the_ledger_itself_is_left_out_unless_it_is_named(repo, agent, told):
    agent()
    (repo.path / ".git" / "info" / "exclude").unlink()
    repo.commit("start", {".orchestration/active_intents.yaml": "active_intents: []\n", "a.py": "a\n"})
    repo.commit("more", {".orchestration/active_intents.yaml": "active_intents:\n"})

    assert told("HEAD~1..HEAD") == []
    assert len(told("HEAD~1..HEAD", "--", ".orchestration/active_intents.yaml")) == 2


@pytest.mark.slow
def test_what_has_no_lines_is_named_and_not_counted(repo, agent, cli, tmp_path):
    agent()
    repo.commit("start", {"a.bin": b"a\0b", "link": "now a file\n", "a.py": "x\n"})
    repo.write("a.bin", b"a\0c")
    (repo.path / "link").unlink()
    (repo.path / "link").symlink_to("a.py")
    inner = tmp_path / "inner"
    subprocess.run(["git", "init", "-q", inner], check=True)
    subprocess.run(["git", "-C", inner, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "inner")
    (repo.path / ".gitmodules").unlink()
    repo.commit("other")

    answer = cli("diff", "HEAD~1..HEAD", "--json")

    assert [(row["change"], row["text"]) for row in answer.rows] == [("deleted", "now a file")]
    assert json.loads(answer.out)["meta"]["totals"]["left_out"] == [
        ["a.bin", "binary"],
        ["inner", "submodule"],
        ["link", "symlink"],
    ]
    shown = cli("diff", "HEAD~1..HEAD").out
    assert all(f"{word}: its lines are not told" in shown for word in ("binary", "a submodule", "a symbolic link"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sp ace.py", 'quo"te.py', "tab\there.py", "new\nline.py", "ü.py", "b/a.py b"])
def test_any_name_a_file_may_have(repo, agent, told, name):
    agent()
    repo.commit("start", {name: "one\n"})
    repo.commit("other", {name: "two\n"})

    changes = [(change, text) for change, _, _, text in told("HEAD~1..HEAD")]

    assert changes == [("deleted", "one"), ("added", "two")]


@pytest.mark.slow
def test_lines_that_look_like_a_patch_are_lines(repo, agent, told):
    agent()
    repo.commit("start", {"a.diff": "x\n"})
    patch = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n\\ No newline at end of file"
    repo.commit("other", {"a.diff": patch})

    assert [text for change, _, _, text in told("HEAD~1..HEAD") if change == "added"] == patch.split("\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    "setting",
    [
        *("diff.noprefix=true", "diff.mnemonicPrefix=true", "diff.external=false", "diff.renames=false"),
        *("diff.context=9", "diff.interHunkContext=9", "diff.relative=true", "color.ui=always", "diff.submodule=log"),
        *(
            "core.quotepath=true",
            "diff.orderFile=nothing",
            "diff.algorithm=patience",
            "diff.renameLimit=1",
            "log.showSignature=true",
        ),
    ],
)
def test_what_a_person_set_for_their_own_git_changes_nothing(repo, agent, cli, setting):
    agent()
    repo.commit("start", {"ä.py": TEN, "sub/b.py": TEN.replace("line", "word")})
    repo.git("mv", "sub/b.py", "sub/c.py")
    repo.commit(
        "other", {"ä.py": TEN.replace("number 3\n", "number three\n"), "sub/c.py": TEN.replace("line", "word") + "x\n"}
    )
    repo.commit("another", {"sub/c.py": "x\n"})
    expected = cli("diff", "HEAD~2..HEAD")
    repo.git("config", *setting.split("="))

    assert expected.out.count("number three") == 1
    assert cli("-C", "sub", "diff", "HEAD~2..HEAD") == expected


@pytest.mark.slow
def test_paths_choose_files_and_a_rename_stays_one(repo, agent, told):
    agent()
    repo.commit("start", {"one/a.py": TEN, "two/b.py": "b\n", "one.py": "x\n"})
    repo.git("mv", "one/a.py", "two/a.py")
    repo.commit("other", {"two/a.py": TEN + "more\n", "two/b.py": "c\n", "one.py": "y\n"})

    assert {path for _, path, *_ in told("HEAD~1..HEAD", "--", "two")} == {"two/a.py", "two/b.py"}
    assert told("HEAD~1..HEAD", "--", "one") == [("added", "two/a.py", 11, "more")]
    assert told("HEAD~1..HEAD", "--", "a.py", cwd=repo.path / "two") == [("added", "two/a.py", 11, "more")]


@pytest.mark.slow
def test_files_in_conflict_are_told_once(repo, agent, told):
    agent()
    repo.commit("start", {"a.py": "one\n"})
    repo.git("switch", "-q", "-c", "side")
    repo.commit("side", {"a.py": "two\n"})
    repo.git("switch", "-q", "main")
    repo.commit("main", {"a.py": "three\n"})
    with pytest.raises(subprocess.CalledProcessError):
        repo.git("merge", "side")

    assert [text for _, _, _, text in told()] == ["<<<<<<< HEAD", "=======", "two", ">>>>>>> side"]


@pytest.mark.slow
def test_before_the_first_commit_everything_is_added(repo, agent, told):
    agent()
    repo.write("a.py", "one\n")
    repo.write("b.py", "two\n")
    repo.git("add", "a.py")

    assert told() == [("added", "a.py", 1, "one"), ("added", "b.py", 1, "two")]


@pytest.mark.daily(8)
@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        pytest.param(["nowhere"], "no revision nowhere in", "git log --oneline --all", id="no such revision"),
        pytest.param(["HEAD..nowhere"], "no revision nowhere in", "git log --oneline --all", id="none at its end"),
        pytest.param(["a.py"], "no revision a.py in", "linetrail diff -- a.py", id="a file without --"),
        pytest.param(["--", "b.py"], "no file or folder b.py in", "git log --all -- b.py", id="no such file"),
        pytest.param(["--", "../b.py"], "is outside the repository", None, id="a file elsewhere"),
        pytest.param(["HEAD...other"], "no commit in common", "linetrail diff HEAD..other", id="nothing in common"),
    ],
)
def test_what_names_nothing_is_refused_with_the_next_command(repo, agent, cli, words, message, hint):
    agent()
    repo.commit("start", {"a.py": "one\n"})
    repo.git("switch", "-q", "--orphan", "other")
    repo.commit("other", {"o.py": "one\n"})
    repo.git("switch", "-q", "main")

    answer = cli("diff", *words)

    assert (answer.status, answer.out) == (2, "")
    assert message in answer.err
    assert hint is None or answer.err.endswith(f"next: {hint}\n")


def test_without_git_there_is_nothing_to_compare(repo, agent, cli):
    agent()
    shutil.rmtree(repo.path / ".git")

    answer = cli("diff")

    assert (answer.status, answer.out) == (2, "")
    assert "is not a git repository" in answer.err


def test_without_a_ledger_nothing_is_told(repo, cli):
    repo.commit("start", {"a.py": "one\n"})

    answer = cli("diff")

    assert (answer.status, answer.out) == (2, "")
    assert "next: linetrail init" in answer.err


@pytest.mark.slow
def test_a_shallow_clone_says_what_it_lacks(repo, agent, cli, fresh_clone):
    session = agent()
    repo.commit("start", {"a.py": "one\ntwo\n"})
    session.edit("a.py", "two", "2")
    repo.commit("second")
    repo.commit("third", {"a.py": "1\n2\n"})
    clone = fresh_clone("--depth", "2")

    known = cli("diff", "HEAD~1..HEAD", cwd=clone)
    missing = cli("diff", "HEAD~2..HEAD", cwd=clone)

    assert known.status == 0
    assert "this clone is shallow" in known.err
    assert missing.status == 2
    assert missing.err.endswith("next: git fetch --unshallow\n")


@pytest.mark.slow
def test_a_fresh_clone_says_the_same(repo, agent, cli, fresh_clone):
    session = agent()
    repo.commit("start", {"a.py": TEN, "b.py": "b\n"})
    session.edit("a.py", "line number 3\n", "")
    session.bash("rm b.py")
    repo.commit("agent")
    repo.commit(
        "person", {"a.py": TEN.replace("line number 3\n", "").replace("line number 7\n", "line number seven\n")}
    )
    expected = cli("diff", "HEAD~2..HEAD")
    clone = fresh_clone()

    assert "claude-code" in expected.out
    assert cli("diff", "HEAD~2..HEAD", cwd=clone) == expected


@pytest.mark.slow
def test_as_of_knows_only_what_was_recorded_then(repo, agent, cli):
    session = agent()
    repo.commit("start", {"a.py": "one\n"})
    session.prompt("do it")
    [before] = repo.events("prompt.submitted")
    session.edit("a.py", "one", "two")
    repo.commit("agent")

    rows = cli("diff", "HEAD~1..HEAD", "--json", "--as-of", before.id).rows

    assert [(row["deleted_by"] or row)["contributor_type"] for row in rows] == ["human", "human"]


@pytest.mark.slow
def test_the_page_shows_writers_and_deleters(repo, agent, cli, golden):
    session = agent()
    repo.commit("start", {"shop/cart.py": TEN, "shop/old.py": "gone soon\n", "logo.png": b"\0"})
    session.edit("shop/cart.py", "line number 2\n", "line no. 2\nand one more\n")
    session.edit("shop/cart.py", "line number 9\n", "")
    session.bash("rm shop/old.py")
    repo.commit("agent")
    content = (repo.path / "shop" / "cart.py").read_text()
    repo.git("mv", "shop/cart.py", "shop/basket.py")
    repo.commit("person", {"shop/basket.py": content.replace("and one more\n", ""), "logo.png": b"\0\0"})

    shown = cli("diff", "HEAD~2..HEAD").out + "\n" + cli("diff", "HEAD~1..HEAD").out

    for revision in repo.git("rev-list", "HEAD").split():
        shown = shown.replace(revision[:8], "REVISION")
    days = {event.timestamp[:10] for event in repo.events("mutation.observed")}
    for day in days:
        shown = shown.replace(day, "THAT-DAY-T")
    golden(GOLDEN / "diff.txt", shown)


@pytest.mark.slow
def test_nothing_steers_the_terminal(repo, agent, cli):
    agent()
    repo.commit("start", {"a.py": "one\n"})
    repo.write("a.py", "\x1b[31mred\n")

    assert "\x1b" not in cli("diff").out


@pytest.mark.slow
@pytest.mark.parametrize("name", ["co:lon", 'quo"te', "back\\slash"])
def test_a_repository_may_be_called_anything(repo, agent, cli, name):
    agent()
    repo.commit("start", {"a.py": "one\n"})
    repo.write("new.py", "two\n")
    elsewhere = repo.path.rename(repo.path.with_name(name))

    assert [row["text"] for row in cli("diff", "--json", cwd=elsewhere).rows] == ["two"]
