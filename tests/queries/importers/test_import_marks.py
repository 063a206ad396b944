"""Imports use the key and the salts of the repository: the same transcript gives the same bytes in every worktree."""

import json
import os

import pytest

from linetrail.ledger.event.commitments import comparable
from linetrail.ledger.event.event import from_line

pytestmark = pytest.mark.in_turn

TOKEN = "ghp_" + "a1B2" * 9


def events_at(path):
    lines = (path / ".orchestration" / "agent_trace.jsonl").read_bytes().splitlines(keepends=True)
    return [from_line(line)._replace(seq=None, prev=None) for line in lines]


def told(session):
    session.prompt(f"use {TOKEN}")
    session.result(session.call("Bash", {"command": f"deploy --token {TOKEN}"}), told="done")
    session.result(session.call("Read", {"file_path": f"keys/{TOKEN}.txt"}), told="done")


def test_two_worktrees_import_the_same_bytes(repo, talk, cli, tmp_path):
    repo.commit("start", {"a.py": "a\n"})
    repo.start_ledger()
    linked = tmp_path / "linked"
    repo.git("worktree", "add", "--quiet", str(linked))
    (linked / ".orchestration").mkdir()
    session = talk()
    told(session)
    file = tmp_path / "t.jsonl"
    file.write_bytes(b"".join(session.lines))

    for place in (repo.path, linked):
        assert cli("import", "claude-code", str(file), cwd=place).status == 0

    assert events_at(repo.path) == events_at(linked)
    stored = json.dumps([event.data for event in events_at(linked)])
    assert "[redacted:github:" in stored
    assert TOKEN not in stored


def test_two_clones_import_the_same_events_under_other_keys(repo, talk, cli, tmp_path):
    repo.commit("start", {"a.py": "a\n"})
    repo.start_ledger()
    clone = tmp_path / "clone"
    repo.git("clone", "--quiet", str(repo.path), str(clone))
    (clone / ".orchestration").mkdir()
    session = talk()
    told(session)
    file = tmp_path / "t.jsonl"
    file.write_bytes(b"".join(session.lines))

    for place in (repo.path, clone):
        assert cli("import", "claude-code", str(file), cwd=place).status == 0

    here, there = events_at(repo.path), events_at(clone)
    assert here != there
    assert list(map(comparable, here)) == list(map(comparable, there))


def test_a_prompt_told_by_a_hook_is_known_after_its_salt_is_erased(repo, talk, imported, agent, cli):
    agent("session-1").prompt(f"use {TOKEN} now")
    at = repo.events("prompt.submitted")[0].timestamp
    cli("erase", "session-1")
    session = talk("session-1")
    session.prompt(f"use {TOKEN} now", timestamp=at)

    imported(session)

    assert len(repo.events("prompt.submitted")) == 1


@pytest.mark.slow
def test_trying_and_a_dry_run_leave_no_key(repo, talk, cli, tmp_path):
    repo.start_ledger()
    session = talk()
    told(session)
    file = tmp_path / "t.jsonl"
    file.write_bytes(b"".join(session.lines))

    cli("import", "claude-code", str(file), "--dry-run")
    cli("try", str(file))

    private = repo.path / ".git" / "linetrail"
    assert not private.exists() or not {"redaction.key", "salts"} & set(os.listdir(private))
