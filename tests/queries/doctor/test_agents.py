"""`linetrail doctor` for every agent: installed, whole, trusted, strict; and a hostile file never stops it."""

import json
import os
import re
import sys

import pytest

from linetrail.ledger.adapters.agent import GROUPS, LIST
from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.queries.commands.checks import doctor as command
from linetrail.queries.doctor import probe
from linetrail.queries.setup.place import is_own

SHARED = sorted(name for name, agent in CATALOGUE.items() if not agent.called)
EDITED = [name for name in SHARED if not is_own(CATALOGUE[name])]


@pytest.fixture
def doctor(cli, monkeypatch):
    """Return a function that gives the findings of these checks as (check, level, message, next)."""
    monkeypatch.setattr(command, "CHECKS", [one for one in command.CHECKS if one is not probe.check_probe])

    def run(*checks, options=(), status=None):
        answer = cli("doctor", "--json", *options)
        assert status in (None, answer.status), answer.out
        return [
            (row["check"], row["level"], row["message"], row["next"]) for row in answer.rows if row["check"] in checks
        ]

    return run


@pytest.fixture
def install(cli):
    """Return a function that installs the hooks of agents."""

    def run(*agents, mode="observe"):
        named = [word for agent in agents for word in ("--agent", agent)]
        answer = cli("init", *named, "--enforce", mode, "--no-input")
        assert answer.status == 0, answer.err

    return run


def settings_of(repo, agent):
    """Return the one settings file of an agent in the project."""
    name = CATALOGUE[agent].file.replace("*", "linetrail")
    return repo.path / name


def change(repo, agent, edit):
    """Let a person edit a settings file; `edit` is given the document and the events in it."""
    path = settings_of(repo, agent)
    document = json.loads(path.read_text())
    events = document
    for key in CATALOGUE[agent].root:
        events = events[key]
    edit(document, events)
    path.write_text(json.dumps(document))


def handler_of(agent, events, event):
    """Return the first handler for an event, and what holds its matcher."""
    item = events[event][0]
    return (item["hooks"][0], item) if CATALOGUE[agent].layout == GROUPS else (item, item)


@pytest.mark.independent
@pytest.mark.daily(8)
@pytest.mark.parametrize("mode", ["observe", "block"])
@pytest.mark.parametrize("agent", SHARED)
def test_a_new_installation_has_no_gap(install, doctor, agent, mode):
    install(agent, mode=mode)

    found = doctor("hooks", "gate", "instructions", "switches", "enforcement")

    assert {level for _, level, _, _ in found} == {"ok"}, found
    assert [check for check, _, message, _ in found if message.startswith(f"{agent}: ")] == (
        ["hooks"] if mode == "observe" else ["hooks", "gate"]
    )


@pytest.mark.parametrize("agent", EDITED)
def test_an_event_without_a_hook_is_told(repo, install, doctor, agent):
    install(agent)
    last = CATALOGUE[agent].events[-1]
    change(repo, agent, lambda _, events: events.pop(last))

    ((_, level, message, following),) = doctor("hooks")

    assert (level, message) == ("warning", f"{agent}: not installed for {last}")
    assert following == f"linetrail init --agent {agent}"


@pytest.mark.daily(6)
@pytest.mark.parametrize("agent", EDITED)
def test_a_hook_that_is_gone_is_an_error_with_the_way_back(repo, install, doctor, agent):
    install(agent)
    event = CATALOGUE[agent].events[0]

    def lose(_, events):
        handler, _ = handler_of(agent, events, event)
        key = CATALOGUE[agent].command_key
        handler[key] = f"/gone/linetrail-hook {CATALOGUE[agent].argument}"

    change(repo, agent, lose)

    ((_, level, message, following),) = doctor("hooks", status=1)

    assert level == "error"
    assert message.startswith(f"{agent} calls /gone/linetrail-hook, which cannot be run")
    assert f"--agent {agent}" in following or f"--retrust {agent}" in following


@pytest.mark.daily(8)
@pytest.mark.parametrize("agent", ["opencode", "amp", "gemini-cli"])
def test_a_hook_that_is_gone_is_told_with_what_that_agent_does_then(repo, install, doctor, agent):
    install(agent, mode="block")
    path = settings_of(repo, agent)
    path.write_text(re.sub(r"[^\"' ]*/linetrail-hook", "/gone/linetrail-hook", path.read_text()))

    ((_, level, message, _),) = doctor("hooks", status=1)

    assert level == "error"
    assert message.endswith(f"cannot be run; where the hook itself fails: {CATALOGUE[agent].marks.fails}")


@pytest.mark.daily(6)
@pytest.mark.parametrize("agent", EDITED)
def test_a_timeout_that_ends_too_early_is_an_error_in_the_unit_of_the_agent(repo, install, doctor, agent):
    row = CATALOGUE[agent]
    if row.timeout is None:
        pytest.skip(f"{agent} has no timeout that can be set")
    install(agent, mode="block")
    key, wanted = row.timeout
    change(repo, agent, lambda _, events: handler_of(agent, events, row.gates[0])[0].update({key: wanted // 5}))

    ((_, level, message, following),) = doctor("gate", status=1)

    early = f"{wanted // 5} {'ms' if wanted >= 1000 else 's'}"
    assert (level, f"{agent}: {row.gates[0]}: after {early} the agent" in message) == ("error", True)
    assert following == f'"{key}": {wanted}'


@pytest.mark.daily(6)
@pytest.mark.parametrize("agent", ["claude-code", "opencode", "amp"])
def test_where_a_failing_hook_stops_the_call_that_is_said(install, doctor, agent):
    install(agent, mode="block")

    ((_, _, message, _),) = doctor("gate")

    assert message == f"{agent}: every call of every tool is judged, and one that cannot be judged is stopped"


@pytest.mark.parametrize("agent", [name for name in EDITED if CATALOGUE[name].fail_closed])
def test_a_gate_that_fails_open_is_an_error(repo, install, doctor, agent):
    row = CATALOGUE[agent]
    install(agent, mode="block")
    change(repo, agent, lambda _, events: handler_of(agent, events, row.gates[0])[0].pop(row.fail_closed[0]))

    ((_, level, message, _),) = doctor("gate", status=1)

    assert (level, f'`"{row.fail_closed[0]}": ' in message) == ("error", True)


@pytest.mark.daily(6)
@pytest.mark.parametrize("agent", EDITED)
def test_a_matcher_of_a_person_is_told_and_is_a_gap_where_calls_are_judged(repo, install, doctor, agent):
    row = CATALOGUE[agent]
    install(agent, mode="block")
    change(repo, agent, lambda _, events: handler_of(agent, events, row.gates[0])[1].update(matcher="^Write$"))

    (hooks, *_), (gate, *_) = doctor("hooks"), doctor("gate", status=1)

    assert hooks[2].endswith(f"{row.gates[0]} only for '^Write$'")
    assert (gate[1], "other tools are not judged" in gate[2]) == ("error", True)


@pytest.mark.independent
@pytest.mark.daily(6)
@pytest.mark.parametrize("agent", EDITED)
@pytest.mark.parametrize(
    "place",
    [
        pytest.param(lambda path: path.write_bytes(os.urandom(4096)), id="noise"),
        pytest.param(lambda path: path.write_bytes(b"[" * 200_000), id="deep"),
        pytest.param(lambda path: path.write_bytes(b" " * 5_000_000), id="huge"),
        pytest.param(lambda path: (path.unlink(), path.symlink_to(path.name)), id="a loop"),
        pytest.param(lambda path: (path.unlink(), path.mkdir()), id="a folder"),
        pytest.param(lambda path: (path.unlink(), os.mkfifo(path)), id="a pipe"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error(repo, install, doctor, agent, place):
    install(agent)
    path = settings_of(repo, agent)
    place(path)

    found = [message for _, level, message, _ in doctor("hooks", status=1) if level == "error"]

    assert [message for message in found if str(path) in message]


@pytest.mark.independent
@pytest.mark.daily(6)
@pytest.mark.parametrize("agent", EDITED)
@pytest.mark.parametrize(
    "events", ["7", "[]", '"x"', "null", '{"PreToolUse": 7}', '{"PreToolUse": [7, [], {"hooks": {}}, {"command": 7}]}']
)
def test_a_file_of_another_shape_holds_no_hook_of_ours(repo, install, doctor, agent, events):
    install(agent)
    root = CATALOGUE[agent].root
    text = f'{{"{root[0]}": {events}}}' if root else events
    settings_of(repo, agent).write_text(text)

    ((_, level, message, _), *_) = doctor("hooks")

    assert level in ("warning", "error")
    assert "no hooks of" in message or "holds no object" in message


def test_a_file_that_never_was_ours_is_nobody_elses_matter(home, repo, install, doctor):
    install("claude-code")
    for path in (repo.path / ".gemini" / "settings.json", home / ".factory" / "settings.json"):
        path.parent.mkdir()
        path.write_text("{")

    assert not [message for _, level, message, _ in doctor("hooks", "gate") if level == "error"]


# What voids a file as a whole


def test_codex_passes_over_a_file_with_another_key(repo, install, doctor):
    install("codex")
    change(repo, "codex", lambda document, _: document.update({"$schema": "https://example.org"}))

    ((_, level, message, following), *_) = doctor("hooks", status=1)

    assert (level, following) == ("error", "remove $schema")
    assert message.startswith("codex passes over ")


def test_cursor_passes_over_a_file_with_an_event_it_does_not_know(repo, install, doctor):
    install("cursor")
    change(repo, "cursor", lambda _, events: events.update({"beforeLunch": []}))

    ((_, level, message, following), *_) = doctor("hooks", status=1)

    assert (level, following) == ("error", "remove beforeLunch")
    assert "cursor-agent skips" in message


@pytest.mark.parametrize("agent", ["cursor", "copilot-cli"])
def test_a_file_needs_its_version(repo, install, doctor, agent):
    install(agent)
    change(repo, agent, lambda document, _: document.pop("version"))

    ((_, level, _, following), *_) = doctor("hooks", status=1)

    assert (level, following) == ("error", 'add "version": 1')


def test_of_an_agent_that_is_only_told_the_gate_says_so(repo, install, doctor):
    install("cline", mode="block")
    config = repo.path / ".orchestration" / "config.yaml"
    assert "agents: {cline: block} in config.yaml ends it" in doctor("gate")[0][2]

    config.write_text(config.read_text() + "agents: {cline: block}\n")

    assert "ends it" not in doctor("gate")[0][2]


def test_names_in_a_file_neither_steer_the_terminal_nor_fill_it(repo, install, cli, monkeypatch):
    monkeypatch.setattr(command, "CHECKS", [one for one in command.CHECKS if one is not probe.check_probe])
    install("cursor")
    hostile = {f"\x1b[2J{at}" + "x" * 100_000: [] for at in range(9)}
    change(repo, "cursor", lambda _, events: events.update(hostile))

    answer = cli("doctor")

    assert answer.status == 1
    assert answer.out.count("cursor passes over") == 3
    assert "\x1b" not in answer.out
    assert max(map(len, answer.out.splitlines())) < 1100


# More than one


def test_agents_that_work_here_and_do_not_call_us_are_named(home, repo, install, doctor):
    install("claude-code")
    (repo.path / ".cursor").mkdir()
    (repo.path / ".windsurf").mkdir()
    (home / ".codex").mkdir()

    told = {message.partition(":")[0]: (level, following) for _, level, message, following in doctor("hooks")}

    assert told["windsurf"] == ("warning", "linetrail init --agent windsurf")
    assert told["cursor"] == ("ok", "linetrail init --agent cursor")  # it may run those of Claude Code
    assert told["codex"] == ("ok", "linetrail init --agent codex")  # somewhere, not here


def test_hosts_that_run_the_hooks_of_claude_code_too_are_explained(install, doctor):
    install("claude-code", "cursor", "codex")

    ((_, level, message, _),) = doctor("told twice")

    assert (level, message.partition(":")[0]) == ("ok", "cursor")
    assert message.endswith("recorded once")


@pytest.mark.slow
def test_hooks_of_a_person_count_and_are_explained_beside_those_of_the_project(cli, repo, install, doctor):
    assert cli("init", "--agent", "none", "--no-input").status == 0
    assert cli("init", "--user", "--agent", "gemini-cli").status == 0
    ((_, level, message, _),) = doctor("hooks")
    assert (level, "~/.gemini/settings.json" in message) == ("ok", True)

    install("gemini-cli")

    assert len(doctor("hooks")) == 2
    assert "your own settings" in doctor("told twice")[0][2]


def test_hooks_of_a_person_need_no_trust_in_the_folder(cli, install, doctor):
    install("none")
    assert cli("init", "--user", "--agent", "codex").status == 0

    ((_, _, message, _),) = doctor("trust")

    assert message.startswith("codex: not reviewed yet")


@pytest.mark.daily(6)
@pytest.mark.parametrize(
    ("agent", "file", "text"),
    [
        ("claude-code", ".claude/settings.json", '{"enabledPlugins": {"linetrail@linetrail": true}}'),
        ("codex", ".codex/config.toml", '[plugins."linetrail@linetrail"]\nenabled = true\n'),
        ("gemini-cli", ".gemini/extensions/linetrail/gemini-extension.json", '{"name": "linetrail"}'),
    ],
)
def test_a_package_counts_and_what_it_cannot_do_is_said(home, install, doctor, monkeypatch, agent, file, text):
    programs = os.path.dirname(sys.executable)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    install("none")
    (home / file).parent.mkdir(parents=True)
    (home / file).write_text(text)

    ((_, level, message, _),) = doctor("hooks")
    assert (level, message) == ("ok", f"{agent}: all events through the package linetrail@linetrail")
    assert [check for check, *_ in doctor("last event")] == ["last event"]

    install("none", mode="block")
    ((_, level, message, following),) = doctor("hooks")
    assert (level, "refuses nothing" in message, following) == ("warning", True, f"linetrail init --agent {agent}")


@pytest.mark.daily(6)
@pytest.mark.parametrize("text", ['{"enabledPlugins": {"linetrail@linetrail": false}}', '{"enabledPlugins": [1]}', "{"])
def test_a_package_that_is_turned_off_is_none(home, install, doctor, text):
    install("none")
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text(text)

    assert doctor("hooks")[0][2].startswith("no hooks of claude-code")


def test_trust_that_is_missing_is_an_error_where_calls_are_to_be_refused(install, doctor):
    install("codex")
    ((_, level, message, following),) = doctor("trust")
    assert (level, message.startswith("codex: this folder is not marked as trusted")) == ("warning", True)
    assert "codex exec --trust" in following

    install("codex", mode="block")

    assert doctor("trust", status=1)[0][1] == "error"


@pytest.mark.slow
def test_an_agent_that_was_heard_needs_no_word_on_trust(home, repo, hook, install, doctor):
    install("claude-code")
    (home / ".claude.json").write_text("{}")
    assert doctor("trust")[0][1] == "warning"

    hook({"session_id": "s", "hook_event_name": "SessionStart", "source": "startup", "cwd": str(repo.path)})

    assert doctor("trust") == []
    assert [level for _, level, _, _ in doctor("last event")] == ["ok"]


def test_the_pace_of_real_calls_is_told(repo, hook, install, doctor):
    install("claude-code")
    call = {"tool_name": "Write", "tool_input": {"file_path": str(repo.path / "a.py"), "content": "1\n"}}
    for number in range(3):
        hook(
            {"session_id": "s", "hook_event_name": "PreToolUse", "cwd": str(repo.path), "tool_use_id": f"t{number}"}
            | call
        )

    ((_, level, message, _),) = doctor("pace")

    assert level == "ok"
    assert message.startswith("claude-code: p50 ")
    assert message.endswith("in the hook of the last 3 calls; the agent waits 5 s")


def test_versions_are_told(doctor):
    ((_, level, message, _),) = doctor("versions")

    assert level == "ok"
    for name in ("linetrail ", "Python 3.", "DuckDB "):
        assert name in message


@pytest.mark.daily(6)
@pytest.mark.parametrize(
    ("agent", "folder", "settings", "level"),
    [
        ("gemini-cli", ".gemini", None, "warning"),
        ("gemini-cli", ".gemini", {"general": {"sessionRetention": {"maxAge": "52w"}}}, "ok"),
        ("gemini-cli", ".gemini", {"general": {"sessionRetention": {"enabled": False}}}, "ok"),
        ("gemini-cli", ".gemini", {"general": 7}, "warning"),
        ("claude-code", ".claude", {"cleanupPeriodDays": "many"}, "warning"),
        ("codex", ".codex/sessions", None, "ok"),
    ],
)
def test_how_long_transcripts_live_is_told_as_far_as_it_is_known(home, doctor, agent, folder, settings, level):
    (home / folder).mkdir(parents=True)
    if settings is not None:
        (home / folder / "settings.json").write_text(json.dumps(settings))

    ((_, found, message, _),) = doctor("retention")

    assert (found, message.partition(":")[0]) == (level, agent)


def test_layouts_are_those_that_are_read():
    assert {CATALOGUE[name].layout for name in EDITED} == {GROUPS, LIST}
