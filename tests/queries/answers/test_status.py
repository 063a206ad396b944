"""`status`: what is going on, on one screen."""

import json
from datetime import UTC, datetime

import pytest

from tests.story import Story


@pytest.mark.slow
@pytest.mark.usefixtures("told")
def test_tells_what_is_going_on(cli):
    [row] = cli("status", "--json").rows

    assert (row["events"], row["last_event_at"]) == (7, "2026-01-05T09:07:00.000000Z")
    assert row["open_sessions"] == []
    assert [(write["seq"], write["path"]) for write in row["recent_writes"]] == [(5, "a.py"), (5, "dir/b.py")]
    assert (row["spooled"], row["quarantined"]) == (0, 0)


def test_the_last_event_is_the_latest_and_not_one_imported_after_it(repo, cli):
    repo.start_ledger()
    story = Story()
    latest = story.tell("session.started")
    story.tell("session.started", {"via": "import"}, session="s2", days=-30)
    story.written(repo.path)

    [row] = cli("status", "--json").rows

    assert (row["events"], row["last_event_at"]) == (2, latest.timestamp)


@pytest.mark.slow
def test_counts_the_lines_of_agents_that_are_not_committed(repo, cli):
    repo.start_ledger()
    story = Story()
    story.tell("mutation.observed", edits={"a.py": "one\ntwo\n", "gone.py": "x\n"})
    story.written(repo.path)
    repo.commit("by hand", {"b.py": "b\n"})
    repo.write("a.py", "one\ntwo\nby hand\n")
    repo.write("b.py", "c\n")

    [row] = cli("status", "--json").rows

    assert row["uncommitted"] == {"files": 1, "agent_lines": 2, "files_left_out": 0}


@pytest.mark.slow
def test_a_session_is_open_that_a_hook_heard_of_today_and_nobody_ended(repo, cli, agent, talk, tmp_path):
    repo.commit()
    agent("at-work").write("a.py", "x = 1\n")
    ended = agent("ended")
    ended.prompt("begin")
    ended.send("SessionEnd", reason="exit")
    past = talk("imported", cwd=str(repo.path))
    past.now = datetime.now(UTC)
    past.prompt("begin")
    assert "imported" in cli("import", "claude-code", str(past.save(tmp_path / "t.jsonl"))).out

    [row] = cli("status", "--json").rows

    assert [session["session_id"] for session in row["open_sessions"]] == ["at-work"]


@pytest.mark.slow
def test_what_init_writes_is_no_agent_s_work(repo, cli, agent):
    session = agent()
    session.write(".claude/settings.json", '{\n  "hooks": {\n    "Stop": [\n    ]\n  }\n}\n')
    repo.write(".orchestration/.gitignore", "*\n")
    repo.commit()
    assert cli("init", "--agent", "claude-code", "--no-input").status == 0
    written = [cli("status", "--json").rows[0]["uncommitted"]]

    session.edit(".claude/settings.json", '{\n  "hooks"', '{\n  "model": "opus",\n  "hooks"')

    written += [cli("status", "--json").rows[0]["uncommitted"]]
    assert written == [
        {"files": 0, "agent_lines": 0, "files_left_out": 0},
        {"files": 1, "agent_lines": 1, "files_left_out": 0},
    ]


@pytest.mark.slow
def test_knows_intents_spool_and_quarantine(repo, cli):
    folder = repo.start_ledger()
    (folder / "active_intents.yaml").write_text(
        "active_intents:\n- {id: INT-1, name: Work, status: IN_PROGRESS}\n- {id: INT-2, name: Done, status: DONE}\n"
    )
    (folder / "spool").mkdir()
    (folder / "spool" / "x.jsonl").write_text("")
    cli("select", "INT-1")

    [row] = cli("status", "--json").rows

    assert row["intents"] == [{"intent_id": "INT-1", "name": "Work", "status": "IN_PROGRESS", "criteria": None}]
    assert (row["selected_intent"], row["quarantined"]) == ("INT-1", 0)


@pytest.mark.slow
def test_a_registry_that_cannot_be_read_hides_nothing_else(repo, cli, told):
    (repo.path / ".orchestration" / "active_intents.yaml").write_text("active_intents: [\n")

    answer = cli("status")

    assert answer.status == 0
    assert "cannot be read" in answer.out
    assert f"{len(told)} events" in answer.out


@pytest.mark.slow
def test_an_empty_ledger_has_a_status_too(repo, cli):
    repo.start_ledger()

    assert json.loads(cli("status", "--json").out)["rows"][0]["events"] == 0
    assert cli("status").out.startswith("ledger     0 events, head 000000000000\n")


def test_what_waits_beside_the_ledger_is_counted(repo, cli):
    quarantine = repo.start_ledger() / "quarantine"
    quarantine.mkdir()
    (quarantine / "0.torn").write_bytes(b"{")

    [row] = cli("status", "--json").rows

    assert (row["spooled"], row["quarantined"]) == (0, 1)
    assert "waiting    0 in the spool, 1 in quarantine (linetrail doctor)\n" in cli("status").out
