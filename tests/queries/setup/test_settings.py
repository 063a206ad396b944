"""Our hooks in a person's settings file: for any document in any formatting, nothing else changes."""

import json
import os

import pytest
from hypothesis import given
from hypothesis import settings as settings_of_hypothesis
from hypothesis import strategies as st

from linetrail.ledger.adapters.catalogue import CATALOGUE
from linetrail.queries.setup import settings
from linetrail.queries.setup.entries import install, uninstall
from linetrail.queries.setup.jsontext import find, insert, parse, remove
from linetrail.queries.setup.settings import SettingsError
from tests.examples import examples
from tests.queries.documents import DOCUMENTS, SCALARS, formatted

pytestmark = pytest.mark.in_turn

AGENT = CATALOGUE["claude-code"]
EVENTS = {event: AGENT.tools if event in AGENT.tool_events else None for event in AGENT.events}
GATE, TOOLS = AGENT.gates[0], AGENT.tools
HOOK = "/opt/my tools/linetrail-hook"
COMMAND = "'/opt/my tools/linetrail-hook' claude-code"
OLD_COMMAND = "/old/bin/linetrail-hook claude-code"
THEIRS = {"type": "command", "command": "make check"}
MODES = st.sampled_from(["observe", "warn", "block"])
GROUPS = st.lists(
    st.fixed_dictionaries({"hooks": st.lists(st.just(THEIRS), max_size=2)}, optional={"matcher": st.text(max_size=4)}),
    max_size=2,
)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "permissions": DOCUMENTS,
        "hooks": st.dictionaries(st.sampled_from([*EVENTS, "Notification"]), GROUPS),
        "model": SCALARS,
    },
)


@given(formatted(), st.data())
def test_inserting_changes_the_document_by_that_value_and_removing_gives_the_bytes_back(text, data):
    path = data.draw(st.sampled_from([path for path, value in _containers(json.loads(text)) if value] or [None]))
    if path is None:
        return
    value = data.draw(DOCUMENTS)
    expected = json.loads(text)
    container = _at(expected, path)
    key = None if isinstance(container, list) else "a new key, longer than any other"

    changed = insert(text, path, value, key=key)

    if key is None:
        container.append(value)
    else:
        container[key] = value
    assert json.loads(changed) == expected
    assert remove(changed, (*path, len(container) - 1 if key is None else key)) == text


@given(formatted(), st.data())
def test_removing_any_value_leaves_the_rest_as_it_is(text, data):
    paths = [(*path, step) for path, value in _containers(json.loads(text)) for step in _steps(value)]
    if not paths:
        return
    path = data.draw(st.sampled_from(paths))
    expected = json.loads(text)
    del _at(expected, path[:-1])[path[-1]]

    assert json.loads(remove(text, path)) == expected


@given(formatted())
def test_every_value_is_found_where_it_is(text):
    for path, value in _containers(json.loads(text)):
        span = find(text, path)
        assert json.loads(text[span.start : span.end]) == value


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param('{"a": 1}', '{"a": 1,"b": [2]}', id="one line stays one line"),
        pytest.param("{}\n", '{\n  "b": [\n    2\n  ]\n}\n', id="an empty document gets two spaces"),
        pytest.param('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"b": [\n\t\t2\n\t]\n}', id="tabs"),
        pytest.param(
            '{\r\n    "a": 1\r\n}', '{\r\n    "a": 1,\r\n    "b": [\r\n        2\r\n    ]\r\n}', id="CRLF, four"
        ),
        pytest.param('{ "a": 1 }', '{ "a": 1, "b": [2] }', id="white space before members"),
    ],
)
def test_what_is_inserted_follows_the_style_around_it(before, after):
    assert insert(before, (), [2], key="b") == after


def test_an_empty_container_inside_takes_the_indentation_of_its_line():
    assert insert('{\n  "a": {}\n}', ("a",), 1, key="b") == '{\n  "a": {\n    "b": 1\n  }\n}'


def test_of_two_equal_keys_the_last_one_counts():
    assert find('{"a": 1, "a": 2}', ("a",)).value == "2"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("{} // why", id="comment"),
        pytest.param('{"a": 1,}', id="comma at the end"),
        pytest.param('{"a": NaN}', id="NaN"),
        pytest.param("\ufeff{}", id="byte order mark"),
        pytest.param("[" * 100_000, id="deep"),
    ],
)
def test_what_is_not_strict_json_is_refused(text):
    with pytest.raises(ValueError):
        parse(text)


def test_a_number_too_long_for_python_is_still_json():
    text = '{"a": ' + "9" * 5000 + "}"

    assert remove(insert(text, (), 1, key="b"), ("b",)) == text


@pytest.mark.slow
@given(formatted(SETTINGS), MODES)
def test_installing_adds_our_handlers_and_undoing_gives_the_bytes_back(text, mode):
    expected = json.loads(text)
    for event, tools in EVENTS.items():
        expected.setdefault("hooks", {}).setdefault(event, []).append(_group(event, tools, mode))

    installed, record = install(text, AGENT, HOOK, mode)

    assert json.loads(installed) == expected
    assert install(installed, AGENT, HOOK, mode) == (installed, {})
    assert uninstall(installed, AGENT, record) == text


@settings_of_hypothesis(max_examples=examples(40))
@given(formatted(SETTINGS), st.lists(MODES, min_size=1, max_size=4))
def test_after_any_modes_the_last_one_holds_and_undoing_gives_the_bytes_back(text, modes):
    installed, record = text, {}
    for mode in modes:
        installed, found = install(installed, AGENT, HOOK, mode)
        record = found | record

    assert json.loads(installed) == json.loads(install(text, AGENT, HOOK, modes[-1])[0])
    assert uninstall(installed, AGENT, record) == text


@pytest.mark.slow
@given(formatted(SETTINGS), MODES)
def test_undoing_without_the_record_still_takes_all_of_ours_and_nothing_of_theirs(text, mode):
    installed, _ = install(text, AGENT, HOOK, mode)

    left = json.loads(uninstall(installed, AGENT, {}))

    before = json.loads(text)
    theirs = {event: groups for event, groups in before.pop("hooks", {}).items() if groups or event not in EVENTS}
    assert left.pop("hooks", {}) == theirs
    assert left == before


def test_the_agent_gets_the_shape_it_documents():
    installed, _ = install("{}\n", AGENT, HOOK)

    hooks = json.loads(installed)["hooks"]
    assert hooks["PreToolUse"] == [
        {
            "matcher": "^(Write|Edit|MultiEdit|NotebookEdit|Bash|PowerShell|Monitor|mcp__.*)$",
            "hooks": [{"type": "command", "command": COMMAND, "timeout": 5}],
        }
    ]
    assert hooks["Stop"] == [{"hooks": [{"type": "command", "command": COMMAND, "timeout": 5}]}]
    assert set(hooks) == set(EVENTS)


def test_in_block_mode_every_tool_is_gated_and_a_hook_that_fails_denies():
    installed, _ = install("{}\n", AGENT, HOOK, "block")

    hooks = json.loads(installed)["hooks"]
    handler = {
        "type": "command",
        "command": f"{COMMAND} --event PreToolUse --enforce block",
        "timeout": 30,
        "onFailure": "block",
    }
    assert hooks["PreToolUse"] == [{"matcher": "*", "hooks": [handler]}]
    assert hooks["Stop"] == [
        {"hooks": [{"type": "command", "command": f"{COMMAND} --event Stop --enforce block", "timeout": 5}]}
    ]
    assert [event for event in EVENTS if "onFailure" in json.dumps(hooks[event])] == ["PreToolUse"]


@pytest.mark.parametrize("mode", ["warn", "block"])
def test_a_group_that_a_person_shares_keeps_its_tools_and_ours_moves_out(mode):
    installed, record = install("{}\n", AGENT, HOOK)
    document = json.loads(installed)
    document["hooks"]["PreToolUse"][0]["hooks"].append(THEIRS)
    shared = json.dumps(document)

    switched, _ = install(shared, AGENT, HOOK, mode)

    theirs, ours = json.loads(switched)["hooks"]["PreToolUse"]
    assert theirs == {"matcher": TOOLS, "hooks": [THEIRS]}
    assert ours == _group("PreToolUse", TOOLS, mode)
    assert uninstall(switched, AGENT, record) == uninstall(shared, AGENT, record)


@pytest.mark.parametrize("matcher", ["Write", "*", ""])
def test_a_matcher_that_a_person_wrote_stays(matcher):
    handler = {"type": "command", "command": OLD_COMMAND}
    text = json.dumps({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [handler]}]}})

    for mode in ("observe", "block"):
        installed, _ = install(text, AGENT, HOOK, mode)

        assert json.loads(installed)["hooks"]["PreToolUse"][0]["matcher"] == matcher


def test_what_a_person_added_after_us_stays_when_we_go():
    installed, record = install('{\n  "model": "x"\n}\n', AGENT, HOOK)
    document = json.loads(installed)
    document["hooks"]["Stop"].insert(0, {"hooks": [THEIRS]})
    document["hooks"]["PreToolUse"][0]["hooks"].append(THEIRS)

    left = json.loads(uninstall(json.dumps(document, indent=2), AGENT, record))

    ours_gone = {"PreToolUse": [{"matcher": TOOLS, "hooks": [THEIRS]}], "Stop": [{"hooks": [THEIRS]}]}
    assert left == {"model": "x", "hooks": ours_gone}


def test_an_older_path_of_ours_is_replaced_and_a_changed_timeout_kept():
    handler = {"type": "command", "command": OLD_COMMAND, "timeout": 20}
    text = json.dumps({"hooks": {"Stop": [{"hooks": [THEIRS, handler]}]}})

    installed, _ = install(text, AGENT, HOOK)

    assert json.loads(installed)["hooks"]["Stop"] == [{"hooks": [THEIRS, handler | {"command": COMMAND}]}]


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("linetrail-hook codex", id="another agent"),
        pytest.param("echo linetrail-hook claude-code", id="only named"),
        pytest.param("/x/linetrail-hook-wrapper claude-code", id="another program"),
        pytest.param("/x/linetrail-hook 'claude-code", id="open quote"),
        pytest.param("/x/linetrail-hook claude-code --event Stop && rm x", id="more than ours"),
        pytest.param("/x/linetrail-hook claude-code --events Stop", id="another option"),
    ],
)
def test_a_command_that_only_looks_like_ours_is_left_alone(command):
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}})

    assert uninstall(text, AGENT, {}) == text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"hooks": []}', id="hooks is a list"),
        pytest.param('{"hooks": {"Stop": {}}}', id="an event is an object"),
        pytest.param('{"hooks": {"Stop": null}}', id="an event is null"),
    ],
)
def test_hooks_of_a_shape_we_do_not_know_are_refused(text):
    with pytest.raises(SettingsError, match="hooks"):
        install(text, AGENT, HOOK)


@pytest.mark.parametrize("odd", ["null", "[1]", '[{"hooks": 1}]', '[{"hooks": ["x", {"command": 1}]}]'])
def test_odd_entries_beside_ours_survive(odd):
    text = '{"hooks": {"Notification": ' + odd + ', "Stop": ' + (odd if odd != "null" else "[]") + "}}"

    installed, record = install(text, AGENT, HOOK)

    assert uninstall(installed, AGENT, record) == text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"", "not strict JSON", id="empty"),
        pytest.param(b'{"a": 1} // x', "not strict JSON", id="comment"),
        pytest.param(b"[]", "holds no JSON object", id="a list"),
        pytest.param(b'{"a": "\xff"}', "not UTF-8: byte 7", id="not UTF-8"),
    ],
)
def test_a_file_that_cannot_be_edited_is_named_with_the_reason(tmp_path, content, message):
    path = tmp_path / "settings.json"
    path.write_bytes(content)

    with pytest.raises(SettingsError, match=message) as refusal:
        settings.read(str(path))

    assert str(path) in str(refusal.value)


def test_links_are_not_followed(tmp_path):
    target = tmp_path / "elsewhere"
    target.mkdir()
    (target / "settings.json").write_text("{}")
    (tmp_path / "file.json").symlink_to(target / "settings.json")
    (tmp_path / "folder").symlink_to(target)

    for path in ("file.json", "folder/settings.json"):
        with pytest.raises(SettingsError, match="symbolic link"):
            settings.read(str(tmp_path / path))


def test_a_folder_in_the_place_of_the_file_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="is not a file"):
        settings.read(str(tmp_path))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written_is_refused(tmp_path):
    path = tmp_path / "settings.json"
    path.write_text("{}")
    path.chmod(0o400)

    with pytest.raises(SettingsError, match="not writable"):
        settings.read(str(path))


def _group(event, tools, mode):
    judged = mode != "observe"
    matcher = {} if tools is None else {"matcher": "*" if judged else tools}
    command = f"{COMMAND} --event {event} --enforce {mode}" if judged else COMMAND
    failing = {"onFailure": "block"} if (event, mode) == (GATE, "block") else {}
    seconds = 30 if failing else 5
    return matcher | {"hooks": [{"type": "command", "command": command, "timeout": seconds} | failing]}


def _containers(value, path=()):
    if isinstance(value, dict | list):
        yield path, value
        for step in _steps(value):
            yield from _containers(value[step], (*path, step))


def _steps(value):
    return list(value) if isinstance(value, dict) else range(len(value))


def _at(value, path):
    for step in path:
        value = value[step]
    return value
