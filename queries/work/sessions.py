"""What the ledger of a worktree says of the sessions that work in it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from linetrail.ledger.event.event import Event
from linetrail.ledger.log import fold
from linetrail.ledger.repository import Repository

# Tools by which an agent asks a person something in its own dialog.
_QUESTIONS = ("AskUserQuestion", "ask_user", "ask_followup_question", "ask_question", "request_user_input")
# What shows that a person has answered: a call began or ended, or something else was asked for.
_ANSWERED = frozenset({"tool.requested", "tool.completed", "tool.failed", "prompt.submitted", "session.ended"})
_WRITES = ("write", "edit", "delete", "rename_to")


class Sessions(NamedTuple):
    """The sessions of a worktree, the one that was heard of last at the end."""

    ids: Sequence[str] = ()
    agent_name: str | None = None
    last_event_at: datetime | None = None
    # files that a lease kept them from, and they wrote nothing since
    refused: Collection[str] = ()
    # the tool for which, or by which, a person is asked something
    asks: str | None = None
    # files outside of the worktree that they wanted to write: of these the bare name is known
    outside: Collection[str] = ()


def sessions(made: Repository, main_segments: Collection[str] = ()) -> Sessions:
    """Return what the ledger of a worktree says, but for what came from the main ledger with its branch."""
    found = fold.folded(made, _FOLD, without=main_segments)
    last: Mapping[str, Any] = next(reversed(found["sessions"].values()), {})
    asks = min(filter(None, (found["question"], found["approval"])), default=None)
    at = moment(last.get("at"))
    return Sessions([*found["sessions"]], last.get("agent"), at, found["refused"], asks, found["outside"])


def moment(timestamp: str | None) -> datetime | None:
    """Return the moment of an event, in UTC; None where it has none that can be read.

    >>> moment("2026-11-27T03:40:41.5Z")
    datetime.datetime(2026, 11, 27, 3, 40, 41, 500000)
    """
    try:
        return datetime.fromisoformat(timestamp or "").astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return None


def paths(event: Event, name: str, **wanted: Sequence[str]) -> Iterator[str]:
    """Yield the paths of a list in an event's data, of those entries whose fields have one of the wanted values."""
    told = event.data.get(name)
    for one in told if isinstance(told, list) else ():
        is_path = isinstance(one, dict) and isinstance(one.get("path"), str)
        if is_path and all(one.get(field) in values for field, values in wanted.items()):
            yield one["path"]


def _record(found: fold.Value, event: Event) -> None:
    if event.session_id is not None:
        before = found["sessions"].pop(event.session_id, {"agent": None})
        agent = event.agent.name if event.agent else before["agent"]
        found["sessions"][event.session_id] = {"agent": agent, "at": event.timestamp}
    tool = event.data.get("tool_name")
    if event.type in _ANSWERED:
        found["question"] = tool if event.type == "tool.requested" and tool in _QUESTIONS else None
        found["approval"] = None
    if event.type == "tool.requested":
        _add(found["outside"], (path for path in paths(event, "targets", role=_WRITES) if path.startswith("outside:")))
    elif event.type == "gate.decided":
        is_asked = event.data.get("verdict") == "ask" and event.data.get("enforced") is not False
        found["approval"] = tool if is_asked else None
        if event.data.get("enforced"):
            _add(found["refused"], paths(event, "paths", code=("LEASE_HELD",)))
    elif event.type == "mutation.observed" and event.contributor == "ai":
        found["refused"].clear()


def _add(known: list[str], more: Iterator[str]) -> None:
    known += [path for path in dict.fromkeys(more) if path not in known]


_NOTHING: Mapping[str, Any] = {"sessions": {}, "question": None, "approval": None, "refused": [], "outside": []}
_FOLD = fold.Fold("sessions-1", _NOTHING, _record)
