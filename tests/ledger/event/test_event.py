"""One event as bytes: what is written reads back, and what readers of JSON disagree about is refused."""

import json
import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.errors import EventError, FutureLedgerError
from linetrail.ledger.event.event import (
    FIELDS,
    GENESIS,
    MAX_INT,
    MAX_LINE_BYTES,
    TYPES,
    VERSION,
    Agent,
    Event,
    derived_id,
    from_line,
    line_digest,
    new_id,
    rfc3339,
    to_line,
)
from linetrail.ledger.repository import Vcs

NOW = 1_760_000_000_123_456_789
UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
integers = st.integers(-MAX_INT, MAX_INT)
names = st.text(string.ascii_letters + "_", min_size=1, max_size=8)
values = st.recursive(
    st.none() | st.booleans() | integers | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=12,
)
events = st.builds(
    Event,
    id=st.builds(derived_id, st.integers(0, 2**60), text),
    timestamp=st.integers(0, 2**60).map(rfc3339),
    type=st.sampled_from(sorted(TYPES)),
    session_id=st.none() | text,
    agent=st.none() | st.builds(Agent, text, st.none() | text, st.none() | text),
    contributor=st.sampled_from(["ai", "human", "unknown"]),
    intent_id=st.none() | text,
    vcs=st.none() | st.builds(Vcs, st.just("git"), st.none() | text, st.none() | text, st.none() | st.booleans()),
    data=st.dictionaries(names, values, max_size=4),
    v=st.just(VERSION),
    seq=st.none(),
    prev=st.none(),
)


def an_event(**fields):
    return Event(
        id=derived_id(NOW, "an event"),
        timestamp=rfc3339(NOW),
        type="agent.signalled",
        session_id="s1",
        agent=Agent("claude-code"),
        contributor="ai",
        intent_id=None,
        vcs=None,
        data={"signal": "Stop"},
    )._replace(**fields)


def a_line(**fields):
    """Write a line as another program would: nothing is checked here."""
    record = json.loads(to_line(an_event(), 1, GENESIS)) | fields
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


@pytest.mark.slow
@given(events, st.integers(1, MAX_INT))
def test_what_is_written_reads_back_and_is_written_the_same_again(event, seq):
    line = to_line(event, seq, GENESIS)

    read = from_line(line)

    assert read == event._replace(seq=seq, prev=GENESIS)
    assert to_line(read, seq, GENESIS) == line


@pytest.mark.slow
@given(events)
def test_a_line_is_one_line_of_utf8_with_the_fields_in_order(event):
    line = to_line(event, 1, GENESIS)

    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert tuple(json.loads(line.decode())) == FIELDS


@given(st.binary(max_size=200))
def test_no_bytes_make_the_reader_fail_in_another_way(noise):
    with pytest.raises(EventError):
        from_line(noise)


@given(events, st.data())
def test_a_damaged_line_is_read_or_refused_but_never_a_crash(event, data):
    line = bytearray(to_line(event, 1, GENESIS))
    line[data.draw(st.integers(0, len(line) - 1))] = data.draw(st.integers(0, 255))

    try:
        read = from_line(bytes(line))
    except EventError:
        return
    assert tuple(json.loads(line)) == FIELDS
    assert isinstance(read, Event)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param(b"", "not JSON", id="nothing"),
        pytest.param(b"{", "not JSON", id="half an object"),
        pytest.param(b"[1]\n", "not a JSON object", id="an array"),
        pytest.param(b'"text"\n', "not a JSON object", id="a text"),
        pytest.param(b"\xef\xbb\xbf" + a_line(), "not JSON", id="a byte order mark"),
        pytest.param(a_line() + a_line(), "not JSON", id="two objects"),
        pytest.param(a_line()[:-1].decode().encode("utf-16"), "not UTF-8", id="UTF-16"),
        pytest.param(a_line().replace(b"Stop", b"St\xffp"), "not UTF-8", id="a byte that is no text"),
        pytest.param(a_line().replace(b"Stop", b"St\xed\xa0\x80p"), "not UTF-8", id="a surrogate as bytes"),
        pytest.param(a_line(data={"signal": "\ud800"}), "surrogate", id="a lone surrogate escaped"),
        pytest.param(a_line(session_id="\udfff"), "surrogate", id="a lone surrogate in the envelope"),
        pytest.param(a_line().replace(b'"v":1', b'"v":1,"v":1'), "twice", id="a key of the envelope twice"),
        pytest.param(a_line().replace(b'"signal":', b'"signal":"x","signal":'), "twice", id="a key of the data twice"),
        pytest.param(a_line(data={"signal": 1.5}), "not an integer", id="a float"),
        pytest.param(a_line(seq=1.0), "not an integer", id="a float that is whole"),
        pytest.param(a_line(data={"signal": float("nan")}), "not an integer", id="NaN"),
        pytest.param(a_line(data={"signal": float("-inf")}), "not an integer", id="infinity"),
        pytest.param(a_line(data={"signal": 2**53}), "outside", id="an integer beyond 2^53"),
        pytest.param(a_line().replace(b'"Stop"', b"9" * 5000), "not JSON", id="an integer of 5,000 digits"),
        pytest.param(a_line().replace(b'"Stop"', b"[" * 40 + b"]" * 40), "nested", id="forty levels"),
        pytest.param(a_line().replace(b'"Stop"', b"[" * 90_000), "longer", id="90,000 open brackets"),
        pytest.param(a_line().replace(b'"Stop"', b"[" * 60_000), "nested|not JSON", id="60,000 open brackets"),
        pytest.param(a_line(data={"sïgnal": 1}), "ASCII", id="a key beyond ASCII"),
        pytest.param(a_line(more=1), "fields", id="a field too many"),
        pytest.param(b'{"v":1}\n', "fields", id="fields missing"),
        pytest.param(a_line(agent={"name": "x", "age": 3}), "agent or vcs", id="an agent of other fields"),
        pytest.param(a_line(agent=3), "agent", id="an agent that is a number"),
        pytest.param(a_line(vcs=""), "vcs", id="a vcs that is an empty text"),
        pytest.param(a_line(seq="1"), "seq", id="a number in quotes"),
        pytest.param(a_line(seq=True), "seq", id="a number that is a truth value"),
        pytest.param(a_line(v=True), "version", id="a version that is a truth value"),
        pytest.param(a_line(v=0), "version", id="a version before the first"),
        pytest.param(a_line(data=[]), "data", id="data that is a list"),
    ],
)
def test_a_line_is_refused_with_its_reason(line, reason):
    with pytest.raises(EventError, match=reason):
        from_line(line)


def test_fields_out_of_order_are_refused():
    record = json.loads(a_line())
    line = json.dumps(dict(reversed(record.items()))).encode()

    with pytest.raises(EventError, match="out of order"):
        from_line(line)


@pytest.mark.parametrize("fields", [{}, {"anything": [1]}], ids=["same fields", "other fields"])
def test_a_line_of_the_future_says_upgrade(fields):
    with pytest.raises(FutureLedgerError, match="newer"):
        from_line(a_line(v=2, **fields))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        pytest.param({"type": "agent.guessed"}, "unknown event type", id="unknown type"),
        pytest.param({"contributor": "robot"}, "unknown contributor", id="unknown contributor"),
        pytest.param({"data": {"x": 0.5}}, "float", id="a float"),
        pytest.param({"data": {"x": float("nan")}}, "float", id="NaN"),
        pytest.param({"data": {"x": 2**53}}, "outside", id="an integer beyond 2^53"),
        pytest.param({"data": {"x": b"bytes"}}, "bytes", id="bytes"),
        pytest.param({"data": {1: "x"}}, "ASCII", id="a key that is a number"),
        pytest.param({"data": {"ключ": "x"}}, "ASCII", id="a key beyond ASCII"),
        pytest.param({"data": {"x": "\ud800"}}, "Unicode|surrogate", id="a lone surrogate"),
        pytest.param({"session_id": "\udcff"}, "Unicode|surrogate", id="a byte smuggled into a name"),
        pytest.param({"data": {"x": "x" * MAX_LINE_BYTES}}, "bytes", id="longer than a line may be"),
    ],
)
def test_an_event_that_may_not_be_stored_is_refused_with_its_reason(fields, reason):
    with pytest.raises(EventError, match=reason):
        to_line(an_event(**fields), 1, GENESIS)


def test_data_nested_too_deeply_is_refused():
    nested = []
    for _ in range(40):
        nested = [nested]

    with pytest.raises(EventError, match="nested"):
        to_line(an_event(data={"x": nested}), 1, GENESIS)


def test_the_longest_line_is_as_long_as_the_format_says():
    spare = MAX_LINE_BYTES - len(to_line(an_event(data={"x": ""}), 1, GENESIS))

    assert len(to_line(an_event(data={"x": "x" * spare}), 1, GENESIS)) == MAX_LINE_BYTES
    with pytest.raises(EventError, match="bytes"):
        to_line(an_event(data={"x": "x" * (spare + 1)}), 1, GENESIS)


@given(st.integers(0, 2**61))
def test_ids_are_uuids_of_version_7_in_the_order_of_their_milliseconds(unix_ns):
    first, later = new_id(unix_ns), new_id(unix_ns + 1_000_000)

    assert UUID7.fullmatch(first)
    assert first < later
    assert first != new_id(unix_ns)


@given(st.integers(0, 2**60), st.lists(st.text(max_size=5), max_size=3))
def test_a_natural_key_has_one_id(unix_ns, key):
    assert derived_id(unix_ns, *key) == derived_id(unix_ns, *key)
    assert derived_id(unix_ns, *key, "more") != derived_id(unix_ns, *key)
    assert UUID7.fullmatch(derived_id(unix_ns, *key))


@given(st.lists(st.integers(0, 2**61), min_size=2, max_size=2))
def test_times_sort_as_text(times):
    earlier, later = sorted(times)

    assert rfc3339(earlier) <= rfc3339(later)


def test_the_chain_is_over_the_bytes_as_written():
    line = to_line(an_event(), 1, GENESIS)

    assert line_digest(line) != line_digest(line.replace(b":", b": ", 1))
