"""A line of time from left to right, narrow where nothing happens, so that short sessions stay visible."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

# How wide a time without events is drawn, and from which share of all the others on a time is one.
PAUSE = 16.0
_PAUSE_SHARE = 0.04
_SHORTEST = timedelta(minutes=5)
_MOMENT = timedelta(seconds=1)
# Labels stand at least so far apart; they are at whole minutes, hours or days of these.
_LABEL = 90.0
_STEPS = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 30, 60, 180, 360, 720, 1440, 10_080, 43_200))
_MIDNIGHT = datetime(1970, 1, 1)  # noqa: DTZ001  moments of the tables are UTC and naive

Span = tuple[datetime, datetime]


class Piece(NamedTuple):
    """A time in which something happens all along, and where it begins and ends."""

    first: datetime
    last: datetime
    x: float
    end: float


class Tick(NamedTuple):
    """A moment to be named below the line."""

    x: float
    label: str


class Axis:
    """Moments as places between 0 and `width`."""

    def __init__(self, spans: Iterable[Span], width: float) -> None:
        self.width = width
        self.pieces = _placed(_joined(spans), width)
        self._begins = [piece.first for piece in self.pieces]

    def x(self, moment: datetime) -> float:
        """Return the place of a moment; one between two pieces is where the first of them ends.

        >>> day = datetime(2026, 1, 5)
        >>> axis = Axis([(day + timedelta(days=days), day + timedelta(days=days, hours=1)) for days in (0, 9)], 1000)
        >>> [axis.x(day + timedelta(hours=hours)) for hours in (-1, 0, 0.5, 1, 100, 216, 217)]
        [0.0, 0.0, 246.0, 492.0, 492.0, 508.0, 1000.0]
        """
        piece = self.pieces[max(bisect_right(self._begins, moment) - 1, 0)]
        share = (moment - piece.first) / (piece.last - piece.first)
        return round(piece.x + (piece.end - piece.x) * min(max(share, 0.0), 1.0), 1)

    @property
    def pauses(self) -> list[float]:
        """The places at which time is left out."""
        return [piece.end for piece in self.pieces[:-1]]

    @property
    def seconds(self) -> float:
        """How many seconds one unit of the line stands for."""
        wide = sum(piece.end - piece.x for piece in self.pieces)
        return sum((piece.last - piece.first).total_seconds() for piece in self.pieces) / wide

    def ticks(self) -> list[Tick]:
        """Return the moments to be named: whole ones where there is room, else the beginnings of pieces."""
        wanted = timedelta(seconds=self.seconds * _LABEL)
        step = next((step for step in _STEPS if step >= wanted), _STEPS[-1])
        places: dict[float, datetime] = {}
        for moment in (*self._begins, *(at for piece in self.pieces for at in _whole(piece, step))):
            x = self.x(moment)
            if x <= self.width - _LABEL and all(abs(x - other) >= _LABEL for other in places):
                places[x] = moment
        return [Tick(x, f"{moment:%m-%d %H:%M}") for x, moment in sorted(places.items())]


def _whole(piece: Piece, step: timedelta) -> Iterator[datetime]:
    moment = _MIDNIGHT + ((piece.first - _MIDNIGHT) // step + 1) * step
    while moment < piece.last:
        yield moment
        moment += step


def _joined(spans: Iterable[Span]) -> list[Span]:
    """Return the times in which something happens, short pauses among them."""
    ordered = sorted((first, max(last, first + _MOMENT)) for first, last in spans)
    busy: list[Span] = []
    for first, last in ordered:
        if busy and first <= busy[-1][1]:
            busy[-1] = (busy[-1][0], max(busy[-1][1], last))
        else:
            busy.append((first, last))
    longest = max(_SHORTEST, _PAUSE_SHARE * sum((last - first for first, last in busy), timedelta()))
    joined: list[Span] = []
    for first, last in busy:
        if joined and first - joined[-1][1] <= longest:
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    return joined


def _placed(spans: Sequence[Span], width: float) -> list[Piece]:
    pauses = PAUSE * (len(spans) - 1)
    room = max(width - pauses, width / 2)
    pause = (width - room) / max(len(spans) - 1, 1)
    whole = sum(((last - first) for first, last in spans), timedelta())
    pieces: list[Piece] = []
    x = 0.0
    for first, last in spans:
        end = x + room * ((last - first) / whole)
        pieces.append(Piece(first, last, x, end))
        x = end + pause
    return pieces
