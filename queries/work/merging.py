"""Merge and try commits without touching any checkout."""

import contextlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from typing import NamedTuple

from linetrail.ledger.errors import GitError
from linetrail.ledger.intents.criteria import Check
from linetrail.ledger.repository import NO_HOOKS, Repository, file_path, invocation, stored_path
from linetrail.projections.git.plumbing import answer
from linetrail.queries.record.criteria import Result, run_check

_HUNK = re.compile(rb"^<{7}.*?^>{7}[^\n]*\n?", re.MULTILINE | re.DOTALL)
MAX_HUNKS = 20_000
# How the folder of a worktree begins that is there for a check alone.
CHECKED_IN = "linetrail-check-"


class Merged(NamedTuple):
    """The tree of a merge, and the files that git could not merge, in which it then has conflict markers."""

    tree: str
    conflicts: tuple[str, ...]


def merge(repository: Repository, ours: str, theirs: str) -> Merged:
    """Merge two commits as git would, the drivers of the repository's settings included."""
    asked = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs)
    command, environment = invocation(repository, *asked)
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    if done.returncode not in (0, 1):
        raise GitError(f"git merge-tree failed: {done.stderr.decode(errors='replace').strip()}")
    tree, *conflicts = (os.fsdecode(name) for name in done.stdout.split(b"\0") if name)
    return Merged(tree, tuple(map(stored_path, conflicts)))


def commit(repository: Repository, tree: str, ours: str, theirs: str, message: str) -> str:
    """Return the merge commit of two others with this tree; no branch has it yet."""
    said = answer(repository, "commit-tree", tree, "-p", ours, "-p", theirs, "-F", "-", stdin=message.encode())
    return said.decode().strip()


def altered(repository: Repository, revision: str, contents: Mapping[str, bytes | None], before: str) -> str:
    """Return a commit behind another in which these files have other contents, where None is no file.

    A file has the mode that it had `before`, in another commit, as far as it was there.
    """
    entries = {}
    for one in (revision, before):
        listed = answer(repository, "--literal-pathspecs", "ls-tree", "-z", one, "--", *map(file_path, contents))
        for entry in filter(None, listed.split(b"\0")):
            about, _, name = entry.partition(b"\t")
            entries[name] = about[:6]
    lines = []
    for path, content in contents.items():
        name = os.fsencode(file_path(path))
        if content is None:
            lines.append(b"0 %s\t%s\0" % (b"0" * len(revision), name))
        else:
            blob = answer(repository, "hash-object", "-w", "--stdin", "--no-filters", stdin=content).strip()
            lines.append(b"%s %s\t%s\0" % (entries[name], blob, name))
    with tempfile.TemporaryDirectory() as folder:
        ask = partial(answer, repository, *NO_HOOKS, around={"GIT_INDEX_FILE": os.path.join(folder, "index")})
        ask("read-tree", revision)
        ask("update-index", "-z", "--index-info", stdin=b"".join(lines))
        tree = ask("write-tree").decode().strip()
    return answer(repository, "commit-tree", tree, "-p", revision, "-m", "tried").decode().strip()


def hunks(repository: Repository, merged: Merged) -> str:
    """Return the places that git could not merge, with both sides, by file."""
    found = []
    for path in merged.conflicts:
        with contextlib.suppress(GitError):  # a file that one side deleted has no place
            content = answer(repository, "cat-file", "blob", f"{merged.tree}:{path}")
            found += [f"{path}:", *(hunk.decode(errors="replace").rstrip() for hunk in _HUNK.findall(content))]
    return "\n".join(found)[:MAX_HUNKS]


def try_out(repository: Repository, intent_id: str, revision: str, check: Check) -> Result:
    """Run a check on a commit, in a worktree that is there for that alone."""
    with _scratch(repository, revision) as folder:
        return run_check(repository, intent_id, check, folder)


def is_ancestor(repository: Repository, one: str, other: str) -> bool:
    """Return whether a commit is in the history of another."""
    return answer(repository, "rev-list", "-n1", one, f"^{other}") == b""


@contextlib.contextmanager
def _scratch(repository: Repository, revision: str) -> Iterator[str]:
    for field in answer(repository, "worktree", "list", "--porcelain", "-z").split(b"\0"):
        if field.startswith(b"worktree ") and CHECKED_IN.encode() in field:
            _remove(repository, os.fsdecode(field.removeprefix(b"worktree ")))  # its process was killed
    folder = os.path.join(tempfile.mkdtemp(prefix=CHECKED_IN), "checkout")
    answer(repository, *NO_HOOKS, "worktree", "add", "-q", "--detach", folder, revision)
    try:
        yield folder
    finally:
        _remove(repository, folder)


def _remove(repository: Repository, folder: str) -> None:
    answer(repository, "worktree", "remove", "--force", folder)
    with contextlib.suppress(OSError):
        os.rmdir(os.path.dirname(folder))
