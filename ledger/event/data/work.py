"""How work moves on between several agents, and which files were kept beforehand."""

from typing import Literal

from linetrail.ledger.event.data.shared import Count, Data, Digest, Excerpt, Fact, GitId, Integer, Position


class KeptFile(Fact):
    """A file of a recovery point that is not as its commit has it."""

    path: str
    hash: Digest | None = None
    """Of the whole file; null is no file."""
    executable: bool | None = None
    omitted: Literal["too large", "not a file", "erased"] | None = None
    """Why its content was not kept."""


class RecoveryPointMarked(Data):
    """A state that somebody may want to come back to: a commit, and all that was different in the worktree."""

    name: str
    files: dict[str, Digest] = {}
    point_id: str | None = None
    revision: GitId | None = None
    """The commit that holds every file which is not listed; null: every file is listed."""
    entries: list[KeptFile] = []
    paths: list[str] | None = None
    """The files or folders it is about; null is all of the worktree."""
    part: Position | None = None
    """Of a long list: which part this is; the entries of all parts belong together."""
    parts: Position | None = None
    reason: str | None = None
    """Why it was marked by the tool itself: `before restore of <point>`."""


class WorkFinding(Fact):
    """What stands against a piece of work."""

    code: str
    path: str | None = None
    message: str


class WorkMoved(Data):
    """The work for an intent went from one state to the next, on a branch and in a worktree of its own."""

    state: Literal["running", "given_back", "checking", "landed", "evicted", "abandoned"]
    before: str | None = None
    """The state it was in; null: it was planned."""
    branch: str | None = None
    worktree: str | None = None
    """Name of its folder."""
    role: Literal["architect", "builder", "tester"] | None = None
    """What whoever works on it may change."""
    target: str | None = None
    """The branch that it is to land on."""
    base: GitId | None = None
    """The commit it began from, or of given back work the one it is compared with."""
    head: GitId | None = None
    """The last commit of its branch."""
    revision: GitId | None = None
    """The merge that landed it."""
    command: Excerpt | None = None
    """What was run for it, secrets taken out."""
    exit_code: Integer | None = None
    """How that ended; null where it was stopped, since its time was over."""
    duration_ms: Count | None = None
    patch: Digest | None = None
    """Of its unified diff."""
    files: Count | None = None
    """How many files that changes."""
    checks: Count | None = None
    """How many commands of acceptance criteria were run."""
    failed: Count | None = None
    findings: list[WorkFinding] = []
    reason: str | None = None


class LeaseBroken(Data):
    """A file is free for others though a session at work wrote it first; `intent_id` is what that works on."""

    path: str
    held_by: str
    """The session that had it."""
    worktree: str | None = None
    """Name of the folder in which that works."""
    reason: str
