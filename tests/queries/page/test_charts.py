"""Which chart fits an answer, and where its parts are."""

import math
from datetime import UTC, date, datetime

import pytest

from linetrail.queries.page import charts

JANUARY = [date(2026, 1, day) for day in (1, 2, 5)]


def rows(*values, names=("a", "b")):
    return [dict(zip(names, row, strict=True)) for row in values]


def test_a_day_and_a_number_are_columns_over_time():
    chart = charts.fitting(("b", "a"), rows(("2026-01-05", 1), ("2026-01-01", 4), ("2026-01-02", 2)))

    assert (chart.kind, chart.over, chart.of) == ("columns", "a", "b")
    assert [(bar.x, bar.height, bar.first) for bar in chart.shape.columns] == [
        (0, 100, "2026-01-01"),
        (1, 50, "2026-01-02"),
        (4, 25, "2026-01-05"),
    ]


def test_many_days_or_a_loss_are_a_line():
    years = charts.fitting(("a", "b"), rows(*((f"20{year}-01-01", year) for year in range(10, 26))))
    loss = charts.fitting(
        ("a", "b"), rows((datetime(2026, 1, 1, 9, tzinfo=UTC), -1.5), (datetime(2026, 1, 3, tzinfo=UTC), 3))
    )

    assert (years.kind, loss.kind) == ("line", "line")
    assert (loss.shape.points, loss.shape.least) == ("0.00,100.00 100.00,0.00", -1.5)
    assert loss.shape.series == ([1_767_225_600, 1_767_398_400], [-1.5, 3])


def test_a_name_and_a_number_are_bars():
    chart = charts.fitting(("a", "b"), rows(("codex", 4), ("claude", 1), (None, 2)))

    assert (chart.kind, [(bar.name, bar.width) for bar in chart.shape]) == (
        "bars",
        [("codex", 100), ("claude", 25), (None, 50)],
    )


@pytest.mark.parametrize(
    "values",
    [
        pytest.param([], id="no row"),
        pytest.param([("x", 1)], id="one row"),
        pytest.param([("x", "1"), ("y", "2")], id="no number"),
        pytest.param([("x", True), ("y", False)], id="truth is no number"),
        pytest.param([("x", math.nan), ("y", 1.0)], id="not a number"),
        pytest.param([("x", math.inf), ("y", 1.0)], id="endless"),
        pytest.param([("x", 1), ("x", 2)], id="a name twice"),
        pytest.param([("x" * 81, 1), ("y", 2)], id="a text"),
        pytest.param([("x", -1), ("y", 2)], id="less than nothing"),
        pytest.param([(None, None), (None, None)], id="nothing known"),
        pytest.param([([1], 1), ([2], 2)], id="lists"),
    ],
)
def test_nothing_is_drawn_of_what_fits_no_chart(values):
    assert charts.fitting(("a", "b"), rows(*values)) is None


def test_a_clock_that_was_wrong_leaves_room_for_the_rest():
    counts = dict.fromkeys([*JANUARY, date(1970, 1, 1), date(9999, 12, 31)], 1)

    shape = charts.columns(counts)

    assert (shape.first, shape.last, len(shape.columns)) == ("2026-01-01", "2026-01-05", 3)
    assert charts.columns({date(1970, 1, 1): 1}) is None


def test_years_of_days_are_put_together_and_none_is_lost():
    counts = {date.fromordinal(date(2020, 1, 1).toordinal() + at): 1 for at in range(2_000)}

    shape = charts.columns(counts)

    assert len(shape.columns) <= charts.MOST_COLUMNS
    assert sum(bar.value for bar in shape.columns) == 2_000
    assert shape.columns[-1].last == shape.last
