"""One call that adds, changes, removes and renames: each file is recorded as what became of it, and by whom."""

import json
import time

import pytest

from linetrail.ledger.hook.loop import handle

BEFORE = "".join(f"line {number} of a file that is long enough to be told again\n" for number in range(12))
PATCH = """\
*** Begin Patch
*** Update File: src/changed.py
@@
-x = 1
+x = 2
*** Add File: src/added.py
+new = 1
*** Delete File: src/gone.py
*** Update File: src/old_name.py
*** Move to: src/new_name.py
@@
-line 3 of a file that is long enough to be told again
+line 3, changed on the way
*** End Patch"""


@pytest.fixture
def codex(repo):
    """Return a function that lets Codex apply the patch; the block in between is what the tool does."""
    repo.commit(files={"src/changed.py": "x = 1\n", "src/gone.py": "y = 1\n", "src/old_name.py": BEFORE})
    repo.start_ledger()

    def send(event):
        payload = {
            "session_id": "s1",
            "transcript_path": None,
            "cwd": str(repo.path),
            "hook_event_name": event,
            "model": "gpt-model-x",
            "permission_mode": "default",
            "turn_id": "turn-1",
            "tool_name": "apply_patch",
            "tool_use_id": "call-1",
            "tool_input": {"command": PATCH},
        }
        payload |= {"tool_response": "Success."} if event == "PostToolUse" else {}
        handle("codex", json.dumps(payload).encode(), event=None, cwd=str(repo.path), now=time.time_ns)

    return send


def apply(repo):
    repo.write("src/changed.py", "x = 2\n")
    repo.write("src/added.py", "new = 1\n")
    (repo.path / "src/gone.py").unlink()
    (repo.path / "src/old_name.py").unlink()
    repo.write("src/new_name.py", BEFORE.replace(BEFORE.splitlines()[3], "line 3, changed on the way"))


def recorded(repo):
    return {
        file["path"]: (file["op"], file.get("from_path"), event.contributor, event.data["via"])
        for event in repo.events("mutation.observed")
        for file in event.data["files"]
    }


def test_each_file_of_a_patch_is_recorded_as_what_became_of_it(codex, repo):
    codex("PreToolUse")
    apply(repo)
    codex("PostToolUse")

    assert recorded(repo) == {
        "src/changed.py": ("modify", None, "ai", "tool"),
        "src/added.py": ("add", None, "ai", "tool"),
        "src/gone.py": ("delete", None, "ai", "tool"),
        "src/new_name.py": ("rename", "src/old_name.py", "ai", "tool"),
    }


@pytest.mark.slow
def test_the_lines_of_a_file_that_a_patch_renamed_keep_their_authors(codex, repo, cli):
    codex("PreToolUse")
    apply(repo)
    codex("PostToolUse")

    rows = json.loads(cli("blame", "src/new_name.py", "--json").out)["rows"]

    assert [row["line_no"] for row in rows if row["agent_name"] == "codex"] == [4]
    assert {row["contributor_type"] for row in rows if row["line_no"] != 4} == {"human"}


def test_without_the_hook_before_the_files_are_told_by_the_commit(codex, repo):
    apply(repo)
    codex("PostToolUse")

    told = recorded(repo)
    assert told["src/changed.py"][0] == "modify"
    assert told["src/added.py"][0] == "add"
    assert told["src/gone.py"][0] == "delete"
    assert told["src/new_name.py"][0] in ("rename", "add")


def test_a_patch_that_did_not_do_what_it_said_is_recorded_as_what_happened(codex, repo):
    codex("PreToolUse")
    repo.write("src/changed.py", "x = 2\n")
    codex("PostToolUse")

    assert recorded(repo) == {"src/changed.py": ("modify", None, "ai", "tool")}


def test_a_file_that_a_write_tool_was_to_leave_and_that_is_gone_was_taken_by_somebody_else(codex, repo):
    codex("PreToolUse")
    apply(repo)
    (repo.path / "src/added.py").unlink()
    (repo.path / "src/changed.py").unlink()
    codex("PostToolUse")

    assert recorded(repo)["src/changed.py"] == ("delete", None, "unknown", "unseen")
    assert "src/added.py" not in recorded(repo)
