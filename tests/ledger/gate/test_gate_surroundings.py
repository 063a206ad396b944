"""The gate holds wherever the agent stands, whatever it sends, and whatever is gone."""

import json
import time

import pytest

from linetrail.ledger.hook.loop import handle


def test_without_intents_and_without_a_mode_nothing_is_judged(gated, repo):
    session = gated("enforce: observe\n", "active_intents: []\n")

    assert session.write("src/a.py") == {}
    assert repo.events("gate.decided") == []


def test_every_bad_payload_is_refused_where_it_blocks_and_passed_where_it_observes(gated, repo, shared, hook):
    gated()
    index = json.loads((shared / "fixtures/hooks/index.json").read_text())
    refusing = {"reject", "deny", "deny_or_reject"}
    cases = [case for case in index["bad"] if case["agent"] == "claude-code" and case["expect"] in refusing]
    assert len(cases) > 15

    for case in cases:
        content = (shared / "fixtures/hooks" / case["file"]).read_bytes()
        done = hook(content.replace(b"/home/dev/project", str(repo.path).encode()))
        told = json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else {}
        assert (done.returncode, told.get("permissionDecision")) == (0, "deny"), case["file"]


def nested(session, path):
    """Make a repository below the one that is gated, with settings that stop nothing, and go there."""
    folder = session.repo.path / path
    (folder / ".orchestration").mkdir(parents=True)
    (folder / ".orchestration/config.yaml").write_text("enforce: observe\n")
    session.repo.git("init", "--quiet", str(folder))
    return folder


@pytest.mark.promise("G8")
def test_a_repository_inside_does_not_loosen_the_one_around_it(gated, repo):
    session = gated()
    session.select("INT-001")
    folder = nested(session, "src/billing/inner")

    told = session.agent.send(
        "PreToolUse",
        cwd=str(folder),
        tool_name="Write",
        tool_input={"file_path": str(repo.path / "src/auth/a.py"), "content": "x"},
        tool_use_id="t1",
    )

    assert session.code(told) == "OUT_OF_SCOPE"


def test_the_project_of_the_session_counts_wherever_the_agent_went(gated, repo, tmp_path, monkeypatch):
    session = gated()
    other = tmp_path / "elsewhere"
    (other / ".orchestration").mkdir(parents=True)
    repo.git("init", "--quiet", str(other))
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(repo.path))
    given = {"file_path": str(repo.path / "src/auth/a.py"), "content": "x"}

    told = session.agent.send("PreToolUse", cwd=str(other), tool_name="Write", tool_input=given, tool_use_id="t1")

    assert session.code(told) == "NO_INTENT"


@pytest.mark.parametrize("own", ["enforce: observe\n", None], ids=["with settings of its own", "without settings"])
def test_a_linked_worktree_is_as_strict_as_the_main_one_and_has_its_own_root(gated, repo, tmp_path, own):
    session = gated()
    repo.commit(files={"README.md": "x\n"})
    repo.git("worktree", "add", "--quiet", str(tmp_path / "linked"))
    folder = tmp_path / "linked"
    (folder / ".orchestration/config.yaml").unlink(missing_ok=True)
    if own is not None:
        (folder / ".orchestration/config.yaml").write_text(own)

    def ask(path, call_id):
        given = {"file_path": str(path), "content": "x"}
        return session.agent.send(
            "PreToolUse", cwd=str(folder), tool_name="Write", tool_input=given, tool_use_id=call_id
        )

    assert session.code(ask(folder / "src/billing/a.py", "t1")) == "NO_INTENT"
    assert session.code(ask(repo.path / "src/billing/a.py", "t2")) == "OUTSIDE_REPOSITORY"


@pytest.mark.promise("G1", "G8")
@pytest.mark.parametrize("gone", ["config.yaml", "all of it"])
def test_settings_that_are_gone_loosen_nothing_where_the_hook_was_installed_to_block(gated, repo, gone):
    gated()
    folder = repo.path / ".orchestration"
    if gone == "all of it":
        folder.rename(repo.path / "moved")
    else:
        (folder / gone).unlink()
    payload = {
        "session_id": "session-1",
        "cwd": str(repo.path),
        "hook_event_name": "PreToolUse",
        "tool_name": "Write",
        "tool_input": {"file_path": str(repo.path / "src/a.py"), "content": "x"},
        "tool_use_id": "t1",
    }

    def told(payload):
        text = json.dumps(payload).encode()
        now = time.time_ns
        said = handle("claude-code", text, event="PreToolUse", cwd=str(repo.path), now=now, fallback="block")
        return json.loads(said.stdout)["hookSpecificOutput"]["permissionDecision"] if said.stdout else None

    assert told(payload) == "deny"
    assert told(payload | {"tool_name": "Read", "tool_use_id": "t2"}) is None
