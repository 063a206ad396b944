"""`linetrail doctor`: each trouble is found, named, and answered with the next step."""

import fcntl
import json

import pytest

SESSION = {"session_id": "s", "hook_event_name": "SessionStart", "source": "startup"}


@pytest.fixture
def installed(repo, cli):
    assert cli("init", "--agent", "claude-code").status == 0
    return repo.path / ".orchestration"


@pytest.fixture
def doctor(cli):
    """Return a function that gives the findings of one check as (level, message, next)."""

    def run(check, status=None):
        answer = cli("doctor", "--json")
        assert status in (None, answer.status)
        return [(row["level"], row["message"], row["next"]) for row in answer.rows if row["check"] == check]

    return run


def test_a_healthy_installation_is_all_ok_but_for_the_agent_that_was_never_started(cli, installed):
    answer = cli("doctor", "--json")

    assert answer.status == 0
    assert [row["check"] for row in answer.rows if row["level"] != "ok"] == ["last event"]


def test_the_text_has_one_line_for_each_finding_and_one_for_each_next_step(cli, installed):
    rows = cli("doctor", "--json").rows

    lines = cli("doctor").out.splitlines()

    assert len(lines) == len(rows) + sum(row["next"] is not None for row in rows)
    assert not any(line != line.rstrip() for line in lines)


def test_without_a_ledger_it_is_an_error_with_the_way_out(doctor):
    ((level, _, following),) = doctor("ledger", status=1)

    assert (level, following) == ("error", "linetrail init")


def test_the_head_and_the_last_event_are_told(repo, hook, installed, doctor):
    hook(SESSION | {"cwd": str(repo.path)})

    assert doctor("ledger")[0][1].startswith("1 event, head ")
    assert doctor("last event")[0][1].endswith(" seconds ago")


def test_a_damaged_ledger_is_an_error(repo, hook, installed, doctor):
    hook(SESSION | {"cwd": str(repo.path)})
    with (installed / "agent_trace.jsonl").open("ab") as file:
        file.write(b"garbage\n")

    ((level, message, following),) = doctor("ledger", status=1)

    assert (level, following) == ("error", "linetrail verify")
    assert "offset" in message


def test_damage_in_the_middle_is_an_error_too(repo, hook, installed, doctor):
    for session in ("one", "two", "three"):
        hook(SESSION | {"cwd": str(repo.path), "session_id": session})
    ledger = installed / "agent_trace.jsonl"
    first, _, last = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(first + last)

    ((level, message, _),) = doctor("ledger", status=1)

    assert (level, f"offset {len(first)}" in message) == ("error", True)


def test_a_torn_last_line_is_a_warning(repo, hook, installed, doctor):
    hook(SESSION | {"cwd": str(repo.path)})
    with (installed / "agent_trace.jsonl").open("ab") as file:
        file.write(b'{"v":1')

    assert ("warning", "the last line is torn (6 bytes); the next event moves it aside", None) in doctor("ledger")


def test_a_held_lock_is_a_warning_that_names_the_holder(repo, hook, installed, doctor):
    hook(SESSION | {"cwd": str(repo.path)})
    with (installed / "agent_trace.jsonl").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)

        ((level, message, _),) = doctor("lock", status=0)

    assert level == "warning"
    assert "is locked by" in message


def test_leftovers_are_counted(installed, doctor):
    for folder, name in (("spool", "x.jsonl"), ("quarantine", "0-x.torn")):
        (installed / folder).mkdir()
        (installed / folder / name).write_bytes(b"junk")

    assert doctor("spool")[0][:2] == ("warning", "1 batches wait for the next event, 1 unreadable")
    assert doctor("quarantine")[0][:2] == ("warning", "1 piece never acknowledged")


def test_a_ledger_that_others_may_read_is_a_warning(repo, hook, installed, doctor):
    hook(SESSION | {"cwd": str(repo.path)})
    (installed / "agent_trace.jsonl").chmod(0o644)

    assert doctor("permissions")[0][0] == "warning"


def test_a_ledger_that_git_would_carry_is_a_warning(installed, doctor):
    (installed / ".gitignore").unlink()

    assert doctor("ignored") == [("warning", "git does not ignore .orchestration/agent_trace.jsonl", "linetrail init")]


def test_no_hooks_is_a_warning_with_the_command(cli, doctor):
    cli("init", "--agent", "none")

    assert doctor("hooks")[0][2] == "linetrail init --agent claude-code"


def test_a_hook_that_is_gone_is_an_error(repo, installed, doctor):
    path = repo.path / ".claude" / "settings.json"
    document = json.loads(path.read_text())
    document["hooks"]["Stop"][0]["hooks"][0]["command"] = "/gone/linetrail-hook claude-code"
    path.write_text(json.dumps(document))

    assert doctor("hooks", status=1) == [
        ("error", "claude-code calls /gone/linetrail-hook, which cannot be run", "linetrail init --agent claude-code")
    ]


def test_an_event_without_a_hook_is_a_warning(repo, installed, doctor):
    path = repo.path / ".claude" / "settings.json"
    document = json.loads(path.read_text())
    del document["hooks"]["Stop"]
    path.write_text(json.dumps(document))

    assert doctor("hooks")[0][:2] == ("warning", "claude-code: not installed for Stop")


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_a_switch_that_turns_hooks_off_is_an_error(repo, installed, doctor, name):
    path = repo.path / ".claude" / name
    document = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(document | {"disableAllHooks": True}))

    assert doctor("switches", status=1)[0][0] == "error"


def test_the_hook_really_runs_somewhere_else(repo, installed, doctor):
    ((level, message, _),) = doctor("probe")

    assert level == "ok"
    assert message.endswith(" ms")
    assert repo.events() == []


@pytest.mark.parametrize(
    ("settings", "level"),
    [
        pytest.param("{}", "warning", id="the default of 30 days"),
        pytest.param('{"cleanupPeriodDays": 89}', "warning", id="less than 90"),
        pytest.param('{"cleanupPeriodDays": 365}', "ok", id="a year"),
    ],
)
def test_transcripts_that_are_deleted_soon_are_a_warning(home, installed, doctor, settings, level):
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text(settings)

    assert doctor("retention")[0][0] == level


def test_outside_of_a_repository_the_next_command_is_git_init(cli, tmp_path):
    folder = tmp_path / "plain"
    folder.mkdir()

    assert cli("doctor", cwd=folder).status == 2
