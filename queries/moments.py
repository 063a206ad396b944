"""Understand when a person means: an ISO date, `7d`, `last week`, `yesterday`."""

import re
from datetime import UTC, date, datetime, timedelta

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository
from linetrail.ledger.vcs import git

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_SPAN = re.compile(r"(\d+)\s*(m|min|minutes?|h|hours?|d|days?|w|weeks?)(\s+ago)?")
_DATE = re.compile(r"(?<!\d)(\d+)([-/.])(\d+)\2(\d+)")
_TIME = re.compile(r"(?<![\d:])(\d+):(\d+)(?::(\d+))?")


def moment(text: str, now: datetime | None = None) -> datetime:
    """Return the moment a text means, in UTC without saying so; a time without a zone is this machine's.

    >>> noon = datetime(2026, 1, 15, 12, tzinfo=UTC)
    >>> moment("7d", noon), moment("2026-01-05T10:00:00+02:00")
    (datetime.datetime(2026, 1, 8, 12, 0), datetime.datetime(2026, 1, 5, 8, 0))
    """
    local = (now or datetime.now(UTC)).astimezone()
    word = text.strip().lower()
    try:
        found = _ago(word, local) or _named(word, local) or datetime.fromisoformat(text.strip()).astimezone()
        return found.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text!r} is no moment; write 2026-01-05, 2026-01-05T10:00:00Z, 7d, 2h or last week"
        ) from None


def since(repository: Repository, text: str) -> str:
    """Return a moment as events write it; also one in git's own words, such as `2.weeks` or `last friday`."""
    try:
        return moment(text).isoformat(timespec="microseconds") + "Z"
    except UsageError:
        if _names_no_day(text):
            raise
        # git takes words that mean nothing for now
        said = git(repository, "rev-parse", f"--since={text}") or b""
        seconds = said.strip().removeprefix(b"--max-age=")
        if not seconds.isdigit() or int(seconds) >= int(datetime.now(UTC).timestamp()) - 2:
            raise
        return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _names_no_day(text: str) -> bool:
    """Tell whether a date or a time in numbers is one that no calendar or clock has: git makes something of it."""
    dates = [(one, two, three) for one, _, two, three in _DATE.findall(text)]
    times = [tuple(int(number or 0) for number in found) for found in _TIME.findall(text)]
    return not all(map(_is_day, dates)) or any(
        hour > 24 or minute > 59 or second > 60 for hour, minute, second in times
    )


def _is_day(numbers: tuple[str, str, str]) -> bool:
    """Tell whether three numbers are a date in any order that people write one in."""
    first, second, third = map(int, numbers)
    orders = [(first, second, third)]
    if len(numbers[0]) < 4:
        orders += [(third, first, second), (third, second, first)]
    return any(_exists(*order) for order in orders)


def _exists(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _ago(word: str, now: datetime) -> datetime | None:
    span = _SPAN.fullmatch(word)
    return now - timedelta(**{_UNITS[span[2][0]]: int(span[1])}) if span else None


def _named(word: str, now: datetime) -> datetime | None:
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    monday = midnight - timedelta(days=midnight.weekday())
    named = {
        "now": now,
        "today": midnight,
        "yesterday": midnight - timedelta(days=1),
        "this week": monday,
        "last week": monday - timedelta(weeks=1),
        "this month": midnight.replace(day=1),
        "last month": (midnight.replace(day=1) - timedelta(days=1)).replace(day=1),
    }
    return named.get(word)
