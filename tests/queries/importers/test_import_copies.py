"""Transcripts that are there many times, longer every time: each line is read once, and the events are the same."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linetrail.queries.importers.histories.entire import Copies
from linetrail.queries.importers.transcript import Counts, parsed, time_of, unix_ns
from tests.examples import examples

pytestmark = pytest.mark.in_turn


def line(number, **fields):
    return json.dumps({"n": number, "timestamp": f"2026-01-05T10:00:{number % 60:02d}Z"} | fields).encode() + b"\n"


LINES = [line(number) for number in range(200)]


def test_a_longer_copy_has_as_new_what_comes_after_the_shorter_one():
    copies = Copies()
    copies.rest(b"".join(LINES[:50]))

    rest = copies.rest(b"".join(LINES))

    assert rest == (
        len(b"".join(LINES[:50])),
        50,
        *(unix_ns("2026-01-05T10:00:49Z"),) * 2,
        unix_ns("2026-01-05T10:00:00Z"),
    )


def test_a_shorter_copy_that_comes_later_has_nothing_new_but_what_stands_alone():
    copies = Copies()
    copies.rest(b"".join(LINES))

    assert copies.rest(b"".join(LINES[:64])).lines == 64
    assert copies.rest(b"".join(LINES)).lines == 200


def test_where_two_copies_part_the_rest_of_both_is_new():
    copies = Copies()
    copies.rest(b"".join(LINES[:100]))

    other = copies.rest(b"".join([*LINES[:70], line(0, other=True), *LINES[71:100]]))

    assert 0 < other.lines <= 70


def test_a_line_that_was_cut_short_is_not_known_when_it_is_whole():
    copies = Copies()
    copies.rest(b"".join(LINES[:10])[:-5])

    assert copies.rest(b"".join(LINES[:10])).lines == 9


@given(st.lists(st.tuples(st.integers(0, 200), st.integers(0, 200)), min_size=1, max_size=6))
def test_every_line_is_new_at_least_once_and_none_is_known_that_was_not_there(cuts):
    copies = Copies()
    seen = set()
    for same, length in cuts:
        own = [*LINES[: min(same, length)], *(line(at, copy=same) for at in range(same, length))]

        rest = copies.rest(b"".join(own))

        beginnings = [b"".join(own[: at + 1]) for at in range(len(own))]
        assert all(beginning in seen for beginning in beginnings[: rest.lines])
        assert rest.offset == len(b"".join(own[: rest.lines]))
        seen.update(beginnings)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b'{"a":NaN}', id="no number"),
        pytest.param(b'\xef\xbb\xbf{"a":1}', id="a byte order mark"),
        pytest.param(b'{"a":"\\ud800"}', id="half of a surrogate pair"),
        pytest.param(b'{"a":"\\ud83d\\ude00","b":1.50,"c":123456789012345678901234567890}', id="numbers and a pair"),
        pytest.param(b'{"a":1,"a":2}', id="a key twice"),
    ],
)
def test_what_python_reads_is_read_as_python_does(raw):
    expected = json.loads(raw.decode("utf-8-sig"))

    found = parsed(raw + b"\n", Counts(""))

    assert json.dumps(found) == json.dumps(expected).replace("\\ud800", "?")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.slow
@settings(max_examples=examples(30))
@given(st.dictionaries(st.text(), values))
def test_a_record_is_what_was_written(record):
    raw = json.dumps(record).encode() + b"\n"

    assert repr(parsed(raw, Counts(""))) == repr(json.loads(raw))


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(LINES[3], id="a record"),
        pytest.param(b'{"timestamp": 5}\n', id="a time that is none"),
        pytest.param(b'{"a": {"timestamp": "2026-01-05T10:00:00Z"}}\n', id="a time of something in it"),
        pytest.param(b'{"timestamp": "2026-01-05T10:00:00Z", "a": NaN}\n', id="what only Python reads"),
        pytest.param(b"[1]\n", id="no object"),
        pytest.param(b"not JSON\n", id="not JSON"),
        pytest.param(b"\n", id="empty"),
    ],
)
def test_the_time_of_a_line_is_that_of_its_record(raw):
    record = parsed(raw, Counts("")) or {}

    assert time_of(raw) == unix_ns(record.get("timestamp"))
