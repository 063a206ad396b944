"""`linetrail import entire`: transcripts on a branch of checkpoints, written with git as Entire does."""

import json

import pytest

from tests.queries.conftest import BRANCH
from tests.queries.importers import test_import_copilot as copilot
from tests.queries.importers import test_import_opencode as opencode

pytestmark = [pytest.mark.usefixtures("ledger"), pytest.mark.in_turn]


@pytest.mark.slow
def test_checkpoints_give_the_events_of_their_transcripts_once(repo, cli, checkpoint, long_session):
    session = long_session()
    checkpoint(session.lines[:9])
    checkpoint(session.lines, name="b4c5d6e7f8a9", parts=3)

    first = cli("import", "entire", "--json")
    second = cli("import", "entire", "--json")

    labels = [row["path"] for row in first.rows]
    assert labels == [
        f"refs/heads/{BRANCH}:a3/b2c4d5e6f7/0/full.jsonl",
        f"refs/heads/{BRANCH}:b4/c5d6e7f8a9/0/full.jsonl",
    ]
    assert sum(row["imported"] for row in first.rows) == len(repo.events())
    assert sum(row["imported"] for row in second.rows) == 0
    assert {event.session_id for event in repo.events()} == {"session-1"}
    assert [event.data["excerpt"] for event in repo.events("prompt.submitted")] == ["Begin", "Go on"]


@pytest.mark.slow
def test_checkpoints_that_have_refs_of_their_own_are_read(repo, cli, checkpoint, long_session):
    lines = long_session().lines
    names = [f"refs/entire/checkpoints/{name[-2:]}/{name}" for name in ("01KX37KN6NXDT2Y", "01KXDM08H2V0S8M")]
    checkpoint(lines[:9], ref=names[0])
    checkpoint(lines, ref=names[1])

    answer = cli("import", "entire", "--json")

    assert [row["path"] for row in answer.rows] == [f"{name}:0/full.jsonl" for name in names]
    assert [event.data["excerpt"] for event in repo.events("prompt.submitted")] == ["Begin", "Go on"]
    said = cli("transcript", "session-1", "--json").rows
    assert {row["address"] for row in said} == {f"{names[1]}:0/full.jsonl"}


def test_refs_of_checkpoints_do_not_hide_the_branch_that_only_a_remote_has(repo, cli, checkpoint, long_session):
    session = long_session()
    checkpoint(session.lines[:9], ref=f"refs/remotes/origin/{BRANCH}")
    checkpoint(session.lines, ref="refs/entire/checkpoints/2Y/01KX37KN6NXDT2Y")

    found = cli("import", "entire", "--json").rows

    assert [row["path"].partition(":")[0] for row in found] == [
        "refs/entire/checkpoints/2Y/01KX37KN6NXDT2Y",
        f"refs/remotes/origin/{BRANCH}",
    ]


def test_a_branch_of_our_own_is_not_read_again_from_a_remote(cli, checkpoint, long_session):
    lines = long_session().lines
    checkpoint(lines[:9], ref=f"refs/remotes/origin/{BRANCH}")
    checkpoint(lines)

    found = cli("import", "entire", "--json").rows

    assert [row["path"].partition(":")[0] for row in found] == [f"refs/heads/{BRANCH}"]


@pytest.mark.parametrize("named", ["OpenCode", ""])
def test_an_export_of_opencode_in_a_checkpoint_is_read(repo, cli, checkpoint, named):
    session = opencode.Session(str(repo.path))
    session.call("write", {"filePath": f"{repo.path}/a.py", "content": "one\n"})
    checkpoint([session.text().encode()], agent=named)

    cli("import", "entire")

    (written,) = repo.events("mutation.observed")
    assert (written.agent.name, written.data["files"][0]["path"]) == ("opencode", "a.py")


def test_a_session_of_copilot_in_a_checkpoint_is_read(repo, cli, checkpoint):
    session = copilot.Session(str(repo.path))
    session.call("create", {"path": f"{repo.path}/a.py", "file_text": "one\n"})
    checkpoint(session.lines, agent="Copilot CLI")

    cli("import", "entire")

    (written,) = repo.events("mutation.observed")
    assert (written.agent.name, written.data["files"][0]["path"]) == ("copilot-cli", "a.py")


@pytest.mark.slow
def test_what_several_checkpoints_have_is_read_once(repo, cli, checkpoint, long_session):
    lines = long_session().lines
    checkpoint(lines[:12])
    checkpoint(lines, name="b4c5d6e7f8a9", parts=2)
    checkpoint(lines[:12], name="c5d6e7f8a9b0", number=1, agent="")

    answer = cli("import", "entire", "--json")

    assert [row["read"] for row in answer.rows] == [12, len(lines)]
    assert [row["skipped"].get("line of another checkpoint", 0) for row in answer.rows] == [0, 12]
    assert sum(row["imported"] for row in answer.rows) == len(repo.events())
    assert sum(row["duplicates"] for row in answer.rows) == 0


@pytest.mark.slow
def test_checkpoints_give_the_same_events_as_the_last_of_them_alone(repo, cli, checkpoint, long_session, tmp_path):
    lines = long_session().lines
    for number, length in enumerate((5, len(lines), 9, 14)):
        checkpoint(lines[:length], name=f"a3b2c4d5e6f{number}")
    cli("import", "entire")
    events = repo.events()

    (repo.path / ".orchestration").rename(tmp_path / "first")
    (repo.path / ".git" / "linetrail" / "tails").rename(tmp_path / "tails")
    repo.start_ledger()
    whole = tmp_path / "whole.jsonl"
    whole.write_bytes(b"".join(lines))
    cli("import", "claude-code", str(whole))

    assert [event._replace(prev=None, data=told(event)) for event in repo.events()] == [
        event._replace(prev=None, data=told(event)) for event in events
    ]


def told(event):
    return {name: value for name, value in event.data.items() if name != "transcript"}


def test_a_transcript_that_this_clone_does_not_have_is_told(repo, cli, checkpoint, long_session):
    checkpoint(long_session().lines)
    blob = repo.git("rev-parse", f"{BRANCH}:a3/b2c4d5e6f7/0/full.jsonl")
    (repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()

    answer = cli("import", "entire", "--json")

    assert answer.status == 1
    assert [row["reasons"] for row in answer.rows] == [{"not in this clone": 1}]


def test_the_same_session_from_the_agents_own_folder_is_not_told_again(repo, cli, checkpoint, long_session, imported):
    imported(long_session())
    before = repo.lines()
    checkpoint(long_session().lines)

    cli("import", "entire")

    assert repo.lines() == before


@pytest.mark.daily(7)
@pytest.mark.parametrize("named", ["Gemini CLI", "Agent", ""])
def test_a_chat_of_gemini_in_a_checkpoint_is_read(repo, cli, checkpoint, named):
    repo.commit("known", {"a.py": "one\n"})
    call = {"id": "read-1", "name": "read_file", "args": {"file_path": "/elsewhere/a.py"}, "status": "success"}
    said = {"id": "m-1", "timestamp": "2026-01-05T10:00:00Z", "type": "gemini", "content": "", "toolCalls": [call]}
    chat = {"sessionId": "chat-1", "projectHash": "0", "startTime": "2026-01-05T10:00:00Z", "messages": [said]}
    checkpoint([json.dumps(chat, indent=2).encode()], agent=named)

    cli("import", "entire")

    assert [(event.agent.name, event.session_id) for event in repo.events("tool.requested")] == [
        ("gemini-cli", "chat-1")
    ]


def test_an_agent_that_nobody_knows_is_told_and_the_others_are_read(repo, cli, checkpoint, long_session):
    checkpoint([b"{}\n"], name="c5d6e7f8a9b0", agent="Some Agent")
    checkpoint(long_session().lines)

    answer = cli("import", "entire", "--json")

    assert answer.status == 0
    assert {"agent not known: Some Agent": 1} in [row["reasons"] for row in answer.rows]
    assert len(repo.events("prompt.submitted")) == 2


def test_damaged_metadata_does_not_hide_a_transcript(repo, cli, checkpoint, long_session):
    checkpoint(long_session().lines, agent={"a": 1})
    answer = cli("import", "entire", "--json")

    assert answer.rows[0]["reasons"] == {"agent not known: {'a': 1}": 1}
    assert repo.events() == []


def test_a_repository_without_checkpoints_is_no_error(cli):
    answer = cli("import", "entire")

    assert answer.status == 0
    assert "no checkpoints" in answer.err


def test_a_branch_that_is_not_there_is_an_error(cli):
    answer = cli("import", "entire", "nothing/here")

    assert answer.status == 2
    assert "no such branch" in answer.err
