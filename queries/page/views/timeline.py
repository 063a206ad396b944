"""Sessions as lanes over time, with their subagents and calls, and the commits that were made meanwhile."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from linetrail.projections.tables.tables import Tables
from linetrail.queries.arguments import prefixes
from linetrail.queries.arguments.moments import moment
from linetrail.queries.page.axis import Axis
from linetrail.queries.page.lanes import WIDTH, Lane, Mark, family, lane, roots
from linetrail.queries.page.view import Asked, Record, Shown, page_of, question
from linetrail.queries.render.text import timestamp

SIZE = 25
CHOICES = ("1d", "7d", "30d", "90d")
# Calls within so many units of the line are one mark.
_SLOT = 4
_COMMITS = 400
# Whether something happens at all is asked in steps of so many seconds.
_ROUGHLY = "300"
_SECOND = timedelta(seconds=1)
OUTCOMES = {
    "ran": "ran",
    "failed": "failed",
    "asked": "waited for an answer",
    "noted": "would be refused",
    "denied": "refused",
    "executed": "refused, and ran all the same",
}


def show(asked: Asked) -> Shown:
    """Return the sessions of a time, newest first, each with its calls as marks on a line of time."""
    told = {name: value for name in ("since", "until") if (value := asked.option(name))}
    with asked.tables() as tables:
        session = asked.option("session") and prefixes.session(tables, asked.option("session") or "")
        found = question(asked, tables, "sessions", **told)
        rows = [row for row in found["rows"] if row["first_event_at"]]
        children: dict[str | None, list[Record]] = {}
        for row in reversed(rows):
            children.setdefault(row["parent_session_id"], []).append(row)
        chosen = [row for row in rows if row["session_id"] == session] if session else list(roots(rows))
        shown, page = page_of(chosen, asked._replace(whole=False), SIZE)
        members = [one for root in shown for one in family(root, children)]
        drawn = _drawn(asked, tables, shown, children, _axis(asked, tables, members, told)) if members else _EMPTY
    about = {
        "since": told.get("since"),
        "until": told.get("until"),
        "session": session,
        "choices": CHOICES,
        "outcomes": OUTCOMES,
        "page": page,
        "sessions": {"question": "sessions", "told": told},
        "width": WIDTH,
        **drawn,
    }
    return Shown("Timeline", shown, about)


_EMPTY: Record = {"lanes": [], "commits": [], "ticks": [], "pauses": [], "calls": None, "commits_asked": None}


def _axis(asked: Asked, tables: Tables, sessions: Sequence[Record], told: Mapping[str, str]) -> Axis:
    """Return a line of the times in which these sessions did something, within the time that is asked for."""
    first, last = min(row["first_event_at"] for row in sessions), max(row["last_event_at"] for row in sessions)
    first = max(first, moment(told["since"])) if "since" in told else first
    last = max(first, min(last, moment(told["until"])) if "until" in told else last)
    names = {row["session_id"] for row in sessions}
    within = {"since": timestamp(first), "until": timestamp(last + _SECOND)}
    found = question(asked, tables, "timeline", **within, seconds=_ROUGHLY)["rows"]
    ends = [row[name] for row in sessions for name in ("first_event_at", "last_event_at")]
    spans = [(row["first_at"], row["last_at"]) for row in found if row["session_id"] in names]
    spans += [(end, end) for end in ends]
    return Axis([(min(max(begun, first), last), max(min(ended, last), first)) for begun, ended in spans], WIDTH)


def _drawn(
    asked: Asked,
    tables: Tables,
    shown: Sequence[Record],
    children: Mapping[str | None, Sequence[Record]],
    axis: Axis,
) -> Record:
    """Return lanes, commits and the names of moments as places."""
    first, last = axis.pieces[0].first, axis.pieces[-1].last + _SECOND
    within = {"since": timestamp(first), "until": timestamp(last)}
    alone = len(shown) == 1 and shown[0]["session_id"] not in children
    only = {"session": shown[0]["session_id"]} if alone else {}
    calls = question(asked, tables, "timeline", **within, **only, seconds=str(max(round(axis.seconds * _SLOT), 1)))
    commits = question(asked, tables, "commits", **within, limit=str(_COMMITS))
    return {
        "lanes": [_plain(lane(root, children, calls["rows"], axis)) for root in shown],
        "commits": [{"x": axis.x(row["committed_at"]), **row} for row in commits["rows"]],
        "ticks": [tick._asdict() for tick in axis.ticks()],
        "pauses": axis.pauses,
        "calls": {**calls, "rows": []},
        "commits_asked": {**commits, "rows": []},
    }


def _plain(drawn: Lane) -> Record:
    """Return a lane as records, each mark of several calls with the time in which they are apart."""
    bars = [
        bar._asdict() | {"marks": [{**mark._asdict(), **_nearer(mark)} for mark in bar.marks]} for bar in drawn.bars
    ]
    return drawn._asdict() | {"bars": bars}


def _nearer(mark: Mark) -> Record:
    """Return the time of a mark, where looking closer would show more than one call."""
    first, last = mark.row["first_at"], mark.row["last_at"]
    if mark.row["calls"] == 1 or last - first < 2 * _SECOND:
        return {"since": None, "until": None}
    return {"since": timestamp(first), "until": timestamp(last + _SECOND)}
