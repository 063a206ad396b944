"""Aligning two sequences of lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linetrail.ledger.observe.diff import MAX_GAP_CELLS, changes, matches

lines = st.lists(st.sampled_from(["", "a", "b", "c", "}", "x = 1", "return None"]), max_size=30)


@given(lines, lines)
def test_matches_are_equal_lines_in_increasing_order(a, b):
    i = j = 0

    for match in matches(a, b):
        assert match.a >= i
        assert match.b >= j
        assert a[match.a : match.a + match.length] == b[match.b : match.b + match.length]
        i, j = match.a + match.length, match.b + match.length


@given(lines, lines)
def test_changes_turn_one_side_into_the_other(a, b):
    built, at = [], 0

    for change in changes(a, b):
        built += a[at : change.a0] + b[change.b0 : change.b1]
        at = change.a1

    assert built + a[at:] == b


@given(lines)
def test_equal_sequences_have_no_change(a):
    assert changes(a, a) == []


def test_a_moved_function_stays_whole():
    f, g = ["def f():", "  one", "  two"], ["def g():", "  three"]

    assert [match.length for match in matches(f + g, g + f)] == [3]


def test_a_gap_too_large_to_align_is_left_as_changed():
    a = ["x", "y"] * MAX_GAP_CELLS
    b = ["y", "x"] * 3 + ["z"]

    assert changes(a, b)[-1].b1 == len(b)


@pytest.mark.slow
def test_a_hundred_thousand_lines_are_aligned_without_recursion():
    a = [str(n) for n in range(100_000)]
    b = [line for n, line in enumerate(a) if n % 50]

    assert sum(match.length for match in matches(a, b)) == len(b)
