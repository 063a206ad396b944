"""`linetrail import claude-code`: the changes of files that a transcript tells of."""

import subprocess

import pytest

from linetrail.ledger.files import digest
from tests.queries.conftest import BEGINNING

pytestmark = pytest.mark.usefixtures("ledger")


def files(events):
    """Return the one file of each mutation, with who is said to have made it."""
    return [(event.contributor, event.data["via"], event.data["files"][0]) for event in events]


def hashed(text):
    return None if text is None else digest(text.encode())


# Files


def test_a_new_file_is_all_the_agents(repo, talk, imported):
    session = talk()
    session.write("src/a.py", "one\ntwo\n")

    imported(session)

    ((contributor, via, entry),) = files(repo.events("mutation.observed"))
    assert (contributor, via, entry["path"], entry["op"]) == ("ai", "import", "src/a.py", "add")
    assert (entry["before_hash"], entry["after_hash"], entry["after_lines"]) == (None, hashed("one\ntwo\n"), 2)


def test_an_edit_leads_from_the_text_before_to_the_text_after(repo, talk, imported):
    repo.commit(files={"a.py": "one\ntwo\nthree\n"})
    session = talk()
    after = session.edit("a.py", "one\ntwo\nthree\n", "two", "2\n2.5")

    imported(session)

    ((_, _, entry),) = files(repo.events("mutation.observed"))
    assert (entry["before_hash"], entry["after_hash"]) == (hashed("one\ntwo\nthree\n"), hashed(after))
    (hunk,) = entry["hunks"]
    assert [hunk[key] for key in ("old_start", "old_lines", "new_start", "new_lines")] == [2, 1, 2, 2]


def test_several_replacements_of_one_call_are_done_in_order(repo, talk, imported):
    repo.commit(files={"a.py": "one\ntwo\n"})
    session = talk()
    edits = [
        {"old_string": "one", "new_string": "two", "replace_all": False},
        {"old_string": "two", "new_string": "three", "replace_all": True},
    ]
    call_id = session.call("MultiEdit", {"file_path": session.place("a.py"), "edits": edits})
    session.result(call_id, toolUseResult={"filePath": session.place("a.py"), "originalFileContents": "one\ntwo\n"})

    imported(session)

    ((_, _, entry),) = files(repo.events("mutation.observed"))
    assert entry["after_hash"] == hashed("three\nthree\n")


def test_a_notebook_is_what_its_result_says(repo, talk, imported):
    repo.commit(files={"n.ipynb": "{}\n"})
    session = talk()
    place = session.place("n.ipynb")
    call_id = session.call("NotebookEdit", {"notebook_path": place, "new_source": "1"})
    told = {"notebook_path": place, "original_file": "{}\n", "updated_file": '{"cells": []}\n'}
    session.result(call_id, toolUseResult=told)

    imported(session)

    ((_, _, entry),) = files(repo.events("mutation.observed"))
    assert (entry["path"], entry["after_hash"]) == ("n.ipynb", hashed('{"cells": []}\n'))


def test_a_removal_takes_its_line_end_along_where_the_patch_says_so(repo, talk, imported):
    before = "\tone\n\ttwo\n\tthree\n"
    repo.commit(files={"a.go": before})
    session = talk()
    patch = [{"oldStart": 1, "oldLines": 3, "newStart": 1, "newLines": 2, "lines": ["   one", "-  two", "   three"]}]
    session.edit("a.go", before, "\ttwo", "", structuredPatch=patch)

    imported(session)

    ((_, _, entry),) = files(repo.events("mutation.observed"))
    assert entry["after_hash"] == hashed("\tone\n\tthree\n")


def test_the_patch_decides_where_the_replacement_cannot_be_done_again(repo, talk, imported):
    before = "\tsay(“hi”)\n"
    repo.commit(files={"a.go": before})
    session = talk()
    patch = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-  say(“hi”)", "+  say(“ho”)"]}]
    session.edit("a.go", before, 'say("hi")', 'say("ho")', structuredPatch=patch)

    imported(session)

    ((_, _, entry),) = files(repo.events("mutation.observed"))
    assert entry["after_hash"] == hashed("\tsay(“ho”)\n")


def test_a_text_before_that_is_missing_is_the_one_last_known(repo, talk, imported):
    session = talk()
    session.write("a.py", "one\ntwo\n")
    session.edit("a.py", None, "two", "three")

    imported(session)

    assert [entry["after_hash"] for _, _, entry in files(repo.events("mutation.observed"))] == [
        hashed("one\ntwo\n"),
        hashed("one\nthree\n"),
    ]


def test_a_text_before_that_nobody_knows_makes_no_transition(repo, talk, imported):
    session = talk()
    session.edit("a.py", None, "two", "three")

    (row,) = imported(session)

    assert not repo.events("mutation.observed")
    assert row["skipped"] == {"content not recorded": 1}


def test_a_text_before_that_is_missing_is_the_one_that_git_had_where_the_change_belongs_there(repo, talk, imported):
    patch = [{"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": [" one", "-two", "+three"]}]
    repo.now = BEGINNING.timestamp() - 3600
    repo.commit("what it was", {"a.py": "one\ntwo\n"})
    repo.commit("what has other lines", {"a.py": "zero\none\ntwo\n"})
    repo.now = BEGINNING.timestamp() + 3600
    repo.commit("what came later", {"a.py": "one\ntwo\nlater\n"})
    session = talk()
    session.edit("a.py", None, "two", "three", structuredPatch=patch)
    session.edit("a.py", None, "three", "four")

    imported(session)

    told = [event.data for event in repo.events("mutation.observed")]
    texts = ["one\ntwo\n", "one\nthree\n", "one\nfour\n"]
    assert [one["files"][0]["before_hash"] for one in told] == [hashed(text) for text in texts[:-1]]
    assert [one["files"][0]["after_hash"] for one in told] == [hashed(text) for text in texts[1:]]
    assert [one.get("basis") for one in told] == ["history", None]


@pytest.mark.parametrize(
    ("old", "after"),
    [
        pytest.param("two", ["one\ntwo\nthree\n", "one\n2\nthree\n"], id="there once"),
        pytest.param("e", ["one\ntwo\nthree\n"], id="there more than once"),
    ],
)
def test_an_edit_behind_one_that_nobody_knows_belongs_where_what_it_replaced_is_alone(repo, talk, imported, old, after):
    session = talk()
    session.write("a.py", "one\ntwo\nthree\n")
    patch = [{"oldStart": 2, "oldLines": 2, "newStart": 2, "newLines": 2, "lines": [" one", f"-{old}", "+2"]}]
    session.edit("a.py", None, old, "2", structuredPatch=patch)

    imported(session)

    assert [entry["after_hash"] for _, _, entry in files(repo.events("mutation.observed"))] == [*map(hashed, after)]


def test_a_patch_tells_what_a_rewritten_file_was_before(repo, talk, imported):
    repo.commit(files={"a.py": "one\ntwo\n"})
    session = talk()
    patch = [{"oldStart": 1, "oldLines": 2, "newStart": 1, "newLines": 2, "lines": [" one", "-two", "+three"]}]
    session.write("a.py", "one\nthree\n", type="update", structuredPatch=patch)

    imported(session)

    ((_, _, entry),) = files(repo.events("mutation.observed"))
    assert (entry["op"], entry["before_hash"]) == ("modify", hashed("one\ntwo\n"))


def test_a_rewrite_of_what_nobody_knows_is_nobodys(repo, talk, imported):
    session = talk()
    session.write("a.py", "one\n", type="update")

    imported(session)

    ((contributor, via, entry),) = files(repo.events("mutation.observed"))
    assert (contributor, via, entry["snapshot"]) == ("unknown", "unseen", True)


def test_a_proposal_that_a_person_changed_is_marked(repo, talk, imported):
    session = talk()
    session.write("a.py", "one\n", userModified=True)

    imported(session)

    assert repo.events("mutation.observed")[0].data["user_modified"] is True


@pytest.mark.parametrize(
    "told", [pytest.param({"staged": True}, id="only staged"), pytest.param({"originalFile": 7}, id="not as expected")]
)
def test_what_never_reached_the_disk_is_no_transition(repo, talk, imported, told):
    session = talk()
    session.edit("a.py", "one\n", "one", "two", **told)

    imported(session)

    assert not repo.events("mutation.observed")


def test_a_rejected_edit_is_a_failed_call_and_no_transition(repo, talk, imported):
    session = talk()
    call_id = session.call("Edit", {"file_path": session.place("a.py"), "old_string": "a", "new_string": "b"})
    session.result(call_id, "The user doesn't want to proceed", failed=True, toolUseResult="User rejected tool use")

    imported(session)

    assert len(repo.events("tool.failed")) == 1
    assert not repo.events("mutation.observed")


def test_a_long_file_is_spread_over_lines_that_fit(repo, talk, imported):
    session = talk()
    session.write("long.txt", "".join(f"line {at}\n" for at in range(9000)))

    imported(session)
    again = imported(session)

    parts = files(repo.events("mutation.observed"))
    assert [entry["part"] for _, _, entry in parts] == list(range(1, len(parts) + 1))
    assert len(parts) > 1
    assert again[0]["duplicates"] == len(repo.events())


# What went on unseen


def test_a_difference_nobody_was_seen_making_comes_first(repo, talk, imported):
    session = talk()
    session.write("a.py", "one\n")
    session.edit("a.py", "one\nby hand\n", "one", "1")

    imported(session)

    _, unseen, edit = files(repo.events("mutation.observed"))
    assert unseen[:2] == ("unknown", "unseen")
    assert (unseen[2]["before_hash"], unseen[2]["after_hash"]) == (hashed("one\n"), hashed("one\nby hand\n"))
    assert (edit[0], edit[2]["before_hash"]) == ("ai", hashed("one\nby hand\n"))
    assert repo.events("mutation.observed")[1].agent is None


def test_a_file_that_vanished_was_deleted_by_nobody_seen(repo, talk, imported):
    session = talk()
    session.write("a.py", "one\n")
    session.write("a.py", "new\n")

    imported(session)

    assert [entry["op"] for _, _, entry in files(repo.events("mutation.observed"))] == ["add", "delete", "add"]


def test_a_text_that_git_does_not_have_is_taken_as_it_is_found(repo, talk, imported):
    repo.commit(files={"known.py": "one\n"})
    session = talk()
    session.edit("known.py", "one\n", "one", "1")
    session.edit("draft.py", "two\n", "two", "2")

    imported(session)

    found = [
        (via, entry["path"], entry.get("snapshot", False)) for _, via, entry in files(repo.events("mutation.observed"))
    ]
    assert found == [
        ("import", "known.py", False),
        ("unseen", "draft.py", True),
        ("import", "draft.py", False),
    ]


def test_a_state_that_the_ledger_has_is_known_in_a_later_import(repo, talk, imported):
    first, second = talk("first"), talk("second", cwd="/machines/desktop/shop", after=60)
    first.write("draft.py", "one\n")
    second.edit("draft.py", "one\n", "one", "1")

    imported(first)
    imported(second)

    assert [via for _, via, _ in files(repo.events("mutation.observed"))] == ["import", "import"]


def test_a_repository_that_was_moved_keeps_its_states(repo, talk, imported):
    first, second = talk("first"), talk("second", cwd="/machines/desktop/shop", after=60)
    first.write("draft.py", "one\n")
    second.edit("draft.py", "one\n", "one", "1")

    imported(first, second)

    assert [via for _, via, _ in files(repo.events("mutation.observed"))] == ["import", "import"]


def test_line_ends_are_those_git_has_though_the_transcript_tells_others(repo, talk, imported):
    repo.commit(files={"a.txt": b"one\r\ntwo\r\n", ".gitattributes": "* -text\n"})
    session = talk()
    after = session.edit("a.txt", "one\ntwo\n", "two", "2")
    session.edit("a.txt", after, "one", "1")

    imported(session)

    entries = [entry for _, _, entry in files(repo.events("mutation.observed"))]
    assert [entry["before_hash"] for entry in entries] == [hashed("one\r\ntwo\r\n"), hashed("one\r\n2\r\n")]
    assert {entry["eol"] for entry in entries} == {"crlf"}


def test_carriage_returns_in_the_transcript_stay(repo, talk, imported):
    session = talk()
    session.write("a.txt", "one\r\ntwo")
    session.edit("a.txt", "one\r\ntwo", "one\n", "1\n")

    imported(session)

    assert [entry["after_hash"] for _, _, entry in files(repo.events("mutation.observed"))] == [
        hashed("one\r\ntwo"),
        hashed("1\r\ntwo"),
    ]


# Where files are


def test_paths_of_another_machine_become_ours(repo, talk, imported):
    repo.commit(files={"src/a.py": "one\n", "web/b.ts": "two\n"})
    session = talk(cwd="/machines/laptop/code/shop/web")
    session.edit("/machines/laptop/code/shop/src/a.py", "one\n", "one", "1")
    session.edit("b.ts", "two\n", "two", "2")

    imported(session)

    assert [entry["path"] for _, _, entry in files(repo.events("mutation.observed"))] == ["src/a.py", "web/b.ts"]
    assert repo.events("session.started")[0].data["cwd"] == "web"


def test_paths_of_windows_become_ours(repo, talk, imported):
    repo.commit(files={"src/a.py": "one\n"})
    session = talk(cwd=r"C:\Work\Shop")
    place = r"c:\work\shop\src\a.py"
    call_id = session.call("Edit", {"file_path": place, "old_string": "one", "new_string": "1"})
    session.result(
        call_id, toolUseResult={"filePath": place, "oldString": "one", "newString": "1", "originalFile": "one\n"}
    )

    imported(session)

    assert [entry["path"] for _, _, entry in files(repo.events("mutation.observed"))] == ["src/a.py"]
    assert repo.events("tool.requested")[0].data["targets"] == [{"path": "src/a.py", "role": "edit"}]


@pytest.mark.parametrize(
    "worktree",
    [
        "/machines/laptop/code/shop/.claude/worktrees/agent-a1",
        "/machines/laptop/code/shop/.worktrees/vat",
        "/machines/laptop/code/shop.worktrees/vat",
        "/machines/laptop/code/shop__worktrees/vat",
        "/machines/laptop/.codex/worktrees/3f2a/shop",
        "/machines/laptop/.cursor/worktrees/shop/Xk3",
    ],
)
def test_what_was_written_in_a_worktree_that_is_gone_is_the_same_file(repo, talk, imported, worktree):
    repo.commit(files={"src/a.py": "one\n"})
    session = talk(cwd="/machines/laptop/code/shop")
    session.edit("/machines/laptop/code/shop/src/a.py", "one\n", "one", "1")
    session.write(f"{worktree}/src/new/b.py\n", "two\n")  # a newline may end a name

    imported(session)

    assert [entry["path"] for _, _, entry in files(repo.events("mutation.observed"))] == ["src/a.py", "src/new/b.py\n"]


def test_what_was_written_in_another_worktree_is_the_same_file(repo, talk, imported, tmp_path):
    repo.commit(files={"src/a.py": "one\n"})
    repo.git("worktree", "add", "--quiet", "../apart", "-b", "apart")
    session = talk(cwd=str(repo.path))
    session.write(str(repo.path.parent / "apart" / "src" / "b.py"), "two\n")

    imported(session)

    assert [entry["path"] for _, _, entry in files(repo.events("mutation.observed"))] == ["src/b.py"]


@pytest.mark.parametrize("other", ["blog.worktrees/vat", "shop-admin", ".codex/worktrees/3f2a/blog", "worktrees/vat"])
def test_a_worktree_of_another_repository_is_outside(repo, talk, imported, other):
    repo.commit(files={"src/a.py": "one\n"})
    session = talk(cwd="/machines/laptop/code/shop")
    session.edit("/machines/laptop/code/shop/src/a.py", "one\n", "one", "1")
    session.write(f"/machines/laptop/code/{other}/src/a.py", "two\n")

    (row,) = imported(session)

    assert row["skipped"]["file outside the repository"] == 1


def test_a_file_outside_is_a_call_and_no_mutation(repo, talk, imported):
    session = talk()
    session.write("/machines/laptop/notes/plan.md", "a plan\n")

    (row,) = imported(session)

    assert repo.events("tool.requested")[0].data["targets"] == [{"path": "outside:plan.md", "role": "write"}]
    assert not repo.events("mutation.observed")
    assert row["skipped"]["file outside the repository"] == 1


@pytest.mark.parametrize("name", ["mit leerzeichen.py", 'a"b.py', "größe.py", "a\\b.py"])
def test_odd_names_are_stored_as_they_are(repo, talk, imported, name):
    session = talk()
    session.write(name, "one\n")

    imported(session)

    assert [repo.path / entry["path"] for _, _, entry in files(repo.events("mutation.observed"))] == [repo.path / name]


def test_a_session_in_this_repository_is_placed_by_its_folder(repo, talk, imported):
    (repo.path / "src").mkdir()
    session = talk(cwd=str(repo.path / "src"))
    session.write(str(repo.path / "b.py"), "one\n")

    imported(session)

    assert [entry["path"] for _, _, entry in files(repo.events("mutation.observed"))] == ["b.py"]


def test_a_session_in_a_worktree_belongs_here(repo, talk, imported, tmp_path):
    repo.commit(files={"a.py": "one\n"})
    repo.git("worktree", "add", "--quiet", str(tmp_path / "side"), "-b", "side")
    session = talk(cwd=str(tmp_path / "side"))
    session.edit("a.py", "one\n", "one", "1")

    imported(session)

    assert [entry["path"] for _, _, entry in files(repo.events("mutation.observed"))] == ["a.py"]


def test_a_session_of_another_repository_is_left_out(repo, talk, imported, tmp_path):
    subprocess.run(["git", "init", "--quiet", tmp_path / "other"], check=True)
    session = talk(cwd=str(tmp_path / "other"))
    session.prompt("Hello")

    (row,) = imported(session)

    assert (row["read"], row["skipped"]) == (0, {"other repository": 1})
    assert not repo.events()
