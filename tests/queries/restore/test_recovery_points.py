"""`linetrail recovery-point` and `restore POINT`: the way back, and what is said where there is none."""

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from linetrail.ledger.files import digest
from linetrail.ledger.observe.states import States
from linetrail.ledger.repository import find

HOSTILE = "a\x1b[31m\u202eb\n"


@pytest.fixture
def project(repo):
    repo.commit(files={"a.py": "one\ntwo\n", "src/b.py": "b\n", "run.sh": "#!/bin/sh\n"})
    repo.start_ledger()
    return repo


@pytest.fixture
def mark(cli):
    def run(name, *options):
        answer = cli("recovery-point", name, *options, "--json")
        assert answer.status == 0, answer.err
        return answer.rows[0]

    return run


def tree(repo):
    """Return all files of the work tree with their contents."""
    files = [path for path in repo.path.rglob("*") if path.is_file()]
    own = [path for path in files if path.relative_to(repo.path).parts[0] not in (".git", ".orchestration")]
    return {str(path.relative_to(repo.path)): path.read_bytes() for path in own}


def change_everything(repo):
    repo.write("a.py", "three\n")
    (repo.path / "src" / "b.py").unlink()
    repo.write("new/deep/c.py", "c\n")


def test_a_point_lists_what_is_not_as_the_commit_has_it(project, mark):
    project.write("a.py", "changed\n")
    project.write("untracked.txt", "x\n")
    (project.path / "src" / "b.py").unlink()

    row = mark("before the release")

    (event,) = project.events("recovery_point.marked")
    assert event.data["revision"] == project.git("rev-parse", "HEAD")
    assert {entry["path"]: entry["hash"] for entry in event.data["entries"]} == {
        "a.py": digest(b"changed\n"),
        "src/b.py": None,
        "untracked.txt": digest(b"x\n"),
    }
    assert States(find(str(project.path))).objects.read(digest(b"changed\n")) == b"changed\n"
    assert row["point_name"] == "before the release"


def test_the_way_back_is_shown_and_changes_nothing(project, cli, mark):
    mark("good")
    change_everything(project)
    before, events = tree(project), len(project.lines())

    answer = cli("restore", "--dry-run", "good")

    assert answer.status == 0
    assert "--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n-three\n+one\n+two\n" in answer.out
    assert "would be removed: new/deep/c.py" in answer.out
    assert "would be brought back: src/b.py from git" in answer.out
    assert (tree(project), len(project.lines())) == (before, events)


@pytest.mark.slow
def test_everything_is_as_it_was_and_the_way_leads_back_again(project, cli, mark):
    project.write("a.py", "changed\n")
    project.write("untracked.txt", "x")
    wanted = tree(project)
    mark("good")
    change_everything(project)
    (project.path / "untracked.txt").unlink()
    bad = tree(project)

    answer = cli("restore", "good", "--json")

    assert answer.status == 0
    assert tree(project) == wanted
    assert not (project.path / "new").exists()
    assert cli("restore", "good").out == "every file is as good has it\n"
    assert cli("restore", json.loads(answer.out)["meta"]["before_point_id"]).status == 0
    assert tree(project) == bad
    assert cli("verify").status == 0


@pytest.mark.slow
def test_what_was_done_is_in_the_ledger_and_nobody_else_is_blamed(project, cli, mark):
    mark("good")
    project.write("a.py", "three\n")

    cli("restore", "good")

    (event,) = project.events("mutation.observed")
    assert (event.contributor, event.data["via"], event.data["files"][0]["path"]) == ("human", "human", "a.py")
    first, second = (point.data["reason"] for point in project.events("recovery_point.marked"))
    assert (first, second.startswith("before restore of R-")) == (None, True)
    state = States(find(str(project.path))).known("a.py")
    assert state.recorded == digest(b"one\ntwo\n")


@pytest.mark.slow
def test_restored_lines_keep_their_authors(repo, agent, cli, who):
    repo.commit(files={"a.py": "by = 'a person'\n"})
    agent().write("a.py", "by = 'a person'\nthen = 'an agent'\n")
    assert cli("recovery-point", "good").status == 0
    repo.write("a.py", "all = 'gone'\n")

    assert cli("restore", "good").status == 0

    assert who("a.py") == ["human", "session-1"]


@pytest.mark.slow
def test_a_file_where_a_folder_was_is_named_and_left_alone(project, cli, mark):
    mark("good")
    (project.path / "src" / "b.py").unlink()
    (project.path / "src").rmdir()
    project.write("src", "a file now\n")

    answer = cli("restore", "good")

    assert answer.status == 1
    assert "in the way: src/b.py: a link, or a file, stands where its folder was" in answer.out
    assert (project.path / "src").read_text() == "a file now\n"


@pytest.mark.slow
def test_a_point_outlives_commits_made_after_it(project, cli, mark):
    mark("good")
    project.commit(files={"a.py": "committed later\n", "later.py": "x\n"})

    assert cli("restore", "good").status == 0

    assert tree(project) == {"a.py": b"one\ntwo\n", "src/b.py": b"b\n", "run.sh": b"#!/bin/sh\n"}


@pytest.mark.slow
def test_only_what_was_asked_for_is_marked_and_restored(project, cli, mark):
    mark("source", "--path", "src")
    change_everything(project)

    assert cli("restore", "source").status == 0

    assert tree(project)["src/b.py"] == b"b\n"
    assert tree(project)["a.py"] == b"three\n"
    mark("all")
    change_everything(project)
    project.write("a.py", "four\n")
    assert cli("restore", "all", "--path", "a.py").status == 0
    assert (tree(project)["a.py"], "src/b.py" in tree(project)) == (b"three\n", False)


@pytest.mark.slow
def test_a_file_that_can_be_run_is_run_again(project, cli, mark):
    script = project.path / "run.sh"
    script.chmod(0o755)
    mark("runs")
    script.unlink()

    cli("restore", "runs")

    assert os.access(script, os.X_OK)
    script.chmod(0o644)
    cli("restore", "runs")
    assert os.access(script, os.X_OK)


@pytest.mark.slow
def test_erased_contents_are_said_to_be_gone(project, cli, mark):
    project.write("secret.txt", "s3cret\n")
    mark("good")
    (project.path / "secret.txt").unlink()
    assert cli("erase", digest(b"s3cret\n")).status == 0

    answer = cli("restore", "good")

    assert answer.status == 1
    assert "cannot be had: secret.txt: its content was erased on " in answer.out
    assert "nothing was restored" in answer.err
    assert "secret.txt" not in tree(project)


@pytest.mark.slow
def test_a_fresh_clone_has_what_git_has_and_names_the_rest(project, cli, linetrail, mark, tmp_path):
    project.write("committed.txt", "soon in git\n")
    project.write("never.txt", "never in git\n")
    mark("good")
    assert cli("seal").status == 0
    (project.path / "never.txt").unlink()
    (project.path / ".git" / "info" / "exclude").write_text(".orchestration/objects/\n")
    project.commit("all but one")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(project.path), str(clone)], check=True)
    (clone / "committed.txt").write_text("lost\n")

    refused = linetrail("restore", "good", cwd=clone)
    done = linetrail("restore", "--partial", "good", cwd=clone)

    assert (refused.returncode, done.returncode) == (1, 1)
    assert "cannot be had: never.txt: its content is not on this machine, and git does not have it" in refused.stdout
    assert "restored: committed.txt from git" in done.stdout
    assert (clone / "committed.txt").read_text() == "soon in git\n"


def test_what_cannot_be_kept_is_never_overwritten(project, cli, mark):
    mark("good")
    (project.path / "a.py").unlink()
    (project.path / "a.py").symlink_to("run.sh")

    answer = cli("restore", "good")

    assert answer.status == 1
    assert "in the way: a.py: what is there is no regular file" in answer.out
    assert os.readlink(project.path / "a.py") == "run.sh"


@pytest.mark.slow
def test_nothing_is_written_through_a_folder_that_became_a_link(project, cli, mark, tmp_path):
    mark("good")
    (project.path / "src" / "b.py").unlink()
    (project.path / "src").rmdir()
    (tmp_path / "elsewhere").mkdir()
    (project.path / "src").symlink_to(tmp_path / "elsewhere")

    assert cli("restore", "good").status == 1

    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.slow
def test_hostile_names_and_texts_do_nothing_to_a_terminal(project, cli, mark):
    project.write("we\x1bird.txt", HOSTILE)
    mark(f"na{HOSTILE}me")
    project.write("we\x1bird.txt", "x\n")

    shown = cli("restore", "--dry-run", "R-").out + cli("recovery-point", "list").out

    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert cli("restore", "R-").status == 0
    assert tree(project)["we\x1bird.txt"] == HOSTILE.encode()


def test_an_unknown_point_names_those_there_are(project, cli, mark):
    row = mark("good")

    answer = cli("restore", "bad")

    assert answer.status == 1
    assert f"no recovery point is called bad; there are {row['point_id']} (good)" in answer.err


@pytest.mark.slow
def test_of_two_points_with_one_name_the_later_is_meant(project, cli, mark):
    mark("good")
    project.write("a.py", "later\n")
    mark("good")
    project.write("a.py", "x\n")

    cli("restore", "good")

    assert tree(project)["a.py"] == b"later\n"


@pytest.mark.parametrize("options", [["--path", "a.py"], ["--partial"], ["--reflog", "good"]])
def test_flags_of_the_other_kind_are_refused(project, cli, mark, options):
    mark("good")

    assert cli("restore", *options).status == 2


@pytest.mark.slow
def test_links_of_the_commit_are_left_alone(project, cli, mark):
    (project.path / "link").symlink_to("a.py")
    project.commit("a link")
    mark("good")
    (project.path / "link").unlink()

    answer = cli("restore", "good")

    assert answer.status == 1
    assert "cannot be had: link: it is a link or another repository" in answer.out


@pytest.mark.slow
def test_a_file_whose_content_git_lost_is_never_removed(project, cli, mark):
    mark("good")
    blob = project.git("rev-parse", "HEAD:a.py")
    project.write("a.py", "changed\n")
    (project.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()

    answer = cli("restore", "--partial", "good")

    assert answer.status == 1
    assert "cannot be had: a.py: git does not have its content here" in answer.out
    assert tree(project)["a.py"] == b"changed\n"


@pytest.mark.slow
def test_odd_names_come_back(project, cli, mark):
    names = ["new\nline.txt", "täb\t.txt", "sp ace.txt", "-dash.txt", "*.txt"]
    project.commit(files=dict.fromkeys(names, "x\n"))
    mark("good")
    for name in names:
        (project.path / name).unlink()

    assert cli("restore", "good").status == 0

    assert set(names) <= set(tree(project))


@pytest.mark.slow
def test_many_changed_files_are_told_in_parts(project, cli, mark):
    for at in range(400):
        project.write(f"many/{at:03}.txt", f"{at}\n")
    mark("many")
    assert len(project.events("recovery_point.marked")) > 1
    before = tree(project)
    for at in range(0, 400, 7):
        (project.path / f"many/{at:03}.txt").unlink()

    assert cli("restore", "many").status == 0

    assert tree(project) == before


@pytest.mark.slow
def test_two_at_once_mark_two_points(project, linetrail):
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda name: linetrail("recovery-point", name), ["one", "two"]))

    assert [one.returncode for one in done] == [0, 0]
    assert len({event.data["point_id"] for event in project.events("recovery_point.marked")}) == 2


@pytest.mark.slow
def test_without_git_every_file_is_kept(tmp_path, linetrail):
    folder = tmp_path / "plain"
    (folder / ".orchestration").mkdir(parents=True)
    (folder / "a.txt").write_text("one\n")

    assert linetrail("recovery-point", "good", cwd=folder).returncode == 0
    (folder / "a.txt").write_text("two\n")
    (folder / "b.txt").write_text("new\n")
    assert linetrail("restore", "good", cwd=folder).returncode == 0

    assert (folder / "a.txt").read_text() == "one\n"
    assert not (folder / "b.txt").exists()


def test_before_the_first_commit_every_file_is_kept(repo, cli):
    repo.write("a.txt", "one\n")
    repo.start_ledger()
    assert cli("recovery-point", "good").status == 0
    repo.write("a.txt", "two\n")

    assert cli("restore", "good").status == 0

    assert (repo.path / "a.txt").read_text() == "one\n"


def test_a_disk_that_keeps_nothing_is_said_and_nothing_is_marked(project, cli):
    project.write("a.py", "changed\n")
    (project.path / ".orchestration" / "objects").write_text("a file stands in the way")

    answer = cli("recovery-point", "good")

    assert answer.status == 2
    assert "cannot keep the content of a.py" in answer.err
    assert not project.events("recovery_point.marked")


@pytest.mark.slow
def test_the_tables_have_the_points_and_their_files(project, cli, mark):
    project.write("a.py", "changed\n")
    mark("good")

    (point,) = cli("sql", "select point_name, files, complete from v_recovery_points", "--json").rows
    (file,) = cli("sql", "select path, content_hash from v_recovery_point_files", "--json").rows

    assert point == {"point_name": "good", "files": 1, "complete": True}
    assert file == {"path": "a.py", "content_hash": digest(b"changed\n")}
