"""DuckDB reads every line that the ledger accepts as Python does, and no other line reaches it."""

import json
from datetime import datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linetrail.ledger.errors import DamageWarning
from linetrail.ledger.event.event import GENESIS, MAX_INT, from_line, line_digest, to_line
from linetrail.ledger.repository import find
from linetrail.projections.tables import partitions
from linetrail.projections.tables.tables import open_tables
from tests.examples import examples
from tests.story import Story

pytestmark = pytest.mark.in_turn

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
keys = st.text(st.characters(min_codepoint=0, max_codepoint=127), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-MAX_INT, MAX_INT) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
FIELDS = [
    "targets", "files", "duration_ms", "length", "scope", "alternatives", "parents", "interrupted", "tool_call_id",
    "before", "after", "lines", "path",
]  # fmt: skip
payloads = st.dictionaries(keys | st.sampled_from(FIELDS), values, max_size=5)
types = st.sampled_from(
    ["tool.requested", "tool.completed", "mutation.observed", "intent.changed", "decision.recorded", "commit.observed"]
)
# Ways to write the same JSON; the ledger writes the first, and reads them all.
SPELLINGS = [
    {"ensure_ascii": False, "separators": (",", ":")},
    {"ensure_ascii": True, "separators": (",", ":")},
    {"ensure_ascii": False, "separators": (", ", " : ")},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("reading")
    (path / ".orchestration").mkdir()
    return path


def write(folder, lines):
    (folder / ".orchestration" / "agent_trace.jsonl").write_bytes(b"".join(lines))


def chained(events, spelling=SPELLINGS[0]):
    prev, lines = GENESIS, []
    for seq, event in enumerate(events, 1):
        record = json.loads(to_line(event, seq, prev))
        line = json.dumps(record, **spelling).encode() + b"\n"
        from_line(line)
        prev = line_digest(line)
        lines.append(line)
    return lines


@pytest.mark.slow
@settings(max_examples=examples(30), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    told=st.lists(st.tuples(types, payloads, texts | st.none(), texts | st.none()), min_size=1, max_size=6),
    spelling=st.sampled_from(SPELLINGS),
)
def test_duckdb_reads_what_python_reads(folder, told, spelling):
    story = Story()
    for event_type, data, session, intent in told:
        story.tell(event_type, data, session=session, intent=intent)
    write(folder, chained(story.events, spelling))

    with open_tables(find(str(folder))) as tables:
        events = list(tables.ask("from v_events order by position").mappings())
        for table in ("tool_calls", "mutation_files", "line_hashes", "intents", "decision_alternatives", "event_paths"):
            tables.ask(f"from {table}")

    assert len(events) == len(story.events)
    for row, event in zip(events, story.events, strict=True):
        assert json.loads(row["payload"]) == event.data
        assert (row["event_id"], row["session_id"], row["intent_id"]) == (event.id, event.session_id, event.intent_id)
        assert row["occurred_at"] == datetime.fromisoformat(event.timestamp).replace(tzinfo=None)
        assert (row["agent_name"], row["branch"]) == ("claude-code", "main")


def three_ends():
    story = Story()
    for _ in range(3):
        story.tell("session.ended", {"reason": "exit"})
    return chained(story.events)


GOOD = three_ends()[1]


def with_data(more: bytes) -> bytes:
    return GOOD.replace(b'"data":{', b'"data":{' + more + b",")


@pytest.mark.daily(3)
@pytest.mark.parametrize(
    "poison",
    [
        pytest.param(with_data(b'"a":1,"a":2'), id="the same key twice"),
        pytest.param(with_data(b'"a":1.7'), id="a number with a fraction"),
        pytest.param(with_data(b'"a":9007199254740992'), id="a huge number"),
        pytest.param(with_data(b'"a":"\\ud800"'), id="half a surrogate pair"),
        pytest.param(with_data(b'"a":' + b"[" * 200 + b"]" * 200), id="200 levels deep"),
        pytest.param(with_data(b'"a":NaN'), id="a number that is none"),
        pytest.param(GOOD.replace(b"}}\n", b"},}\n"), id="a comma at the end"),
        pytest.param(GOOD.replace(b"s1", b"s\xff"), id="not UTF-8"),
        pytest.param(b"<<<<<<< HEAD\n", id="a conflict marker"),
        pytest.param(b"\0" * 50 + b"\n", id="a hole of NULs"),
        pytest.param(b"\xef\xbb\xbf" + GOOD, id="a byte order mark"),
        pytest.param(b"\n", id="an empty line"),
        pytest.param(b"", id="no line at all"),
        pytest.param(GOOD + GOOD, id="the line twice"),
    ],
)
@pytest.mark.parametrize("few", [pytest.param(partitions.FEW, id="read slowly"), pytest.param(0, id="read quickly")])
def test_a_line_that_readers_disagree_about_never_reaches_a_table(folder, poison, few, monkeypatch):
    monkeypatch.setattr(partitions, "FEW", few)
    first, _, last = three_ends()
    write(folder, [first, poison, last])

    with pytest.warns(DamageWarning, match=r"agent_trace\.jsonl: offset \d+: "):
        tables = open_tables(find(str(folder)))

    with tables:
        there = [event_id for (event_id,) in tables.ask("select event_id from v_events order by position").rows]
    assert there[0] == from_line(first).id
    assert from_line(last).id not in there


@pytest.mark.slow
def test_a_field_of_another_type_is_unknown_and_breaks_nothing(folder):
    story = Story()
    strange = {"targets": 5, "files": {"a": 1}, "duration_ms": "soon", "interrupted": [], "tool_call_id": {"x": 1}}
    story.tell("tool.requested", strange | {"tool_name": "Edit"})
    story.tell("mutation.observed", strange)
    story.tell("mutation.observed", {"files": [{"path": 7, "hunks": "none"}, None, 3]})
    write(folder, chained(story.events))

    with open_tables(find(str(folder))) as tables:
        assert tables.ask("select tool_name, path, duration_ms from v_tool_calls").rows == [("Edit", None, None)]
        assert tables.ask("select files, lines_added from mutations order by position").rows == [(0, None), (3, None)]
