"""Begin the work for an intent: a worktree, the intent selected in it, a brief, and where one is named, a worker."""

import contextlib
import os
import shlex
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from linetrail.ledger.agents import PROJECT_VARIABLES, SHELL_VARIABLES
from linetrail.ledger.files import make_folder, publish
from linetrail.ledger.gate import policy, roles
from linetrail.ledger.intents import registry_file
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.intents.links import is_settled
from linetrail.ledger.redact.redactor import Redactor, private_folder
from linetrail.ledger.repository import Repository, head
from linetrail.projections.git.plumbing import answer
from linetrail.projections.git.tracked import tracked
from linetrail.queries.record.author import current_author
from linetrail.queries.record.criteria import Ended, run_bounded
from linetrail.queries.record.intent_record import begin
from linetrail.queries.record.select import Chooser, choose
from linetrail.queries.work import brief, states, worktrees
from linetrail.queries.work.forecast import Forecast, of_commits
from linetrail.queries.work.plan import RISK, Meeting, predicted
from linetrail.queries.work.states import AT_WORK, EVICTED, LANDED, MOVES, RUNNING, Work, WorkError

BRIEF, OUTPUT, CONTEXT = "brief.md", "output.txt", "evicted.md"


class Started(NamedTuple):
    """Where the work for an intent goes on, and whom it may meet there."""

    intent: Intent
    worktree: Repository
    branch: str
    brief: str
    meetings: Sequence[Meeting]
    without_hooks: Sequence[str]


def start(main: Repository, intent_id: str, role: str | None = None) -> Started:
    """Make what a worker needs, and record that the work is running; what is there already is taken up again.

    Work that goes on keeps its role where none is given.
    """
    with worktrees.locked(main, intent_id):
        intent = registry_file.require(main, intent_id)
        known = {one.id: one for one in registry_file.read(main)}
        _require_open(intent, known)
        found = states.work(main, intent_id)
        if RUNNING not in MOVES[found.state]:
            states.require(found, *(one for one in MOVES if RUNNING in MOVES[one]))
        at = head(main)
        if at is None or at.branch is None or at.revision is None:
            raise WorkError("work lands on a branch, and none with a commit is checked out here", "git switch main")
        stays = begin(main, intent)
        if stays is not None:
            raise WorkError(stays, f"linetrail intents show {intent_id}")
        made = worktrees.ensure(main, intent_id, found.head)
        branch = worktrees.branch_of(intent_id)
        target = at.branch if found.target is None else found.target
        if found.state in (EVICTED, LANDED):
            worktrees.follow(main, made, at.branch if found.state == LANDED else target)
        role = role or found.role
        roles.write(made, role)
        choose(made, intent, Chooser(None, current_author(main).agent, time.time_ns()))
        place, meetings = _write_brief(main, intent, known, found._replace(branch=branch, role=role))
        base = answer(main, "merge-base", target, branch).decode().strip()
        name = os.path.basename(made.root)
        states.move(main, intent_id, RUNNING, branch=branch, worktree=name, target=target, base=base, role=role)
    return Started(intent, made, branch, place, meetings, worktrees.without_hooks(main, made))


def command_of(main: Repository, worker: str) -> list[str]:
    settings = policy.of(main).settings
    if worker not in settings.workers:
        known = ", ".join(settings.workers) or "none"
        hint = f'add `workers: {{{worker}: "{worker} -p {{brief}}"}}` to {os.path.join(main.folder, policy.SHARED)}'
        raise WorkError(f"the settings have no worker {worker}; there is {known}", hint)
    return shlex.split(settings.workers[worker])


def run(main: Repository, started: Started, words: Sequence[str], seconds: int) -> Ended:
    """Run a worker in its worktree, with the brief as its input, and record how it ended; its output is kept."""
    with open(started.brief, encoding="utf-8") as file:
        text = file.read()
    filled = {"{brief}": text, "{brief_file}": started.brief, "{intent}": started.intent.id}
    command = [filled.get(word, word) for word in words]
    variables = {*SHELL_VARIABLES, *PROJECT_VARIABLES}
    try:
        ended = run_bounded(command, started.worktree.root, seconds, given=started.brief, without=variables)
    except OSError as error:
        raise WorkError(f"cannot run {words[0]}: {error.strerror}", f"linetrail start {started.intent.id}") from None
    redactor = Redactor(private_folder(main))
    said = redactor.cut(ended.tail.decode(errors="replace"), len(ended.tail))
    publish(os.path.join(os.path.dirname(started.brief), OUTPUT), said.encode(), durable=False)
    told = {"command": redactor.excerpt(shlex.join(words)), "exit_code": ended.exit_code}
    reason = None if ended.exit_code is not None else f"stopped after {seconds} s"
    if states.work(main, started.intent.id).state == RUNNING:  # it may have given back by itself
        states.move(main, started.intent.id, RUNNING, **told, duration_ms=ended.duration_ms, reason=reason)
    return ended


def _write_brief(
    main: Repository, intent: Intent, known: Mapping[str, Intent], work: Work
) -> tuple[str, list[Meeting]]:
    """Write down what a worker has to know, and return where that is, and whom the work may meet."""
    neighbours = {
        one.intent_id: known[one.intent_id]
        for one in states.works(main).values()
        if one.state in AT_WORK and one.intent_id in known and one.intent_id != intent.id
    }
    meetings = _meetings(main, intent, list(neighbours.values()))
    folder = states.folder_of(main, intent.id)
    make_folder(folder)
    mode, evicted = policy.of(main).mode, _context(folder) if work.state == EVICTED else None
    place, own = os.path.join(folder, BRIEF), roles.bounded(intent, work.role)
    told = brief.lines(own, work.branch or "", neighbours, meetings, mode=mode, evicted=evicted, role=work.role)
    publish(place, "".join(f"{line}\n" for line in told).encode(), durable=False)
    return place, meetings


def _context(folder: str) -> str | None:
    with contextlib.suppress(OSError), open(os.path.join(folder, CONTEXT), encoding="utf-8") as file:
        return file.read()
    return None


def _require_open(intent: Intent, known: dict[str, Intent]) -> None:
    if intent.closed:
        raise WorkError(f"{intent.id} is {intent.status}", f"linetrail intents reopen {intent.id}")
    if intent.flaws:
        raise WorkError(f"{intent.id} cannot be used: {intent.flaws[0]}", "linetrail intents lint")
    waits = [name for name in intent.dependencies if name in known and not is_settled(known[name], known)]
    if waits:
        raise WorkError(f"{intent.id} waits for {', '.join(waits)}", f"linetrail start {waits[0]}")


def _meetings(main: Repository, intent: Intent, neighbours: Sequence[Intent]) -> list[Meeting]:
    """Return the neighbours that an intent is likely to meet, by scopes and commits: a worker waits for no tables."""
    if not neighbours:
        return []
    found = predicted([intent, *neighbours], Forecast(list(tracked(main)), of_commits(main)))
    return [one for one in found if intent.id in (one.one, one.other) and one.probability >= RISK]
