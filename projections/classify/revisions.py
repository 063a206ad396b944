"""Read what two revisions differ in, and what each commit between them changed, as changes that can be judged."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from linetrail.ledger.repository import Repository
from linetrail.projections.classify.judgement import Change, of_commit
from linetrail.projections.git.diff_patch import FileDiff, file_diffs
from linetrail.projections.git.diff_sides import Sides, is_shallow
from linetrail.projections.git.history import Objects
from linetrail.projections.git.plumbing import answer
from linetrail.projections.git.target import on_disk

_FORMAT = "--format=%x01%H%x00%P%x00%B"
# Of these there is no program text: what a link leads to, which commit a submodule is at.
_NO_TEXT = frozenset({"symlink", "submodule"})


class Difference(NamedTuple):
    """The files that differ; `left_out` are those that hold no text of their own, by path, each with the reason."""

    step: Sequence[Change]
    left_out: Mapping[str, str]


class Commit(NamedTuple):
    """One commit: what it says of itself, and the class that it claims by that."""

    revision: str
    parents: tuple[str, ...]
    message: str

    @property
    def subject(self) -> str:
        """The first line of the message."""
        return self.message.partition("\n")[0]

    @property
    def claim(self) -> str | None:
        """The class that the message claims; None where it claims none."""
        return of_commit(self.message)

    @property
    def sides(self) -> Sides:
        """What it is compared with: the commit before it, nothing before the first."""
        return Sides(self.parents[0] if self.parents else None, self.revision)


def difference(repository: Repository, store: Objects, sides: Sides, paths: Sequence[str] = ()) -> Difference:
    """Return the contents of the files that differ, below these stored paths."""
    step, left_out = [], {}
    for file in file_diffs(repository, sides, paths):
        if file.left_out in _NO_TEXT:
            left_out[file.path] = file.left_out
            continue
        renamed = file.old if file.new is not None and file.old != file.new else None
        before = None if file.old is None else store.read(file.old_blob or "") or b""
        step.append(Change(file.path, before, _after(repository, store, sides, file), renamed))
    return Difference(step, left_out)


def commits(repository: Repository, revisions: Sequence[str], limit: int) -> Iterator[Commit]:
    """Yield the commits that these git revisions name, the latest first.

    Left out are merges, and those of which a shallow clone does not know what was before.
    """
    cut = is_shallow(repository)
    printed = answer(repository, "log", "--no-merges", f"--max-count={limit}", _FORMAT, *revisions, "--")
    for record in printed.split(b"\x01")[1:]:
        revision, parents, message = record.decode(errors="replace").split("\0", 2)
        if parents or not cut:
            yield Commit(revision, tuple(parents.split()), message.strip())


def _after(repository: Repository, store: Objects, sides: Sides, file: FileDiff) -> bytes | None:
    if file.new is None:
        return None
    if sides.after is None and file.new_blob is None:
        return on_disk(repository, file.new) or b""
    return store.read(file.new_blob or "") or b""
