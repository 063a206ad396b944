"""A worktree and a branch for each intent, beside the main worktree: `shop-work/INT-001` beside `shop`.

Beside it, since agents, watchers and searches leave git's own folder out, and one inside the main worktree would be
files of it. Nothing here removes a branch.
"""

import contextlib
import os
import shutil

from linetrail.ledger.agents import HOOK_FILES, MIXED_FILES
from linetrail.ledger.errors import GitError
from linetrail.ledger.files import locked_path, publish
from linetrail.ledger.gate.policy import LOCAL, SHARED
from linetrail.ledger.intents.registry_file import FILE
from linetrail.ledger.log import segments
from linetrail.ledger.repository import FOLDER, Repository, find, git
from linetrail.projections.git.plumbing import answer
from linetrail.queries.work import states
from linetrail.queries.work.changes import OURS
from linetrail.queries.work.states import WorkError

# What the main worktree has of these counts in all others.
SHARED_FILES = (FILE, SHARED, LOCAL)


class NoBranchError(WorkError):
    """Somebody removed a branch."""

    def __init__(self, branch: str) -> None:
        super().__init__(f"there is no branch {branch}", f"git branch {branch} COMMIT")


def locked(main: Repository, intent_id: str) -> contextlib.AbstractContextManager[None]:
    """Hold the worktree for an intent: nobody else begins or gives back, nor a git that outlived who did."""
    place = os.path.join(main.folder, "state", "locks", f"worktree-{intent_id}")
    return locked_path(place, states.LOCK_SECONDS, f"the worktree for {intent_id}", inherited=True)


def branch_of(intent_id: str) -> str:
    return f"lt/{intent_id}"


def checkouts(repository: Repository) -> dict[str, str]:
    """Return the branches that are checked out, each with the root of its worktree."""
    found: dict[str, str] = {}
    root = ""
    for field in answer(repository, "worktree", "list", "--porcelain", "-z").split(b"\0"):
        key, _, value = os.fsdecode(field).partition(" ")
        if key == "worktree":
            root = value
        elif key == "branch":
            found[value.removeprefix("refs/heads/")] = root
    return found


def worktree(repository: Repository, branch: str) -> Repository:
    root = checkouts(repository).get(branch)
    if root is None or not os.path.isdir(root):
        raise WorkError(f"{branch} is checked out nowhere", f"git worktree add PATH {branch}")
    return find(root)


def ensure(main: Repository, intent_id: str, last: str | None) -> Repository:
    """Return the worktree for an intent; make it and its branch where they are not there.

    A branch that somebody removed begins where it was `last`, as far as anybody knows, any other from HEAD.
    """
    branch = branch_of(intent_id)
    known = checkouts(main).get(branch)
    if known is None or not os.path.isdir(known):
        place = os.path.join(f"{main.root.rstrip(os.sep)}-work", intent_id)
        if os.path.lexists(place):
            raise WorkError(f"{place} is in the way of the worktree", f"mv {place} {place}.old")
        is_there = _commit(main, f"refs/heads/{branch}") is not None
        # a worktree whose folder somebody removed is still in git's list
        forced = [] if known is None else ["--force"]
        wanted = [place, branch] if is_there else ["-b", branch, place, (last and _commit(main, last)) or "HEAD"]
        answer(main, "worktree", "add", "--quiet", *forced, *wanted)
    made = worktree(main, branch)
    for name in SHARED_FILES:
        _share(main, made, name)
    return made


def follow(main: Repository, made: Repository, branch: str) -> None:
    """Merge a branch into the worktree of work that is begun again; what conflicts stays there for the worker to mend.

    Copies of files of the main worktree are in the way of what that branch has of them, and so are sealed segments.
    """
    if merges(made):
        return
    ours = [f"{FOLDER}/{name}" for name in (*SHARED_FILES, segments.SEGMENTS)]
    coming = answer(made, "diff", "--name-only", "-z", f"HEAD...{branch}", "--", *ours).split(b"\0")
    before = {}
    for place in (os.path.join(made.root, os.fsdecode(name)) for name in coming if name):
        with contextlib.suppress(FileNotFoundError), open(place, "rb") as file:
            before[place] = file.read()
            os.unlink(place)
    try:
        answer(made, "merge", "--quiet", "--ff", "--no-edit", branch)
    except GitError:
        if not merges(made):
            for place, content in before.items():
                publish(place, content, durable=True)
            raise
    for name in SHARED_FILES:
        _share(main, made, name)


def merges(made: Repository) -> bool:
    """Return whether a merge was begun in a worktree that nobody has finished."""
    return git(made, "rev-parse", "--verify", "--quiet", "MERGE_HEAD") is not None


def without_hooks(main: Repository, made: Repository) -> list[str]:
    """Return the settings of agents that only the main worktree has: no hook of theirs fires in the other."""
    return [
        name
        for name in (*HOOK_FILES, *MIXED_FILES)
        if os.path.exists(os.path.join(main.root, name)) and not os.path.exists(os.path.join(made.root, name))
    ]


def tip(repository: Repository, branch: str) -> str:
    found = _commit(repository, f"refs/heads/{branch}")
    if found is None:
        raise NoBranchError(branch)
    return found


def is_dirty(repository: Repository) -> bool:
    """Return whether tracked files differ from the commit, those of the ledger aside."""
    asked = ("status", "--porcelain", "--untracked-files=no", "--ignore-submodules=none", "--", *OURS)
    return bool(answer(repository, *asked))


def _commit(repository: Repository, name: str) -> str | None:
    found = git(repository, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    return None if found is None else found.decode().strip()


def _share(main: Repository, made: Repository, name: str) -> None:
    source, place = os.path.join(main.folder, name), os.path.join(made.folder, name)
    with contextlib.suppress(FileNotFoundError):
        os.makedirs(made.folder, exist_ok=True)
        shutil.copyfile(source, place)
