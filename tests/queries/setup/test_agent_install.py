"""`linetrail init --agent NAME` for every agent: what is there afterwards, and that undoing leaves no trace."""

import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from linetrail.ledger.adapters.agent import GROUPS, LIST, PLUGIN, SCRIPTS
from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.queries.setup import entries
from tests.queries.trees import GIT, LEDGER, tree

NAMES = list(CATALOGUE)
# Files of a person, which hold entries of ours, and files that are ours as a whole; where agents are defined, both.
EDITED = {
    row.name: row.file.replace("*", "ours")
    for row in CATALOGUE.values()
    if row.layout in (GROUPS, LIST) and "linetrail" not in row.file
}
OWN = {
    row.name: f"{row.file}/{row.gates[0]}" if row.layout == SCRIPTS else row.file.replace("*", "linetrail")
    for row in CATALOGUE.values()
    if row.name not in EDITED or "*" in row.file
}
MODES = ["observe", "warn", "block"]


def settings(folder):
    """Map every path below a folder, git's own and the ledger's aside, to its bytes and mode."""
    return tree(folder, without=(GIT, LEDGER))


@pytest.mark.independent
@pytest.mark.parametrize("agent", NAMES)
@pytest.mark.parametrize("modes", [["observe"], ["warn"], ["block"], ["observe", "block"]], ids=" then ".join)
def test_undoing_leaves_no_trace(repo, cli, agent, modes):
    for mode in modes:
        answer = cli("init", "--agent", agent, "--enforce", mode)
        assert answer.status == 0, answer.err
    assert settings(repo.path)

    assert cli("init", "--undo").status == 0

    assert settings(repo.path) == {}


def test_all_agents_at_once_and_none_of_them_after(repo, cli):
    everyone = [word for name in NAMES for word in ("--agent", name)]

    assert cli("init", *everyone, "--enforce", "block").status == 0
    before = settings(repo.path)
    assert {row["action"] for row in cli("init", *everyone, "--json").rows} == {"keep"}
    assert settings(repo.path) == before
    assert cli("init", "--undo").status == 0

    assert settings(repo.path) == {}


@pytest.mark.independent
@pytest.mark.parametrize("agent", NAMES)
@pytest.mark.parametrize("mode", MODES)
def test_installing_twice_is_installing_once(repo, cli, agent, mode):
    cli("init", "--agent", agent, "--enforce", mode)
    before = settings(repo.path)

    again = cli("init", "--agent", agent, "--enforce", mode, "--json")

    assert settings(repo.path) == before
    assert {row["action"] for row in again.rows} == {"keep"}


@pytest.mark.independent
@pytest.mark.parametrize("agent", sorted(EDITED))
@pytest.mark.parametrize(
    "content",
    [
        pytest.param("{}", id="an empty object"),
        pytest.param('{\r\n\t"hooks": { }\r\n}', id="tabs and CRLF"),
        pytest.param('{"description":"grün 🌿"}', id="one line, no newline at the end"),
        pytest.param('{\n    "description": "caf\\u00e9"\n}\n\n', id="four spaces, an escape, two newlines"),
    ],
)
def test_what_a_person_wrote_comes_back_byte_for_byte(repo, cli, agent, content):
    if agent == "devin-cli":
        content = content.replace('"hooks": { }', '"Stop": [ ]')
    path = repo.write(EDITED[agent], content.encode())
    path.chmod(0o640)
    before = settings(repo.path)

    assert cli("init", "--agent", agent, "--enforce", "block").status == 0
    assert path.read_bytes() != before[EDITED[agent]][0]
    assert cli("init", "--undo").status == 0

    assert settings(repo.path) == before


@pytest.mark.daily(7)
@pytest.mark.parametrize("agent", sorted(OWN))
def test_in_a_clone_files_that_are_ours_go_without_a_record(repo, cli, agent, tmp_path):
    cli("init", "--agent", agent)
    repo.git("add", "-A")
    repo.git("commit", "-qm", "hooks")
    clone = tmp_path / "clone"
    repo.git("clone", "-q", str(repo.path), str(clone))
    assert (clone / OWN[agent]).exists()

    assert cli("init", "--undo", cwd=clone).status == 0

    assert settings(clone) == {}


@pytest.mark.daily(7)
@pytest.mark.parametrize("agent", sorted(EDITED))
def test_in_a_clone_our_entries_go_without_a_record_and_nothing_else(repo, cli, agent, tmp_path):
    path = repo.write(EDITED[agent], '{\n  "description": "ours"\n}\n')
    before = path.read_bytes()
    cli("init", "--agent", agent, "--enforce", "warn")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "hooks")
    clone = tmp_path / "clone"
    repo.git("clone", "-q", str(repo.path), str(clone))

    assert cli("init", "--undo", cwd=clone).status == 0

    assert (clone / EDITED[agent]).read_bytes() == before


@pytest.mark.independent
@pytest.mark.parametrize("agent", sorted(EDITED))
@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b'{"a": 1, // why\n}', "not strict JSON (comments count as errors)", id="comments"),
        pytest.param(b"\xef\xbb\xbf{}", "begins with a byte order mark", id="byte order mark"),
        pytest.param(b"[]", "holds no JSON object", id="a list"),
        pytest.param(b'{"a": "\xff"}', "not UTF-8: byte 7", id="not UTF-8"),
        pytest.param(b"", "not strict JSON", id="empty"),
    ],
)
def test_settings_that_cannot_be_edited_stop_everything(repo, cli, agent, content, message):
    repo.write(EDITED[agent], content)
    before = settings(repo.path)

    answer = cli("init", "--agent", agent)

    assert (answer.status, settings(repo.path)) == (2, before)
    assert message in answer.err
    assert EDITED[agent] in answer.err
    assert answer.err.splitlines()[-1].startswith("next: put that right by hand")


@pytest.mark.daily(9)
@pytest.mark.parametrize("agent", NAMES)
def test_settings_of_other_agents_that_cannot_be_read_are_in_nobodys_way(repo, cli, agent):
    for name, path in EDITED.items():
        if name != agent:
            repo.write(path, "{ // mine\n}")
    before = settings(repo.path)

    assert cli("init", "--agent", agent).status == 0
    assert cli("init", "--enforce", "warn").status == 0
    assert cli("init", "--undo").status == 0

    assert settings(repo.path) == before


@pytest.mark.daily(12)
@pytest.mark.parametrize("agent", NAMES)
def test_links_are_not_followed(repo, cli, agent, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    first = (EDITED | OWN)[agent].partition("/")[0]
    (repo.path / first).symlink_to(elsewhere)

    answer = cli("init", "--agent", agent)

    assert answer.status == 2
    assert "is a symbolic link" in answer.err
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("agent", NAMES)
def test_a_folder_in_the_place_of_the_file_is_named(repo, cli, agent):
    path = repo.path / (OWN | EDITED)[agent]
    path.mkdir(parents=True)

    answer = cli("init", "--agent", agent)

    assert (answer.status, list(path.iterdir())) == (2, [])
    assert "is not a file" in answer.err


@pytest.mark.parametrize("agent", NAMES)
def test_a_file_in_the_place_of_the_folder_is_named(repo, cli, agent):
    first = (OWN | EDITED)[agent].partition("/")[0]
    repo.write(first, "mine")

    answer = cli("init", "--agent", agent)

    assert answer.status == 2
    assert f"{first} is in the way: it is not a folder" in answer.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
@pytest.mark.parametrize("agent", sorted(EDITED))
def test_a_file_that_may_not_be_written_is_named(repo, cli, agent):
    repo.write(EDITED[agent], "{}").chmod(0o400)

    answer = cli("init", "--agent", agent)

    assert answer.status == 2
    assert "is not writable" in answer.err


@pytest.mark.daily(12)
@pytest.mark.parametrize("agent", sorted(OWN))
def test_a_file_of_ours_that_a_person_wrote_into_stays(repo, cli, agent):
    cli("init", "--agent", agent)
    path = repo.path / OWN[agent]
    text = path.read_text()
    path.write_text(
        text.replace("{\n", '{\n  "description": "mine",\n', 1) if path.suffix == ".json" else text + "# mine\n"
    )

    cli("init", "--undo")

    assert "mine" in path.read_text()


def test_a_script_of_a_person_is_not_replaced(repo, cli):
    script = repo.write(".clinerules/hooks/PreToolUse", "#!/bin/sh\necho '{}'\n")
    before = settings(repo.path)

    answer = cli("init", "--agent", "cline")

    assert (answer.status, settings(repo.path)) == (2, before)
    assert f"{script} is there already, and is not ours as it is" in answer.err


@pytest.mark.parametrize("agent", [row.name for row in CATALOGUE.values() if row.layout in (SCRIPTS, PLUGIN)])
def test_in_a_clone_a_file_of_an_older_version_is_brought_up_to_date(repo, cli, agent):
    cli("init", "--agent", agent)
    path = repo.path / OWN[agent]
    current = path.read_bytes()
    path.write_bytes(current + b"// as it was made before\n")
    assert cli("init", "--agent", agent).status == 2
    shutil.rmtree(repo.path / ".orchestration")

    assert cli("init", "--agent", agent).status == 0

    assert path.read_bytes() == current


def test_settings_of_claude_that_cannot_be_read_are_not_in_the_way_of_another_agent(repo, cli):
    repo.write(".claude/settings.json", '{"hooks": {}} // linetrail-hook claude-code')

    assert cli("init", "--agent", "cursor").status == 0


def test_a_record_of_another_shape_counts_as_none(repo, cli):
    cli("init", "--agent", "codex")
    path = repo.path / ".orchestration" / "state" / "init.json"
    path.write_text('{".codex/hooks.json": {"folders": 1, "containers": {"hooks": 1}}, "x": []}')

    assert cli("init", "--undo").status == 0


def test_scripts_can_be_run_and_name_their_events(repo, cli):
    cli("init", "--agent", "cline")

    for event in CATALOGUE["cline"].events:
        script = repo.path / ".clinerules" / "hooks" / event
        assert os.access(script, os.X_OK)
        assert f"linetrail-hook cline --event {event}\n" in script.read_text()


def test_agents_that_share_a_file_share_its_entries(repo, cli):
    cli("init", "--agent", "copilot-cli")
    before = settings(repo.path)

    cli("init", "--agent", "vscode-copilot")

    assert settings(repo.path) == before
    assert cli("init", "--undo").status == 0
    assert settings(repo.path) == {}


def test_who_also_calls_the_hooks_of_claude_is_told_that_nothing_counts_twice(cli):
    answer = cli("init", "--agent", "claude-code", "--agent", "cursor", "--agent", "codex")

    assert "hooks of cursor; what it also calls for claude-code is recorded once" in answer.out
    assert "hooks of codex)" in answer.out


def test_every_definition_of_an_agent_of_kiro_gets_the_hooks_and_loses_them_again(repo, cli):
    repo.write(".kiro/agents/one.json", '{"name": "one", "hooks": {"stop": [{"command": "make"}]}}')
    repo.write(".kiro/agents/two.json", '{"name": "two"}')
    repo.write(".kiro/agents/notes.md", "not a definition")
    before = settings(repo.path)

    cli("init", "--agent", "kiro-cli")

    for name in ("one", "two"):
        text = (repo.path / ".kiro" / "agents" / f"{name}.json").read_text()
        assert entries.has_handlers(text, CATALOGUE["kiro-cli"])
    assert not (repo.path / ".kiro" / "agents" / "linetrail.json").exists()
    cli("init", "--undo")
    assert settings(repo.path) == before


@pytest.mark.slow
def test_a_mode_reaches_every_agent_that_is_installed(repo, cli):
    for agent in NAMES:
        cli("init", "--agent", agent)

    cli("init", "--enforce", "block")

    for agent, path in ((EDITED | OWN) | {"kiro-cli": OWN["kiro-cli"]}).items():
        assert ("block" in (repo.path / path).read_text()) is not CATALOGUE[agent].frozen


@pytest.mark.daily(12)
@pytest.mark.parametrize("agent", NAMES)
def test_the_command_that_is_installed_runs_from_any_folder(repo, cli, agent, monkeypatch, tmp_path):
    row = CATALOGUE[agent]
    if row.layout == PLUGIN:
        pytest.skip("an agent of its own runs this one")
    tools = tmp_path / "my tools 🌿 it's"
    tools.mkdir()
    hook = tools / "linetrail-hook"
    hook.write_text(f'#!/bin/sh\necho "$@" > "{tmp_path}/called"\n')
    hook.chmod(0o755)
    monkeypatch.setattr("linetrail.queries.commands.records.init.hook_path", lambda: str(hook))
    cli("init", "--agent", agent, "--enforce", "warn")

    path = repo.path / OWN.get(agent, EDITED.get(agent))
    command = f"'{path}'" if row.layout == SCRIPTS else _command(path.read_text(), row)
    done = subprocess.run(["/bin/sh", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, check=True)

    assert (done.stdout, done.stderr) == (b"", b"")
    event = "PreToolUse" if row.layout == SCRIPTS else row.gates[0]
    called = (tmp_path / "called").read_text().split()
    assert called[:3] == [row.argument, "--event", event]


@pytest.mark.daily(9)
@pytest.mark.parametrize("agent", NAMES)
def test_an_upgrade_moves_the_path_but_not_what_has_to_be_trusted_again(repo, cli, agent, monkeypatch):
    monkeypatch.setattr("linetrail.queries.commands.records.init.hook_path", lambda: "/old/bin/linetrail-hook")
    cli("init", "--agent", agent)
    monkeypatch.undo()

    cli("init", "--agent", agent)

    text = (repo.path / (EDITED | OWN)[agent]).read_text()
    assert ("/old/bin" in text) is CATALOGUE[agent].frozen
    cli("init", "--undo")
    assert settings(repo.path) == {}


@pytest.mark.daily(12)
@pytest.mark.parametrize("agent", NAMES)
def test_the_order_of_steps_is_told_where_the_agent_reads_it(repo, cli, agent):
    cli("init", "--agent", agent, "--enforce", "block")

    assert "linetrail select" in (repo.path / CATALOGUE[agent].instructions).read_text()


def test_agents_that_read_the_same_file_are_told_once(repo, cli):
    cli("init", "--agent", "codex", "--agent", "cursor", "--agent", "amp", "--enforce", "block")

    assert (repo.path / "AGENTS.md").read_text().count("## One intent at a time") == 1


def test_a_record_that_came_with_a_clone_removes_no_folder_elsewhere(repo, cli, tmp_path):
    cli("init", "--agent", "codex")
    victim = tmp_path / "empty"
    victim.mkdir()
    path = repo.path / ".orchestration" / "state" / "init.json"
    record = json.loads(path.read_text())
    record[".codex/hooks.json"]["folders"] += [str(victim), "../empty"]
    path.write_text(json.dumps(record))

    cli("init", "--undo")

    assert victim.is_dir()
    assert settings(repo.path) == {}


def test_where_no_agent_left_traces_that_is_said(repo, cli):
    answer = cli("init", "--agent", "detected")

    assert answer.status == 0
    assert "no agent left traces" in answer.err
    assert settings(repo.path) == {}


def test_detected_are_the_agents_that_left_traces(repo, cli, home):
    (home / ".codex").mkdir()
    (repo.path / ".gemini").mkdir()

    assert cli("init", "--agent", "detected").status == 0

    assert {name.partition("/")[0] for name in settings(repo.path)} == {".codex", ".gemini"}


@pytest.mark.slow
def test_at_a_terminal_each_agent_seen_is_asked_for(repo, home):
    (home / ".codex").mkdir()
    (home / ".cursor").mkdir()
    terminal, stdin = pty.openpty()
    os.write(terminal, b"n\ny\n")

    command = [Path(sys.executable).with_name("linetrail"), "init"]
    subprocess.run(command, cwd=repo.path, stdin=stdin, stderr=stdin, stdout=subprocess.DEVNULL, check=True)

    assert {name.partition("/")[0] for name in settings(repo.path)} == {".cursor"}


def test_what_a_person_has_to_do_is_said_for_each_agent(cli):
    answer = cli("init", "--agent", "codex", "--agent", "gemini-cli")

    assert "codex: Trust the project, then trust each hook in `/hooks`" in answer.err
    assert "gemini-cli: Trust the folder" in answer.err


def _command(text, row):
    ((_, command),) = entries.handlers(text, row, row.gates[0])
    return command
