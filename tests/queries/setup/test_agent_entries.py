"""Our entries in the settings of every agent: in its own shape, beside whatever a person has there."""

import json
import subprocess

import pytest
from hypothesis import given
from hypothesis import settings as settings_of_hypothesis
from hypothesis import strategies as st

from linetrail.ledger.adapters.agent import GROUPS, LIST
from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.queries.setup import commands, entries
from linetrail.queries.setup.settings import SettingsError
from tests.examples import examples
from tests.queries.documents import SCALARS, formatted

HOOK = "/opt/my tools 🌿/linetrail-hook"
QUOTED = "'/opt/my tools 🌿/linetrail-hook'"
WINDOWS = "C:\\Program Files\\it's\\linetrail-hook.exe"
MODES = ["observe", "warn", "block"]
DOCUMENTED = [row for row in CATALOGUE.values() if row.layout in (GROUPS, LIST)]
THEIRS = {"command": "make check"}


@pytest.fixture(params=DOCUMENTED, ids=lambda row: row.name)
def row(request):
    return request.param


@st.composite
def settings(draw):
    """Return an agent, and settings of it that hold hooks of others."""
    row = draw(st.sampled_from(DOCUMENTED))
    items = st.lists(st.just({"hooks": [THEIRS]} if row.layout == GROUPS else THEIRS), max_size=2)
    events = draw(st.dictionaries(st.sampled_from([*row.events, "another"]), items, max_size=4))
    others = {} if row.closed else draw(st.dictionaries(st.text(max_size=3), SCALARS, max_size=2))
    others = {key: value for key, value in others.items() if key not in row.root and key not in row.events}
    if not row.root:
        return row, draw(formatted(st.just({**others, **events})))
    return row, draw(formatted(st.just({**others, row.root[0]: events} if draw(st.booleans()) else others)))


@pytest.mark.slow
@settings_of_hypothesis(max_examples=examples(300))
@given(settings(), st.lists(st.sampled_from(MODES), min_size=1, max_size=3), st.booleans())
def test_what_a_person_has_stays_and_undoing_gives_the_bytes_back(given_settings, modes, user):
    row, text = given_settings
    row = row.for_user() if user and row.user_root is None else row
    installed, record = text, {}
    for mode in modes:
        installed, found = entries.install(installed, row, HOOK, mode, user=user)
        record = found | record

    assert entries.install(installed, row, HOOK, modes[-1], user=user) == (installed, {})
    assert without_ours(json.loads(installed), row) == without_ours(json.loads(text), row)
    assert entries.uninstall(installed, row, record) == text


@given(settings(), st.sampled_from(MODES))
def test_undoing_without_the_record_takes_all_of_ours_and_nothing_of_theirs(given_settings, mode):
    row, text = given_settings
    installed, _ = entries.install(text, row, HOOK, mode)

    left = entries.uninstall(installed, row, {})

    assert not entries.has_handlers(left, row)
    assert without_ours(json.loads(left), row) == without_ours(json.loads(text), row)


@pytest.mark.daily(53)
@pytest.mark.parametrize("mode", MODES)
def test_every_event_is_heard_once(row, mode):
    text, _ = entries.install(entries.new_file(row), row, HOOK, mode)

    found = {event: list(entries.handlers(text, row, event)) for event in row.events}

    assert all(len(handlers) == 1 for handlers in found.values())
    assert {commands.executable(handlers[0][1], row.argument) for handlers in found.values()} == {HOOK}


@pytest.mark.daily(68)
@pytest.mark.parametrize("mode", MODES)
def test_what_judges_names_its_event_and_its_mode(row, mode):
    text, _ = entries.install(entries.new_file(row), row, HOOK, mode)

    for event in row.events:
        ((_, command),) = entries.handlers(text, row, event)
        judged = mode != "observe"
        assert (f" --event {event}" in command) is (judged or row.frozen)
        assert commands.stated_floor(command) == (mode if judged and not row.frozen else None)


def test_for_all_repositories_of_a_person_no_mode_is_stated_and_nothing_fails_closed(row):
    text, _ = entries.install("{}", row.for_user(), HOOK, "warn", user=True)

    assert "--enforce" not in text
    for event in row.events:
        ((_, command),) = entries.handlers(text, row.for_user(), event)
        assert commands.names_event(command)


@pytest.mark.parametrize("agent", [row.name for row in DOCUMENTED if row.fail_closed])
def test_only_in_block_mode_a_hook_that_fails_stops_a_call(agent):
    row = CATALOGUE[agent]
    for mode in MODES:
        text, _ = entries.install(entries.new_file(row), row, HOOK, mode)
        for event in row.events:
            ((path, _),) = entries.handlers(text, row, event)
            key, value = row.fail_closed
            assert at(text, path).get(key) == (value if mode == "block" and event in row.gates else None)


@pytest.mark.parametrize(
    ("agent", "event", "entry"),
    [
        pytest.param(
            "codex",
            "PreToolUse",
            {"hooks": [{"type": "command", "command": f"{QUOTED} codex --event PreToolUse", "timeout": 3}]},
            id="codex",
        ),
        pytest.param("cursor", "preToolUse", {"command": f"{QUOTED} cursor", "timeout": 5}, id="cursor"),
        pytest.param(
            "gemini-cli",
            "BeforeTool",
            {
                "matcher": "^(write_file|replace|run_shell_command|mcp_.*)$",
                "hooks": [
                    {
                        "type": "command",
                        "name": "linetrail",
                        "command": f"test ! -x {QUOTED} || {QUOTED} gemini-cli",
                        "timeout": 5000,
                    }
                ],
            },
            id="gemini-cli, in milliseconds",
        ),
        pytest.param(
            "vscode-copilot",
            "PreToolUse",
            {"type": "command", "bash": f"test ! -x {QUOTED} || {QUOTED} copilot-cli", "timeoutSec": 5},
            id="vscode-copilot, as Copilot CLI reads it",
        ),
        pytest.param(
            "windsurf", "pre_write_code", {"show_output": True, "command": f"{QUOTED} windsurf"}, id="windsurf"
        ),
        pytest.param("kiro-cli", "preToolUse", {"command": f"{QUOTED} kiro-cli", "timeout_ms": 5000}, id="kiro-cli"),
        pytest.param(
            "continue-cli",
            "PreToolUse",
            {"hooks": [{"type": "command", "command": f"{QUOTED} continue-cli", "timeout": 5}]},
            id="continue-cli",
        ),
    ],
)
def test_each_agent_gets_the_shape_it_documents(agent, event, entry):
    text, _ = entries.install("{}", CATALOGUE[agent], HOOK)

    assert json.loads(text)["hooks"][event] == [entry]


def test_devin_has_its_events_at_the_root_of_its_own_file_and_under_hooks_in_a_persons():
    row = CATALOGUE["devin-cli"]

    own, _ = entries.install("{}", row, HOOK)
    person, _ = entries.install('{"model": "x"}', row.for_user(), HOOK, "warn", user=True)

    assert set(json.loads(own)) == set(row.events)
    assert set(json.loads(person)) == {"model", "hooks"}


def test_a_new_file_holds_what_the_agent_cannot_do_without():
    assert json.loads(entries.new_file(CATALOGUE["cursor"])) == {"version": 1}
    assert json.loads(entries.new_file(CATALOGUE["kiro-cli"]))["tools"] == ["*"]


@pytest.mark.parametrize("agent", ["gemini-cli", "copilot-cli", "vscode-copilot", "devin-cli"])
def test_a_hook_that_is_missing_refuses_nothing_but_in_block_mode(agent, tmp_path):
    row = CATALOGUE[agent]
    missing = str(tmp_path / "it's gone" / "linetrail-hook")

    def status(mode):
        return ends_with(commands.posix(row, missing, commands.arguments(row, row.gates[0], mode), mode))

    assert [status(mode) for mode in MODES] == [0, 0, 127]


@pytest.mark.parametrize(
    "spelling",
    [
        pytest.param("/old/bin/linetrail-hook codex", id="another path"),
        pytest.param("/old/linetrail-hook codex --event PreToolUse --enforce block", id="another mode"),
        pytest.param("linetrail-hook  codex", id="from the PATH"),
        pytest.param('exec "$HOME/bin/linetrail-hook" codex 2>/dev/null', id="wrapped by a person"),
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_an_entry_that_codex_trusts_stays_as_it_is(spelling, mode):
    row = CATALOGUE["codex"]
    trusted = {"matcher": "x", "hooks": [{"type": "command", "command": spelling, "timeout": 9}]}
    text = json.dumps({"hooks": {event: [trusted] for event in row.events}})

    assert entries.install(text, row, HOOK, mode) == (text, {})


def test_only_events_that_codex_does_not_know_of_yet_are_added():
    row = CATALOGUE["codex"]
    trusted = {"hooks": [{"type": "command", "command": "/old/linetrail-hook codex"}]}
    text = json.dumps({"hooks": {"Stop": [trusted]}})

    installed, _ = entries.install(text, row, HOOK)

    assert json.loads(installed)["hooks"]["Stop"] == [trusted]
    assert set(json.loads(installed)["hooks"]) == set(row.events)


def test_a_file_that_codex_would_ignore_is_not_written_into():
    with pytest.raises(
        SettingsError, match=r"`\$schema` stands at its root, for which Codex CLI ignores the whole file"
    ):
        entries.install('{"$schema": "x", "hooks": {}}', CATALOGUE["codex"], HOOK)


def test_an_upgrade_moves_the_path_for_every_agent_but_codex(row):
    before, _ = entries.install(entries.new_file(row), row, "/old/bin/linetrail-hook", "warn")

    after, record = entries.install(before, row, HOOK, "warn")

    assert record == {}
    assert (after == before) is row.frozen
    assert ("/old/bin" in after) is row.frozen


@pytest.mark.parametrize("agent", ["codex", "copilot-cli", "vscode-copilot", "windsurf"])
def test_where_there_is_a_field_for_windows_it_gets_what_powershell_reads(agent):
    row = CATALOGUE[agent]
    event = row.gates[0]

    text, _ = entries.install("{}", row, WINDOWS, "block")

    ((path, _),) = entries.handlers(text, row, event)
    told = at(text, path)[row.windows_key]
    assert told.startswith("& 'C:\\Program Files\\it''s\\linetrail-hook.exe' ")
    assert commands.executable(told, row.argument) == WINDOWS


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("test ! -x /a/linetrail-hook || /b/linetrail-hook copilot-cli", id="looks for one, calls another"),
        pytest.param("test ! -x /a/linetrail-hook || /a/linetrail-hook copilot-cli; rm x", id="does more"),
        pytest.param("& '/a/linetrail-hook' copilot-cli; rm x", id="PowerShell that does more"),
        pytest.param("/a/linetrail-hook vscode-copilot", id="another name"),
    ],
)
def test_a_command_that_only_looks_like_ours_is_left_alone(command):
    text = json.dumps({"hooks": {"PreToolUse": [{"type": "command", "bash": command}]}})

    assert entries.uninstall(text, CATALOGUE["copilot-cli"], {}) == text


def ends_with(command):
    """Run a command as an agent does."""
    done = subprocess.run(["/bin/sh", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return done.returncode


def without_ours(document, row):
    """Return what is left of settings when ours is taken out, and every container that is empty."""
    document = {key: value for key, value in document.items() if (key, value) != ("version", 1)}
    events = document.get(row.root[0], {}) if row.root else document
    kept = {}
    for event, items in events.items():
        if event not in row.events:
            kept[event] = items
            continue
        if left := [item for item in items if "linetrail-hook" not in json.dumps(item)]:
            kept[event] = left
    if not row.root:
        return kept
    others = {key: value for key, value in document.items() if key != row.root[0]}
    return others | ({row.root[0]: kept} if kept else {})


def at(text, path):
    value = json.loads(text)
    for step in path:
        value = value[step]
    return value


@pytest.mark.parametrize("text", ["{}", "{ \n}\r\n"])
def test_a_file_that_holds_nothing_gets_the_version_without_which_it_is_not_read(text):
    installed, record = entries.install(text, CATALOGUE["cursor"], HOOK)

    assert json.loads(installed)["version"] == 1
    assert entries.uninstall(installed, CATALOGUE["cursor"], record) == text


def test_the_version_of_a_file_that_holds_something_is_a_persons():
    text = '{"hooks": {"stop": [{"command": "make check"}]}}'

    installed, _ = entries.install(text, CATALOGUE["cursor"], HOOK)

    assert "version" not in json.loads(installed)
