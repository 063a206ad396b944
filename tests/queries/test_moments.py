"""When a person means what."""

import time
from datetime import UTC, datetime

import pytest

from linetrail.ledger.errors import UsageError
from linetrail.queries.moments import moment

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
    ],
)
def test_a_text_means_a_moment(text, meant):
    assert moment(text, NOW) == datetime.fromisoformat(meant)


def test_a_time_without_a_zone_is_this_machines(monkeypatch):
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()

    assert moment("2026-01-05", NOW) == datetime.fromisoformat("2026-01-05T05:00")


@pytest.mark.parametrize("text", ["", "soon", "2026-13-01", "9999999999999d", "0001-01-01", "tomorrow?"])
def test_what_is_no_moment_is_refused(text):
    with pytest.raises(UsageError, match="is no moment; write"):
        moment(text, NOW)
