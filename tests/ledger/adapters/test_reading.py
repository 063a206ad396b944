"""What agents send means what the index of their payloads says; nothing they send can break the reading of it."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linetrail.ledger.adapters.adapter import adapter
from linetrail.ledger.agents import AGENTS
from linetrail.ledger.errors import PayloadError
from linetrail.ledger.event.signal import Proposal, Result, Signal, Tool
from tests.examples import examples
from tests.ledger.adapters.dialects import AFTER, BEFORE, DIALECTS
from tests.ledger.adapters.recorded import ALL, INDEX, PAYLOADS, absolute

pytestmark = pytest.mark.in_turn

KINDS = {
    *("session_start", "session_end", "prompt", "pre_tool", "post_tool", "tool_failure", "permission_request"),
    *("permission_denied", "subagent_start", "subagent_stop", "compact", "stop", "other"),
}
OPERATIONS = {"write", "edit", "delete", "shell", "read", "mcp", "other"}
ROLES = {"write", "edit", "delete", "rename_from", "rename_to", "read", "other"}
KINDS_OF_TOOLS = {"reading", "meta", "generative", "operational", "unknown"}
# Other things than a field holds.
ODD = [None, True, 7, 1e300, "", "x", "{", "[]", [], [None], ["x"], [{}], {}, {"x": {}}, {"path": 1}]
each_payload = pytest.mark.parametrize("recorded", ALL, ids=lambda recorded: recorded.file)
each_dialect = pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def read(agent, payload, event=None):
    return adapter(agent).read(payload, event)


def test_every_agent_has_a_dialect():
    # Windsurf has an event for each kind of call, and tells no names of tools.
    assert {dialect.agent for dialect in DIALECTS.values()} == set(AGENTS) - {"windsurf"}


def test_every_agent_has_payloads_and_these_are_the_published_ones(shared):
    published = shared / "fixtures" / "hooks"

    assert {recorded.agent for recorded in ALL} >= set(AGENTS) - {"factory-droid"}
    assert json.loads((published / "index.json").read_text()) == INDEX
    for recorded in ALL:
        assert (PAYLOADS / recorded.file).read_bytes() == (published / recorded.file).read_bytes(), recorded.file


@each_payload
def test_a_payload_is_read_as_expected(recorded):
    expected = recorded.expect

    signal = read(recorded.agent, recorded.payload, recorded.event)

    kind = "other" if signal.kind in ("permission_request", "permission_denied") else signal.kind
    assert kind == expected["kind"]
    assert bool(signal.session_id) == expected["has_session"]
    assert (signal.tool.operation if signal.tool else None) == expected.get("op")
    if "paths" in expected:
        assert [absolute(signal.cwd, path) for path, _ in signal.tool.targets] == expected["paths"]


@each_payload
def test_what_is_read_is_well_typed(recorded):
    assert_typed(read(recorded.agent, recorded.payload, recorded.event))


@pytest.mark.daily(10)
@each_payload
@settings(max_examples=examples(10))
@given(extra=st.dictionaries(st.text(max_size=12).map("x_of_the_future_{}".format), anything, max_size=4))
def test_unknown_fields_change_nothing(recorded, extra):
    payload = recorded.payload

    assert read(recorded.agent, payload | extra, recorded.event) == read(recorded.agent, payload, recorded.event)


@pytest.mark.daily(38)
@each_payload
def test_a_field_that_is_missing_or_odd_is_left_out_or_refused(recorded):
    for where in list(places(recorded.payload)):
        for changed in (without(recorded.payload, where), *(put(recorded.payload, where, odd) for odd in ODD)):
            try:
                signal = read(recorded.agent, changed, recorded.event)
            except PayloadError:
                continue
            assert_typed(signal)


@pytest.mark.daily(2)
@each_dialect
@given(given=anything, name=st.text(max_size=20), phase=st.sampled_from([BEFORE, AFTER]))
def test_any_tool_may_be_given_anything(dialect, given, name, phase):
    payload = dialect.tool(phase, name, given)
    try:
        signal = read(dialect.agent, payload, dialect.before if phase == BEFORE else dialect.after)
    except PayloadError:
        return
    assert_typed(signal)


@each_dialect
def test_an_event_of_the_future_is_kept_as_what_it_is(dialect):
    signal = read(dialect.agent, dialect.say("EventOfTheFuture", {}), None if dialect.event else "EventOfTheFuture")

    assert (signal.kind, signal.name) == ("other", "EventOfTheFuture")


@each_dialect
@pytest.mark.parametrize("phase", [BEFORE, AFTER])
def test_a_tool_of_the_future_is_unknown_and_names_its_files_all_the_same(dialect, phase):
    _, arguments = dialect.write("src/a.py", "x\n")
    if "path" not in str(arguments).lower():
        arguments = {"path": "src/a.py"}

    signal = read(
        dialect.agent,
        dialect.tool(phase, "ToolOfTheFuture", arguments),
        dialect.before if phase == BEFORE else dialect.after,
    )

    assert signal.kind == ("pre_tool" if phase == BEFORE else "post_tool")
    assert (signal.tool.name, signal.tool.operation, signal.tool.kind) == ("ToolOfTheFuture", "other", "unknown")
    assert [absolute(signal.cwd, path) for path, _ in signal.tool.targets] == ["/home/dev/project/src/a.py"]


@each_dialect
def test_a_command_is_read_whole(dialect):
    tool = read(dialect.agent, dialect.tool(BEFORE, *dialect.shell("make test && git push")), dialect.before).tool

    assert (tool.operation, tool.kind, tool.command) == ("shell", "operational", "make test && git push")


@each_dialect
def test_a_write_names_its_file_and_what_will_be_in_it(dialect):
    tool = read(dialect.agent, dialect.tool(BEFORE, *dialect.write("src/a.py", "x = 1\n")), dialect.before).tool

    assert tool.kind == "generative"
    assert [path for path, _ in tool.targets] == ["src/a.py"]
    assert tool.proposal is None or tool.proposal.content == "x = 1\n" or tool.proposal.edits


@each_dialect
def test_a_session_and_a_prompt_are_told_as_such(dialect):
    for kind, said in (("session_start", dialect.start), ("prompt", dialect.prompt)):
        if said is not None:
            event, fields = said
            signal = read(dialect.agent, dialect.say(event, fields), None if dialect.event else event)
            assert (signal.kind, bool(signal.session_id)) == (kind, True)


def places(value, where=()):
    """Yield where each value of a payload stands."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*where, key)
        yield from places(item, (*where, key))


def put(payload, where, value):
    changed = copy.deepcopy(payload)
    at = changed
    for key in where[:-1]:
        at = at[key]
    at[where[-1]] = value
    return changed


def without(payload, where):
    changed = copy.deepcopy(payload)
    at = changed
    for key in where[:-1]:
        at = at[key]
    del at[where[-1]]
    return changed


def assert_typed(signal):
    """Hold a signal against the types that its definition states."""
    assert isinstance(signal, Signal)
    assert signal.kind in KINDS
    texts = ["session_id", "cwd", "transcript", "model_id", "permission_mode", "prompt_id", "agent_id", "agent_type"]
    assert isinstance(signal.name, str)
    assert all(isinstance(getattr(signal, name), str | None) for name in [*texts, "text", "agent_version"])
    assert all(isinstance(root, str) for root in signal.roots)
    if signal.tool is not None:
        assert_tool(signal.tool)
    if signal.result is not None:
        assert_result(signal.result)


def assert_tool(tool: Tool):
    assert isinstance(tool.call_id, str | None)
    assert isinstance(tool.command, str | None)
    assert isinstance(tool.name, str)
    assert isinstance(tool.input, dict)
    assert tool.operation in OPERATIONS
    assert tool.kind in KINDS_OF_TOOLS
    assert all(isinstance(path, str) and path and role in ROLES for path, role in tool.targets)
    proposal = tool.proposal or Proposal()
    assert isinstance(proposal.content, str | None)
    assert all(isinstance(edit.old, str) and isinstance(edit.new, str) for edit in proposal.edits)
    assert all(isinstance(edit.every, bool) for edit in proposal.edits)


def assert_result(result: Result):
    assert isinstance(result.error, str | None)
    assert isinstance(result.duration_ms, int | None)
    assert isinstance(result.exit_code, int | None)
    assert isinstance(result.interrupted, bool | None)
    assert isinstance(result.original, str | None)
    assert isinstance(result.user_modified, bool | None)
    assert isinstance(result.known_new, bool)
    assert isinstance(result.staged, bool)


@pytest.mark.parametrize(
    ("prompt", "typed"),
    [
        pytest.param("round the totals", "round the totals", id="nothing said before"),
        pytest.param("<hook_context>open: INT-001\n(Totals)</hook_context>\n\nround it", "round it", id="one hook"),
        pytest.param("<hook_context>a</hook_context>\n<hook_context>b</hook_context>\n\nx", "x", id="two hooks"),
        pytest.param("why is <hook_context> here", "why is <hook_context> here", id="the word in a prompt"),
        pytest.param("<hook_context>never closed", "<hook_context>never closed", id="never closed"),
    ],
)
def test_what_hooks_said_is_no_prompt_of_a_person_to_gemini_cli(prompt, typed):
    assert read("gemini-cli", {"hook_event_name": "BeforeAgent", "session_id": "s1", "prompt": prompt}).text == typed
