"""Give work back: freeze its branch, run its checks, and write down what it changes and what stands against it."""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from linetrail.ledger.files import make_folder, publish
from linetrail.ledger.gate import roles
from linetrail.ledger.hook.loop import finish
from linetrail.ledger.intents import registry_file
from linetrail.ledger.intents.intent import Intent
from linetrail.ledger.log.store import Ledger
from linetrail.ledger.paths.globs import compile_scope
from linetrail.ledger.repository import Repository, file_path, git, is_waiting, stored_path
from linetrail.projections.git.plumbing import answer
from linetrail.queries.record.criteria import Result, run_checks
from linetrail.queries.work import states, worktrees
from linetrail.queries.work.changes import OURS, Change, changes
from linetrail.queries.work.states import EVICTED, GIVEN_BACK, RUNNING

REPORT, PATCH = "give-back.json", "give-back.patch"
OUT_OF_SCOPE, CHECK_FAILED, NOTHING_CHANGED = "OUT_OF_SCOPE", "CHECK_FAILED", "NOTHING_CHANGED"
CONFLICT_MARKERS = "CONFLICT_MARKERS"


class Finding(NamedTuple):
    """What stands against work: it is not landed as long as nobody accepts it."""

    code: str
    path: str | None
    message: str


class Returned(NamedTuple):
    """What was given back: both ends of its diff, the files in it, checks and findings, and where all that is."""

    intent_id: str
    branch: str
    base: str
    head: str
    files: Sequence[Change]
    checks: Sequence[Result]
    findings: Sequence[Finding]
    report: str
    patch: str


def give_back(main: Repository, intent_id: str) -> Returned:
    """Commit what is left in the worktree, run the checks, write report and diff, and record that work is back."""
    with worktrees.locked(main, intent_id):
        return _given_back(main, intent_id)


def _given_back(main: Repository, intent_id: str) -> Returned:
    work = states.require(states.work(main, intent_id), RUNNING, EVICTED, GIVEN_BACK)
    intent = registry_file.require(main, intent_id)
    branch, target = work.branch or worktrees.branch_of(intent_id), work.target or "HEAD"
    made = worktrees.worktree(main, branch)
    if is_waiting(made):
        finish(made)
    _commit_rest(made, intent)
    checks = run_checks(made, intent, by="check")
    Ledger(made).seal()
    head = worktrees.tip(main, branch)
    base = answer(main, "merge-base", target, head).decode().strip()
    files = changes(main, base, head)
    patch = answer(main, "diff", "--binary", "--full-index", "--no-ext-diff", base, head, "--", *OURS)
    findings = list(_findings(roles.bounded(intent, work.role), work.role, files, checks))
    findings += _left_by_a_merge(main, base, head, files)
    folder = states.folder_of(main, intent_id)
    make_folder(folder)
    report, diff = os.path.join(folder, REPORT), os.path.join(folder, PATCH)
    returned = Returned(intent_id, branch, base, head, files, checks, findings, report, diff)
    publish(diff, patch, durable=True)
    publish(report, json.dumps(record(returned), indent=1).encode() + b"\n", durable=True)
    states.move(
        main,
        intent_id,
        GIVEN_BACK,
        branch=branch,
        base=base,
        head=head,
        patch=f"sha256:{hashlib.sha256(patch).hexdigest()}",
        files=len(files),
        checks=len(checks),
        failed=sum(not check.passed for check in checks),
        findings=[finding._asdict() for finding in findings],
    )
    return returned


def abandon(main: Repository, intent_id: str, reason: str | None) -> None:
    """Record that the work for an intent is given up; its branch and its worktree stay."""
    states.move(main, intent_id, states.ABANDONED, reason=reason)


def record(returned: Returned) -> dict[str, Any]:
    """Return what was given back as JSON has it."""
    return returned._asdict() | {
        "files": [change._asdict() for change in returned.files],
        "checks": [check._asdict() for check in returned.checks],
        "findings": [finding._asdict() for finding in returned.findings],
    }


def _commit_rest(made: Repository, intent: Intent) -> None:
    """Commit what is not committed, new files among it; a merge that was begun is finished."""
    merges = worktrees.merges(made)
    answer(made, "add", "--all", "--", *OURS)
    if merges or answer(made, "diff", "--cached", "--name-only", "-z", "--", *OURS):
        # git commits a merge as a whole
        paths = () if merges else ("--", *OURS)
        answer(made, "commit", "--quiet", "-m", f"{intent.name}\n\nIntent: {intent.id}", *paths)


def _findings(intent: Intent, role: str | None, files: Sequence[Change], checks: Sequence[Result]) -> Iterator[Finding]:
    scope = compile_scope(intent.scope)
    if not files and role != roles.ARCHITECT:
        yield Finding(NOTHING_CHANGED, None, f"the branch changes nothing for {intent.id}")
    for change in files:
        if scope.owner(change.path) is None:
            whose = f"for the role {role}" if role in roles.SCOPES else f"in the scope of {intent.id}"
            message = f"{file_path(change.path)} is not {whose}"
            yield Finding(OUT_OF_SCOPE, change.path, message.encode(errors="replace").decode())
    for check in checks:
        if not check.passed:
            yield Finding(CHECK_FAILED, None, f"{check.criterion}: {check.sentence}")


def _left_by_a_merge(main: Repository, base: str, head: str, files: Sequence[Change]) -> Iterator[Finding]:
    marked = _marked(main, head)
    before = _marked(main, base) if marked else set()
    for change in files:
        if change.path in marked - before:
            message = f"{file_path(change.path)} has the markers of a merge that nobody finished"
            yield Finding(CONFLICT_MARKERS, change.path, message.encode(errors="replace").decode())


def _marked(main: Repository, revision: str) -> set[str]:
    """Return the files of a commit that hold the markers of both sides of a conflict."""
    markers = ("--all-match", "-e", "^<<<<<<< ", "-e", "^>>>>>>> ")
    found = git(main, "grep", "--null", "--name-only", *markers, revision, "--", *OURS) or b""
    return {stored_path(os.fsdecode(name.partition(b":")[2])) for name in found.split(b"\0") if name}
