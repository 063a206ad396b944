"""What git puts into files while an agent's command runs is not the agent's, and what the agent adds to it is."""

import os
import time

import pytest

from linetrail.ledger.observe.substance import line_hash

TEXT = "".join(f"line {n} of the file\n" for n in range(8))


def written(repo, contributor):
    """List the hashes of the lines that these contributors are said to have written, in order."""
    return [
        name
        for event in repo.events("mutation.observed")
        if event.contributor == contributor
        for entry in event.data["files"]
        for hunk in entry["hunks"]
        for name in hunk.get("line_hashes", [])
    ]


def hashes(*lines):
    return [line_hash(line.encode()) for line in lines]


@pytest.fixture
def file(repo):
    repo.commit("start", {"f.py": TEXT, "g.py": TEXT})
    return "f.py"


@pytest.fixture
def side(repo, file):
    """Make a branch on which a person wrote a line into the file, and made a new one; a moment ago."""
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("by a person", {file: "by a person\n" + TEXT, "new.py": "by a person, too\n"})
    repo.git("checkout", "-q", "main")
    wait()
    return "side"


def wait():
    """Let the objects that git wrote become older than the clock of the file system is coarse."""
    time.sleep(0.08)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("git checkout -q side", id="another branch"),
        pytest.param("git checkout -q side -- f.py new.py", id="files of another branch"),
        pytest.param("git restore --source side f.py new.py", id="restored from another branch"),
        pytest.param("git merge -q --squash side", id="a merge without a commit"),
        pytest.param("git merge -q --squash side && git commit -qm all", id="the same, committed"),
        pytest.param("git cherry-pick -n side", id="a pick without a commit"),
        pytest.param("git cherry-pick side", id="a pick"),
        pytest.param("git merge -q side", id="a merge"),
    ],
)
def test_lines_of_another_branch_are_not_the_agent_s(repo, agent, side, command):
    agent().bash(command)

    assert written(repo, "ai") == []


def test_nor_are_those_that_git_has_in_a_pack(repo, agent, side):
    repo.git("gc", "-q")

    agent().bash("git checkout -q side -- f.py new.py")

    assert written(repo, "ai") == []


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("git checkout -q side && {}", id="not committed"),
        pytest.param("git checkout -q side && {} && git commit -qam more", id="committed"),
        pytest.param("git merge -q side && {} && git commit -qa --amend --no-edit", id="amended"),
        pytest.param("git checkout -q -b next && {} && git commit -qam more", id="on a new branch"),
        pytest.param("git merge -q side && {} && git commit -qam more && git checkout -q -b next", id="branched after"),
    ],
)
def test_what_the_agent_adds_to_what_git_brought_is_the_agent_s(repo, agent, side, command):
    agent().bash(command.format("echo by the agent >> f.py"))

    assert written(repo, "ai") == hashes("by the agent")


@pytest.mark.daily(4)
@pytest.mark.parametrize(
    "command",
    [
        pytest.param("git merge -q --squash side && git commit -qm all", id="squashed"),
        pytest.param("git cherry-pick -n side && git commit -qm all", id="picked"),
        pytest.param("git merge -q --squash side", id="squashed and not committed"),
        pytest.param("git -c core.editor=true merge -q side && git reset -q --soft HEAD~1", id="merged and taken back"),
    ],
)
def test_lines_of_a_branch_that_went_another_way_are_not_the_agent_s(repo, agent, side, command):
    repo.commit("meanwhile", {"f.py": TEXT + "at the end\n"})
    wait()

    agent().bash(command)

    assert written(repo, "ai") == []


def test_the_commits_after_what_git_brought_are_recorded(repo, agent, side):
    agent().bash("git merge -q side && echo x >> f.py && git commit -qam more")

    assert [event.data["revision"] for event in repo.events("commit.observed")] == [repo.git("rev-parse", "HEAD")]


@pytest.mark.daily(5)
@pytest.mark.parametrize("commands", [["git stash -q", "git stash pop -q"], ["git stash -q", "git stash apply -q"]])
def test_what_a_person_had_not_committed_comes_back_from_the_stash_as_nobody_s(repo, agent, file, commands):
    claude = agent()
    repo.write(file, "by a person\n" + TEXT)

    for command in commands:
        claude.bash(command)
        wait()

    assert written(repo, "ai") == []


def test_a_stash_that_meets_other_changes_is_still_nobody_s(repo, agent, file):
    claude = agent()
    repo.write(file, "by a person\n" + TEXT)
    claude.bash("git stash -q")
    claude.edit(file, "line 7 of the file", "line 7 by the agent")

    claude.bash("git commit -qam mine && git stash pop -q")

    assert written(repo, "ai") == hashes("line 7 by the agent")


def test_a_conflict_is_git_s_and_its_solution_the_agent_s(repo, agent, side, file):
    repo.commit("main", {file: "by another\n" + TEXT})
    claude = agent()
    claude.bash("git merge side || true")

    claude.bash(f"(echo by the agent; tail -n +6 {file}) > x && mv x {file}")

    assert written(repo, "ai") == hashes("by the agent")


@pytest.mark.parametrize("committed", [True, False], ids=["a committed file", "a file the agent wrote"])
def test_a_copied_file_has_no_new_lines_and_names_the_one_it_was_copied_from(repo, agent, file, committed):
    claude = agent()
    if committed:
        repo.commit("more", {"new.py": TEXT + "one more line\n"})
    else:
        claude.write("new.py", TEXT + "one more line\n")
    wait()

    claude.bash("cp new.py copy.py")

    entries = [entry for event in repo.events("mutation.observed") for entry in event.data["files"]]
    copied = [entry for entry in entries if entry["path"] == "copy.py"]
    assert [(entry["op"], entry["from_path"], entry["hunks"]) for entry in copied] == [("copy", "new.py", [])]


@pytest.mark.parametrize(("lines", "op"), [(2, "add"), (3, "copy")], ids=["too short to tell", "long enough"])
def test_a_copy_of_few_lines_may_be_alike_by_chance(repo, agent, lines, op):
    claude = agent()
    claude.write("new.py", "".join(f"line {at}\n" for at in range(lines)))
    wait()

    claude.bash("cp new.py copy.py")

    entries = [entry for event in repo.events("mutation.observed") for entry in event.data["files"]]
    assert [entry["op"] for entry in entries if entry["path"] == "copy.py"] == [op]


def test_a_file_that_became_a_link_is_not_read_through_it(repo, agent, file, tmp_path):
    (tmp_path / "outside").write_text("by somebody else\n")
    claude = agent()

    claude.bash(f"rm {file} && ln -s {tmp_path / 'outside'} {file}")

    assert os.path.islink(repo.path / file)
    assert written(repo, "ai") == []


def test_without_time_to_note_all_files_before_a_command_it_claims_nothing(repo, agent, file, monkeypatch):
    claude = agent()
    call = {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_use_id": "cut"}
    repo.write("by-hand", "by a person\n")

    with monkeypatch.context() as patch:
        patch.setattr("linetrail.ledger.hook.changes.SCAN_SECONDS", -1)
        claude.send("PreToolUse", **call)
    claude.send("PostToolUse", **call, tool_response={"stdout": ""})

    assert written(repo, "ai") == []
    assert written(repo, "unknown") == hashes("by a person")
