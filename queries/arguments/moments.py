"""Read a moment as a person writes it: an ISO date, `7d`, `3 days ago`, `yesterday 14:00`, `monday`, `last week`."""

import calendar
import re
from datetime import UTC, date, datetime, timedelta

from linetrail.ledger.errors import UsageError
from linetrail.ledger.repository import Repository, git

FORMS = "2026-01-05, 2026-01-05T10:00:00Z, 7d, 3 days ago, yesterday 14:00, monday or last week"
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_MONTHS = {"mo": 1, "y": 12}
_SPAN = re.compile(
    r"(?P<number>\d+|an?|one)\s*"
    r"(?:(?P<month>mo)n?(?:ths?)?|(?P<year>y)(?:ears?|rs?)?|(?P<unit>s|m|h|d|w)(?:ec|in|r|econd|inute|our|ay|eek)?s?)"
    r"(?:\s+ago)?"
)
_CLOCK = re.compile(r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::(?P<second>\d\d))?)?\s*(?P<half>[ap]m)?")
_MONTH = re.compile(r"\d{4}-\d\d")
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NOON = {"noon": (12, 0, 0), "midnight": (0, 0, 0)}
_DATE = re.compile(r"(?<!\d)(\d+)([-/.])(\d+)\2(\d+)")
_TIME = re.compile(r"(?<![\d:])(\d+):(\d+)(?::(\d+))?")


def moment(text: str, now: datetime | None = None) -> datetime:
    """Return the moment that a text names, in UTC and naive; a time without a zone is local.

    >>> noon = datetime(2026, 1, 15, 12, tzinfo=UTC)
    >>> moment("7d", noon), moment("2026-01-05T10:00:00+02:00")
    (datetime.datetime(2026, 1, 8, 12, 0), datetime.datetime(2026, 1, 5, 8, 0))
    """
    local = (now or datetime.now(UTC)).astimezone()
    words = " ".join(text.lower().replace(".", " ").split()) if not text[:4].isdecimal() else text.strip()
    try:
        # What the calendar says has no offset yet: another day may have another one than today.
        wall = local.replace(tzinfo=None)
        found = _ago(words, local) or _named(words, wall) or _month(words) or datetime.fromisoformat(text.strip())
        return found.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise UsageError(f"{text!r} is no moment; write {FORMS}") from None


def since(repository: Repository, text: str) -> str:
    """Return a moment as events spell it; git's own words, such as `2.weeks` or `last friday`, are read, too."""
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
    """Return whether a text has a date or time that does not exist, which git would accept."""
    dates = [(one, two, three) for one, _, two, three in _DATE.findall(text)]
    times = [tuple(int(number or 0) for number in found) for found in _TIME.findall(text)]
    return not all(map(_is_day, dates)) or any(
        hour > 24 or minute > 59 or second > 60 for hour, minute, second in times
    )


def _is_day(numbers: tuple[str, str, str]) -> bool:
    """Return whether three numbers are a date in any common order."""
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


def _ago(words: str, now: datetime) -> datetime | None:
    span = _SPAN.fullmatch(words)
    if span is None:
        return None
    number = int(span["number"]) if span["number"].isdecimal() else 1
    if span["unit"]:
        return now - timedelta(**{_UNITS[span["unit"]]: number})
    return _months_before(now.replace(tzinfo=None), number * _MONTHS[span["month"] or span["year"]])


def _months_before(now: datetime, months: int) -> datetime:
    """Return the moment that many months earlier; the last day where the month is too short."""
    year, month = divmod(now.year * 12 + now.month - 1 - months, 12)
    return now.replace(year=year, month=month + 1, day=min(now.day, calendar.monthrange(year, month + 1)[1]))


def _named(words: str, now: datetime) -> datetime | None:
    """Read a day, a time of day, or both: `monday`, `9:30`, `yesterday at noon`."""
    day, _, time = words.rpartition(" ")
    clock = _clock(time)
    if clock is None and (pieces := words.rsplit(" ", 2))[2:] in (["am"], ["pm"]):
        day, clock = pieces[0], _clock(pieces[1] + pieces[2])
    if clock is None:
        return _day(words, now)
    begun = _day(day.removesuffix(" at"), now) if day else now.replace(hour=0, minute=0, second=0, microsecond=0)
    if begun is None:
        return None
    hour, minute, second = clock
    found = begun.replace(hour=hour, minute=minute, second=second)
    return found - timedelta(days=1) if not day and found > now else found


def _clock(text: str) -> tuple[int, int, int] | None:
    """Read a time of day; a bare number is none."""
    if text in _NOON:
        return _NOON[text]
    found = _CLOCK.fullmatch(text)
    if found is None or not (found["minute"] or found["half"]):
        return None
    hour = int(found["hour"])
    if found["half"]:
        if not 1 <= hour <= 12:
            raise ValueError(text)
        hour = hour % 12 + 12 * (found["half"] == "pm")
    return hour, int(found["minute"] or 0), int(found["second"] or 0)


def _month(words: str) -> datetime | None:
    return datetime.fromisoformat(f"{words}-01") if _MONTH.fullmatch(words) else None


def _day(words: str, now: datetime) -> datetime | None:
    """Return the start of a named day, week, month or year; a weekday is the latest one that has begun."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    monday = midnight - timedelta(days=midnight.weekday())
    last, _, name = words.rpartition(" ")
    weekday = next((at for at, full in enumerate(_DAYS) if len(name) >= 3 and full.startswith(name)), None)
    if weekday is not None and last in {"", "last"}:
        back = (midnight.weekday() - weekday) % 7
        return midnight - timedelta(days=back or (7 if last else 0))
    first = midnight.replace(day=1)
    named = {
        "now": now,
        "today": midnight,
        "yesterday": midnight - timedelta(days=1),
        "this week": monday,
        "last week": monday - timedelta(weeks=1),
        "this month": first,
        "last month": _months_before(first, 1),
        "this year": first.replace(month=1),
        "last year": _months_before(first.replace(month=1), 12),
    }
    return named.get(words)
