"""Look after the work for each open intent: how far it is, who does it, what it changes and whom it meets."""

import os
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from linetrail.ledger.gate import approvals
from linetrail.ledger.gate.leases import Lease
from linetrail.ledger.intents import registry_file
from linetrail.ledger.intents.links import is_settled
from linetrail.ledger.log import segments
from linetrail.ledger.repository import Repository, find, head, stored_path
from linetrail.projections.git.plumbing import answer
from linetrail.queries.work import leases, states, worktrees
from linetrail.queries.work.changes import OURS, changes
from linetrail.queries.work.sessions import Sessions, sessions
from linetrail.queries.work.states import AT_WORK, PLANNED, RUNNING, Work

# So many worktrees are looked at by git at once.
GITS = 4
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
    works, written = states.recorded(main)
    at_work = [work for work in works.values() if work.state in AT_WORK]
    places = worktrees.checkouts(main) if at_work else {}
    there = {one.intent_id: find(places[one.branch or ""]) for one in at_work if _is_there(places, one)}
    with ThreadPoolExecutor(GITS) as gits:
        changed = gits.map(_changed, there.values(), (works[intent_id] for intent_id in there))
        # all that follows is done while git looks at the worktrees
        intents = {one.id: one for one in registry_file.read(main)}
        sealed = frozenset(segments.names(main.folder))
        heard = {intent_id: sessions(made, sealed) for intent_id, made in there.items()}
        files = dict(zip(there, changed, strict=True))
    taken = leases.leases(main)
    stalls_at = (now or datetime.now(UTC).replace(tzinfo=None)) - timedelta(minutes=minutes)
    found = []
    for intent in intents.values():
        work = works.get(intent.id) or Work(intent.id)
        worker = Worker(intent.id, intent.name, work.state, branch=work.branch, reason=work.reason)
        if intent.id in there:
            made, told = there[intent.id], heard[intent.id]
            worker = worker._replace(worktree=made.root, files=files[intent.id])
            found.append(_at_work(worker, work, told, _waits(made, told, taken), written, stalls_at))
        elif work.state in AT_WORK:
            found.append(worker._replace(reason=_without_worktree(main, work)))
        elif not intent.closed:
            waits = [one for one in intent.dependencies if one in intents and not is_settled(intents[one], intents)]
            is_planned = work.state == PLANNED
            state = states.seen(work.state, waits, is_silent=False)
            found.append(worker._replace(state=state, waits_for=waits if is_planned else []))
    return [
        one._replace(meets=_met(one, found), leases=[lease.path for lease in taken if lease.intent_id == one.intent_id])
        for one in found
    ]


def _at_work(
    worker: Worker,
    work: Work,
    heard: Sessions,
    waits: Sequence[str],
    written: Mapping[str, Mapping[str, Sequence[str]]],
    stalls_at: datetime,
) -> Worker:
    """Return the work for one intent as it is now; `written` is what sessions wrote in the main worktree."""
    in_main = (written.get(session_id, {}) for session_id in heard.ids)
    elsewhere = {path for told in in_main for branch, paths in told.items() if branch != work.branch for path in paths}
    last = max(filter(None, (heard.last_event_at, work.moved_at)), default=None)
    return worker._replace(
        state=states.seen(work.state, waits, is_silent=last is not None and last < stalls_at),
        waits_for=waits if work.state == RUNNING else [],
        agent_name=heard.agent_name,
        session_id=heard.ids[-1] if heard.ids else None,
        last_event_at=last,
        outside=sorted(elsewhere.union(heard.outside)),
    )


def _waits(made: Repository, heard: Sessions, taken: Sequence[Lease]) -> list[str]:
    """Return what the sessions of a worktree wait for: a person's answer, or files that others have."""
    bound = [one for one in taken if one.path in heard.refused and one.worktree != made.root]
    return [
        *(f"approval {one.id}" for one in approvals.pending(made, time.time_ns())),
        *(f"lease {one.path} of {one.intent_id}" for one in bound),
        *([f"question in {heard.asks}"] if heard.asks else []),
    ]


def _is_there(places: Mapping[str, str], work: Work) -> bool:
    return os.path.isdir(places.get(work.branch or "", ""))


def _without_worktree(main: Repository, work: Work) -> str:
    try:
        worktrees.tip(main, work.branch or "")
    except worktrees.NoBranchError as gone:
        return f"its worktree is gone, and {gone}"
    return "its worktree is gone; the branch is there"


def _changed(made: Repository, work: Work) -> list[str]:
    """Return the files that a branch and its worktree change, what is not committed among them."""
    listed = answer(made, "status", "--porcelain", "-z", "--no-renames", "-uall", "--", *OURS).split(b"\0")
    loose = {stored_path(os.fsdecode(entry[3:])) for entry in listed if len(entry) > 3}
    now = head(made)
    revision = (now and now.revision) or "HEAD"
    committed = [] if revision == work.base else changes(made, work.base or "HEAD", revision)
    return sorted(loose.union(change.path for change in committed))


def _met(worker: Worker, others: Sequence[Worker]) -> dict[str, list[str]]:
    shared = {other.intent_id: sorted(set(worker.files) & set(other.files)) for other in others if other is not worker}
    return {intent_id: files for intent_id, files in shared.items() if files}
