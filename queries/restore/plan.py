"""Plan the way back to a recovery point: what each file has to become, and where its content still is.

Nothing is written here. What cannot be had is said, with the reason; what lies in the way and cannot be kept, too.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from linetrail.ledger.files import digest
from linetrail.ledger.observe.states import Sight, States
from linetrail.ledger.repository import Repository, file_path, git, stored_path
from linetrail.projections.git.history import Objects, checked_out
from linetrail.projections.tables.tables import Tables
from linetrail.queries.restore.recovery_point import KeptFile, Point, different, is_executable, within
from linetrail.queries.statements import statement

ADD, CHANGE, DELETE, SAME = "add", "change", "delete", "same"
KEPT, GIT = "objects", "git"
# Commits that are searched for a content which nothing else has.
MAX_COMMITS = 500


class Step(NamedTuple):
    """What happens to one file; `lost` says why its content is gone, `blocked` why it cannot be replaced."""

    path: str
    action: str
    before: Sight | None
    after: bytes | None
    after_hash: str | None
    executable: bool | None
    source: str | None
    lost: str | None = None
    blocked: str | None = None


def plan(repository: Repository, tables: Tables, point: Point, paths: Sequence[str] | None) -> list[Step]:
    """Return a step for each file that differs from the point, by path."""
    entries = {entry.path: entry for entry in point.entries}
    inside, wanted = within(point.paths), within(paths)
    revision = point.revision
    known = revision is None or has_commit(repository, revision)
    now = different(repository, revision if known else None)
    with closing(Objects(repository)) as objects:
        sources = _Sources(repository, objects, dict(tables.ask(statement("restore_erased")).rows), point)
        steps = [
            _step(repository, sources, path, entries.get(path))
            for path in sorted({path for path in {*entries, *now} if inside(path) and wanted(path)})
            if known or path in entries
        ]
    missing = [] if known else [_no_commit(revision or "")]
    return [step for step in steps if step.action != SAME or step.lost] + missing


def has_commit(repository: Repository, revision: str) -> bool:
    """Return whether this clone has a commit."""
    return git(repository, "cat-file", "-e", f"{revision}^{{commit}}") is not None


def _no_commit(revision: str) -> Step:
    reason = f"commit {revision[:12]}, which has all other files, is not in this clone: git fetch"
    return Step(".", CHANGE, None, None, None, None, None, lost=reason)


class _Sources:
    """The places where the contents of a point may still be."""

    def __init__(self, repository: Repository, objects: Objects, erased: dict[str, str], point: Point) -> None:
        self._repository, self._objects, self._erased, self._point = repository, objects, erased, point
        self._states = States(repository)
        self._listed: dict[str, tuple[str, str]] | None = None

    def listed(self, entry: KeptFile) -> tuple[bytes | None, str | None, str | None]:
        """Return the content of a file listed in the point and its source, else why it is gone."""
        if entry.hash is None:
            return None, None, None
        content = self._states.objects.read(entry.hash)
        if content is not None:
            return content, KEPT, None
        if entry.hash in self._erased or self._states.objects.is_erased(entry.hash):
            day = self._erased.get(entry.hash)
            return None, None, f"its content was erased{f' on {day}' if day else ''}"
        content = next((one for one in self._in_git(entry.path) if digest(one) == entry.hash), None)
        if content is not None:
            return content, GIT, None
        gone = "its content is not on this machine, and git does not have it"
        return None, None, f"its content was not kept: {entry.omitted}" if entry.omitted else gone

    def committed(self, path: str) -> tuple[bytes | None, bool | None]:
        """Return the content of a file in the point's commit, and whether it is executable; None for no file."""
        mode, name = self._tree().get(path, ("", ""))
        return (self._objects.read(name), mode == "100755") if mode.startswith("100") else (None, None)

    def holds_no_file(self, path: str) -> bool:
        """Return whether the commit has a link or a submodule here, which is left alone."""
        mode, _ = self._tree().get(path, ("100644", ""))
        return not mode.startswith("100")

    def _tree(self) -> dict[str, tuple[str, str]]:
        """Return the mode and the object of each file of the point's commit, by path."""
        if self._listed is None:
            revision = self._point.revision
            listed = git(self._repository, "ls-tree", "-r", "-z", revision) if revision is not None else None
            records = (record.partition(b"\t") for record in (listed or b"").split(b"\0") if record)
            self._listed = {
                stored_path(os.fsdecode(path)): (about.decode().split(" ")[0], about.decode().rpartition(" ")[2])
                for about, _, path in records
            }
        return self._listed

    def _in_git(self, path: str) -> Iterator[bytes]:
        """Yield the contents that commits had at a path, that of the point's commit first."""
        if self._repository.git_dir is None:
            return
        if path in self._tree():
            yield from checked_out(self._objects.read(self._tree()[path][1]))
        log = git(
            *(self._repository, "--literal-pathspecs", "log", "--all", "--format=", "--raw", "--no-abbrev", "-z"),
            *("--no-renames", f"--max-count={MAX_COMMITS}", "--", file_path(path)),
        )
        names = {
            name for record in (log or b"").split(b"\0") if record.startswith(b":") for name in record.split()[2:4]
        }
        for name in sorted(names):
            yield from checked_out(self._objects.read(name.decode()))


def _step(repository: Repository, sources: _Sources, path: str, entry: KeptFile | None) -> Step:
    before = States(repository).look(path)
    source: str | None
    if entry is not None:
        after, source, lost = sources.listed(entry)
        after_hash, executable = entry.hash, entry.executable
        if entry.omitted == "not a file":
            lost = "it was no regular file when it was marked"
    elif sources.holds_no_file(path):
        after, source, lost, after_hash, executable = None, None, "it is a link or another repository", None, None
    else:
        after, executable = sources.committed(path)
        source, after_hash = (GIT if after is not None else None), _hash(after)
        # what the commit has, and this clone has not, is no reason to remove what is there
        lost = "git does not have its content here: git fetch" if after is None and executable is not None else None
    if lost is None and before is not None and before.hash == (after_hash or ""):
        ready = executable is None or executable == is_executable(repository, path)
        return Step(path, SAME if ready else CHANGE, before, after, after_hash, executable, source)
    if lost and before is not None and before.hash == after_hash:
        return Step(path, SAME, before, None, after_hash, executable, None)
    action = DELETE if after_hash is None else CHANGE if before is None or before.hash else ADD
    blocked = None if lost else _blocked(repository, path, before)
    return Step(path, action, before, after, after_hash, executable, source, lost, blocked)


def _blocked(repository: Repository, path: str, before: Sight | None) -> str | None:
    """Return why the current file cannot be replaced: it could not be brought back."""
    if not _is_own(repository, path):
        return "a link, or a file, stands where its folder was"
    if before is None:
        return "what is there is no regular file, or cannot be read"
    if before.hash and before.content is None:
        return "what is there is too large to be kept"
    if before.hash and States(repository).objects.is_erased(before.hash):
        return "what is there was erased from what is kept, and is the last of it"
    return None


def _is_own(repository: Repository, path: str) -> bool:
    """Return whether every folder above a file is a real folder of this worktree."""
    at = os.path.dirname(repository.absolute(path))
    while at.startswith(repository.root + os.sep):
        if os.path.lexists(at) and not stat.S_ISDIR(os.lstat(at).st_mode):
            return False
        at = os.path.dirname(at)
    return at == repository.root


def _hash(content: bytes | None) -> str | None:
    return None if content is None else digest(content)
