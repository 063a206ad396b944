"""Land work: merge it, account for every line, check it, and only then move the branch that it is for.

What fails at any step is evicted with what somebody needs to mend it, and stays open. The branch moves only from the
commit that the merge was made with; a checkout of it that has changes is not touched, and no branch is ever removed.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.errors import GitError
from linetrail.ledger.files import locked_path, make_folder, publish
from linetrail.ledger.intents import registry_file
from linetrail.ledger.intents.criteria import Check
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.log import segments
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.repository import Repository, find
from linetrail.projections.git.plumbing import answer
from linetrail.queries.record.criteria import Result
from linetrail.queries.work import merging, states, worktrees
from linetrail.queries.work.accounting import Merge, breaches
from linetrail.queries.work.changes import changes
from linetrail.queries.work.start import CONTEXT
from linetrail.queries.work.states import CHECKING, EVICTED, GIVEN_BACK, LANDED, Work, WorkError
from linetrail.queries.work.suspects import Verdict, verdicts

CONFLICT, LOST, FINDINGS, CHECK_FAILED = "CONFLICT", "NOT_CONSERVED", "FINDINGS", "CHECK_FAILED"
SUSPECT = "SUSPECT"
MAX_NAMED = 20


class Outcome(NamedTuple):
    """What became of work that was to land: `revision` is the merge, `code` and `reason` say why there is none."""

    intent_id: str
    outcome: str
    target: str
    revision: str | None
    code: str | None = None
    reason: str | None = None
    paths: Sequence[str] = ()
    # intents that landed since this work began and may be behind the failure, the likely ones first
    suspects: Sequence[str] = ()
    # what of these is behind a check that fails only together, as far as that was found
    verdicts: Sequence[Verdict] = ()
    context: str | None = None


class _EvictedError(Exception):
    """Work cannot land as it is."""

    def __init__(
        self,
        code: str,
        reason: str,
        paths: Sequence[str] = (),
        suspects: Sequence[str] = (),
        *,
        verdicts: Sequence[Verdict] = (),
        details: str = "",
    ) -> None:
        super().__init__(reason)
        self.code, self.reason, self.paths, self.suspects, self.details = code, reason, paths, suspects, details
        self.verdicts = verdicts

    def findings(self) -> Iterator[dict[str, Any]]:
        for path in self.paths[:MAX_NAMED]:
            yield {"code": self.code, "path": path, "message": self.reason}
        for one in self.verdicts[:MAX_NAMED]:
            yield {"code": SUSPECT, "path": one.path, "message": one.sentence}


def land(
    main: Repository,
    intent_ids: Sequence[str] = (),
    *,
    check: Check | None = None,
    accept: bool = False,
    say: Callable[[Outcome], object] = lambda _: None,
) -> list[Outcome]:
    """Land these works, or all that were given back, one after another; `accept` lands them with their findings."""
    place = os.path.join(main.folder, "state", "locks", "landing")
    found = []
    with locked_path(place, states.LOCK_SECONDS, "the queue of what is to land", inherited=True):
        known = states.works(main)
        named = [known.get(intent_id) or Work(intent_id) for intent_id in intent_ids]
        waiting = [one for one in known.values() if one.state in (GIVEN_BACK, CHECKING)]
        chosen = [states.require(one, GIVEN_BACK, CHECKING) for one in named] if named else waiting
        for work in _in_order(main, chosen):
            found.append(_land(main, work, check, accept=accept))
            say(found[-1])
    return found


def record(outcome: Outcome) -> dict[str, Any]:
    """Return what became of work as JSON has it."""
    return outcome._asdict() | {"verdicts": [verdict._asdict() for verdict in outcome.verdicts]}


def _in_order(main: Repository, works: Sequence[Work]) -> Iterator[Work]:
    """Yield works in the order in which they were given back, each behind those that its intent depends on."""
    waits = {one.id: one.dependencies for one in registry_file.read(main)}
    left = list(works)
    while left:
        names = {one.intent_id for one in left}
        free = (one for one in left if names.isdisjoint(set(waits.get(one.intent_id, ())) - {one.intent_id}))
        work = next(free, left[0])
        left.remove(work)
        yield work


def _land(main: Repository, work: Work, check: Check | None, *, accept: bool) -> Outcome:
    intent, target, head = registry_file.require(main, work.intent_id), work.target or "", work.head or ""
    checkout = worktrees.checkouts(main).get(target)
    try:
        tip = worktrees.tip(main, target)
        # a process that died had only to say so
        if merging.is_ancestor(main, head, tip) and (accept or not work.findings):
            return _landed(main, work, target, _merge_of(main, head, tip))
        if checkout is not None and worktrees.is_dirty(find(checkout)):
            raise WorkError(f"{target} is checked out in {checkout} with changes", "git commit, or git stash")
        _begin_check(main, work)
        revision = _checked(main, work, intent, tip, check, accept=accept)
        if not _advance(main, checkout, target, tip, revision):
            return _land(main, work, check, accept=accept)
    except worktrees.NoBranchError as gone:
        return _evict(main, work, intent, target, _EvictedError("GONE", str(gone)))
    except _EvictedError as evicted:
        return _evict(main, work, intent, target, evicted)
    return _landed(main, work, target, revision)


def _begin_check(main: Repository, work: Work) -> None:
    if states.work(main, work.intent_id).state == GIVEN_BACK:
        states.move(main, work.intent_id, CHECKING, head=work.head)


def _checked(main: Repository, work: Work, intent: Intent, tip: str, check: Check | None, *, accept: bool) -> str:
    """Return the merge commit once nothing stands against it."""
    head = work.head or ""
    if worktrees.tip(main, work.branch or "") != head:
        raise _EvictedError("MOVED", f"{work.branch} has gone on since it was given back")
    if work.findings and not accept:
        told = "\n".join(f"{one['code']}: {one['message']}" for one in work.findings)
        paths = [one["path"] for one in work.findings if one.get("path")]
        raise _EvictedError(FINDINGS, f"it has findings, first {work.findings[0]['message']}", paths, details=told)
    merged = merging.merge(main, tip, head)
    if merged.conflicts:
        others = _landed_since(main, work, merged.conflicts)
        reason = f"{merged.conflicts[0]} was changed on both sides"
        raise _EvictedError(CONFLICT, reason, merged.conflicts, others, details=merging.hunks(main, merged))
    base = answer(main, "merge-base", tip, head).decode().strip()
    lost = breaches(main, Merge(base, tip, head, merged.tree))
    if lost:
        told = "\n".join(f"{one.code} {one.path}: {one.what} {one.text}" for one in lost[:MAX_NAMED])
        reason = f"the merge is not all of both sides: {lost[0].code.lower()} a {lost[0].what} of {lost[0].path}"
        raise _EvictedError(LOST, reason, sorted({one.path for one in lost}), details=told)
    message = f"land {intent.id}: {intent.name}\n\nIntent: {intent.id}\n"
    revision = merging.commit(main, merged.tree, tip, head, message)
    if check is not None:
        result = merging.try_out(main, intent.id, revision, check)
        if not result.passed:
            raise _failed(main, work, tip, check, result)
    return revision


def _failed(main: Repository, work: Work, tip: str, check: Check, result: Result) -> _EvictedError:
    """Say who is behind a check that fails: the branch as it was, this work alone, or both together."""
    told = f"{result.command}\n{result.excerpt}"
    if not merging.try_out(main, work.intent_id, tip, check).passed:
        return _EvictedError(CHECK_FAILED, f"the check failed before this work, too: {result.sentence}", details=told)
    if not merging.try_out(main, work.intent_id, work.head or "", check).passed:
        reason = f"the check fails on this work alone: {result.sentence}"
        return _EvictedError(CHECK_FAILED, reason, suspects=[work.intent_id], details=told)
    found = verdicts(main, work, _since(main, work), check, result.excerpt)
    reason = f"each alone passes the check, together they fail: {result.sentence}"
    return _EvictedError(CHECK_FAILED, reason, suspects=[one.intent_id for one in found], verdicts=found, details=told)


def _since(main: Repository, work: Work) -> list[Work]:
    """Return the works that landed on the same branch and that this one does not have, in their order."""
    landed = [one for one in states.works(main).values() if one.state == LANDED and one.target == work.target]
    return [one for one in landed if one.revision and not merging.is_ancestor(main, one.revision, work.head or "")]


def _landed_since(main: Repository, work: Work, paths: Sequence[str]) -> list[str]:
    wanted = set(paths)
    return [
        one.intent_id
        for one in _since(main, work)
        if one.base and one.head and any(each.path in wanted for each in changes(main, one.base, one.head))
    ]


def _advance(main: Repository, checkout: str | None, target: str, tip: str, revision: str) -> bool:
    """Move a branch from one commit to the next, with its checkout where it has one, unless somebody else moved it."""
    try:
        if checkout is None:
            answer(main, "update-ref", "-m", "linetrail land", f"refs/heads/{target}", revision, tip)
        else:
            answer(find(checkout), "merge", "--quiet", "--ff-only", revision)
    except GitError as error:
        if worktrees.tip(main, target) == tip:
            raise WorkError(f"{target} could not be moved: {error}", "linetrail land") from None
        return False
    return True


def _landed(main: Repository, work: Work, target: str, revision: str) -> Outcome:
    _begin_check(main, work)
    _carry(main, work.branch or "")
    states.move(main, work.intent_id, LANDED, revision=revision, target=target)
    return Outcome(work.intent_id, LANDED, target, revision)


def _evict(main: Repository, work: Work, intent: Intent, target: str, evicted: _EvictedError) -> Outcome:
    """Record why work did not land, and write down what somebody needs to mend it."""
    known = {one.id: one for one in registry_file.read(main)}
    lines = [f"{evicted.code}: {evicted.reason}", ""]
    for name in dict.fromkeys([intent.id, *evicted.suspects]):
        one = known.get(name)
        lines += [f"- {name} {one.name}: {', '.join(one.scope)}" if one else f"- {name}"]
    lines += [f"- {one.sentence}" for one in evicted.verdicts]
    lines += ["", f"Begun again, this branch has {target} merged: mend what conflicts, and give back again.", ""]
    lines += ["```", evicted.details, "```"] if evicted.details else []
    folder = states.folder_of(main, work.intent_id)
    make_folder(folder)
    place = os.path.join(folder, CONTEXT)
    publish(place, "\n".join([*lines, ""]).encode(errors="replace"), durable=True)
    _begin_check(main, work)
    states.move(main, work.intent_id, EVICTED, reason=f"{evicted.code}: {evicted.reason}", findings=evicted.findings())
    outcome = Outcome(work.intent_id, EVICTED, target, None, evicted.code, evicted.reason)
    return outcome._replace(
        paths=list(evicted.paths), suspects=list(evicted.suspects), verdicts=list(evicted.verdicts), context=place
    )


def _merge_of(main: Repository, head: str, tip: str) -> str:
    """Return the commit by which a branch came to have another; that other where it simply went on to it."""
    merges = answer(main, "rev-list", "--merges", "--ancestry-path", "--reverse", f"{head}..{tip}").decode().split()
    return merges[0] if merges else head


def _carry(main: Repository, branch: str) -> None:
    """Seal what was recorded in the worktree of a branch, and give the main ledger the segments that it lacks."""
    root = worktrees.checkouts(main).get(branch)
    if root is None:
        return  # sealing takes in what a worktree left that is gone
    made = find(root)
    Ledger(made).seal()
    for name in sorted(set(segments.names(made.folder)) - set(segments.names(main.folder))):
        segment = segments.read_header(made.folder, name)
        segments.keep(main.folder, segment, segments.content(made.folder, segment)[0])
