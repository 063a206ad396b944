"""Find missing and damaged segments wherever git still has them.

A segment is named by its content, so it does not matter where it is found: what has the name is the segment.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from linetrail.ledger.errors import IntegrityError
from linetrail.ledger.files import aside_name, make_folder, publish
from linetrail.ledger.log import segment_history, segment_links, segments
from linetrail.ledger.log.segment_history import PLACE, Step
from linetrail.ledger.log.store import QUARANTINE
from linetrail.ledger.log.tail import storage
from linetrail.ledger.repository import Repository, git
from linetrail.projections.git.history import Objects
from linetrail.projections.tables.verification import Report, examine

# What is wrong with a file, or with what stands there instead, that one with the right content can take the place of.
_REPLACEABLE = frozenset({"WRONG_NAME", "LFS_POINTER", "UNREADABLE_SEGMENT", "FOREIGN_FILE"})


class Found(NamedTuple):
    """A segment that was searched for; `source` is None where it was not found."""

    name: str
    reason: str
    source: str | None
    content: bytes


def recover(repository: Repository, *, keep: bool, dropped: bool = False) -> list[Found]:
    """Search for all missing segments, and with `keep` restore them, until none is left.

    With `dropped`, those are wanted, too, which only commits have that no branch has any more.
    """
    places = _Places(repository)
    history = [*places.history, *(places.dropped() if dropped else ())]
    found: dict[str, Found] = {}
    try:
        while True:
            wanted = _wanted(repository, examine(repository), history)
            new = sorted(wanted.keys() - found.keys())
            for name in new:
                found[name] = places.find(name, wanted[name])
                if keep and found[name].source is not None:
                    _put(repository.folder, found[name])
            if not new or not keep:
                return list(found.values())
    finally:
        places.close()


def release(repository: Repository) -> None:
    """Remove the second links of segments that are committed now."""
    if repository.git_dir is not None and segment_history.resolve(repository, "HEAD") is not None:
        segment_links.release(repository, segment_history.tree(repository, "HEAD"))


def _wanted(repository: Repository, report: Report, history: Sequence[Step]) -> dict[str, str]:
    """Return the missing segments, each with the reason why it should be here."""
    wanted: dict[str, str] = {}
    for problem in report.problems:
        name = segments.name_of(problem.file)
        if name is not None and (problem.code in _REPLACEABLE or problem.code == "SEGMENT_MISSING"):
            wanted.setdefault(name, problem.message)
    here = set(segments.names(repository.folder))
    for name in segment_links.missing(repository, here, segment_links.FOR_GOOD):
        wanted.setdefault(name, "it was sealed here and never committed")
    for step in history:
        name = segments.name_of(step.file)
        if name is not None and name not in here:
            wanted.setdefault(name, f"commit {step.commit[:12]} had it")
    return wanted


class _Places:
    """The places where segments may be: index, commits, reflog, worktrees."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._objects = Objects(repository)
        self._blobs: dict[str, dict[str, str]] = {}
        self._kept = segment_links.kept(repository)
        self._worktrees: list[str] = []
        self.history: list[Step] = []
        if repository.git_dir is None:
            return
        head = ["HEAD"] if segment_history.resolve(repository, "HEAD") else []
        self.history = segment_history.steps(repository, *head) if head else []
        for name, blob in segment_history.index(repository).items():
            self._add(name, blob, "the index")
        for step in (*self.history, *segment_history.steps(repository, "--all", "--reflog", *head)):
            held = segments.name_of(step.file)
            if held is not None:
                self._add(held, step.after, f"commit {step.commit[:12]}")
                self._add(held, step.before, f"before commit {step.commit[:12]}")
        self._worktrees = _worktrees(repository)

    def dropped(self) -> list[Step]:
        """Return the steps of commits that only the reflog has, for segments that no other commit has."""
        if not self.history:
            return []
        elsewhere = {step.file for step in segment_history.steps(self._repository, "--all", "HEAD")}
        forgotten = segment_history.steps(self._repository, "--reflog", "--not", "--all", "HEAD")
        return [step for step in forgotten if step.file not in elsewhere]

    def find(self, name: str, reason: str) -> Found:
        """Return a segment with its content from the first place that has it undamaged."""
        for source, content in self._contents(name):
            if hashlib.sha256(content).hexdigest() == name:
                return Found(name, reason, source, content)
        return Found(name, reason, None, b"")

    def close(self) -> None:
        self._objects.close()

    def _add(self, name: str, blob: str, source: str) -> None:
        if blob.strip("0"):
            self._blobs.setdefault(name, {}).setdefault(blob, source)

    def _contents(self, name: str) -> Iterator[tuple[str, bytes]]:
        for blob, source in self._blobs.get(name, {}).items():
            content = self._objects.read(blob)
            if content is not None:
                yield source, content
        if name in self._kept:
            with contextlib.suppress(IntegrityError):
                yield "its second name in git's folder", segments.whole(self._kept[name])
        for root in self._worktrees:
            with contextlib.suppress(IntegrityError):
                yield f"the worktree {root}", segments.whole(os.path.join(root, PLACE, f"{name}.jsonl"))


def _worktrees(repository: Repository) -> list[str]:
    """Return the roots of all worktrees but this one."""
    listed = os.fsdecode(git(repository, "worktree", "list", "--porcelain", "-z") or b"").split("\0")
    roots = [entry.removeprefix("worktree ") for entry in listed if entry.startswith("worktree ")]
    return [root for root in roots if os.path.realpath(root) != repository.root]


def _put(folder: str, found: Found) -> None:
    """Write a segment to its place; move whatever is there into quarantine."""
    path = segments.path(folder, found.name)
    with storage(path):
        if os.path.lexists(path):
            quarantine = os.path.join(folder, QUARANTINE)
            make_folder(quarantine, durable=True)
            os.replace(path, aside_name(os.path.join(quarantine, os.path.basename(path))))
        publish(path, found.content, durable=True, aside=os.path.join(folder, "state"))
