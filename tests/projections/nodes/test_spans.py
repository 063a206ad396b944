"""Ranges of lines are followed back through hunks alone."""

import pytest

from linetrail.projections.lines.transitions import Hunk
from linetrail.projections.nodes.versions import Span, Touch, back


def hunk(start, stop, new_start, lines, edited=()):
    return Hunk(start, stop, new_start, tuple(f"line {at}" for at in range(lines)), dict(edited))


@pytest.mark.parametrize(
    ("hunks", "touch"),
    [
        pytest.param([], Touch(Span(10, 20), 0, 0, heading=False), id="nothing changed"),
        pytest.param([hunk(0, 0, 0, 3)], Touch(Span(7, 17), 0, 0, heading=False), id="lines came above"),
        pytest.param([hunk(0, 5, 0, 0)], Touch(Span(15, 25), 0, 0, heading=False), id="lines went above"),
        pytest.param([hunk(30, 31, 30, 9)], Touch(Span(10, 20), 0, 0, heading=False), id="lines came below"),
        pytest.param([hunk(12, 12, 12, 2)], Touch(Span(10, 18), 2, 0, heading=False), id="lines came inside"),
        pytest.param([hunk(12, 15, 12, 0)], Touch(Span(10, 23), 0, 3, heading=False), id="lines went inside"),
        pytest.param([hunk(9, 10, 10, 0)], Touch(Span(10, 20), 0, 0, heading=False), id="lines went right above"),
        pytest.param([hunk(10, 11, 10, 1)], Touch(Span(10, 20), 1, 1, heading=True), id="its heading was replaced"),
        pytest.param([hunk(19, 20, 19, 1)], Touch(Span(10, 20), 1, 1, heading=False), id="its end was replaced"),
        pytest.param([hunk(4, 4, 4, 30)], Touch(None, 10, 0, heading=True), id="it came with others"),
        pytest.param([hunk(10, 10, 10, 10)], Touch(None, 10, 0, heading=True), id="it came alone"),
        pytest.param(
            [hunk(4, 9, 4, 30, {12: 6, 13: 7})],
            Touch(Span(6, 8), 10, 5, heading=True),
            id="it was written anew among others, out of two lines",
        ),
    ],
)
def test_a_range_is_where_its_lines_were(hunks, touch):
    assert back(Span(10, 20), hunks) == touch
