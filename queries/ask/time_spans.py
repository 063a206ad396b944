"""Find the time that a question speaks of: days, weeks, months, weekdays, dates, and what lies between two of them.

A time is a stretch: `yesterday` is a day, `last week` the seven days up to Sunday, `3 days ago` the day three before.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september", "october"),
    *("november", "december"),
)
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)"
)
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "ten": 10}
_COUNT = rf"(?:\d{{1,4}}|{'|'.join(_COUNTS)})"
_NTHS = ("first", "second", "third", "fourth", "last")
_NTH = "|".join(_NTHS)
_UNIT = r"(?:minute|hour|day|week|month|quarter|year)s?"


class Span(NamedTuple):
    """From one moment until another, which does not belong to it; None is open. Moments are local, with their zone."""

    since: datetime | None
    until: datetime | None


class Said(NamedTuple):
    """What a question says of time, in UTC without saying so; the words that say it; the question without them."""

    since: datetime | None
    until: datetime | None
    words: tuple[str, ...]
    rest: str


def said(question: str, now: datetime) -> Said:
    """Take the time out of a question; several times are the stretch from the first to the last of them."""
    local, words, spans = now.astimezone(), [], []
    rest = _DAYS_OF_MONTH.sub(r"\1 \2 \5 \3 \4 \5", question)
    rest = _MONTH_AND_DAYS.sub(r"from \1 \2 to \1 \3", rest)
    rest = _DAY_OF_DATE.sub("", rest)
    for pattern, meaning in _FORMS:
        while True:
            found = pattern.search(rest)
            span = _meant(meaning, found, local) if found else None
            if found is None or span is None:
                break
            words.append(found[0].strip())
            spans.append(span)
            rest = f"{rest[: found.start()]} \0 {rest[found.end() :]}"
    rest = re.sub(r"(?:\b(?:and|or|to|until)\s+)?\0", " ", rest)
    since, until = _together(spans)
    return Said(_utc(since), _utc(until), tuple(words), rest)


def compared(question: str, now: datetime) -> tuple[str, tuple[str, ...]]:
    """Return a question without the times that it names, and these in their order; `the week before` is one of them."""
    for this, earlier in _EARLIER:
        question = re.sub(rf"\b{this}\b(.*)\bthe \1 before\b", earlier, question, flags=re.IGNORECASE)
    time = said(question, now)
    return time.rest, tuple(sorted(time.words, key=question.index))


def _meant(meaning: "Meaning", found: re.Match[str], now: datetime) -> Span | None:
    """Return the stretch that is meant; None where no calendar has it."""
    try:
        return meaning(found, now)
    except (ValueError, OverflowError):
        return None


def _together(spans: list[Span]) -> tuple[datetime | None, datetime | None]:
    """Join stretches that are closed; one that is open narrows what the others say."""
    closed = [span for span in spans if span.since and span.until]
    since = min((span.since for span in closed if span.since), default=None)
    until = max((span.until for span in closed if span.until), default=None)
    for span in spans:
        if span.since is None or span.until is None:
            since = max(filter(None, (since, span.since)), default=None)
            until = min(filter(None, (until, span.until)), default=None)
    return since, until


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC).replace(tzinfo=None)


def _day(text: str, now: datetime) -> Span | None:
    """Return the stretch that one expression names: a day, a week, a month, a year."""
    for pattern, meaning in _NAMES:
        found = pattern.fullmatch(text.strip())
        if found:
            return _meant(meaning, found, now)
    return None


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


def _one_day(moment: datetime) -> Span:
    start = _midnight(moment)
    return Span(start, start + timedelta(days=1))


def _week(now: datetime, ago: int) -> Span:
    monday = _midnight(now) - timedelta(days=now.weekday(), weeks=ago)
    return Span(monday, monday + timedelta(weeks=1))


def _week_of(day: Span) -> Span | None:
    return _week(day.since, 0) if day.since else None


def _part(month: Span, which: str, unit: str) -> Span | None:
    """Return seven days of a month, or the half before its 16th or from it on."""
    if month.since is None or month.until is None:
        return None
    if unit == "half":
        middle = month.since + timedelta(days=15)
        return {"first": Span(month.since, middle), "second": Span(middle, month.until)}.get(which)
    seven = timedelta(weeks=1)
    if which == "last":
        return Span(month.until - seven, month.until)
    start = month.since + seven * _NTHS.index(which)
    return Span(start, start + seven)


def _month(year: int, month: int, now: datetime) -> Span:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    start = _midnight(now).replace(year=year, month=month, day=1)
    return Span(start, start.replace(year=year + month // 12, month=month % 12 + 1))


def _quarter(year: int, quarter: int, now: datetime) -> Span:
    first, last = _month(year, 3 * quarter - 2, now), _month(year, 3 * quarter, now)
    return Span(first.since, last.until)


def _year(year: int, now: datetime) -> Span:
    start = _midnight(now).replace(year=year, month=1, day=1)
    return Span(start, start.replace(year=year + 1))


def _unit(unit: str, now: datetime, ago: int) -> Span:
    """Return a whole day, week, month, quarter or year, so many before this one."""
    match unit.rstrip("s"):
        case "day":
            return _one_day(now - timedelta(days=ago))
        case "week":
            return _week(now, ago)
        case "month":
            return _month(now.year, now.month - ago, now)
        case "quarter":
            return _quarter(now.year, (now.month + 2) // 3 - ago, now)
        case "year":
            return _year(now.year - ago, now)
    length = timedelta(**{f"{unit.rstrip('s')}s": 1})
    return Span(now - length * (ago + 1), now - length * ago)


def _past(count: int, unit: str, now: datetime) -> Span:
    """Return the time from so many units ago until now."""
    days = {"month": 30, "quarter": 91, "year": 365}.get(unit.rstrip("s"))
    length = timedelta(days=days) if days else timedelta(**{f"{unit.rstrip('s')}s": 1})
    return Span(now - length * count, None)


def _weekday(name: str, now: datetime) -> Span:
    """Return the last such day, today among them."""
    return _one_day(now - timedelta(days=(now.weekday() - _DAYS.index(name)) % 7))


def _named_month(name: str, year: str | None, now: datetime, *, over: bool = False) -> Span:
    """Return the last such month, that of today among them unless it has to be over."""
    month = _month_number(name)
    return _month(int(year) if year else now.year - (month > now.month or (over and month == now.month)), month, now)


def _date(name: str, day: str, year: str | None, now: datetime) -> Span:
    month = _month_number(name)
    start = _midnight(now).replace(year=int(year) if year else now.year, month=month, day=int(day))
    return _one_day(start if year or start <= now else start.replace(year=now.year - 1))


def _day_of_month(day: int, now: datetime) -> Span:
    """Return the last day with this number, today among them."""
    return _date(_MONTHS[now.month - 1 - (day > now.day)], str(day), None, now)


def _month_number(name: str) -> int:
    return 1 + next(at for at, month in enumerate(_MONTHS) if month.startswith(name.lower()[:3]))


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _COUNTS[text.lower()]


def _iso(found: re.Match[str], now: datetime) -> Span:
    moment = datetime.fromisoformat(found[0])
    moment = moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)
    return _one_day(moment) if len(found[0]) == len("2026-01-05") else Span(moment, moment + timedelta(minutes=1))


Meaning = Callable[[re.Match[str], datetime], Span | None]


def _compiled(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_ORDINAL = r"(\d{1,2})(?:st|nd|rd|th)?"
_DAY_OF_MONTH = r"(\d{1,2})(?:st|nd|rd|th)"
# One expression that names a stretch of time; what begins as another does stands before it.
_NAMES: tuple[tuple[re.Pattern[str], Meaning], ...] = (
    (
        _compiled(rf"(?:the )?({_NTH}) (week|half) (?:of|in) ({_MONTH})(?: (\d{{4}}))?"),
        lambda found, now: _part(_named_month(found[3], found[4], now), found[1].lower(), found[2].lower()),
    ),
    (
        _compiled(rf"(?:the )?week of ({_MONTH}) {_ORDINAL}(?:,? (\d{{4}}))?"),
        lambda found, now: _week_of(_date(found[1], found[2], found[3], now)),
    ),
    (
        _compiled(rf"(?:the )?week of (?:the )?{_ORDINAL}(?: of)? ({_MONTH})(?:,? (\d{{4}}))?"),
        lambda found, now: _week_of(_date(found[2], found[1], found[3], now)),
    ),
    (_compiled(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)?)?"), _iso),
    (_compiled("today"), lambda _, now: _one_day(now)),
    (_compiled("new year"), lambda _, now: _unit("year", now, 0)),
    (_compiled("yesterday"), lambda _, now: _one_day(now - timedelta(days=1))),
    (_compiled(rf"this ({_UNIT})"), lambda found, now: _unit(found[1].lower(), now, 0)),
    (_compiled(rf"(?:last|previous) ({_UNIT})"), lambda found, now: _unit(found[1].lower(), now, 1)),
    (_compiled(rf"({_COUNT}) ({_UNIT}) ago"), lambda found, now: _unit(found[2].lower(), now, _number(found[1]))),
    (_compiled(rf"(?:last |this )?({_DAY})"), lambda found, now: _weekday(found[1].lower(), now)),
    (
        _compiled(rf"({_MONTH}) {_ORDINAL}(?:,? (\d{{4}}))?"),
        lambda found, now: _date(found[1], found[2], found[3], now),
    ),
    (
        _compiled(rf"(?:the )?{_ORDINAL}(?: of)? ({_MONTH})(?:,? (\d{{4}}))?"),
        lambda f, now: _date(f[2], f[1], f[3], now),
    ),
    (_compiled(rf"(?:the )?{_DAY_OF_MONTH}"), lambda found, now: _day_of_month(int(found[1]), now)),
    (
        _compiled(rf"(last |previous )?(?:this )?({_MONTH})(?: (\d{{4}}))?"),
        lambda found, now: _named_month(found[2], found[3], now, over=found[1] is not None),
    ),
    (_compiled(r"q([1-4])(?: (\d{4}))?"), lambda found, now: _quarter(int(found[2] or now.year), int(found[1]), now)),
    (_compiled(r"(20\d\d)"), lambda found, now: _year(int(found[1]), now)),
)
_ANY = "|".join(re.sub(r"\((?!\?)", "(?:", pattern.pattern) for pattern, _ in _NAMES)
# What needs no word before it to be a time; `may` and `march` alone are verbs, too.
_PLAIN = (
    rf"(?:(?:{_NTH}) (?:week|half) (?:of|in) {_MONTH}(?: \d{{4}})?|week of {_MONTH} {_ORDINAL}(?:,? \d{{4}})?"
    rf"|\d{{4}}-\d\d-\d\d(?:T[\d:]+(?:Z|[+-]\d\d:\d\d)?)?|today|yesterday"
    rf"|(?:this|last|previous) (?:{_UNIT}|{_DAY}|{_MONTH})"
    rf"|{_COUNT} {_UNIT} ago|{_MONTH} {_ORDINAL}(?:,? \d{{4}})?|{_ORDINAL}(?: of)? {_MONTH}(?:,? \d{{4}})?"
    rf"|{_MONTH} \d{{4}}|{_DAY}|{'|'.join(month for month in _MONTHS if month not in ('march', 'may'))})"
).replace("(\\d", "(?:\\d")


def _between(found: re.Match[str], now: datetime) -> Span | None:
    last = _day(found[2], now)
    # `between the 26th and the 30th` are days of one month
    first = _day(found[1], last.since or now) if last else None
    return Span(first.since, last.until) if first and last else None


def _named(found: re.Match[str], now: datetime) -> Span | None:
    return _day(found[1], now)


# What is said before a time, and the stretch that is then meant.
_EDGES: Mapping[str, Callable[[Span], Span]] = {
    "since": lambda span: Span(span.since, None),
    "after": lambda span: Span(span.until, None),
    "before": lambda span: Span(None, span.since),
    "older than": lambda span: Span(None, span.since),
    "newer than": lambda span: Span(span.until, None),
    "younger than": lambda span: Span(span.until, None),
    "until": lambda span: Span(None, span.until),
    "till": lambda span: Span(None, span.until),
    "up to": lambda span: Span(None, span.until),
}


def _opened(found: re.Match[str], now: datetime) -> Span | None:
    span = _day(found[2], now)
    return _EDGES[found[1].lower()](span) if span else None


def _aged(found: re.Match[str], now: datetime) -> Span:
    start = _past(_number(found[2]), found[3].lower(), now).since
    return Span(None, start) if found[1].lower() == "older" else Span(start, None)


def _forms() -> Iterator[tuple[re.Pattern[str], Meaning]]:
    """Yield what a question may say of time, the longest form first."""
    yield _compiled(rf"\b(?:between|from) ({_ANY}) (?:and|to|until|till) ({_ANY})\b"), _between
    yield (
        _compiled(rf"\b(?:in |during |within |over )?(?:the )?(?:last|past|previous) ({_COUNT}) ({_UNIT})\b"),
        lambda found, now: _past(_number(found[1]), found[2].lower(), now),
    )
    yield (
        _compiled(rf"\b(?:in |during |within |over )?the past ({_UNIT})\b"),
        lambda found, now: _past(1, found[1].lower(), now),
    )
    yield (
        _compiled(rf"\bfor (?:the (?:last|past) )?({_COUNT}) ({_UNIT})(?=\W*$)"),
        lambda found, now: _past(_number(found[1]), found[2].lower(), now),
    )
    yield _compiled(rf"\b(older|newer|younger) than ({_COUNT}) ({_UNIT})\b(?! ago)"), _aged
    yield _compiled(rf"\b({'|'.join(_EDGES)}) ({_ANY})\b"), _opened
    whole = (
        rf"(?:{_NTH}) (?:week|half) (?:of|in) {_MONTH}(?: \d{{4}})?|week of {_MONTH} {_ORDINAL}(?:,? \d{{4}})?"
        rf"|week of (?:the )?{_ORDINAL}(?: of)? {_MONTH}(?:,? \d{{4}})?"
    )
    yield _compiled(rf"\b(?:in |during )?((?:the )?(?:{whole}))\b".replace("(\\d", "(?:\\d")), _named
    yield _compiled(rf"\b(?:on|in|of|during|from|at) ({_ANY})(?:['\u2019]s)?\b"), _named
    yield _compiled(rf"\b({_PLAIN})(?:['\u2019]s)?\b"), _named


_FORMS = tuple(_forms())
# `between 19 and 22 january`, `from january 19 to 22`
_DAYS_OF_MONTH = _compiled(
    rf"\b(between|from) (\d{{1,2}})(?:st|nd|rd|th)? (and|to|until|till) (\d{{1,2}}\w{{0,2}}(?: of)?) ({_MONTH})\b"
)
_MONTH_AND_DAYS = _compiled(
    rf"\b(?:(?:between|from|for|in|on) )?({_MONTH}) (\d{{1,2}}\w{{0,2}}) (?:and|to|until|till|-) (\d{{1,2}})"
    r"(?:st|nd|rd|th)?\b"
)
# `friday the 23rd of january`
_DAY_OF_DATE = _compiled(rf"\b{_DAY},? (?:the )?(?={_ORDINAL}(?: of)? {_MONTH}\b|{_MONTH} \d|\d{{4}}-\d)")
# What `the week before` is behind `this week` and behind `last week`.
_EARLIER = (
    (r"this (day|week|month|quarter|year)", r"this \1\2last \1"),
    (r"(?:last|previous) (day|week|month|quarter|year)", r"last \1\2two \1s ago"),
)
