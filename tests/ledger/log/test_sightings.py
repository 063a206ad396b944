"""Ids that stand in two places are found whatever they look like, and nothing else is."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.event.event import GENESIS, derived_id, to_line
from linetrail.ledger.log import id_index
from linetrail.ledger.log.id_index import Span, ids, keys, overlapping, places, shared, touching
from tests.histories import event

BITS = st.integers(0, 40).map(lambda number: derived_id(number * 1_000_000, str(number)))
ODD = st.sampled_from(["", "x", "0" * 36, "-" * 36, "é", "019b8d62-7a80-7a97-8112-ca1bbdcafac2 "])
FILES = st.dictionaries(st.sampled_from("abcd"), st.lists(BITS | ODD, max_size=12), max_size=4)
SPANS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 8)), max_size=7).map(
    lambda found: [Span("abcdefg"[:at], f"{low:04}", f"{low + size:04}") for at, (low, size) in enumerate(found)]
)


@given(FILES)
def test_what_stands_in_two_places_is_what_is_shared(files):
    times = Counter(event_id for found in files.values() for event_id in found)
    wanted = {name: {keys([each])[0] for each in found if times[each] > 1} for name, found in files.items()}

    found = shared({name: keys(held) for name, held in files.items()})

    assert found == {name: common for name, common in wanted.items() if common}


@given(FILES)
def test_portions_make_no_difference(files):
    keyed = {name: keys(found) for name, found in files.items()}
    at_once = shared(keyed)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(id_index, "PORTION", 2)
        assert shared(keyed) == at_once


def meet(one, other):
    return one.oldest_id <= other.newest_id and other.oldest_id <= one.newest_id


@given(SPANS)
def test_overlapping_spans_are_those_that_meet_another(spans):
    assert overlapping(spans) == {one.name for one in spans for other in spans if one != other and meet(one, other)}


@given(SPANS, SPANS)
def test_touching_spans_are_those_that_meet_one_of_the_others(spans, others):
    assert touching(spans, others) == {one.name for one in spans for other in others if meet(one, other)}


def test_an_event_has_the_same_substance_wherever_it_stands():
    here, there = to_line(event("a"), 1, GENESIS), to_line(event("a"), 7, "f" * 64)
    other = to_line(event("a", text="something else"), 1, GENESIS)
    (first,), (second,), (third,) = (places(line, set(keys(ids(line)))) for line in (here, there, other))

    assert (first.event_id, first.seq, second.seq) == (event("a").id, 1, 7)
    assert first.substance() == second.substance() != third.substance()
