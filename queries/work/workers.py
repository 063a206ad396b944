"""Look after the work for each open intent: how far it is, who does it, what it changes and whom it meets."""

import os
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from linetrail.ledger.gate import approvals
from linetrail.ledger.gate.leases import Lease
from linetrail.ledger.intents import registry_file
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.intents.links import is_settled
from linetrail.ledger.repository import FOLDER, Repository, find, stored_path
from linetrail.projections.git.plumbing import answer
from linetrail.projections.tables.tables import Tables, open_tables
from linetrail.queries.statements import statement
from linetrail.queries.work import leases, states, worktrees
from linetrail.queries.work.give_back import changes
from linetrail.queries.work.start import AT_WORK
from linetrail.queries.work.states import PLANNED, RUNNING, Work

# Who was not heard of for so many minutes has stalled.
MINUTES = 10


class Worker(NamedTuple):
    """The work for one intent as it is now; `outside` are files that its sessions wrote or named elsewhere."""

    intent_id: str
    name: str
    state: str
    # what it waits for: intents, a person's answer, or files that others have
    waits_for: Sequence[str] = ()
    branch: str | None = None
    worktree: str | None = None
    agent_name: str | None = None
    session_id: str | None = None
    last_event_at: datetime | None = None
    files: Sequence[str] = ()
    # other intents at work, with the files that both have changed
    meets: Mapping[str, Sequence[str]] = {}
    outside: Sequence[str] = ()
    reason: str | None = None
    # files that nobody else may write in another worktree
    leases: Sequence[str] = ()


def workers(main: Repository, minutes: int = MINUTES, now: datetime | None = None) -> list[Worker]:
    """Return the work for each intent that is open or at work, in the order of the file."""
    intents = {one.id: one for one in registry_file.read(main)}
    places = worktrees.checkouts(main)
    moment = now or datetime.now(UTC).replace(tzinfo=None)
    taken = leases.leases(main)
    found = []
    with open_tables(main) as ours:
        known = states.recorded(ours)
        for intent in intents.values():
            work = known.get(intent.id)
            if work is not None and work.state in AT_WORK:
                place = places.get(work.branch or "")
                found.append(_at_work(ours, intent, work, place, moment - timedelta(minutes=minutes), taken))
            elif work is None and not intent.closed:
                waits = [one for one in intent.dependencies if one in intents and not is_settled(intents[one], intents)]
                found.append(Worker(intent.id, intent.name, states.seen(PLANNED, waits, is_silent=False), waits))
            elif work is not None and not intent.closed:
                found.append(Worker(intent.id, intent.name, work.state, branch=work.branch, reason=work.reason))
    return [
        one._replace(meets=_met(one, found), leases=[lease.path for lease in taken if lease.intent_id == one.intent_id])
        for one in found
    ]


def _at_work(
    ours: Tables, intent: Intent, work: Work, place: str | None, stalls_at: datetime, taken: Sequence[Lease]
) -> Worker:
    """Return the work for one intent; `ours` are the tables of the main worktree."""
    worker = Worker(intent.id, intent.name, work.state, branch=work.branch, worktree=place, reason=work.reason)
    if place is None or not os.path.isdir(place):
        return worker._replace(reason="its worktree is gone; the branch is there")
    made = find(place)
    with open_tables(made) as tables:
        sessions = list(tables.ask(statement("work_sessions")).mappings())
        beyond = tables.ask(statement("work_beyond")).rows
        refused = {path for (path,) in tables.ask(statement("work_refused")).rows}
        asked_in = [tool for (tool,) in tables.ask(statement("work_asked")).rows]
    last: Mapping[str, Any] = sessions[-1] if sessions else {}
    asked = {"sessions": [one["session_id"] for one in sessions], "branch": work.branch}
    inside_main = ours.ask(statement("work_outside"), asked).rows if sessions else []
    outside = sorted({path for (path,) in (*beyond, *inside_main)})
    heard = max(filter(None, (last.get("last_event_at"), work.moved_at)), default=None)
    waits = [f"approval {one.id}" for one in approvals.pending(made, time.time_ns())]
    waits += [
        f"lease {one.path} of {one.intent_id}" for one in taken if one.path in refused and one.worktree != made.root
    ]
    waits += [f"question in {tool}" for tool in asked_in]
    return worker._replace(
        state=states.seen(work.state, waits, is_silent=heard is not None and heard < stalls_at),
        waits_for=waits if work.state == RUNNING else [],
        agent_name=last.get("agent_name"),
        session_id=last.get("session_id"),
        last_event_at=heard,
        files=_changed(made, work),
        outside=outside,
    )


def _changed(made: Repository, work: Work) -> list[str]:
    """Return the files that a branch and its worktree change, what is not committed among them."""
    listed = answer(made, "status", "--porcelain", "-z", "--no-renames", "-uall", "--", ".", f":!{FOLDER}").split(b"\0")
    loose = {stored_path(os.fsdecode(entry[3:])) for entry in listed if len(entry) > 3}
    base = work.base or "HEAD"
    return sorted(loose.union(change.path for change in changes(made, base, "HEAD")))


def _met(worker: Worker, others: Sequence[Worker]) -> dict[str, list[str]]:
    shared = {other.intent_id: sorted(set(worker.files) & set(other.files)) for other in others if other is not worker}
    return {intent_id: files for intent_id, files in shared.items() if files}
