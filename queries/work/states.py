"""How far the work for each intent is: read from its events, and moved on by one more.

Nothing else keeps a state, so what was killed goes on where its last event says. A move that is not allowed is refused
when it is made, and passed over where a ledger has it all the same, as after two branches were merged.
"""

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from linetrail.ledger.errors import LinetrailError
from linetrail.ledger.event.event import Event
from linetrail.ledger.files import locked_path
from linetrail.ledger.log import fold
from linetrail.ledger.repository import Repository
from linetrail.queries.record.author import append, current_author
from linetrail.queries.work import leases
from linetrail.queries.work.sessions import moment, paths

PLANNED, RUNNING, GIVEN_BACK, CHECKING = "planned", "running", "given_back", "checking"
LANDED, EVICTED, ABANDONED = "landed", "evicted", "abandoned"
# How work looks whose moves say no more than that it is planned, or running.
READY, WAITING, STALLED = "ready", "waiting", "stalled"
# From each state, those that may follow. Running follows itself when a command of it ended; so does checking, where the
# process that checked was killed.
MOVES: Mapping[str, frozenset[str]] = {
    PLANNED: frozenset({RUNNING}),
    RUNNING: frozenset({RUNNING, GIVEN_BACK, ABANDONED}),
    GIVEN_BACK: frozenset({CHECKING, RUNNING, GIVEN_BACK, ABANDONED}),
    CHECKING: frozenset({CHECKING, LANDED, EVICTED}),
    EVICTED: frozenset({RUNNING, GIVEN_BACK, ABANDONED}),
    LANDED: frozenset({RUNNING}),
    ABANDONED: frozenset({RUNNING}),
}
# Whose work could still change what lands.
AT_WORK = frozenset({RUNNING, GIVEN_BACK, CHECKING, EVICTED})
# States in which nobody writes for an intent any more.
OVER = frozenset({GIVEN_BACK, LANDED, ABANDONED})
_NEXT = {
    PLANNED: "linetrail start {}",
    RUNNING: "linetrail give-back {}",
    GIVEN_BACK: "linetrail land {}",
    CHECKING: "linetrail land {}",
    EVICTED: "linetrail start {}",
    LANDED: "linetrail plan",
    ABANDONED: "linetrail start {}",
}
LOCK_SECONDS = 30.0
# Of the findings in one event, in bytes of JSON.
ROOM = 30_000


class WorkError(LinetrailError):
    """The work for an intent is not where this could be done."""

    exit_status = 1


class Work(NamedTuple):
    """The work for one intent: its state, and what its last events said of branch, target, base, head and role."""

    intent_id: str
    state: str = PLANNED
    moved_at: datetime | None = None
    branch: str | None = None
    target: str | None = None
    base: str | None = None
    head: str | None = None
    revision: str | None = None
    reason: str | None = None
    role: str | None = None
    findings: tuple[Mapping[str, Any], ...] = ()


def home(repository: Repository) -> Repository:
    """Return the main worktree, in whose ledger the moves of all work are."""
    return repository.main() or repository


def folder_of(repository: Repository, intent_id: str) -> str:
    """Return where the brief, the diff and the report of an intent's work are: in git's folder, for all worktrees."""
    if repository.common_dir is None:
        raise WorkError("work for several agents needs git: each has a worktree of its own", "git init")
    return os.path.join(repository.common_dir, "linetrail", "work", intent_id)


class Recorded(NamedTuple):
    """What the main ledger says: the work for each intent, and what agents wrote in the main worktree meanwhile."""

    works: Mapping[str, Work]
    # session -> branch -> files
    written: Mapping[str, Mapping[str, Sequence[str]]]


def recorded(repository: Repository) -> Recorded:
    """Return what the main ledger says of all work, in the order of the last moves."""
    found = fold.folded(home(repository), _FOLD)
    told = {intent_id: one | {"moved_at": moment(one["moved_at"])} for intent_id, one in found["works"].items()}
    return Recorded({intent_id: Work(**one) for intent_id, one in told.items()}, found["written"])


def works(repository: Repository) -> Mapping[str, Work]:
    """Return the work for each intent for which some was begun, in the order of their last moves."""
    return recorded(repository).works


def work(repository: Repository, intent_id: str) -> Work:
    return works(repository).get(intent_id) or Work(intent_id)


def after(before: Work, told: Mapping[str, Any]) -> Work:
    """Return the work behind one more move: what the move says nothing about stays; where it may not follow, all."""
    if str(told.get("state")) not in MOVES[before.state]:
        return before
    lasting = ("branch", "target", "base", "head", "role")
    known = {name: told.get(name) or getattr(before, name) for name in lasting}
    return Work(
        before.intent_id,
        told["state"],
        told.get("moved_at"),
        **known,
        revision=told.get("revision"),
        reason=told.get("reason"),
        # what stands against it stands until it is given back anew
        findings=tuple(told.get("findings") or (before.findings if told["state"] == CHECKING else ())),
    )


def record(found: fold.Value, event: Event) -> None:
    """Change what the main ledger says by one more event: who writes in it is noted while somebody is at work."""
    works, written = found["works"], found["written"]
    if event.type == "work.moved" and event.intent_id is not None:
        before = Work(**works.pop(event.intent_id, {"intent_id": event.intent_id}))
        moved = after(before, {**event.data, "moved_at": event.timestamp})
        if moved.state != PLANNED:
            works[event.intent_id] = moved._asdict()
        found["at_work"] = not AT_WORK.isdisjoint(one["state"] for one in works.values())
        if not found["at_work"]:
            written.clear()
    elif event.type == "mutation.observed" and event.contributor == "ai":
        branch = (event.vcs and event.vcs.branch) or ""
        known = written.setdefault(event.session_id or "", {}).setdefault(branch, [])
        known += [path for path in paths(event, "files") if path not in known]


def _wants(found: fold.Value, line: bytes) -> bool:
    return b"work.moved" in line or (found["at_work"] and b"mutation.observed" in line)


BEGIN: Mapping[str, Any] = {"works": {}, "written": {}, "at_work": False}
_FOLD = fold.Fold("work-2", BEGIN, record, _wants)


def seen(state: str, waits_for: Sequence[str], *, is_silent: bool) -> str:
    """Return a state as it looks: what is planned or running may wait, and who runs may not be heard of any more."""
    if state == PLANNED:
        return PLANNED if waits_for else READY
    if state == RUNNING:
        return WAITING if waits_for else STALLED if is_silent else RUNNING
    return state


def require(found: Work, *states: str) -> Work:
    """Return work that is in one of these states; say what to do instead where it is not."""
    if found.state not in states:
        hint = _NEXT[found.state].format(found.intent_id)
        raise WorkError(f"the work for {found.intent_id} is {found.state}, not {' or '.join(states)}", hint)
    return found


def move(repository: Repository, intent_id: str, state: str, **told: Any) -> Work:
    """Record that work goes on to a state; raise where that may not follow the state it is in."""
    main = home(repository)
    place = os.path.join(main.folder, "state", "locks", f"work-{intent_id}")
    with locked_path(place, LOCK_SECONDS, f"the work for {intent_id}"):
        before = work(main, intent_id)
        if state not in MOVES[before.state]:
            require(before, *(one for one, others in MOVES.items() if state in others))
        told["findings"] = list(_fitting(told.get("findings", ())))
        data = {"state": state, "before": None if before.state == PLANNED else before.state} | {
            name: value for name, value in told.items() if value not in (None, [])
        }
        append(main, current_author(main), "work.moved", data, intent_id)
        if state in OVER:
            with contextlib.suppress(LinetrailError):  # what is not let go now ends with its session, or by silence
                leases.release(main, lambda lease: lease.intent_id == intent_id)
        return after(before, data)


def _fitting(findings: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield as many findings as an event has room for; the report has all of them."""
    room = ROOM
    for finding in findings:
        room -= len(json.dumps(finding))
        if room < 0:
            return
        yield finding
