"""Lines of two texts are matched, however often they repeat."""

import pytest

from linetrail.projections.lines.align import MAX_DEPTH, align, matches


def nested(depth, middle):
    """Return lines most of which are the only ones of their kind between those around them alone."""
    lines = [middle]
    for level in range(depth):
        lines = [f"line {level}", f"line {level + 1}", *lines]
    return lines


@pytest.mark.parametrize("depth", [5, 40, MAX_DEPTH + 50])
def test_lines_are_matched_however_deep_they_repeat(depth):
    old, new = nested(depth, "old"), nested(depth, "new")

    assert [tuple(one) for one in matches(old, new)] == [(0, 0, 2 * depth)]


def test_what_changed_among_lines_that_repeat_is_found():
    old = ["a", "b", "a", "b", "c", "a", "b"]
    new = ["a", "b", "a", "x", "c", "a", "b"]

    assert [tuple(one) for one in matches(old, new)] == [(0, 0, 3), (4, 4, 3)]


def test_only_equal_lines_are_aligned_at_an_end_that_repeats():
    assert align(["x", "a", "y", "a", "z", "a"], ["q", "a", "a", "a"])[2:] == [3, 5]
