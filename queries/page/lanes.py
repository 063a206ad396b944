"""Draw sessions as lanes: a session, below it what it started, and below each the calls that it made.

All of it is worked out here as numbers; a template writes them as SVG.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from linetrail.queries.page.axis import Axis

Record = Mapping[str, Any]

WIDTH = 1_000
# A lane is drawn at least WIDTH pixels wide, so a mark of this width has two pixels or more.
NARROWEST = 2.0
# A bar, the calls below it, and the room to the next bar.
LEVEL = 28
# What stands deeper is only counted.
DEEPEST = 12


class Mark(NamedTuple):
    """Calls of one agent that came to the same at about the same time."""

    x: float
    width: float
    y: float
    row: Record


class Bar(NamedTuple):
    """A session or a subagent, from its first to its last event."""

    x: float
    width: float
    y: float
    name: str
    row: Record
    marks: Sequence[Mark]


class Lane(NamedTuple):
    """A session that no other one of these started, with all that came of it; `hidden` bars are too deep to draw."""

    row: Record
    bars: Sequence[Bar]
    height: int
    hidden: int


class _Node(NamedTuple):
    """A session or a subagent: its name, what is known of it, its time, its calls."""

    name: str
    row: Record
    first: datetime
    last: datetime
    calls: Sequence[Record]


def roots(sessions: Iterable[Record]) -> Iterator[Record]:
    """Yield the sessions that none of the others started, in their order; sessions that start each other, too."""
    rows = {row["session_id"]: row for row in sessions}
    for row in rows.values():
        seen, parent = {row["session_id"]}, row["parent_session_id"]
        while parent in rows and parent not in seen:
            seen.add(parent)
            parent = rows[parent]["parent_session_id"]
        if row["parent_session_id"] not in rows or (parent in seen and row["session_id"] == min(seen)):
            yield row


def family(root: Record, children: Mapping[str | None, Sequence[Record]]) -> list[Record]:
    """Return a session and all that it started, each before what it started itself."""
    found, waiting, seen = [], [root], set()
    while waiting:
        row = waiting.pop()
        if row["session_id"] not in seen:
            seen.add(row["session_id"])
            found.append(row)
            waiting.extend(reversed(children.get(row["session_id"], ())))
    return found


def lane(root: Record, children: Mapping[str | None, Sequence[Record]], calls: Sequence[Record], axis: Axis) -> Lane:
    """Return the lane of a session; `calls` are those of all sessions in it, in their order."""
    members = family(root, children)
    of: dict[tuple[str, str | None], list[Record]] = {}
    for call in calls:
        of.setdefault((call["session_id"], call["agent_id"]), []).append(call)
    depths: dict[str | None, int] = {}
    taken = _Levels()
    bars, hidden = [], 0
    for row in members:
        parent = depths.get(row["parent_session_id"], -1)
        for node in _nodes(row, of):
            first, last = axis.x(node.first), axis.x(node.last)
            level = taken.free(depths.get(row["session_id"], parent) + 1, first, last)
            depths.setdefault(row["session_id"], level)
            if level < DEEPEST:
                bars.append(_bar(node, level, axis))
            else:
                hidden += 1
    return Lane(root, bars, LEVEL * (max(round(bar.y) // LEVEL for bar in bars) + 1), hidden)


def _nodes(session: Record, of: Mapping[tuple[str, str | None], Sequence[Record]]) -> Iterator[_Node]:
    name = session["session_id"]
    first, last = session["first_event_at"], session["last_event_at"]
    yield _Node(name, session, first, max(first, last), of.get((name, None), ()))
    for (session_id, agent_id), calls in of.items():
        if session_id == name and agent_id is not None:
            begun, ended = min(call["first_at"] for call in calls), max(call["last_at"] for call in calls)
            yield _Node(calls[0]["agent_type"] or agent_id, session, begun, max(begun, ended), calls)


class _Levels:
    """Which places are taken on each level."""

    def __init__(self) -> None:
        self._taken: dict[int, list[tuple[float, float]]] = {}

    def free(self, level: int, first: float, last: float) -> int:
        """Take the first level from this one on that has room between two places."""
        while any(first < end + NARROWEST and last + NARROWEST > begin for begin, end in self._taken.get(level, ())):
            level += 1
        self._taken.setdefault(level, []).append((first, last))
        return level


def _bar(node: _Node, level: int, axis: Axis) -> Bar:
    y = level * LEVEL
    marks = [
        Mark(*_extent(axis, call["first_at"], call["last_at"]), y + 12, call) for call in node.calls if call["first_at"]
    ]
    return Bar(*_extent(axis, node.first, node.last), y, node.name, node.row, marks)


def _extent(axis: Axis, first: datetime, last: datetime | None) -> tuple[float, float]:
    x = min(axis.x(first), axis.width - NARROWEST)
    return x, round(max(axis.x(max(last or first, first)) - x, NARROWEST), 1)
