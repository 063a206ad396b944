"""`linetrail import claude-code`: transcripts become the events that the hooks would have given."""

import json
import os
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linetrail.ledger.mutation import digest
from linetrail.ledger.schema import problems


@pytest.fixture(autouse=True)
def _ledger(repo):
    repo.start_ledger()


@pytest.fixture
def imported(repo, cli, tmp_path):
    """Return a function that saves transcripts, imports them and returns the rows."""

    def run(*transcripts, options=()):
        paths = [str(one.save(tmp_path / f"{at}.jsonl")) for at, one in enumerate(transcripts)]
        answer = cli("import", "claude-code", *paths, "--json", *options)
        assert answer.status == 0, answer.err
        return answer.rows

    return run


def files(events):
    """Return the one file of each mutation, with who is said to have made it."""
    return [(event.contributor, event.data["via"], event.data["files"][0]) for event in events]


def hashed(text):
    return None if text is None else digest(text.encode())


# What becomes an event


def test_what_a_session_used_is_told_before_the_next_session_begins(repo, talk, imported):
    first, second = talk("first"), talk("second", after=3600)
    for session in (first, second):
        session.prompt("hello")
        session.answer({"type": "text", "text": "hello"})

    imported(first, second)

    assert [event.session_id for event in repo.events("usage.recorded", "session.started")] == [
        "first",
        "first",
        "second",
        "second",
    ]


def test_a_session_becomes_what_its_hooks_would_have_told(repo, talk, imported):
    session = talk()
    session.prompt("Add a total", permissionMode="acceptEdits")
    session.write("src/total.py", "def total():\n    return 0\n")
    session.bash("pytest -q", "1 passed")

    imported(session)

    assert [event.type for event in repo.events()] == [
        "session.started",
        "prompt.submitted",
        "tool.requested",
        "mutation.observed",
        "tool.completed",
        "usage.recorded",
        "tool.requested",
        "tool.completed",
        "usage.recorded",
    ]
    assert not [problem for line in repo.lines() for problem in problems(line)]


def test_every_event_names_its_session_its_agent_and_its_branch(repo, talk, imported):
    session = talk("session-9")
    session.prompt("Hello")
    session.bash("ls")

    imported(session)

    requested = repo.events("tool.requested")[0]
    assert requested.session_id == "session-9"
    assert requested.agent == ("claude-code", "2.1.45", "anthropic/claude-model-x")
    assert requested.vcs == ("git", None, "main", None)
    assert requested.contributor == "ai"
    assert repo.events("prompt.submitted")[0].contributor == "human"


def test_a_tool_call_points_to_its_prompt(repo, talk, imported):
    session = talk()
    session.prompt("Look around", permissionMode="plan")
    session.bash("ls")

    imported(session)

    prompt, requested = repo.events("prompt.submitted")[0], repo.events("tool.requested")[0]
    assert requested.data["prompt_id"] == prompt.data["prompt_id"]
    assert requested.data["permission_mode"] == "plan"


def test_the_permission_mode_may_come_as_a_record_of_its_own(repo, talk, imported):
    session = talk()
    session.prompt("Hello")
    session.lines.append(b'{"type": "permission-mode", "permissionMode": "auto", "sessionId": "session-1"}\n')
    session.bash("ls")

    imported(session)

    assert repo.events("tool.requested")[0].data["permission_mode"] == "auto"


def test_a_failed_command_tells_its_exit_code(repo, talk, imported):
    session = talk()
    session.bash("false", "Exit code 3\nno such target", failed=True)

    imported(session)

    data = repo.events("tool.failed")[0].data
    assert (data["exit_code"], data["error"]) == (3, "Exit code 3 no such target")


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"isMeta": True}, id="what the client explains to the agent"),
        pytest.param({"isCompactSummary": True, "isVisibleInTranscriptOnly": True}, id="summary of a compaction"),
        pytest.param({"isSidechain": True, "agentId": "a1"}, id="an agent speaking to a subagent"),
        pytest.param({"origin": {"kind": "task-notification"}}, id="a task in the background"),
        pytest.param({"text": "<local-command-stdout>bye</local-command-stdout>"}, id="output of a local command"),
        pytest.param({"text": "<command-name>/clear</command-name>"}, id="a local command"),
        pytest.param({"text": "[Request interrupted by user]"}, id="an interruption"),
    ],
)
def test_only_what_a_person_typed_is_a_prompt(repo, talk, imported, fields):
    session = talk()
    session.prompt(fields.pop("text", "Carry on"), **fields)

    imported(session)

    assert not repo.events("prompt.submitted")


@pytest.mark.parametrize(
    ("content", "typed"),
    [
        pytest.param("Add a total", "Add a total", id="plain text"),
        pytest.param([{"type": "text", "text": "See"}, {"type": "image", "source": {}}], "See", id="with a picture"),
        pytest.param(
            "<command-message>fix is running</command-message>\n<command-name>/fix</command-name>\n"
            "<command-args>the total</command-args>",
            "/fix the total",
            id="a command of the project",
        ),
    ],
)
def test_a_prompt_is_kept_as_hash_and_excerpt(repo, talk, imported, content, typed):
    session = talk()
    session.prompt(content)

    imported(session)

    data = repo.events("prompt.submitted")[0].data
    assert (data["excerpt"], data["sha256"], data["length"]) == (typed, hashed(typed), len(typed))


def test_a_prompt_typed_while_the_agent_worked_is_one_too(repo, talk, imported):
    session = talk()
    session.add("attachment", attachment={"type": "queued_command", "prompt": "And a test", "commandMode": "prompt"})

    imported(session)

    assert repo.events("prompt.submitted")[0].data["excerpt"] == "And a test"


def test_leaving_ends_the_session(repo, talk, imported):
    session = talk()
    session.prompt("Hello")
    session.prompt("<command-name>/exit</command-name>\n<command-message>exit</command-message>")

    imported(session)

    assert [event.data["reason"] for event in repo.events("session.ended")] == ["prompt_input_exit"]


def test_why_a_session_began_is_told_by_its_hook(repo, talk, imported):
    session = talk()
    session.add("progress", data={"type": "hook_progress", "hookName": "SessionStart:resume"})

    imported(session)

    data = repo.events("session.started")[0].data
    assert (data["source"], data["transcript"], data["cwd"]) == ("resume", "0.jsonl", ".")


# Tokens


def test_the_last_report_on_an_answer_has_its_tokens(repo, talk, imported):
    session = talk()
    for tokens in (1, 7, 40):
        session.answer(message="msg_1", tokens=tokens)
    session.answer(message="msg_2", tokens=5)

    imported(session)

    usage = [event.data for event in repo.events("usage.recorded")]
    assert [(one["usage_key"], one["output_tokens"]) for one in usage] == [
        ("msg_1:req_msg_1", 40),
        ("msg_2:req_msg_2", 5),
    ]
    assert usage[0]["model_id"] == "anthropic/claude-model-x"


def test_what_is_no_count_of_tokens_is_not_known(repo, talk, imported):
    session = talk()
    usage = {"input_tokens": -1, "output_tokens": 2.5, "cache_read_input_tokens": 10**30}
    session.add("assistant", message={"id": "m", "model": "x", "role": "assistant", "content": [], "usage": usage})

    imported(session)

    data = repo.events("usage.recorded")[0].data
    assert [data[kind] for kind in ("input_tokens", "output_tokens", "cache_read_input_tokens")] == [None] * 3


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


# Subagents


def test_a_subagent_that_reports_as_progress_speaks_for_its_session(repo, talk, imported):
    session = talk()
    task = session.call("Task", {"prompt": "Look", "subagent_type": "Explore"})
    use = {
        "type": "tool_use",
        "id": "toolu_of_the_subagent_01",
        "name": "Read",
        "input": {"file_path": session.place("a.py")},
    }
    said = {
        "id": "msg_sub",
        "model": "claude-small",
        "role": "assistant",
        "content": [use],
        "usage": {"output_tokens": 2},
    }
    for kind, message in (
        ("user", {"role": "user", "content": "Look"}),
        ("assistant", said),
        ("user", {"role": "user", "content": [{"type": "tool_result", "tool_use_id": use["id"], "content": "one"}]}),
    ):
        inner = {"type": kind, "message": message, "uuid": f"of-the-subagent-{len(session.lines)}", "requestId": "r"}
        session.add(
            "progress", parentToolUseID=task, data={"type": "agent_progress", "agentId": "a1", "message": inner}
        )

    imported(session)

    requested = repo.events("tool.requested")[1]
    assert (requested.session_id, requested.agent.model_id) == ("session-1", "anthropic/claude-small")
    assert (requested.data["agent_id"], requested.data["agent_type"]) == ("a1", "Explore")
    assert repo.events("tool.completed")[0].data["agent_id"] == "a1"
    assert not repo.events("prompt.submitted")
    assert "msg_sub:r" in {event.data["usage_key"] for event in repo.events("usage.recorded")}


def test_a_subagent_with_a_file_of_its_own_speaks_for_its_session(repo, cli, talk, tmp_path):
    session, sub = talk(), talk()
    session.prompt("Look")
    sub.calls = 10
    sub.call("Grep", {"pattern": "x"}, isSidechain=True, agentId="a7")
    folder = tmp_path / "projects"
    session.save(folder / "session-1.jsonl")
    sub.save(folder / "session-1" / "subagents" / "agent-a7.jsonl")

    rows = cli("import", "claude-code", str(folder), "--json").rows

    assert len(rows) == 2
    assert [event.data["agent_id"] for event in repo.events("tool.requested")] == ["a7"]
    assert len(repo.events("session.started")) == 1


def test_a_sidechain_without_a_name_is_still_not_the_main_agent(repo, talk, imported):
    session = talk()
    session.call("Grep", {"pattern": "x"}, isSidechain=True)

    imported(session)

    assert repo.events("tool.requested")[0].data["agent_id"] == "sidechain"


# Order


def test_sessions_interleave_as_they_happened(repo, talk, imported):
    early, late = talk("early"), talk("late")
    for number in range(3):
        early.now = late.now
        early.prompt(f"early {number}")
        late.now = early.now
        late.prompt(f"late {number}")

    imported(late, early)

    assert [event.data["excerpt"] for event in repo.events("prompt.submitted")] == [
        f"{who} {number}" for number in range(3) for who in ("early", "late")
    ]


def test_a_clock_that_goes_back_does_not_disturb_the_order_of_a_file(repo, talk, imported):
    session = talk()
    for number in range(4):
        session.prompt(f"prompt {number}", timestamp=f"2026-01-05T10:00:0{9 - number}.000Z")

    imported(session)

    assert [event.data["excerpt"] for event in repo.events("prompt.submitted")] == [f"prompt {n}" for n in range(4)]


# Once


def long_session(talk):
    session = talk()
    session.prompt("Begin", permissionMode="plan")
    session.write("a.py", "one\ntwo\n")
    for tokens in (1, 2):
        session.answer(message="msg_in_pieces", tokens=tokens)
    after = session.edit("a.py", "one\ntwo\nby hand\n", "two", "2")
    session.prompt("Go on")
    session.edit("a.py", after, "one", "1")
    session.edit("draft.py", "x\n", "x", "y")
    session.bash("make", "Exit code 2", failed=True)
    session.prompt("<command-name>/exit</command-name>")
    return session


def test_a_second_import_brings_nothing_new(repo, talk, imported):
    first = imported(long_session(talk))
    before = repo.lines()

    second = imported(long_session(talk))

    assert second[0]["imported"] == 0
    assert second[0]["duplicates"] == first[0]["imported"] == len(before)
    assert repo.lines() == before


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pieces=st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=4))
def test_however_a_transcript_is_spread_over_files_the_events_are_the_same(repo, cli, talk, tmp_path_factory, pieces):
    session = long_session(talk)
    whole, spread = tmp_path_factory.mktemp("whole"), tmp_path_factory.mktemp("spread")
    session.save(whole / "all.jsonl")
    count = len(session.lines)
    cut = len(session.lines) // 2
    ranges = [(0, cut + 1), (cut, count), *((min(a, b), max(a, b)) for a, b in pieces)]
    for at, (start, stop) in enumerate(ranges):
        session.save(spread / f"{at}.jsonl", session.lines[start:stop])

    def events_of(folder):
        ledger = repo.path / ".orchestration" / "agent_trace.jsonl"
        ledger.unlink(missing_ok=True)
        assert cli("import", "claude-code", str(folder)).status == 0
        told = [event._replace(prev=None) for event in repo.events()]
        for event in told:
            event.data.pop("transcript", None)
        return told

    assert events_of(spread) == events_of(whole)


def test_a_transcript_that_grew_adds_what_is_new(repo, cli, talk, tmp_path):
    session = long_session(talk)
    path = session.save(tmp_path / "t.jsonl", session.lines[:5])
    cli("import", "claude-code", str(path))
    before = repo.lines()

    session.save(path)
    cli("import", "claude-code", str(path))

    assert repo.lines()[: len(before)] == before
    assert len({event.id for event in repo.events()}) == len(repo.events())
    assert [entry["after_hash"] for _, _, entry in files(repo.events("mutation.observed"))][-1] == hashed("y\n")


def test_what_the_hooks_recorded_is_not_told_again(repo, hook, talk, imported):
    session = talk(cwd=str(repo.path))
    session.now = session.now.replace(year=2020)
    prompt = {
        "session_id": "session-1",
        "cwd": str(repo.path),
        "hook_event_name": "UserPromptSubmit",
        "prompt": "Add it",
    }
    hook(prompt)
    recorded = repo.events("prompt.submitted")[0]
    session.prompt("Add it", timestamp=recorded.timestamp)
    session.write("a.py", "one\n")
    call = {
        "session_id": "session-1",
        "cwd": str(repo.path),
        "tool_name": "Write",
        "tool_use_id": f"toolu_session-1_{session.calls:06d}_full",
        "tool_input": {"file_path": session.place("a.py"), "content": "one\n"},
    }
    hook(call | {"hook_event_name": "PreToolUse"})
    repo.write("a.py", "one\n")
    hook(call | {"hook_event_name": "PostToolUse", "tool_response": {"filePath": session.place("a.py")}})

    imported(session)

    counted = [len(repo.events(kind)) for kind in ("prompt.submitted", "tool.requested", "tool.completed")]
    assert counted == [1, 1, 1]
    assert [event.data["via"] for event in repo.events("mutation.observed")] == ["tool"]


def test_a_copy_that_a_fork_made_belongs_to_the_session_it_was_copied_from(repo, talk, imported):
    origin, fork = talk("origin"), talk("fork", after=60)
    origin.prompt("Begin")
    name = json.loads(origin.lines[0])["uuid"]
    copied = json.loads(origin.lines[0])["timestamp"]
    fork.prompt("Begin", timestamp=copied, forkedFrom={"sessionId": "origin", "messageUuid": name})
    fork.prompt("Differently")

    imported(fork, origin)

    assert [(event.session_id, event.data["excerpt"]) for event in repo.events("prompt.submitted")] == [
        ("origin", "Begin"),
        ("fork", "Differently"),
    ]


def test_a_dry_run_writes_nothing(repo, talk, imported):
    session = long_session(talk)

    (row,) = imported(session, options=["--dry-run"])

    assert row["imported"] > 0
    assert os.listdir(repo.path / ".orchestration") == []


# Damage


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        pytest.param(b'{"type": "user", "mess', "cut short", id="a last line that was never finished"),
        pytest.param(b'{"type": "user", "mess\n', "not JSON", id="a line that is cut in the middle of the file"),
        pytest.param(b'{"type": "us\xe9r"}\n', "invalid UTF-8", id="bytes of another encoding"),
        pytest.param(b"[1, 2]\n", "not an object", id="JSON of another kind"),
        pytest.param(b"[" * 100_000 + b"\n", "not JSON", id="nesting without end"),
        pytest.param(b'{"type": "user", "message": {}, "uuid": "u"}\n', "no session", id="a message of no session"),
        pytest.param(
            b'{"type": "user", "sessionId": "s", "message": 1}\n', "no message", id="a message of another type"
        ),
        pytest.param(b"x" * (17 << 20) + b"\n", "line too long", id="a line of 17 MB"),
    ],
)
def test_a_damaged_line_is_counted_and_the_rest_is_read(repo, talk, imported, damage, reason):
    session = talk()
    session.prompt("Before")
    session.lines.append(damage)
    if damage.endswith(b"\n"):
        session.prompt("After")

    (row,) = imported(session)

    assert row["reasons"] == {reason: 1}
    assert row["rejected"] == 1
    assert row["read"] == len(session.lines)
    expected = ["Before", "After"] if damage.endswith(b"\n") else ["Before"]
    assert [event.data["excerpt"] for event in repo.events("prompt.submitted")] == expected


def test_a_last_line_that_lacks_only_its_newline_is_read(repo, talk, imported):
    session = talk()
    session.prompt("Whole")
    session.lines[-1] = session.lines[-1].removesuffix(b"\n")

    imported(session)

    assert len(repo.events("prompt.submitted")) == 1


def test_records_of_the_future_are_counted_and_no_error(repo, talk, imported):
    session = talk()
    session.add("hologram", colour="blue")

    (row,) = imported(session)

    assert (row["rejected"], row["skipped"]) == (0, {"type hologram": 1})


def test_half_a_surrogate_pair_does_not_stop_the_import(repo, talk, imported):
    session = talk()
    session.prompt("placeholder")
    session.lines[-1] = session.lines[-1].replace(b"placeholder", b"odd \\ud800 sign")

    imported(session)

    assert repo.events("prompt.submitted")[0].data["excerpt"] == "odd ? sign"


@pytest.mark.parametrize("value", [None, 7, "text", [], [1], {}, {"type": 5}, True])
@pytest.mark.parametrize("key", ["message", "toolUseResult", "timestamp", "uuid", "cwd", "type", "data", "sessionId"])
def test_a_field_of_another_type_stops_nothing(repo, talk, imported, key, value):
    session = talk()
    session.edit("a.py", "one\n", "one", "two", structuredPatch=value)
    for line in list(session.lines):
        session.lines.append(json.dumps(json.loads(line) | {key: value}).encode() + b"\n")
    session.prompt("After")

    imported(session)

    assert repo.events("prompt.submitted")[-1].data["excerpt"] == "After"


def test_an_event_that_was_never_written_whole_is_told_again(repo, talk, imported):
    imported(long_session(talk))
    whole = repo.lines()
    ledger = repo.path / ".orchestration" / "agent_trace.jsonl"
    ledger.write_bytes(b"".join(whole[:-1]) + whole[-1][:400])

    (row,) = imported(long_session(talk))

    assert row["imported"] == 1
    assert repo.events()[-1].id == json.loads(whole[-1])["id"]


def test_a_ledger_from_the_future_is_left_alone(repo, cli, talk, tmp_path):
    ledger = repo.path / ".orchestration" / "agent_trace.jsonl"
    ledger.write_bytes(b'{"v":99,"id":"x"}\n')

    answer = cli("import", "claude-code", str(long_session(talk).save(tmp_path / "t.jsonl")))

    assert answer.status != 0
    assert "newer" in answer.err
    assert ledger.read_bytes() == b'{"v":99,"id":"x"}\n'


def test_a_folder_that_cannot_be_written_is_named(repo, cli, talk, tmp_path):
    (repo.path / ".orchestration" / "state").write_text("in the way")

    answer = cli("import", "claude-code", str(long_session(talk).save(tmp_path / "t.jsonl")))

    assert answer.status == 2
    assert "cannot write" in answer.err


def test_a_pipe_among_the_transcripts_is_passed_over(repo, cli, talk, tmp_path):
    long_session(talk).save(tmp_path / "mixed" / "t.jsonl")
    os.mkfifo(tmp_path / "mixed" / "pipe.jsonl")
    (tmp_path / "mixed" / "gone.jsonl").symlink_to(tmp_path / "nowhere")

    assert len(cli("import", "claude-code", str(tmp_path / "mixed"), "--json").rows) == 1


def test_secrets_do_not_reach_the_ledger(repo, talk, imported):
    secret = "ghp_" + "a1B2" * 9
    session = talk()
    session.prompt(f"use {secret}")
    session.bash(f"curl -H 'Authorization: Bearer {secret}' host", f"Exit code 1\nbad {secret}", failed=True)
    session.write("a.env", f"TOKEN={secret}\n")

    imported(session)

    assert secret.encode() not in b"".join(repo.lines())


def test_no_content_of_a_file_reaches_the_ledger(repo, talk, imported):
    session = talk()
    session.write("a.py", "a very particular line\n")

    imported(session)

    assert b"particular" not in b"".join(repo.lines())


# The command


def test_without_a_path_it_reads_the_sessions_of_this_repository(repo, cli, talk, home, tmp_path):
    (repo.path / "api").mkdir()
    own, sub, sibling = (
        talk(name, cwd=str(cwd))
        for name, cwd in [("own", repo.path), ("sub", repo.path / "api"), ("sibling", tmp_path / "project-api-gone")]
    )
    for one in (own, sub, sibling):
        one.prompt("Hello")
        slug = "".join(sign if sign.isalnum() else "-" for sign in one.cwd)
        one.save(home / ".claude" / "projects" / slug / f"{one.session_id}.jsonl")

    rows = cli("import", "claude-code", "--json").rows

    assert {event.session_id for event in repo.events()} == {"own", "sub"}
    assert len(rows) == 2


def test_the_agents_own_folder_may_be_elsewhere(repo, cli, talk, monkeypatch, tmp_path):
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "settings"))
    session = talk(cwd=str(repo.path))
    session.prompt("Hello")
    slug = "".join(sign if sign.isalnum() else "-" for sign in session.cwd)
    session.save(tmp_path / "settings" / "projects" / slug / "s.jsonl")

    assert cli("import", "claude-code").status == 0

    assert len(repo.events("prompt.submitted")) == 1


def test_nothing_to_read_is_said_and_no_error(cli):
    answer = cli("import", "claude-code")

    assert answer.status == 0
    assert "no transcripts in" in answer.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        pytest.param(["claude-code", "nowhere"], "no such file or folder", id="a path that is not there"),
        pytest.param(["sourcery", "."], "invalid choice", id="a source nobody knows"),
    ],
)
def test_a_wrong_call_is_explained(cli, args, message):
    answer = cli("import", *args)

    assert answer.status == 2
    assert message in answer.err


def test_without_a_ledger_it_says_how_to_start_one(repo, cli, talk, tmp_path):
    (repo.path / ".orchestration").rmdir()
    path = talk().save(tmp_path / "t.jsonl")

    answer = cli("import", "claude-code", str(path))

    assert answer.status == 2
    assert "linetrail init" in answer.err
    assert not (repo.path / ".orchestration").exists()


def test_people_are_told_what_was_left_out(cli, talk, tmp_path):
    session = talk()
    session.prompt("Hello")
    session.lines.append(b"{torn\n")
    path = session.save(tmp_path / "t.jsonl")

    answer = cli("import", "claude-code", str(path))

    assert answer.out.splitlines() == ["1 transcript, 2 lines: 2 events imported", "rejected: not JSON, 1"]
    assert answer.err == ""


# Size


@pytest.fixture
def memory(repo):
    """Return a function that imports in a process of its own and returns its answer and its largest size in MB."""
    if not os.path.exists("/proc/self/status"):
        pytest.skip("needs /proc: the kernel's account of a process begins with that of its parent")
    program = (
        "import re, sys; from linetrail.queries.cli import main; status = main(sys.argv[1:]);"
        "told = open('/proc/self/status').read();"
        "print(int(re.search(r'VmHWM:\\s+(\\d+)', told)[1]) // 1024, file=sys.stderr); sys.exit(status)"
    )

    def run(path):
        command = [sys.executable, "-c", program, "-C", repo.path, "import", "claude-code", path]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return done.stdout, int(done.stderr)

    return run


def test_a_line_of_fifty_megabytes_takes_no_memory(repo, talk, memory, tmp_path):
    session = talk()
    session.prompt("Before")
    session.lines.append(b'{"type": "user", "text": "' + b"x" * (50 << 20) + b'"}\n')
    session.prompt("After")

    told, megabytes = memory(session.save(tmp_path / "t.jsonl"))

    assert "rejected: line too long, 1" in told
    assert megabytes < 100
    assert len(repo.events("prompt.submitted")) == 2


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b'"' + "😀é".encode() * 2_500_000 + b'"', id="signs beyond the basic plane"),
        pytest.param(b"[" + b"{}," * 450_000 + b"0]", id="very many small objects"),
        pytest.param(b"[" + b'{"a":[]},' * 1_600_000 + b"0]", id="more values than memory"),
        pytest.param(b"[" + b"1.5," * 3_900_000 + b"0]", id="more numbers than memory"),
    ],
)
def test_no_line_takes_much_more_memory_than_its_size(repo, talk, memory, tmp_path, text):
    session = talk()
    session.lines.append(b'{"type": "user", "sessionId": "s", "odd": ' + text + b"}\n")
    session.prompt("After")

    _, megabytes = memory(session.save(tmp_path / "t.jsonl"))

    assert megabytes < 300
    assert len(repo.events("prompt.submitted")) == 1


def test_large_contents_of_many_sessions_take_no_more_memory_than_one(repo, talk, memory, tmp_path):
    for number in range(12):
        session = talk(f"session-{number}")
        text = f"line of session {number}\n" * 200_000
        session.write(f"{number}.txt", text)
        session.edit(f"{number}.txt", text, "line", "Line")
        session.save(tmp_path / "large" / f"{number}.jsonl")

    _, megabytes = memory(tmp_path / "large")

    assert megabytes < 300
    assert len(repo.events("tool.completed")) == 24


def test_many_transcripts_at_once_need_few_descriptors(repo, cli, talk, tmp_path):
    resource = pytest.importorskip("resource")
    for number in range(120):
        session = talk(f"session-{number}")
        session.prompt("Hello")
        session.now = session.now.replace(hour=20)
        session.prompt("Still here")
        session.save(tmp_path / "many" / f"{number}.jsonl")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    try:
        answer = cli("import", "claude-code", str(tmp_path / "many"))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert answer.status == 0, answer.err
    assert len(repo.events("prompt.submitted")) == 240


def test_a_file_of_which_nothing_can_be_read_is_a_finding(repo, cli, tmp_path):
    (tmp_path / "notes.jsonl").write_text("these are\nno transcripts\n")

    answer = cli("import", "claude-code", str(tmp_path / "notes.jsonl"))

    assert answer.status == 1
    assert answer.out.splitlines() == ["1 transcript, 2 lines: 0 events imported", "rejected: not JSON, 2"]
