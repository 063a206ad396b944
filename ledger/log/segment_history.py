"""Ask git what it knows of segments: which ones any commit has had, and which ones a commit took away again.

Every commit is looked at, also those that leave a file as one of their parents has it: a merge that threw away what
one side had sealed is such a commit, and `git log` would not show it.
"""

import hashlib
import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from linetrail.ledger.errors import GitError, IntegrityError
from linetrail.ledger.log import segments
from linetrail.ledger.log.segments import SEGMENTS
from linetrail.ledger.repository import FOLDER, Repository, git, invocation

PLACE = f"{FOLDER}/{SEGMENTS}"
_SHA1_DIGITS = 40


class ShallowError(GitError):
    """The history of this clone was cut off."""

    hint = "git fetch --unshallow"


class Step(NamedTuple):
    """What one commit did to one file, against one of its parents. A blob of zeros is no file."""

    commit: str
    kind: str
    file: str
    before: str
    after: str

    @property
    def gone(self) -> bool:
        """Return whether the file is not there afterwards."""
        return not self.after.strip("0")


def require_whole(repository: Repository) -> None:
    """Refuse a clone that does not have all commits: what was deleted in one that is not here cannot be seen."""
    if repository.git_dir is None:
        raise GitError(f"{repository.root} is no git repository: there is no history to look at")
    if (git(repository, "rev-parse", "--is-shallow-repository") or b"").strip() == b"true":
        raise ShallowError("this clone is shallow: commits that may have deleted segments are not here")


def resolve(repository: Repository, revision: str) -> str | None:
    """Return the commit that a revision names; None where there is none."""
    found = git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    return found.decode().strip() if found else None


def tree(repository: Repository, revision: str) -> dict[str, str]:
    """Return the segments in a commit, by name, with what git calls their content."""
    listed = _run(repository, "ls-tree", "-r", "-z", "--full-tree", revision, "--", PLACE)
    return dict(_entries(listed, 2))


def index(repository: Repository) -> dict[str, str]:
    """Return the segments that are staged, or were committed and not removed since."""
    return dict(_entries(_run(repository, "ls-files", "-s", "-z", "--", PLACE), 1))


def steps(repository: Repository, *revisions: str) -> list[Step]:
    """Return what the commits that are reachable from here did to segments, parents before children."""
    commits = _run(repository, "rev-list", "--topo-order", "--reverse", *revisions)
    options = ("--stdin", "-m", "--root", "-r", "--raw", "--no-renames", "--no-abbrev", "-z")
    words = os.fsdecode(_run(repository, "diff-tree", *options, "--", PLACE, stdin=commits)).split("\0")
    found, commit = [], ""
    following = iter(words)
    for word in following:
        if word.startswith(":"):
            _, _, before, after, kind = word.split(" ")
            found.append(Step(commit, kind, next(following), before, after))
        else:
            commit = word
    return found


def blob(content: bytes, like: str) -> str:
    """Return what git calls a content, in a repository that has other names like this one."""
    make = hashlib.sha1 if len(like) == _SHA1_DIGITS else hashlib.sha256
    named = make(b"blob %d\0" % len(content), usedforsecurity=False)
    named.update(content)
    return named.hexdigest()


def losses(
    repository: Repository, history: Sequence[Step], here: Mapping[str, str], committed: Mapping[str, str]
) -> Iterator[IntegrityError]:
    """Yield the segments that commits took away or changed, unless HEAD has them again as they were.

    `here` are the blobs of the sound segments on the disk, `committed` those of HEAD. A file that had the name of a
    segment and never its content is no loss.
    """
    by_name: dict[str, list[Step]] = {}
    for step in history:
        name = segments.name_of(step.file)
        if name is not None:
            by_name.setdefault(name, []).append(step)
    for name, taken in sorted(by_name.items()):
        true = here.get(name) or _true(repository, name, taken)
        if true is None or committed.get(name) == true:
            continue
        culprit = _culprit(taken, true)
        if culprit is not None:
            yield _loss(segments.path(repository.folder, name), culprit, history)


def _true(repository: Repository, name: str, taken: Sequence[Step]) -> str | None:
    """Return the blob that holds the segment of this name; one that git no longer has is believed to."""
    for blob in dict.fromkeys(blob for step in taken for blob in (step.after, step.before) if blob.strip("0")):
        content = git(repository, "cat-file", "blob", blob)
        if content is None or hashlib.sha256(content).hexdigest() == name:
            return blob
    return None


def _culprit(taken: Iterable[Step], true: str) -> Step | None:
    """Return the commit since which a segment is not what it should be."""
    culprit = None
    for step in taken:
        if step.after == true:
            culprit = None
        elif culprit is None:
            culprit = step
    return culprit


def _loss(path: str, culprit: Step, history: Sequence[Step]) -> IntegrityError:
    commit = culprit.commit[:12]
    if not culprit.gone:
        return IntegrityError(path, 0, "SEGMENT_CHANGED", f"commit {commit} gave it another content")
    moved = [step.file for step in history if step.commit == culprit.commit and step.after == culprit.before]
    if moved:
        return IntegrityError(path, 0, "SEGMENT_RENAMED", f"commit {commit} renamed it to {moved[0]}")
    return IntegrityError(path, 0, "SEGMENT_DELETED", f"commit {commit} deleted it")


def _entries(listed: bytes, column: int) -> Iterator[tuple[str, str]]:
    """Yield the segments of a listing of git, with the blob that stands in this column."""
    for entry in os.fsdecode(listed).split("\0")[:-1]:
        told, _, file = entry.partition("\t")
        name = segments.name_of(file)
        if name is not None:
            yield name, told.split(" ")[column]


def _run(repository: Repository, *arguments: str, stdin: bytes = b"") -> bytes:
    command, environment = invocation(repository, *arguments)
    try:
        done = subprocess.run(command, env=environment, input=stdin, capture_output=True, check=False)
    except OSError as error:
        raise GitError(f"cannot run git: {error.strerror}") from None
    if done.returncode:
        raise GitError(f"git {arguments[0]}: {os.fsdecode(done.stderr).strip()}")
    return done.stdout
