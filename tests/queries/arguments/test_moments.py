"""When a person means what."""

import time
from datetime import UTC, datetime

import pytest

from linetrail.ledger.errors import UsageError
from linetrail.queries.arguments.moments import moment

NOW = datetime(2026, 1, 15, 12, 30, tzinfo=UTC)  # a Thursday


@pytest.fixture(autouse=True)
def _zone(monkeypatch):
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2026-01-05", "2026-01-05T00:00"),
        ("2026-01-05T10:00:00Z", "2026-01-05T10:00"),
        ("2026-01-05T10:00:00+02:00", "2026-01-05T08:00"),
        ("2026-01-05 10:00", "2026-01-05T10:00"),
        ("7d", "2026-01-08T12:30"),
        ("2 hours ago", "2026-01-15T10:30"),
        ("90m", "2026-01-15T11:00"),
        ("1w", "2026-01-08T12:30"),
        ("today", "2026-01-15T00:00"),
        ("Yesterday", "2026-01-14T00:00"),
        ("this week", "2026-01-12T00:00"),
        ("last week", "2026-01-05T00:00"),
        ("last month", "2025-12-01T00:00"),
        ("last year", "2025-01-01T00:00"),
        ("2026-01", "2026-01-01T00:00"),
        ("an hour ago", "2026-01-15T11:30"),
        ("3 days ago", "2026-01-12T12:30"),
        ("2.weeks", "2026-01-01T12:30"),
        ("1 month ago", "2025-12-15T12:30"),
        ("11 months ago", "2025-02-15T12:30"),
        ("1y", "2025-01-15T12:30"),
        ("monday", "2026-01-12T00:00"),
        ("thu", "2026-01-15T00:00"),
        ("last thursday", "2026-01-08T00:00"),
        ("fri", "2026-01-09T00:00"),
        ("yesterday 14:00", "2026-01-14T14:00"),
        ("yesterday at noon", "2026-01-14T12:00"),
        ("Monday 9 am", "2026-01-12T09:00"),
        ("monday 9:30pm", "2026-01-12T21:30"),
        ("9:15", "2026-01-15T09:15"),
        ("18:00", "2026-01-14T18:00"),
        ("12am", "2026-01-15T00:00"),
    ],
)
def test_a_text_means_a_moment(text, meant):
    assert moment(text, NOW) == datetime.fromisoformat(meant)


def test_a_time_without_a_zone_is_this_machines(monkeypatch):
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()

    assert moment("2026-01-05", NOW) == datetime.fromisoformat("2026-01-05T05:00")


def test_a_day_has_the_offset_that_it_had(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    summer = datetime(2026, 3, 30, 12, tzinfo=UTC)  # the day after the clocks went forward

    assert moment("last week", summer) == datetime.fromisoformat("2026-03-22T23:00")
    assert moment("1 month ago", summer) == datetime.fromisoformat("2026-02-28T13:00")
    assert moment("24h", summer) == datetime.fromisoformat("2026-03-29T12:00")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "2026-13-01",
        "9999999999999d",
        "0001-01-01",
        "tomorrow?",
        "25:00",
        "13pm",
        "9",
        "last",
        "9999y",
        "may 5 9:00",
        "m",
        "3 blue moons",
        "monday monday",
        " at 9:00",
        "2026-1",
    ],
)
def test_what_is_no_moment_is_refused(text):
    with pytest.raises(UsageError, match="is no moment; write"):
        moment(text, NOW)
