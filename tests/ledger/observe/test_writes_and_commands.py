"""What tools do to files, as the hooks record it: transitions found on disk, in the order they happened."""

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linetrail.ledger.files import digest
from linetrail.ledger.observe.substance import line_hash
from tests.examples import examples

BILL = "def total(lines):\n    return sum(lines)\n\n\ndef tax(x):\n    return x\n"


@pytest.fixture
def bill(repo):
    repo.commit("start", {"src/bill.py": BILL})
    return "src/bill.py"


def mutations(repo):
    """List (via, contributor, path, op, texts of hash) of every recorded file, in order."""
    return [
        (event.data["via"], event.contributor, entry["path"], entry["op"])
        for event in repo.events("mutation.observed")
        for entry in event.data["files"]
    ]


def claims(repo, path):
    changes = repo.events("mutation.observed")
    return [event for event in changes if event.contributor == "ai" and event.data["files"][0]["path"] == path]


def entries(repo):
    return [entry for event in repo.events("mutation.observed") for entry in event.data["files"]]


def added(entry):
    return [name for hunk in entry["hunks"] for name in hunk.get("line_hashes", [])]


def hashes(*lines):
    return [line_hash(line.encode()) for line in lines]


def test_an_edit_is_the_way_from_the_commit_to_what_is_on_disk(repo, agent, bill):
    agent().edit(bill, "    return x", "    rate = 2\n    return x * rate")

    (entry,) = entries(repo)
    assert mutations(repo) == [("tool", "ai", bill, "modify")]
    assert entry["before_hash"] == digest(BILL.encode())
    assert entry["after_hash"] == digest((repo.path / bill).read_bytes())
    assert entry["before_blob"] == repo.git("rev-parse", f"HEAD:{bill}")
    assert added(entry) == hashes("rate = 2", "return x * rate")


def test_a_new_file_is_an_addition(repo, agent, bill):
    agent().write("new.py", "a = 1\n")

    assert mutations(repo) == [("tool", "ai", "new.py", "add")]


def test_what_a_person_changed_in_between_comes_first_and_is_nobody_s(repo, agent, bill):
    claude = agent()
    claude.edit(bill, "sum(lines)", "sum(map(int, lines))")
    repo.write(bill, "# by hand\n" + (repo.path / bill).read_text())

    claude.edit(bill, "return x", "return x * 2")

    assert [via for via, *_ in mutations(repo)] == ["tool", "unseen", "tool"]
    assert added(entries(repo)[1]) == hashes("# by hand")
    first, unseen, last = entries(repo)
    assert (first["after_hash"], unseen["after_hash"]) == (unseen["before_hash"], last["before_hash"])


def test_uncommitted_lines_that_were_there_before_are_nobody_s(repo, agent, bill):
    repo.write(bill, BILL + "print(1)\n")

    agent().edit(bill, "return x", "return x * 2")

    assert [via for via, *_ in mutations(repo)] == ["unseen", "tool"]
    assert added(entries(repo)[0]) == hashes("print(1)")


def test_an_untracked_file_starts_as_a_snapshot(repo, agent, bill):
    repo.write("notes.txt", "one\ntwo\n")

    agent().edit("notes.txt", "two", "three")

    assert entries(repo)[0]["snapshot"] is True
    assert added(entries(repo)[1]) == hashes("three")


def test_nothing_is_recorded_when_nothing_changed(repo, agent, bill):
    agent().bash("ls")
    agent("other").write(bill, BILL)

    assert mutations(repo) == []


def test_a_file_that_a_person_changed_and_no_tool_touched_is_left_alone(repo, agent, bill):
    repo.write(bill, "# by hand\n" + BILL)

    agent().bash("ls")

    assert mutations(repo) == []


def test_a_command_s_changes_are_found_wherever_they_are(repo, agent, bill):
    agent().bash("sed -i 's/return x/return y/' src/bill.py && echo hi > 'a b.txt' && mkdir -p d && echo x > d/é.txt")

    assert sorted(mutations(repo)) == [
        ("shell", "ai", "a b.txt", "add"),
        ("shell", "ai", "d/é.txt", "add"),
        ("shell", "ai", bill, "modify"),
    ]


def test_a_command_does_not_get_what_a_person_changed_before_it(repo, agent, bill):
    repo.write(bill, "# by hand\n" + BILL)

    agent().bash("echo '# by shell' >> src/bill.py")

    assert [via for via, *_ in mutations(repo)] == ["unseen", "shell"]
    assert added(entries(repo)[1]) == hashes("# by shell")


def test_a_file_that_git_ignores_is_followed_once_it_was_seen(repo, agent, bill):
    repo.commit("ignore", {".gitignore": "*.log\n"})
    claude = agent()
    claude.write("run.log", "one\n")

    claude.bash("echo two >> run.log")

    assert mutations(repo)[-1] == ("shell", "ai", "run.log", "modify")


def test_a_deleted_file_is_a_deletion(repo, agent, bill):
    agent().bash("rm src/bill.py")

    assert mutations(repo) == [("shell", "ai", bill, "delete")]


def test_a_moved_and_edited_file_is_a_rename(repo, agent, bill):
    agent().bash("git mv src/bill.py src/invoice.py && sed -i 's/return x/return y/' src/invoice.py")

    (entry,) = entries(repo)
    assert (entry["op"], entry["from_path"], entry["path"]) == ("rename", bill, "src/invoice.py")
    assert added(entry) == hashes("return y")


def test_a_change_that_the_command_commits_is_still_the_command_s(repo, agent, bill):
    agent().bash("sed -i 's/return x/return y/' src/bill.py && git commit -qam change")

    assert mutations(repo) == [("shell", "ai", bill, "modify")]
    (commit,) = repo.events("commit.observed")
    assert commit.data["revision"] == repo.git("rev-parse", "HEAD")
    assert commit.data["files"] == [bill]
    assert len(commit.data["patch_id"]) == 40


def test_what_a_checkout_brings_is_git_s_and_not_the_agent_s(repo, agent, bill):
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("by somebody", {bill: BILL.replace("return x", "return z")})
    repo.git("checkout", "-q", "main")

    agent().bash("git merge -q side")

    assert {via for via, *_ in mutations(repo)} <= {"git"}


def test_what_a_checkout_of_a_file_takes_back_is_git_s(repo, agent, bill):
    claude = agent()
    claude.edit(bill, "return x", "return y")

    claude.bash("git checkout -q -- src/bill.py")

    assert [via for via, *_ in mutations(repo)] == ["tool", "git"]


def test_two_calls_under_way_on_one_file_each_get_their_own_lines(repo, agent, bill):
    one, two = agent("one"), agent("two")
    path = str(repo.path / bill)
    first = {"file_path": path, "old_string": "sum(lines)", "new_string": "sum(lines, 0)"}
    second = {"file_path": path, "old_string": "return x", "new_string": "return -x"}
    a = {"tool_name": "Edit", "tool_input": first, "tool_use_id": "a"}
    b = {"tool_name": "Edit", "tool_input": second, "tool_use_id": "b"}

    one.send("PreToolUse", **a)
    two.send("PreToolUse", **b)
    repo.write(bill, BILL.replace("sum(lines)", "sum(lines, 0)").replace("return x", "return -x"))
    one.send("PostToolUse", **a, tool_response={})
    two.send("PostToolUse", **b, tool_response={})

    by_session = [(event.session_id, added(event.data["files"][0])) for event in repo.events("mutation.observed")]
    assert by_session == [("one", hashes("return sum(lines, 0)")), ("two", hashes("return -x"))]


def test_calls_under_way_on_a_file_with_other_line_ends_get_their_own_lines(repo, agent):
    path = repo.write("dos.py", b"a = 1\r\nb = 2\r\nc = 3\r\n")
    repo.commit()
    one, two = agent("one"), agent("two")
    first = {"file_path": str(path), "old_string": "a = 1\nb = 2", "new_string": "a = 1\nfirst = 1\nb = 2"}
    second = {"file_path": str(path), "old_string": "c = 3", "new_string": "second = 1\nc = 3"}
    a = {"tool_name": "Edit", "tool_input": first, "tool_use_id": "a"}
    b = {"tool_name": "Edit", "tool_input": second, "tool_use_id": "b"}

    one.send("PreToolUse", **a)
    two.send("PreToolUse", **b)
    path.write_bytes(b"a = 1\r\nfirst = 1\r\nb = 2\r\nsecond = 1\r\nc = 3\r\n")
    one.send("PostToolUse", **a, tool_response={})
    two.send("PostToolUse", **b, tool_response={})

    by_session = [(event.session_id, added(event.data["files"][0])) for event in repo.events("mutation.observed")]
    assert by_session == [("one", hashes("first = 1")), ("two", hashes("second = 1"))]


@pytest.mark.slow
@given(st.permutations([0, 1, 2] * 3))
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_calls_under_way_on_one_file_in_any_order_claim_their_own_lines(repo, agent, order):
    run = len(repo.lines())
    path = repo.write(f"{run}.py", "".join(f"slot{n} = 0\nkeep{n} = 1\n" for n in range(3)))
    steps = dict.fromkeys(range(3), 0)

    for n in order:
        edit = {"file_path": str(path), "old_string": f"slot{n} = 0", "new_string": f"slot{n} = 1"}
        call = {"tool_name": "Edit", "tool_input": edit, "tool_use_id": f"call{run}.{n}"}
        claude = agent(f"session{n}", None)
        if steps[n] == 0:
            claude.send("PreToolUse", **call)
        elif steps[n] == 1:
            path.write_text(path.read_text().replace(edit["old_string"], edit["new_string"]))
        else:
            claude.send("PostToolUse", **call, tool_response={})
        steps[n] += 1

    by_session = {event.session_id: added(event.data["files"][0]) for event in claims(repo, path.name)}
    assert by_session == {f"session{n}": hashes(f"slot{n} = 1") for n in range(3)}


def test_a_call_that_was_never_finished_does_not_swallow_what_a_person_writes(repo, agent, bill):
    claude = agent()
    refused = {"file_path": str(repo.path / bill), "old_string": "return x", "new_string": "return 1"}
    claude.send("PreToolUse", tool_name="Edit", tool_input=refused, tool_use_id="refused")
    repo.write(bill, "# by hand\n" + BILL)

    claude.edit(bill, "sum(lines)", "sum(lines, 0)")

    assert [via for via, *_ in mutations(repo)] == ["unseen", "tool"]
    assert added(entries(repo)[0]) == hashes("# by hand")


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        pytest.param({"originalFile": BILL}, ["tool"], id="the agent tells the text before"),
        pytest.param({}, ["tool"], id="the edit is undone"),
        pytest.param({"originalFile": "# by hand\n" + BILL}, ["unseen", "tool"], id="it was changed before"),
    ],
)
def test_without_a_pre_hook_the_state_before_is_found_out(repo, agent, bill, response, expected):
    claude = agent()
    before = response.get("originalFile", BILL)
    repo.write(bill, before.replace("return x", "return -x"))
    given = {"file_path": str(repo.path / bill), "old_string": "return x", "new_string": "return -x"}

    claude.send("PostToolUse", tool_name="Edit", tool_input=given, tool_use_id="t", tool_response=response)

    assert [via for via, *_ in mutations(repo)] == expected
    assert added(entries(repo)[-1]) == hashes("return -x")


def test_a_command_without_a_pre_hook_claims_nothing(repo, agent, bill):
    repo.write(bill, BILL + "x = 1\n")

    agent().send("PostToolUse", tool_name="Bash", tool_input={"command": "make"}, tool_use_id="t", tool_response={})

    assert {contributor for _, contributor, *_ in mutations(repo)} <= {"unknown"}


def test_a_file_that_is_gone_after_a_write_was_not_deleted_by_it(repo, agent, bill):
    with agent().tool("Write", {"file_path": str(repo.path / bill), "content": "x"}, {}):
        (repo.path / bill).unlink()

    assert mutations(repo) == [("unseen", "unknown", bill, "delete")]


def test_a_staged_write_reached_no_disk(repo, agent, bill):
    agent().send(
        "PostToolUse",
        tool_name="Write",
        tool_input={"file_path": str(repo.path / bill), "content": "x"},
        tool_use_id="t",
        tool_response={"staged": True},
    )

    assert mutations(repo) == []


def test_a_person_s_change_of_a_proposal_is_an_event_of_its_own(repo, agent, bill):
    claude = agent()
    given = {"file_path": str(repo.path / "new.py"), "content": "one\ntwo\nthree\n"}

    with claude.tool("Write", given, {"userModified": True}):
        repo.write("new.py", "one\n2\nthree\n")

    first, second = repo.events("mutation.observed")
    assert [(event.contributor, event.data["via"]) for event in (first, second)] == [("ai", "tool"), ("human", "human")]
    assert (first.data["user_modified"], second.data["user_modified"]) == (False, True)
    assert (first.agent is not None, second.agent) == (True, None)
    (proposed,), (accepted,) = first.data["files"], second.data["files"]
    assert proposed["after_hash"] == accepted["before_hash"]
    assert accepted["hunks"][0]["new_start"] == 2


def test_a_proposal_that_the_person_changed_says_so(repo, agent, bill):
    agent().edit(bill, "return x", "return y", userModified=True)

    assert repo.events("mutation.observed")[0].data["user_modified"] is True


@pytest.mark.daily(8)
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"a\r\nb\r\n", id="CRLF"),
        pytest.param(b"a\nb", id="no final newline"),
        pytest.param(b"caf\xe9\n", id="Latin-1"),
        pytest.param(b"\xef\xbb\xbfa\n", id="byte order mark"),
        pytest.param(b"", id="empty"),
        pytest.param(b"\n\n\n", id="blank lines"),
        pytest.param(b"\0\1\2", id="binary"),
        pytest.param("é中😀\n".encode() * 5000, id="many lines"),
    ],
)
def test_any_content_is_followed_by_its_hash(repo, agent, bill, content):
    claude = agent()
    with claude.tool("Write", {"file_path": str(repo.path / "f"), "content": "?"}, {}):
        repo.write("f", content)
    with claude.tool("Write", {"file_path": str(repo.path / "f"), "content": "?"}, {}):
        repo.write("f", content + b"more\n")

    assert entries(repo)[0]["after_hash"] == digest(content)
    assert entries(repo)[-1]["before_hash"] == digest(content)


@pytest.mark.daily(8)
@pytest.mark.parametrize(
    "name", ["a b.py", 'quo"te.py', "naïve/ü.py", "emoji 😀.py", "-dash.py", "new\nline.py", "[a].py"]
)
def test_any_name_is_recorded_as_it_is(repo, agent, bill, name):
    agent().write(name, "x = 1\n")

    assert [(entry["path"], entry["op"]) for entry in entries(repo)] == [(name, "add")]


def test_a_name_that_is_not_unicode_is_recorded_as_git_prints_it(repo, agent, bill):
    claude = agent()
    claude.bash("printf 'x\\n' > $(printf 'caf\\351.py')")
    claude.bash("printf 'y\\n' >> $(printf 'caf\\351.py')")

    assert [entry["path"] for entry in entries(repo)] == [r'"caf\351.py"'] * 2


def test_a_symbolic_link_inside_is_the_file_it_points_at(repo, agent, bill):
    os.symlink("bill.py", repo.path / "src" / "link.py")
    claude = agent()
    with claude.tool("Write", {"file_path": str(repo.path / "src" / "link.py"), "content": "?"}, {}):
        (repo.path / "src" / "link.py").write_text("x = 1\n")

    assert [entry["path"] for entry in entries(repo)] == [bill]


@pytest.mark.parametrize("target", ["outside", "link", "parent"])
def test_a_file_outside_the_repository_is_no_mutation_and_its_place_is_not_kept(repo, agent, bill, tmp_path, target):
    (tmp_path / "secret-place").mkdir()
    outside = tmp_path / "secret-place" / "notes.txt"
    outside.write_text("x\n")
    os.symlink(outside, repo.path / "link.txt")
    path = {"outside": str(outside), "link": str(repo.path / "link.txt"), "parent": "../secret-place/notes.txt"}[target]

    with agent().tool("Write", {"file_path": path, "content": "?"}, {}):
        outside.write_text("y\n")

    assert mutations(repo) == []
    assert b"secret-place" not in b"".join(repo.lines())


def test_a_worktree_has_its_own_ledger(repo, agent, bill):
    repo.git("worktree", "add", "-q", "../side")
    claude = agent()
    side = repo.path.parent / "side"
    given = {"file_path": str(side / bill), "content": "x = 1\n"}
    claude.send("PreToolUse", cwd=str(side), tool_name="Write", tool_input=given, tool_use_id="w")
    (side / bill).write_text("x = 1\n")
    claude.send("PostToolUse", cwd=str(side), tool_name="Write", tool_input=given, tool_use_id="w", tool_response={})

    assert mutations(repo) == []
    assert b'"path":"src/bill.py","op":"modify"' in (side / ".orchestration" / "agent_trace.jsonl").read_bytes()


def test_a_file_of_a_submodule_is_recorded_under_its_path(repo, agent, bill, tmp_path):
    other = type(repo)(tmp_path / "library")
    other.commit("start", {"lib.py": "a = 1\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.path), "lib")
    repo.commit("add the library")

    agent().edit("lib/lib.py", "a = 1", "a = 2")

    assert mutations(repo)[-1] == ("tool", "ai", "lib/lib.py", "modify")


def test_a_repository_without_a_commit_is_recorded(repo, agent):
    agent().write("first.py", "a = 1\n")

    assert mutations(repo) == [("tool", "ai", "first.py", "add")]
    vcs = repo.events("mutation.observed")[0].vcs
    assert (vcs.revision, vcs.branch) == (None, "main")


def test_a_detached_head_has_a_revision_and_no_branch(repo, agent, bill):
    repo.git("checkout", "-q", "--detach")
    agent().edit(bill, "return x", "return y")

    vcs = repo.events("mutation.observed")[0].vcs
    assert (vcs.revision, vcs.branch) == (repo.git("rev-parse", "HEAD"), None)


def test_packed_refs_are_read(repo, agent, bill):
    repo.git("pack-refs", "--all")
    agent().edit(bill, "return x", "return y")

    assert repo.events("mutation.observed")[0].vcs.revision == repo.git("rev-parse", "HEAD")


@pytest.mark.parametrize("forget", ["objects", "state", "both"])
def test_forgotten_memory_costs_precision_and_never_claims_too_much(repo, agent, bill, forget):
    claude = agent()
    claude.edit(bill, "return x", "return y")
    repo.write(bill, "# by hand\n" + (repo.path / bill).read_text())
    for folder in {"both": ("objects", "state")}.get(forget, (forget,)):
        for root, _, names in os.walk(repo.path / ".orchestration" / folder):
            for name in names:
                os.unlink(os.path.join(root, name))

    claude.edit(bill, "sum(lines)", "sum(lines, 0)")

    claimed = [added(e) for e, (via, *_) in zip(entries(repo), mutations(repo), strict=True) if via == "tool"]
    assert claimed == [hashes("return y"), hashes("return sum(lines, 0)")]


def test_a_notebook_edit_is_recorded(repo, agent, bill):
    claude = agent()
    given = {"notebook_path": str(repo.path / "n.ipynb"), "new_source": "print(1)"}
    repo.write("n.ipynb", '{\n "cells": []\n}\n')
    with claude.tool("NotebookEdit", given, {}):
        repo.write("n.ipynb", '{\n "cells": [\n  "print(1)"\n ]\n}\n')

    assert mutations(repo)[-1] == ("tool", "ai", "n.ipynb", "modify")


def test_an_mcp_tool_s_changes_are_found_like_a_command_s(repo, agent, bill):
    with agent().tool("mcp__files__put", {"path": "x"}, []):
        repo.write("made.txt", "x\n")

    assert mutations(repo) == [("tool", "ai", "made.txt", "add")]


def test_our_own_folder_is_never_a_target(repo, agent, bill):
    claude = agent()
    claude.write(".orchestration/active_intents.yaml", "active_intents: []\n")
    claude.bash("echo x >> .orchestration/config.yaml")

    assert mutations(repo) == []


@pytest.mark.slow
def test_a_thousand_generated_files_are_all_the_command_s(repo, agent, bill):
    agent().bash("for n in $(seq 1000); do echo $n > g$n.txt; done")

    assert set(mutations(repo)) == {("shell", "ai", f"g{n}.txt", "add") for n in range(1, 1001)}


@pytest.mark.slow
def test_a_commit_of_more_names_than_an_event_holds_is_still_recorded(repo, agent, bill):
    agent().bash(
        "for n in $(seq 400); do echo $n > $(printf 'n%.0s' $(seq 200))$n.txt; done; git add -A; git commit -qm x"
    )

    assert 0 < len(repo.events("commit.observed")[0].data["files"]) < 400
    assert len(entries(repo)) == 400


def test_what_a_scan_could_not_reach_in_time_is_said(repo, agent, bill, monkeypatch):
    monkeypatch.setattr("linetrail.ledger.hook.changes.SCAN_SECONDS", 0)

    agent().bash("for n in $(seq 30); do echo $n > g$n.txt; done")

    left = repo.events("tool.completed")[0].data["unscanned"]
    assert left == 30 - len(mutations(repo)) > 0


def test_a_command_does_not_get_what_another_session_is_writing(repo, agent, bill):
    one, two = agent("one"), agent("two")
    edit = {"file_path": str(repo.path / bill), "old_string": "return x", "new_string": "return y"}
    command = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "b"}

    two.send("PreToolUse", **command)
    with one.tool("Edit", edit, {}):
        repo.write(bill, BILL.replace("return x", "return y"))
        two.send("PostToolUse", **command, tool_response={"stdout": ""})

    assert [(event.session_id, event.data["via"]) for event in repo.events("mutation.observed")] == [("one", "tool")]


def test_a_command_gets_what_it_writes_in_place_of_a_refused_edit(repo, agent, bill):
    claude = agent()
    refused = {"file_path": str(repo.path / bill), "old_string": "return x", "new_string": "return y"}
    claude.send("PreToolUse", tool_name="Edit", tool_input=refused, tool_use_id="refused")

    claude.bash("sed -i 's/return x/return y/' src/bill.py")

    assert mutations(repo) == [("shell", "ai", bill, "modify")]
