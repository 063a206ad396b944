"""`linetrail doctor`: each trouble is found, named, and answered with the next step."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from linetrail.queries.commands.checks import doctor as command
from linetrail.queries.doctor import probe

SHUT = "#!/bin/sh\n{open} && exec {hook} $1 < /dev/null || exec {hook} $@\n"
SESSION = {"session_id": "s", "hook_event_name": "SessionStart", "source": "startup"}


@pytest.fixture
def installed(repo, cli):
    assert cli("init", "--agent", "claude-code").status == 0
    return repo.path / ".orchestration"


@pytest.fixture
def blocking(repo, cli):
    assert cli("init", "--agent", "claude-code", "--enforce", "block").status == 0
    return repo.path / ".orchestration"


@pytest.fixture
def doctor(cli, monkeypatch):
    """Return a function that gives the findings of one check as (level, message, next)."""

    def run(check, status=None):
        if check not in ("probe", "broken on purpose"):
            # It starts nine processes, and says nothing about anything else.
            monkeypatch.setattr(command, "CHECKS", [one for one in command.CHECKS if one is not probe.check_probe])
        answer = cli("doctor", "--json")
        assert status in (None, answer.status)
        return [(row["level"], row["message"], row["next"]) for row in answer.rows if row["check"] == check]

    return run


@pytest.mark.slow
def test_a_healthy_installation_is_all_ok_but_for_the_agent_that_was_never_started(cli, installed):
    answer = cli("doctor", "--json")

    assert answer.status == 0
    assert [row["check"] for row in answer.rows if row["level"] != "ok"] == ["last event"]


@pytest.mark.slow
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


@pytest.mark.daily(8)
@pytest.mark.parametrize(("told", "level"), [("observe", "error"), ("warn", "error"), ("block", "ok"), ("x", "ok")])
def test_a_variable_that_turns_refusals_off_is_an_error(repo, blocking, doctor, told, level):
    repo.write(".claude/settings.local.json", json.dumps({"env": {"LINETRAIL_ENFORCE": told}}))

    assert doctor("switches")[0][0] == level


@pytest.mark.slow
def test_the_hook_really_runs_somewhere_else(repo, installed, doctor):
    ((level, message, _),) = doctor("probe")

    assert level == "ok"
    assert message.endswith(" ms")
    assert repo.events() == []


# The gate


@pytest.mark.slow
def test_a_blocking_installation_is_all_ok_too(cli, blocking):
    answer = cli("doctor", "--json")

    assert answer.status == 0
    assert [row["check"] for row in answer.rows if row["level"] != "ok"] == ["last event"]
    told = {row["check"]: row["message"] for row in answer.rows}
    assert told["enforcement"] == "block"
    judged = "claude-code: every call of every tool is judged, and one that cannot be judged is stopped"
    assert told["gate"] == judged
    assert told["broken on purpose"].startswith("claude-code: 6 ways: each call denied in block mode")


def test_modes_and_exceptions_are_told_with_whose_they_are(blocking, doctor, monkeypatch):
    (blocking / "config.local.yaml").write_text("enforce: warn\ncodes: {OUT_OF_SCOPE: ask}\n")
    monkeypatch.setenv("LINETRAIL_ENFORCE", "Observe")

    said = "warn, OUT_OF_SCOPE: ask (for everybody: block); $LINETRAIL_ENFORCE says observe here, which wins"
    assert doctor("enforcement") == [("ok", said, None)]


def test_a_mode_of_the_environment_that_is_none_is_a_warning(blocking, doctor, monkeypatch):
    monkeypatch.setenv("LINETRAIL_ENFORCE", "strict")

    (level, message, _), (other, mode, _) = doctor("enforcement")

    assert (level, other, mode) == ("warning", "ok", "block")
    assert "'strict'" in message


@pytest.mark.parametrize("name", ["config.yaml", "config.local.yaml"])
def test_settings_that_cannot_be_read_are_an_error_with_the_line(blocking, doctor, name):
    (blocking / name).write_text("lessons: true\nenforced: block\n")

    ((level, message, following),) = doctor("enforcement", status=1)

    assert (level, message.partition(" ")[0]) == ("error", f"{name}:2:")
    assert following.startswith("repair the file")


def test_a_mode_that_only_yaml_can_see_is_an_error(blocking, doctor):
    (blocking / "config.yaml").write_text("lessons: true\nenforce:\n  block\n")

    assert doctor("enforcement", status=1)[0][0] == "error"


@pytest.mark.parametrize(("mode", "level"), [("observe", "warning"), ("block", "error")])
def test_errors_of_the_registry_are_told_with_their_line(cli, blocking, doctor, mode, level):
    cli("init", "--enforce", mode)
    (blocking / "active_intents.yaml").write_text("active_intents:\n  - id: INT-001\n    name: x\n    status: SOON\n")

    found = doctor("intents")

    assert {one[0] for one in found} == {level}
    assert any(message.startswith("line 4, INVALID_STATUS") for _, message, _ in found)
    assert found[0][2] == "linetrail intents lint"


def test_exemptions_that_cannot_be_read_are_a_warning(blocking, doctor):
    (blocking / ".intentignore").write_bytes(b"build/\n\xff\n")

    ((level, message, _),) = doctor("exemptions")

    assert (level, ".intentignore:2: not UTF-8" in message) == ("warning", True)


def change(repo, edit):
    """Let a person edit our handler of PreToolUse."""
    path = repo.path / ".claude" / "settings.json"
    document = json.loads(path.read_text())
    (group,) = document["hooks"]["PreToolUse"]
    edit(group, group["hooks"][0])
    path.write_text(json.dumps(document))


@pytest.mark.daily(8)
@pytest.mark.parametrize(
    ("edit", "said"),
    [
        pytest.param(lambda group, _: group.update(matcher="Write"), "only for 'Write'", id="other tools pass"),
        pytest.param(lambda _, ours: ours.pop("onFailure"), '"onFailure": "block"', id="failing lets through"),
        pytest.param(lambda _, ours: ours.update({"async": True}), "with `async`", id="nobody waits for it"),
        pytest.param(lambda _, ours: ours.update({"if": "Bash(rm *)"}), "with `if`", id="only for some"),
        pytest.param(lambda _, ours: ours.update(timeout=1), "after 1 s", id="the agent waits too short"),
        pytest.param(lambda group, _: group["hooks"].clear(), "no hook of ours", id="no hook"),
    ],
)
def test_a_gap_in_the_gate_is_an_error(repo, blocking, doctor, edit, said):
    change(repo, edit)

    ((level, message, following),) = doctor("gate", status=1)

    assert level == "error"
    assert message.startswith("claude-code: PreToolUse")
    assert said in message
    assert following


@pytest.mark.daily(8)
@pytest.mark.parametrize("name", ["spool", "state/files", "state/locks"])
def test_a_file_where_a_folder_belongs_is_an_error_with_what_follows(blocking, doctor, name):
    (blocking / name).write_text("")

    ((level, message, following),) = doctor("room", status=1)

    assert (level, following) == ("error", f"rm {blocking / name}")
    assert message.endswith("every call that writes is refused until then")


def test_a_full_disk_is_an_error(blocking, doctor, tmp_path):
    text = (blocking / "config.yaml").read_bytes()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(blocking)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"needs leave to mount a file system: {done.stderr.strip()}")
    try:
        (blocking / "config.yaml").write_bytes(text)

        ((level, message, _),) = doctor("room", status=1)
    finally:
        subprocess.run(["umount", str(blocking)], check=True)

    assert level == "error"
    assert "nothing can be recorded; every call that writes is refused" in message


def test_without_the_order_of_steps_there_is_a_warning(repo, blocking, doctor):
    (repo.path / "CLAUDE.md").unlink()

    assert doctor("instructions")[0][0] == "warning"


def test_no_hooks_is_an_error_where_calls_are_to_be_refused(cli, doctor):
    cli("init", "--agent", "none", "--enforce", "block")

    assert doctor("hooks", status=1)[0][0] == "error"


@pytest.mark.parametrize(
    "broken",
    [
        pytest.param(lambda path: path.unlink(), id="missing"),
        pytest.param(lambda path: path.chmod(0o644), id="not executable"),
    ],
)
@pytest.mark.promise("G1")
def test_a_hook_that_cannot_be_started_is_refused(repo, blocking, doctor, tmp_path, broken):
    other = tmp_path / "linetrail-hook"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    change(repo, lambda _, ours: ours.update(command=f"{other} claude-code --event PreToolUse"))
    assert "was not tried" in doctor("hooks")[0][1]

    broken(other)

    ((level, message, following),) = doctor("hooks", status=1)
    assert (level, following) == ("error", "linetrail init --agent claude-code")
    assert message.endswith("would let every call through")


@pytest.mark.in_turn
@pytest.mark.daily(1)
@pytest.mark.promise("G1")
@pytest.mark.parametrize(
    ("script", "check", "said"),
    [
        pytest.param("#!/bin/sh\nexit 1\n", "probe", "ended with 1", id="exit 1"),
        pytest.param("#!/bin/sh\nexit 3\n", "probe", "ended with 3", id="exit 3"),
        pytest.param("#!/bin/sh\nexit 127\n", "probe", "ended with 127", id="exit 127"),
        pytest.param("#!/gone/python\n", "probe", "does not run", id="no interpreter"),
        pytest.param("#!{python}\nimport gone\n", "probe", "No module named 'gone'", id="a crash at import"),
        pytest.param("#!{python}\ndef broken(:\n", "probe", "SyntaxError", id="no Python"),
        pytest.param("#!/bin/sh\nexit 0\n", "probe", "it wrote nothing", id="nothing done"),
        pytest.param("#!/bin/sh\nexec {hook} $1 < /dev/null\n", "probe", "it wrote nothing", id="nothing read"),
        pytest.param("#!/bin/sh\n{open} || exec {hook} $@\n", "broken on purpose", "let through", id="an open gate"),
        pytest.param(SHUT, "broken on purpose", "only reads: it was not let through", id="a shut gate"),
    ],
)
def test_an_installation_whose_hook_is_broken_is_refused(repo, blocking, tmp_path, script, check, said):
    """The commands of an environment of its own, whose hook is another."""
    hook = Path(sys.executable).with_name("linetrail-hook")
    programs = tmp_path / "environment" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(os.path.realpath(sys.executable))
    shutil.copy(Path(sys.prefix) / "pyvenv.cfg", programs.parent)
    (programs.parent / "lib").symlink_to(Path(sys.prefix) / "lib")
    (programs / "linetrail-hook").write_text(
        script.format(python=sys.executable, hook=hook, open="[ $3 = PreToolUse ]")
    )
    (programs / "linetrail-hook").chmod(0o755)

    run = "import sys; from linetrail.queries.cli import main; sys.exit(main(['doctor', '--json']))"
    done = subprocess.run([programs / "python", "-c", run], cwd=repo.path, capture_output=True, text=True, check=False)

    assert done.returncode == 1, done.stderr
    found = [row for row in json.loads(done.stdout)["rows"] if row["check"] == check]
    assert {row["level"] for row in found} == {"error"}
    assert said in found[0]["message"]


@pytest.mark.daily(8)
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


def test_claude_code_is_named_where_npm_installed_it_and_no_hook_is_there(repo, doctor, tmp_path, monkeypatch):
    repo.start_ledger()
    package = tmp_path / "npm" / "lib" / "node_modules" / "@anthropic-ai" / "claude-code"
    package.mkdir(parents=True)
    (package / "package.json").write_text(json.dumps({"name": "@anthropic-ai/claude-code", "version": "9.8.7"}))
    monkeypatch.setenv("NPM_CONFIG_PREFIX", str(tmp_path / "npm"))

    named = [row for row in doctor("installed") if row[1].startswith("claude-code ")]

    assert named == [("ok", f"claude-code 9.8.7, by npm: {package}", "linetrail init --agent claude-code")]


def test_a_program_on_the_path_is_told_with_the_version_of_its_package(repo, doctor, installed, tmp_path, monkeypatch):
    package = tmp_path / "lib" / "node_modules" / "@anthropic-ai" / "claude-code"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"version": "9.8.7"}')
    (package / "cli.js").write_text("#!/bin/sh\n")
    (package / "cli.js").chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "claude").symlink_to(package / "cli.js")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")

    (row,) = [row for row in doctor("installed") if row[1].startswith("claude-code ")]

    assert row == ("ok", f"claude-code 9.8.7, by npm: {tmp_path / 'bin' / 'claude'}", None)
